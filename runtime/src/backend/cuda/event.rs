//! Events: made without timing, given back when their keeper is dropped.

use crate::backend::RawEvent;
use cudarc::driver::{CudaContext, CudaEvent, DriverError, sys};
use std::sync::Arc;

/// Makes the event; the context is current.
pub(super) fn make(context: &Arc<CudaContext>, event: &mut RawEvent) -> Result<(), DriverError> {
    let made: CudaEvent = context.new_event(None)?;
    event.word = made.cu_event() as usize as u64;
    event.keeper = Some(Box::new(made));
    Ok(())
}

pub(super) fn handle(event: &RawEvent) -> sys::CUevent {
    event.word as usize as sys::CUevent
}

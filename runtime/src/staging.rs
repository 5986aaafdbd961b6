//! Host memory for copies to and from a device whose memory the host cannot reach.
//!
//! Page-locked memory is slow to make, so pieces are kept. A piece comes back together with the event that follows its
//! last copy, and the host may write it once the device has passed that event: this is the one place where the runtime
//! asks the device how far it is. Nothing on the device depends on the answer; at worst another piece is made.

use crate::backend::{Copies, Span};
use crate::error::Result;
use crate::timeline::{Device, Event};
use parking_lot::Mutex;
use std::sync::Arc;

/// Pieces are at least this large, in bytes, and powers of two.
const SMALLEST: usize = 4 << 10;

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Staging {
    free: Mutex<Vec<Piece>>,
}

/// Page-locked memory that nobody else has.
pub(crate) struct Piece {
    span: Span,
    /// What follows its last copy, if that may still be under way.
    event: Option<Arc<Event>>,
}

impl Piece {
    pub(crate) fn addr(&self) -> usize {
        self.span.start
    }

    /// Fills it from the host.
    pub(crate) fn copy_from(&mut self, data: &[u8]) {
        assert!(data.len() <= self.span.len());
        let target: *mut u8 = std::ptr::with_exposed_provenance_mut(self.span.start);
        // SAFETY: the piece is host memory of at least that size, and nobody else has it: its last copy is done.
        unsafe { target.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
    }

    /// What a copy that is done has put there.
    pub(crate) fn copy_to(&self, data: &mut [u8]) {
        assert!(data.len() <= self.span.len());
        let source: *const u8 = std::ptr::with_exposed_provenance(self.span.start);
        // SAFETY: as above; a copy has filled that many bytes.
        unsafe { source.copy_to_nonoverlapping(data.as_mut_ptr(), data.len()) };
    }
}

impl Staging {
    /// A piece of at least `bytes` that the device has finished with.
    pub(crate) fn take(&self, device: &Device, copies: &dyn Copies, bytes: usize) -> Result<Piece> {
        let bytes = bytes.max(SMALLEST).next_power_of_two();
        let mut free = self.free.lock();
        let done = |piece: &Piece| match &piece.event {
            Some(event) => device.backend.query(&event.raw).unwrap_or(false),
            None => true,
        };
        if let Some(at) = free.iter().position(|piece| piece.span.len() == bytes && done(piece)) {
            let piece = free.remove(at);
            return Ok(Piece { event: None, ..piece });
        }
        drop(free);
        Ok(Piece { span: copies.take_host(bytes)?, event: None })
    }

    /// Takes a piece back; `event` follows its last copy, unless that is known to be done.
    pub(crate) fn give(&self, piece: Piece, event: Option<Arc<Event>>) {
        self.free.lock().push(Piece { event, ..piece });
    }

    /// Gives all pieces back to the machine, when the runtime ends. Waits for copies that are still under way.
    pub(crate) fn close(&mut self, device: &Device) {
        let Some(copies) = device.backend.copies() else { return };
        for piece in self.free.get_mut().drain(..) {
            let done = piece.event.is_none_or(|event| device.backend.synchronize(&event.raw).is_ok());
            if done {
                copies.give_host(piece.span);
            }
        }
    }
}

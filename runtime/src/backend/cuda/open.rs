//! Finding the driver.

use super::call::explained;
use crate::error::{Error, ErrorKind, Result};
use cudarc::driver::{CudaContext, sys};
use std::sync::Arc;

/// What this backend calls, itself or through cudarc.
const FUNCTIONS: [&str; 32] = [
    "cuCtxGetCurrent",
    "cuCtxGetStreamPriorityRange",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemHostAlloc",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuStreamAddCallback",
    "cuStreamCreate",
    "cuStreamCreateWithPriority",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// An error unless the driver is there and has all that is needed.
pub(super) fn find_functions() -> Result<()> {
    // SAFETY: loading the driver's library runs its initialisers, which is what a CUDA program is there for.
    if !unsafe { sys::is_culib_present() } {
        let names = cudarc::get_lib_name_candidates("cuda").join(", ");
        let text = format!("no CUDA driver on this machine: looked for {names}");
        return Err(Error::new(ErrorKind::Unsupported, text));
    }
    // SAFETY: it has just been found.
    let driver = unsafe { sys::culib() };
    for name in FUNCTIONS {
        // SAFETY: the address is only asked for; nothing is called by this type.
        if let Err(e) = unsafe { driver.get::<*const ()>(name.as_bytes()) } {
            let text = format!("the CUDA driver is too old: it has no `{name}`");
            return Err(Error::new(ErrorKind::Unsupported, text).caused_by(e));
        }
    }
    Ok(())
}

/// The primary context of a device.
pub(super) fn context(ordinal: usize) -> Result<Arc<CudaContext>> {
    find_functions()?;
    let what = format!("opening CUDA device {ordinal}");
    let context = CudaContext::new(ordinal).map_err(|e| explained(ErrorKind::Device, &what, e))?;
    if !context.has_async_alloc() {
        let text = format!("CUDA device {ordinal} has no stream-ordered memory");
        return Err(Error::new(ErrorKind::Unsupported, text));
    }
    Ok(context)
}

//! Memory: a pool of the driver's for slabs, page-locked memory for the host's side of copies.

use super::{Copies, Cuda, RawStream, Span, handle};
use crate::error::Result;
use cudarc::driver::{CudaContext, CudaStream, DriverError, result, sys};
use parking_lot::Mutex;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// The driver's pool, for this runtime alone: what others in the process do to the default pool's policies does not
/// reach it.
pub(super) struct Slabs {
    pool: sys::CUmemoryPool,
    /// Slabs that are out.
    taken: Mutex<Vec<Span>>,
}

// SAFETY: the handle is used in calls of the driver only, which are safe from any thread.
unsafe impl Send for Slabs {}
// SAFETY: as above.
unsafe impl Sync for Slabs {}

impl Slabs {
    pub(super) fn new(context: &CudaContext) -> Result<Self> {
        let props = properties(context.cu_device());
        // SAFETY: the properties are valid.
        let pool = unsafe { result::mem_pool::create(&raw const props) };
        let pool = pool.map_err(|e| super::call::explained(crate::ErrorKind::Device, "making a pool", e))?;
        Ok(Slabs { pool, taken: Mutex::default() })
    }

    pub(super) fn take(&self, bytes: usize, stream: sys::CUstream) -> Result<Span, DriverError> {
        // SAFETY: pool and stream are there as long as the backend is.
        let at = unsafe { result::mem_pool::alloc_async(self.pool, bytes, stream) }? as usize;
        self.taken.lock().push(at..at + bytes);
        Ok(at..at + bytes)
    }

    /// `stream` is ordered after all uses of the slab.
    pub(super) fn give(&self, slab: &Span, stream: sys::CUstream) -> Result<(), DriverError> {
        // Whatever comes of it, it is not to be given back a second time.
        self.taken.lock().retain(|taken| taken != slab);
        // SAFETY: it came from `take`, and has not been given back before; the caller vouches for its uses.
        unsafe { result::free_async(slab.start as sys::CUdeviceptr, stream) }
    }

    /// Gives what the device has finished with back to it.
    pub(super) fn trim(&self) -> Result<(), DriverError> {
        // SAFETY: the pool is there as long as the backend is.
        unsafe { result::mem_pool::trim_to(self.pool, 0) }
    }

    /// Gives everything back, in the order of all streams, without waiting for them. Errors would have nobody to go
    /// to: what is lost then is the process's.
    pub(super) fn close(&self, context: &Arc<CudaContext>, streams: &[Arc<CudaStream>]) {
        let taken = std::mem::take(&mut *self.taken.lock());
        if let Some((first, others)) = streams.split_first() {
            let ordered = others.iter().all(|other| {
                let event = context.new_event(None).and_then(|event| event.record(other).map(|()| event));
                event.and_then(|event| first.wait(&event)).is_ok()
            });
            for slab in taken.iter().filter(|_| ordered) {
                let _ = self.give(slab, first.cu_stream());
            }
        }
        // SAFETY: nobody uses the pool after this; the driver keeps it until what came from it has been given back.
        let _ = unsafe { result::mem_pool::destroy(self.pool) };
    }
}

/// Plain device memory. Fields are written by place, since later versions of the interface wrap some of them in unions
/// of the same layout.
fn properties(device: sys::CUdevice) -> sys::CUmemPoolProps {
    let mut props = MaybeUninit::<sys::CUmemPoolProps>::zeroed();
    let at = props.as_mut_ptr();
    // SAFETY: `at` points to the whole struct.
    let kind = unsafe { &raw mut (*at).allocType };
    // SAFETY: the field lies within the struct.
    unsafe { kind.write(sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED) };
    // SAFETY: as above.
    let place = unsafe { &raw mut (*at).location.type_ };
    // SAFETY: as above.
    unsafe { place.write(sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE) };
    // The device's number follows the type, in every version.
    const { assert!(size_of::<sys::CUmemLocation>() == 2 * size_of::<i32>()) };
    // SAFETY: the location is two `int`s, as asserted.
    let number = unsafe { place.cast::<i32>().add(1) };
    // SAFETY: as above.
    unsafe { number.write(device) };
    // SAFETY: all bits zero is a value of every other field: no handle, no attributes, no limit.
    unsafe { props.assume_init() }
}

impl Copies for Cuda {
    fn take_host(&self, bytes: usize) -> Result<Span> {
        self.bind()?;
        // SAFETY: any size and these flags are allowed; memory is given back by `give_host`.
        let taken = unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_PORTABLE) };
        let at = self.called("taking page-locked memory", taken)?.expose_provenance();
        Ok(at..at + bytes)
    }

    fn give_host(&self, span: Span) {
        // SAFETY: it came from `take_host`, and the device has finished with it.
        let given = unsafe { result::free_host(std::ptr::with_exposed_provenance_mut(span.start)) };
        // At the worst it stays with the process.
        let _ = self.called("giving page-locked memory back", given);
    }

    unsafe fn copy_in(&self, stream: RawStream, from: usize, to: Span) -> Result<()> {
        self.bind()?;
        let source = std::ptr::with_exposed_provenance(from);
        let target = to.start as sys::CUdeviceptr;
        // SAFETY: the caller vouches for both spans.
        let copied = unsafe { sys::cuMemcpyHtoDAsync_v2(target, source, to.len(), handle(stream)) };
        self.called("copying to the device", copied.result())
    }

    unsafe fn copy_out(&self, stream: RawStream, from: Span, to: usize) -> Result<()> {
        self.bind()?;
        let target = std::ptr::with_exposed_provenance_mut(to);
        let source = from.start as sys::CUdeviceptr;
        // SAFETY: the caller vouches for both spans.
        let copied = unsafe { sys::cuMemcpyDtoHAsync_v2(target, source, from.len(), handle(stream)) };
        self.called("copying from the device", copied.result())
    }

    unsafe fn zero(&self, stream: RawStream, span: Span) -> Result<()> {
        self.bind()?;
        // SAFETY: the caller vouches for the span.
        let filled =
            unsafe { result::memset_d8_async(span.start as sys::CUdeviceptr, 0, span.len(), handle(stream)) };
        self.called("filling with zeros", filled)
    }
}

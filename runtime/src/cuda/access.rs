//! cudarc's traits on buffers and views.
//!
//! cudarc asks for a pointer, then enqueues, then drops a guard that it got with the pointer. The guard runs none of our
//! code, so a use outside nodes is marked before it is enqueued, at no known place ([`Mark::AT_HEAD`]): it
//! will have been enqueued when the borrow ends. Inside a node of the calling thread on that stream, the use is the
//! node's.

use crate::buffer::Buffer;
use crate::element::Element;
use crate::ledger::Ledger;
use crate::mark::{Mark, StreamId};
use crate::shared::Shared;
use crate::stats::WaitKind;
use crate::timeline::{Stands, Stream, order_after};
use crate::view::{View, ViewMut};
use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop};
use std::sync::Arc;

/// How memory is about to be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
}

impl Shared {
    /// The runtime's stream with this handle.
    fn known(&self, stream: &CudaStream) -> Option<&Arc<Stream>> {
        let same = |known: &&Arc<Stream>| {
            known.native.cuda().is_some_and(|native| native.cu_stream() == stream.cu_stream())
        };
        let own = |cuda: &crate::backend::cuda::Cuda| cuda.context().cu_ctx() == stream.context().cu_ctx();
        self.device.backend.cuda().filter(|cuda| own(cuda))?;
        self.device.streams().find(same)
    }

    /// Orders a use on `stream`, and marks it.
    fn use_on<'a>(&self, ledger: &Ledger, stream: &'a CudaStream, how: Use) -> SyncOnDrop<'a> {
        match self.known(stream) {
            Some(known) => {
                let mark = known.lock().mark_here();
                self.order(ledger, known, how);
                match how {
                    Use::Read => ledger.mark_read(known.id, mark),
                    Use::Write => ledger.mark_write(known.id, mark),
                }
                SyncOnDrop::Record(None)
            }
            None => {
                self.finish(ledger, how);
                SyncOnDrop::sync_stream(stream)
            }
        }
    }

    /// Makes `stream` run after what the use conflicts with. Where the driver fails to, the host waits instead; if that
    /// fails too, the device is gone, and the runtime says so at its next call.
    fn order(&self, ledger: &Ledger, stream: &Stream, how: Use) {
        for (other, mark) in conflicts(ledger, how) {
            let after = (other, mark, Stands::ForEarlier);
            if order_after(&self.device, stream, ledger, after, WaitKind::ByLedger).is_err() {
                self.finish_stream(other);
            }
        }
    }

    /// Waits on the host for what a use conflicts with.
    fn finish(&self, ledger: &Ledger, how: Use) {
        for (stream, _) in conflicts(ledger, how) {
            self.finish_stream(stream);
        }
    }

    fn finish_stream(&self, stream: StreamId) {
        if let (Some(cuda), Some(native)) =
            (self.device.backend.cuda(), self.device.stream(stream).native.cuda())
        {
            let _ = cuda.called("waiting for a stream", native.synchronize());
        }
    }
}

/// The uses that another one of this kind must come after, the latest first: its event may bring the others along.
fn conflicts(ledger: &Ledger, how: Use) -> Vec<(StreamId, Mark)> {
    let mut marks = Vec::new();
    match how {
        Use::Read => marks.extend(Some(ledger.last_write()).filter(|(_, mark)| !mark.is_none())),
        Use::Write => ledger.each_mark(|stream, mark| marks.push((stream, mark))),
    }
    marks.sort_by_key(|&(_, mark)| std::cmp::Reverse(mark));
    marks
}

/// The stream that stands for a buffer in cudarc's interface: the one that took its memory.
///
/// # Panics
/// For a buffer of another backend: there is no CUDA stream to name.
impl<T: Element> DeviceSlice<T> for Buffer<T> {
    fn len(&self) -> usize {
        Buffer::len(self)
    }

    fn stream(&self) -> &Arc<CudaStream> {
        let maker = self.block().map_or(StreamId(0), |block| block.maker);
        let native = self.shared().device.stream(maker).native.cuda();
        native.expect("a buffer of the host backend has no CUDA stream")
    }
}

/// For a buffer of another backend the pointer is null.
impl<T: Element> DevicePtr<T> for Buffer<T> {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.pointer(stream, Use::Read)
    }
}

impl<T: Element> DevicePtrMut<T> for Buffer<T> {
    fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.pointer(stream, Use::Write)
    }
}

impl<T: Element> Buffer<T> {
    fn pointer<'a>(&'a self, stream: &'a CudaStream, how: Use) -> (CUdeviceptr, SyncOnDrop<'a>) {
        let shared = self.shared();
        match self.block().filter(|_| shared.device.backend.cuda().is_some()) {
            Some(block) => (block.addr as CUdeviceptr, shared.use_on(&block.ledger, stream, how)),
            None => (0, SyncOnDrop::Record(None)),
        }
    }
}

/// A view's pointer on its node's stream is just that: the node has ordered and marked the use. On another one the host
/// waits, before for what the node has enqueued so far, and after for the call.
fn viewed<'a>(at: usize, own: &Stream, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
    match own.native.cuda() {
        Some(native) if native.cu_stream() == stream.cu_stream() => {
            (at as CUdeviceptr, SyncOnDrop::Record(None))
        }
        Some(native) => {
            native.context().record_err(native.synchronize());
            (at as CUdeviceptr, SyncOnDrop::sync_stream(stream))
        }
        None => (0, SyncOnDrop::Record(None)),
    }
}

fn native(stream: &Stream) -> &Arc<CudaStream> {
    stream.native.cuda().expect("a view of the host backend has no CUDA stream")
}

/// # Panics
/// For a view on another backend, as for [`Buffer`].
impl<T: Element> DeviceSlice<T> for View<'_, T> {
    fn len(&self) -> usize {
        View::len(self)
    }
    fn stream(&self) -> &Arc<CudaStream> {
        native(self.node_stream())
    }
}

impl<T: Element> DevicePtr<T> for View<'_, T> {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        viewed(self.addr, self.node_stream(), stream)
    }
}

/// # Panics
/// For a view on another backend, as for [`Buffer`].
impl<T: Element> DeviceSlice<T> for ViewMut<'_, T> {
    fn len(&self) -> usize {
        ViewMut::len(self)
    }
    fn stream(&self) -> &Arc<CudaStream> {
        native(self.node_stream())
    }
}

impl<T: Element> DevicePtr<T> for ViewMut<'_, T> {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        viewed(self.addr, self.node_stream(), stream)
    }
}

impl<T: Element> DevicePtrMut<T> for ViewMut<'_, T> {
    fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        viewed(self.addr, self.node_stream(), stream)
    }
}

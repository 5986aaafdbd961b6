//! Kernels: arguments for cudarc's launch builder, raw pointers and streams.

use crate::buffer::{Buffer, HasBuffer};
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::node::Node;
use crate::view::{View, ViewMut};
use cudarc::driver::sys::{CUdeviceptr, CUstream};
use cudarc::driver::{CudaStream, DevicePtr, DevicePtrMut, LaunchArgs, PushKernelArg};
use std::sync::Arc;

impl Node<'_> {
    /// The node's stream, for cudarc's launch builder and for libraries. Work given to it while the node is open is
    /// part of the node.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] on another backend.
    pub fn cuda_stream(&self) -> Result<&Arc<CudaStream>> {
        self.stream.native.cuda().ok_or_else(|| {
            self.here(Error::new(ErrorKind::Unsupported, "the runtime is not on a CUDA device"))
        })
    }

    /// The node's stream as the driver knows it, its context current on this thread: for kernels that are launched by
    /// other compilers' code.
    ///
    /// # Errors
    /// As for [`Node::cuda_stream`].
    ///
    /// # Safety
    /// Work may be given to the stream while the node is open only, and may touch memory only through views of
    /// this node. The stream must not be destroyed, nor captured.
    pub unsafe fn raw_stream(&self) -> Result<CUstream> {
        let stream = self.cuda_stream()?;
        stream.context().bind_to_thread().map_err(|e| {
            self.here(Error::new(ErrorKind::Device, "the context cannot be bound").caused_by(e))
        })?;
        Ok(stream.cu_stream())
    }

    /// `x` for the node to read, as a pointer. The ledger is marked as by [`Node::view`].
    ///
    /// # Errors
    /// As for [`Node::view`].
    ///
    /// # Safety
    /// The memory may be read by work of this node only, given to its stream while the node is open.
    pub unsafe fn raw_ptr<B: HasBuffer>(&self, x: &B) -> Result<CUdeviceptr> {
        Ok(self.view(x)?.addr as CUdeviceptr)
    }

    /// `x` for the node to read and write, as a pointer. The ledger is marked as by [`Node::view_mut`].
    ///
    /// # Errors
    /// As for [`Node::view`].
    ///
    /// # Safety
    /// The memory may be used by work of this node only, given to its stream while the node is open.
    pub unsafe fn raw_ptr_mut<B: HasBuffer>(&self, x: &mut B) -> Result<CUdeviceptr> {
        Ok(self.view_mut(x)?.addr as CUdeviceptr)
    }
}

// SAFETY: what is pushed is the address of the view's pointer, which has the size of a device's pointer and lives as
// long as the borrow that the launch builder keeps. Launching is unsafe: that the builder is one of the view's own
// node's stream is among what the caller vouches for.
unsafe impl<'a, 'b: 'a, T: Element> PushKernelArg<&'b View<'_, T>> for LaunchArgs<'a> {
    #[inline(always)]
    fn arg(&mut self, arg: &'b View<'_, T>) -> &mut Self {
        self.arg(&arg.addr)
    }
}

// SAFETY: as for `View`.
unsafe impl<'a, 'b: 'a, T: Element> PushKernelArg<&'b mut ViewMut<'_, T>> for LaunchArgs<'a> {
    #[inline(always)]
    fn arg(&mut self, arg: &'b mut ViewMut<'_, T>) -> &mut Self {
        self.arg(&arg.addr)
    }
}

/// A buffer bound to a stream, as an argument of cudarc's launch builder outside nodes. Made by [`Buffer::on`].
#[derive(Debug)]
pub struct Arg<'a> {
    at: CUdeviceptr,
    _guard: cudarc::driver::SyncOnDrop<'a>,
}

impl<T: Element> Buffer<T> {
    /// The buffer for a kernel on `stream` to read: ordered there, and marked. Launch it before the buffer is used
    /// otherwise, on the same stream.
    pub fn on<'a>(&'a self, stream: &'a CudaStream) -> Arg<'a> {
        let (at, guard) = self.device_ptr(stream);
        Arg { at, _guard: guard }
    }

    /// The buffer for a kernel on `stream` to read and write: ordered there, and marked.
    pub fn on_mut<'a>(&'a mut self, stream: &'a CudaStream) -> Arg<'a> {
        let (at, guard) = self.device_ptr_mut(stream);
        Arg { at, _guard: guard }
    }
}

// SAFETY: as for `View`; the argument keeps the buffer borrowed until the launch builder is gone.
unsafe impl<'a, 'b: 'a> PushKernelArg<&'b Arg<'_>> for LaunchArgs<'a> {
    #[inline(always)]
    fn arg(&mut self, arg: &'b Arg<'_>) -> &mut Self {
        self.arg(&arg.at)
    }
}

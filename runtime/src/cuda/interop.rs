//! Contexts and streams that exist already.

use crate::error::{Error, ErrorKind, Result};
use crate::runtime::{Runtime, Stream};
use cudarc::driver::sys::CUstream;
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::Arc;

impl Runtime {
    /// A runtime on the CUDA device of this number, in its primary context.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] if the machine has no CUDA driver (the error says what was looked for) or one that
    /// is too old; [`ErrorKind::Device`] if there is no such device.
    pub fn cuda(ordinal: usize) -> Result<Self> {
        Self::builder().cuda(ordinal).build()
    }

    /// The context that the runtime works in; none on other backends.
    #[must_use]
    pub fn cuda_context(&self) -> Option<&Arc<CudaContext>> {
        self.shared.device.backend.cuda().map(|cuda| cuda.context())
    }

    /// Takes an existing stream in: lanes can bind names to it, and what cudarc's own calls do there with buffers is
    /// ordered without the host.
    ///
    /// A stream that the runtime knows already is the same one. It is kept as long as the runtime is.
    ///
    /// # Errors
    /// [`ErrorKind::WrongDevice`] for a stream of another context; [`ErrorKind::Unsupported`] for the per-thread default
    /// stream, and on other backends.
    pub fn adopt(&self, label: &str, stream: &Arc<CudaStream>) -> Result<Stream> {
        let device = &self.shared.device;
        let cuda = device.backend.cuda();
        let cuda =
            cuda.ok_or_else(|| Error::new(ErrorKind::Unsupported, "the runtime is not on a CUDA device"))?;
        let same = |known: &&Arc<crate::timeline::Stream>| {
            known.native.cuda().is_some_and(|native| native.cu_stream() == stream.cu_stream())
        };
        let (raw, native) = cuda.adopt(stream.clone())?;
        let stream = match device.streams().find(same) {
            Some(known) => known.clone(),
            None => device.add(label, || Ok((raw, native)))?,
        };
        Ok(Stream { shared: self.shared.clone(), stream })
    }

    /// Takes a stream in that another library has made.
    ///
    /// # Errors
    /// As for [`Runtime::adopt`].
    ///
    /// # Safety
    /// It must be a stream of the runtime's context, and stay one until the runtime and all its buffers are gone.
    pub unsafe fn adopt_raw(&self, label: &str, stream: CUstream) -> Result<Stream> {
        let context = self
            .cuda_context()
            .ok_or_else(|| Error::new(ErrorKind::Unsupported, "the runtime is not on a CUDA device"))?;
        // SAFETY: the caller vouches for the stream; the runtime orders what it gives to it.
        let stream = unsafe { context.wrap_borrowed_stream(stream) };
        self.adopt(label, &stream)
    }
}

impl Stream {
    /// The stream as cudarc knows it; none on other backends.
    #[must_use]
    pub fn cuda(&self) -> Option<&Arc<CudaStream>> {
        self.stream.native.cuda()
    }
}

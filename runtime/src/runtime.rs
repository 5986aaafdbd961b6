//! The runtime: a device, its pool, its streams.

use crate::backend::Backend;
#[cfg(feature = "__cuda")]
use crate::backend::cuda::Cuda;
use crate::backend::host::{self, Checked};
use crate::error::Result;
use crate::lane::Lane;
use crate::pool::{Pool, Release};
use crate::shared::Shared;
use crate::stats::Stats;
use crate::testing::Faults;
use std::fmt;
use std::sync::Arc;

/// A device, its memory and its streams. A handle: clones mean the same runtime.
#[derive(Clone)]
pub struct Runtime {
    pub(crate) shared: Arc<Shared>,
}

/// A physical stream, to bind several names to.
#[derive(Clone)]
pub struct Stream {
    pub(crate) shared: Arc<Shared>,
    pub(crate) stream: Arc<crate::timeline::Stream>,
}

/// A CUDA device.
#[cfg(feature = "__cuda")]
#[derive(Clone)]
enum Device {
    Ordinal(usize),
    Context(Arc<cudarc::driver::CudaContext>),
}

/// How a runtime is made.
#[derive(Clone, Default)]
pub struct Builder {
    strict: bool,
    release: Release,
    limit: Option<usize>,
    checked: Option<Checked>,
    #[cfg(feature = "__cuda")]
    cuda: Option<Device>,
    faults: Faults,
    #[cfg(feature = "__testing")]
    null: Option<Option<crate::testing::Durations>>,
    #[cfg(feature = "__testing")]
    frailty: Option<crate::testing::Frailty>,
}

impl Builder {
    /// Makes a use that a chunk's plan does not cover an error instead of a wait. For tests.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// When freed memory may be given on.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = release;
        self
    }

    /// The most bytes to take from the device. At the limit an allocation waits for the oldest free blocks first.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }

    /// Runs the host backend in checked mode: a deterministic order drawn from a seed, poisoned memory, and vector
    /// clocks that judge every access. See [`Runtime::violations`].
    #[must_use]
    pub fn checked(mut self, checked: Checked) -> Self {
        self.checked = Some(checked);
        self
    }

    /// Runs on the CUDA device of this number, in its primary context.
    #[cfg(feature = "__cuda")]
    #[must_use]
    pub fn cuda(mut self, ordinal: usize) -> Self {
        self.cuda = Some(Device::Ordinal(ordinal));
        self
    }

    /// Runs in an existing CUDA context; [`Runtime::adopt`] takes its streams in.
    #[cfg(feature = "__cuda")]
    #[must_use]
    pub fn cuda_context(mut self, context: &Arc<cudarc::driver::CudaContext>) -> Self {
        self.cuda = Some(Device::Context(context.clone()));
        self
    }

    /// Runs on a device that does nothing, or only keeps time.
    #[cfg(feature = "__testing")]
    #[must_use]
    pub fn null(mut self, durations: Option<crate::testing::Durations>) -> Self {
        self.null = Some(durations);
        self
    }

    /// Runs on a device that fails.
    #[cfg(feature = "__testing")]
    #[must_use]
    pub fn frail(mut self, how: crate::testing::Frailty) -> Self {
        self.frailty = Some(how);
        self
    }

    /// Switches deliberate faults on.
    #[cfg(feature = "__testing")]
    #[must_use]
    pub fn faults(mut self, faults: Faults) -> Self {
        self.faults = faults;
        self
    }

    /// Makes the runtime.
    ///
    /// # Errors
    /// If the backend cannot be started.
    pub fn build(self) -> Result<Runtime> {
        let backend: Arc<dyn Backend> = match self.checked {
            Some(checked) => host::checked(checked),
            #[cfg(feature = "__cuda")]
            None if self.cuda.is_some() => match self.cuda {
                Some(Device::Context(context)) => Arc::new(Cuda::on(context)?),
                Some(Device::Ordinal(ordinal)) => Arc::new(Cuda::open(ordinal)?),
                None => host::threads(),
            },
            #[cfg(feature = "__testing")]
            None if self.null.is_some() => Arc::new(crate::testing::Null::new(self.null.flatten())),
            None => host::threads(),
        };
        #[cfg(feature = "__testing")]
        let backend = match self.frailty {
            Some(how) => Arc::new(crate::testing::Frail::new(backend, how)),
            None => backend,
        };
        let pool = Pool::new(self.release, self.limit.unwrap_or(usize::MAX));
        Ok(Runtime { shared: Arc::new(Shared::new(backend, self.faults, pool, self.strict)) })
    }
}

impl Runtime {
    /// A runtime on the host: one worker thread for each stream.
    ///
    /// # Errors
    /// If the backend cannot be started.
    pub fn host() -> Result<Self> {
        Self::builder().build()
    }

    /// Options first.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// `"host"`, `"checked"` or `"cuda"`.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        self.shared.device.backend.name()
    }

    /// A new physical stream.
    ///
    /// # Errors
    /// If the backend has no more.
    pub fn stream(&self, label: &str) -> Result<Stream> {
        let stream = self.shared.device.add_stream(label, 0)?;
        Ok(Stream { shared: self.shared.clone(), stream })
    }

    /// A new physical stream that the device prefers to others of lower `priority` where several have work. 0 is what
    /// [`Runtime::stream`] makes; what the device does not have is rounded to what it has, and the host backend has no
    /// priorities.
    ///
    /// # Errors
    /// If the backend has no more.
    pub fn stream_with_priority(&self, label: &str, priority: i32) -> Result<Stream> {
        let stream = self.shared.device.add_stream(label, priority)?;
        Ok(Stream { shared: self.shared.clone(), stream })
    }

    /// A lane with a new physical stream for each name.
    ///
    /// # Errors
    /// If the backend has no more streams.
    pub fn lane(&self, names: &[&str]) -> Result<Lane> {
        let names = names.iter().map(|&n| Ok((n.to_owned(), self.shared.device.add_stream(n, 0)?)));
        Ok(Lane::new(self.shared.clone(), names.collect::<Result<_>>()?))
    }

    /// A lane over existing streams; names may share one.
    ///
    /// # Errors
    /// [`WrongDevice`](crate::ErrorKind::WrongDevice) for a stream of another runtime.
    pub fn lane_on(&self, names: &[(&str, &Stream)]) -> Result<Lane> {
        let names = names.iter().map(|&(name, stream)| {
            if Arc::ptr_eq(&stream.shared, &self.shared) {
                return Ok((name.to_owned(), stream.stream.clone()));
            }
            let text = format!("stream `{name}` belongs to another runtime");
            Err(crate::Error::new(crate::ErrorKind::WrongDevice, text))
        });
        Ok(Lane::new(self.shared.clone(), names.collect::<Result<_>>()?))
    }

    /// What was done so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let mut stats = self.shared.pool.stats();
        for stream in self.shared.device.streams() {
            stats.add_stream(&stream.label, &stream.lock().stats);
        }
        stats
    }

    /// Starts the peaks of [`Stats::memory`] anew from what is held now.
    pub fn reset_peaks(&self) {
        self.shared.pool.reset_peaks();
    }

    /// What the clocks of a device that keeps time show.
    #[cfg(feature = "__testing")]
    #[must_use]
    pub fn time(&self) -> u64 {
        self.shared.device.backend.time()
    }

    /// What checked mode has found so far, oldest first: accesses that no order separates, and uses of freed memory.
    /// Empty on other backends.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.shared.device.backend.violations()
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.stream.label).finish()
    }
}

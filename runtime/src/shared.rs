//! What every handle of a runtime holds on to.

use crate::backend::Backend;
use crate::error::Result;
use crate::pool::Pool;
use crate::staging::Staging;
use crate::testing::Faults;
use crate::timeline::Device;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A device, its pool, and how they are used. Lives as long as the last buffer.
pub(crate) struct Shared {
    pub(crate) device: Device,
    pub(crate) pool: Pool,
    pub(crate) staging: Staging,
    /// A use that the plan did not cover is an error.
    pub(crate) strict: bool,
    /// Runs begun so far.
    runs: AtomicU32,
}

impl Shared {
    pub(crate) fn new(backend: Arc<dyn Backend>, faults: Faults, pool: Pool, strict: bool) -> Self {
        Shared {
            device: Device::new(backend, faults),
            pool,
            staging: Staging::default(),
            strict,
            runs: AtomicU32::new(0),
        }
    }

    /// A tag for the marks of a new run; 0 belongs to code outside runs. Tags come round after 65,535 runs, which
    /// is why a run also remembers where its streams stood when it began.
    pub(crate) fn next_tag(&self) -> u16 {
        (self.runs.fetch_add(1, Ordering::Relaxed) % 0xffff + 1) as u16
    }

    /// An error once the device has failed.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if self.device.backend.has_failed() {
            return self.device.backend.failure().map_or(Ok(()), Err);
        }
        Ok(())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.staging.close(&self.device);
    }
}

/// What a buffer holds of its runtime: no count of its own, since counting costs a third of a node's budget. While any
/// block is out the pool itself holds the runtime (see [`Pool::take`]).
pub(crate) struct Held(NonNull<Shared>);

impl Held {
    /// For the holder of a block that `shared`'s pool has just handed out.
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Held(NonNull::from(&**shared))
    }

    pub(crate) fn is(&self, shared: &Shared) -> bool {
        std::ptr::eq(self.0.as_ptr(), shared)
    }
}

impl Deref for Held {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        // SAFETY: a `Held` lives beside a block that is out, and `Pool` keeps an `Arc` of the runtime from the moment
        // that a block goes out until none is. Whoever gives the block back gets that `Arc`, if it was the last one,
        // and drops it after the last use of the `Held`.
        unsafe { self.0.as_ref() }
    }
}

// SAFETY: it is a shared reference to a `Shared`, which is `Sync` (asserted below).
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

const _: () = {
    const fn sync<T: Send + Sync>() {}
    sync::<Shared>();
};

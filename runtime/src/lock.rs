//! The lock of what every node touches: a stream's timeline, the pool.
//!
//! Sections under it are a few dozen instructions or one call of the driver, and never the user's code. So taking it is
//! one atomic exchange and giving it back a plain store, where a lock that puts waiters to sleep needs two exchanges;
//! a node takes four. Who finds it taken spins for a moment, then yields, then sleeps in short turns.

use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Lock<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a guard only, by one thread at a time, and every guard happens after the one
// before (release at its end, acquire at the next beginning): as if the value were sent from thread to thread.
unsafe impl<T: Send> Sync for Lock<T> {}

/// Gives the lock back when it is dropped.
pub(crate) struct Guard<'a, T> {
    lock: &'a Lock<T>,
    /// Stays on its thread, as guards do.
    thread: PhantomData<*const T>,
}

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Lock { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    #[inline]
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        if self.taken.swap(true, Ordering::Acquire) {
            self.wait();
        }
        Guard { lock: self, thread: PhantomData }
    }

    #[cold]
    fn wait(&self) {
        for turn in 0_u32.. {
            for _ in 0..50 {
                if !self.taken.load(Ordering::Relaxed) && !self.taken.swap(true, Ordering::Acquire) {
                    return;
                }
                spin_loop();
            }
            if turn < 100 {
                std::thread::yield_now();
            } else {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this guard has the lock, so no other guard exists; its borrows end before it does.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and `&mut self` makes this the only borrow.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.taken.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let lock = Lock::new((0_u64, 0_u64));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for k in 0..5000 {
                        let mut pair = lock.lock();
                        pair.0 += 1;
                        if k % 1000 == 0 {
                            std::thread::sleep(Duration::from_micros(200));
                        }
                        pair.1 += 1;
                        assert_eq!(pair.0, pair.1);
                    }
                });
            }
        });
        assert_eq!(*lock.lock(), (40_000, 40_000));
    }

    #[test]
    fn a_panic_gives_it_back() {
        let lock = Lock::new(1);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _guard = lock.lock();
            panic!("asked to");
        }));
        assert!(panicked.is_err());
        assert_eq!(*lock.lock(), 1);
    }
}

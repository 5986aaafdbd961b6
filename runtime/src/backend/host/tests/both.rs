//! What threads and checked mode keep alike.

use super::*;
use crate::error::ErrorKind;
use std::sync::atomic::AtomicUsize;

#[test]
fn a_stream_is_first_in_first_out() {
    each_executor(|backend| {
        let a = backend.stream("a", 0).unwrap();
        let seen = Seen::default();
        (0..200).for_each(|i| note(&*backend, a, &seen, i));
        finish(&*backend, a);
        assert_eq!(*seen.lock().unwrap(), (0..200).collect::<Vec<_>>(), "{}", backend.name());
    });
}

#[test]
fn a_wait_orders_streams() {
    each_executor(|backend| {
        let streams = ["a", "b", "c"].map(|label| backend.stream(label, 0).unwrap());
        let seen = Seen::default();
        for i in 0..90 {
            let at = i as usize % 3;
            note(&*backend, streams[at], &seen, i);
            order(&*backend, streams[at], streams[(at + 1) % 3]);
        }
        finish(&*backend, streams[0]);
        assert_eq!(*seen.lock().unwrap(), (0..90).collect::<Vec<_>>(), "{}", backend.name());
    });
}

#[test]
fn an_event_is_what_it_was_when_the_wait_was_made() {
    each_executor(|backend| {
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        let mut again = RawEvent::default();
        backend.wait(b, &again).unwrap();
        let seen = Seen::default();
        note(&*backend, a, &seen, 1);
        backend.record(a, &mut again).unwrap();
        backend.wait(b, &again).unwrap();
        backend.wait(a, &again).unwrap();
        // Recorded again, after work that itself waits for `b`: were the wait above for this, neither would run.
        note(&*backend, b, &seen, 2);
        order(&*backend, b, a);
        note(&*backend, a, &seen, 3);
        backend.record(a, &mut again).unwrap();
        backend.synchronize(&again).unwrap();
        assert!(backend.query(&again).unwrap());
        assert_eq!(*seen.lock().unwrap(), [1, 2, 3], "{}", backend.name());
    });
}

#[test]
fn a_panicking_kernel_is_kept_and_nothing_hangs() {
    each_executor(|backend| {
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        let seen = Seen::default();
        let woken = Arc::new(AtomicUsize::new(0));
        note(&*backend, a, &seen, 1);
        assert!(backend.failure().is_none());
        backend.kernel(a, origin("bad"), &[], Box::new(|| panic!("shape {}", 7))).unwrap();
        order(&*backend, a, b);
        note(&*backend, b, &seen, 2);
        backend.kernel(b, origin("worse"), &[], Box::new(|| panic!("second"))).unwrap();
        let wake = woken.clone();
        backend.host_fn(b, Box::new(move || wake.store(1, Ordering::SeqCst))).unwrap();
        backend.host_fn(b, Box::new(|| panic!("third"))).unwrap();
        let error = backend.synchronize(&event(&*backend, b)).unwrap_err();
        for error in [error, backend.failure().unwrap()] {
            assert_eq!(error.kind(), ErrorKind::Device);
            let place = (error.chunk(), error.node(), error.stream());
            assert_eq!(place, (Some("model"), Some("bad"), Some("a")));
            assert!(error.to_string().contains("shape 7"), "{error}");
        }
        assert_eq!(*seen.lock().unwrap(), [1], "{}", backend.name());
        assert_eq!(woken.load(Ordering::SeqCst), 1, "a waker must run, or its future hangs");
    });
}

#[test]
fn a_payload_and_a_skipped_task_may_panic_in_drop() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    each_executor(|backend| {
        let a = backend.stream("a", 0).unwrap();
        backend.kernel(a, origin("bad"), &[], Box::new(|| std::panic::panic_any(Bomb))).unwrap();
        let bomb = Bomb;
        backend.kernel(a, origin("skipped"), &[], Box::new(move || drop(bomb))).unwrap();
        let error = backend.synchronize(&event(&*backend, a)).unwrap_err();
        assert_eq!(error.node(), Some("bad"));
    });
}

#[test]
fn dropping_runs_what_is_queued() {
    each_executor(|backend| {
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        let seen = Seen::default();
        for i in 0..50 {
            note(&*backend, a, &seen, i);
            order(&*backend, a, b);
            note(&*backend, b, &seen, i);
            order(&*backend, b, a);
        }
        drop(backend);
        assert_eq!(seen.lock().unwrap().len(), 100);
    });
}

#[test]
fn a_task_may_call_back_and_may_not_block() {
    each_executor(|backend| {
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        let seen = Seen::default();
        let (inner, noted) = (Arc::downgrade(&backend), seen.clone());
        let task = move || {
            let backend = inner.upgrade().unwrap();
            note(&*backend, b, &noted, 2);
            note(&*backend, a, &noted, 3);
            // The event is after this very task.
            let error = backend.synchronize(&event(&*backend, a)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            noted.lock().unwrap().push(1);
        };
        backend.kernel(a, origin("outer"), &[], Box::new(task)).unwrap();
        finish(&*backend, a);
        finish(&*backend, a);
        finish(&*backend, b);
        let mut seen = seen.lock().unwrap().clone();
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3], "{}", backend.name());
        assert!(backend.failure().is_none());
    });
}

#[test]
fn slabs_are_zeroed_aligned_and_refused_when_too_large() {
    each_executor(|backend| {
        let a = backend.stream("a", 0).unwrap();
        for bytes in [0, 1, 256, 1000, 3 << 20] {
            let slab = backend.take_slab(bytes, a).unwrap();
            assert_eq!((slab.start % 256, slab.len()), (0, bytes));
            if bytes >= 4 {
                assert_eq!(word(&slab).load(Ordering::SeqCst), 0);
            }
            backend.give_slab(slab.clone(), a).unwrap();
            assert_eq!(backend.give_slab(slab, a).unwrap_err().kind(), ErrorKind::Invalid);
        }
        for bytes in [usize::MAX, isize::MAX as usize, 1 << 60] {
            let error = backend.take_slab(bytes, a).unwrap_err();
            assert_eq!((error.kind(), error.bytes()), (ErrorKind::OutOfMemory, Some(bytes)));
        }
    });
}

#[test]
fn strangers_are_refused() {
    each_executor(|backend| {
        let a = backend.stream("a", 0).unwrap();
        let late = RawEvent { word: 1, ..RawEvent::default() };
        let elsewhere = RawEvent { word: 1, stream: 9, keeper: None };
        let b = backend.stream("b", 0).unwrap();
        for event in [&late, &elsewhere] {
            assert_eq!(backend.wait(b, event).unwrap_err().kind(), ErrorKind::WrongDevice);
            assert_eq!(backend.synchronize(event).unwrap_err().kind(), ErrorKind::WrongDevice);
            assert_eq!(backend.query(event).unwrap_err().kind(), ErrorKind::WrongDevice);
        }
        let nowhere = RawStream(9);
        assert!(backend.record(nowhere, &mut RawEvent::default()).is_err());
        assert!(backend.host_fn(nowhere, Box::new(|| ())).is_err());
        assert!(backend.kernel(nowhere, origin("k"), &[], Box::new(|| ())).is_err());
        let slab = backend.take_slab(64, a).unwrap();
        assert!(backend.take_slab(64, nowhere).is_err());
        assert!(backend.give_slab(slab.clone(), nowhere).is_err());
        backend.give_slab(slab, a).unwrap();
    });
}

/// Resident bytes of this process.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
#[cfg(target_os = "linux")]
fn slabs_are_freed_when_given_back_and_with_the_backend() {
    const SLAB: usize = 8 << 20;
    for make in [super::super::threads, || checked(Checked::seed(5))] {
        for give in [false, true] {
            let before = resident();
            let keep = make();
            let stream = keep.stream("a", 0).unwrap();
            for _ in 0..40 {
                let backend = if give { keep.clone() } else { make() };
                let a = if give { stream } else { backend.stream("a", 0).unwrap() };
                let slab = block(&*backend, a, SLAB);
                let at = slab.clone();
                let touch = move || {
                    at.step_by(4096).for_each(|page| word(&(page..page + 4)).store(1, Ordering::SeqCst))
                };
                backend.kernel(a, origin("touch"), &[write(&slab)], Box::new(touch)).unwrap();
                finish(&*backend, a);
                if give {
                    backend.note_free(slab.clone());
                    backend.give_slab(slab, a).unwrap();
                    finish(&*backend, a);
                }
            }
            let grown = resident().saturating_sub(before);
            assert!(grown < 20 * SLAB, "{} keeps {grown} bytes, given back: {give}", keep.name());
        }
    }
}

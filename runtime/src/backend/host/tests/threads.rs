//! Worker threads: concurrency, wake-ups, and ends.

use super::super::threads;
use super::*;
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn streams_run_at_the_same_time() {
    within_time(|| {
        let backend = threads();
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        let (to_b, from_a) = channel();
        let (to_a, from_b) = channel();
        // Each can only end while the other runs.
        let first = move || {
            to_b.send(()).unwrap();
            from_b.recv_timeout(SOON).unwrap();
        };
        let second = move || {
            from_a.recv_timeout(SOON).unwrap();
            to_a.send(()).unwrap();
        };
        backend.kernel(a, origin("first"), &[], Box::new(first)).unwrap();
        backend.kernel(b, origin("second"), &[], Box::new(second)).unwrap();
        finish(&*backend, a);
        finish(&*backend, b);
    });
}

#[test]
fn a_wait_holds_its_stream_and_no_other() {
    within_time(|| {
        let backend = threads();
        let [a, b, c] = ["a", "b", "c"].map(|label| backend.stream(label, 0).unwrap());
        let (open, gate) = channel::<()>();
        backend.kernel(a, origin("gated"), &[], Box::new(move || gate.recv().unwrap())).unwrap();
        let seen = Seen::default();
        let gated = event(&*backend, a);
        backend.wait(b, &gated).unwrap();
        note(&*backend, b, &seen, 2);
        note(&*backend, c, &seen, 1);
        finish(&*backend, c);
        assert!(!backend.query(&gated).unwrap());
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(*seen.lock().unwrap(), [1]);
        open.send(()).unwrap();
        finish(&*backend, b);
        assert_eq!(*seen.lock().unwrap(), [1, 2]);
    });
}

#[test]
fn no_wake_up_is_lost() {
    within_time(|| {
        let backend = threads();
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        let seen = Seen::default();
        let rounds = 3_000;
        // Two hosts enqueue, wait across and synchronise at once: sleepers of every kind.
        let hosts = [(a, b), (b, a)].map(|(mine, other)| {
            let (backend, seen) = (backend.clone(), seen.clone());
            std::thread::spawn(move || {
                for i in 0..rounds {
                    note(&*backend, mine, &seen, i);
                    order(&*backend, other, mine);
                    if i % 3 == 0 {
                        finish(&*backend, mine);
                    }
                }
            })
        });
        hosts.into_iter().for_each(|host| host.join().unwrap());
        finish(&*backend, a);
        finish(&*backend, b);
        assert_eq!(seen.lock().unwrap().len(), 2 * rounds as usize);
    });
}

#[test]
fn the_last_reference_may_fall_on_a_worker() {
    within_time(|| {
        let backend = threads();
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        // So large that the allocator unmaps it when it is freed: too early would be a crash.
        let slab = backend.take_slab(48 << 20, a).unwrap();
        let (open, gate) = channel::<()>();
        let (done, ended) = channel();
        let last = backend.clone();
        let task = move || {
            gate.recv().unwrap();
            drop(last);
        };
        backend.kernel(a, origin("last"), &[], Box::new(task)).unwrap();
        // What is queued still runs, and what was not given back is still there for it.
        order(&*backend, a, b);
        let at = slab.clone();
        let after = move || done.send(word(&at).fetch_add(1, Ordering::SeqCst)).unwrap();
        backend.kernel(b, origin("after"), &[write(&slab)], Box::new(after)).unwrap();
        drop(backend);
        open.send(()).unwrap();
        assert_eq!(ended.recv_timeout(SOON).unwrap(), 0);
    });
}

#[test]
fn a_stream_label_may_hold_anything() {
    let backend = threads();
    let odd = backend.stream("a\0b", 0).unwrap();
    finish(&*backend, odd);
}

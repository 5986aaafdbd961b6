//! Checked mode's order: seeded, adversarial, repeatable.

use super::*;
use crate::backend::host::checked::POISON;
use std::collections::BTreeSet;

/// Two streams, a little ordered; the order in which it ran.
fn program(how: Checked) -> Vec<u32> {
    let backend = checked(how);
    let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
    let seen = Seen::default();
    for i in 0..12 {
        note(&*backend, a, &seen, i);
        note(&*backend, b, &seen, 100 + i);
        if i == 6 {
            order(&*backend, a, b);
        }
    }
    finish(&*backend, b);
    finish(&*backend, a);
    let seen = seen.lock().unwrap();
    seen.clone()
}

#[test]
fn the_same_seed_gives_the_same_order() {
    for seed in 0..200 {
        assert_eq!(program(Checked::seed(seed)), program(Checked::seed(seed)));
    }
}

#[test]
fn seeds_give_many_orders() {
    let orders: BTreeSet<_> = (0..200).map(|seed| program(Checked::seed(seed))).collect();
    assert!(orders.len() > 100, "only {} orders of 200", orders.len());
}

#[test]
fn a_slow_stream_lags_as_long_as_waits_allow() {
    for seed in 0..100 {
        let order = program(Checked::seed(seed).slow("a"));
        let place = |value| order.iter().position(|&v| v == value).unwrap();
        // `b` up to its wait, then the seven of `a` that it waits for, then the rest of `b`, then of `a`.
        assert!((100..=106).all(|v| place(v) < 7), "{order:?}");
        assert!((0..=6).all(|v| (7..14).contains(&place(v))), "{order:?}");
        assert!((107..112).all(|v| (14..19).contains(&place(v))), "{order:?}");
    }
}

#[test]
fn a_late_reader_on_a_slow_stream_sees_poison() {
    let late = |how: Checked| {
        let backend = checked(how);
        let (a, b) = (backend.stream("a", 0).unwrap(), backend.stream("b", 0).unwrap());
        let memory = block(&*backend, a, 1000);
        put(&*backend, a, "make", &memory, 42);
        order(&*backend, a, b);
        let seen = Seen::default();
        get(&*backend, b, "late", &memory, &seen);
        // `a` is handed the memory anew without having waited for the reader on `b`.
        backend.note_free(memory.clone());
        backend.note_alloc(a, origin("again"), memory.clone());
        finish(&*backend, a);
        finish(&*backend, b);
        assert!(!backend.violations().is_empty());
        let seen = seen.lock().unwrap();
        seen[0]
    };
    assert!((0..50).all(|seed| late(Checked::seed(seed).slow("b")) == POISON));
    let others: BTreeSet<_> = (0..50).map(|seed| late(Checked::seed(seed))).collect();
    assert_eq!(others, BTreeSet::from([42, POISON]));
    assert!(f32::from_bits(POISON).is_nan());
    assert!(f64::from_bits(u64::from(POISON) << 32 | u64::from(POISON)).is_nan());
}

#[test]
fn poison_fills_its_span_and_no_more() {
    let backend = checked(Checked::seed(3));
    let a = backend.stream("a", 0).unwrap();
    let slab = backend.take_slab(64, a).unwrap();
    backend.note_alloc(a, origin("part"), slab.start + 9..slab.start + 31);
    finish(&*backend, a);
    let words: Vec<u32> =
        (slab.start..slab.end).step_by(4).map(|at| word(&(at..at + 4)).load(Ordering::SeqCst)).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
    for (at, byte) in bytes.into_iter().enumerate() {
        let expected = if (9..31).contains(&at) { POISON.to_le_bytes()[at % 4] } else { 0 };
        assert_eq!(byte, expected, "byte {at}");
    }
}

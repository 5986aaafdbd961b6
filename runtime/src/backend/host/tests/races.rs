//! Checked mode's judge: what it reports, and what it must not.

use super::*;

/// Streams `a`, `b`, `c`, and 1,024 bytes handed out on `a`.
struct Setting {
    backend: Arc<dyn Backend>,
    a: RawStream,
    b: RawStream,
    c: RawStream,
    memory: Span,
}

/// The violations of `program`, the same for every seed.
fn judged(program: impl Fn(&Setting)) -> Vec<String> {
    let run = |seed| {
        let backend = checked(Checked::seed(seed));
        let [a, b, c] = ["a", "b", "c"].map(|label| backend.stream(label, 0).unwrap());
        let memory = block(&*backend, a, 1024);
        let setting = Setting { backend, a, b, c, memory };
        program(&setting);
        setting.backend.violations()
    };
    let first = run(0);
    for seed in 1..300 {
        assert_eq!(run(seed), first, "seed {seed}");
    }
    first
}

#[test]
fn a_write_after_an_unordered_read_is_a_race() {
    let found = judged(|s| {
        put(&*s.backend, s.a, "make", &s.memory, 1);
        order(&*s.backend, s.a, s.b);
        get(&*s.backend, s.b, "look", &s.memory, &Seen::default());
        put(&*s.backend, s.a, "spoil", &s.memory, 2);
    });
    let text = "race: `spoil` of `model` on stream `a` (task 3) writes bytes 0..1024 of slab 0, not ordered after \
                `look` of `model` on stream `b` (task 2), which reads it";
    assert_eq!(found, [text]);
}

#[test]
fn a_read_after_an_unordered_write_is_a_race() {
    let found = judged(|s| {
        put(&*s.backend, s.a, "make", &s.memory, 1);
        get(&*s.backend, s.b, "look", &s.memory, &Seen::default());
    });
    let text = "race: `look` of `model` on stream `b` (task 1) reads bytes 0..1024 of slab 0, not ordered after `make` \
                of `model` on stream `a` (task 2), which writes it";
    assert_eq!(found, [text]);
}

#[test]
fn each_of_two_readers_counts() {
    let found = judged(|s| {
        order(&*s.backend, s.a, s.b);
        order(&*s.backend, s.a, s.c);
        get(&*s.backend, s.b, "one", &s.memory, &Seen::default());
        get(&*s.backend, s.c, "two", &s.memory, &Seen::default());
        order(&*s.backend, s.c, s.a);
        put(&*s.backend, s.a, "spoil", &s.memory, 2);
    });
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("after `one`"), "{found:?}");
}

#[test]
fn only_the_bytes_that_overlap_race() {
    let found = judged(|s| {
        let at = s.memory.start;
        order(&*s.backend, s.a, s.b);
        put(&*s.backend, s.a, "left", &(at..at + 512), 1);
        put(&*s.backend, s.b, "right", &(at + 512..at + 1024), 1);
        put(&*s.backend, s.a, "middle", &(at + 256..at + 768), 1);
    });
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("writes bytes 512..768 of slab 0, not ordered after `right`"), "{found:?}");
}

#[test]
fn a_wait_gives_what_was_known_when_the_event_was_recorded() {
    let found = judged(|s| {
        order(&*s.backend, s.a, s.b);
        let early = event(&*s.backend, s.b);
        put(&*s.backend, s.a, "late", &s.memory, 1);
        order(&*s.backend, s.a, s.b);
        // `b` is after `late` now, but `early` was not.
        s.backend.wait(s.c, &early).unwrap();
        get(&*s.backend, s.c, "look", &s.memory, &Seen::default());
    });
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("after `late`"), "{found:?}");
}

#[test]
fn an_ordered_program_is_clean_whatever_the_seed() {
    for seed in 0..1_000 {
        let backend = checked(Checked::seed(seed));
        let [a, b, c] = ["a", "b", "c"].map(|label| backend.stream(label, 0).unwrap());
        let slab = backend.take_slab(4096, a).unwrap();
        let seen = Seen::default();
        let memory = slab.start..slab.start + 1024;
        for round in 0..4 {
            backend.note_alloc(a, origin("alloc"), memory.clone());
            put(&*backend, a, "make", &memory, round);
            order(&*backend, a, b);
            get(&*backend, b, "look", &memory, &seen);
            order(&*backend, b, c);
            // By way of `b`: what an event knew is known to whoever waits for it.
            get(&*backend, c, "look too", &memory, &seen);
            backend.note_free(memory.clone());
            order(&*backend, c, a);
        }
        // The host waits, and everything after is ordered, on streams that never waited themselves.
        finish(&*backend, a);
        let d = backend.stream("d", 0).unwrap();
        backend.note_alloc(d, origin("alloc"), slab.clone());
        put(&*backend, d, "make", &slab, 9);
        backend.note_free(slab.clone());
        backend.give_slab(slab, d).unwrap();
        finish(&*backend, d);
        assert_eq!(backend.violations(), [""; 0], "seed {seed}");
        assert_eq!(*seen.lock().unwrap(), [0, 0, 1, 1, 2, 2, 3, 3], "seed {seed}");
    }
}

#[test]
fn a_use_after_free_is_found() {
    let found = judged(|s| {
        let part = s.memory.start + 256..s.memory.start + 512;
        s.backend.note_free(part);
        get(&*s.backend, s.a, "look", &s.memory, &Seen::default());
    });
    let text = "use after free: `look` of `model` on stream `a` (task 2) reads bytes 256..512 of slab 0, which is free; it \
                was last handed out to `alloc` of `model` on stream `a` (task 1)";
    assert_eq!(found, [text]);
}

#[test]
fn memory_that_was_never_handed_out_is_free() {
    let found = judged(|s| {
        let slab = s.backend.take_slab(64, s.b).unwrap();
        get(&*s.backend, s.b, "look", &slab, &Seen::default());
    });
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("bytes 0..64 of slab 1, which was never handed out"), "{found:?}");
}

#[test]
fn a_double_hand_out_and_a_double_free_are_found() {
    let found = judged(|s| {
        s.backend.note_alloc(s.a, origin("again"), s.memory.clone());
        s.backend.note_free(s.memory.clone());
        s.backend.note_free(s.memory.clone());
    });
    let texts = [
        "double hand-out: `again` of `model` on stream `a` (task 2) is handed bytes 0..1024 of slab 0, which `alloc` of \
         `model` on stream `a` (task 1) still holds",
        "double free: bytes 0..1024 of slab 0, last handed out to `again` of `model` on stream `a` (task 2)",
    ];
    assert_eq!(found, texts);
}

#[test]
fn a_hand_out_to_a_stream_that_is_not_ordered_is_a_race() {
    let found = judged(|s| {
        put(&*s.backend, s.a, "make", &s.memory, 1);
        s.backend.note_free(s.memory.clone());
        s.backend.note_alloc(s.b, origin("next"), s.memory.clone());
    });
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("race: `next` of `model` on stream `b` (task 1) is handed"), "{found:?}");
}

#[test]
fn a_slab_goes_back_free_and_in_order() {
    let found = judged(|s| {
        s.backend.note_free(s.memory.clone());
        s.backend.give_slab(s.memory.clone(), s.b).unwrap();
        // Kept for the poison that may be still to come, and this must not touch it.
        let seen = Seen::default();
        get(&*s.backend, s.b, "gone", &s.memory, &seen);
        finish(&*s.backend, s.b);
        assert!(seen.lock().unwrap().is_empty());
    });
    let starts = [
        "race: work outside any node on stream `b` (task 1) gives back bytes 0..1024 of slab 0, not ordered after `alloc`",
        "use after free: `gone` of `model` on stream `b` (task 2) reads bytes 0..1024 of slab 0, whose slab was given back",
    ];
    assert_eq!(found.len(), 2, "{found:?}");
    for (text, start) in found.iter().zip(starts) {
        assert!(text.starts_with(start), "{text}");
    }
    let held = judged(|s| s.backend.give_slab(s.memory.clone(), s.a).unwrap());
    assert_eq!(held.len(), 1);
    assert!(held[0].contains("which `alloc` of `model` on stream `a` (task 1) still holds"), "{held:?}");
}

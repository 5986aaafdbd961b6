//! The waits, by-ledger uses and records of known programs.

use crate::body::Chunk;
use crate::testing::{Analysed, Body, analyse};

/// One line a node: `label <- waited (place Need, ..; carries place) | asks places | record`, empty parts left out.
fn told(chunk: &Chunk) -> Vec<String> {
    let found = analyse(chunk);
    let nodes: Vec<_> = chunk.nodes().collect();
    let place = |p: usize| {
        let place = &chunk.places[p];
        std::iter::once(chunk.names[place.name].ident.to_string())
            .chain(place.path.clone())
            .collect::<Vec<_>>()
            .join(".")
    };
    let tell = |n: usize| {
        let o = &found.order.nodes[n];
        let mut line = nodes[n].label.clone();
        for w in &o.waits {
            let reasons: Vec<_> =
                w.reasons.iter().map(|r| format!("{} {:?}", place(r.place), r.need)).collect();
            line += &format!(" <- {} ({}", nodes[w.node].label, reasons.join(", "));
            let carries: Vec<_> = w.carries.iter().map(|&p| place(p)).collect();
            line +=
                &if carries.is_empty() { ")".into() } else { format!("; carries {})", carries.join(", ")) };
        }
        let asks: Vec<_> = asks(&found, n).into_iter().map(place).collect();
        if !asks.is_empty() {
            line += &format!(" | asks {}", asks.join(", "));
        }
        let r = o.record;
        let record = [(r.awaited, "awaited"), (r.leaves, "leaves"), (r.home, "home")];
        let record: Vec<_> = record.iter().filter(|(on, _)| *on).map(|(_, why)| *why).collect();
        if !record.is_empty() {
            line += &format!(" | {}", record.join(", "));
        }
        line
    };
    (0..nodes.len()).map(tell).collect()
}

fn asks(found: &Analysed, n: usize) -> Vec<usize> {
    found.uses.nodes[n]
        .iter()
        .zip(&found.order.nodes[n].by_ledger)
        .filter(|(_, by)| **by)
        .map(|(u, _)| u.place)
        .collect()
}

#[track_caller]
fn expect(b: Body, lines: &[&str]) {
    let got = told(&b.done());
    assert_eq!(got, lines, "\n{}\n", got.join("\n"));
}

#[test]
fn the_example_of_the_documentation() {
    expect(
        crate::testing::moe(),
        &[
            "attention | asks w, x | awaited",
            "dispatch <- attention (h Written, gate Written) | awaited, home",
            "shared_expert | home",
            "experts <- dispatch (routed Written) | awaited, home",
            "combine <- experts (y Written; carries shared) | leaves, home",
        ],
    );
}

#[test]
fn o07_a_bucket_refilled_while_it_is_reduced() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("g0").shared("g1");
    b.on("s0", "empty() -> b").on("s0", "fill0(&mut b, &g0)").on("s1", "reduce0(&b) -> r0");
    b.on("s0", "fill1(&mut b, &g1)")
        .on("s1", "reduce1(&b) -> r1")
        .on("s0", "step(r0, r1) -> y")
        .hand_out("y");
    expect(
        b,
        &[
            "empty",
            "fill0 | asks g0 | awaited",
            "reduce0 <- fill0 (b Written) | awaited",
            "fill1 <- reduce0 (b WriteAfterRead; carries r0) | asks g1 | awaited",
            "reduce1 <- fill1 (b Written) | awaited, home",
            "step <- reduce1 (r1 Written) | leaves, home",
        ],
    );
}

#[test]
fn o08_a_buffer_filled_from_several_streams() {
    let mut b = Body::new("c", &["s0", "s1", "s2", "s3"]);
    b.shared("g1").shared("g2");
    b.on("s0", "empty() -> b").on("s1", "fill1(&mut b, &g1)").on("s2", "fill2(&mut b, &g2)");
    b.on("s3", "reduce(&b) -> r").hand_out("r");
    expect(
        b,
        &[
            "empty | awaited",
            "fill1 <- empty (b WriteAfterWrite) | asks g1 | awaited",
            "fill2 <- fill1 (b WriteAfterWrite) | asks g2 | awaited",
            "reduce <- fill2 (b Written) | leaves, home",
        ],
    );
}

#[test]
fn o09_a_send_that_only_reads_holds_nobody_back() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("x");
    b.on("s0", "stage(&x) -> h")
        .on("s1", "send(&h) -> k")
        .on("s0", "head(&h) -> m")
        .on("s0", "other(&x) -> n");
    b.hand_out("m, n");
    expect(
        b,
        &["stage | asks x | awaited", "send <- stage (h Written) | home", "head | leaves", "other | leaves"],
    );
}

#[test]
fn o09_a_taking_waits_for_the_send_and_says_why() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("x");
    b.on("s0", "stage(&x) -> h")
        .on("s1", "send(&h) -> k")
        .on("s0", "head(h) -> m")
        .on("s0", "other(&x) -> n");
    b.hand_out("m, n");
    expect(
        b,
        &[
            "stage | asks x | awaited",
            "send <- stage (h Written) | awaited",
            "head <- send (h TakenWhileRead) | leaves",
            "other | leaves",
        ],
    );
}

#[test]
fn o10_moved_into_a_copy_on_another_stream() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("x").on("s0", "f(&x) -> t").on("s1", "to_host(t) -> h").hand_out("h");
    expect(b, &["f | asks x | awaited", "to_host <- f (t Written) | leaves, home"]);
}

#[test]
fn o11_prefetched_weights() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("s").owned("x");
    b.on("s1", "gather0(&s) -> w0").on("s1", "gather1(&s) -> w1").on("s0", "layer0(&x, w0) -> y0");
    b.on("s1", "gather2(&s) -> w2").on("s0", "layer1(y0, w1) -> y1").on("s1", "gather3(&s) -> w3");
    b.on("s0", "layer2(y1, w2) -> y2").hand_out("y2, w3");
    expect(
        b,
        &[
            "gather0 | asks s | awaited",
            "gather1 | awaited",
            "layer0 <- gather0 (w0 Written) | asks x | home",
            "gather2 | awaited",
            "layer1 <- gather1 (w1 Written) | home",
            "gather3 | leaves",
            "layer2 <- gather2 (w2 Written) | leaves, home",
        ],
    );
}

#[test]
fn o12_an_output_waits_with_its_node() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("x").on("s0", "f(&x) -> a").on("s1", "combine(&a) -> y").hand_out("y");
    expect(b, &["f | asks x | awaited", "combine <- f (a Written) | leaves, home"]);
}

#[test]
fn o13_a_storage_handed_on_from_name_to_name() {
    let mut b = Body::new("c", &["s0", "s1", "s2"]);
    b.shared("x").on("s0", "f(&x) -> a").on("s2", "probe(&a) -> r").on("s1", "relu(a) -> b");
    b.on("s0", "gelu(b) -> c").on("s0", "out(&c) -> y").hand_out("y");
    expect(
        b,
        &[
            "f | asks x | awaited",
            "probe <- f (a Written) | awaited",
            "relu <- probe (a TakenWhileRead) | awaited, home",
            "gelu <- relu (b Written) | home",
            "out | leaves",
        ],
    );
}

#[test]
fn o15_memory_goes_home() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("x").on("s1", "f(&x) -> t").on("s1", "side(&x) -> u").on("s0", "g(t) -> y").hand_out("y");
    expect(b, &["f | asks x | awaited", "side", "g <- f (t Written) | leaves, home"]);
}

#[test]
fn what_hangs_on_a_wait_is_carried_along_the_whole_chain() {
    let mut b = Body::new("c", &["s0", "s1", "s2"]);
    b.on("s0", "make() -> big")
        .on("s0", "count() -> n")
        .on("s1", "pass(n) -> m")
        .on("s2", "last(m, &big) -> y");
    b.hand_out("y");
    expect(
        b,
        &[
            "make",
            "count | awaited",
            "pass <- count (n Written; carries big) | awaited, home",
            "last <- pass (m Written; carries big) | leaves, home",
        ],
    );
}

#[test]
fn parts_of_one_parameter_do_not_wait_for_each_other() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.exclusive("st");
    b.on("s0", "left(&mut st.a)")
        .on("s1", "right(&mut st.b)")
        .on("s0", "left2(&mut st.a)")
        .on("s1", "sum(&st)");
    expect(
        b,
        &[
            "left | asks st.a",
            "right | asks st.b | leaves",
            "left2 | awaited, leaves",
            "sum <- left2 (st Written) | asks st",
        ],
    );
}

#[test]
fn the_whole_and_its_parts_conflict() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.on("s0", "make() -> st").on("s1", "part(&mut st.a)").on("s0", "other(&st.b)").on("s0", "all(&mut st)");
    b.on("s1", "again(&st.b)");
    expect(
        b,
        &[
            "make | awaited",
            "part <- make (st.a WriteAfterWrite) | awaited",
            "other",
            "all <- part (st WriteAfterWrite) | awaited",
            "again <- all (st.b Written) | home",
        ],
    );
}

#[test]
fn lending_to_a_called_chunk() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.on("s0", "make() -> t")
        .call("peek(&t)")
        .on("s0", "read(&t)")
        .on("s0", "write(&mut t)")
        .on("s0", "write2(&mut t)");
    b.call("edit(&mut t)").on("s1", "read2(&t)").on("s1", "read3(&t)").on("s1", "take(t)");
    expect(
        b,
        &[
            "make | leaves",
            "read",
            "write | asks t",
            "write2 | leaves",
            "read2 | asks t",
            "read3",
            "take | asks t | home",
        ],
    );
}

#[test]
fn only_the_last_by_value_use_takes() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.on("s0", "count() -> n").on("s0", "a(n)").on("s1", "b(n)");
    expect(b, &["count", "a | awaited", "b <- a (n TakenWhileRead) | home"]);
}

#[test]
fn what_one_arm_has_asked_the_other_has_not() {
    let mut b = Body::new("c", &["s0", "s1"]);
    b.shared("w");
    b.branch("").on("s0", "f(&w)").arm().on("s0", "g()").join();
    b.branch("").on("s0", "h(&w)").arm().on("s1", "k(&w)").join();
    expect(b, &["f | asks w", "g", "h | asks w", "k | asks w"]);
}

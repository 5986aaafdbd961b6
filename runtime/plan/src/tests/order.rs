//! Plans that are wrong about order: waits, records, and where the ledger is asked.

use super::{Draft, by_fields, from, lease, lent, node, owned, save_then_take, shared};
use crate::FaultKind::*;
use crate::{HostMode, Lease, Need, Record, Source, Step};

#[test]
fn the_plans_to_mutate_are_right() {
    for plan in [save_then_take(), by_fields(), lent(), triangle(), rewrite()] {
        assert_eq!(plan.check(), Ok(()), "{}", plan.plan());
    }
}

/// `c` is ordered after `a` only through `b`.
fn triangle() -> Draft {
    Draft::new("triangle", &["a", "b", "c"])
        .lease(from("t", 0))
        .lease(from("u", 1))
        .node(node("first", 0).makes("t"))
        .node(node("second", 1).wait("first", "t", Need::Written).read("t").makes("u"))
        .node(node("third", 2).wait("second", "u", Need::Written).read("u").read("t"))
        .release("u")
        .release("t")
}

/// Readers on two streams, then a writer on a third.
fn rewrite() -> Draft {
    Draft::new("rewrite", &["a", "b", "c"])
        .lease(from("t", 0))
        .node(node("make", 0).makes("t"))
        .node(node("left", 1).wait("make", "t", Need::Written).read("t"))
        .node(node("right", 2).wait("make", "t", Need::Written).read("t"))
        .node(
            node("over", 0)
                .wait("left", "t", Need::WriteAfterRead)
                .wait("right", "t", Need::WriteAfterRead)
                .write("t"),
        )
        .release("t")
}

#[test]
fn each_wait_is_missed() {
    let without = |plan: Draft, n: usize, w: usize| {
        plan.but(|p| {
            p.nodes[n].waits.remove(w);
        })
    };
    without(save_then_take(), 1, 0).rejected(ReadUnordered, Some("save"), Some("h"));
    without(save_then_take(), 2, 0).rejected(ConsumeUnordered, Some("mlp"), Some("h"));
    without(by_fields(), 2, 0).rejected(ReadUnordered, Some("both"), Some("s"));
    without(triangle(), 1, 0).rejected(ReadUnordered, Some("second"), Some("t"));
    without(triangle(), 2, 0).rejected(ReadUnordered, Some("third"), Some("u"));
    without(rewrite(), 3, 0).rejected(WriteUnordered, Some("over"), Some("t"));
    without(rewrite(), 3, 1).rejected(WriteUnordered, Some("over"), Some("t"));
}

#[test]
fn each_record_is_missed() {
    let without = |plan: Draft, n: usize| plan.but(|p| p.nodes[n].record = Record::NONE);
    without(save_then_take(), 0).rejected(WaitUnrecorded, Some("save"), None);
    without(save_then_take(), 1).rejected(WaitUnrecorded, Some("mlp"), None);
    without(by_fields(), 1).rejected(WaitUnrecorded, Some("both"), None);
    without(triangle(), 1).rejected(WaitUnrecorded, Some("third"), None);
}

#[test]
fn an_event_knows_what_its_stream_knew_when_recorded_and_no_more() {
    // `second` has waited when it records; a node that ran before the wait has not.
    let early = Draft::new("early", &["a", "b", "c"])
        .lease(from("t", 1))
        .lease(from("u", 0))
        .node(node("before", 1).makes("u"))
        .node(node("first", 0).makes("t"))
        .node(node("second", 1).wait("first", "t", Need::Written).read("t"))
        .node(node("third", 2).wait("before", "u", Need::Written).read("u").read("t"))
        .release("u")
        .release("t")
        .but(|p| {
            p.leases[0].source = Source::Node(1);
            p.leases[1].source = Source::Node(0);
        });
    early.rejected(ReadUnordered, Some("third"), Some("t"));
    early
        .but(|p| p.nodes[3].waits.push(("second", "t", Need::Written)))
        .check()
        .expect("the later event knows");
}

#[test]
fn waits_that_name_the_wrong_node() {
    save_then_take().but(|p| p.nodes[1].waits[0].0 = "mlp").rejected(WaitNotRun, Some("save"), None);
    save_then_take().but(|p| p.nodes[1].waits[0].0 = "save").rejected(WaitNotRun, Some("save"), None);
    save_then_take().but(|p| p.nodes[2].waits[0].0 = "attend").rejected(WaitSameStream, Some("mlp"), None);
}

#[test]
fn the_ledger_is_asked_where_others_were() {
    let unasked = |plan: Draft, n: usize, u: usize| plan.but(|p| p.nodes[n].uses[u].2 = false);
    unasked(save_then_take(), 0, 0).rejected(LedgerUnasked, Some("attend"), Some("x"));
    unasked(by_fields(), 0, 0).rejected(LedgerUnasked, Some("left"), Some("s.a"));
    unasked(by_fields(), 2, 0).rejected(LedgerUnasked, Some("both"), Some("s"));
    unasked(lent(), 0, 0).rejected(LedgerUnasked, Some("fill"), Some("w"));
    unasked(lent(), 1, 0).rejected(LedgerUnasked, Some("add"), Some("t"));
    unasked(lent(), 1, 1).rejected(LedgerUnasked, Some("add"), Some("u"));
}

#[test]
fn and_only_there() {
    let asked = |plan: Draft, n: usize, u: usize| plan.but(|p| p.nodes[n].uses[u].2 = true);
    asked(save_then_take(), 1, 0).rejected(LedgerUndue, Some("save"), Some("h"));
    asked(save_then_take(), 2, 0).rejected(LedgerUndue, Some("mlp"), Some("h"));
    asked(rewrite(), 3, 0).rejected(LedgerUndue, Some("over"), Some("t"));
    // Not after a write of our own since it was lent.
    lent()
        .but(|p| {
            p.nodes.push(node("again", 1).read("t").by_ledger());
            p.steps.insert(3, Step::Node(2));
        })
        .rejected(LedgerUndue, Some("again"), Some("t"));
}

#[test]
fn asking_the_ledger_does_not_excuse_from_own_waits() {
    let own = |lend: &[(&str, HostMode)]| {
        Draft::new("own", &["a", "b"])
            .lease(owned("x"))
            .node(node("one", 0).write("x").by_ledger())
            .host(lend, &[])
            .node(node("two", 1).write("x").by_ledger())
            .release("x")
    };
    own(&[]).rejected(WriteUnordered, Some("two"), Some("x"));
    own(&[("x", HostMode::Lend)]).rejected(WriteUnordered, Some("two"), Some("x"));
    own(&[("x", HostMode::LendMut)]).check().expect("what was lent for writing has later marks than ours");
}

#[test]
fn one_ask_serves_the_streams_ordered_after_it() {
    let plan = |asks: bool, waits: bool| {
        Draft::new("asks", &["a", "b"])
            .lease(shared("w"))
            .lease(from("t", 0))
            .node(node("one", 0).read("w").by_ledger().makes("t"))
            .node(node("two", 1).wait("one", "t", Need::Written).read("t").read("w"))
            .release("t")
            .but(|p| {
                p.nodes[0].uses[0].2 = asks;
                if !waits {
                    p.nodes[1].waits.clear();
                    p.nodes[1].uses.remove(0);
                }
            })
    };
    plan(true, true).check().expect("ordered after the first ask");
    plan(true, false).rejected(LedgerUnasked, Some("two"), Some("w"));
    plan(false, true).rejected(LedgerUnasked, Some("one"), Some("w"));
}

#[test]
fn overlapping_places_conflict_and_siblings_do_not() {
    let uses = |first: &'static str, second: &'static str| {
        Draft::new("places", &["a", "b"])
            .lease(lease("s", Source::Exclusive))
            .lease(lease("s.a", Source::Exclusive))
            .lease(lease("s.a.x", Source::Exclusive))
            .lease(lease("s.b", Source::Exclusive))
            .node(node("one", 0).write(first).by_ledger())
            .node(node("two", 1).read(second).by_ledger())
    };
    for (first, second) in [("s", "s.a.x"), ("s.a.x", "s"), ("s.a", "s.a.x"), ("s.b", "s"), ("s", "s.b")] {
        uses(first, second).rejected(ReadUnordered, Some("two"), Some(second));
    }
    for (first, second) in [("s.a", "s.b"), ("s.b", "s.a.x")] {
        uses(first, second).check().expect("siblings");
    }
}

#[test]
fn overlaps_that_contradict_each_other() {
    let with = |of_s: &'static [u16], of_a: &'static [u16], of_b: &'static [u16]| {
        by_fields().but(|p| {
            for (l, overlaps) in [of_s, of_a, of_b].into_iter().enumerate() {
                p.leases[l].overlaps = overlaps;
            }
            // An explicit empty list would be filled in.
            p.leases[3] = Lease { name: "y", source: Source::Node(2), overlaps: &[] };
        })
    };
    with(&[1, 2], &[0], &[0]).check().expect("right");
    with(&[2], &[0], &[0]).rejected(Overlaps, None, Some("s.a"));
    with(&[1], &[0], &[0]).rejected(Overlaps, None, Some("s.b"));
    with(&[2, 1], &[0], &[0]).rejected(Overlaps, None, Some("s.a"));
    with(&[0, 1, 2], &[0], &[0]).rejected(Overlaps, None, Some("s"));
    with(&[1, 2], &[0, 2], &[0, 1]).rejected(Overlaps, None, Some("s.a"));
    with(&[1, 2, 9], &[0], &[0]).rejected(Index, None, Some("s"));
    by_fields().but(|p| p.leases[1].source = Source::Owned).rejected(Overlaps, None, Some("s"));
}

//! Plans that are wrong about lives: births, ends, and what the tables hold.

use std::string::ToString;

use super::{Draft, MOE, from, lease, lent, node, owned, save_then_take};
use crate::FaultKind::*;
use crate::{Fault, HostMode, Plan, Source, Step, check};

/// `s` by value: its `a` is taken by a node, the rest is left to its block.
fn in_part() -> Draft {
    Draft::new("in_part", &["a"])
        .lease(owned("s"))
        .lease(owned("s.a"))
        .lease(owned("s.b"))
        .node(node("take", 0).consume("s.a").by_ledger())
        .node(node("look", 0).read("s.b").by_ledger())
        .end_of_block("s")
}

/// One tensor, read twice, then freed.
fn plain() -> Draft {
    Draft::new("plain", &["a"])
        .lease(from("t", 0))
        .node(node("make", 0).makes("t"))
        .node(node("one", 0).read("t"))
        .node(node("two", 0).read("t"))
        .release("t")
}

#[test]
fn the_plans_to_mutate_are_right() {
    assert_eq!(in_part().check(), Ok(()));
    assert_eq!(plain().check(), Ok(()));
}

#[test]
fn releases_moved_doubled_and_forgotten() {
    plain().but(|p| p.steps.swap(2, 3)).rejected(UsedAfterEnd, Some("two"), Some("t"));
    plain().but(|p| p.steps.swap(0, 3)).rejected(NotBorn, Some("make"), Some("t"));
    assert_eq!(plain().release("t").check(), Err(Fault { kind: EndedTwice, node: Some(3), lease: Some(0) }));
    plain()
        .but(|p| {
            p.steps.pop();
        })
        .rejected(NotEnded, None, Some("t"));
    save_then_take()
        .but(|p| {
            p.steps.pop();
        })
        .rejected(NotEnded, None, Some("y"));
    let again = Err(Fault { kind: EndedTwice, node: Some(3), lease: Some(1) });
    assert_eq!(save_then_take().release("h").check(), again, "the node has taken it");
    let out = Err(Fault { kind: UsedAfterEnd, node: Some(3), lease: Some(3) });
    assert_eq!(save_then_take().hand_out("y").check(), out, "it is the caller's already");
}

#[test]
fn what_the_caller_owns_never_ends() {
    let borrowed = |source, end: &dyn Fn(Draft) -> Draft| {
        let plan = Draft::new("borrowed", &["a"])
            .lease(lease("w", source))
            .lease(lease("w.f", source))
            .node(node("n", 0).read("w").by_ledger());
        let found = end(plan).check();
        assert!(matches!(found, Err(Fault { kind: EndsBorrowed, .. })), "{found:?}");
    };
    for source in [Source::Shared, Source::Exclusive] {
        borrowed(source, &|p| p.release("w"));
        borrowed(source, &|p| p.release("w.f"));
        borrowed(source, &|p| p.end_of_block("w"));
        borrowed(source, &|p| p.hand_out("w"));
        borrowed(source, &|p| p.host(&[("w.f", HostMode::Move)], &[]));
        borrowed(source, &|p| p.node(node("m", 0).consume("w").by_ledger()));
    }
}

#[test]
fn a_place_ends_with_all_within_it() {
    let whole = |then: &dyn Fn(Draft) -> Draft| {
        then(
            Draft::new("whole", &["a"])
                .lease(owned("s"))
                .lease(owned("s.a"))
                .node(node("look", 0).read("s.a").by_ledger())
                .release("s"),
        )
    };
    whole(&|p| p).check().expect("the field ends with it");
    let found = whole(&|p| p.release("s.a")).check();
    assert_eq!(found, Err(Fault { kind: EndedTwice, node: Some(1), lease: Some(1) }));
    whole(&|p| p.node(node("n", 0).read("s.a").by_ledger())).rejected(UsedAfterEnd, Some("n"), Some("s.a"));
}

#[test]
fn a_whole_place_may_be_left_to_its_block() {
    let plan = Draft::new("left", &["a"]).lease(owned("s")).node(node("look", 0).read("s").by_ledger());
    plan.end_of_block("s").check().expect("the tail expression mentions it");
}

#[test]
fn a_place_in_part_can_only_be_left() {
    let last = |step: Step<'static>| in_part().but(|p| *p.steps.last_mut().expect("steps") = step);
    let found = last(Step::Release(0)).check();
    assert_eq!(found, Err(Fault { kind: EndsInPart, node: Some(2), lease: Some(0) }));
    in_part()
        .but(|p| {
            p.steps.pop();
        })
        .rejected(NotEnded, None, Some("s"));
    in_part().but(|p| p.nodes[1] = node("look", 0).read("s").by_ledger()).rejected(
        UsedAfterEnd,
        Some("look"),
        Some("s"),
    );
    in_part().but(|p| p.steps.insert(2, Step::Release(2))).check().expect("its other field may go before");
}

#[test]
fn births() {
    plain().but(|p| p.nodes[0].makes.clear()).rejected(NotBorn, Some("one"), Some("t"));
    plain().but(|p| p.nodes[1].makes.push("t")).rejected(Source, Some("one"), Some("t"));
    plain().but(|p| p.nodes[0].makes.push("t")).rejected(BornTwice, Some("make"), Some("t"));
    plain().lease(from("ghost", 0)).rejected(NeverBorn, None, Some("ghost"));
    lent().but(|p| p.leases[2].source = crate::Source::Node(0)).rejected(Source, Some("add"), Some("u"));
    plain().but(|p| p.nodes[0].uses.push(("t", crate::Mode::Read, false))).rejected(
        NotBorn,
        Some("make"),
        Some("t"),
    );
    let fields = Draft::new("fields", &["a"])
        .lease(from("s", 0))
        .lease(from("s.a", 0))
        .node(node("make", 0).makes("s"))
        .node(node("take", 0).consume("s.a"))
        .end_of_block("s");
    fields.check().expect("fields are born with the whole");
}

#[test]
fn nodes_run_once_and_in_order() {
    plain().but(|p| p.steps.swap(1, 2)).rejected(NodeOrder, Some("two"), None);
    plain().but(|p| p.steps.insert(1, Step::Node(0))).rejected(NodeOrder, Some("make"), None);
    plain()
        .but(|p| {
            p.steps.remove(2);
        })
        .rejected(NodeOrder, Some("two"), None);
    let found = plain().but(|p| p.steps.insert(3, Step::Node(9))).check();
    assert_eq!(found, Err(Fault { kind: NodeOrder, node: Some(9), lease: None }));
}

#[test]
fn positions_outside_their_tables() {
    let found = plain().but(|p| p.steps.push(Step::Release(7))).check();
    assert_eq!(found, Err(Fault { kind: Index, node: Some(3), lease: Some(7) }));
    plain().but(|p| p.nodes[1].stream = 1).rejected(Index, Some("one"), None);
    let lent_out = [crate::HostUse { lease: 99, mode: HostMode::Lend }];
    let host = crate::Host { uses: std::vec::Vec::from(lent_out).leak(), makes: &[] };
    let found = plain().but(|p| p.steps.push(Step::Host(host))).check();
    assert_eq!(found, Err(Fault { kind: Index, node: Some(3), lease: Some(99) }));
}

#[test]
fn too_little_room() {
    assert_eq!(check::<5, 8>(&MOE), Ok(()));
    let full = Err(Fault { kind: Capacity, node: None, lease: None });
    assert_eq!(check::<4, 8>(&MOE), full);
    assert_eq!(check::<5, 7>(&MOE), full);
    assert_eq!(check::<5, 8>(&Plan { streams: &["s"; 17], ..MOE }), full);
}

#[test]
fn every_step_of_the_example_is_needed() {
    for i in 0..MOE.steps.len() {
        let mut steps = MOE.steps.to_vec();
        steps.remove(i);
        let found = check::<5, 8>(&Plan { steps: &steps, ..MOE });
        assert!(found.is_err(), "step {i} was not missed");
    }
}

#[test]
fn faults_say_what_and_where() {
    let fault = plain().but(|p| p.steps.swap(2, 3)).check().expect_err("a fault");
    assert_eq!(fault.to_string(), "node 2: lease 0: it is used after its end");
    let sentence = crate::fault::Sentence::new(plain().plan(), &fault);
    let expected = "the plan of `plain` is wrong at `two`, about `t`: it is used after its end (a fault of \
                    streamlease, not of this function; please report it)";
    assert_eq!(sentence.as_str(), expected);
}

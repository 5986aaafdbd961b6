//! The printed form, to the letter.

use std::string::ToString;

use super::{Draft, MOE, by_fields, from, lease, lent, node, owned, save_then_take};
use crate::{HostMode, Need, Source};

#[test]
fn the_example_prints_the_table_of_the_documentation() {
    let expected = "\
moe_layer: 5 nodes on 2 streams, 3 waits, 7 leases
 #  stream   node           waits for         leases
 0  compute  attention      by ledger: x, w   reads x, w; makes h, gate
 1  comm     dispatch       attention         takes h; reads gate; makes routed
 2  compute  shared_expert                    reads x, w; frees x for compute; makes shared
 3  compute  experts        dispatch          takes routed; reads w; makes y
 4  comm     combine        experts           takes y, shared; reads gate; frees gate for comm; makes out
    hands out: out, last on comm
    home later: h, gate, shared, y were made on compute and end on comm
";
    assert_eq!(MOE.to_string(), expected);
}

#[test]
fn a_wait_for_the_sake_of_a_consumption_says_how_to_drop_it() {
    let expected = "\
layer: 3 nodes on 2 streams, 2 waits, 4 leases
 #  stream   node    waits for      leases
 0  compute  attend  by ledger: x   takes x; makes h
 1  copy     save    attend         reads h; makes saved
 2  compute  mlp     save           takes h; makes y  <- only because `mlp` takes `h` while `save` reads it; `&h` drops this wait
    hands out: saved, last on copy; y, last on compute
";
    assert_eq!(save_then_take().plan().to_string(), expected);
}

#[test]
fn called_chunks_have_a_row_and_make_the_ledger_be_asked_again() {
    let expected = "\
lent: 2 nodes on 2 streams, 0 waits, 2 leases
 #  stream  node  waits for         leases
 0  a       fill  by ledger: w      reads w; makes t
    host    lends &mut t; makes u
 1  b       add   by ledger: t, u   reads u; writes t; frees t for b
    hands out: u
    home later: t was made on a and ends on b
";
    assert_eq!(lent().plan().to_string(), expected);
}

#[test]
fn a_place_is_asked_for_once_a_stream_and_once_more_to_write() {
    let plan = Draft::new("ask", &["a"])
        .lease(lease("m", Source::Exclusive))
        .node(node("one", 0).read("m").by_ledger())
        .node(node("two", 0).read("m").by_ledger())
        .node(node("two", 0).write("m").by_ledger())
        .node(node("four", 0).read("m").by_ledger());
    let expected = "\
ask: 4 nodes on 1 stream, 0 waits, 0 leases
 #  stream  node  waits for      leases
 0  a       one   by ledger: m   reads m
 1  a       two                  reads m
 2  a       two   by ledger: m   writes m
 3  a       four                 reads m
";
    assert_eq!(plan.plan().to_string(), expected);
    assert_eq!(plan.check(), Ok(()));
}

#[test]
fn rests_starts_and_repeated_names() {
    let plan = Draft::new("rest", &["a", "b"])
        .lease(owned("unused"))
        .lease(owned("st"))
        .lease(owned("st.x"))
        .lease(from("y", 0))
        .lease(from("z", 1))
        .release("unused")
        .node(node("op", 0).consume("st.x").by_ledger().makes("y"))
        .node(node("op", 1).wait("op", "y", Need::Written).read("y").makes("z"))
        .release("z")
        .hand_out("y")
        .end_of_block("st");
    let expected = "\
rest: 2 nodes on 2 streams, 1 wait, 5 leases
 #  stream  node  waits for         leases
    host    frees unused
 0  a       op    by ledger: st.x   takes st.x; makes y
 1  b       op    op #0             reads y; frees z for b; makes z
    hands out: y, last on a
    rest of `st` lives to the end of its block; destructure it to free sooner
";
    assert_eq!(plan.plan().to_string(), expected);
    assert_eq!(plan.check(), Ok(()));
}

#[test]
fn moves_show_and_fields_print_by_their_path() {
    let plan = by_fields().plan().to_string();
    assert!(plan.contains(" 2  a       both   right; by ledger: s   reads s; makes y\n"), "{plan}");
    let moved = Draft::new("m", &["a"])
        .lease(owned("x"))
        .lease(lease("s", Source::Host))
        .host(&[("x", HostMode::Move)], &["s"])
        .node(node("n", 0).consume("s").by_ledger());
    assert!(moved.plan().to_string().contains("    host    moves x; makes s\n"));
}

#[test]
fn waits_are_explained_in_words() {
    let expected = "\
save waits for attend: it needs `h` as `attend` left it
mlp waits for save: it takes `h`, which `save` reads
";
    assert_eq!(save_then_take().plan().waits_explained().to_string(), expected);
    assert!(MOE.waits_explained().to_string().contains("; later nodes rely on it for gate\n"));
}

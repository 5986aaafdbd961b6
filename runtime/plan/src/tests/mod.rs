//! Plans written by hand, and what must be said of them.

mod accounting;
mod draft;
mod order;
mod print;

use draft::{Draft, from, lease, node, owned, shared};

use crate::{Need, Plan};

/// The example of the crate's documentation, as a constant: judged while this compiles.
const MOE: Plan<'static> = {
    use crate::{Lease, Mode::*, Node, Reason, Record, Source, Step, Use, Wait};
    const fn born(name: &'static str, source: Source) -> Lease<'static> {
        Lease { name, source, overlaps: &[] }
    }
    const fn used(lease: u16, mode: crate::Mode, by_ledger: bool) -> Use {
        Use { lease, mode, by_ledger }
    }
    const AWAITED: Record = Record { awaited: true, ..Record::NONE };
    Plan {
        chunk: "moe_layer",
        streams: &["compute", "comm"],
        leases: &[
            born("x", Source::Owned),
            born("w", Source::Shared),
            born("h", Source::Node(0)),
            born("gate", Source::Node(0)),
            born("routed", Source::Node(1)),
            born("shared", Source::Node(2)),
            born("y", Source::Node(3)),
            born("out", Source::Node(4)),
        ],
        nodes: &[
            Node {
                name: "attention",
                stream: 0,
                uses: &[used(0, Read, true), used(1, Read, true)],
                makes: &[2, 3],
                renews: &[],
                waits: &[],
                record: AWAITED,
            },
            Node {
                name: "dispatch",
                stream: 1,
                uses: &[used(2, Consume, false), used(3, Read, false)],
                makes: &[4],
                renews: &[],
                waits: &[Wait {
                    node: 0,
                    reasons: &[
                        Reason { lease: 2, need: Need::Written },
                        Reason { lease: 3, need: Need::Written },
                    ],
                    carries: &[3],
                }],
                record: Record { awaited: true, home: true, leaves: false },
            },
            Node {
                name: "shared_expert",
                stream: 0,
                uses: &[used(0, Read, true), used(1, Read, true)],
                makes: &[5],
                renews: &[],
                waits: &[],
                record: Record { home: true, ..Record::NONE },
            },
            Node {
                name: "experts",
                stream: 0,
                uses: &[used(4, Consume, false), used(1, Read, true)],
                makes: &[6],
                renews: &[],
                waits: &[Wait {
                    node: 1,
                    reasons: &[Reason { lease: 4, need: Need::Written }],
                    carries: &[],
                }],
                record: Record { awaited: true, home: true, leaves: false },
            },
            Node {
                name: "combine",
                stream: 1,
                uses: &[used(6, Consume, false), used(3, Read, false), used(5, Consume, false)],
                makes: &[7],
                renews: &[],
                waits: &[Wait {
                    node: 3,
                    reasons: &[
                        Reason { lease: 6, need: Need::Written },
                        Reason { lease: 5, need: Need::Written },
                    ],
                    carries: &[],
                }],
                record: Record { leaves: true, home: true, awaited: false },
            },
        ],
        steps: &[
            Step::Node(0),
            Step::Node(1),
            Step::Node(2),
            Step::Release(0),
            Step::Node(3),
            Step::Node(4),
            Step::Release(3),
            Step::Host(crate::Host {
                uses: &[crate::HostUse { lease: 7, mode: crate::HostMode::HandOut }],
                makes: &[],
            }),
        ],
    }
};

const _: () = crate::verify::<5, 8>(&MOE);

/// Two streams that share a tensor: `save` reads on the other stream what `mlp` then takes.
fn save_then_take() -> Draft {
    Draft::new("layer", &["compute", "copy"])
        .lease(owned("x"))
        .lease(from("h", 0))
        .lease(from("saved", 1))
        .lease(from("y", 2))
        .node(node("attend", 0).consume("x").by_ledger().makes("h"))
        .node(node("save", 1).wait("attend", "h", Need::Written).read("h").makes("saved"))
        .node(node("mlp", 0).wait("save", "h", Need::TakenWhileRead).consume("h").makes("y"))
        .hand_out("saved")
        .hand_out("y")
}

/// A struct by fields: `s.a` goes to one stream, `s.b` to the other, then the whole is read again.
fn by_fields() -> Draft {
    Draft::new("fields", &["a", "b"])
        .lease(lease("s", crate::Source::Exclusive))
        .lease(lease("s.a", crate::Source::Exclusive))
        .lease(lease("s.b", crate::Source::Exclusive))
        .lease(from("y", 2))
        .node(node("left", 0).write("s.a").by_ledger())
        .node(node("right", 1).write("s.b").by_ledger())
        .node(node("both", 0).wait("right", "s.b", Need::Written).read("s").by_ledger().makes("y"))
        .hand_out("y")
}

/// A tensor of this chunk that is lent to a called chunk, then written again.
fn lent() -> Draft {
    Draft::new("lent", &["a", "b"])
        .lease(shared("w"))
        .lease(from("t", 0))
        .lease(lease("u", crate::Source::Call))
        .node(node("fill", 0).read("w").by_ledger().makes("t"))
        .host(&[("t", crate::HostMode::LendMut)], &["u"])
        .node(node("add", 1).write("t").by_ledger().read("u").by_ledger())
        .release("t")
        .hand_out("u")
}

//! What the uses of a chunk amount to, once it is known what comes later.
//!
//! Tokens say "by value"; they do not say whether that is the end of the name. A number may be passed by value
//! twice, a tensor may not, and the macro sees no types. So only the *last* by-value use of a place is planned as
//! its end. An earlier one is planned as a read: for a number that is all it is, and for a tensor the emitted
//! code lends what the user wanted to move, so that rustc refuses it at the user's token.
//!
//! `order`, `release`, `plan` and `emit` all go by [`Uses`], never by `Node::uses` or `Host::uses`: a node lends
//! (`let x = &x;`, place `(*x)`) what is [`Mode::Read`] here and moves (`let x = x;`) what is [`Mode::Consume`]
//! here. A by-value use by a host statement that is not the last one is no use at all here: the statement then
//! merely mentions the place.

use fixedbitset::FixedBitSet;

use crate::body::{Branch, Chunk, HostMode, HostUse, Mode, Origin, PlaceIx, Step, StepIx};
use crate::live::{live, renewed};
use crate::nest::Nest;

/// A use of a place by a node, with the mode that is planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planned {
    /// What.
    pub(crate) place: PlaceIx,
    /// How.
    pub(crate) mode: Mode,
}

/// The uses that are planned.
#[derive(Debug)]
pub(crate) struct Uses {
    /// By node, in the order of `Node::uses`.
    pub(crate) nodes: Vec<Vec<Planned>>,
    /// By step, heads included; empty for nodes. Shorter than `Host::uses` where a by-value use is not the last.
    pub(crate) hosts: Vec<Vec<HostUse>>,
}

/// Decides which by-value uses are the last on every path.
pub(crate) fn uses(chunk: &Chunk, nest: &Nest) -> Uses {
    let live = live(chunk, nest, None);
    let places_of = chunk.places_of();
    let mut uses =
        Uses { nodes: vec![Vec::new(); chunk.counts.nodes], hosts: vec![Vec::new(); chunk.counts.steps] };
    let ends = |u: &HostUse| matches!(u.mode, HostMode::Move | HostMode::HandOut);
    let last = |step: StepIx, list: &[HostUse], born: &FixedBitSet| {
        let stays = |u: &&HostUse| !(ends(u) && live.comes_again(nest, step, u.place, born));
        list.iter().filter(stays).cloned().collect::<Vec<_>>()
    };
    let nothing = FixedBitSet::new();
    for step in chunk.body.all() {
        match step {
            Step::Node(node) => {
                let renewed = renewed(nest, &places_of, node);
                let planned = node.uses.iter().map(|u| Planned {
                    place: u.place,
                    mode: planned(
                        chunk,
                        u.place,
                        u.mode,
                        live.comes_again(nest, node.step, u.place, &renewed),
                    ),
                });
                uses.nodes[node.ix] = planned.collect();
            }
            Step::Host(host) => {
                let born = host.makes.iter().flat_map(|&n| places_of[n].iter().copied()).collect();
                uses.hosts[host.step] = last(host.step, &host.uses, &born);
            }
            Step::Branch(Branch { head, .. }) => {
                uses.hosts[head.step] = last(head.step, &head.uses, &nothing);
            }
            Step::Loop(l) => {
                for head in [&l.once, &l.each] {
                    uses.hosts[head.step] = last(head.step, &head.uses, &nothing);
                }
            }
        }
    }
    uses
}

/// The planned mode of one use. What a reference parameter stands for cannot be taken: `f(cx, w)` with `w: &W`
/// hands on the reference.
fn planned(chunk: &Chunk, place: PlaceIx, mode: Mode, comes_again: bool) -> Mode {
    match (mode, chunk.names[chunk.places[place].name].origin) {
        (Mode::Consume, Origin::Shared) => Mode::Read,
        (Mode::Consume, Origin::Exclusive | Origin::Item) => Mode::Write,
        (Mode::Consume, _) if comes_again => Mode::Read,
        _ => mode,
    }
}

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

use crate::body::{Chunk, HostMode, HostUse, Mode, Origin, PlaceIx, Step};
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
    /// By step; empty for nodes. Shorter than `Host::uses` where a by-value use is not the last.
    pub(crate) hosts: Vec<Vec<HostUse>>,
}

/// Walks the chunk backwards and decides which by-value uses are the last.
pub(crate) fn uses(chunk: &Chunk, nest: &Nest) -> Uses {
    let mut later = FixedBitSet::with_capacity(chunk.places.len());
    let mut nodes = vec![Vec::new(); chunk.nodes().count()];
    let mut hosts = vec![Vec::new(); chunk.steps.len()];
    for (ix, step) in chunk.steps.iter().enumerate().rev() {
        let comes_again = |place| nest.overlapping(place).any(|p| later.contains(p));
        match step {
            Step::Node(node) => {
                nodes[node.ix] = node
                    .uses
                    .iter()
                    .map(|u| Planned {
                        place: u.place,
                        mode: planned(chunk, u.place, u.mode, comes_again(u.place)),
                    })
                    .collect();
                later.extend(node.uses.iter().map(|u| u.place));
            }
            Step::Host(host) => {
                let ends = |u: &HostUse| matches!(u.mode, HostMode::Move | HostMode::HandOut);
                hosts[ix] =
                    host.uses.iter().filter(|u| !(ends(u) && comes_again(u.place))).cloned().collect();
                later.extend(host.uses.iter().map(|u| u.place).chain(host.mentions.iter().copied()));
            }
        }
    }
    Uses { nodes, hosts }
}

/// The planned mode of one use. What a reference parameter stands for cannot be taken: `f(cx, w)` with `w: &W`
/// hands on the reference.
fn planned(chunk: &Chunk, place: PlaceIx, mode: Mode, comes_again: bool) -> Mode {
    match (mode, chunk.names[chunk.places[place].name].origin) {
        (Mode::Consume, Origin::Shared) => Mode::Read,
        (Mode::Consume, Origin::Exclusive) => Mode::Write,
        (Mode::Consume, _) if comes_again => Mode::Read,
        _ => mode,
    }
}

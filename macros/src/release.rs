//! Where each name's storage ends.
//!
//! On every path a name that the chunk owns ends exactly once: taken whole by a node, moved on by a host statement,
//! or released as soon as no path from there names it. That is right after the last step that does, or, where other
//! paths of a branch still do, at the start of the arm. What a loop needs on each trip is released behind the loop,
//! whichever way it is left.
//!
//! Three kinds cannot be released as a whole and live to the end of their block, as in any Rust function: a name that
//! was moved out of in part, one that is gone on some of the paths that meet, and one that the chunk's tail
//! expression still mentions. What `&` and `&mut` parameters stand for never ends.
//!
//! A release enqueues nothing and waits for nothing, so its place depends on host order alone. Invariant: after the
//! step of its end no step names the binding; `emit` moves it there, so rustc would refuse one that did.

mod life;

use fixedbitset::FixedBitSet;

use crate::body::{BlockIx, Chunk, NameIx, StepIx};
use crate::live::live;
use crate::nest::Nest;
use crate::uses::Uses;

/// What this phase found out.
#[derive(Debug)]
pub(crate) struct Release {
    /// By block, the names to release at its start, before its own are bound.
    pub(crate) at_start: Vec<Vec<NameIx>>,
    /// By step, the names to release after it, in order of binding. After a step whose value is its block's, the
    /// value is bound first, then these are released, then the value is passed on.
    pub(crate) after: Vec<Vec<NameIx>>,
    /// By step that leaves a loop or the chunk, the names that end there with their scope.
    pub(crate) at_exit: Vec<Vec<NameIx>>,
    /// By block, the names that live to its end, in the order in which Rust drops them.
    pub(crate) at_end: Vec<Vec<NameIx>>,
}

impl Release {
    fn new(chunk: &Chunk) -> Release {
        Release {
            at_start: vec![Vec::new(); chunk.counts.blocks],
            after: vec![Vec::new(); chunk.counts.steps],
            at_exit: vec![Vec::new(); chunk.counts.steps],
            at_end: vec![Vec::new(); chunk.counts.blocks],
        }
    }
}

/// Finds the ends of a chunk's names. `uses` are those that `order` goes by.
pub(crate) fn release(chunk: &Chunk, nest: &Nest, uses: &Uses) -> Release {
    let kept = kept_through_loops(chunk, uses);
    let live = Named::new(chunk, nest, &kept);
    life::Walk::new(chunk, uses, Some(&live)).finish()
}

/// For each loop the names from outside that it names and that nothing in it ends: they are released behind it.
fn kept_through_loops(chunk: &Chunk, uses: &Uses) -> Vec<FixedBitSet> {
    if chunk.counts.loops == 0 {
        return Vec::new();
    }
    let roots = chunk.roots();
    let whole = life::Walk::new(chunk, uses, None).whole_behind_loops();
    whole.into_iter().map(|names| names.into_iter().filter_map(|n| roots[n]).collect()).collect()
}

/// Liveness of names.
pub(crate) struct Named {
    pub(crate) after: Vec<FixedBitSet>,
    pub(crate) at_start: Vec<FixedBitSet>,
}

impl Named {
    fn new(chunk: &Chunk, nest: &Nest, kept: &[FixedBitSet]) -> Named {
        let live = live(chunk, nest, Some(kept));
        let names = |places: &FixedBitSet| -> FixedBitSet {
            let mut names = FixedBitSet::with_capacity(chunk.names.len());
            names.extend(places.ones().map(|p| chunk.places[p].name));
            names
        };
        Named {
            after: live.after.iter().map(names).collect(),
            at_start: live.at_start.iter().map(names).collect(),
        }
    }

    fn after(&self, step: StepIx, name: NameIx) -> bool {
        self.after[step].contains(name)
    }

    fn at_start(&self, block: BlockIx, name: NameIx) -> bool {
        self.at_start[block].contains(name)
    }
}

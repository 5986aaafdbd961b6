//! Which places are used again later, at each point of a chunk.
//!
//! One backward walk; at loop heads to a fixpoint, which grows and so ends. A place is *live* where some path from
//! there names it before it is given a new value. A use of a place is one of every place inside it too; who asks about
//! a place looks at it and at those inside. So what gives a part a new value ends the life of that part alone.

use fixedbitset::FixedBitSet;

use crate::body::{Block, Chunk, Exit, Head, Host, LoopIx, NameIx, Node, PlaceIx, Step, StepIx};
use crate::nest::Nest;

/// Live places, by point.
#[derive(Debug)]
pub(crate) struct Live {
    /// After each step: what comes next may name them.
    pub(crate) after: Vec<FixedBitSet>,
    /// At the start of each block, before its own names are bound.
    pub(crate) at_start: Vec<FixedBitSet>,
}

/// Finds them. With `kept`, places count as named right behind loop l that are in `kept[l]`, and behind a branch that
/// hides them.
pub(crate) fn live(chunk: &Chunk, nest: &Nest, kept: Option<&[FixedBitSet]>) -> Live {
    let none = FixedBitSet::with_capacity(chunk.places.len());
    let mut walk = Walk {
        nest,
        kept,
        places_of: chunk.places_of(),
        none: none.clone(),
        breaks: vec![none.clone(); chunk.counts.loops],
        heads: vec![none.clone(); chunk.counts.loops],
        live: Live {
            after: vec![none.clone(); chunk.counts.steps],
            at_start: vec![none.clone(); chunk.counts.blocks],
        },
    };
    walk.block(&chunk.body, none);
    walk.live
}

impl Live {
    /// Whether a place, or a part of it, is used after a step, other than through what the step itself gives a new
    /// value.
    pub(crate) fn comes_again(
        &self,
        nest: &Nest,
        step: StepIx,
        place: PlaceIx,
        renewed: &FixedBitSet,
    ) -> bool {
        all(nest, place).any(|p| self.after[step].contains(p) && !renewed.contains(p))
    }
}

struct Walk<'a> {
    nest: &'a Nest,
    kept: Option<&'a [FixedBitSet]>,
    places_of: Vec<Vec<PlaceIx>>,
    none: FixedBitSet,
    /// By loop: what is live behind it, and at its head.
    breaks: Vec<FixedBitSet>,
    heads: Vec<FixedBitSet>,
    live: Live,
}

impl Walk<'_> {
    /// Returns what is live before the block's names are bound.
    fn block(&mut self, block: &Block, mut live: FixedBitSet) -> FixedBitSet {
        for step in block.steps.iter().rev() {
            live = self.step(step, live);
        }
        self.born(&mut live, &block.makes);
        self.live.at_start[block.ix].clone_from(&live);
        live
    }

    fn step(&mut self, step: &Step, mut live: FixedBitSet) -> FixedBitSet {
        match step {
            Step::Host(Host { exit: Some(exit), .. }) => {
                live = match *exit {
                    Exit::Return => self.none.clone(),
                    Exit::Break(l) => self.breaks[l].clone(),
                    Exit::Continue(l) => self.heads[l].clone(),
                };
                self.live.after[step.ix()].clone_from(&live);
            }
            _ => self.live.after[step.ix()].clone_from(&live),
        }
        match step {
            Step::Node(node) => {
                live.difference_with(&renewed(self.nest, &self.places_of, node));
                self.named(&mut live, node.uses.iter().map(|u| u.place));
                // What is assigned to a part needs the rest to be there.
                live.extend(node.renews.iter().flat_map(|&p| self.nest.around(p)[1..].iter().copied()));
                live
            }
            Step::Host(host) => {
                self.born(&mut live, &host.makes);
                self.named(&mut live, host.uses.iter().map(|u| u.place).chain(host.mentions.iter().copied()));
                live
            }
            Step::Branch(branch) => {
                if self.kept.is_some() {
                    live.extend(branch.keeps.iter().copied());
                }
                let mut before = self.none.clone();
                for arm in &branch.arms {
                    before.union_with(&self.block(arm, live.clone()));
                }
                self.head(&branch.head, before)
            }
            Step::Loop(l) => {
                if let Some(kept) = self.kept {
                    live.union_with(&kept[l.ix]);
                }
                self.breaks[l.ix].clone_from(&live);
                self.repeat(l, &live)
            }
        }
    }

    fn repeat(&mut self, l: &crate::body::Loop, behind: &FixedBitSet) -> FixedBitSet {
        let ix: LoopIx = l.ix;
        self.heads[ix].clone_from(&self.none);
        loop {
            let mut head = self.block(&l.body, self.heads[ix].clone());
            if l.ends {
                head.union_with(behind);
            }
            let head = self.head(&l.each, head);
            if head.is_subset(&self.heads[ix]) {
                return self.head(&l.once, head);
            }
            self.heads[ix].union_with(&head);
        }
    }

    fn head(&mut self, head: &Head, mut live: FixedBitSet) -> FixedBitSet {
        self.live.after[head.step].clone_from(&live);
        self.named(&mut live, head.uses.iter().map(|u| u.place).chain(head.mentions.iter().copied()));
        live
    }

    fn named(&self, live: &mut FixedBitSet, places: impl Iterator<Item = PlaceIx>) {
        live.extend(places.flat_map(|p| all(self.nest, p)));
    }

    fn born(&self, live: &mut FixedBitSet, names: &[NameIx]) {
        names.iter().flat_map(|&n| &self.places_of[n]).for_each(|&p| live.remove(p));
    }
}

/// The places to which a node gives a new value.
pub(crate) fn renewed(nest: &Nest, places_of: &[Vec<PlaceIx>], node: &Node) -> FixedBitSet {
    let made = node.makes.iter().flat_map(|&n| places_of[n].iter().copied());
    let assigned = node.renews.iter().flat_map(|&p| all(nest, p));
    made.chain(assigned).collect()
}

/// A place and those inside it.
fn all(nest: &Nest, place: PlaceIx) -> impl Iterator<Item = PlaceIx> + '_ {
    std::iter::once(place).chain(nest.within(place).iter().copied())
}

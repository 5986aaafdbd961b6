//! Where each name's storage ends.
//!
//! A name that the chunk owns ends exactly once: taken whole by a node, moved on by a host statement, or released
//! right after the last step that uses or mentions it, which is its birth if nothing does. Two kinds cannot be
//! released as a whole and live to the end of the block, as in any Rust function: a name that was moved out of in
//! part, and a name that the tail expression still mentions. What `&` and `&mut` parameters stand for never ends.
//!
//! A release enqueues nothing and waits for nothing, so its place depends on host order alone. Invariant: after
//! the step of its end no step names the binding; `emit` moves it there, so rustc would refuse one that did.

use crate::body::{Chunk, HostMode, Mode, NameIx, NodeIx, Origin, Step};
use crate::uses::Uses;

/// How a name ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It stays outside.
    Never,
    /// This node takes it.
    Consumed(NodeIx),
    /// The host statement at this step moves it on.
    Moved(usize),
    /// The tail node at this step makes it; it is the chunk's own value.
    Returned(usize),
    /// Released: after this step, or before the first one if there is none.
    Released(Option<usize>),
    /// Dropped where the block ends.
    Block,
}

/// What this phase found out.
#[derive(Debug)]
pub(crate) struct Release {
    /// By name.
    pub(crate) ends: Vec<End>,
    /// Names to release before the first step: by-value parameters that nothing names.
    pub(crate) at_start: Vec<NameIx>,
    /// By step, the names to release after it, in order of binding. After a tail node its value is bound first,
    /// then these are released, then the value is the block's.
    pub(crate) after: Vec<Vec<NameIx>>,
    /// The names that live to the end of the block, in the order in which Rust drops them.
    pub(crate) end_of_block: Vec<NameIx>,
}

/// Finds the ends of a chunk's names. `uses` are those that `order` went by.
pub(crate) fn release_by(chunk: &Chunk, uses: &Uses) -> Release {
    let names = survey(chunk, uses);
    let ends: Vec<End> =
        chunk.names.iter().zip(&names).map(|(name, life)| life.end(chunk, name.origin)).collect();
    let mut release = Release {
        at_start: Vec::new(),
        after: vec![Vec::new(); chunk.steps.len()],
        end_of_block: Vec::new(),
        ends,
    };
    for (name, end) in release.ends.iter().enumerate() {
        match end {
            End::Released(None) => release.at_start.push(name),
            End::Released(Some(step)) => release.after[*step].push(name),
            End::Block => release.end_of_block.push(name),
            End::Never | End::Consumed(_) | End::Moved(_) | End::Returned(_) => {}
        }
    }
    release.end_of_block.reverse();
    release
}

/// As [`release_by`], for callers that have no [`Uses`] at hand.
pub(crate) fn release(chunk: &Chunk) -> Release {
    release_by(chunk, &crate::uses::uses(chunk, &crate::nest::Nest::new(chunk)))
}

/// What happens to one name.
#[derive(Debug, Clone, Default)]
struct Life {
    /// The last step that makes, uses or mentions it.
    last: Option<usize>,
    /// Taken or moved on as a whole.
    whole: Option<End>,
    /// Taken or moved on in part.
    in_part: bool,
}

impl Life {
    fn end(&self, chunk: &Chunk, origin: Origin) -> End {
        if matches!(origin, Origin::Shared | Origin::Exclusive) {
            return End::Never;
        }
        if let Some(end) = self.whole {
            return end;
        }
        let in_tail = self.last.is_some_and(|step| match &chunk.steps[step] {
            Step::Host(host) => host.tail,
            Step::Node(_) => false,
        });
        if self.in_part || in_tail { End::Block } else { End::Released(self.last) }
    }

    /// Part of it, or all, goes.
    fn goes(&mut self, in_part: bool, end: End) {
        if in_part {
            self.in_part = true;
        } else {
            self.whole = Some(end);
        }
    }
}

/// Follows all names through the steps.
fn survey(chunk: &Chunk, uses: &Uses) -> Vec<Life> {
    let mut lives = vec![Life::default(); chunk.names.len()];
    for (step, what) in chunk.steps.iter().enumerate() {
        let (named, makes): (Vec<_>, _) = match what {
            Step::Node(node) => (node.uses.iter().map(|u| u.place).collect(), &node.makes),
            Step::Host(host) => (
                host.uses.iter().map(|u| u.place).chain(host.mentions.iter().copied()).collect(),
                &host.makes,
            ),
        };
        for name in named.iter().map(|&p| chunk.places[p].name).chain(makes.iter().copied()) {
            lives[name].last = Some(step);
        }
        let mut goes = |place: usize, end| {
            let place = &chunk.places[place];
            lives[place.name].goes(!place.path.is_empty(), end);
        };
        match what {
            Step::Node(node) => {
                let taken = uses.nodes[node.ix].iter().filter(|u| u.mode == Mode::Consume);
                taken.for_each(|u| goes(u.place, End::Consumed(node.ix)));
                if node.syntax.tail {
                    node.makes.iter().for_each(|&name| lives[name].goes(false, End::Returned(step)));
                }
            }
            Step::Host(_) => {
                let moved =
                    uses.hosts[step].iter().filter(|u| matches!(u.mode, HostMode::Move | HostMode::HandOut));
                moved.for_each(|u| goes(u.place, End::Moved(step)));
            }
        }
    }
    lives
}

//! What must hold of a chunk, from the definitions: every pair of uses is looked at, then the graph is closed.

use std::collections::BTreeSet;

use streamlease_plan::Record;

use crate::body::{Chunk, HostMode, Mode, NameIx, Origin, PlaceIx, Step};

/// A use of a place by a node; its birth is one too.
#[derive(Clone, Copy)]
struct At {
    step: usize,
    node: usize,
    place: PlaceIx,
    writes: bool,
}

/// A relation between nodes: `[a][b]`, a before b.
type Before = Vec<Vec<bool>>;

pub(super) struct Truth<'a> {
    chunk: &'a Chunk,
    streams: Vec<usize>,
    uses: Vec<At>,
    /// Places lent for writing, with the step.
    lent_mut: Vec<(usize, PlaceIx)>,
    /// Needs with the place that the later node uses.
    needs: Vec<(usize, usize, PlaceIx)>,
    /// Needs and stream order, closed.
    before: Before,
}

impl<'a> Truth<'a> {
    pub(super) fn new(chunk: &'a Chunk) -> Truth<'a> {
        let streams: Vec<usize> = chunk.nodes().map(|n| n.stream).collect();
        let mut truth = Truth {
            before: Vec::new(),
            needs: Vec::new(),
            uses: uses(chunk),
            lent_mut: host_uses(chunk, &[HostMode::LendMut]),
            streams,
            chunk,
        };
        truth.needs = truth.all_needs();
        truth.before = truth.closed(truth.needs.iter().map(|&(a, b, _)| (a, b)));
        truth
    }

    /// Whether place `outer` is, or contains, `inner`.
    fn around(&self, outer: PlaceIx, inner: PlaceIx) -> bool {
        let (outer, inner) = (&self.chunk.places[outer], &self.chunk.places[inner]);
        outer.name == inner.name && inner.path.starts_with(&outer.path)
    }

    /// Of two overlapping places the inner one.
    fn shared_part(&self, a: PlaceIx, b: PlaceIx) -> Option<PlaceIx> {
        if self.around(a, b) {
            Some(b)
        } else if self.around(b, a) {
            Some(a)
        } else {
            None
        }
    }

    /// Every pair of own uses that conflicts, unless a called chunk may have written what they share in between.
    fn all_needs(&self) -> Vec<(usize, usize, PlaceIx)> {
        let mut needs = Vec::new();
        for a in &self.uses {
            for b in self.uses.iter().filter(|b| b.node > a.node && (a.writes || b.writes)) {
                let Some(part) = self.shared_part(a.place, b.place) else { continue };
                let lent =
                    |&(step, p): &(usize, PlaceIx)| a.step < step && step < b.step && self.around(p, part);
                if !self.lent_mut.iter().any(lent) {
                    needs.push((a.node, b.node, b.place));
                }
            }
        }
        needs
    }

    /// Edges and stream order, closed by Floyd and Warshall's way.
    fn closed(&self, edges: impl Iterator<Item = (usize, usize)>) -> Before {
        let n = self.streams.len();
        let mut before: Before =
            (0..n).map(|a| (0..n).map(|b| a < b && self.streams[a] == self.streams[b]).collect()).collect();
        edges.for_each(|(a, b)| before[a][b] = true);
        for k in 0..n {
            for a in 0..n {
                for b in 0..n {
                    before[a][b] |= before[a][k] && before[k][b];
                }
            }
        }
        before
    }

    /// The cross-stream edges of the transitive reduction: pairs with nothing between.
    pub(super) fn waits(&self) -> Vec<BTreeSet<usize>> {
        let n = self.streams.len();
        let direct = |a: usize, b: usize| {
            self.before[a][b]
                && self.streams[a] != self.streams[b]
                && !(0..n).any(|k| self.before[a][k] && self.before[k][b])
        };
        (0..n).map(|b| (0..n).filter(|&a| direct(a, b)).collect()).collect()
    }

    /// The needs of places that hold storage and that these waits leave open.
    pub(super) fn unmet(
        &self,
        waits: &[BTreeSet<usize>],
        is_plain: impl Fn(PlaceIx) -> bool,
    ) -> Vec<(usize, usize, PlaceIx)> {
        let edges = waits.iter().enumerate().flat_map(|(b, from)| from.iter().map(move |&a| (a, b)));
        let before = self.closed(edges);
        self.needs.iter().copied().filter(|&(a, b, place)| !is_plain(place) && !before[a][b]).collect()
    }

    /// Who may have written a place last, before a step.
    fn last_writers(&self, place: PlaceIx, step: usize) -> Vec<usize> {
        let stands = |w: &&At| {
            let Some(part) = self.shared_part(w.place, place) else { return false };
            let over = |at: usize, p: PlaceIx| w.step < at && at < step && self.around(p, part);
            w.writes
                && w.step < step
                && !self.uses.iter().any(|o| o.writes && over(o.step, o.place))
                && !self.lent_mut.iter().any(|&(at, p)| over(at, p))
        };
        self.uses.iter().filter(stands).map(|w| w.node).collect()
    }

    /// Records by their three reasons.
    pub(super) fn records(&self) -> Vec<Record> {
        let mut records = vec![Record::NONE; self.streams.len()];
        self.waits().into_iter().flatten().for_each(|n| records[n].awaited = true);
        let any = [HostMode::Lend, HostMode::LendMut, HostMode::Move, HostMode::HandOut];
        let mut leaves = host_uses(self.chunk, &any);
        let kept = |p: &PlaceIx| self.origin(*p) == Origin::Exclusive;
        leaves.extend((0..self.chunk.places.len()).filter(kept).map(|p| (usize::MAX, p)));
        for (step, place) in leaves {
            self.last_writers(place, step).into_iter().for_each(|n| records[n].leaves = true);
        }
        let mut left = host_uses(self.chunk, &[HostMode::Move, HostMode::HandOut]);
        for node in self.chunk.nodes().filter(|n| n.is_tail()) {
            records[node.ix].leaves = true;
            let made = |p: &PlaceIx| node.makes.contains(&self.chunk.places[*p].name);
            left.extend((0..self.chunk.places.len()).filter(made).map(|p| (usize::MAX, p)));
        }
        for used in &self.uses {
            let gone = left.iter().any(|&(_, p)| self.around(p, used.place));
            if !gone && self.comes_home(used) && self.is_maximal(used) {
                records[used.node].home = true;
            }
        }
        records
    }

    fn origin(&self, place: PlaceIx) -> Origin {
        self.chunk.names[self.chunk.places[place].name].origin
    }

    /// A use on another stream than the maker's of what ends in this chunk.
    fn comes_home(&self, used: &At) -> bool {
        match self.origin(used.place) {
            Origin::Shared | Origin::Exclusive => false,
            Origin::Node(maker) => self.streams[maker] != self.streams[used.node],
            _ => true,
        }
    }

    /// No other use of the whole place is ordered after it.
    fn is_maximal(&self, used: &At) -> bool {
        !self.uses.iter().any(|o| self.around(o.place, used.place) && self.before[used.node][o.node])
    }
}

fn uses(chunk: &Chunk) -> Vec<At> {
    let whole = |name: NameIx| chunk.places.iter().position(|p| p.name == name && p.path.is_empty());
    let mut all = Vec::new();
    for (step, what) in chunk.body.steps.iter().enumerate() {
        let Step::Node(node) = what else { continue };
        let at = |place, writes| At { step, node: node.ix, place, writes };
        all.extend(node.uses.iter().map(|u| at(u.place, u.mode != Mode::Read)));
        all.extend(node.makes.iter().filter_map(|&name| whole(name)).map(|p| at(p, true)));
    }
    all
}

/// Uses by host statements in one of these modes, with their step.
fn host_uses(chunk: &Chunk, modes: &[HostMode]) -> Vec<(usize, PlaceIx)> {
    let mut all = Vec::new();
    for (step, what) in chunk.body.steps.iter().enumerate() {
        if let Step::Host(host) = what {
            all.extend(host.uses.iter().filter(|u| modes.contains(&u.mode)).map(|u| (step, u.place)));
        }
    }
    all
}

/// Where names end.
pub(super) struct Ends {
    pub(super) at_start: Vec<NameIx>,
    pub(super) after: Vec<Vec<NameIx>>,
    pub(super) at_end: BTreeSet<NameIx>,
}

/// How a name ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// It stays outside, a node takes it, the host moves it on, or it is the chunk's value.
    Elsewhere,
    /// Released: after this step, or before the first one if there is none.
    Released(Option<usize>),
    /// Dropped where the block ends.
    Block,
}

/// Each name ends where it is taken whole, else right after the last step that says it.
pub(super) fn ends(chunk: &Chunk) -> Ends {
    let ends: Vec<End> = (0..chunk.names.len()).map(|name| end(chunk, name)).collect();
    let released = |at: Option<usize>| -> Vec<NameIx> {
        (0..ends.len()).filter(|&name| ends[name] == End::Released(at)).collect()
    };
    let after = (0..chunk.body.steps.len()).map(|step| released(Some(step))).collect();
    let at_end = (0..ends.len()).filter(|&name| ends[name] == End::Block).collect();
    Ends { at_start: released(None), after, at_end }
}

fn end(chunk: &Chunk, name: NameIx) -> End {
    if matches!(chunk.names[name].origin, Origin::Shared | Origin::Exclusive) {
        return End::Elsewhere;
    }
    let is = |p: PlaceIx| chunk.places[p].name == name;
    let whole = |p: PlaceIx| is(p) && chunk.places[p].path.is_empty();
    let mut in_part = false;
    let mut last = None;
    for (step, what) in chunk.body.steps.iter().enumerate() {
        let said = match what {
            Step::Node(node) => {
                let taken = |u: &&crate::body::Use| u.mode == Mode::Consume && is(u.place);
                if node.uses.iter().filter(taken).any(|u| whole(u.place)) {
                    return End::Elsewhere;
                }
                if node.is_tail() && node.makes.contains(&name) {
                    return End::Elsewhere;
                }
                in_part |= node.uses.iter().any(|u| taken(&u));
                node.uses.iter().any(|u| is(u.place)) || node.makes.contains(&name)
            }
            Step::Host(host) => {
                let moved = |u: &&crate::body::HostUse| {
                    matches!(u.mode, HostMode::Move | HostMode::HandOut) && is(u.place)
                };
                if host.uses.iter().filter(moved).any(|u| whole(u.place)) {
                    return End::Elsewhere;
                }
                in_part |= host.uses.iter().any(|u| moved(&u));
                let said = host.uses.iter().any(|u| is(u.place)) || host.mentions.iter().any(|&p| is(p));
                if said && host.tail {
                    return End::Block;
                }
                said || host.makes.contains(&name)
            }
            Step::Branch(_) | Step::Loop(_) => unreachable!("a straight line"),
        };
        if said {
            last = Some(step);
        }
    }
    if in_part { End::Block } else { End::Released(last) }
}

//! What the judge knows at one point of a plan.
//!
//! Order is a clock row per stream: lane `t` of `rows[s]` is the position on `t` up to which stream `s` is ordered.
//! Positions count a stream's nodes from 1. An event keeps the row of its stream as it was when recorded; a wait
//! merges that row. A [`LeaseFacts`] holds the uses that a later one has to be ordered after, as rows too, so
//! that "ordered after all of them" is one comparison.
//!
//! A use of a place is stored with the place **and with every place inside it**; whoever asks looks at its own
//! facts and at those of the places inside it. So each pair of overlapping uses meets exactly once, and what is
//! said about a part (lent away, written anew) never touches its siblings.
//!
//! Rows count positions from the chunk's start, so they hold for plans without loops; along paths `paths` judges by
//! sets of nodes. (Rows would carry over to arms that meet: `rows` and `events` take each lane's minimum there, `wrote`,
//! `used` and `asked` its maximum, and each flag its careful side.)
//!
//! This is interpreted while users' crates compile. What costs there, dearest first: a call (as much as thirty plain
//! operations; a slice's `len` is one), a `match` that takes fields out of an enum, a named constant, an index with
//! its check. Giving a value to an enum is dear too, and so is a field whose type has a lifetime. Hence rows as words in fields, slice patterns, lists of overlaps that are looked at only if there are any,
//! and a walk that does the usual cases itself (see [`check`](crate::check)).

use crate::{LeaseIx, Plan, Source};

/// Per stream a position on it: lanes of sixteen bits, eight in each word. The top bit of a lane is always clear.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Streams 0 to 7.
    pub(crate) low: u128,
    /// Streams 8 to 15; nothing looks at them in a plan with eight streams or fewer.
    pub(crate) high: u128,
}

/// The top bit of each lane.
pub(crate) const TOP: u128 = 0x8000_8000_8000_8000_8000_8000_8000_8000;
/// The lowest bit of each lane.
pub(crate) const ONE: u128 = TOP >> 15;
/// Each lane later than any position.
const NEVER: Row = Row { low: TOP - ONE, high: TOP - ONE };
/// No position in any lane.
pub(crate) const NONE: Row = Row { low: 0, high: 0 };

/// The later position of two in each lane of a word.
macro_rules! later {
    ($top:expr, $a:expr, $b:expr) => {{
        let mine = (($a | $top) - $b) & $top;
        (($a ^ $b) & (mine - (mine >> 15))) ^ $b
    }};
}

pub(crate) use later;

/// The lane of a stream.
pub(crate) const fn lane(s: usize) -> Row {
    if s < 8 {
        Row { low: 0xffff << (16 * s), high: 0 }
    } else {
        Row { low: 0, high: 0xffff << (16 * (s - 8)) }
    }
}

/// Whether a row is ordered after all that another says.
pub(crate) const fn ordered(row: &Row, due: &Row) -> bool {
    ((row.low | TOP) - due.low) & ((row.high | TOP) - due.high) & TOP == TOP
}

/// Where a lease is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Not made yet.
    Unborn,
    /// All of it is there.
    Whole,
    /// A place inside it has ended.
    InPart,
    /// Gone.
    Ended,
}

/// What is known of a lease.
#[derive(Clone, Copy)]
pub(crate) struct LeaseFacts {
    /// Whole, alone, this chunk's, and nobody else has used it since this chunk wrote it. This and the next say less
    /// than the other facts; they are the usual cases, for the walk's sake.
    pub(crate) own: bool,
    /// Whole, alone, from outside, and this chunk has not written it since others might have.
    pub(crate) outside: bool,
    pub(crate) life: Life,
    /// There are places around it or inside it, or the plan has more than eight streams.
    pub(crate) nested: bool,
    /// The caller's: it never ends here.
    pub(crate) borrowed: bool,
    /// The node that makes it, if its source is one.
    pub(crate) maker: u16,
    /// Its source is not a node of this chunk.
    pub(crate) foreign: bool,
    /// It, or a place that it overlaps, was lent since this chunk last wrote it.
    pub(crate) lent: bool,
    /// Others may have written it, or read it, since this chunk last wrote it.
    pub(crate) others_wrote: bool,
    pub(crate) others_read: bool,
    /// The last own write.
    pub(crate) wrote: Row,
    /// That write and all own reads since.
    pub(crate) used: Row,
    /// Where each stream first asked its ledger since others may have written it.
    pub(crate) asked: Row,
}

impl LeaseFacts {
    pub(crate) const UNBORN: LeaseFacts = LeaseFacts {
        own: false,
        outside: false,
        life: Life::Unborn,
        nested: false,
        borrowed: false,
        maker: u16::MAX,
        foreign: false,
        lent: false,
        others_wrote: false,
        others_read: false,
        wrote: NONE,
        used: NONE,
        asked: NEVER,
    };

    /// Only others have used it.
    const fn others(&mut self) {
        self.others_wrote = true;
        self.others_read = true;
        self.wrote = NONE;
        self.used = NONE;
        self.asked = NEVER;
        self.own = false;
        self.outside = !self.nested && self.foreign;
    }

    /// Only the node with this mark has used it.
    pub(crate) const fn written(&mut self, mark: &Row) {
        self.lent = false;
        self.others_wrote = false;
        self.others_read = false;
        self.wrote = *mark;
        self.used = *mark;
        self.own = !self.nested && !self.foreign;
        self.outside = false;
    }

    /// The node with this mark has read it; `asks` if it asked the ledger.
    pub(crate) const fn read(&mut self, lane: &Row, mark: &Row, asks: bool) {
        self.used.low = self.used.low & !lane.low | mark.low;
        self.used.high = self.used.high & !lane.high | mark.high;
        let first = self.asked.low & lane.low == NEVER.low & lane.low
            && self.asked.high & lane.high == NEVER.high & lane.high;
        if asks && first {
            self.asked.low = self.asked.low & !lane.low | mark.low;
            self.asked.high = self.asked.high & !lane.high | mark.high;
        }
    }

    /// Whether others' uses of it may conflict with a use by a stream with this row that nothing has settled yet.
    ///
    /// A read asks for the last write only, and one ask serves every stream that is ordered after it. A write
    /// also asks for all reads, which no earlier read has asked for.
    pub(crate) const fn unsettled(&self, row: &Row, writes: bool) -> bool {
        if writes {
            return self.others_wrote || self.others_read;
        }
        let served = (((row.low | TOP) - self.asked.low) | ((row.high | TOP) - self.asked.high)) & TOP;
        self.others_wrote && served == 0
    }
}

/// At the start of a chunk: parameters are there, all else is still to be made. Says whether any lease has others
/// around it or inside it.
pub(crate) const fn start(plan: &Plan<'_>, facts: &mut [LeaseFacts]) -> bool {
    let mut rest = plan.leases;
    let (mut l, mut any_nested) = (0, false);
    let wide = plan.streams.len() > 8;
    while let [lease, tail @ ..] = rest {
        let f = &mut facts[l];
        if let [_, ..] = lease.overlaps {
            f.nested = true;
            any_nested = true;
        }
        if wide {
            f.nested = true;
        }
        if let Source::Node(maker) = lease.source {
            f.maker = maker;
        } else {
            f.foreign = true;
            f.borrowed = matches!(lease.source, Source::Shared | Source::Exclusive);
            if f.borrowed || matches!(lease.source, Source::Owned) {
                f.life = Life::Whole;
                f.others();
            }
        }
        rest = tail;
        l += 1;
    }
    any_nested
}

/// Whether a stream with this row is ordered after the own uses of the places within `l` that a use of `l`
/// conflicts with.
pub(crate) const fn ordered_within(
    facts: &[LeaseFacts],
    plan: &Plan<'_>,
    l: usize,
    row: &Row,
    writes: bool,
) -> bool {
    let mut rest = plan.leases[l].overlaps;
    while let [o, tail @ ..] = rest {
        let f = &facts[*o as usize];
        let due = if writes { &f.used } else { &f.wrote };
        if within(plan, *o as usize, l) && !ordered(row, due) {
            return false;
        }
        rest = tail;
    }
    true
}

/// Whether a use by a stream with this row has to ask the ledger of lease `l`.
pub(crate) const fn must_ask(
    facts: &[LeaseFacts],
    plan: &Plan<'_>,
    l: usize,
    row: &Row,
    writes: bool,
) -> bool {
    if facts[l].unsettled(row, writes) {
        return true;
    }
    let mut rest = plan.leases[l].overlaps;
    while let [o, tail @ ..] = rest {
        if within(plan, *o as usize, l) && facts[*o as usize].unsettled(row, writes) {
            return true;
        }
        rest = tail;
    }
    false
}

/// Stores a node's read of lease `l` and of all within.
pub(crate) const fn read(
    facts: &mut [LeaseFacts],
    plan: &Plan<'_>,
    l: usize,
    lane: &Row,
    mark: &Row,
    asks: bool,
) {
    facts[l].read(lane, mark, asks);
    let mut rest = plan.leases[l].overlaps;
    while let [o, tail @ ..] = rest {
        if within(plan, *o as usize, l) {
            facts[*o as usize].read(lane, mark, asks);
        }
        rest = tail;
    }
}

/// Stores a node's write of lease `l` and of all within.
pub(crate) const fn written(facts: &mut [LeaseFacts], plan: &Plan<'_>, l: usize, mark: &Row) {
    facts[l].written(mark);
    let mut rest = plan.leases[l].overlaps;
    while let [o, tail @ ..] = rest {
        if within(plan, *o as usize, l) {
            facts[*o as usize].written(mark);
        }
        rest = tail;
    }
}

/// Stores that lease `l` was lent to a called chunk. If that may write, it came after all that we know of:
/// our own uses are behind its marks, and only the ledger can tell.
pub(crate) const fn lend(facts: &mut [LeaseFacts], plan: &Plan<'_>, l: LeaseIx, writes: bool) {
    let l = l as usize;
    lend_one(facts, l, true, writes);
    let mut rest = plan.leases[l].overlaps;
    while let [o, tail @ ..] = rest {
        lend_one(facts, *o as usize, within(plan, *o as usize, l), writes);
        rest = tail;
    }
}

const fn lend_one(facts: &mut [LeaseFacts], l: usize, all: bool, writes: bool) {
    let f = &mut facts[l];
    if all && writes {
        f.others();
    } else if all {
        f.others_read = true;
    }
    f.lent = true;
    f.own = false;
}

/// Brings lease `l` and all within to life: written by the node with this mark, or else by others.
pub(crate) const fn born(facts: &mut [LeaseFacts], plan: &Plan<'_>, l: usize, mark: Option<&Row>) {
    born_one(facts, l, mark);
    let mut rest = plan.leases[l].overlaps;
    while let [o, tail @ ..] = rest {
        if within(plan, *o as usize, l) {
            born_one(facts, *o as usize, mark);
        }
        rest = tail;
    }
}

const fn born_one(facts: &mut [LeaseFacts], l: usize, mark: Option<&Row>) {
    facts[l].life = Life::Whole;
    match mark {
        Some(mark) => facts[l].written(mark),
        None => facts[l].others(),
    }
}

/// Ends lease `l` and all within; what contains it is there in part from now on.
pub(crate) const fn end(facts: &mut [LeaseFacts], plan: &Plan<'_>, l: usize) {
    facts[l].life = Life::Ended;
    facts[l].own = false;
    facts[l].outside = false;
    let mut rest = plan.leases[l].overlaps;
    while let [o, tail @ ..] = rest {
        facts[*o as usize].life = if within(plan, *o as usize, l) { Life::Ended } else { Life::InPart };
        rest = tail;
    }
}

/// Whether lease `inner`, which overlaps `outer`, lies within it: of two overlapping places one path is a prefix
/// of the other, so the longer name is the inner one.
const fn within(plan: &Plan<'_>, inner: usize, outer: usize) -> bool {
    plan.leases[inner].name.len() > plan.leases[outer].name.len()
}

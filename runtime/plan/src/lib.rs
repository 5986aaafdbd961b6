//! What `#[model_chunk]` decides, as data.
//!
//! A [`Plan`] is written by the macro into a `const`, judged by [`verify`] while the user's crate compiles,
//! executed by the runtime **by index**, and printed by its [`Display`](core::fmt::Display). It is the only
//! place where waits, records and the ends of leases are stated, so what is read is what runs.
//!
//! A plan is a list of [`Step`]s in host order over two tables: [`Lease`]s (places that hold storage) and
//! [`Node`]s (device work on one stream). Positions in both tables are what all other fields refer to.

#![forbid(unsafe_code)]
#![no_std]

#[cfg(test)]
extern crate std;

extern crate alloc;

mod facts;
mod fault;
mod paths;
#[cfg(test)]
mod tests;
mod text;
mod verify;

pub use fault::{Fault, FaultKind};
pub use paths::{check_paths, verify_paths};
pub use verify::{check, verify};

/// Position of a node in [`Plan::nodes`].
pub type NodeIx = u16;
/// Position of a lease in [`Plan::leases`].
pub type LeaseIx = u16;
/// Position of a stream in [`Plan::streams`].
pub type StreamIx = u8;

/// Most streams that one chunk may name.
pub const MAX_STREAMS: usize = 16;
/// Most loops within each other.
pub const MAX_DEPTH: usize = 6;
/// Most nodes that one chunk may have.
pub const MAX_NODES: usize = 4096;

/// Everything that was decided about one chunk.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The function's name; methods carry their type: `Model::layer`.
    pub chunk: &'a str,
    /// Stream names in the order of the attribute.
    pub streams: &'a [&'a str],
    /// Every place that a node uses or makes.
    pub leases: &'a [Lease<'a>],
    /// Every node, in host order.
    pub nodes: &'a [Node<'a>],
    /// What the host does, in order.
    pub steps: &'a [Step<'a>],
}

impl Plan<'_> {
    /// Whether the steps are one straight line, as [`verify`] judges; others are for [`verify_paths`].
    #[must_use]
    pub fn is_straight(&self) -> bool {
        let straight = |s: &Step<'_>| match s {
            Step::Node(_) | Step::Release(_) | Step::EndOfBlock(_) => true,
            Step::Host(host) => {
                !host.makes.iter().any(|l| self.leases[usize::from(*l)].source.is_parameter())
            }
            _ => false,
        };
        self.steps.iter().all(straight)
            && self.nodes.iter().all(|n| n.renews.is_empty())
            && !self.leases.iter().any(|l| matches!(l.source, Source::Several | Source::Item))
    }

    /// Whether a node uses, by ledger, a lease whose storage the chunk may have changed for another: it has moved
    /// other leases into it (`saved.push(act)`, then `saved`), lent it for writing (`swap(&mut a, &mut b)`), or it is
    /// an item of such a one. The storages behind it may carry marks of this same run, and waiting for those is planned. Leases that are plain
    /// hold no storage.
    #[must_use]
    pub fn uses_moved_in(&self, node: NodeIx, is_plain: impl Fn(LeaseIx) -> bool) -> bool {
        let moved_in = |u: &Use| u.by_ledger && !is_plain(u.lease) && self.was_moved_into(u.lease, node);
        self.nodes[usize::from(node)].uses.iter().any(moved_in)
    }

    /// Whether a host step that may come before `node` made `lease`, of others perhaps (`list.pop()`), or could put another
    /// storage there: into it, into a place within it, or into the whole of which it is a part.
    fn was_moved_into(&self, lease: LeaseIx, node: NodeIx) -> bool {
        let place = &self.leases[usize::from(lease)];
        if matches!(place.source, Source::Host | Source::Several | Source::Item) {
            return true;
        }
        // A loop brings what the text has later before what it has earlier.
        let loops = self.steps.iter().any(|s| matches!(s, Step::Loop(_)));
        let before = self.steps.iter().take_while(|s| loops || !matches!(s, Step::Node(n) if *n == node));
        let gives = |u: &HostUse| !matches!(u.mode, HostMode::Lend);
        let here = |l: LeaseIx| l == lease || place.overlaps.contains(&l);
        let into = |host: &Host<'_>| {
            host.makes.contains(&lease) && host.uses.iter().any(gives)
                || host.uses.iter().any(|u| u.mode == HostMode::LendMut && here(u.lease))
        };
        before.into_iter().any(|s| matches!(s, Step::Host(host) if into(host)))
    }
}

/// A place (`x`, `s.a.b`) and where its storage comes from.
#[derive(Debug, Clone, Copy)]
pub struct Lease<'a> {
    /// The place as the user wrote it.
    pub name: &'a str,
    /// Where it comes from.
    pub source: Source,
    /// The other leases whose place contains this one or lies within it, ascending.
    pub overlaps: &'a [LeaseIx],
}

/// Where a lease comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A by-value parameter: owned by the chunk from its start.
    Owned,
    /// A `&` parameter: never ended here.
    Shared,
    /// A `&mut` parameter: never ended here.
    Exclusive,
    /// The output of a node of this chunk.
    Node(NodeIx),
    /// The result of a host statement that passes the chunk's context on: a called chunk.
    Call,
    /// A value that a host statement put together or took from somewhere.
    Host,
    /// Given its value at several places: on the arms of a branch, or by assignment.
    Several,
    /// One item of what a loop goes over by `&mut`: another storage on each trip, never ended here.
    Item,
}

impl Source {
    /// Whether the chunk must end the lease on every path.
    #[must_use]
    pub const fn is_owned(self) -> bool {
        !matches!(self, Source::Shared | Source::Exclusive | Source::Item)
    }

    /// Whether the lease is there from the start.
    #[must_use]
    pub const fn is_parameter(self) -> bool {
        matches!(self, Source::Owned | Source::Shared | Source::Exclusive)
    }

    /// Whether others may have used the storage before this chunk first does.
    #[must_use]
    pub const fn is_foreign(self) -> bool {
        !matches!(self, Source::Node(_))
    }
}

/// Device work on one stream.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// What the table calls it: the called function, or the bound name.
    pub name: &'a str,
    /// The stream that all its work goes to.
    pub stream: StreamIx,
    /// Places that it uses; a place at most once, with its strongest mode.
    pub uses: &'a [Use],
    /// Leases born here; the places within them are born with them and not listed.
    pub makes: &'a [LeaseIx],
    /// Leases that its value is assigned to: what they held ends here, and they are born anew.
    pub renews: &'a [LeaseIx],
    /// Nodes on other streams that its stream waits for before it starts.
    pub waits: &'a [Wait<'a>],
    /// Why an event is recorded after it; [`Record::NONE`] if none is.
    pub record: Record,
}

/// One use of a lease by a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// What is used.
    pub lease: LeaseIx,
    /// How.
    pub mode: Mode,
    /// Others may have used the storage since this chunk last wrote it, so the storage's own ledger is asked,
    /// and a wait at run time is normal.
    pub by_ledger: bool,
}

/// How a node uses a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `&x`, `x.method(..)`.
    Read,
    /// `&mut x`, `x += ..`.
    Write,
    /// `x`: the node may write it, free it, or return its storage under another name.
    Consume,
}

/// One wait of a node's stream for an earlier node of another stream.
#[derive(Debug, Clone, Copy)]
pub struct Wait<'a> {
    /// The node waited for; it records.
    pub node: NodeIx,
    /// The needs that this wait is for.
    pub reasons: &'a [Reason],
    /// Leases of later needs that hold only because of this wait. It may be left out at run time only if these
    /// and the reasons' leases all turn out to hold no storage.
    pub carries: &'a [LeaseIx],
}

/// A need behind a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The lease over which the two nodes conflict.
    pub lease: LeaseIx,
    /// How they conflict.
    pub need: Need,
}

/// Why one node must come after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The later one reads (or takes) what the earlier one wrote or made.
    Written,
    /// The later one writes what the earlier one reads.
    WriteAfterRead,
    /// The later one writes what the earlier one wrote, without reading it being the point.
    WriteAfterWrite,
    /// The later one takes the storage while the earlier one reads it: a `&` at the later one drops the need.
    TakenWhileRead,
}

/// Why an event is recorded after a node. Several reasons may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// A later node waits for it.
    pub awaited: bool,
    /// It is the last writer of something that leaves the chunk.
    pub leaves: bool,
    /// A lease made on another stream (or outside) ends here, so its memory goes home by this event.
    pub home: bool,
}

impl Record {
    /// No event.
    pub const NONE: Record = Record { awaited: false, leaves: false, home: false };

    /// Whether an event is recorded at all.
    #[must_use]
    pub const fn any(self) -> bool {
        self.awaited || self.leaves || self.home
    }
}

/// One step of the host.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Enter the node: waits, its work, its record.
    Node(NodeIx),
    /// The lease's last use lies behind: its block goes to the pool with its ledger.
    Release(LeaseIx),
    /// A statement of the host.
    Host(Host<'a>),
    /// The rest of a lease that was moved out of in part, or that is gone on some paths, lives until its block ends
    /// here.
    EndOfBlock(LeaseIx),
    /// One of several arms runs; the first begins here. The name says what decides: `if`, `match`.
    Branch(&'a str),
    /// The next arm begins.
    Arm(&'a str),
    /// The innermost branch ends.
    Join,
    /// What follows runs any number of times, from here to [`Repeat`](Step::Repeat). What ends it is an exit.
    Loop(Loop<'a>),
    /// The innermost loop may end here: its condition is false, or what it goes over is at its end.
    MayEnd,
    /// The innermost loop goes back to its head.
    Repeat,
    /// Control leaves.
    Exit(Exit),
}

/// The head of a loop.
#[derive(Debug, Clone, Copy)]
pub struct Loop<'a> {
    /// `for`, `while`, `loop`.
    pub name: &'a str,
    /// Its number in the chunk.
    pub number: u16,
}

/// Where control leaves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Behind the loop with this number.
    Break(u16),
    /// To the next trip of the loop with this number.
    Continue(u16),
    /// Out of the chunk.
    Return,
}

/// What a host statement does with leases.
#[derive(Debug, Clone, Copy)]
pub struct Host<'a> {
    /// Places that it names, other than to ask for metadata.
    pub uses: &'a [HostUse],
    /// Leases that it gives birth to; the places within them are born with them and not listed.
    pub makes: &'a [LeaseIx],
}

/// How a host statement uses a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostUse {
    /// What is used.
    pub lease: LeaseIx,
    /// How.
    pub mode: HostMode,
}

/// How a host statement uses a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostMode {
    /// Lent to a called chunk, which may read it on any stream.
    Lend,
    /// Lent to a called chunk, which may write it on any stream.
    LendMut,
    /// Moved into a called chunk or another value of this chunk; the lease ends here.
    Move,
    /// Moved out of the chunk: returned, or pushed into something that outlives it; the lease ends here.
    HandOut,
}

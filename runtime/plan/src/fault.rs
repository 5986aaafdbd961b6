//! What can be wrong with a plan, and how it is said.

use core::fmt;

use crate::{LeaseIx, NodeIx, Plan};

/// The first thing that is wrong with a plan, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The node at which it shows, if it shows at one.
    pub node: Option<NodeIx>,
    /// The lease that it is about, if it is about one.
    pub lease: Option<LeaseIx>,
}

/// The ways in which a plan can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The plan has more nodes or leases than the judge was given room for, or more streams than a chunk may.
    Capacity,
    /// A position that its table does not have.
    Index,
    /// The steps do not run every node once, in the order of the table.
    NodeOrder,
    /// Branches and loops are not closed where they should be, an exit leads nowhere, or, for the judge of straight
    /// lines, there are some.
    Structure,
    /// The `overlaps` lists contradict each other, or are not ascending.
    Overlaps,
    /// A lease is made elsewhere than its source says.
    Source,
    /// A wait for a node after which no event is recorded.
    WaitUnrecorded,
    /// A wait for a node that has not run yet.
    WaitNotRun,
    /// A wait for a node of the same stream.
    WaitSameStream,
    /// A wait without a reason: the run time would always leave it out.
    WaitNoReason,
    /// A read that is not ordered after the last write.
    ReadUnordered,
    /// A write that is not ordered after every earlier use.
    WriteUnordered,
    /// A consumption that is not ordered after every earlier use.
    ConsumeUnordered,
    /// A use that others' uses may still be ahead of, but that does not ask the ledger.
    LedgerUnasked,
    /// A use that asks the ledger where only this chunk's own nodes can have been.
    LedgerUndue,
    /// A lease used or ended before it is born.
    NotBorn,
    /// A lease born twice.
    BornTwice,
    /// A lease used after it, or part of it, has ended.
    UsedAfterEnd,
    /// A lease ended again.
    EndedTwice,
    /// A lease ended that belongs to the caller.
    EndsBorrowed,
    /// A lease released as a whole although a part of it was moved out.
    EndsInPart,
    /// An owned lease that no step ends.
    NotEnded,
    /// A lease that no step makes.
    NeverBorn,
}

impl FaultKind {
    /// The fault as the end of a sentence about its lease.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            FaultKind::Capacity => "the plan is larger than the judge's tables",
            FaultKind::Index => "a position lies outside its table",
            FaultKind::NodeOrder => "the steps do not run every node once and in order",
            FaultKind::Structure => "its branches and loops do not fit together",
            FaultKind::Overlaps => "the lists of overlapping leases contradict each other",
            FaultKind::Source => "it is made elsewhere than its source says",
            FaultKind::WaitUnrecorded => "a wait names a node after which no event is recorded",
            FaultKind::WaitNotRun => "a wait names a node that has not run yet",
            FaultKind::WaitSameStream => "a wait names a node of the same stream",
            FaultKind::WaitNoReason => "a wait has no reason, so it would be left out",
            FaultKind::ReadUnordered => "it is read without being ordered after its last write",
            FaultKind::WriteUnordered => "it is written without being ordered after every earlier use",
            FaultKind::ConsumeUnordered => "it is taken without being ordered after every earlier use",
            FaultKind::LedgerUnasked => "others may still be using it, and its ledger is not asked",
            FaultKind::LedgerUndue => "its ledger is asked where only this chunk's nodes can have used it",
            FaultKind::NotBorn => "it is used before it is born",
            FaultKind::BornTwice => "it is born twice",
            FaultKind::UsedAfterEnd => "it is used after its end",
            FaultKind::EndedTwice => "it ends twice",
            FaultKind::EndsBorrowed => "it belongs to the caller and must not end here",
            FaultKind::EndsInPart => "it ends as a whole although a part of it was moved out",
            FaultKind::NotEnded => "it never ends",
            FaultKind::NeverBorn => "it is never made",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(node) = self.node {
            write!(f, "node {node}: ")?;
        }
        if let Some(lease) = self.lease {
            write!(f, "lease {lease}: ")?;
        }
        f.write_str(self.kind.text())
    }
}

impl core::error::Error for Fault {}

/// A sentence put together during const evaluation, where nothing can be formatted.
pub(crate) struct Sentence {
    bytes: [u8; Sentence::ROOM],
    len: usize,
}

impl Sentence {
    const ROOM: usize = 400;

    /// The fault with the plan's own names.
    pub(crate) const fn new(plan: &Plan<'_>, fault: &Fault) -> Sentence {
        let mut s = Sentence { bytes: [0; Sentence::ROOM], len: 0 };
        s.push("the plan of `");
        s.push(plan.chunk);
        s.push("` is wrong");
        if let Some(node) = fault.node
            && (node as usize) < plan.nodes.len()
        {
            s.push(" at `");
            s.push(plan.nodes[node as usize].name);
            s.push("`");
        }
        if let Some(lease) = fault.lease
            && (lease as usize) < plan.leases.len()
        {
            s.push(", about `");
            s.push(plan.leases[lease as usize].name);
            s.push("`");
        }
        s.push(": ");
        s.push(fault.kind.text());
        s.push(" (a fault of streamlease, not of this function; please report it)");
        s
    }

    /// Appends what still fits, by whole strings, so that the bytes stay UTF-8.
    const fn push(&mut self, text: &str) {
        let text = text.as_bytes();
        if self.len + text.len() <= Sentence::ROOM {
            let mut i = 0;
            while i < text.len() {
                self.bytes[self.len + i] = text[i];
                i += 1;
            }
            self.len += text.len();
        }
    }

    /// The text.
    pub(crate) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "the plan is wrong",
        }
    }
}

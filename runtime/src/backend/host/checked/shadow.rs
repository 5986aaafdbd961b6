//! What is known of every address: who holds it, who last wrote it, who has read it since.
//!
//! Cells are disjoint, sorted, and split where accesses have different borders. Like the clocks they follow what is
//! *enqueued*: a judgement is the same in every order of execution.

use super::clock::Clocks;
use crate::backend::{Origin, Span};
use std::collections::BTreeMap;

/// What is done to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Read,
    Write,
    /// The pool hands it out; the poison is written.
    HandOut,
    /// The slab goes back.
    GiveBack,
}

/// An act, who does it, and where in the order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) act: Act,
    pub(super) origin: Origin,
    pub(super) stream: u64,
    pub(super) position: u64,
}

impl Use {
    fn is(&self, other: &Use) -> bool {
        (self.act, self.stream, self.position) == (other.act, other.stream, other.position)
    }
}

/// What is wrong with a use.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    /// Not ordered after this one.
    Race(Use),
    /// The memory is free; who held it last, if anybody did.
    Freed(Option<Use>),
    /// The memory has gone back with its slab.
    Gone(Use),
    /// Handed out, or given back, while this one holds it.
    Held(Use),
    /// Handed out or freed, but not memory of a slab.
    NoSlab,
}

impl Fault {
    fn is(&self, other: &Fault) -> bool {
        match (self, other) {
            (Fault::Race(a), Fault::Race(b))
            | (Fault::Gone(a), Fault::Gone(b))
            | (Fault::Held(a), Fault::Held(b))
            | (Fault::Freed(Some(a)), Fault::Freed(Some(b))) => a.is(b),
            (Fault::Freed(None), Fault::Freed(None)) | (Fault::NoSlab, Fault::NoSlab) => true,
            _ => false,
        }
    }
}

/// A violation, as data. `by` is `None` for a free, which has no stream.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) by: Option<Use>,
    pub(super) span: Span,
    pub(super) fault: Fault,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Never part of a slab: foreign. Judged for order alone.
    Foreign,
    Free {
        held: Option<Use>,
    },
    Held {
        by: Use,
    },
    Gone {
        by: Use,
    },
}

#[derive(Debug, Clone)]
struct Cell {
    end: usize,
    state: State,
    write: Option<Use>,
    /// Since that write, the latest of each stream.
    reads: Vec<Use>,
}

impl Cell {
    fn new(end: usize, state: State, write: Option<Use>) -> Self {
        Cell { end, state, write, reads: Vec::new() }
    }

    /// Whatever `by` is not ordered after.
    fn races(&self, by: &Use, clocks: &Clocks, mut each: impl FnMut(Fault)) {
        let reads: &[Use] = if by.act == Act::Read { &[] } else { &self.reads };
        for earlier in self.write.iter().chain(reads) {
            if !clocks.ordered(by.stream, earlier.stream, earlier.position) {
                each(Fault::Race(*earlier));
            }
        }
    }

    fn mark(&mut self, by: Use) {
        if by.act == Act::Read {
            self.reads.retain(|earlier| earlier.stream != by.stream);
            self.reads.push(by);
        } else {
            self.write = Some(by);
            self.reads.clear();
        }
    }
}

/// The map.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    cells: BTreeMap<usize, Cell>,
    /// Start to end and number, of all slabs ever taken; for reports.
    slabs: BTreeMap<usize, (usize, usize)>,
    taken: usize,
}

impl Shadow {
    /// A fresh slab: free, and nothing that happened at these addresses before matters.
    pub(super) fn take(&mut self, slab: &Span) {
        self.replace(slab, Cell::new(slab.end, State::Free { held: None }, None));
        self.slabs.retain(|&start, &mut (end, _)| end <= slab.start || start >= slab.end);
        self.slabs.insert(slab.start, (slab.end, self.taken));
        self.taken += 1;
    }

    /// A kernel's access. `false`: the memory may be gone, the kernel must not run.
    pub(super) fn access(&mut self, by: Use, span: &Span, clocks: &Clocks, found: &mut Vec<Finding>) -> bool {
        let mut there = true;
        self.visit(by, span, clocks, found, |state, add| match *state {
            State::Free { held } => add(Fault::Freed(held)),
            State::Gone { by } => {
                there = false;
                add(Fault::Gone(by));
            }
            State::Held { .. } | State::Foreign => {}
        });
        there
    }

    /// The pool hands `span` out. `false`: not memory of a slab, it must not be written.
    pub(super) fn hand_out(
        &mut self,
        by: Use,
        span: &Span,
        clocks: &Clocks,
        found: &mut Vec<Finding>,
    ) -> bool {
        let mut there = true;
        self.visit(by, span, clocks, found, |state, add| match *state {
            State::Free { .. } => {}
            State::Held { by } => add(Fault::Held(by)),
            State::Gone { by } => {
                there = false;
                add(Fault::Gone(by));
            }
            State::Foreign => {
                there = false;
                add(Fault::NoSlab);
            }
        });
        if there {
            self.replace(span, Cell::new(span.end, State::Held { by }, Some(by)));
        }
        there
    }

    /// The pool takes `span` back. Its marks stay: they are what the next holder must be ordered after.
    pub(super) fn free(&mut self, span: &Span, found: &mut Vec<Finding>) {
        self.cover(span);
        for (&start, cell) in self.cells.range_mut(span.clone()) {
            let fault = match cell.state {
                State::Held { by } => {
                    cell.state = State::Free { held: Some(by) };
                    continue;
                }
                State::Free { held } => Fault::Freed(held),
                State::Gone { by } => Fault::Gone(by),
                State::Foreign => Fault::NoSlab,
            };
            add(found, Finding { by: None, span: start..cell.end, fault });
        }
    }

    /// A slab goes back.
    pub(super) fn give(&mut self, by: Use, slab: &Span, clocks: &Clocks, found: &mut Vec<Finding>) {
        self.visit(by, slab, clocks, found, |state, add| {
            if let State::Held { by } = *state {
                add(Fault::Held(by));
            }
        });
        self.replace(slab, Cell::new(slab.end, State::Gone { by }, Some(by)));
    }

    /// The number of the slab that `span` starts in, and its place there.
    pub(super) fn place(&self, span: &Span) -> Option<(usize, Span)> {
        let (&start, &(end, number)) = self.slabs.range(..=span.start).next_back()?;
        (span.end <= end).then(|| (number, span.start - start..span.end - start))
    }

    /// Judges `by` against each cell of `span`, then marks it there.
    fn visit(
        &mut self,
        by: Use,
        span: &Span,
        clocks: &Clocks,
        found: &mut Vec<Finding>,
        mut judge: impl FnMut(&State, &mut dyn FnMut(Fault)),
    ) {
        self.cover(span);
        let first = found.len();
        for (&start, cell) in self.cells.range_mut(span.clone()) {
            let part = start..cell.end;
            // Findings of this call only: one that touches an earlier one of the same kind extends it.
            let mut each = |fault| {
                let finding = Finding { by: Some(by), span: part.clone(), fault };
                match found[first..].iter_mut().find(|f| f.span.end == start && f.fault.is(&fault)) {
                    Some(earlier) => earlier.span.end = part.end,
                    None => found.push(finding),
                }
            };
            judge(&cell.state, &mut each);
            cell.races(&by, clocks, each);
            cell.mark(by);
        }
    }

    /// Makes cells cover `span` exactly.
    fn cover(&mut self, span: &Span) {
        if span.is_empty() {
            return;
        }
        self.split(span.start);
        self.split(span.end);
        let mut gaps = Vec::new();
        let mut at = span.start;
        for (&start, cell) in self.cells.range(span.clone()) {
            if at < start {
                gaps.push(at..start);
            }
            at = cell.end;
        }
        if at < span.end {
            gaps.push(at..span.end);
        }
        for gap in gaps {
            self.cells.insert(gap.start, Cell::new(gap.end, State::Foreign, None));
        }
    }

    fn split(&mut self, at: usize) {
        let Some((_, cell)) = self.cells.range_mut(..at).next_back() else { return };
        if cell.end > at {
            let rest = cell.clone();
            cell.end = at;
            self.cells.insert(at, rest);
        }
    }

    /// One cell instead of all those in `span`.
    fn replace(&mut self, span: &Span, cell: Cell) {
        if span.is_empty() {
            return;
        }
        self.split(span.start);
        self.split(span.end);
        while let Some((&start, _)) = self.cells.range(span.clone()).next() {
            self.cells.remove(&start);
        }
        self.cells.insert(span.start, cell);
    }
}

fn add(found: &mut Vec<Finding>, finding: Finding) {
    match found.last_mut() {
        Some(last)
            if last.by.is_none() && last.span.end == finding.span.start && last.fault.is(&finding.fault) =>
        {
            last.span.end = finding.span.end;
        }
        _ => found.push(finding),
    }
}

//! Says from a trace of driver calls alone what is ordered and what is not.
//!
//! Vector clocks (Lamport, Mattern): each stream counts its work; an event carries what its stream knew when it was
//! recorded; a wait, and the host when it has waited, learn that. The host knows only what it has waited for, and all that
//! it enqueues later comes after that. Two accesses to a byte of which one writes must be ordered; taking and giving back
//! memory write all of it; and every access must lie in memory that is out.
//!
//! It knows nothing of plans, ledgers and pools, and shares no code with them or with checked mode.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use streamlease_stub_driver::{Record, What};

/// Up to which piece of its work each stream is known to be done.
type Clock = BTreeMap<u64, u64>;

fn learn(clock: &mut Clock, other: &Clock) {
    for (&stream, &position) in other {
        let known = clock.entry(stream).or_default();
        *known = position.max(*known);
    }
}

/// A point of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Point {
    stream: u64,
    position: u64,
}

impl Point {
    fn is_before(self, clock: &Clock) -> bool {
        clock.get(&self.stream).is_some_and(|&known| known >= self.position)
    }
}

/// Who last used a range of bytes.
#[derive(Debug, Clone, Default)]
struct Uses {
    write: Option<Point>,
    reads: Vec<Point>,
}

/// What is wrong with a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Two uses of the same bytes, of which one writes, and nothing orders them.
    Race {
        /// The number of the record of the later one.
        at: usize,
        /// The streams, earlier use first, in the order in which streams appear in the trace.
        streams: (usize, usize),
        /// What the later one is.
        what: &'static str,
    },
    /// A use of memory that has been given back, or was never taken.
    Stray {
        /// The number of the record.
        at: usize,
    },
    /// Page-locked memory given back while the device may use it.
    HostInUse {
        /// The number of the record.
        at: usize,
    },
    /// A call that no program should make.
    Misuse {
        /// The number of the record.
        at: usize,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Race { at, streams: (a, b), what } => {
                write!(f, "#{at}: {what} on stream {b} is not ordered after the use on stream {a}")
            }
            Fault::Stray { at } => write!(f, "#{at}: memory that is not out is used"),
            Fault::HostInUse { at } => {
                write!(f, "#{at}: page-locked memory is given back while it is in use")
            }
            Fault::Misuse { at } => write!(f, "#{at}: a call that no program should make"),
        }
    }
}

/// What is wrong with the trace; nothing, if all is ordered.
#[must_use]
pub fn faults(records: &[Record]) -> Vec<Fault> {
    let mut judge = Judge::default();
    for (at, record) in records.iter().enumerate() {
        judge.record(at, record);
    }
    judge.faults
}

#[derive(Default)]
struct Judge {
    streams: Vec<u64>,
    clocks: HashMap<u64, Clock>,
    events: HashMap<u64, Clock>,
    host: Clock,
    /// Device memory that is out, by address.
    taken: BTreeMap<u64, u64>,
    /// Uses of bytes, by the address of the first; ranges do not overlap.
    uses: BTreeMap<u64, (u64, Uses)>,
    /// Page-locked memory that is out.
    locked: BTreeMap<u64, u64>,
    faults: Vec<Fault>,
}

impl Judge {
    fn record(&mut self, at: usize, record: &Record) {
        let Record { what, stream, object, bytes } = *record;
        match what {
            What::Work => {
                self.enqueue(stream);
            }
            What::Reads => self.access(at, stream, object..object + bytes, false),
            What::Writes => self.access(at, stream, object..object + bytes, true),
            What::Takes => {
                self.enqueue(stream);
                self.taken.insert(object, bytes);
                self.uses(at, stream, object..object + bytes, true, "taking memory");
            }
            What::Gives => {
                self.enqueue(stream);
                self.uses(at, stream, object..object + bytes, true, "giving memory back");
                self.taken.remove(&object);
            }
            What::TakesHost => {
                self.locked.insert(object, bytes);
                self.forget(object..object + bytes);
            }
            What::GivesHost => {
                self.locked.remove(&object);
                self.split(object..object + bytes);
                let within = self.uses.range(object..object + bytes);
                let points: Vec<Point> = within.flat_map(|(_, (_, uses))| uses.all()).collect();
                if points.iter().any(|point| !point.is_before(&self.host)) {
                    self.faults.push(Fault::HostInUse { at });
                }
                self.forget(object..object + bytes);
            }
            What::Records => {
                let clock = self.enqueue(stream).clone();
                self.events.insert(object, clock);
            }
            What::Waits => {
                self.enqueue(stream);
                let known = self.events.get(&object).cloned().unwrap_or_default();
                learn(self.clocks.entry(stream).or_default(), &known);
            }
            What::KnowsEvent => {
                let known = self.events.get(&object).cloned().unwrap_or_default();
                learn(&mut self.host, &known);
            }
            What::KnowsStream => {
                let known = self.clocks.get(&stream).cloned().unwrap_or_default();
                learn(&mut self.host, &known);
            }
            What::KnowsAll => {
                let Judge { host, clocks, .. } = self;
                clocks.values().for_each(|known| learn(host, known));
            }
            What::Misuse => self.faults.push(Fault::Misuse { at }),
        }
    }

    /// The next piece of work of a stream: after its earlier ones, and after what the host knows.
    fn enqueue(&mut self, stream: u64) -> &Clock {
        if !self.streams.contains(&stream) {
            self.streams.push(stream);
        }
        let clock = self.clocks.entry(stream).or_default();
        learn(clock, &self.host);
        *clock.entry(stream).or_default() += 1;
        clock
    }

    fn access(&mut self, at: usize, stream: u64, range: std::ops::Range<u64>, writes: bool) {
        let holds = |blocks: &BTreeMap<u64, u64>| {
            let block = blocks.range(..=range.start).next_back();
            block.is_some_and(|(&from, &bytes)| range.end <= from + bytes)
        };
        // Ordinary memory of the host's is its owner's business: the driver copies it before the call returns.
        if !holds(&self.taken) && !holds(&self.locked) && self.is_device(&range) {
            self.faults.push(Fault::Stray { at });
        }
        self.uses(at, stream, range, writes, if writes { "a write" } else { "a read" });
    }

    /// Whether these bytes have been device memory.
    fn is_device(&self, range: &std::ops::Range<u64>) -> bool {
        let block = self.uses.range(..=range.start).next_back();
        block.is_some_and(|(&from, &(end, _))| from <= range.start && range.start < end)
    }

    fn uses(
        &mut self,
        at: usize,
        stream: u64,
        range: std::ops::Range<u64>,
        writes: bool,
        what: &'static str,
    ) {
        self.split(range.clone());
        let clock = self.clocks.entry(stream).or_default().clone();
        let now = Point { stream, position: clock.get(&stream).copied().unwrap_or_default() };
        let mut rival = None;
        for (_, (_, uses)) in self.uses.range_mut(range) {
            let earlier = uses.write.iter().chain(uses.reads.iter().filter(|_| writes));
            rival = rival.or(earlier.copied().find(|point| !point.is_before(&clock)));
            if writes {
                *uses = Uses { write: Some(now), reads: Vec::new() };
            } else {
                uses.reads.retain(|point| !point.is_before(&clock));
                uses.reads.push(now);
            }
        }
        if let Some(rival) = rival {
            let place = |stream| self.streams.iter().position(|&s| s == stream).unwrap_or_default();
            let streams = (place(rival.stream), place(stream));
            self.faults.push(Fault::Race { at, streams, what });
        }
    }

    /// Makes ranges begin and end where this one does, and cover it.
    fn split(&mut self, range: std::ops::Range<u64>) {
        for border in [range.start, range.end] {
            let over = self.uses.range(..border).next_back().map(|(&from, &(end, _))| (from, end));
            if let Some((from, end)) = over.filter(|&(_, end)| end > border) {
                let (_, uses) = self.uses.remove(&from).unwrap_or_default();
                self.uses.insert(from, (border, uses.clone()));
                self.uses.insert(border, (end, uses));
            }
        }
        let mut next = range.start;
        let within: Vec<(u64, u64)> =
            self.uses.range(range.clone()).map(|(&from, &(end, _))| (from, end)).collect();
        for (from, end) in within.into_iter().chain([(range.end, range.end)]) {
            if next < from {
                self.uses.insert(next, (from, Uses::default()));
            }
            next = end;
        }
    }

    fn forget(&mut self, range: std::ops::Range<u64>) {
        self.split(range.clone());
        let gone: Vec<u64> = self.uses.range(range).map(|(&from, _)| from).collect();
        gone.iter().for_each(|from| drop(self.uses.remove(from)));
    }
}

impl Uses {
    fn all(&self) -> impl Iterator<Item = Point> + '_ {
        self.write.iter().chain(&self.reads).copied()
    }
}

//! Timelines: positions, events, and the waits between streams.
//!
//! A node *opens* a position of its stream when it is entered and closes it when it is left. An event *covers* the
//! highest position such that it and all lower ones were closed when it was recorded, so an event recorded while
//! a node is open (by another thread, by a readback) does not pretend to cover that node. Whatever is enqueued
//! between nodes belongs to the next position.
//!
//! An event keeps its stream's row as it was when recorded; a wait merges **that** row, after the backend's call
//! has succeeded. An event belongs to one stream for good and is recorded anew only when nobody holds it.
//!
//! A use outside nodes (a library's call on a stream that the runtime knows) has no position of its own, and nobody says
//! when it has been enqueued; only that it has been once the storage is asked for again. Its mark is
//! [`Mark::AT_HEAD`] until then. Whoever must be ordered after it opens and closes a position and records: the
//! use was enqueued before, so whatever covers that position comes after it.
//!
//! Locks: one per stream, held for a look-up, a record or a wait, never two at once, never while user code runs.

use crate::backend::{Backend, Native, Priority, RawEvent, RawStream};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::lock::{Guard, Lock};
use crate::mark::{Mark, StreamId};
use crate::row::{MAX_STREAMS, Row};
use crate::stats::{StreamStats, WaitKind};
use crate::testing::Faults;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Events that each stream keeps besides those that runs hold.
const KEPT: usize = 64;

/// A recorded event.
pub(crate) struct Event {
    pub(crate) stream: StreamId,
    pub(crate) raw: RawEvent,
    /// The highest position that it covers.
    pub(crate) covers: u64,
    /// The position of the node that it was recorded for, 0 if for none. It comes after that node in any case, also
    /// where it covers less because another thread had a node open on the stream.
    pub(crate) at: u64,
    /// Its stream's row when it was recorded.
    pub(crate) row: Vec<u64>,
}

/// What a mark says of uses at earlier positions of its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stands {
    /// A write came after all of them, so the event of the very node that wrote is late enough.
    ForItself,
    /// Of several reads the mark with the highest position stays. A node that was open at a lower one may have
    /// enqueued its read later than that, so only an event that *covers* the position is late enough.
    ForEarlier,
}

/// What a lock of a stream protects.
pub(crate) struct Timeline {
    /// The position opened last.
    last: u64,
    /// Open positions, ascending.
    open: Vec<Open>,
    /// Kept events, oldest first; `covers` never falls.
    events: VecDeque<Arc<Event>>,
    pub(crate) stats: StreamStats,
}

/// A node that is open.
struct Open {
    mark: Mark,
    #[cfg_attr(not(feature = "__cuda"), allow(dead_code))]
    thread: usize,
}

/// Tells threads apart, as long as they live.
fn thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl Timeline {
    #[cfg(feature = "__cuda")]
    /// The mark of what the calling thread enqueues now: of its node that is open here, if there is one.
    pub(crate) fn mark_here(&self) -> Mark {
        let here = thread();
        self.open.iter().rev().find(|open| open.thread == here).map_or(Mark::AT_HEAD, |open| open.mark)
    }

    /// A position for what has been enqueued so far. See the module's documentation.
    pub(crate) fn place_head(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn covered(&self, faults: &Faults) -> u64 {
        match self.open.first() {
            Some(open) if !faults.open_counts_as_covered() => open.mark.position() - 1,
            _ => self.last,
        }
    }

    /// The oldest kept event that comes after what a mark at `position` stands for.
    fn find(&self, position: u64, stands: Stands) -> Option<Arc<Event>> {
        let own = match stands {
            Stands::ForItself => self.events.iter().rev().take(KEPT / 8).find(|e| e.at == position),
            Stands::ForEarlier => None,
        };
        let at = self.events.partition_point(|e| e.covers < position);
        own.or_else(|| self.events.get(at)).cloned()
    }

    /// The oldest event, to be recorded anew, if there are enough and nobody else holds it.
    fn spare(&mut self) -> Option<Arc<Event>> {
        if self.events.len() < KEPT {
            return None;
        }
        // Under the lock, and with no weak ones about, a count of one stays one.
        self.events.pop_front().filter(|oldest| Arc::strong_count(oldest) == 1)
    }
}

/// A physical stream.
pub(crate) struct Stream {
    pub(crate) id: StreamId,
    pub(crate) label: String,
    pub(crate) raw: RawStream,
    #[cfg_attr(not(feature = "__cuda"), allow(dead_code))]
    pub(crate) native: Native,
    pub(crate) row: Row,
    /// The position opened last, for those who need no exact answer.
    opened: AtomicU64,
    line: Lock<Timeline>,
}

impl Stream {
    fn new(id: StreamId, label: String, (raw, native): (RawStream, Native)) -> Self {
        let line =
            Timeline { last: 0, open: Vec::new(), events: VecDeque::new(), stats: StreamStats::default() };
        Stream { id, label, raw, native, row: Row::new(), opened: AtomicU64::new(0), line: Lock::new(line) }
    }

    pub(crate) fn lock(&self) -> Guard<'_, Timeline> {
        self.line.lock()
    }

    /// The position opened last; exact only for the thread that opened it.
    pub(crate) fn last_opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Whether work enqueued on this stream from now on runs after `position` of `stream`.
    #[inline]
    pub(crate) fn is_after(&self, stream: StreamId, position: u64) -> bool {
        stream == self.id || position <= self.row.get(stream)
    }

    /// Opens the next position, for a node of the run with this tag.
    #[inline]
    pub(crate) fn open(&self, line: &mut Timeline, tag: u16) -> u64 {
        line.last += 1;
        line.open.push(Open { mark: Mark::new(line.last, tag), thread: thread() });
        line.stats.nodes += 1;
        self.opened.store(line.last, Ordering::Relaxed);
        line.last
    }

    /// Closes an open position.
    #[inline]
    pub(crate) fn close(line: &mut Timeline, position: u64) {
        if line.open.last().is_some_and(|open| open.mark.position() == position) {
            line.open.pop();
        } else if let Ok(at) = line.open.binary_search_by_key(&position, |open| open.mark.position()) {
            line.open.remove(at);
        }
    }

    /// Records an event after everything enqueued so far; `at` is the position of the node that it is for, or 0.
    pub(crate) fn record(&self, device: &Device, line: &mut Timeline, at: u64) -> Result<Arc<Event>> {
        let covers = line.covered(&device.faults);
        let mut event = line.spare().unwrap_or_else(|| {
            Arc::new(Event { stream: self.id, raw: RawEvent::default(), covers: 0, at: 0, row: Vec::new() })
        });
        // Fresh, or found unshared: nobody else can be looking at it.
        if let Some(event) = Arc::get_mut(&mut event) {
            device.backend.record(self.raw, &mut event.raw)?;
            event.covers = covers;
            event.at = at;
            self.row.snapshot(device.stream_count(), &mut event.row);
        }
        line.stats.records += 1;
        line.events.push_back(event.clone());
        Ok(event)
    }

    /// Makes later work of this stream run after `event`. No call if it does already, unless `force`d.
    pub(crate) fn wait(
        &self,
        device: &Device,
        line: &mut Timeline,
        event: &Event,
        kind: WaitKind,
        force: bool,
    ) -> Result<bool> {
        if !force && self.is_after(event.stream, event.covers.max(event.at)) {
            return Ok(false);
        }
        device.backend.wait(self.raw, &event.raw)?;
        self.learn(line, event);
        if device.faults.imports_todays_row() {
            let other = device.stream(event.stream);
            for stream in device.streams().filter(|s| s.id != self.id) {
                self.row.raise(stream.id, other.row.get(stream.id));
            }
        }
        line.stats.waits.count(kind);
        Ok(true)
    }

    /// Takes over what `event` knew, under the lock that guards `line`.
    fn learn(&self, _line: &mut Timeline, event: &Event) {
        for (ix, &position) in event.row.iter().enumerate() {
            if ix != self.id.ix() {
                self.row.raise(StreamId(ix as u16), position);
            }
        }
        if event.stream != self.id {
            self.row.raise(event.stream, event.covers);
        }
    }
}

/// A device and its streams.
pub(crate) struct Device {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) faults: Faults,
    /// Every stream ever made, by its number.
    streams: boxcar::Vec<Arc<Stream>>,
    /// How many there are, and who may add one.
    count: AtomicUsize,
    adding: Mutex<()>,
}

impl Device {
    pub(crate) fn new(backend: Arc<dyn Backend>, faults: Faults) -> Self {
        Device {
            backend,
            faults,
            streams: boxcar::Vec::new(),
            count: AtomicUsize::new(0),
            adding: Mutex::new(()),
        }
    }

    /// Makes a stream.
    pub(crate) fn add_stream(&self, label: &str, priority: Priority) -> Result<Arc<Stream>> {
        self.add(label, || {
            let raw = self.backend.stream(label, priority)?;
            Ok((raw, self.backend.native(raw)))
        })
    }

    /// Takes a stream in.
    pub(crate) fn add(
        &self,
        label: &str,
        make: impl FnOnce() -> Result<(RawStream, Native)>,
    ) -> Result<Arc<Stream>> {
        let _adding = self.adding.lock();
        let count = self.stream_count();
        if count == MAX_STREAMS {
            let text =
                format!("a runtime can make {MAX_STREAMS} streams in its life; share streams between lanes");
            return Err(Error::new(ErrorKind::Unsupported, text));
        }
        let stream = Arc::new(Stream::new(StreamId(count as u16), label.to_owned(), make()?));
        self.streams.push(stream.clone());
        self.count.store(count + 1, Ordering::Release);
        Ok(stream)
    }

    pub(crate) fn stream(&self, id: StreamId) -> &Arc<Stream> {
        &self.streams[id.ix()]
    }

    pub(crate) fn streams(&self) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.iter().map(|(_, stream)| stream)
    }

    fn stream_count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// The program has waited for `event` on the host: every stream is ordered after it from now on.
    pub(crate) fn learn_everywhere(&self, event: &Event) {
        for stream in self.streams() {
            stream.learn(&mut stream.lock(), event);
        }
    }
}

/// Makes `stream` run after what a mark of `ledger` stands for: by the oldest kept event that is late enough, else by
/// one recorded at the head (late). Nothing is done where the order holds already.
pub(crate) fn order_after(
    device: &Device,
    stream: &Stream,
    ledger: &Ledger,
    (other, mark, stands): (StreamId, Mark, Stands),
    kind: WaitKind,
) -> Result<()> {
    let mut position = mark.position();
    if stream.is_after(other, position) {
        return Ok(());
    }
    let other = device.stream(other);
    let (event, late) = {
        let mut line = other.lock();
        match line.find(position, stands) {
            Some(event) => (event, false),
            None if mark.is_at_head() => {
                position = line.place_head();
                let event = other.record(device, &mut line, position)?;
                ledger.place(other.id, position);
                (event, true)
            }
            None => (other.record(device, &mut line, 0)?, true),
        }
    };
    // A position that is still open cannot be covered; its use is enqueued all the same (the borrow has ended),
    // so the head is late enough, for this once: the row must not learn that the position is behind.
    let open = event.covers < position;
    let mut line = stream.lock();
    // Another thread may have made this very wait meanwhile: then there is none to be counted.
    let waited = stream.wait(device, &mut line, &event, kind, open)?;
    line.stats.waits.late += u64::from(late && waited);
    Ok(())
}

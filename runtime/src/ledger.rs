//! Ledgers: what a storage must be waited for.
//!
//! A ledger holds the storage's last write and, per stream, its last read, each a [`Mark`]. Whoever reads must be
//! ordered after the write; whoever writes, after all of it. A write is ordered after everything before it, so it
//! replaces the whole ledger; taking memory counts as the first write.
//!
//! Reads mark by atomic maximum, since several threads may lend one buffer at once; writes by plain stores, since
//! `&mut` excludes everybody else. Whatever hands a buffer from thread to thread also hands over its marks.

use crate::mark::{Mark, StreamId};
use crate::timeline::Stream;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Streams whose reads are kept inline; others spill.
const INLINE: usize = 4;

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Ledger {
    write: AtomicU64,
    write_stream: AtomicU32,
    reads: [Read; INLINE],
    spill: OnceLock<Box<Spill>>,
}

/// Reads on further streams.
type Spill = Mutex<Vec<(StreamId, Mark)>>;

/// The last read on one stream. Slots fill from the front and are emptied together, so the first free one ends
/// the list.
#[derive(Default)]
struct Read {
    /// The stream's number plus one; 0 while the slot is free.
    stream: AtomicU32,
    mark: AtomicU64,
}

impl Read {
    fn get(&self) -> Option<(StreamId, Mark)> {
        let stream = self.stream.load(Relaxed).checked_sub(1)?;
        Some((StreamId(stream as u16), Mark::from_bits(self.mark.load(Relaxed))))
    }
}

impl Ledger {
    #[inline]
    pub(crate) fn last_write(&self) -> (StreamId, Mark) {
        (StreamId(self.write_stream.load(Relaxed) as u16), Mark::from_bits(self.write.load(Relaxed)))
    }

    /// Calls `f` with every read mark.
    #[inline]
    pub(crate) fn each_read(&self, mut f: impl FnMut(StreamId, Mark)) {
        for slot in &self.reads {
            let Some((stream, mark)) = slot.get() else { return };
            f(stream, mark);
        }
        if let Some(spill) = self.spill.get() {
            for &(stream, mark) in spill.lock().iter() {
                f(stream, mark);
            }
        }
    }

    /// Calls `f` with every mark.
    #[inline]
    pub(crate) fn each_mark(&self, mut f: impl FnMut(StreamId, Mark)) {
        let (stream, mark) = self.last_write();
        if !mark.is_none() {
            f(stream, mark);
        }
        self.each_read(f);
    }

    /// Whether `stream` is ordered after the last write.
    #[inline]
    pub(crate) fn may_read(&self, stream: &Stream) -> bool {
        let (writer, mark) = self.last_write();
        stream.is_after(writer, mark.position())
    }

    /// Whether `stream` is ordered after every use.
    #[inline]
    pub(crate) fn may_write(&self, stream: &Stream) -> bool {
        let mut met = self.may_read(stream);
        self.each_read(|reader, mark| met &= stream.is_after(reader, mark.position()));
        met
    }

    /// Whether every mark is one of `stream`'s own.
    pub(crate) fn is_only_of(&self, stream: StreamId) -> bool {
        let mut own = true;
        self.each_mark(|user, _| own &= user == stream);
        own
    }

    /// Notes a read.
    #[inline]
    pub(crate) fn mark_read(&self, stream: StreamId, mark: Mark) {
        let key = u32::from(stream.0) + 1;
        for slot in &self.reads {
            let mut owner = slot.stream.load(Relaxed);
            if owner == 0 {
                owner = slot.stream.compare_exchange(0, key, Relaxed, Relaxed).map_or_else(|o| o, |_| key);
            }
            if owner == key {
                // Two lanes on one physical stream may come in the wrong order: the later position stays. By hand,
                // since `fetch_max` loads once more.
                let mut seen = slot.mark.load(Relaxed);
                while seen < mark.bits() {
                    match slot.mark.compare_exchange_weak(seen, mark.bits(), Relaxed, Relaxed) {
                        Ok(_) => break,
                        Err(now) => seen = now,
                    }
                }
                return;
            }
        }
        self.spill_read(stream, mark);
    }

    #[cold]
    fn spill_read(&self, stream: StreamId, mark: Mark) {
        let mut spill = self.spill.get_or_init(Box::default).lock();
        match spill.iter_mut().find(|(s, _)| *s == stream) {
            Some((_, kept)) => *kept = mark.max(*kept),
            None => spill.push((stream, mark)),
        }
    }

    /// Notes a write by a stream that is ordered after every use so far. The caller has the buffer to itself.
    #[inline]
    pub(crate) fn mark_write(&self, stream: StreamId, mark: Mark) {
        self.clear();
        self.write_stream.store(u32::from(stream.0), Relaxed);
        self.write.store(mark.bits(), Relaxed);
    }

    /// Marks of `stream` that had no place yet are at `position` from now on. Several threads may find a place for the
    /// same write, and any of them is late enough; whoever places reads has the storage to itself.
    pub(crate) fn place(&self, stream: StreamId, position: u64) {
        let (head, placed) = (Mark::AT_HEAD.bits(), Mark::new(position, 0).bits());
        if self.last_write().0 == stream {
            let _ = self.write.compare_exchange(head, placed, Relaxed, Relaxed);
        }
        let key = u32::from(stream.0) + 1;
        for slot in self.reads.iter().filter(|slot| slot.stream.load(Relaxed) == key) {
            let _ = slot.mark.compare_exchange(head, placed, Relaxed, Relaxed);
        }
        if let Some(spill) = self.spill.get() {
            for (_, mark) in spill.lock().iter_mut().filter(|(s, m)| *s == stream && m.is_at_head()) {
                *mark = Mark::new(position, 0);
            }
        }
    }

    /// Forgets every mark: the device has finished with the storage, or a write follows.
    #[inline]
    pub(crate) fn clear(&self) {
        self.write.store(0, Relaxed);
        for slot in &self.reads {
            if slot.stream.load(Relaxed) == 0 {
                return;
            }
            slot.stream.store(0, Relaxed);
            slot.mark.store(0, Relaxed);
        }
        if let Some(spill) = self.spill.get() {
            spill.lock().clear();
        }
    }

    /// Forgets what `stream` did up to `position`: the device has finished that. Nobody else may have the storage.
    pub(crate) fn forget(&self, stream: StreamId, position: u64) {
        let done = |user, mark: Mark| user == stream && mark.position() <= position;
        let (writer, write) = self.last_write();
        let mut reads = Vec::new();
        self.each_read(|user, mark| reads.push((user, mark)));
        self.clear();
        if !write.is_none() && !done(writer, write) {
            self.mark_write(writer, write);
        }
        reads
            .iter()
            .filter(|&&(user, mark)| !done(user, mark))
            .for_each(|&(user, mark)| self.mark_read(user, mark));
    }

    /// The ledger of memory that was this one's and `other`'s: the later mark of each stream.
    pub(crate) fn absorb(&self, other: &Ledger) {
        // Two writes do not fit the one slot; as reads they ask for no less, since a free block is only written.
        let (stream, mark) = self.last_write();
        self.write.store(0, Relaxed);
        if !mark.is_none() {
            self.mark_read(stream, mark);
        }
        other.each_mark(|stream, mark| self.mark_read(stream, mark));
    }

    /// A second ledger with the same marks: both halves of a block that is split keep them.
    pub(crate) fn copy(&self) -> Ledger {
        let copy = Ledger::default();
        let (stream, mark) = self.last_write();
        copy.mark_write(stream, mark);
        self.each_read(|stream, mark| copy.mark_read(stream, mark));
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(ledger: &Ledger) -> Vec<(u16, u64)> {
        let mut out = Vec::new();
        ledger.each_mark(|s, m| out.push((s.0, m.position())));
        out.sort_unstable();
        out
    }

    #[test]
    fn keeps_the_later_read_of_each_stream_and_spills() {
        let ledger = Ledger::default();
        for stream in 0..7 {
            for position in [5, 9, 7] {
                ledger.mark_read(StreamId(stream), Mark::new(position, 1));
            }
        }
        assert_eq!(marks(&ledger), (0..7).map(|s| (s, 9)).collect::<Vec<_>>());
    }

    #[test]
    fn a_write_replaces_everything() {
        let ledger = Ledger::default();
        for stream in 0..6 {
            ledger.mark_read(StreamId(stream), Mark::new(3, 1));
        }
        ledger.mark_write(StreamId(2), Mark::new(4, 1));
        assert_eq!(marks(&ledger), [(2, 4)]);
    }

    #[test]
    fn merging_keeps_the_maximum_and_splitting_keeps_all() {
        let (a, b) = (Ledger::default(), Ledger::default());
        a.mark_write(StreamId(0), Mark::new(8, 1));
        a.mark_read(StreamId(1), Mark::new(2, 1));
        b.mark_write(StreamId(0), Mark::new(5, 1));
        b.mark_read(StreamId(1), Mark::new(6, 1));
        b.mark_read(StreamId(9), Mark::new(1, 1));
        a.absorb(&b);
        assert_eq!(marks(&a), [(0, 8), (1, 6), (9, 1)]);
        assert_eq!(marks(&a.copy()), marks(&a));
    }

    #[test]
    fn what_is_done_is_forgotten_and_nothing_else() {
        let ledger = Ledger::default();
        ledger.mark_write(StreamId(3), Mark::new(4, 1));
        for stream in 0..6 {
            ledger.mark_read(StreamId(stream), Mark::new(7, 1));
        }
        ledger.forget(StreamId(1), 7);
        ledger.forget(StreamId(3), 5);
        ledger.forget(StreamId(0), 6);
        assert_eq!(marks(&ledger), [(0, 7), (2, 7), (3, 7), (4, 7), (5, 7)]);
    }

    #[test]
    fn concurrent_readers_lose_no_mark() {
        let ledger = Ledger::default();
        std::thread::scope(|scope| {
            for thread in 0..4_u16 {
                let ledger = &ledger;
                scope.spawn(move || {
                    for position in 1..=1000 {
                        ledger.mark_read(
                            StreamId(position as u16 % 6),
                            Mark::new(position * 4 + u64::from(thread), 1),
                        );
                    }
                });
            }
        });
        let marks = marks(&ledger);
        assert_eq!(marks.iter().map(|m| m.0).collect::<Vec<_>>(), (0..6).collect::<Vec<_>>());
        assert_eq!(marks.iter().map(|m| m.1).max(), Some(4003));
    }
}

//! Which uses ask the storage's own ledger.
//!
//! What comes from outside (a parameter, a called chunk's result, a host value) may have been written and read by
//! anybody before; what is lent to a called chunk may be read, or written, on any stream. Until this chunk
//! writes the place itself, a write or a taking asks the ledger. A read asks it as long as a writer may be
//! outstanding that its stream has not met: one asking read on a stream covers the later ones there.
//!
//! Times are step numbers plus one; 0 is "before the chunk", and what has never happened.

use crate::body::{Chunk, Mode, Origin, PlaceIx, StreamIx};
use crate::nest::Nest;
use crate::uses::Planned;

/// What others may have done to one place, and when this chunk last settled it.
#[derive(Debug, Clone, Default)]
struct Foreign {
    /// Since when others may have written it.
    writers: Option<usize>,
    /// Since when others may have read it.
    readers: Option<usize>,
    /// When this chunk last wrote it.
    own_write: usize,
    /// When each stream last asked its ledger; empty if none has.
    asked: Vec<usize>,
}

/// The foreign uses of all places.
pub(super) struct Ledgers<'a> {
    nest: &'a Nest,
    streams: usize,
    places: Vec<Foreign>,
}

impl<'a> Ledgers<'a> {
    pub(super) fn new(chunk: &Chunk, nest: &'a Nest) -> Ledgers<'a> {
        let foreign = |origin| if matches!(origin, Origin::Node(_)) { None } else { Some(0) };
        let places = chunk
            .places
            .iter()
            .map(|p| {
                let since = foreign(chunk.names[p.name].origin);
                Foreign { writers: since, readers: since, ..Foreign::default() }
            })
            .collect();
        Ledgers { nest, streams: chunk.streams.len(), places }
    }

    /// Whether a use asks the ledger; notes that its stream has.
    pub(super) fn uses(&mut self, step: usize, stream: StreamIx, u: Planned) -> bool {
        let asks = self.nest.overlapping(u.place).any(|p| {
            let inner = self.nest.inner(p, u.place);
            let open = |since: usize| !self.settled(inner, since, |f| f.own_write);
            let foreign = &self.places[p];
            match u.mode {
                Mode::Read => foreign.writers.is_some_and(|since| {
                    open(since) && !self.settled(inner, since, |f| f.asked.get(stream).copied().unwrap_or(0))
                }),
                Mode::Write | Mode::Consume => foreign.writers.into_iter().chain(foreign.readers).any(open),
            }
        });
        if asks {
            let asked = &mut self.places[u.place].asked;
            asked.resize(self.streams, 0);
            asked[stream] = step + 1;
        }
        asks
    }

    /// Whether something that settles a place happened to it, or to a place around it, after a time.
    fn settled(&self, place: PlaceIx, since: usize, when: impl Fn(&Foreign) -> usize) -> bool {
        self.nest.around(place).iter().any(|&p| when(&self.places[p]) > since)
    }

    /// This chunk has written, made or taken a place.
    pub(super) fn wrote(&mut self, step: usize, place: PlaceIx) {
        self.places[place].own_write = step + 1;
    }

    /// A called chunk was lent a place.
    pub(super) fn lent(&mut self, step: usize, place: PlaceIx, to_write: bool) {
        let foreign = &mut self.places[place];
        foreign.readers = Some(step + 1);
        if to_write {
            foreign.writers = Some(step + 1);
        }
    }
}

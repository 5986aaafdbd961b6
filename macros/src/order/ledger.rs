//! Which uses ask the storage's own ledger.
//!
//! What comes from outside (a parameter, a called chunk's result, a host value) may have been written and read by
//! anybody before; what is lent to a called chunk may be read, or written, on any stream. Until this chunk
//! writes the place itself, a write or a taking asks the ledger. A read asks it as long as a writer may be
//! outstanding that its stream has not met: one asking read on a stream covers the later ones there.
//!
//! As with own uses, what is said of a place is stored with it and with every place inside it.

use crate::body::{Chunk, Mode, Origin, PlaceIx, StreamIx};
use crate::nest::Nest;
use crate::uses::Planned;

/// What others may have done to one place since this chunk last settled it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Foreign {
    /// Others may have written it.
    wrote: bool,
    /// Others may have read it.
    read: bool,
    /// The streams that have asked its ledger since others may have written it, a bit each.
    asked: u16,
}

/// The foreign uses of all places.
#[derive(Clone, PartialEq)]
pub(super) struct Ledgers {
    places: Vec<Foreign>,
}

const ANYBODY: Foreign = Foreign { wrote: true, read: true, asked: 0 };

impl Ledgers {
    pub(super) fn new(chunk: &Chunk) -> Ledgers {
        let foreign = |p: &crate::body::Place| match chunk.names[p.name].origin {
            Origin::Node(_) | Origin::Several => Foreign::default(),
            _ => ANYBODY,
        };
        Ledgers { places: chunk.places.iter().map(foreign).collect() }
    }

    pub(super) fn join(&mut self, other: &Ledgers) {
        for (mine, other) in self.places.iter_mut().zip(&other.places) {
            // A path on which nobody else has written it needs no asking.
            let asked = |f: &Foreign| if f.wrote { f.asked } else { u16::MAX };
            let asked = asked(mine) & asked(other);
            mine.wrote |= other.wrote;
            mine.read |= other.read;
            mine.asked = if mine.wrote { asked } else { 0 };
        }
    }

    /// Whether a use asks the ledger; notes that its stream has, and that it has written.
    pub(super) fn uses(&mut self, nest: &Nest, stream: StreamIx, u: Planned) -> bool {
        let all = || std::iter::once(u.place).chain(nest.within(u.place).iter().copied());
        let bit = 1 << stream;
        let asks = all().map(|p| self.places[p]).any(|f| match u.mode {
            Mode::Read => f.wrote && f.asked & bit == 0,
            Mode::Write | Mode::Consume => f.wrote || f.read,
        });
        if asks {
            all().for_each(|p| self.places[p].asked |= bit);
        }
        asks
    }

    /// This chunk has written, made or taken a place.
    pub(super) fn wrote(&mut self, nest: &Nest, place: PlaceIx) {
        self.own(place);
        nest.within(place).iter().for_each(|&p| self.own(p));
    }

    /// Only this chunk has used a place.
    pub(super) fn own(&mut self, place: PlaceIx) {
        self.places[place] = Foreign::default();
    }

    /// Anybody may have used a place.
    pub(super) fn foreign(&mut self, place: PlaceIx) {
        self.places[place] = ANYBODY;
    }

    /// A called chunk was lent a place.
    pub(super) fn lent(&mut self, nest: &Nest, place: PlaceIx, to_write: bool) {
        for p in std::iter::once(place).chain(nest.within(place).iter().copied()) {
            if to_write {
                self.foreign(p);
            } else {
                self.places[p].read = true;
            }
        }
    }
}

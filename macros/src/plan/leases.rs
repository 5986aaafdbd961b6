//! Numbers for places.

use streamlease_plan as out;

use super::{LeaseData, ix};
use crate::body::{Chunk, NameIx, Origin, PlaceIx};
use crate::nest::Nest;

/// The leases so far, by first appearance.
pub(super) struct Leases<'a> {
    chunk: &'a Chunk,
    by_place: Vec<Option<usize>>,
    by_name: Vec<Option<usize>>,
    leases: Vec<LeaseData>,
    /// Of places, so that overlaps can be looked up.
    roots: Vec<Option<PlaceIx>>,
}

impl<'a> Leases<'a> {
    pub(super) fn new(chunk: &'a Chunk) -> Leases<'a> {
        let mut roots = vec![None; chunk.names.len()];
        for (place, p) in chunk.places.iter().enumerate().filter(|(_, p)| p.path.is_empty()) {
            roots[p.name] = Some(place);
        }
        Leases {
            chunk,
            by_place: vec![None; chunk.places.len()],
            by_name: vec![None; chunk.names.len()],
            leases: Vec::new(),
            roots,
        }
    }

    /// The lease of a place.
    pub(super) fn of_place(&mut self, place: PlaceIx) -> out::LeaseIx {
        if let Some(lease) = self.by_place[place] {
            return ix(lease);
        }
        let p = &self.chunk.places[place];
        let lease = self.push(p.name, &p.path);
        self.by_place[place] = Some(lease);
        if p.path.is_empty() {
            self.by_name[p.name] = Some(lease);
        }
        ix(lease)
    }

    /// The lease of a name as a whole.
    pub(super) fn of_name(&mut self, name: NameIx) -> out::LeaseIx {
        match (self.roots[name], self.by_name[name]) {
            (Some(root), _) => self.of_place(root),
            (None, Some(lease)) => ix(lease),
            (None, None) => {
                let lease = self.push(name, &[]);
                self.by_name[name] = Some(lease);
                ix(lease)
            }
        }
    }

    fn push(&mut self, name: NameIx, path: &[String]) -> usize {
        let binding = &self.chunk.names[name];
        let mut text = binding.ident.to_string();
        for part in path {
            text.push('.');
            text.push_str(part);
        }
        let source = match binding.origin {
            Origin::Owned => out::Source::Owned,
            Origin::Shared => out::Source::Shared,
            Origin::Exclusive => out::Source::Exclusive,
            Origin::Node(n) => out::Source::Node(ix(n)),
            Origin::Call(_) => out::Source::Call,
            Origin::Host(_) => out::Source::Host,
            Origin::Several => out::Source::Several,
            Origin::Item => out::Source::Item,
        };
        self.leases.push(LeaseData { name: text, source, overlaps: Vec::new() });
        self.leases.len() - 1
    }

    /// The table with its overlaps, and the leases by name and by place.
    pub(super) fn finish(mut self) -> (Vec<LeaseData>, Vec<Option<usize>>, Vec<Option<usize>>) {
        let nest = Nest::new(self.chunk);
        for (place, lease) in self.by_place.iter().enumerate() {
            let Some(lease) = *lease else { continue };
            let others = nest.overlapping(place).skip(1).filter_map(|p| self.by_place[p]).map(ix);
            self.leases[lease].overlaps = others.collect();
            self.leases[lease].overlaps.sort_unstable();
        }
        (self.leases, self.by_name, self.by_place)
    }
}

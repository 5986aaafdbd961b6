//! Which places of a chunk lie within which others.
//!
//! A use of `s` is a use of `s.a`, and the other way round; `s.a` and `s.b` have nothing to do with each other.
//! Phases ask this of every use, so the two directions are tables, made once.

use std::collections::HashMap;

use crate::body::{Chunk, NameIx, PlaceIx};

/// For each place the places around it and inside it.
#[derive(Debug)]
pub(crate) struct Nest {
    /// The place itself, then the places that contain it, innermost first.
    around: Vec<Vec<PlaceIx>>,
    /// The places strictly within it.
    within: Vec<Vec<PlaceIx>>,
}

impl Nest {
    /// Reads the chunk's places.
    pub(crate) fn new(chunk: &Chunk) -> Nest {
        let by_path: HashMap<(NameIx, &[String]), PlaceIx> =
            chunk.places.iter().enumerate().map(|(ix, p)| ((p.name, p.path.as_slice()), ix)).collect();
        let around: Vec<Vec<PlaceIx>> = chunk
            .places
            .iter()
            .map(|p| {
                (0..=p.path.len())
                    .rev()
                    .filter_map(|k| by_path.get(&(p.name, &p.path[..k])).copied())
                    .collect()
            })
            .collect();
        let mut within = vec![Vec::new(); chunk.places.len()];
        for (ix, line) in around.iter().enumerate() {
            for &outer in &line[1..] {
                within[outer].push(ix);
            }
        }
        Nest { around, within }
    }

    /// The place itself, then the places that contain it, innermost first.
    pub(crate) fn around(&self, place: PlaceIx) -> &[PlaceIx] {
        &self.around[place]
    }

    /// The places strictly within it.
    pub(crate) fn within(&self, place: PlaceIx) -> &[PlaceIx] {
        &self.within[place]
    }

    /// Every place whose use is a use of this one, itself first.
    pub(crate) fn overlapping(&self, place: PlaceIx) -> impl Iterator<Item = PlaceIx> + '_ {
        self.around[place].iter().chain(&self.within[place]).copied()
    }
}

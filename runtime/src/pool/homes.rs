//! Which homes there are: a chunk on a lane, or a lane's code outside chunks.
//!
//! A lane that is dropped leaves blocks behind that nobody waits for any more, and a program that makes a lane for each
//! request would grow by them. They are *orphans* then, and come home to whoever asks on the stream that took them; not
//! at once, since the next lane would wait for the last use of the one just gone, but one lane later.

use super::block::Block;
use crate::mark::HomeId;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Homes {
    /// Ascending.
    live: Vec<u32>,
    made: u32,
    /// The pool's clock when a lane was last dropped, and when one was before that.
    dropped: [u64; 2],
}

impl Homes {
    pub(super) fn add(&mut self) -> HomeId {
        self.made += 1;
        self.live.push(self.made);
        HomeId(self.made)
    }

    /// A lane has been dropped, with these homes.
    pub(super) fn remove(&mut self, homes: &[HomeId], now: u64) {
        self.live.retain(|&live| !homes.contains(&HomeId(live)));
        self.dropped = [now, self.dropped[0]];
    }

    /// Whether anybody may wait for the block: its home is gone, and another one has gone since.
    pub(super) fn is_orphan(&self, block: &Block) -> bool {
        block.released < self.dropped[1] && self.live.binary_search(&block.home.0).is_err()
    }
}

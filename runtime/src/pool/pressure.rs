//! What the pool does when it may not or cannot grow: it waits for free blocks of others, then gives whole free
//! slabs back and asks again. No lock of the pool is held while streams are made to wait.

use super::block::Block;
use super::free::Request;
use super::state::Spare;
use super::{Pool, Taker};
use crate::error::{Error, ErrorKind, Result};
use crate::mark::{Mark, StreamId};
use crate::stats::WaitKind;
use crate::timeline::{Device, Stands, Stream, order_after};

impl Pool {
    /// The limit is reached, or the device has `refused` more: waits for whatever fits, oldest first; else gives whole
    /// slabs back (as many as the limit asks for; all, once the device has refused) and grows; else reports.
    pub(super) fn under_pressure(
        &self,
        device: &Device,
        taker: &Taker<'_>,
        ask: Request<'_>,
        mut refused: Option<Error>,
    ) -> Result<Box<Block>> {
        let mut state = self.state.lock();
        if let Some(found) = state.free.oldest(ask, |_| true) {
            let block = state.take(found, ask);
            drop(state);
            return self.wait_for(device, taker.stream, block);
        }
        if let Some(run) = state.free.assemble(ask, |_| true) {
            let block = state.hand_out(run, ask);
            drop(state);
            return self.wait_for(device, taker.stream, block);
        }
        drop(state);
        let room = self.limit.saturating_sub(ask.slab_bytes());
        loop {
            let all = refused.is_some();
            let spares = self.state.lock().take_free_slabs(|memory| all || memory.reserved > room);
            let gave = !spares.is_empty();
            self.give_slabs(device, taker.stream, spares)?;
            if all && gave {
                device.backend.settle(taker.stream.raw)?;
            }
            match self.grow(device, taker, ask) {
                None => break,
                Some(Err(e)) if e.kind() == ErrorKind::OutOfMemory => refused = Some(e),
                Some(grown) => return grown,
            }
            if all {
                break;
            }
        }
        Err(self.out_of_memory(ask, refused))
    }

    fn out_of_memory(&self, ask: Request<'_>, refused: Option<Error>) -> Error {
        let memory = self.state.lock().memory();
        let end = match (&refused, self.limit) {
            (Some(_), _) => "the device has no more".to_owned(),
            (None, limit) => format!("the limit is {limit}"),
        };
        let text = format!(
            "{} bytes do not fit: {} of {} reserved bytes are live, {} kept back, and {end}",
            ask.bytes, memory.live, memory.reserved, memory.kept_back
        );
        let error = Error::new(ErrorKind::OutOfMemory, text).with_bytes(ask.bytes);
        match refused {
            Some(refused) => error.caused_by(refused),
            None => error,
        }
    }

    /// Makes `stream` wait for all marks of a block taken out of the free list.
    pub(super) fn wait_for(&self, device: &Device, stream: &Stream, block: Box<Block>) -> Result<Box<Block>> {
        let waited = wait_for_marks(device, stream, &block);
        if waited.is_err() {
            let mut state = self.state.lock();
            state.allocations -= 1;
            state.keep_back(block.bytes);
            let runtime = state.came_in();
            drop((state, runtime));
        }
        waited.map(|()| block)
    }

    /// Gives whole free slabs back to the device, in the order of `stream`.
    pub(crate) fn trim(&self, device: &Device, stream: &Stream) -> Result<()> {
        let spares = self.state.lock().take_free_slabs(|_| true);
        self.give_slabs(device, stream, spares)
    }

    /// At an error what has not been given back returns to the pool, its marks as before. Only the slab whose own
    /// return failed is kept back: the device may have it or not.
    fn give_slabs(&self, device: &Device, stream: &Stream, spares: Vec<Spare>) -> Result<()> {
        let mut failed = Ok(());
        for spare in spares {
            if failed.is_ok() {
                failed = spare.blocks.iter().try_for_each(|block| wait_for_marks(device, stream, block));
            }
            if failed.is_err() {
                self.state.lock().give_up(spare);
                continue;
            }
            failed = device.backend.give_slab(spare.span(), stream.raw);
            if failed.is_err() {
                self.state.lock().lose(spare.span().len());
            }
        }
        failed
    }
}

/// Makes `stream` wait for every mark, the latest first: its event may bring the others along.
fn wait_for_marks(device: &Device, stream: &Stream, block: &Block) -> Result<()> {
    let mut marks: Vec<(StreamId, Mark)> = Vec::new();
    block.ledger.each_mark(|stream, mark| marks.push((stream, mark)));
    marks.sort_by_key(|(_, mark)| std::cmp::Reverse(*mark));
    marks.iter().try_for_each(|&(user, mark)| {
        // Merging has made reads of writes, so no mark stands for itself alone.
        order_after(device, stream, &block.ledger, (user, mark, Stands::ForEarlier), WaitKind::Reuse)
    })
}

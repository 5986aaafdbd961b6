//! Nodes: the only way to device memory.
//!
//! A [`Node`] is one open position on one stream. Every access through it asks the storage's ledger whether the
//! stream is ordered after what the access conflicts with, makes the stream wait where it is not, and leaves a
//! mark. The mark is set before the work is enqueued, and the position stays open until the node ends, so nobody
//! can take the mark for done too early.

use crate::backend::Origin;
use crate::buffer::{Buffer, HasBuffer};
use crate::context::Context;
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::kernel::KernelArgs;
use crate::lane::Begin;
use crate::mark::{HomeId, Mark, StreamId};
use crate::pool::{Block, Taker};
use crate::readback::Pending;
use crate::shared::Shared;
use crate::stats::WaitKind;
use crate::timeline::{Event, Stands, Stream, order_after};
use crate::view::{NodeId, View, ViewMut};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

mod copy;

/// The context of device work on one stream.
///
/// Inside `#[on(stream)]` the chunk's context *is* one of these; operators take `cx: &Node<'_>`. It is lent, never
/// cloned, and does not leave its thread.
pub struct Node<'r> {
    pub(crate) shared: &'r Arc<Shared>,
    pub(crate) stream: &'r Stream,
    /// Its position, and its run's tag.
    mark: Mark,
    home: HomeId,
    /// Memory given back before this tick may be waited for.
    before: u64,
    /// The run that it is part of; none outside chunks.
    run: Option<&'r Begin>,
    /// Its number in the chunk's plan.
    pub(crate) ix: usize,
    closed: bool,
    thread: PhantomData<*const ()>,
}

/// A use that a stream is not ordered after. No two of a storage are equal.
type Unmet = (Mark, StreamId, Stands);

/// What a node is opened with.
pub(crate) struct Opening<'r> {
    pub(crate) shared: &'r Arc<Shared>,
    pub(crate) stream: &'r Stream,
    pub(crate) home: HomeId,
    pub(crate) before: u64,
    pub(crate) run: Option<&'r Begin>,
    pub(crate) ix: usize,
}

impl<'r> Node<'r> {
    /// `position` has just been opened on the stream.
    pub(crate) fn new(opening: Opening<'r>, position: u64) -> Self {
        let Opening { shared, stream, home, before, run, ix } = opening;
        let mark = Mark::new(position, run.map_or(0, |r| r.tag));
        Node { shared, stream, mark, home, before, run, ix, closed: false, thread: PhantomData }
    }

    /// Opens a node outside any plan: everything is ordered by ledger.
    pub(crate) fn open(opening: Opening<'r>) -> Result<Self> {
        opening.shared.check()?;
        let position = opening.stream.open(&mut opening.stream.lock(), opening.run.map_or(0, |r| r.tag));
        Ok(Self::new(opening, position))
    }

    /// Closes the position and records an event that covers it.
    pub(crate) fn close_and_record(mut self) -> Result<Arc<Event>> {
        self.closed = true;
        let mut line = self.stream.lock();
        Stream::close(&mut line, self.mark.position());
        self.stream.record(&self.shared.device, &mut line, self.mark.position()).map_err(|e| self.here(e))
    }

    /// The name of the stream that its work goes to.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.stream.label
    }

    /// The name of the node in its chunk's plan.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.origin().node
    }

    /// The name of the chunk that it is part of; empty outside chunks.
    #[must_use]
    pub fn chunk(&self) -> &'static str {
        self.origin().chunk
    }

    /// Both, for reports; empty outside chunks.
    pub(crate) fn origin(&self) -> Origin {
        self.run.map_or(Origin { chunk: "", node: "" }, |run| run.origin(self.ix))
    }

    /// Says in an error that it happened in this node.
    pub(crate) fn here(&self, error: Error) -> Error {
        let origin = self.origin();
        error.at(origin.chunk, origin.node, &self.stream.label)
    }

    /// A buffer of `len` elements whose content is arbitrary.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if neither the pool nor the device has room, even after waiting for its oldest
    /// blocks; the error names the size, and smaller requests still work. [`ErrorKind::Unsupported`] for elements that
    /// must be aligned to more than 256 bytes.
    pub fn empty<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        let bytes = Buffer::<T>::bytes_of(len).map_err(|e| self.here(e))?;
        let taker = Taker {
            stream: self.stream,
            home: self.home,
            before: self.before,
            mark: self.mark,
            origin: self.origin(),
        };
        let block = self.shared.pool.take(self.shared, &taker, bytes);
        let block = block.map_err(|e| self.here(e.with_bytes(bytes)))?;
        Ok(Buffer::new(block, self.shared, len))
    }

    /// A buffer of `len` elements, all bits zero.
    ///
    /// # Errors
    /// As for [`Node::empty`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        let mut buffer = self.empty(len)?;
        let view = self.view_mut(&mut buffer)?;
        match self.shared.device.backend.copies() {
            None => self.launch(view, |out: &mut [T]| out.fill(T::zeroed()))?,
            Some(copies) => copy::zero(self, copies, &view)?,
        }
        Ok(buffer)
    }

    /// A buffer with a copy of `data`. The host does not wait for the copy; `data` is kept until it is done.
    ///
    /// # Errors
    /// As for [`Node::empty`].
    pub fn upload<T: Element>(&self, data: impl Into<Vec<T>>) -> Result<Buffer<T>> {
        let data = data.into();
        let mut buffer = self.empty(data.len())?;
        let view = self.view_mut(&mut buffer)?;
        match self.shared.device.backend.copies() {
            None => self.launch(view, move |out: &mut [T]| out.copy_from_slice(&data))?,
            Some(copies) => copy::upload(self, copies, &data, &view)?,
        }
        Ok(buffer)
    }

    /// Starts copying `x` to the host; the copy is part of this node.
    ///
    /// # Errors
    /// As for [`Node::view`].
    pub fn read<B: HasBuffer>(&self, x: &B) -> Result<Pending<B::Elem>> {
        Pending::start(self, self.view(x)?)
    }

    /// `x` for kernels of this node to read.
    ///
    /// # Errors
    /// [`ErrorKind::WrongDevice`] for a buffer of another runtime; [`ErrorKind::Unplanned`] in strict mode, if this
    /// run wrote it on another stream and its plan does not order that.
    #[inline]
    pub fn view<'a, B: HasBuffer>(&self, x: &'a B) -> Result<View<'a, B::Elem>> {
        let buffer = x.buffer();
        let block = self.block(buffer)?;
        if !block.ledger.may_read(self.stream) {
            self.order(block, false)?;
        }
        if !self.shared.device.faults.forgets_reads() {
            block.ledger.mark_read(self.stream.id, self.mark);
        }
        Ok(View { addr: block.addr, len: buffer.len(), node: self.id(), borrow: PhantomData })
    }

    /// `x` for kernels of this node to write (and read).
    ///
    /// # Errors
    /// As for [`Node::view`].
    #[inline]
    pub fn view_mut<'a, B: HasBuffer>(&self, x: &'a mut B) -> Result<ViewMut<'a, B::Elem>> {
        let buffer = x.buffer_mut();
        let block = self.block(buffer)?;
        if !block.ledger.may_write(self.stream) {
            self.order(block, true)?;
        }
        block.ledger.mark_write(self.stream.id, self.mark);
        Ok(ViewMut { addr: block.addr, len: buffer.len(), node: self.id(), borrow: PhantomData })
    }

    /// Enqueues a host kernel: when its turn on the stream has come, `kernel` runs once with the arguments as
    /// slices. Work enqueued by one node runs in order.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] on a backend whose memory the host cannot reach; [`ErrorKind::Invalid`] for a view
    /// of another node.
    pub fn launch<A: KernelArgs>(
        &self,
        args: A,
        kernel: impl for<'k> FnOnce(A::Slices<'k>) + Send + 'static,
    ) -> Result<()> {
        let mut accesses = Vec::with_capacity(4);
        let mut own = true;
        args.visit(&mut |node, access| {
            own &= node == self.id();
            accesses.push(access);
        });
        if !own {
            return Err(self.here(Error::invalid("a kernel takes views of its own node only")));
        }
        let queued = args.queue();
        let task = Box::new(move || {
            // SAFETY: the task runs when the stream reaches it. Each span belongs to a block that was held when the
            // view was made, and this node marked the block's ledger with a position that nobody is ordered after
            // before the stream is past this task. So whoever may touch the memory otherwise (a writer, a later
            // holder of the block) runs before this node's waits or after this task; the views' borrows kept the
            // arguments of one launch apart, and launches of one stream run one after the other.
            kernel(unsafe { A::slices(queued) });
        });
        let device = &self.shared.device;
        device.backend.kernel(self.stream.raw, self.origin(), &accesses, task).map_err(|e| self.here(e))
    }

    #[inline]
    pub(crate) fn id(&self) -> NodeId {
        NodeId::new(self.stream, self.mark.position())
    }

    #[inline]
    fn block<'a, T: Element>(&self, buffer: &'a Buffer<T>) -> Result<&'a Block> {
        let block = buffer.block().filter(|_| buffer.is_of(self.shared));
        block.ok_or_else(|| {
            let text = "the buffer belongs to another runtime or device than the stream; copy it over first";
            self.here(Error::new(ErrorKind::WrongDevice, text).with_bytes(buffer.bytes()))
        })
    }

    /// Makes the stream wait for what an access conflicts with: the latest use first, since its event may bring the
    /// others along.
    #[cold]
    fn order(&self, block: &Block, write: bool) -> Result<()> {
        let moved_in = self.run.is_some_and(|run| run.uses_moved_in(self.ix as u16));
        let mut below = None;
        while let Some(unmet) = self.latest_unmet(block, write, below) {
            below = Some(unmet);
            let (mark, stream, stands) = unmet;
            let unplanned = !moved_in
                && self
                    .run
                    .is_some_and(|run| run.made(stream, mark) && !run.contended(stream, mark.position()));
            if unplanned {
                self.unplanned(stream, block.bytes)?;
                if self.shared.device.faults.rescue_off() {
                    continue;
                }
            }
            let kind = if unplanned { WaitKind::Unplanned } else { WaitKind::ByLedger };
            order_after(&self.shared.device, self.stream, &block.ledger, (stream, mark, stands), kind)
                .map_err(|e| self.here(e))?;
        }
        Ok(())
    }

    /// The latest use below `below` that the stream is not ordered after. A wait for a use in an open node leaves it
    /// unmet, so what comes next is found by its place in the order, not by what is met.
    fn latest_unmet(&self, block: &Block, write: bool, below: Option<Unmet>) -> Option<Unmet> {
        let mut latest = None;
        let mut look = |stream, mark: Mark, stands| {
            let found = Some((mark, stream, stands));
            let next = found > latest && below.is_none_or(|_| found < below);
            if next && !self.stream.is_after(stream, mark.position()) {
                latest = found;
            }
        };
        let (writer, mark) = block.ledger.last_write();
        look(writer, mark, Stands::ForItself);
        if write {
            block.ledger.each_read(|stream, mark| look(stream, mark, Stands::ForEarlier));
        }
        latest
    }

    /// A use that the plan does not cover: an error in strict mode, and counted where no wait will be.
    fn unplanned(&self, stream: StreamId, bytes: usize) -> Result<()> {
        let rescued = !self.shared.strict && !self.shared.device.faults.rescue_off();
        if !rescued {
            self.stream.lock().stats.waits.unplanned += 1;
        }
        if self.shared.strict {
            let other = self.shared.device.stream(stream);
            let text = format!(
                "a use that the chunk's plan does not cover: {bytes} bytes last used by this run on `{}`",
                other.label
            );
            return Err(self.here(Error::new(ErrorKind::Unplanned, text).with_bytes(bytes)));
        }
        Ok(())
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("chunk", &self.chunk())
            .field("node", &self.name())
            .field("stream", &self.stream.label)
            .finish_non_exhaustive()
    }
}

impl Drop for Node<'_> {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let mut line = self.stream.lock();
        Stream::close(&mut line, self.mark.position());
        if self.run.is_none() {
            // No plan says who will wait for it, so an event is at hand for whoever does. If recording fails, that
            // one records at the head and gets the error.
            let _ = self.stream.record(&self.shared.device, &mut line, self.mark.position());
        }
    }
}

impl Context for Node<'_> {
    fn empty<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Node::empty(self, len)
    }
    fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Node::zeros(self, len)
    }
    fn upload<T: Element>(&self, data: impl Into<Vec<T>>) -> Result<Buffer<T>> {
        Node::upload(self, data)
    }
    fn read<B: HasBuffer>(&self, x: &B) -> Result<Pending<B::Elem>> {
        Node::read(self, x)
    }
}

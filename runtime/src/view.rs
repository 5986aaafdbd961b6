//! Views: a buffer as one node may use it.

use crate::backend::Access;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::timeline::Stream;
use std::marker::PhantomData;
use std::ops::Range;

/// Which node a view was made in. A stream's number says too little: every runtime has a first stream. Its address
/// is its own for as long as the view is there, since the viewed buffer keeps its runtime alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeId {
    stream: *const Stream,
    position: u64,
}

impl NodeId {
    #[inline]
    pub(crate) fn new(stream: &Stream, position: u64) -> Self {
        NodeId { stream, position }
    }
}

/// A buffer, or part of one, that kernels of one node may read. The ledger has been checked and marked.
#[derive(Debug)]
pub struct View<'a, T: Element> {
    pub(crate) addr: usize,
    pub(crate) len: usize,
    pub(crate) node: NodeId,
    pub(crate) borrow: PhantomData<(&'a [T], *const T)>,
}

/// A buffer, or part of one, that kernels of one node may write. The ledger has been checked and marked.
#[derive(Debug)]
pub struct ViewMut<'a, T: Element> {
    pub(crate) addr: usize,
    pub(crate) len: usize,
    pub(crate) node: NodeId,
    pub(crate) borrow: PhantomData<(&'a mut [T], *mut T)>,
}

#[cfg(feature = "__cuda")]
impl<T: Element> View<'_, T> {
    /// The stream of the node that it was made in.
    pub(crate) fn node_stream(&self) -> &Stream {
        // SAFETY: a runtime keeps its streams, and the viewed buffer keeps its runtime for as long as the view is there.
        unsafe { &*self.node.stream }
    }
}

#[cfg(feature = "__cuda")]
impl<T: Element> ViewMut<'_, T> {
    /// The stream of the node that it was made in.
    pub(crate) fn node_stream(&self) -> &Stream {
        // SAFETY: as for `View`.
        unsafe { &*self.node.stream }
    }
}

fn check(range: &Range<usize>, len: usize) -> Result<()> {
    if range.start <= range.end && range.end <= len {
        Ok(())
    } else {
        Err(Error::invalid(format!("elements {range:?} of a view of {len}")))
    }
}

fn access<T>(addr: usize, len: usize, write: bool) -> Access {
    Access { span: addr..addr + len * size_of::<T>(), write }
}

impl<'a, T: Element> View<'a, T> {
    /// How many elements it spans.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it spans no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The part `range`, in elements.
    ///
    /// # Errors
    /// If `range` does not lie within.
    pub fn slice(&self, range: Range<usize>) -> Result<View<'a, T>> {
        check(&range, self.len)?;
        Ok(View { addr: self.addr + range.start * size_of::<T>(), len: range.len(), ..*self })
    }

    pub(crate) fn access(&self) -> Access {
        access::<T>(self.addr, self.len, false)
    }
}

impl<T: Element> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Element> Copy for View<'_, T> {}

impl<'a, T: Element> ViewMut<'a, T> {
    /// How many elements it spans.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it spans no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same view for a shorter time, so that several launches can use it.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { addr: self.addr, len: self.len, node: self.node, borrow: PhantomData }
    }

    /// The same memory for reading, for as long as nothing writes it.
    #[must_use]
    pub fn as_view(&self) -> View<'_, T> {
        View { addr: self.addr, len: self.len, node: self.node, borrow: PhantomData }
    }

    /// The part `range`, in elements.
    ///
    /// # Errors
    /// If `range` does not lie within.
    pub fn slice_mut(self, range: Range<usize>) -> Result<ViewMut<'a, T>> {
        check(&range, self.len)?;
        Ok(ViewMut { addr: self.addr + range.start * size_of::<T>(), len: range.len(), ..self })
    }

    /// Two disjoint parts: the first `at` elements, and the rest.
    ///
    /// # Errors
    /// If there are fewer than `at`.
    pub fn split_at_mut(self, at: usize) -> Result<(ViewMut<'a, T>, ViewMut<'a, T>)> {
        check(&(0..at), self.len)?;
        let ViewMut { addr, len, node, borrow } = self;
        let rest = ViewMut { addr: addr + at * size_of::<T>(), len: len - at, node, borrow };
        Ok((ViewMut { addr, len: at, node, borrow }, rest))
    }

    pub(crate) fn access(&self) -> Access {
        access::<T>(self.addr, self.len, true)
    }
}

//! Buffers: device memory with one owner.

use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::pool::{ALIGN, Block};
use crate::shared::{Held, Shared};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// Device memory for `len` elements: owning, move-only, without a shape.
///
/// This is what users put into their own tensor structs. Its content is reached through a [`Node`](crate::Node)
/// only; dropping it, anywhere, gives the memory back together with the marks of its last uses, and waits for
/// nothing.
pub struct Buffer<T: Element> {
    /// Always there, until the buffer is dropped.
    block: Option<Box<Block>>,
    shared: Held,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Element> Buffer<T> {
    pub(crate) fn bytes_of(len: usize) -> Result<usize> {
        if align_of::<T>() > ALIGN {
            let text = format!("elements aligned to {} bytes; device memory is to {ALIGN}", align_of::<T>());
            return Err(Error::new(ErrorKind::Unsupported, text));
        }
        len.checked_mul(size_of::<T>())
            .ok_or_else(|| Error::new(ErrorKind::Invalid, "the buffer is larger than the address space"))
    }

    /// `block` has just come from the pool of `shared`.
    pub(crate) fn new(block: Box<Block>, shared: &Arc<Shared>, len: usize) -> Self {
        Buffer { block: Some(block), shared: Held::new(shared), len, elements: PhantomData }
    }

    /// How many elements it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its size in bytes, before rounding up to the pool's grain.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    pub(crate) fn block(&self) -> Option<&Block> {
        self.block.as_deref()
    }

    #[cfg(feature = "__cuda")]
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn is_of(&self, shared: &Shared) -> bool {
        self.shared.is(shared)
    }
}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            // The last block out keeps the runtime: what comes back is dropped when nothing here uses it any more.
            let runtime = self.shared.pool.give(&self.shared.device, block);
            drop(runtime);
        }
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>({})", std::any::type_name::<T>(), self.len)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A [`Buffer`] or a [`Tensor`](crate::Tensor): what nodes make views of. Sealed.
pub trait HasBuffer: sealed::Sealed {
    /// What it holds.
    type Elem: Element;
    /// The memory.
    fn buffer(&self) -> &Buffer<Self::Elem>;
    /// The memory, for writing.
    fn buffer_mut(&mut self) -> &mut Buffer<Self::Elem>;
}

impl<T: Element> sealed::Sealed for Buffer<T> {}
impl<T: Element> HasBuffer for Buffer<T> {
    type Elem = T;
    fn buffer(&self) -> &Buffer<T> {
        self
    }
    fn buffer_mut(&mut self) -> &mut Buffer<T> {
        self
    }
}

impl<T: Element> sealed::Sealed for crate::Tensor<T> {}

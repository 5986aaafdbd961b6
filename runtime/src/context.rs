//! What nodes and chunk contexts have in common.

use crate::buffer::{Buffer, HasBuffer};
use crate::element::Element;
use crate::error::Result;
use crate::readback::Pending;

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::Node<'_> {}
    impl Sealed for crate::Cx<'_> {}
}

/// A [`Node`](crate::Node) or a [`Cx`](crate::Cx): for operators that serve in both places. Sealed.
///
/// On a `Cx` the work goes to the lane's first stream, and a readback to the stream that wrote last.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no context of device work",
    label = "pass `cx` here: a `&Node<'_>` inside `#[on(..)]`, a `&Cx<'_>` elsewhere"
)]
pub trait Context: sealed::Sealed {
    /// A buffer of `len` elements whose content is arbitrary.
    ///
    /// # Errors
    /// As for [`Node::empty`](crate::Node::empty).
    fn empty<T: Element>(&self, len: usize) -> Result<Buffer<T>>;

    /// A buffer of `len` elements, all bits zero.
    ///
    /// # Errors
    /// As for [`Node::empty`](crate::Node::empty).
    fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>>;

    /// A buffer with a copy of `data`.
    ///
    /// # Errors
    /// As for [`Node::empty`](crate::Node::empty).
    fn upload<T: Element>(&self, data: impl Into<Vec<T>>) -> Result<Buffer<T>>;

    /// Starts copying `x` to the host.
    ///
    /// # Errors
    /// As for [`Node::view`](crate::Node::view).
    fn read<B: HasBuffer>(&self, x: &B) -> Result<Pending<B::Elem>>;
}

//! What a node may make: values that own their storage.
//!
//! The macro sees no types, so it lets rustc look: `Made::of(&value).leaves_node()` finds the method below that
//! takes `self` first if the value is a view, and that method's bound fails with a message of ours. Anything else
//! is found one borrow later and only has to be `'static`.

use crate::element::Element;
use crate::view::{View, ViewMut};
use std::marker::PhantomData;

/// Types that borrow storage.
pub trait BorrowsStorage {}

impl<T: Element> BorrowsStorage for View<'_, T> {}
impl<T: Element> BorrowsStorage for ViewMut<'_, T> {}
impl<T: BorrowsStorage> BorrowsStorage for Option<T> {}
impl<T: BorrowsStorage> BorrowsStorage for Vec<T> {}

/// Never implemented: the bound that carries the message.
#[diagnostic::on_unimplemented(
    message = "a view cannot be the output of a node",
    label = "this `{Self}` shares another tensor's storage",
    note = "a chunk frees each storage once, so it needs one owner: return the tensor itself (consume it), borrow \
            it with `&` where it is used, or copy it"
)]
pub trait OwnsStorage {}

/// The type of a value that a node made.
#[derive(Debug, Clone, Copy)]
pub struct Made<T: ?Sized>(PhantomData<T>);

impl<T> Made<T> {
    /// Of a value.
    #[must_use]
    #[inline(always)]
    pub fn of(_: &T) -> Self {
        Made(PhantomData)
    }

    /// Of what a `Result` holds.
    #[must_use]
    #[inline(always)]
    pub fn of_ok<E>(_: &Result<T, E>) -> Self {
        Made(PhantomData)
    }
}

/// Found first, for views.
pub trait Refuse: Sized {
    /// The value's type.
    type Value;
    /// Does not compile.
    fn leaves_node(self)
    where
        Self::Value: OwnsStorage,
    {
    }
}

impl<T: BorrowsStorage> Refuse for Made<T> {
    type Value = T;
}

/// Found otherwise.
pub trait Accept: Sized {
    /// Compiles for what borrows nothing.
    #[inline(always)]
    fn leaves_node(self) {}
}

impl<T: 'static> Accept for &Made<T> {}

/// Found first, for what can be copied.
pub trait Copied: Sized {
    /// Yes.
    #[inline(always)]
    fn can_copy(self) -> bool {
        true
    }
}

impl<T: Copy> Copied for Made<T> {}

/// Found otherwise.
pub trait NotCopied: Sized {
    /// No.
    #[inline(always)]
    fn can_copy(self) -> bool {
        false
    }
}

impl<T> NotCopied for &Made<T> {}

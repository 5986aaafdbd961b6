//! What the macro's output calls. Not for people: nothing here is stable.

#[path = "private/output.rs"]
mod output;

pub use crate::run::Run;
pub use crate::stepped::{Mode, straight};
pub use output::{Accept, BorrowsStorage, Copied, Made, NotCopied, OwnsStorage, Refuse};
pub use std::future::Future;
pub use std::result::Result::{self, Ok};

use crate::plan::Plan;

/// The identity of a chunk: a `static` in its body, so that its address is its name.
#[derive(Debug)]
pub struct Chunk {
    pub(crate) plan: &'static Plan<'static>,
    pub(crate) reuse_lag: u32,
}

impl Chunk {
    /// See [`Chunk`].
    #[must_use]
    pub const fn new(plan: &'static Plan<'static>, reuse_lag: u32) -> Self {
        Chunk { plan, reuse_lag }
    }
}

/// The `Result` of a chunk, under whatever alias the user writes.
#[diagnostic::on_unimplemented(
    message = "a model chunk returns a `Result`, not `{Self}`",
    label = "return `Result<_, E>` with `E: From<streamlease::Error>`"
)]
pub trait Outcome {
    /// What is returned on success.
    type Value;
    /// The user's error.
    type Error;
}

impl<T, E> Outcome for Result<T, E> {
    type Value = T;
    type Error = E;
}

/// A value on its way from one place to another. Between the parentheses rustc expects no type of its own, so it
/// moves a `&mut` instead of borrowing it anew.
#[derive(Debug)]
pub struct Moved<T>(pub T);

/// A field of what is borrowed by `&mut`, where it is used by value.
#[inline(always)]
pub fn copied<T: CopiedOut>(field: &T) -> &T {
    field
}

/// What can be copied out from behind a reference.
#[diagnostic::on_unimplemented(
    message = "a field of what is borrowed by `&mut` cannot be passed on by its bare name",
    label = "is this read or written?",
    note = "write `&mut *s.field` if it is written, `&*s.field` if it is read; numbers and `&` references need neither"
)]
pub trait CopiedOut {}

#[diagnostic::do_not_recommend]
impl<T: Copy> CopiedOut for T {}

/// States a type where no value of it is at hand; never called.
#[cold]
#[must_use]
pub fn unreached<T>() -> T {
    unreachable!("stands behind `if false`")
}

/// The value of a host `let`, condition or scrutinee that mentions a tensor: it may not borrow from it.
#[inline(always)]
pub fn host_value<T: 'static>(value: T) -> T {
    value
}

//! What is refused, a file for each kind of mistake.

pub(crate) mod body;
pub(crate) mod conflict;
pub(crate) mod host;
pub(crate) mod opaque;
pub(crate) mod signature;

//! Every error that a chunk can give at compile time: why, and what to write instead.
//!
//! Look for the page by where the error stands, then for the message, which is a heading there. Names in a message are
//! yours; here they are `x`, `s.a` and so on. Each program below is compiled as a test: the first one of a section must be
//! refused, the second one must not.
//!
//! | where | page |
//! |---|---|
//! | `#[model_chunk(..)]`, `#[on(..)]` | [`attribute`] |
//! | the function's name, parameters, result | [`signature`] |
//! | a node or a host statement | [`body`] |
//! | a loop or a branch | [`control_flow`] |
//! | a tensor, a pattern | [`values`] |
//! | a closure or a macro that names a tensor | [`hidden`] |
//! | anything with a number such as `E0382` | [`compiler`] |
//!
//! Several mistakes are reported at once, up to the first phase that cannot go on. The function is still emitted without
//! its plan, so that one mistake gives one error, and not one more at each of its callers.

pub mod attribute;
pub mod body;
pub mod compiler;
pub mod control_flow;
pub mod hidden;
pub mod signature;
pub mod values;

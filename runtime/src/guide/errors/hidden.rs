//! Errors at tensors that are named in tokens which the macro cannot read: closures and macros.
//!
//! # cannot tell whether `x` is read, written or kept inside `launch!(..)`
//!
//! A macro may do anything with what it is given, and a closure (the message then says "inside the closure") runs when
//! somebody calls it. Say what happens, in the node's attribute; rustc holds you to it where it can.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! macro_rules! launch {
//!     ($f:ident, $cx:expr, $x:expr) => {
//!         $f($cx, $x, 2.0)
//!     };
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     launch!(scale, cx, &x)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! macro_rules! launch {
//!     ($f:ident, $cx:expr, $x:expr) => {
//!         $f($cx, $x, 2.0)
//!     };
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a, uses(&x))]
//!     launch!(scale, cx, &x)
//! }
//! ```
//!
//! # `x.a` is written here, but stated to be read
//!
//! The plan went by the statement, so another stream would read while this node writes.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct S {
//!     a: Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, mut x: S, y: &Buffer<f32>) -> Result<()> {
//!     #[on(a, uses(&x.a, &y))]
//!     (|| add_to(cx, &mut x.a, y))()?;
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct S {
//!     a: Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, mut x: S, y: &Buffer<f32>) -> Result<()> {
//!     #[on(a, uses(&mut x.a, &y))]
//!     (|| add_to(cx, &mut x.a, y))()?;
//!     Ok(())
//! }
//! ```
//!
//! # `uses(..)` names something that the chunk does not know
//!
//! State parameters and bindings of the chunk, or fields of them.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a, uses(&nobody))]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a, uses(&x))]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # cannot tell what happens to `x` inside the closure `|i| ..`
//!
//! On the host, ask the tensor first and use the answer inside. Methods such as `len` are read through, and so are the
//! usual printing macros.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let by = (0..3).map(|i| i + x.len()).sum::<usize>();
//!     #[on(a)]
//!     scale(cx, x, by as f32)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let len = x.len();
//!     let by = (0..3).map(|i| i + len).sum::<usize>();
//!     #[on(a)]
//!     scale(cx, x, by as f32)
//! }
//! ```

//! Errors that rustc gives about a chunk, since rustc knows types and the macro does not. They stand at your own tokens; the
//! macro only arranged that they come.
//!
//! # a view cannot be the output of a node
//!
//! A view shares another tensor's storage, and a storage has one owner, which is how it is freed once. Return the
//! tensor itself, borrow it where it is used, or copy it.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, w: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let v = window(cx, &w)?;
//!     #[on(b)]
//!     scale(cx, &w, 2.0)
//! }
//!
//! fn window<'x>(cx: &Node<'x>, w: &'x Buffer<f32>) -> Result<streamlease::View<'x, f32>> {
//!     cx.view(w)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, w: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, &w, 2.0)?;
//!     #[on(b)]
//!     scale(cx, &w, 2.0)
//! }
//! ```
//!
//! # a field of what is borrowed by `&mut` cannot be passed on by its bare name
//!
//! `s.out` may be read or written by what is called, and only the callee's type says which. Say it where the macro sees
//! it.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Step<'s> {
//!     out: &'s mut Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, s: &mut Step<'_>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     add_to(cx, s.out, x)?;
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Step<'s> {
//!     out: &'s mut Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, s: &mut Step<'_>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     add_to(cx, &mut *s.out, x)?;
//!     Ok(())
//! }
//! ```
//!
//! # a model chunk returns a `Result`, not `Buffer<f32>`
//!
//! The same as [above](super::signature#a-chunk-returns-a-result), for a type under another name.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! type Out = Buffer<f32>;
//!
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Out {
//!     x
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! type Out = Result<Buffer<f32>>;
//!
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Out {
//!     Ok(x)
//! }
//! ```
//!
//! # use of moved value: `x`
//!
//! A node that is given `x` by value ends its lease, or hands its storage on. Lend it with `&x` if it is needed later.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = relu(cx, x)?;
//!     #[on(b)]
//!     let z = add(cx, &y, &x)?;
//!     Ok(z)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(b)]
//!     let z = scale(cx, &x, 2.0)?;
//!     #[on(a)]
//!     let y = relu(cx, x)?;
//!     #[on(b)]
//!     add(cx, &y, &z)
//! }
//! ```
//!
//! # `x` does not live long enough
//!
//! A host `let` kept a reference into a tensor in a way that the macro does not follow, so that it might be used after
//! the lease ended. Borrow at the use, or bind one of the forms that [`places`](super::super::places) lists: `&x`,
//! `&s.field`, `v.iter()`, `opt.as_ref()`.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Pair<'p> {
//!     one: &'p Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     let kept = Pair { one: &x };
//!     #[on(a)]
//!     scale(cx, kept.one, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     let one = &x;
//!     #[on(a)]
//!     scale(cx, one, 2.0)
//! }
//! ```
//!
//! # cannot borrow `x` as mutable, as it is not declared as mutable
//!
//! As in any Rust function; the macro changes nothing about it.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>, y: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     add_to(cx, &mut x, y)?;
//!     Ok(x)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, mut x: Buffer<f32>, y: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     add_to(cx, &mut x, y)?;
//!     Ok(x)
//! }
//! ```

//! Errors at a chunk's name, parameters and result.
//!
//! # a chunk needs its context
//!
//! Everything that a chunk enqueues goes through `cx`, which carries the lane and the run.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk() -> Result<()> {
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>) -> Result<()> {
//!     Ok(())
//! }
//! ```
//!
//! # the first parameter of a chunk is its context
//!
//! It is lent, not given, and comes first: `cx: &Cx<'_>`. In a method, it comes after `self`.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(x: &Buffer<f32>, cx: &Cx<'_>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # the context needs a name
//!
//! Any will do, but the nodes have to mention it.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(_: &Cx<'_>) -> Result<()> {
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(_cx: &Cx<'_>) -> Result<()> {
//!     Ok(())
//! }
//! ```
//!
//! # a chunk returns a `Result`
//!
//! Every node can fail: memory may be short, the device may be lost. The error has to have somewhere to go. An error
//! type of your own works if it implements `From<streamlease::Error>`.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Buffer<f32> {
//!     x
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     Ok(x)
//! }
//! ```
//!
//! # a chunk's result cannot be `impl Trait`
//!
//! The emitted code has to state the type once more, and a nameless type cannot be stated twice. Parameters may be
//! `impl Trait`.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<impl Sized> {
//!     Ok(x)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>, scale: impl Into<f32>) -> Result<Buffer<f32>> {
//!     let _ = scale.into();
//!     Ok(x)
//! }
//! ```
//!
//! # a chunk cannot be `async fn`
//!
//! A chunk enqueues its work and returns at once, so there is nothing to await. To interleave several chunks on one
//! host thread, [step](super::super::stepping) them.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! async fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     Ok(x)
//! }
//! ```
//!
//! # a chunk cannot be `const fn`
//!
//! It does something when it is called.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! const fn chunk(cx: &Cx<'_>) -> Result<()> {
//!     Ok(())
//! }
//! ```
//!
//! # a chunk cannot be `unsafe fn`
//!
//! An unsafe chunk would make everything in it unsafe, the emitted code too. Put the block where the danger is.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! unsafe fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     dangerous(cx, x)
//! }
//!
//! unsafe fn dangerous(cx: &Node<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     // SAFETY: say here why it is right.
//!     unsafe {
//!         dangerous(cx, x)
//!     }
//! }
//!
//! unsafe fn dangerous(cx: &Node<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # a chunk cannot have a foreign ABI
//!
//! `Cx` and `Result` mean nothing outside Rust. Let an `extern` function call the chunk.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! extern "C" fn chunk(cx: &Cx<'_>) -> Result<()> {
//!     Ok(())
//! }
//! ```
//!
//! # a chunk cannot be variadic
//!
//! Each tensor needs a name in the plan. For any number of them, take a slice.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! fn chunk(cx: &Cx<'_>, xs: ...) -> Result<()> {
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, xs: &[Buffer<f32>]) -> Result<()> {
//!     for x in xs {
//!         #[on(a)]
//!         scale(cx, x, 2.0)?;
//!     }
//!     Ok(())
//! }
//! ```

//! Errors at `#[model_chunk(..)]` and `#[on(..)]`: what they name, and where they stand.
//!
//! # a chunk needs streams
//!
//! A plan says which stream does what, so the chunk says first which streams there are.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(compute)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(compute))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(compute)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # unknown stream `comm`
//!
//! A node names a stream that the chunk does not have: a typing error, or a stream to be added. What the names mean on
//! the device is the lane's business: [`Runtime::lane`](crate::Runtime::lane).
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(compute))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(comm)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(compute, comm))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(comm)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # stream `a` is listed twice
//!
//! A name is one stream.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, a))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
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
//! # a chunk has at most 16 streams
//!
//! What a stream is ordered after is kept as a number for each other stream. Beyond sixteen, split the chunk.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(s0)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # unknown option `stream`
//!
//! The options of the two attributes are few, and each is spelled out in their own documentation:
//! [`model_chunk`](macro@crate::model_chunk).
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(stream(a))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a), reuse_lag = 2)]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a, uses(&x))]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # not a chunk
//!
//! A chunk is a function, or the methods of an `impl` block that have nodes.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a))]
//! struct Layer;
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Layer;
//!
//! #[model_chunk(streams(a))]
//! impl Layer {
//!     fn forward(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!         #[on(a)]
//!         scale(cx, x, 2.0)
//!     }
//! }
//! ```
//!
//! # a method is planned with the `impl` block that it stands in
//!
//! A plan is a `const` beside its function, and beside a method nothing can stand but other members of the `impl`. So
//! the attribute goes on the block.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Layer;
//!
//! impl Layer {
//!     #[model_chunk(streams(a))]
//!     fn forward(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!         #[on(a)]
//!         scale(cx, x, 2.0)
//!     }
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Layer;
//!
//! #[model_chunk(streams(a))]
//! impl Layer {
//!     fn forward(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!         #[on(a)]
//!         scale(cx, x, 2.0)
//!     }
//! }
//! ```
//!
//! # a method of a trait cannot be a chunk, because nothing can stand beside it
//!
//! Only the trait's own members may stand in its `impl`, so there is no place for a plan.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! trait Forward {
//!     fn forward(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>>;
//! }
//! struct Layer;
//!
//! #[model_chunk(streams(a))]
//! impl Forward for Layer {
//!     fn forward(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!         #[on(a)]
//!         scale(cx, x, 2.0)
//!     }
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! trait Forward {
//!     fn forward(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>>;
//! }
//! struct Layer;
//!
//! #[model_chunk(streams(a))]
//! impl Layer {
//!     fn planned(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!         #[on(a)]
//!         scale(cx, x, 2.0)
//!     }
//! }
//!
//! impl Forward for Layer {
//!     fn forward(&self, cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!         self.planned(cx, x)
//!     }
//! }
//! ```
//!
//! # no method of this `impl` has a node
//!
//! The attribute plans those methods that have `#[on(..)]` in them and leaves the others as they are. Here it would do
//! nothing, and you surely wanted it to.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Layer;
//!
//! #[model_chunk(streams(a))]
//! impl Layer {
//!     fn size(&self) -> usize {
//!         3
//!     }
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct Layer;
//!
//! impl Layer {
//!     fn size(&self) -> usize {
//!         3
//!     }
//! }
//! ```
//!
//! # a node runs on one stream: write `#[on(..)]` once
//!
//! Work that two streams do is two nodes.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     #[on(b)]
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
//!     #[on(a)]
//!     let y = scale(cx, x, 2.0)?;
//!     #[on(b)]
//!     scale(cx, &y, 2.0)
//! }
//! ```

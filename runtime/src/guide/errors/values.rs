//! Errors at tensors that would have two names, two uses at once, or no name at all.
//!
//! # `x` is consumed and borrowed by the same node
//!
//! A consumed tensor's storage may become the output while the other argument still reads it.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = both(cx, x, &x)?;
//!     Ok(y)
//! }
//!
//! fn both(cx: &Node<'_>, x: Buffer<f32>, y: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     add(cx, &x, y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = add(cx, &x, &x)?;
//!     Ok(y)
//! }
//! ```
//!
//! # `x` is written in place and read by the same node
//!
//! The node's kernel would read what it is about to write. An operator that means to do that takes one `&mut`. Of `&mut
//! x` twice the message says "written again".
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, mut x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     add_to(cx, &mut x, &x)?;
//!     Ok(x)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = add(cx, &x, &x)?;
//!     Ok(y)
//! }
//! ```
//!
//! # `s` is written in place and `s.a`, which shares its storage, is borrowed by the same node
//!
//! A struct and its field are one storage, as far as that field goes. Two different fields are not.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct S {
//!     a: Buffer<f32>,
//!     b: Buffer<f32>,
//! }
//!
//! fn all(cx: &Node<'_>, s: &mut S, y: &Buffer<f32>) -> Result<()> {
//!     add_to(cx, &mut s.a, y)?;
//!     add_to(cx, &mut s.b, y)
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, s: &mut S) -> Result<()> {
//!     #[on(a)]
//!     all(cx, s, &s.a)?;
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
//!     b: Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, s: &mut S) -> Result<()> {
//!     #[on(a)]
//!     add_to(cx, &mut s.b, &s.a)?;
//!     Ok(())
//! }
//! ```
//!
//! # `..` would leave a part of an owned value without a name, and so without a place in the plan
//!
//! A tensor without a name would live to the end of the chunk, unseen. `_` is refused for the same reason. Over
//! something borrowed both are fine.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct P {
//!     h: Buffer<f32>,
//!     gate: Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, p: P) -> Result<Buffer<f32>> {
//!     let P { h, .. } = p;
//!     Ok(h)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! struct P {
//!     h: Buffer<f32>,
//!     gate: Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, p: P) -> Result<Buffer<f32>> {
//!     let P { h, gate: _gate } = p; // ends here
//!     Ok(h)
//! }
//! ```
//!
//! # `ref` would keep the value where nobody names it
//!
//! Then two names would hold one storage. Borrow in the expression: `if let Some(m) = &m`.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, m: Option<Buffer<f32>>) -> Result<()> {
//!     if let Some(ref m) = m {
//!         #[on(a)]
//!         scale(cx, m, 2.0)?;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, m: Option<Buffer<f32>>) -> Result<()> {
//!     if let Some(m) = &m {
//!         #[on(a)]
//!         scale(cx, m, 2.0)?;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # `@` would give one value two names
//!
//! Bind the value, and take it apart in the next statement.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     let two @ (y, z) = pair(cx, x)?;
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     let two = pair(cx, x)?;
//!     let (y, z) = two;
//!     Ok(())
//! }
//! ```
//!
//! # this pattern cannot take a node's value apart
//!
//! A node's value may be bound to a name, a tuple or a struct. What may or may not match is decided on the host.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     let (y, 0.0) = (scale(cx, x, 2.0)?, 0.0);
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     let (y, by) = (scale(cx, x, 2.0)?, 0.0);
//!     if by > 0.0 {
//!         #[on(b)]
//!         scale(cx, &y, by)?;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # a node's value cannot be assigned to this
//!
//! An element `v[i]` is not a place of the plan: which element it is, only the run knows. Bind the new value, and put
//! it there on the host.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, v: &mut Vec<Buffer<f32>>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     v[0] = scale(cx, x, 2.0)?;
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, v: &mut Vec<Buffer<f32>>, x: &Buffer<f32>) -> Result<()> {
//!     #[on(a)]
//!     let y = scale(cx, x, 2.0)?;
//!     v[0] = y;
//!     Ok(())
//! }
//! ```
//!
//! # this name may stand for more than one place
//!
//! It was borrowed from one place or another, so assigning through it would renew either.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &mut Buffer<f32>, y: &mut Buffer<f32>, first: bool) -> Result<()> {
//!     let out = if first { &mut *x } else { &mut *y };
//!     #[on(a)]
//!     *out = scale(cx, &*out, 2.0)?;
//!     Ok(())
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &mut Buffer<f32>, y: &mut Buffer<f32>, first: bool) -> Result<()> {
//!     if first {
//!         #[on(a)]
//!         *x = scale(cx, &*x, 2.0)?;
//!     } else {
//!         #[on(a)]
//!         *y = scale(cx, &*y, 2.0)?;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # `y` gets its first value inside a node, where the plan does not see it begin
//!
//! A lease begins where a node's value is bound or assigned.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let y;
//!     #[on(a)]
//!     {
//!         y = scale(cx, x, 2.0)?;
//!     }
//!     Ok(y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let y;
//!     #[on(a)]
//!     y = scale(cx, x, 2.0)?;
//!     Ok(y)
//! }
//! ```

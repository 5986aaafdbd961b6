//! Errors at loops and branches. Most are planned: [`control_flow`](super::super::control_flow).
//!
//! # `if` around a move of `x` stands inside an expression, where it is not planned
//!
//! Whether `x` still lives behind the expression is part of the plan, and has to be a step of its own. The same is said
//! of a call that passes `cx` on, and of `match`, loops and blocks.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>, y: Buffer<f32>, first: bool) -> Result<Option<Buffer<f32>>> {
//!     let kept = Some(if first { x } else { y });
//!     Ok(kept)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>, y: Buffer<f32>, first: bool) -> Result<Option<Buffer<f32>>> {
//!     let kept = if first { x } else { y };
//!     Ok(Some(kept))
//! }
//! ```
//!
//! # a node inside `if` that stands inside an expression is not planned
//!
//! A node on one arm of a branch is fine where the branch is a statement, or the value of a `let`.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>, twice: bool) -> Result<Option<Buffer<f32>>> {
//!     let y = Some(if twice {
//!         #[on(a)]
//!         scale(cx, x, 2.0)?
//!     } else {
//!         #[on(b)]
//!         scale(cx, x, 1.0)?
//!     });
//!     Ok(y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>, twice: bool) -> Result<Option<Buffer<f32>>> {
//!     let y = if twice {
//!         #[on(a)]
//!         scale(cx, x, 2.0)?
//!     } else {
//!         #[on(b)]
//!         scale(cx, x, 1.0)?
//!     };
//!     Ok(Some(y))
//! }
//! ```
//!
//! # a loop with a value is not planned
//!
//! Declare the name before the loop, and give it its value inside.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     loop {
//!         #[on(a)]
//!         let y = scale(cx, x, 2.0)?;
//!         if y.len() > 3 {
//!             break Ok(y);
//!         }
//!     }
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let mut y;
//!     loop {
//!         #[on(a)]
//!         y = scale(cx, x, 2.0)?;
//!         if y.len() > 3 {
//!             break;
//!         }
//!     }
//!     Ok(y)
//! }
//! ```
//!
//! # more than 6 loops within each other are not planned
//!
//! A plan is proven again each time that it is compiled, by walking each loop until nothing new is learnt. That is
//! cheap for loops as models have them.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<()> {
//!     for _ in 0..2 {
//!         for _ in 0..2 {
//!             for _ in 0..2 {
//!                 for _ in 0..2 {
//!                     for _ in 0..2 {
//!                         for _ in 0..2 {
//!                             for _ in 0..2 {
//!                                 #[on(a)]
//!                                 scale(cx, x, 2.0)?;
//!                             }
//!                         }
//!                     }
//!                 }
//!             }
//!         }
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
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<()> {
//!     for _ in 0..2 {
//!         for _ in 0..2 {
//!             for _ in 0..2 {
//!                 for _ in 0..2 {
//!                     inner(cx, x)?;
//!                 }
//!             }
//!         }
//!     }
//!     Ok(())
//! }
//!
//! #[model_chunk(streams(a))]
//! fn inner(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<()> {
//!     for _ in 0..8 {
//!         #[on(a)]
//!         scale(cx, x, 2.0)?;
//!     }
//!     Ok(())
//! }
//! ```

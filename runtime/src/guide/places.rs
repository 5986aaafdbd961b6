//! Places and derived names.
//!
//! A *place* is a name or a field that may hold a tensor: `x`, `s.a`, `w.attention.q`. The plan keeps each place apart.
//!
//! # Fields
//!
//! Two places conflict only if one is a part of the other. So two streams may work on one `&mut Scratch`:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! struct Scratch {
//!     a: Buffer<f32>,
//!     b: Buffer<f32>,
//!     step: usize,
//! }
//!
//! #[model_chunk(streams(compute, aux))]
//! fn advance(cx: &Cx<'_>, s: &mut Scratch, x: &Buffer<f32>) -> Result<()> {
//!     #[on(compute)]
//!     add_to(cx, &mut s.a, x)?;
//!     #[on(aux)]
//!     add_to(cx, &mut s.b, x)?;
//!     #[on(compute)]
//!     add_to(cx, &mut s.a, &s.b)?;
//!     s.step += 1;
//!     std::mem::swap(&mut s.a, &mut s.b);
//!     Ok(())
//! }
//!
//! run(&["compute", "aux"], |cx| {
//!     let mut s = Scratch { a: cx.upload([1.0])?, b: cx.upload([2.0])?, step: 0 };
//!     advance(cx, &mut s, &cx.upload([10.0])?)?;
//!     assert_eq!(cx.read(&s.a)?.wait()?, [12.0]);
//!     assert_eq!(cx.read(&s.b)?.wait()?, [23.0]);
//!     assert_eq!(s.step, 1);
//!     Ok(())
//! })?;
//!
//! assert_eq!(advance::PLAN.to_string(), "\
//! advance: 3 nodes on 2 streams, 1 wait, 0 leases
//!  ##  stream   node    waits for           leases
//!  0  compute  add_to  by ledger: s.a, x   reads x; writes s.a
//!  1  aux      add_to  by ledger: s.b, x   reads x; writes s.b
//!  2  compute  add_to  add_to #1           reads s.b; writes s.a
//!     host     lends &mut s.step
//!     host     lends &mut s.a, &mut s.b
//! ");
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! The parameters `s` and `x` are borrowed. Their storage stays outside, so the plan ends none of it: 0 leases.
//!
//! An element is not a place of its own: `v[i]` stands for all of `v`, since the macro does not know `i`. A loop over the
//! elements knows more, see below.
//!
//! # Taking a struct apart
//!
//! Consuming a field of an owned struct leaves the rest of it alive to the end of its block, and the plan says so. To free
//! sooner, destructure:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! struct Gated {
//!     h: Buffer<f32>,
//!     gate: Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(compute, aux))]
//! fn in_part(cx: &Cx<'_>, p: Gated) -> Result<Buffer<f32>> {
//!     #[on(compute)]
//!     let h = relu(cx, p.h)?;
//!     #[on(compute)]
//!     let y = add(cx, &h, &p.gate)?;
//!     Ok(y)
//! }
//!
//! #[model_chunk(streams(compute, aux))]
//! fn apart(cx: &Cx<'_>, p: Gated) -> Result<Buffer<f32>> {
//!     let Gated { h, gate } = p;
//!     #[on(compute)]
//!     let h = relu(cx, h)?;
//!     #[on(compute)]
//!     let y = add(cx, &h, &gate)?;
//!     Ok(y)
//! }
//!
//! let rest = "rest of `p` lives to the end of its block; destructure it to free sooner";
//! assert!(in_part::PLAN.to_string().contains(rest));
//! assert!(!apart::PLAN.to_string().contains(rest));
//! assert!(apart::PLAN.to_string().contains("reads h, gate; frees gate, h for compute"));
//! # run(&["compute", "aux"], |cx| {
//! #     for f in [in_part, apart] {
//! #         let y = f(cx, Gated { h: cx.upload([-1.0])?, gate: cx.upload([2.0])? })?;
//! #         assert_eq!(cx.read(&y)?.wait()?, [2.0]);
//! #     }
//! #     Ok(())
//! # })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Names that stand for places
//!
//! A name that is bound to a reference is *derived*: each use of it is that use of every place that it may stand for. It
//! never consumes. `let w = &s.w`, `if let Some(m) = &mask`, `for l in &layers`, `match cache { Some(k) => k, .. }` give
//! such names.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! /// Adds a key that is cached, or made anew.
//! #[model_chunk(streams(compute, aux))]
//! fn keyed(cx: &Cx<'_>, x: &Buffer<f32>, cache: Option<&Buffer<f32>>) -> Result<Buffer<f32>> {
//!     let fresh;
//!     let key = match cache {
//!         Some(key) => key,
//!         None => {
//!             #[on(aux)]
//!             fresh = scale(cx, x, 2.0)?;
//!             &fresh
//!         }
//!     };
//!     #[on(compute)]
//!     let y = add(cx, key, x)?;
//!     Ok(y)
//! }
//!
//! run(&["compute", "aux"], |cx| {
//!     let (x, key) = (cx.upload([1.0])?, cx.upload([5.0])?);
//!     let (anew, cached) = (keyed(cx, &x, None)?, keyed(cx, &x, Some(&key))?);
//!     assert_eq!(cx.read(&anew)?.wait()?, [3.0]);
//!     assert_eq!(cx.read(&cached)?.wait()?, [6.0]);
//!     Ok(())
//! })?;
//!
//! // `key` is printed as what it may stand for.
//! assert!(keyed::PLAN.to_string().contains("reads cache, fresh, x; makes y"));
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Items of a collection
//!
//! What `iter_mut()` gives is a place of its own on each trip: rustc proves that no two are the same storage. So one
//! trip does not wait for the one before.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, aux))]
//! fn descend(cx: &Cx<'_>, weights: &mut [Buffer<f32>], grads: &[Buffer<f32>]) -> Result<()> {
//!     for (w, g) in weights.iter_mut().zip(grads) {
//!         #[on(aux)]
//!         let step = scale(cx, g, -0.5)?;
//!         #[on(compute)]
//!         add_to(cx, w, &step)?;
//!     }
//!     Ok(())
//! }
//!
//! run(&["compute", "aux"], |cx| {
//!     let mut weights = [cx.upload([1.0])?, cx.upload([2.0])?];
//!     let grads = [cx.upload([2.0])?, cx.upload([4.0])?];
//!     descend(cx, &mut weights, &grads)?;
//!     assert_eq!(cx.read(&weights[0])?.wait()?, [0.0]);
//!     assert_eq!(cx.read(&weights[1])?.wait()?, [0.0]);
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Fields that are references
//!
//! Through a `&mut` to a struct, a field that is itself a reference is used as it is said to be: `&mut *s.out` if it is
//! written, `&*s.out` if it is read. A bare `s.out` could be either, and is
//! [refused](super::errors::compiler#a-field-of-what-is-borrowed-by-mut-cannot-be-passed-on-by-its-bare-name).
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! struct Step<'s> {
//!     out: &'s mut Buffer<f32>,
//!     w: &'s Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(compute, copy))]
//! fn step(cx: &Cx<'_>, s: &mut Step<'_>) -> Result<Buffer<f32>> {
//!     #[on(compute)]
//!     add_to(cx, &mut *s.out, s.w)?;
//!     #[on(copy)]
//!     let saved = scale(cx, &*s.out, 1.0)?;
//!     Ok(saved)
//! }
//!
//! run(&["compute", "copy"], |cx| {
//!     let (mut out, w) = (cx.upload([1.0])?, cx.upload([2.0])?);
//!     let saved = step(cx, &mut Step { out: &mut out, w: &w })?;
//!     assert_eq!(cx.read(&saved)?.wait()?, [3.0]);
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Tokens that the macro cannot read
//!
//! Inside a closure, or a macro of your own, the macro does not know what happens to a tensor. There the node states it:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! macro_rules! twice {
//!     ($f:ident($cx:expr, $x:expr)) => {{
//!         let once = $f($cx, $x, 2.0)?;
//!         $f($cx, &once, 2.0)
//!     }};
//! }
//!
//! #[model_chunk(streams(compute, aux))]
//! fn quadruple(cx: &Cx<'_>, x: &Buffer<f32>, factors: &[f32]) -> Result<Vec<Buffer<f32>>> {
//!     #[on(compute, uses(&x))]
//!     let y = twice!(scale(cx, x))?;
//!     #[on(aux, uses(&y))]
//!     let all: Vec<Buffer<f32>> = factors.iter().map(|&by| scale(cx, &y, by)).collect::<Result<_>>()?;
//!     Ok(all)
//! }
//!
//! run(&["compute", "aux"], |cx| {
//!     let all = quadruple(cx, &cx.upload([1.0])?, &[1.0, 0.5])?;
//!     assert_eq!(cx.read(&all[1])?.wait()?, [2.0]);
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! What is stated is enforced like what is read: what is stated as read cannot be written.
//!
//! # What does not fit
//!
//! An arena, in which all activations are ranges of one buffer, is one place: the plan sees no two tensors in it, and
//! orders everything. Give each activation a buffer of its own; the pool is the arena.
//!
//! Memory that is written through a shared reference, such as a cache passed as `&cache` to a kernel that fills it, must
//! become `&mut cache`. On the host backend a kernel gets a `&[T]` of what is viewed for reading. A CUDA kernel gets a
//! pointer, and nothing keeps it from writing there: the mode that you give the view is what the ledger believes.

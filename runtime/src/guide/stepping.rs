//! Stepping: several runs in turn on one host thread.
//!
//! A call enqueues a whole chunk before it returns. A schedule that has two microbatches under way wants to enqueue a node of
//! one, then a node of the other. `f::start` takes what `f` takes and gives a [`Stepped`](crate::Stepped) run; each
//! [`step`](crate::Stepped::step) enqueues the next node, with the host statements around it.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, Step, model_chunk};
//!
//! #[model_chunk(streams(compute, comm))]
//! fn layer(cx: &Cx<'_>, w: &Buffer<f32>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(compute)]
//!     let h = add(cx, &x, w)?;
//!     #[on(comm)]
//!     let sent = scale(cx, &h, 2.0)?;
//!     #[on(compute)]
//!     let y = add(cx, &sent, &x)?;
//!     Ok(y)
//! }
//!
//! run(&["compute", "comm"], |cx| {
//!     let w = cx.upload([1.0])?;
//!     let mut runs = [layer::start(cx, &w, cx.upload([1.0])?), layer::start(cx, &w, cx.upload([2.0])?)];
//!     let (mut order, mut out) = (Vec::new(), Vec::new());
//!     while out.len() < 2 {
//!         for (i, run) in runs.iter_mut().enumerate() {
//!             match run.step() {
//!                 Some(Step::Ran(node)) => order.push((i, node)),
//!                 Some(Step::Done(y)) => out.push(y?),
//!                 None => {} // done already
//!             }
//!         }
//!     }
//!     assert_eq!(order, [(0, "add"), (1, "add"), (0, "scale"), (1, "scale")]);
//!     assert_eq!(cx.read(&out[0])?.wait()?, [5.0]);
//!     assert_eq!(cx.read(&out[1])?.wait()?, [8.0]);
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! The step with the last node ends the run, so it says [`Done`](crate::Step::Done) and not `Ran`.
//! [`finish`](crate::Stepped::finish) runs what is left. The plan is the same as for a call, and so are the values.
//!
//! # What holds
//!
//! - Runs never wait for each other's own tensors. What they share, as `w` here, is ordered by its ledger.
//! - A step never ends with a node open, so anything may run between two steps.
//! - Dropping a run early ends it as an error would: what it holds is released. Forgetting one leaks what it holds, and
//!   corrupts nothing.
//! - A run stays on its thread. Several threads may each have runs of their own, on one lane or on several.
//!
//! For a method `m` the start is `m_start`, on the type.
//!
//! # What does not exist
//!
//! A called chunk is enqueued as a whole, in the step of the node before it: stepping does not enter it.
//! `#[chunk]` on a call is reserved for that, and [refused](super::errors::body#stepping-into-a-called-chunk-is-not-planned-yet)
//! today. To interleave finer, start the called chunks yourself.
//!
//! There is no scheduler in this crate. Which run steps next is your code's to say.

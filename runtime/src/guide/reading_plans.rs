//! Reading a plan.
//!
//! The companion of a chunk `f` has its plan as a constant, `f::PLAN`. Printed, it is a table; the same table is in the
//! function's doc comment, so an editor shows it on hover. What is printed is what runs: the code executes the constant.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn step(cx: &Cx<'_>, x: Buffer<f32>, w: &Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     #[on(compute)]
//!     let h = add(cx, &x, w)?;
//!     #[on(copy)]
//!     let saved = scale(cx, &x, 1.0)?;
//!     #[on(copy)]
//!     let seen = scale(cx, &h, 0.5)?;
//!     #[on(compute)]
//!     let y = relu(cx, h)?;
//!     #[on(compute)]
//!     let out = add(cx, &y, &seen)?;
//!     Ok((out, saved))
//! }
//!
//! assert_eq!(step::PLAN.to_string(), "\
//! step: 5 nodes on 2 streams, 2 waits, 6 leases
//!  ##  stream   node   waits for         leases
//!  0  compute  add    by ledger: x, w   reads x, w; makes h
//!  1  copy     scale  by ledger: x      reads x; frees x for copy; makes saved
//!  2  copy     scale  add #0            reads h; makes seen
//!  3  compute  relu   scale #2          takes h; makes y
//!  4  compute  add                      reads y, seen; frees seen, y for compute; makes out
//!     hands out: out, last on compute; saved, last on copy
//!     home later: seen was made on copy and ends on compute
//! ");
//! # run(&["compute", "copy"], |cx| {
//! #     let w = cx.upload([1.0, 1.0])?;
//! #     let (out, saved) = step(cx, cx.upload([1.0, -2.0])?, &w)?;
//! #     assert_eq!(cx.read(&out)?.wait()?, [3.0, -0.5]);
//! #     assert_eq!(cx.read(&saved)?.wait()?, [1.0, -2.0]);
//! #     Ok(())
//! # })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # The rows
//!
//! One line a node, in the order of the text, which is the order in which the host enqueues. *node* is the function that
//! it calls, or the name that it binds. A node whose name occurs again is told apart by its number: `add #0`.
//!
//! # The waits
//!
//! *waits for* names nodes of other streams. In straight lines these are exactly the waits that nothing else implies:
//!
//! - node 2 reads `h`, which node 0 made on another stream: a wait.
//! - node 3 consumes `h` while node 2 reads it: a wait.
//! - node 4 reads `seen`, which node 2 made. Its stream has waited for node 2 already: none.
//! - node 1 reads `x`, as node 0 does. Two readers do not wait for each other: none.
//!
//! `waits_explained` says why each is there:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! # use streamlease::{Buffer, Cx, Result, model_chunk};
//! # #[model_chunk(streams(compute, copy))]
//! # fn step(cx: &Cx<'_>, x: Buffer<f32>, w: &Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//! #     #[on(compute)]
//! #     let h = add(cx, &x, w)?;
//! #     #[on(copy)]
//! #     let saved = scale(cx, &x, 1.0)?;
//! #     #[on(copy)]
//! #     let seen = scale(cx, &h, 0.5)?;
//! #     #[on(compute)]
//! #     let y = relu(cx, h)?;
//! #     #[on(compute)]
//! #     let out = add(cx, &y, &seen)?;
//! #     Ok((out, saved))
//! # }
//! assert_eq!(step::PLAN.waits_explained().to_string(), "\
//! scale #2 waits for add #0: it needs `h` as `add #0` left it
//! relu waits for scale #2: it takes `h`, which `scale #2` reads; later nodes rely on it for seen
//! ");
//! ```
//!
//! `by ledger: x` is not one of the counted waits. Others may have used `x` before: the caller, a called chunk, an earlier
//! call. The plan cannot know them, so `x`'s own ledger is asked when the code runs. Usually the answer is that nothing is
//! left to wait for, and no call is made.
//!
//! # The leases
//!
//! - `makes h`: a lease begins. Its memory is taken on the node's stream.
//! - `reads`, `writes`, `takes`: what the node does with each place. `takes` is printed where a node consumes.
//! - `frees x for copy`: the lease ends here, at its last use. Nothing is enqueued and nobody waits. From here on `copy`
//!   may be given the memory; so may any stream that is ordered after all uses of `x`, the one by node 0 too.
//! - `hands out`: what leaves the chunk, and the stream that wrote it last. The plan does not end these leases; the
//!   caller does.
//! - `home later`: `seen` was made on `copy` and ended on `compute`. If `copy` were to take that memory again at once, it
//!   would have to wait for `compute`. It takes other memory instead, for as long as `reuse_lag` says: one call by default
//!   (see [`memory`](super::memory)).
//!
//! # A wait that you may not want
//!
//! Consuming `x` lets an operator write into it, so it must come after everybody who reads `x`. If that is the only reason
//! for a wait, the plan says so, and what would drop it:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn consuming(cx: &Cx<'_>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     #[on(copy)]
//!     let saved = scale(cx, &x, 1.0)?;
//!     #[on(compute)]
//!     let y = relu(cx, x)?;
//!     Ok((y, saved))
//! }
//!
//! assert_eq!(consuming::PLAN.to_string(), "\
//! consuming: 2 nodes on 2 streams, 1 wait, 3 leases
//!  ##  stream   node   waits for             leases
//!  0  copy     scale  by ledger: x          reads x; makes saved
//!  1  compute  relu   scale; by ledger: x   takes x; makes y  <- only because `relu` takes `x` while `scale` reads it; `&x` drops this wait
//!     hands out: y, last on compute; saved, last on copy
//! ");
//! # run(&["compute", "copy"], |cx| consuming(cx, cx.upload([1.0])?).map(drop))?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! That is a choice: the wait saves the memory of one tensor.
//!
//! # Rows of the host
//!
//! Where the host decides something, its lines show the structure by indent: `if`, `else`, `match` (with `or` before
//! each further arm), `for`, `while`, `loop`, what leaves them, what a called chunk is lent. On an arm, `frees x` says
//! that `x` ends there because only the other arm still uses it. [`control_flow`](super::control_flow) has such plans.
//!
//! # Plans in tests
//!
//! The fields of [`plan::Plan`](crate::plan::Plan) are public, so a test can hold what matters to you, and a change of the
//! code that costs overlap fails it:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! # use streamlease::{Buffer, Cx, Result, model_chunk};
//! #[model_chunk(streams(compute, copy))]
//! fn apart(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     #[on(compute)]
//!     let y = scale(cx, x, 2.0)?;
//!     #[on(copy)]
//!     let saved = scale(cx, x, 1.0)?;
//!     Ok((y, saved))
//! }
//!
//! assert!(apart::PLAN.nodes.iter().all(|node| node.waits.is_empty()));
//! # run(&["compute", "copy"], |cx| apart(cx, &cx.upload([1.0])?).map(drop))?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! Before your test sees it, the compiler has judged the plan: code that shares nothing with the analysis walks it in const
//! evaluation, and a missing wait or a lease that ends twice fails the build. That would be a fault of the macro, not of
//! your code.

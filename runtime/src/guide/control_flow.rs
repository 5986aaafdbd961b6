//! Loops and branches.
//!
//! Control flow is model code like any other. `if`, `match`, `let .. else`, blocks, `for`, `while`, `loop`, `break`,
//! `continue`, `return` and `?` are planned, with nodes inside them.
//!
//! # Loops
//!
//! A name that a node assigns to is carried from trip to trip. What it held before ends there.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! struct Layer {
//!     w: Buffer<f32>,
//!     bias: Option<Buffer<f32>>,
//! }
//!
//! #[model_chunk(streams(compute, comm))]
//! fn forward(cx: &Cx<'_>, layers: &[Layer], x: &Buffer<f32>) -> Result<(Buffer<f32>, Vec<Buffer<f32>>)> {
//!     let mut saved = Vec::new();
//!     #[on(compute)]
//!     let mut h = add(cx, x, x)?;
//!     for layer in layers {
//!         #[on(comm)]
//!         let sent = add(cx, &h, &layer.w)?;
//!         #[on(compute)]
//!         h = add(cx, &sent, &h)?;
//!         if let Some(bias) = &layer.bias {
//!             #[on(compute)]
//!             h = add(cx, &h, bias)?;
//!         }
//!         saved.push(sent);
//!     }
//!     Ok((h, saved))
//! }
//!
//! run(&["compute", "comm"], |cx| {
//!     let layers = [
//!         Layer { w: cx.upload([1.0])?, bias: None },
//!         Layer { w: cx.upload([1.0])?, bias: Some(cx.upload([0.5])?) },
//!     ];
//!     let (h, saved) = forward(cx, &layers, &cx.upload([1.0])?)?;
//!     assert_eq!(cx.read(&h)?.wait()?, [11.5]);
//!     assert_eq!(saved.len(), 2);
//!     Ok(())
//! })?;
//!
//! assert_eq!(forward::PLAN.to_string(), "\
//! forward: 4 nodes on 2 streams, 4 waits, 3 leases
//!  ##  stream   node     waits for                                   leases
//!     host     makes saved
//!  0  compute  add      by ledger: x                                reads x; makes h
//!     host     for
//!  1  comm       add    add #0, add #2, add #3; by ledger: layers   reads h, layers; makes sent
//!  2  compute    add    add #1                                      reads sent, h; renews h
//!     host       if
//!  3  compute      add  by ledger: layers                           reads h, layers; renews h
//!     host       else
//!     host       lends &mut saved; moves sent
//!     hands out: h, last on compute; saved
//! ");
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! Node 1 has three waits, because three nodes may have made the `h` that it reads: node 0 on the first trip, node 3 if
//! the layer before had a bias, node 2 if it had none. A wait inside a loop is for the latest trip of the node that it
//! names. Where that node did not run, or where the stream is ordered after it already, it makes no call: without biases,
//! `comm` waits once a trip.
//!
//! # Branches
//!
//! A branch may be the value of a `let`. What is consumed on one arm only ends at the start of the others.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, comm))]
//! fn gated(cx: &Cx<'_>, x: Buffer<f32>, skip: bool) -> Result<Buffer<f32>> {
//!     #[on(comm)]
//!     let gate = scale(cx, &x, 0.5)?;
//!     let h = if skip {
//!         x
//!     } else {
//!         #[on(compute)]
//!         add(cx, &x, &gate)?
//!     };
//!     #[on(compute)]
//!     let y = relu(cx, h)?;
//!     Ok(y)
//! }
//!
//! run(&["compute", "comm"], |cx| {
//!     let skipped = gated(cx, cx.upload([2.0])?, true)?;
//!     let added = gated(cx, cx.upload([2.0])?, false)?;
//!     assert_eq!(cx.read(&skipped)?.wait()?, [2.0]);
//!     assert_eq!(cx.read(&added)?.wait()?, [3.0]);
//!     Ok(())
//! })?;
//!
//! assert_eq!(gated::PLAN.to_string(), "\
//! gated: 3 nodes on 2 streams, 1 wait, 4 leases
//!  ##  stream   node   waits for             leases
//!  0  comm     scale  by ledger: x          reads x; makes gate
//!     host     if
//!     host       frees gate
//!     host       moves x; makes h
//!     host     else
//!  1  compute    add  scale; by ledger: x   reads x, gate; frees x, gate for compute; makes h
//!  2  compute  relu   by ledger: h          takes h; makes y
//!     hands out: y, last on compute
//!     home later: gate was made on comm and ends on compute
//! ");
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! `h` is one of two storages, and the plan cannot know which. So node 2 asks its ledger. With `skip` the ledger knows
//! that `comm` still reads it, and `compute` waits; without, there is nothing to wait for.
//!
//! # Leaving early
//!
//! `return`, `break`, `continue` and `?` end what is live on their path, there.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, comm))]
//! fn sum(cx: &Cx<'_>, mut todo: Vec<Buffer<f32>>, most: usize) -> Result<Buffer<f32>> {
//!     let Some(first) = todo.pop() else {
//!         return Err(streamlease::Error::invalid("nothing to sum"));
//!     };
//!     #[on(compute)]
//!     let mut sum = scale(cx, &first, 2.0)?;
//!     let mut n = 1;
//!     while let Some(x) = todo.pop() {
//!         if n == most {
//!             break;
//!         }
//!         n += 1;
//!         #[on(comm)]
//!         let doubled = scale(cx, &x, 2.0)?;
//!         #[on(compute)]
//!         add_to(cx, &mut sum, &doubled)?;
//!     }
//!     Ok(sum)
//! }
//!
//! run(&["compute", "comm"], |cx| {
//!     let todo = vec![cx.upload([1.0])?, cx.upload([2.0])?, cx.upload([4.0])?];
//!     let out = sum(cx, todo, 2)?;
//!     assert_eq!(cx.read(&out)?.wait()?, [12.0]);
//!     assert!(sum(cx, Vec::new(), 2).is_err());
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # A value from several places
//!
//! Declare a name and assign on each arm, or give it its type where nothing else does. The type of a bare `None` is not
//! always inferred in time:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, comm))]
//! fn mean(cx: &Cx<'_>, xs: &[Buffer<f32>]) -> Result<Option<Buffer<f32>>> {
//!     let mut sum: Option<Buffer<f32>> = None;
//!     for x in xs {
//!         let next = match sum {
//!             None => {
//!                 #[on(comm)]
//!                 scale(cx, x, 1.0)?
//!             }
//!             Some(s) => {
//!                 #[on(compute)]
//!                 add(cx, &s, x)?
//!             }
//!         };
//!         sum = Some(next);
//!     }
//!     let mean;
//!     if let Some(s) = sum {
//!         #[on(compute)]
//!         let m = scale(cx, &s, 1.0 / xs.len() as f32)?;
//!         mean = Some(m);
//!     } else {
//!         mean = None;
//!     }
//!     Ok(mean)
//! }
//!
//! run(&["compute", "comm"], |cx| {
//!     let out = mean(cx, &[cx.upload([1.0])?, cx.upload([3.0])?])?.expect("two values");
//!     assert_eq!(cx.read(&out)?.wait()?, [2.0]);
//!     assert!(mean(cx, &[])?.is_none());
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # What is not planned
//!
//! - A construct with a node, a move or a called chunk in it, as part of an expression: `f(if p { x } else { y })`. Make it
//!   a statement, or the value of a `let`.
//! - `break` with a value.
//! - A node inside a closure.
//!
//! Each is an error that says what to write instead: [`errors::control_flow`](super::errors::control_flow).
//!
//! A chunk with control flow is one function to rustc, whose time grows faster than the chunk. Keep such chunks to about a
//! hundred nodes, and [call one chunk from another](super::calls).

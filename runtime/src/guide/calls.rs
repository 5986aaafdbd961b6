//! Called chunks, and activations in a `Vec`.
//!
//! A model is a chunk that calls chunks. A host statement that passes `cx` on is such a call; nothing marks it.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! /// A layer; its input goes to the host side of the link while the layer computes.
//! #[model_chunk(streams(compute, copy))]
//! fn layer(cx: &Cx<'_>, w: &Buffer<f32>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     #[on(copy)]
//!     let act = scale(cx, &x, 1.0)?;
//!     #[on(compute)]
//!     let h = add(cx, &x, w)?;
//!     #[on(compute)]
//!     let y = relu(cx, h)?;
//!     Ok((y, act))
//! }
//!
//! #[model_chunk(streams(compute, copy))]
//! fn forward(cx: &Cx<'_>, ws: &[Buffer<f32>], x: Buffer<f32>) -> Result<(Buffer<f32>, Vec<Buffer<f32>>)> {
//!     let mut acts = Vec::new();
//!     let mut h = x;
//!     for w in ws {
//!         let (y, act) = layer(cx, w, h)?;
//!         acts.push(act);
//!         h = y;
//!     }
//!     #[on(compute)]
//!     let out = scale(cx, &h, 0.5)?;
//!     Ok((out, acts))
//! }
//!
//! #[model_chunk(streams(compute, copy))]
//! fn backward(cx: &Cx<'_>, mut acts: Vec<Buffer<f32>>, dy: Buffer<f32>) -> Result<Buffer<f32>> {
//!     let mut d = dy;
//!     while let Some(act) = acts.pop() {
//!         #[on(copy)]
//!         let act = scale(cx, &act, 2.0)?;
//!         #[on(compute)]
//!         d = add(cx, &d, &act)?;
//!     }
//!     Ok(d)
//! }
//!
//! run(&["compute", "copy"], |cx| {
//!     let ws = [cx.upload([1.0])?, cx.upload([-1.0])?];
//!     let (y, acts) = forward(cx, &ws, cx.upload([3.0])?)?;
//!     assert_eq!(acts.len(), 2);
//!     let d = backward(cx, acts, y)?;
//!     assert_eq!(cx.read(&d)?.wait()?, [15.5]);
//!     Ok(())
//! })?;
//!
//! assert_eq!(forward::PLAN.to_string(), "\
//! forward: 1 node on 2 streams, 0 waits, 6 leases
//!  ##  stream   node   waits for      leases
//!     host     makes acts
//!     host     moves x; makes h
//!     host     for
//!     host       lends ws; moves h; makes y, act
//!     host       lends &mut acts; moves act
//!     host       moves y; makes h
//!  0  compute  scale  by ledger: h   reads h; frees h for compute; makes out
//!     hands out: out, last on compute; acts
//! ");
//! assert_eq!(backward::PLAN.to_string(), "\
//! backward: 2 nodes on 2 streams, 1 wait, 5 leases
//!  ##  stream   node     waits for             leases
//!     host     moves dy; makes d
//!     host     while
//!     host       lends &mut acts
//!     host       makes act
//!  0  copy       scale  by ledger: act        reads act; frees act for copy; makes act
//!  1  compute    add    scale; by ledger: d   reads d, act; frees act for compute; renews d
//!     host     frees acts
//!     hands out: d
//!     home later: act was made on copy and ends on compute
//! ");
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # What a plan knows of a call
//!
//! Plans are not merged. The caller's plan says what is lent to the called chunk, what is moved into it, and what comes
//! out; what happens inside is in the called chunk's own plan. Where they meet, the ledgers speak: what a call has used or
//! made is asked `by ledger` from then on. So both may be compiled apart, and may call each other.
//!
//! The same goes for a `Vec`. What is pushed into it moves there, and what is popped comes out as a lease of its own, whose
//! ledger knows which streams used it. `acts` as a whole ends with the last statement that uses it, whatever is left in it.
//!
//! The lane must have every stream that a called chunk names. If it has not, the call is an error that says so:
//! [`UnknownStream`](crate::ErrorKind::UnknownStream).
//!
//! # Streams that a chunk does not have
//!
//! A called chunk can have streams that its caller does not name. And two names may mean one physical stream, at no cost:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, Runtime, model_chunk};
//!
//! #[model_chunk(streams(comm))]
//! fn send(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(comm)]
//!     let sent = scale(cx, x, 1.0)?;
//!     Ok(sent)
//! }
//!
//! #[model_chunk(streams(compute))]
//! fn step(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     let sent = send(cx, &x)?;
//!     #[on(compute)]
//!     let y = add(cx, &x, &sent)?;
//!     Ok(y)
//! }
//!
//! let runtime = Runtime::builder().strict(true).build()?;
//! let (a, b) = (runtime.stream("a")?, runtime.stream("b")?);
//! let apart = runtime.lane_on(&[("compute", &a), ("comm", &b)])?;
//! let shared = runtime.lane_on(&[("compute", &a), ("comm", &a)])?;
//! for lane in [apart, shared] {
//!     let cx = lane.cx();
//!     let y = step(&cx, cx.upload([1.0])?)?;
//!     assert_eq!(cx.read(&y)?.wait()?, [2.0]);
//! }
//!
//! let lacking = runtime.lane(&["compute"])?;
//! let error = step(&lacking.cx(), lacking.cx().upload([1.0])?).unwrap_err();
//! assert_eq!(error.kind(), streamlease::ErrorKind::UnknownStream);
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Device work outside chunks
//!
//! [`Cx::node`](crate::Cx::node) opens a node on a stream by its name, in any code. There is no plan then, and everything is
//! ordered by ledger: right, and each wait is found when it is needed. It is for code that you have not annotated, and for
//! tests. It is not for the inside of a chunk, where a node that nobody planned would hide its uses from the plan.

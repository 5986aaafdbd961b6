//! Coming from PyTorch's `record_stream`.
//!
//! # What you write there
//!
//! ```python
//! comm.wait_stream(compute)
//! with torch.cuda.stream(comm):
//!     sent = send(x)
//! x.record_stream(comm)        # without this, x's memory may be reused under `send`
//! y = layer(x)
//! del x
//! compute.wait_stream(comm)
//! out = y + sent
//! sent.record_stream(compute)
//! ```
//!
//! Four lines of it are about order and memory. Each is right or wrong by your care alone: a missing `record_stream` is
//! wrong data on some days; a `wait_stream` waits for all that the other stream was given so far, needed or not.
//!
//! `record_stream` also costs memory. A block that another stream has used is free again only when a later allocation asks
//! the device and is told that the use is over. A host that runs ahead is told no, and takes new memory. Measured with
//! PyTorch 2.11 on an H200, two chains of 64 MiB tensors that hop between two streams: 5,760 to 9,984 MiB reserved,
//! another figure in each run; with frees placed by hand where the streams are ordered anyway, 256 MiB, in each run.
//!
//! # What you write here
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::{add, relu, run, scale};
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, comm))]
//! fn step(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(comm)]
//!     let sent = scale(cx, &x, 2.0)?;
//!     #[on(compute)]
//!     let y = scale(cx, &x, -1.0)?;
//!     #[on(compute)]
//!     let out = add(cx, &y, &sent)?;
//!     Ok(out)
//! }
//!
//! assert_eq!(step::PLAN.to_string(), "\
//! step: 3 nodes on 2 streams, 1 wait, 4 leases
//!  ##  stream   node   waits for      leases
//!  0  comm     scale  by ledger: x   reads x; makes sent
//!  1  compute  scale  by ledger: x   reads x; frees x for compute; makes y
//!  2  compute  add    scale #0       reads y, sent; frees sent, y for compute; makes out
//!     hands out: out, last on compute
//!     home later: sent was made on comm and ends on compute
//! ");
//! # run(&["compute", "comm"], |cx| {
//! #     let out = step(cx, cx.upload([3.0])?)?;
//! #     assert_eq!(cx.read(&out)?.wait()?, [3.0]);
//! #     Ok(())
//! # })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! The waits are found, and they are for nodes, not for whole streams. `x` ends at its last use, which its ledger knows: its
//! memory goes to any stream that is ordered after both readers, without asking the device.
//!
//! # The same switch, both ways
//!
//! `Runtime::builder().release(Release::Conservative)` runs the same annotated code with `record_stream`'s rule. Values are
//! the same, bit for bit, and the peaks are yours to compare; [`memory`](super::memory#what-a-release-is) does it.
//!
//! # What if I forget something?
//!
//! There is nothing to record, so nothing to forget. What can go wrong is that the macro does not see a use: an operator that
//! puts a tensor aside, and another that takes it up. Then the plan has no wait for it. The ledger still has the mark, so the
//! stream waits, the values are right, and the wait is counted as *unplanned*:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::scale;
//! use std::cell::RefCell;
//! use streamlease::{Buffer, Cx, ErrorKind, Lane, Node, Result, Runtime, model_chunk};
//!
//! type Aside = RefCell<Option<Buffer<f32>>>;
//!
//! fn put_aside(cx: &Node<'_>, aside: &Aside, x: &Buffer<f32>) -> Result<()> {
//!     *aside.borrow_mut() = Some(scale(cx, x, 2.0)?);
//!     Ok(())
//! }
//!
//! fn take_up(cx: &Node<'_>, aside: &Aside) -> Result<Buffer<f32>> {
//!     let aside = aside.borrow();
//!     scale(cx, aside.as_ref().expect("put aside before"), 2.0)
//! }
//!
//! #[model_chunk(streams(compute, comm))]
//! fn hiding(cx: &Cx<'_>, aside: &Aside, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(compute)]
//!     put_aside(cx, aside, x)?;
//!     #[on(comm)]
//!     let y = take_up(cx, aside)?; // two readers of `aside`, as far as the macro can see
//!     Ok(y)
//! }
//!
//! let hide = |lane: &Lane| hiding(&lane.cx(), &Aside::default(), &lane.cx().upload([1.0])?);
//!
//! let runtime = Runtime::host()?;
//! let lane = runtime.lane(&["compute", "comm"])?;
//! let y = hide(&lane)?;
//! assert_eq!(lane.cx().read(&y)?.wait()?, [4.0]);
//! assert_eq!(runtime.stats().waits.unplanned, 1);
//!
//! // In tests, an error that names the node.
//! let runtime = Runtime::builder().strict(true).build()?;
//! let error = hide(&runtime.lane(&["compute", "comm"])?).unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Unplanned);
//! assert_eq!(error.node(), Some("take_up"));
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # What takes the place of what
//!
//! | PyTorch | here |
//! |---|---|
//! | `with torch.cuda.stream(s):` | `#[on(s)]` on a statement or a block |
//! | `s.wait_stream(t)`, `event.record`, `event.wait` | the plan |
//! | `x.record_stream(s)` | the ledger, by itself |
//! | `del x` where it frees memory in time | the end of the lease, at the last use |
//! | `torch.empty`, the caching allocator | [`cx.empty`](crate::Node::empty) in a node, the pool |
//! | `x.add_(y)` | `add_to(cx, &mut x, &y)`: writing is `&mut` |
//! | `x.item()`, `x.cpu()` | [`cx.read(&x)?`](crate::Node::read), then [`wait`](crate::Pending::wait) when it is needed |
//! | `torch.cuda.max_memory_reserved()` | [`stats().memory.peak_reserved`](crate::Memory::peak_reserved) |
//! | `torch.cuda.empty_cache()` | [`lane.drain()`](crate::Lane::drain) |
//!
//! # What does not exist
//!
//! No autograd, no operators, no tensors of PyTorch: a `torch` tensor cannot be lent to a node today. The backward pass is
//! a chunk that you write, as [`calls`](super::calls) does.

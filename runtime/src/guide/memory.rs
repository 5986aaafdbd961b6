//! Readback, and where memory goes.
//!
//! # Values on the host
//!
//! [`cx.read(&x)`](crate::Cx::read) starts a copy and returns a [`Pending`](crate::Pending) at once. The copy is a use like
//! any other: it leaves a mark, so `x` may be written or dropped right after. [`wait`](crate::Pending::wait) blocks for this
//! copy alone, not for the device. It is the only place where the host waits for a value; a `Pending` can be awaited too.
//!
//! Inside a chunk, a read is part of a node, or a node of its own:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Pending, Result, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn step(cx: &Cx<'_>, w: &mut Buffer<f32>, grad: Buffer<f32>) -> Result<Pending<f32>> {
//!     #[on(compute)]
//!     let loss = scale(cx, &grad, 0.5)?;
//!     #[on(copy)]
//!     let value = cx.read(&loss)?;
//!     #[on(compute)]
//!     add_to(cx, w, &grad)?;
//!     Ok(value)
//! }
//!
//! run(&["compute", "copy"], |cx| {
//!     let mut w = cx.upload([1.0])?;
//!     let first = step(cx, &mut w, cx.upload([2.0])?)?;
//!     let second = step(cx, &mut w, cx.upload([4.0])?)?; // enqueued before anything is waited for
//!     assert_eq!(first.wait()?, [1.0]);
//!     assert_eq!(second.wait()?, [2.0]);
//!     assert_eq!(cx.read(&w)?.wait()?, [7.0]);
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! What to do next because of a value is the host's to decide, and costs a wait there. Read late, and few values.
//!
//! # What a release is
//!
//! A lease ends at its last use, on each path. Its block goes into the pool *with its ledger*. Nothing is enqueued, no
//! stream is chosen, nobody waits. Any stream that is ordered after all its marks may be given it from then on, whatever
//! the device has finished. So how much memory a program takes follows from its text, not from how far the host runs ahead.
//!
//! [`Release`](crate::Release) is the switch for comparison. `Scheduled` is the default. `Conservative` gives a block only to
//! the stream that took it, and, if other streams used it, only after a later allocation has seen them finish. That is what
//! PyTorch's `record_stream` does, under the same code:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::{add, scale};
//! use std::time::Duration;
//! use streamlease::{Buffer, Cx, Release, Result, Runtime, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn save_and_sum(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(copy)]
//!     let saved = scale(cx, &x, 1.0)?;
//!     #[on(compute)]
//!     let sum = add(cx, &x, &saved)?;
//!     Ok(sum)
//! }
//!
//! /// Values and peak of some steps, the host sleeping between them or not.
//! fn steps(release: Release, sleep: Duration) -> Result<(Vec<f32>, usize)> {
//!     let runtime = Runtime::builder().release(release).build()?;
//!     let lane = runtime.lane(&["compute", "copy"])?;
//!     let cx = lane.cx();
//!     let mut x = cx.upload(vec![0.001; 1 << 18])?; // a mebibyte
//!     for _ in 0..6 {
//!         x = save_and_sum(&cx, x)?;
//!         std::thread::sleep(sleep);
//!     }
//!     let last = cx.read(&x)?.wait()?;
//!     Ok((last, runtime.stats().memory.peak_reserved))
//! }
//!
//! let (values, peak) = steps(Release::Scheduled, Duration::ZERO)?;
//! let (slow_values, slow_peak) = steps(Release::Scheduled, Duration::from_millis(5))?;
//! let (others, _differs_from_run_to_run) = steps(Release::Conservative, Duration::ZERO)?;
//! assert_eq!(peak, slow_peak);
//! assert!(values == slow_values && values == others);
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Memory that comes home
//!
//! A tensor that is made on `copy` and ends on `compute` leaves a block that `copy` is not ordered after. Without more, `copy`
//! would take new memory on each trip, without end. So an allocation may make a *reuse wait*: its stream waits for the last
//! use of such a block, and takes it.
//!
//! It does so only for a block that the same chunk on the same lane took on the same stream, and that came back before the
//! asking node's `reuse_lag`-th last execution; and only if there is a mebibyte or more of those, since growing is cheaper
//! below. `#[model_chunk(streams(..), reuse_lag = k)]` sets the lag:
//!
//! | `reuse_lag` | memory | overlap |
//! |---|---|---|
//! | 0 | the least | a node may wait for the trip that it is part of |
//! | 1, the default | at most two trips of it | one trip |
//! | k | k + 1 trips | k trips |
//!
//! # The limit
//!
//! [`memory_limit`](crate::Builder::memory_limit) bounds what is taken from the device. At the limit an allocation waits for
//! the oldest free block that fits, on its stream, not on the host. If none fits, it gives whole free slabs back to the
//! device and takes another. Only then is it an error, which says how much was asked for; what is smaller still works, and
//! so does the same again once something was dropped.
//!
//! ```
//! use streamlease::{ErrorKind, Runtime};
//!
//! let runtime = Runtime::builder().memory_limit(8 << 20).build()?;
//! let lane = runtime.lane(&["compute"])?;
//! let cx = lane.cx();
//! let half = cx.zeros::<u8>(4 << 20)?;
//!
//! let error = cx.zeros::<u8>(6 << 20).unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::OutOfMemory);
//! assert_eq!(error.bytes(), Some(6 << 20));
//!
//! drop(half);
//! assert!(cx.zeros::<u8>(6 << 20).is_ok());
//! assert!(runtime.stats().memory.peak_reserved <= 8 << 20);
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Statistics
//!
//! [`Runtime::stats`](crate::Runtime::stats) counts, at any time and without touching the device:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::{add, scale};
//! use streamlease::{Buffer, Cx, Result, Runtime, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn save_and_sum(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(copy)]
//!     let saved = scale(cx, &x, 1.0)?;
//!     #[on(compute)]
//!     let sum = add(cx, &x, &saved)?;
//!     Ok(sum)
//! }
//!
//! let runtime = Runtime::host()?;
//! let lane = runtime.lane(&["compute", "copy"])?;
//! let x = lane.cx().upload([1.0, 2.0])?; // made on `compute`, the lane's first stream
//! let sum = save_and_sum(&lane.cx(), x)?;
//!
//! let stats = runtime.stats();
//! assert_eq!(stats.waits.planned, 1); // `add` waits for `saved`
//! assert_eq!(stats.waits.by_ledger, 1); // `copy` waits for the upload
//! assert_eq!(stats.waits.unplanned, 0);
//! assert_eq!((stats.allocations, stats.frees), (3, 2));
//! assert_eq!(stats.leases_released, 2); // `x` and `saved`, by steps of the plan
//! drop(sum);
//! assert_eq!(runtime.stats().memory.live, 0);
//!
//! lane.drain()?; // waits for the lane's work, and gives unused memory back to the device
//! assert_eq!(runtime.stats().memory.reserved, 0);
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! | count | what to think of it |
//! |---|---|
//! | `waits.planned` | the plan's own waits, where they were not met already |
//! | `waits.by_ledger` | normal at the seams: inputs, called chunks, what one call leaves to the next |
//! | `waits.reuse` | memory that came home, or a limit that was reached |
//! | `waits.late` | no event stood behind the use that was waited for, so one was recorded at the stream's head: a wait for more than was needed |
//! | `waits.unplanned` | not 0: a use was hidden from the macro, such as device memory that an operator keeps aside. Values are right all the same; strict mode makes it an error, which names the node |
//! | `memory.live`, `memory.peak_live` | bytes that buffers hold, in host order |
//! | `memory.reserved`, `memory.peak_reserved` | bytes that were taken from the device |
//! | `memory.kept_back` | freed, and never used again, since a failing device leaves no proof that they are idle |
//! | `memory.pending` | conservative release: freed, not yet seen finished |
//!
//! `stats.streams` has each stream's own nodes, records and waits; [`reset_peaks`](crate::Runtime::reset_peaks) starts the
//! peaks anew.
//!
//! # What does not exist
//!
//! No memory moves to the host by itself when the device is full, and nothing is computed anew. Both are nodes that you
//! write. There is no defragmentation either: blocks are split and merged within slabs, and slabs do not move.

//! Coming from cudarc.
//!
//! You have code that launches on `CudaStream`s and keeps `CudaSlice`s. This page says what goes wrong there with two
//! streams, and how a [`Buffer`](crate::Buffer) takes a slice's place. The feature `cuda` is needed; it builds without CUDA
//! on the machine. Snippets that need a device are compiled here and not run, if that feature is on.
//!
//! # What cudarc's tracking does with two readers
//!
//! cudarc keeps two events a slice: of its last write, and of its last read. Each reader records the read event anew. With
//! readers on two streams the first is forgotten:
//!
#![cfg_attr(feature = "__cuda", doc = "```no_run")]
#![cfg_attr(not(feature = "__cuda"), doc = "```ignore")]
//! use std::sync::Arc;
//! use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg};
//!
//! fn read_on(
//!     stream: &Arc<CudaStream>,
//!     kernel: &CudaFunction,
//!     x: &CudaSlice<f32>,
//!     y: &mut CudaSlice<f32>,
//! ) -> Result<(), DriverError> {
//!     let config = LaunchConfig::for_num_elems(x.len() as u32);
//!     // SAFETY: the kernel takes these two, and stays within them.
//!     unsafe { stream.launch_builder(kernel).arg(x).arg(y).launch(config) }.map(drop)
//! }
//!
//! # fn demo(compute: &Arc<CudaStream>, comm: &Arc<CudaStream>, copy: &Arc<CudaStream>, kernel: &CudaFunction,
//! #     a: &mut CudaSlice<f32>, b: &mut CudaSlice<f32>) -> Result<(), DriverError> {
//! let x: CudaSlice<f32> = compute.alloc_zeros(1 << 20)?;
//! read_on(comm, kernel, &x, a)?; // slow; the read event
//! read_on(copy, kernel, &x, b)?; // the same event, recorded anew
//! drop(x); //                       waits for `copy` only, and frees under `comm`'s read
//! # Ok(())
//! # }
//! ```
//!
//! On an H200, with cudarc 0.19.10 and its tracking on, a drop or an overwrite after two such readers gave wrong data in 20
//! of 20 rounds. Launching is `unsafe` there, and rightly; but order between streams is what the tracking is for.
//!
//! The other half is time. A drop makes the stream that allocated the slice wait for its readers before it frees, so work
//! that never touched the slice waits too.
//!
//! Here a storage's ledger keeps the last read of *each* stream, and a release waits for nothing.
//!
//! # The same, annotated
//!
//! This runs on the host backend as on a device. Checked mode lets `comm` lag as far as the waits allow, and poisons what is
//! freed:
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::scale;
//! use streamlease::{Buffer, Checked, Cx, Result, Runtime, model_chunk};
//!
//! #[model_chunk(streams(compute, comm, copy))]
//! fn two_readers(cx: &Cx<'_>, x: Buffer<f32>) -> Result<[Buffer<f32>; 3]> {
//!     #[on(comm)]
//!     let a = scale(cx, &x, 2.0)?;
//!     #[on(copy)]
//!     let b = scale(cx, &x, 3.0)?;
//!     drop(x);
//!     #[on(compute)]
//!     let y = cx.zeros(b.len())?;
//!     Ok([a, b, y])
//! }
//!
//! let runtime = Runtime::builder().checked(Checked::seed(1).slow("comm")).build()?;
//! let lane = runtime.lane(&["compute", "comm", "copy"])?;
//! let [a, b, _] = two_readers(&lane.cx(), lane.cx().upload([1.0])?)?;
//! assert_eq!(lane.cx().read(&a)?.wait()?, [2.0]);
//! assert_eq!(lane.cx().read(&b)?.wait()?, [3.0]);
//! assert!(runtime.violations().is_empty());
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # A runtime beside what you have
//!
//! `Runtime::cuda(0)` works in the device's primary context, as cudarc's `CudaContext::new(0)` does. A context of your own
//! goes to `Builder::cuda_context`; streams that you have already come in by `Runtime::adopt`. cudarc's tracking of your
//! own slices is left as you set it.
//!
#![cfg_attr(feature = "__cuda", doc = "```no_run")]
#![cfg_attr(not(feature = "__cuda"), doc = "```ignore")]
//! use std::sync::Arc;
//! use cudarc::driver::{CudaContext, CudaStream};
//! use streamlease::{Lane, Result, Runtime};
//!
//! fn lane(context: &Arc<CudaContext>, compute: &Arc<CudaStream>, comm: &Arc<CudaStream>) -> Result<Lane> {
//!     let runtime = Runtime::builder().cuda_context(context).build()?;
//!     let compute = runtime.adopt("compute", compute)?;
//!     let comm = runtime.adopt("comm", comm)?;
//!     runtime.lane_on(&[("compute", &compute), ("comm", &comm)])
//! }
//! ```
//!
//! A machine without a driver gets an error from `build`, not a panic.
//!
//! # Operators
//!
//! An operator takes `cx: &Node<'_>` and asks it for the stream and for views. cudarc's launch builder takes views as
//! arguments. The views are what asks the ledger and leaves the mark, so no event is yours to record.
//!
#![cfg_attr(feature = "__cuda", doc = "```no_run")]
#![cfg_attr(not(feature = "__cuda"), doc = "```ignore")]
//! use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
//! use streamlease::{Buffer, Cx, Error, Node, Result, model_chunk};
//!
//! struct Kernels {
//!     scale: CudaFunction,
//! }
//!
//! fn scale(cx: &Node<'_>, k: &Kernels, x: &Buffer<f32>, by: f32) -> Result<Buffer<f32>> {
//!     let n = x.len() as u32;
//!     let mut y = cx.empty(x.len())?;
//!     let (from, mut to) = (cx.view(x)?, cx.view_mut(&mut y)?);
//!     let mut launch = cx.cuda_stream()?.launch_builder(&k.scale);
//!     launch.arg(&from).arg(&mut to).arg(&by).arg(&n);
//!     // SAFETY: `scale(const float*, float*, float, unsigned)` touches `n` elements of each. The builder is of this
//!     // node's stream, and so are the views.
//!     unsafe { launch.launch(LaunchConfig::for_num_elems(n)) }
//!         .map_err(|e| Error::invalid("scale was not launched").caused_by(e))?;
//!     Ok(y)
//! }
//!
//! #[model_chunk(streams(compute, copy))]
//! fn step(cx: &Cx<'_>, k: &Kernels, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     #[on(compute)]
//!     let y = scale(cx, k, &x, 2.0)?;
//!     #[on(copy)]
//!     let saved = scale(cx, k, &x, 1.0)?;
//!     Ok((y, saved))
//! }
//! ```
//!
//! The plan lists `k` among the reads, since the macro sees no types. What holds no storage costs no wait.
//!
//! # Libraries
//!
//! A `Buffer` has cudarc's `DeviceSlice`, `DevicePtr` and `DevicePtrMut`, and so have views. Whatever takes a `CudaSlice` by
//! these traits takes a buffer unchanged: copies, cuBLAS, NCCL. The stream comes with the call, so the ledger is asked and
//! marked there, inside nodes and outside.
//!
#![cfg_attr(feature = "__cuda", doc = "```no_run")]
#![cfg_attr(not(feature = "__cuda"), doc = "```ignore")]
//! use cudarc::driver::{CudaSlice, DevicePtr};
//! use streamlease::{Buffer, Error, Node, Result};
//!
//! /// Takes a slice or a buffer.
//! fn fetch(cx: &Node<'_>, from: &impl DevicePtr<f32>, to: &mut Buffer<f32>) -> Result<()> {
//!     let mut to = cx.view_mut(to)?;
//!     let copied = cx.cuda_stream()?.memcpy_dtod(from, &mut to);
//!     copied.map_err(|e| Error::invalid("nothing was copied").caused_by(e))
//! }
//!
//! fn both(cx: &Node<'_>, x: &Buffer<f32>, foreign: &CudaSlice<f32>, to: &mut Buffer<f32>) -> Result<()> {
//!     fetch(cx, &cx.view(x)?, to)?;
//!     fetch(cx, foreign, to) // cudarc's own tracking orders this one
//! }
//! ```
//!
//! Keep one cuBLAS handle and one NCCL communicator for each stream, and use each on its own stream's nodes only.
//!
//! # Kernels outside nodes
//!
//! In code that is not annotated, the launch builder does not say on which stream an argument will be used. So bind the
//! buffer to a stream: `x.on(&stream)` to read, `x.on_mut(&stream)` to write. That orders the stream after what
//! conflicts, and marks the ledger.
//!
#![cfg_attr(feature = "__cuda", doc = "```no_run")]
#![cfg_attr(not(feature = "__cuda"), doc = "```ignore")]
//! use std::sync::Arc;
//! use cudarc::driver::{CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg};
//! use streamlease::Buffer;
//!
//! fn scale_on(
//!     stream: &Arc<CudaStream>,
//!     kernel: &CudaFunction,
//!     x: &Buffer<f32>,
//!     y: &mut Buffer<f32>,
//! ) -> Result<(), DriverError> {
//!     let n = x.len() as u32;
//!     let (from, to) = (x.on(stream), y.on_mut(stream));
//!     let mut launch = stream.launch_builder(kernel);
//!     launch.arg(&from).arg(&to).arg(&2.0_f32).arg(&n);
//!     // SAFETY: `scale(const float*, float*, float, unsigned)` touches `n` elements of each, and the builder is of the
//!     // stream that both are bound to.
//!     unsafe { launch.launch(LaunchConfig::for_num_elems(n)) }.map(drop)
//! }
//! ```
//!
//! If the runtime does not know the stream, it cannot order it on the device: the host waits for the call to end. That is
//! right and slow. `Runtime::adopt` the stream first.
//!
//! # What takes the place of what
//!
//! | cudarc | here |
//! |---|---|
//! | `CudaSlice<T>` that lives for a step | [`Buffer<T>`](crate::Buffer) |
//! | `stream.alloc(n)`, `alloc_zeros`, `clone_htod` | [`cx.empty(n)`](crate::Node::empty), [`zeros`](crate::Node::zeros), [`upload`](crate::Node::upload), in a node |
//! | `clone_dtoh`, then `synchronize` | [`cx.read(&x)?`](crate::Node::read), then [`wait`](crate::Pending::wait) |
//! | `CudaView`, `slice(..)` | [`View`](crate::View), [`slice`](crate::View::slice), within one node |
//! | `record_event`, `stream.wait(&event)`, `join` | the plan |
//! | `disable_event_tracking` and care | the plan, and the ledger where the plan ends |
//! | a device pointer | `cx.raw_ptr(&x)`, `unsafe`, within the node |
//!
//! # What does not exist
//!
//! - Stream capture: a runtime's stream must not be captured into a CUDA graph.
//! - Several devices in one runtime: each device has a runtime of its own, and nothing copies between them by itself.
//! - Taking a `CudaSlice` into the pool, or giving a buffer away as a `CudaSlice`. Slices stay cudarc's and can be used in
//!   nodes as above.
//! - Measurements: there are no figures of this backend on a GPU yet.

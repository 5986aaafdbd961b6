//! A first annotated function.
//!
//! # Before
//!
//! A step of a model: two operators read `x`, a third needs what both have made.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Node, Result};
//!
//! fn scale_and_save(cx: &Node<'_>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     let doubled = scale(cx, &x, 2.0)?;
//!     let saved = scale(cx, &x, 1.0)?;
//!     let sum = add(cx, &doubled, &saved)?;
//!     Ok((sum, saved))
//! }
//! # run(&["compute"], |cx| {
//! #     let (sum, saved) = scale_and_save(&cx.node("compute")?, cx.upload([1.0, 2.0])?)?;
//! #     assert_eq!(cx.read(&sum)?.wait()?, [3.0, 6.0]);
//! #     assert_eq!(cx.read(&saved)?.wait()?, [1.0, 2.0]);
//! #     Ok(())
//! # })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! All of it runs on the one stream of its node. The copy could be on its way while the product is computed.
//!
//! # After
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::{add, scale};
//! use streamlease::{Buffer, Cx, Result, Runtime, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn scale_and_save(cx: &Cx<'_>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     #[on(compute)]
//!     let doubled = scale(cx, &x, 2.0)?;
//!     #[on(copy)]
//!     let saved = scale(cx, &x, 1.0)?;
//!     #[on(compute)]
//!     let sum = add(cx, &doubled, &saved)?;
//!     Ok((sum, saved))
//! }
//!
//! let runtime = Runtime::host()?;
//! let lane = runtime.lane(&["compute", "copy"])?;
//! let cx = lane.cx();
//! let x = cx.upload([1.0, 2.0])?;
//! let (sum, saved) = scale_and_save(&cx, x)?;
//! assert_eq!(cx.read(&sum)?.wait()?, [3.0, 6.0]);
//! assert_eq!(cx.read(&saved)?.wait()?, [1.0, 2.0]);
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! What changed:
//!
//! - `#[model_chunk(streams(..))]` makes the function a *chunk*, and names its *streams*.
//! - The first parameter is `cx: &Cx<'_>`. It can run chunks; it cannot reach memory.
//! - `#[on(stream)]` makes a statement a *node*. Inside it `cx` is a [`&Node<'_>`](crate::Node), which is what operators
//!   take. The operators did not change.
//! - Nothing says which stream waits for which, nor where `x` and `doubled` end. The macro finds that.
//!
//! A [`Runtime`](crate::Runtime) owns the device, its streams and its memory; [`Runtime::host`](crate::Runtime::host)
//! is the host backend, with a thread for each stream. A [`Lane`](crate::Lane) says which physical streams the names of
//! a chunk mean. The call returns as soon as everything is enqueued;
//! [`wait`](crate::Pending::wait) waits for one value.
//!
//! # What the macro goes by
//!
//! It sees tokens, not types, and goes by how an argument is written:
//!
//! | written | what the node does with `x` |
//! |---|---|
//! | `&x`, `x.method(..)` | reads it |
//! | `&mut x`, `x += ..` | writes it in place |
//! | `x` | consumes it: may write it, free it, or return its storage under another name |
//!
//! What it assumes from that, rustc enforces in the code that it emits. A method that secretly takes `&mut self` is an
//! error at your own token, not a race.
//!
//! A statement without `#[on(..)]` is the host's. It may ask tensors for their length, move them on, or call another
//! chunk. It never reaches their memory.
//!
//! # Where nodes can stand
//!
//! On a `let`, an assignment, an expression, a block, or the tail of the function. A block is one node, whatever it
//! does inside. Methods are chunks if the attribute stands on their `impl` block; the companions of a method `m` are
//! `M_PLAN` and `m_start`.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, Result, model_chunk};
//!
//! struct Norm {
//!     gain: Buffer<f32>,
//! }
//!
//! #[model_chunk(streams(compute, copy))]
//! impl Norm {
//!     /// A chunk, since it has nodes.
//!     fn forward(&self, cx: &Cx<'_>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!         #[on(copy)]
//!         let saved = scale(cx, &x, 1.0)?;
//!         #[on(compute)]
//!         let y = {
//!             // Two launches, one node: neither waits for anything between them.
//!             let t = add(cx, &x, &self.gain)?;
//!             relu(cx, t)?
//!         };
//!         Ok((y, saved))
//!     }
//!
//!     /// No chunk.
//!     fn len(&self) -> usize {
//!         self.gain.len()
//!     }
//! }
//!
//! run(&["compute", "copy"], |cx| {
//!     let norm = Norm { gain: cx.upload([1.0, 1.0])? };
//!     let (y, _saved) = norm.forward(cx, cx.upload([-3.0, 2.0])?)?;
//!     assert_eq!(cx.read(&y)?.wait()?, [0.0, 3.0]);
//!     assert_eq!(norm.len(), 2);
//!     assert_eq!(Norm::FORWARD_PLAN.nodes.len(), 2);
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Errors of your own
//!
//! A chunk returns any `Result` whose error implements `From<streamlease::Error>`. `?` may stand anywhere, in nodes too.
//! What was made so far is dropped on the way out, and nothing waits for that.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::*;
//! use streamlease::{Buffer, Cx, model_chunk};
//!
//! #[derive(Debug)]
//! enum Fault {
//!     Empty,
//!     Device(streamlease::Error),
//! }
//!
//! impl From<streamlease::Error> for Fault {
//!     fn from(error: streamlease::Error) -> Self {
//!         Fault::Device(error)
//!     }
//! }
//!
//! #[model_chunk(streams(compute))]
//! fn halve(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>, Fault> {
//!     if x.is_empty() {
//!         return Err(Fault::Empty);
//!     }
//!     #[on(compute)]
//!     let y = scale(cx, x, 0.5)?;
//!     Ok(y)
//! }
//!
//! run(&["compute"], |cx| {
//!     let none = cx.zeros(0)?;
//!     assert!(matches!(halve(cx, &none), Err(Fault::Empty)));
//!     assert!(halve(cx, &cx.zeros(4)?).is_ok());
//!     Ok(())
//! })?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Testing it
//!
//! Three switches, none of which changes what a chunk does:
//!
//! - [`strict`](crate::Builder::strict): a use that the plan did not cover is an error instead of a wait. [`operators`]'
//!   `run` has it on.
//! - [`checked`](crate::Builder::checked): the host backend in an order drawn from a seed, with clocks of its own that
//!   judge every access and poison in what is freed. It finds kernels that touch more than they said.
//! - one stream: bind all names to one physical stream. The values must be the same, bit for bit.
//!
//! ```
//! # mod ops { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs")); }
//! # use ops::{add, scale};
//! use streamlease::{Buffer, Checked, Cx, Lane, Result, Runtime, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn save_and_sum(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(copy)]
//!     let saved = scale(cx, &x, 3.0)?;
//!     #[on(compute)]
//!     let sum = add(cx, &x, &saved)?;
//!     Ok(sum)
//! }
//!
//! let value = |lane: &Lane| {
//!     let cx = lane.cx();
//!     let sum = save_and_sum(&cx, cx.upload([0.1, 0.2])?)?;
//!     cx.read(&sum)?.wait()
//! };
//!
//! let runtime = Runtime::host()?;
//! let one = runtime.stream("one")?;
//! let expected = value(&runtime.lane_on(&[("compute", &one), ("copy", &one)])?)?;
//!
//! for seed in 0..20 {
//!     // Streams named here lag as far behind as the waits allow.
//!     let runtime = Runtime::builder().strict(true).checked(Checked::seed(seed).slow("copy")).build()?;
//!     assert_eq!(value(&runtime.lane(&["compute", "copy"])?)?, expected);
//!     assert!(runtime.violations().is_empty());
//! }
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! [`operators`]: super::operators

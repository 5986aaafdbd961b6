//! Errors at nodes and host statements: what cannot stand in a chunk's body, or not there.
//!
//! # a node inside a node
//!
//! The outer node already says on which stream everything in it runs.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     {
//!         #[on(b)]
//!         let y = scale(cx, x, 2.0)?;
//!         scale(cx, &y, 2.0)
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
//!     #[on(a)]
//!     {
//!         let y = scale(cx, x, 2.0)?;
//!         scale(cx, &y, 2.0)
//!     }
//! }
//! ```
//!
//! # a node inside a closure, of which nobody knows when it runs
//!
//! A plan is made from the order of the text, and a closure runs when somebody calls it, any number of times. Loops and
//! branches are planned; write those.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, xs: &[Buffer<f32>]) -> Result<Vec<Buffer<f32>>> {
//!     xs.iter()
//!         .map(|x| {
//!             #[on(a)]
//!             scale(cx, x, 2.0)
//!         })
//!         .collect()
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, xs: &[Buffer<f32>]) -> Result<Vec<Buffer<f32>>> {
//!     let mut ys = Vec::new();
//!     for x in xs {
//!         #[on(a)]
//!         let y = scale(cx, x, 2.0)?;
//!         ys.push(y);
//!     }
//!     Ok(ys)
//! }
//! ```
//!
//! # `#[on(..)]` belongs on a statement
//!
//! A node is a step of the chunk, so it is a `let`, an expression, a block or the value at the end of one: not a part
//! of an expression, and not a function or a type.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let y = add(cx, #[on(a)] scale(cx, x, 2.0)?, x);
//!     y
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = scale(cx, x, 2.0)?;
//!     #[on(a)]
//!     add(cx, &y, x)
//! }
//! ```
//!
//! # a node needs a value
//!
//! `#[on(..)]` on a declaration has no work to put on the stream. Declare on the host, assign in the node.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y;
//!     y = scale(cx, x, 2.0)?;
//!     Ok(y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let y;
//!     #[on(a)]
//!     y = scale(cx, x, 2.0)?;
//!     Ok(y)
//! }
//! ```
//!
//! # `let .. else` on a node is not planned
//!
//! A node ends with a value. What follows from it is decided on the host.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let Some(y) = Some(scale(cx, x, 2.0)?) else { return x.try_clone() };
//!     Ok(y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Option<Buffer<f32>>> {
//!     #[on(a)]
//!     let y = scale(cx, x, 2.0)?;
//!     let y = Some(y);
//!     Ok(y)
//! }
//! ```
//!
//! # `return` would leave the node before it is closed
//!
//! When a node ends, its uses are entered into the ledgers. A way out around that end would leave them out. `?` is
//! fine: it is taken at the end. The same goes for `break` and `continue` to a loop outside the node.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>, skip: bool) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = {
//!         if skip {
//!             return Ok(x);
//!         }
//!         scale(cx, &x, 2.0)?
//!     };
//!     Ok(y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>, skip: bool) -> Result<Buffer<f32>> {
//!     if skip {
//!         return Ok(x);
//!     }
//!     #[on(a)]
//!     let y = scale(cx, &x, 2.0)?;
//!     Ok(y)
//! }
//! ```
//!
//! # `.await` would suspend the chunk in the middle of its plan
//!
//! What the plan knows about streams and memory would be old by the time the chunk goes on. Await before, or after.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let by = std::future::ready(2.0).await;
//!     #[on(a)]
//!     scale(cx, x, by)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>, by: f32) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, x, by)
//! }
//! ```
//!
//! # an `async` block inside a chunk is not planned
//!
//! It is a closure by another name: it runs when somebody polls it.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let later = async { 2.0 };
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let by = 2.0;
//!     #[on(a)]
//!     scale(cx, x, by)
//! }
//! ```
//!
//! # `cx` is the chunk's context and cannot be bound anew
//!
//! In a node, `cx` is the node, elsewhere it is the context; a third meaning would be read wrongly, by people too.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let cx = 3.0;
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let by = 3.0;
//!     #[on(a)]
//!     scale(cx, x, by)
//! }
//! ```
//!
//! # `cx` is kept under another name or in a closure, so its uses cannot be followed
//!
//! A call that is given `cx` may do device work, and the plan has to know where that stands.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let context = cx;
//!     #[on(a)]
//!     scale(context, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let y = callee(cx, x)?;
//!     #[on(a)]
//!     scale(cx, &y, 2.0)
//! }
//!
//! #[model_chunk(streams(a))]
//! fn callee(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # this part may vanish after the plan is made
//!
//! The macro runs before `#[cfg]` is decided, so the plan would be of a body that nobody runs. Put the condition around
//! the whole chunk, or branch on `cfg!(..)`.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = scale(cx, x, 2.0)?;
//!     #[cfg(debug_assertions)]
//!     println!("{}", y.len());
//!     Ok(y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = scale(cx, x, 2.0)?;
//!     if cfg!(debug_assertions) {
//!         println!("{}", y.len());
//!     }
//!     Ok(y)
//! }
//! ```
//!
//! # a macro defined in a chunk can name its tensors where nobody sees it
//!
//! A `macro_rules!` can mention the names that are in scope where it is defined. Define it outside the function; then
//! what it uses is handed in, and seen.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     macro_rules! doubled {
//!         () => {
//!             scale(cx, x, 2.0)
//!         };
//!     }
//!     #[on(a)]
//!     doubled!()
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! macro_rules! doubled {
//!     ($cx:expr, $x:expr) => {
//!         scale($cx, $x, 2.0)
//!     };
//! }
//!
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a, uses(&x))]
//!     doubled!(cx, x)
//! }
//! ```
//!
//! # stepping into a called chunk is not planned yet
//!
//! `#[chunk]` on a call is kept free for that. Without it the call runs as one step of its caller.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[chunk]
//!     let y = callee(cx, x)?;
//!     #[on(a)]
//!     scale(cx, &y, 2.0)
//! }
//!
//! #[model_chunk(streams(a))]
//! fn callee(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     let y = callee(cx, x)?;
//!     #[on(a)]
//!     scale(cx, &y, 2.0)
//! }
//!
//! #[model_chunk(streams(a))]
//! fn callee(cx: &Cx<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     scale(cx, x, 2.0)
//! }
//! ```
//!
//! # a raw pointer to `x` would outlive its lease unseen
//!
//! Nothing ties a pointer to what it points to. Lend the tensor to the node and make the pointer there.
//!
//! ```compile_fail
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     let pointer = &raw const x;
//!     #[on(a)]
//!     let y = scale(cx, unsafe { &*pointer }, 2.0)?;
//!     Ok(y)
//! }
//! ```
//!
//! Instead:
//!
//! ```
//! # mod s { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/snippet.rs")); } use s::*;
//! #[model_chunk(streams(a, b))]
//! fn chunk(cx: &Cx<'_>, x: Buffer<f32>) -> Result<Buffer<f32>> {
//!     #[on(a)]
//!     let y = scale(cx, &x, 2.0)?;
//!     Ok(y)
//! }
//! ```

//! The guide: from a first annotated function to every error that the macro gives.
//!
//! To learn, read in this order:
//!
//! 1. [`first_chunk`]: a first annotated function, run on the host.
//! 2. [`reading_plans`]: what was decided about it, and why.
//! 3. [`control_flow`]: loops and branches.
//! 4. [`places`]: fields, derived names, optional tensors, items of a collection.
//! 5. [`calls`]: chunks that call chunks, activations in a `Vec`.
//! 6. [`stepping`]: several runs in turn on one host thread.
//! 7. [`memory`]: readback, where memory goes, statistics, the limit.
//!
//! If you have code already: [`from_cudarc`], [`from_pytorch`]. If you have an error: [`errors`].
//!
//! Every snippet of the guide is compiled as a test, and where the guide does not say otherwise it runs, on the host
//! backend. Snippets that do not show their operators use those of [`operators`].
//!
//! # Words
//!
//! They have one meaning each, here and in the rest of this documentation.
//!
//! | word | what it means |
//! |---|---|
//! | *stream* | device work in order; work on two streams has none, unless one *waits* |
//! | *event*, *record* | what a stream leaves behind at a point of its work, for others to wait for |
//! | *node* | device work on one stream: a statement under `#[on(stream)]` |
//! | *chunk* | a function under `#[model_chunk(..)]` |
//! | *run* | one execution of a chunk |
//! | *lane* | which physical streams the names of a chunk's streams mean |
//! | *plan* | what the macro decided about a chunk |
//! | *place* | a name or a field that may hold a tensor: `x`, `s.a.b` |
//! | *lease* | one storage's life in a plan |
//! | *read*, *write*, *consume* | `&x`, `&mut x`, `x`; a plan prints "takes" for the last |
//! | *wait* | a stream does not go on before another one has come to an event |
//! | *reuse wait* | a wait for memory, to take it back from another stream instead of growing |
//! | *release* | the end of a lease: its memory goes to the pool, with its ledger |
//! | *ledger* | a storage's last write, and its last read on each stream |
//! | *mark* | an entry of a ledger: a stream and a position on it |
//! | *position* | a node's number on its stream |
//! | *row* | up to which position of each other stream a stream is ordered |
//! | *view* | a buffer as one node may use it |
//! | *kept back* | memory that is not used again, since nothing proves that the device is done with it |

pub mod calls;
pub mod control_flow;
pub mod errors;
pub mod first_chunk;
pub mod from_cudarc;
pub mod from_pytorch;
pub mod memory;
pub mod operators;
pub mod places;
pub mod reading_plans;
pub mod stepping;

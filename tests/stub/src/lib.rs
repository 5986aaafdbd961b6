//! A CUDA driver that runs on the host: for tests on machines without a GPU.
//!
//! It exports the driver's functions that this workspace calls, itself or through cudarc. What is enqueued runs late, in
//! an order drawn from a seed among all that streams and events allow, so work that nothing orders does overtake; memory
//! that is freed is filled with rubbish once the stream comes to the free. Every call is counted, can be made to fail,
//! and leaves its [`Record`]s in a trace, from which a judge can say what is ordered and what is not.
//!
//! Each device number is a device of its own, made when it is first asked for: tests that run at once do not meet.
//!
//! Kernels are functions of whoever loads the library ([`Kernel`]), known by name. Device memory is the host's.
//!
//! The library's name for the loader is the driver's, so loading it by its path once is enough; see `build.rs`. State
//! lives in the loaded library alone, and is reached through its functions that start with `stub_`; what links this
//! crate as a Rust library has its types.

mod control;
mod device;
mod driver;
mod memory;
mod queue;

pub use control::{Define, Fail, Forget, Kernel, Note, Record, Seed, Trace, Visit, What};

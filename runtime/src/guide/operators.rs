//! The operators that the snippets of this guide use.
//!
//! An operator takes `cx: &Node<'_>`, makes views of what it uses, and launches a kernel on them. This crate has no
//! operators; yours call cuBLAS, NCCL or kernels of your own, and these run on the host backend.
//!
//! ```
//! # mod ops {
#![doc = include_str!("ops.rs")]
//! # }
//! ```

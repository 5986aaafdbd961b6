//! Operators: ordinary functions that launch kernels on the stream of the node that calls them.
//!
//! What an operator reads it takes by `&`, what it writes in place by `&mut`, and what it turns into its result by
//! value. That is all the macro needs to see; nothing here knows which stream it is on or when memory comes free.

mod dense;
mod ends;
mod experts;
mod heads;
mod route;

pub use dense::{
    adam, add, linear, linear_backward, rmsnorm, rmsnorm_backward, swiglu, swiglu_backward, weight_gradient,
    zeros,
};
pub use ends::{cross_entropy, cross_entropy_backward, embed, embed_backward};
pub use experts::{experts_backward, experts_gradient, experts_linear};
pub use heads::{attention, attention_backward};
pub use route::{
    Route, combine, combine_backward, dispatch, dispatch_backward, gate_backward, router, router_backward,
};

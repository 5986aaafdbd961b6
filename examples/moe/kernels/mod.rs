//! Host kernels: plain functions over slices, with no idea of streams or lifetimes.
//!
//! Every function writes all of its outputs or says that it adds to them, so that a buffer fresh from the pool
//! (whose content is arbitrary) is a valid output. Sums run in one fixed order on one thread: the same inputs
//! give the same bits whatever else runs beside.
//!
//! Letters in shapes: `N` tokens of a batch, `T` tokens of a sequence, `D` model width, `H` heads, `F` hidden
//! width of an expert, `E` experts, `K` experts a token ([`TOP_K`]), `V` vocabulary. All matrices are row-major.

mod adam;
mod attention;
mod elementwise;
mod embed;
mod exchange;
mod gemm;
mod linear;
mod loss;
mod norm;
mod router;

pub use adam::{Adam, adam};
pub use attention::{Heads, attention, attention_backward};
pub use elementwise::{add, swiglu, swiglu_backward};
pub use embed::{embed, embed_backward};
pub use exchange::{combine, combine_backward, dispatch, dispatch_backward, gate_backward};
pub use gemm::{Mat, MatMut, gemm};
pub use linear::{
    Dims, grouped, grouped_backward_input, grouped_backward_weight, linear, linear_backward_input,
    linear_backward_weight,
};
pub use loss::{cross_entropy, cross_entropy_backward};
pub use norm::{rmsnorm, rmsnorm_backward};
pub use router::{TOP_K, assign, route, route_backward};

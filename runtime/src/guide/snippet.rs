pub use streamlease::{Buffer, Cx, Node, Result, model_chunk};

mod ops {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/guide/ops.rs"));
}
pub use ops::*;

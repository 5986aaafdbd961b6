//! Methods of a trait, and an `impl` without a chunk.
use streamlease_ui_tests::*;

trait Forward {
    fn forward(&self, cx: &Cx<'_>, x: T) -> Result<T>;
}

#[model_chunk(streams(a))]
impl Forward for Layer { //~ ERROR a method of a trait cannot be a chunk
    fn forward(&self, cx: &Cx<'_>, x: T) -> Result<T> {
        #[on(a)]
        let y = add(cx, &self.a, &x)?;
        Ok(y)
    }
}

struct Empty;

#[model_chunk(streams(a))]
impl Empty { //~ ERROR no method of this `impl` has a node
    fn method(&self) {}
}

fn main() {}

//! An alias that turns out not to be a `Result`: rustc sees it.
use streamlease_ui_tests::*;

type Out = T;

#[model_chunk(streams(a))]
fn aliased(cx: &Cx<'_>, x: T) -> Out { //~ ERROR a model chunk returns a `Result`
    #[on(a)]
    let y = take(cx, x)?;
    y
}

fn main() {}

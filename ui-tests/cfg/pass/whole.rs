//! `#[cfg]` on the whole chunk; other attributes on nodes.
#![deny(warnings)]
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
#[cfg(debug_assertions)]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    #[allow(unused_variables)]
    let unused = f(cx, &x)?;
    // A comment, and a doc comment:
    /// The answer.
    #[on(a)]
    let y = f(cx, &x)?;
    Ok(y)
}

#[model_chunk(streams(a))]
#[cfg(not(debug_assertions))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    Ok(x)
}

fn main() {
    run(chunk).unwrap();
}

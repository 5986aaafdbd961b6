//! The same with one owner: the storage changes its name.
#![deny(warnings)]
use streamlease_ui_tests::*;

fn reshape(_: &Node<'_>, w: T) -> Result<T> {
    Ok(w)
}

#[model_chunk(streams(a, b))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let w = f(cx, &x)?;
    #[on(a)]
    let v = reshape(cx, w)?;
    #[on(b)]
    let y = add(cx, &x, &v)?;
    Ok(y)
}

fn main() {
    run(chunk).unwrap();
}

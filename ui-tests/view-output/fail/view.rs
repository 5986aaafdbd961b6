//! A view as a node's output: a second owner of one storage.
use streamlease_ui_tests::*;

fn reshape<'a>(cx: &Node<'_>, w: &'a T) -> Result<View<'a, f32>> {
    cx.view(w)
}

#[model_chunk(streams(a, b))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let w = f(cx, &x)?;
    #[on(a)]
    let v = reshape(cx, &w)?; //~ ERROR a view cannot be the output of a node
    #[on(b)]
    let y = f(cx, &x)?;
    Ok(y)
}

fn main() {}

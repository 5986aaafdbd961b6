//! A reference as a node's output.
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let r = Ok::<_, streamlease::Error>(&x)?; //~ ERROR
    #[on(a)]
    let y = f(cx, r)?;
    Ok(y)
}

fn main() {}

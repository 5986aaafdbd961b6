//! Attributes that do not say what is needed.
use streamlease_ui_tests::*;

#[model_chunk] //~ ERROR a chunk needs streams
fn none(cx: &Cx<'_>, x: T) -> Result<T> {
    Ok(x)
}

#[model_chunk(streams(a, a))] //~ ERROR listed twice
fn twice(cx: &Cx<'_>, x: T) -> Result<T> {
    Ok(x)
}

#[model_chunk(stream(a))] //~ ERROR unknown option
fn option(cx: &Cx<'_>, x: T) -> Result<T> {
    Ok(x)
}

#[model_chunk(streams(a))]
fn on(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a, use(&x))] //~ ERROR expected identifier
    let y = f(cx, &x)?;
    Ok(y)
}

fn main() {}

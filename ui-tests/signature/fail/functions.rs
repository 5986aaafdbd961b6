//! What a chunk's signature must have, and what it must not have.
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn no_context(x: T) -> Result<T> { //~ ERROR the first parameter of a chunk is its context
    Ok(x)
}

#[model_chunk(streams(a))]
fn nothing() -> Result<()> { //~ ERROR a chunk needs its context
    Ok(())
}

#[model_chunk(streams(a))]
fn by_value(cx: Cx<'_>, x: T) -> Result<T> { //~ ERROR the first parameter of a chunk is its context
    Ok(x)
}

#[model_chunk(streams(a))]
fn no_result(cx: &Cx<'_>, x: T) -> Buffer<f32> { //~ ERROR a chunk returns a `Result`
    x
}

#[model_chunk(streams(a))]
fn unit(cx: &Cx<'_>) {} //~ ERROR a chunk returns a `Result`

#[model_chunk(streams(a))]
async fn later(cx: &Cx<'_>, x: T) -> Result<T> { //~ ERROR `async fn`
    Ok(x)
}

#[model_chunk(streams(a))]
unsafe fn careless(cx: &Cx<'_>, x: T) -> Result<T> { //~ ERROR `unsafe fn`
    Ok(x)
}

#[model_chunk(streams(a))]
extern "C" fn foreign(cx: &Cx<'_>) -> Result<()> { //~ ERROR foreign ABI
    Ok(())
}

#[model_chunk(streams(a))]
fn opaque(cx: &Cx<'_>, x: T) -> Result<impl Sized> { //~ ERROR `impl Trait`
    Ok(x)
}

#[model_chunk(streams(a))]
struct NotAFunction; //~ ERROR not a chunk

fn main() {}

//! A stream that the attribute does not list; two mistakes are two errors.
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(compute)] //~ ERROR unknown stream
    let y = f(cx, &x)?;
    #[on(comm)] //~ ERROR unknown stream
    let z = take(cx, y)?;
    Ok(z)
}

fn main() {
    let _ = (chunk::PLAN, run(|cx, x| chunk(cx, x)));
}

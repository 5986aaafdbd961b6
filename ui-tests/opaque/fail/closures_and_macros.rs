//! Names in tokens that the macro cannot read.
use streamlease_ui_tests::*;

macro_rules! launch {
    ($f:ident, $cx:expr, $($x:expr),*) => { $f($cx, $($x),*) };
}

#[model_chunk(streams(a, b))]
fn chunk(cx: &Cx<'_>, mut x: T) -> Result<T> {
    #[on(a)]
    let y = launch!(f, cx, &x)?; //~ ERROR cannot tell
    #[on(b)]
    let z = (|| f(cx, &y))()?; //~ ERROR cannot tell
    #[on(a, uses(&x))]
    let u = launch!(add, cx, &x, &z)?; //~ ERROR cannot tell
    let n = (0..3).map(|i| i + x.len()).sum::<usize>(); //~ ERROR cannot tell
    #[on(a)]
    let v = scale(cx, &u, n)?;
    Ok(v)
}

fn main() {}

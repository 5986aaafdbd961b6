//! The same with `uses(..)`; macros of std; closures that name no tensor.
#![deny(warnings)]
use streamlease_ui_tests::*;

macro_rules! launch {
    ($f:ident, $cx:expr, $($x:expr),*) => { $f($cx, $($x),*) };
}

#[model_chunk(streams(a, b))]
fn chunk(cx: &Cx<'_>, mut x: T, n: usize) -> Result<T> {
    #[on(a, uses(&x))]
    let y = launch!(f, cx, &x)?;
    #[on(b, uses(&y))]
    let z = (|| f(cx, &y))()?;
    #[on(a, uses(&mut x, &z))]
    (|| accumulate(cx, &mut x, &z))()?;
    #[on(a, uses(z))]
    let z = launch!(take, cx, z)?;
    #[on(b)]
    let parts: Vec<T> = (0..n).map(|_| cx.zeros(8)).collect::<Result<_>>()?;
    #[on(b)]
    let parts: Vec<T> = [&z].into_iter().chain(&parts).map(|t| f(cx, t)).collect::<Result<_>>()?;
    #[on(b)]
    let sum = {
        println!("{n}, {:?} of {z:?}", x.len(), z = z.len());
        assert_eq!(parts.len(), n + 1);
        let refs = vec![&z, &x];
        add(cx, refs[0], refs[1])?
    };
    Ok(sum)
}

fn main() {
    run(|cx, x| chunk(cx, x, 2)).unwrap();
}

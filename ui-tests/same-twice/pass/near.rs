//! Near misses: two reads, disjoint fields, one statement after the other.
#![deny(warnings)]
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn near(cx: &Cx<'_>, l: &mut Layer, mut x: T) -> Result<T> {
    #[on(a)]
    let y = add(cx, &x, &x)?;
    #[on(b)]
    accumulate(cx, &mut l.a, &l.b)?;
    #[on(a)]
    {
        fill(cx, &mut x)?;
        accumulate(cx, &mut l.a, &x)?;
    }
    #[on(b)]
    let y = scale(cx, &y, y.len())?;
    #[on(a)]
    let z = {
        let n = y.len();
        let z = scale(cx, &x, n)?;
        mix(cx, y, &z)?
    };
    Ok(z)
}

fn main() {
    run(|cx, x| {
        let mut l = Layer { a: cx.upload(vec![1.0; 8])?, b: cx.upload(vec![2.0; 8])?, dim: 8, name: String::new() };
        near(cx, &mut l, x).map(drop)
    })
    .unwrap();
}

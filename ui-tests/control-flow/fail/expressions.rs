//! Control flow inside an expression that moves, calls a chunk or holds a node; a loop with a value.
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn inner(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    take(cx, x)
}

#[model_chunk(streams(a, b))]
fn outer(cx: &Cx<'_>, x: T, y: T, z: T, p: bool) -> Result<T> {
    let kept = Some(if p { x } else { y }); //~ ERROR `if` around a move of `x`
    let w = Some(if p { inner(cx, z)? } else { kept.unwrap() }); //~ ERROR `if` around a call
    let v = loop {
        break w.unwrap(); //~ ERROR `loop` around
    };
    let g = || {
        #[on(b)] //~ ERROR a node inside a closure
        f(cx, &v)
    };
    Ok(v)
}

#[model_chunk(streams(a))]
fn valued(cx: &Cx<'_>, x: &T) -> Result<T> {
    loop {
        #[on(a)]
        let y = f(cx, x)?;
        if y.len() > 3 {
            break Ok(y); //~ ERROR a loop with a value
        }
    }
}

fn main() {}

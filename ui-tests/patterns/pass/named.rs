//! Every part named; numbers and lent values are free.
#![deny(warnings)]
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let (h, _gate) = pair(cx, &x)?;
    #[on(a)]
    let _ = f(cx, &x)?;
    #[on(a)]
    let n = count(cx, &h)?;
    let kind = match n {
        0 => "none",
        _ => "some",
    };
    let (.., last) = (kind.len(), kind.len() + n);
    let _ = last;
    let both = (h, x);
    let (one, _two) = both;
    Ok(one)
}

fn main() {
    run(chunk).unwrap();
}

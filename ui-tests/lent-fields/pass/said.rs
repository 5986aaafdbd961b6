//! What is used through a field that is a `&mut`, said as it is.
#![deny(warnings)]
#![allow(missing_docs)]
use streamlease_ui_tests::*;

pub struct Scratch<'s> {
    a: &'s mut T,
    w: &'s T,
    n: usize,
}

#[model_chunk(streams(a, b))]
fn behind(cx: &Cx<'_>, s: &mut Scratch<'_>, x: &T) -> Result<T> {
    #[on(a)]
    accumulate(cx, &mut *s.a, x)?;
    s.n += 1;
    (&mut *s).step();
    #[on(b)]
    let y = scale(cx, &*s.a, s.n)?;
    #[on(a)]
    add(cx, &y, s.w)
}

impl Scratch<'_> {
    fn step(&mut self) {
        self.n += 1;
    }
}

#[model_chunk(streams(a, b))]
fn owned(cx: &Cx<'_>, s: Scratch<'_>, x: &T) -> Result<T> {
    #[on(a)]
    accumulate(cx, &mut *s.a, x)?;
    #[on(b)]
    let y = scale(cx, &*s.a, s.n)?;
    #[on(a)]
    accumulate(cx, s.a, &y)?;
    #[on(a)]
    add(cx, &y, s.w)
}

#[model_chunk(streams(a, b))]
fn apart(cx: &Cx<'_>, (to, x): (&mut T, &T), n: usize) -> Result<T> {
    #[on(a)]
    accumulate(cx, to, x)?;
    #[on(b)]
    let y = scale(cx, to, n)?;
    #[on(a)]
    accumulate(cx, to, &y)?;
    Ok(y)
}

fn main() {
    run(|cx, x| {
        let (mut a, w) = (cx.upload(vec![1.0; 8])?, cx.upload(vec![2.0; 8])?);
        let _ = behind(cx, &mut Scratch { a: &mut a, w: &w, n: 3 }, &x)?;
        let _ = owned(cx, Scratch { a: &mut a, w: &w, n: 3 }, &x)?;
        let _ = apart(cx, (&mut a, &x), 4)?;
        Result::<()>::Ok(())
    })
    .unwrap();
}

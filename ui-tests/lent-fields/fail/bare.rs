//! A field that may itself be a `&mut` says at each use what it is used for.
use streamlease_ui_tests::*;

struct Scratch<'s> {
    a: &'s mut T,
    b: &'s mut T,
}

#[model_chunk(streams(a))]
fn behind(cx: &Cx<'_>, s: &mut Scratch<'_>, x: &T) -> Result<T> {
    #[on(a)]
    accumulate(cx, s.a, x)?; //~ ERROR a field of what is borrowed by `&mut`
    #[on(a)]
    f(cx, s.b) //~ ERROR a field of what is borrowed by `&mut`
}

#[model_chunk(streams(a))]
fn called(cx: &Cx<'_>, s: &mut Scratch<'_>, x: &T) -> Result<T> {
    callee(cx, s.a, x) //~ ERROR a field of what is borrowed by `&mut`
}

#[model_chunk(streams(a))]
fn callee(cx: &Cx<'_>, to: &mut T, x: &T) -> Result<T> {
    #[on(a)]
    accumulate(cx, to, x)?;
    #[on(a)]
    f(cx, to)
}

#[model_chunk(streams(a))]
fn owned(cx: &Cx<'_>, s: Scratch<'_>, x: &T) -> Result<T> {
    #[on(a)]
    accumulate(cx, s.a, x)?;
    #[on(a)]
    f(cx, s.a) //~ ERROR use of moved value
}

#[model_chunk(streams(a))]
fn method(cx: &Cx<'_>, mut s: Counted, x: &T) -> Result<T> {
    s.step(); //~ ERROR cannot borrow
    #[on(a)]
    add(cx, &s.t, x)
}

struct Counted {
    t: T,
    n: usize,
}

impl Counted {
    fn step(&mut self) {
        self.n += 1;
    }
}

fn main() {}

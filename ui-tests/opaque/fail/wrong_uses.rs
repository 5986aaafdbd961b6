//! Stated uses are enforced: a name stated as read cannot be written.
use streamlease_ui_tests::*;

fn both(cx: &streamlease::Node<'_>, s: &Pair) -> Result<T> {
    add(cx, &s.h, &s.gate)
}

#[model_chunk(streams(a))]
fn chunk(cx: &Cx<'_>, mut x: T) -> Result<T> {
    #[on(a, uses(&x))]
    (|| fill(cx, &mut x))()?; //~ ERROR cannot borrow
    #[on(a, uses(&nobody))] //~ ERROR names something that the chunk does not know
    fill(cx, &mut x)?;
    Ok(x)
}

#[model_chunk(streams(a))]
fn writes(cx: &Cx<'_>, mut x: T) -> Result<T> {
    #[on(a, uses(&x))]
    (|| fill(cx, &mut x))()?; //~ ERROR cannot borrow
    Ok(x)
}

#[model_chunk(streams(a))]
fn field(cx: &Cx<'_>, mut s: Pair) -> Result<T> {
    #[on(a, uses(&s.h))]
    (|| fill(cx, &mut s.h))()?; //~ ERROR `s.h` is written here, but stated to be read
    #[on(a, uses(&s.h))]
    let y = [1.0, 2.0].iter().map(|_| both(cx, &s)).last().unwrap()?; //~ ERROR whether `s` is read
    Ok(y)
}

fn main() {}

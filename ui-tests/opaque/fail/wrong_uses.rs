//! Stated uses are enforced: a name stated as read cannot be written.
use streamlease_ui_tests::*;

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

fn main() {}

//! Uses after the end of a lease are rustc's to refuse, at the user's tokens.
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn consumed(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let y = take(cx, x)?;
    #[on(b)]
    let z = mix(cx, y, &x)?; //~ ERROR moved
    Ok(z)
}

#[model_chunk(streams(a, b))]
fn twice(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let y = take(cx, x)?;
    #[on(b)]
    let z = take(cx, x)?; //~ ERROR moved
    let out = y;
    Ok(y) //~ ERROR moved
}

#[model_chunk(streams(a))]
fn not_mut(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    fill(cx, &mut x)?; //~ ERROR not declared as mutable
    Ok(x)
}

#[model_chunk(streams(a))]
fn hidden_write(cx: &Cx<'_>, l: &mut Layer, x: Layer) -> Result<()> {
    #[on(a)]
    l.touch(cx)?; //~ ERROR cannot borrow
    #[on(a)]
    x.spend(cx)?; //~ ERROR cannot move
    Ok(())
}

trait More {
    fn touch(&mut self, cx: &Node<'_>) -> Result<()>;
    fn spend(self, cx: &Node<'_>) -> Result<()>;
}

impl More for Layer {
    fn touch(&mut self, _: &Node<'_>) -> Result<()> {
        Ok(())
    }
    fn spend(self, _: &Node<'_>) -> Result<()> {
        Ok(())
    }
}

fn main() {}

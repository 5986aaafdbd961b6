//! The same tensor twice in one node.
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn written_and_read(cx: &Cx<'_>, mut x: T) -> Result<T> {
    #[on(a)]
    accumulate(cx, &mut x, &x)?; //~ ERROR written in place and read
    Ok(x)
}

#[model_chunk(streams(a))]
fn consumed_and_borrowed(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let y = mix(cx, x, &x)?; //~ ERROR consumed and borrowed
    Ok(y)
}

#[model_chunk(streams(a))]
fn whole_and_part(cx: &Cx<'_>, p: Pair, l: &mut Layer) -> Result<T> {
    #[on(a)]
    let y = mix(cx, both(p), &p.gate)?; //~ ERROR shares its storage
    #[on(a)]
    touch(cx, l, &mut l.a)?; //~ ERROR shares its storage
    Ok(y)
}

#[model_chunk(streams(a))]
fn in_a_block(cx: &Cx<'_>, mut x: T) -> Result<T> {
    #[on(a)]
    {
        fill(cx, &mut x)?;
        accumulate(cx, &mut x, &x)?; //~ ERROR written in place and read
    }
    Ok(x)
}

fn both(p: Pair) -> T {
    p.h
}

fn touch(_: &Node<'_>, _: &mut Layer, _: &mut T) -> Result<()> {
    Ok(())
}

fn main() {}

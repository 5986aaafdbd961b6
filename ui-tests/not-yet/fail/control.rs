//! Control flow and derived names are refused by name until they are planned.
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn nodes(cx: &Cx<'_>, w: &Layer, x: T, n: usize) -> Result<T> {
    if n > 3 {
        #[on(a)] //~ ERROR a node inside `if` is not planned yet
        let _ = f(cx, &x)?;
    }
    for _ in 0..n {
        #[on(a)] //~ ERROR a node inside `for` is not planned yet
        let _ = f(cx, &w.a)?;
    }
    let y = match n { //~ ERROR `match` around a call
        0 => x,
        _ => nodes(cx, w, x, n - 1)?,
    };
    Ok(y)
}

#[model_chunk(streams(a))]
fn moves(cx: &Cx<'_>, x: T, y: T, early: bool) -> Result<T> {
    if early {
        return Ok(x); //~ ERROR `if` around a move of `x` is not planned yet
    }
    let z = {
        let taken = y;
        taken
    };
    Ok(z)
}

#[model_chunk(streams(a))]
fn otherwise(cx: &Cx<'_>, x: T, n: Option<usize>) -> Result<T> {
    let Some(n) = n else {
        return Ok(x); //~ ERROR `let .. else` around a move of `x` is not planned yet
    };
    #[on(a)]
    scale(cx, &x, n)
}

#[model_chunk(streams(a))]
fn list(cx: &Cx<'_>, mut from: Vec<T>, mut to: Vec<T>) -> Result<T> {
    while let Some(x) = from.pop() { //~ ERROR `while` around a move of `from`
        to.push(x);
    }
    if let Some(x) = from.pop() {
        to.push(x); //~ ERROR `if` around a move of `to`
    }
    #[on(a)]
    f(cx, &to[0])
}

#[model_chunk(streams(a, b))]
fn derived(cx: &Cx<'_>, w: &Layer, m: Option<T>, mut x: T) -> Result<T> {
    let a = &w.a; //~ ERROR stands for a part
    if let Some(m) = &m { //~ ERROR stands for a part
        println!("{}", m.len());
    }
    let part = w.a.as_ref(); //~ ERROR stands for a part
    let name = w.name.as_str(); //~ ERROR stands for a part
    #[on(a)]
    x = f(cx, &x)?; //~ ERROR an assignment as a node
    #[on(b)]
    let y = f(cx, a)?;
    Ok(y)
}

fn main() {}

//! What takes, calls, changes and names values without a look at their types.
#![deny(warnings)]
#![allow(missing_docs)]
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn taken(cx: &Cx<'_>, some: Option<T>, other: Option<T>, boxed: Box<T>, second: Box<T>) -> Result<T> {
    let x = some.unwrap();
    let y = *boxed;
    #[on(a)]
    let z = mix(cx, other.unwrap(), &x)?;
    #[on(b)]
    let u = mix(cx, *second, &y)?;
    #[on(a)]
    add(cx, &z, &u)
}

#[model_chunk(streams(a, b))]
fn functions(
    cx: &Cx<'_>,
    x: T,
    once: impl FnOnce(usize) -> usize,
    mut often: impl FnMut() -> usize,
    pure: impl Fn(usize) -> usize,
    boxed: Box<dyn FnOnce(usize) -> usize>,
    lent: &mut dyn FnMut() -> usize,
) -> Result<(T, usize)> {
    #[on(a)]
    let y = scale(cx, &x, once(1) + often() + pure(1))?;
    let n = boxed(3) + often() + pure(2) + lent();
    #[on(b)]
    let z = scale(cx, &y, n + often() + pure(3) + lent() + lent())?;
    Ok((z, often()))
}

#[model_chunk(streams(a, b))]
fn numbers(cx: &Cx<'_>, x: T, mut p: usize, l: &mut Layer) -> Result<(T, [usize; 3])> {
    #[on(a)]
    let mut n = count(cx, &x)?;
    #[on(a)]
    {
        n = n + 1;
        p = p + n;
    }
    #[on(b)]
    n += 1;
    #[on(a)]
    let y = {
        n = n * 2;
        l.dim = l.dim + 1;
        scale(cx, &x, n)?
    };
    Ok((y, [n, p, l.dim]))
}

#[model_chunk(streams(a, b))]
fn refilled(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(a)]
    let mut t = f(cx, x)?;
    #[on(b)]
    {
        t = f(cx, &t)?;
        fill(cx, &mut t)?;
    }
    #[on(a)]
    let y = {
        t = take(cx, t)?;
        f(cx, &t)?
    };
    Ok(y)
}

#[model_chunk(streams(a))]
fn r#match(cx: &Cx<'_>, r#type: &T) -> Result<T> {
    #[on(a)]
    let r#mod = f(cx, r#type)?;
    #[on(a)]
    let plain = f(cx, &r#mod)?;
    println!("{mod:?}");
    #[on(a)]
    f(cx, &r#plain)
}

#[model_chunk(streams(a))]
fn texts(cx: &Cx<'_>, w: &Layer, o: Option<T>) -> Result<T> {
    let text = &format!("{}", w.a.len());
    let n = match w.name.as_str() {
        "long" => 3,
        _ => text.len(),
    };
    #[on(a)]
    let y = if matches!(&o, Some(t) if t.len() == w.b.len()) { scale(cx, &w.a, n)? } else { f(cx, &w.b)? };
    match w.name.as_str() {
        "long" => println!("{text}"),
        _ => {}
    }
    drop(o);
    Ok(y)
}

fn main() {
    run(|cx, x| {
        let t = || cx.upload(vec![1.0; 8]);
        let _ = taken(cx, Some(t()?), Some(t()?), Box::new(t()?), Box::new(t()?))?;
        let (mut i, mut j) = (0, 0);
        let often = || {
            i += 1;
            i
        };
        let mut lent = || {
            j += 1;
            j
        };
        let (_, last) = functions(cx, t()?, |n| n + 1, often, |n| n * 2, Box::new(|n| n + 4), &mut lent)?;
        assert_eq!((last, j), (4, 3));
        let mut l = Layer { a: t()?, b: t()?, dim: 8, name: "short".to_owned() };
        let (_, n) = numbers(cx, t()?, 5, &mut l)?;
        assert_eq!(n, [20, 14, 9]);
        let _ = refilled(cx, &x)?;
        let _ = r#match(cx, &x)?;
        texts(cx, &l, Some(x))
    })
    .unwrap();
}

//! Every kind of node and host statement that is planned.
#![deny(warnings)]
#![allow(missing_docs)]

use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn nodes(cx: &Cx<'_>, w: &Layer, ws: &mut T, mut x: T, n: usize) -> Result<T> {
    #[on(a)]
    let (h, mut gate) = pair(cx, &x)?;
    #[on(b)]
    let Pair { h: p, gate: q } = split(cx, &w.a)?;
    #[on(a)]
    fill(cx, &mut x)?;
    #[on(b)]
    accumulate(cx, ws, &w.b)?;
    #[on(a)]
    {
        let inner = f(cx, &h)?;
        accumulate(cx, &mut gate, &inner)?;
        if n > 3 {
            fill(cx, &mut gate)?;
        }
    }
    #[on(b)]
    let h = mix(cx, h, &q)?;
    #[on(b)]
    let _ = f(cx, &h)?;
    #[on(a)]
    let k = count(cx, &h)?;
    #[on(b)]
    let s = scale(cx, &p, k)?;
    #[on(a)]
    let s2 = scale(cx, &s, k + w.dim)?;
    #[on(a)]
    let all: T = [&s, &s2].iter().map(|t| f(cx, t)).last().unwrap()?;
    #[on(b)]
    take(cx, all)
}

#[model_chunk(streams(a, b))]
fn hosts(cx: &Cx<'_>, saved: &mut Vec<T>, x: T) -> Result<T> {
    let n = x.len();
    assert_eq!(n, 8, "{n} elements");
    if x.is_empty() {
        return Err(streamlease::Error::invalid("empty"));
    }
    let double = if n > 4 { n * 2 } else { n };
    for i in 0..x.len() {
        let _ = i + double;
    }
    #[on(a)]
    let y = scale(cx, &x, double)?;
    let z = y;
    #[on(b)]
    let u = f(cx, &z)?;
    saved.push(x);
    let both = (z, u);
    #[on(a)]
    let out = add(cx, &both.0, &both.1)?;
    let mut list = Vec::new();
    list.push(out);
    let last = list.pop().unwrap();
    #[on(b)]
    let out = f(cx, &last)?;
    drop(last);
    println!("{}", out.len());
    Ok(out)
}

#[model_chunk(streams(a, b))]
fn calls(cx: &Cx<'_>, w: &Layer, ws: &mut T, saved: &mut Vec<T>, x: T) -> Result<T> {
    let y = nodes(cx, w, ws, x, 4)?;
    #[on(a)]
    let z = f(cx, &y)?;
    let y = hosts(cx, saved, y)?;
    #[on(b)]
    let out = add(cx, &z, &y)?;
    hosts(cx, saved, out)
}

#[model_chunk(streams(a, b), reuse_lag = 0)]
fn places(cx: &Cx<'_>, l: &mut Layer, pair_in: Pair, x: T) -> Result<(T, usize)> {
    #[on(a)]
    accumulate(cx, &mut l.a, &l.b)?;
    #[on(b)]
    let y = mix(cx, pair_in.h, &l.b)?;
    #[on(a)]
    let z = add(cx, &pair_in.gate, &l.a)?;
    #[on(a)]
    fill(cx, &mut l.b)?;
    #[on(b)]
    let out = {
        let view = cx.view(&y)?;
        let n = view.len();
        assert!(n == l.dim || !matches!(n, 0 | 1), "{n} of {y:?}", y = y.len());
        add(cx, &z, &x)?
    };
    let dim = l.dim;
    Ok((out, dim))
}

fn main() {
    let out = run(|cx, x| {
        let mut l = Layer { a: cx.upload(vec![1.0; 8])?, b: cx.upload(vec![2.0; 8])?, dim: 8, name: String::new() };
        let mut ws = cx.zeros(8)?;
        let mut saved = Vec::new();
        let y = calls(cx, &l, &mut ws, &mut saved, x)?;
        assert_eq!(saved.len(), 2);
        let p = Pair { h: cx.upload(vec![1.0; 8])?, gate: cx.upload(vec![2.0; 8])? };
        let (out, dim) = places(cx, &mut l, p, y)?;
        assert_eq!(dim, 8);
        println!("{}{}{}{}", nodes::PLAN, hosts::PLAN, calls::PLAN, places::PLAN);
        cx.read(&out)?.wait()
    });
    assert_eq!(out.unwrap().len(), 8);
}

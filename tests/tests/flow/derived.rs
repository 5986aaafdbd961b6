//! Names that stand for places: optional tensors, layers of a model, items of a collection.

use streamlease::{Cx, Pending, Result, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, add_to, make, map, map2};

struct Layer {
    up: T,
    down: T,
}

struct Model {
    layers: Vec<Layer>,
    bias: Option<T>,
}

/// A loop over the layers of a model, with an optional tensor.
#[model_chunk(streams(s0, s1))]
fn forward(cx: &Cx<'_>, w: &Model, x: &T, mask: Option<&T>) -> Result<T> {
    #[on(s0)]
    let mut h = map(cx, x, 1)?;
    for (i, layer) in w.layers.iter().enumerate() {
        #[on(s1)]
        let u = map2(cx, &layer.up, &h)?;
        #[on(s0)]
        h = map2(cx, &u, &layer.down)?;
        if i == 0
            && let Some(m) = mask
        {
            #[on(s1)]
            add_to(cx, &mut h, 3)?;
            #[on(s0)]
            h = map2(cx, m, &h)?;
        }
    }
    if let Some(bias) = &w.bias {
        #[on(s1)]
        h = map2(cx, bias, &h)?;
    }
    Ok(h)
}

/// Gradients, each on its own: one trip does not wait for the one before.
#[model_chunk(streams(s0, s1))]
fn reduce(cx: &Cx<'_>, grads: &mut [T], x: &T) -> Result<()> {
    for g in grads.iter_mut() {
        #[on(s0)]
        add_to(cx, g, 5)?;
        #[on(s1)]
        add_to(cx, g, 6)?;
    }
    for (g, k) in grads.iter_mut().zip(1..) {
        #[on(s1)]
        let t = map2(cx, g, x)?;
        #[on(s0)]
        *g = map(cx, &t, k)?;
    }
    Ok(())
}

/// Cached or computed anew, by reference.
#[model_chunk(streams(s0, s1))]
fn cached(cx: &Cx<'_>, x: &T, cache: Option<&T>) -> Result<T> {
    let fresh;
    let a = match cache {
        Some(a) => a,
        None => {
            #[on(s1)]
            fresh = map(cx, x, 4)?;
            &fresh
        }
    };
    #[on(s0)]
    let y = map2(cx, a, x)?;
    #[on(s1)]
    let z = map2(cx, a, &y)?;
    Ok(z)
}

/// References behind references: what is copied out still stands for tensors of the chunk.
#[model_chunk(streams(s0, s1))]
fn of_references(cx: &Cx<'_>, x: &T, n: u32) -> Result<T> {
    #[on(s1)]
    let a = map(cx, x, n)?;
    #[on(s1)]
    let b = map(cx, x, 2)?;
    let (p, q) = (&a, &b);
    #[on(s0)]
    let mut y = map2(cx, p, q)?;
    let larger = if n > 1 { &a } else { &b };
    if let &t = &larger
        && t.len() > 1
    {
        #[on(s0)]
        y = map2(cx, t, &y)?;
    }
    Ok(y)
}

fn model(cx: &Cx<'_>) -> Result<Model> {
    let n = cx.node("s1")?;
    let layer = |k| Ok(Layer { up: make(&n, k)?, down: make(&n, k + 1)? });
    Ok(Model { layers: vec![layer(1)?, layer(3)?, layer(5)?], bias: Some(make(&n, 7)?) })
}

#[test]
fn layers_and_an_optional_tensor() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: forward::PLAN,
        run: |cx| {
            let w = model(cx)?;
            let x = make(&cx.node("s0")?, 3)?;
            let mut all: Vec<Pending<u32>> = Vec::new();
            for mask in [None, Some(&x)] {
                let y = forward(cx, &w, &x, mask)?;
                all.push(cx.read(&y)?);
            }
            let bare = Model { layers: Vec::new(), bias: Some(make(&cx.node("s1")?, 8)?) };
            let y = forward(cx, &bare, &x, None)?;
            all.push(cx.read(&y)?);
            let shallow =
                Model { layers: vec![w.layers.into_iter().next().expect("a layer")], bias: bare.bias };
            for mask in [None, Some(&x)] {
                let y = forward(cx, &shallow, &x, mask)?;
                all.push(cx.read(&y)?);
            }
            Ok(all)
        },
    });
}

#[test]
fn items_are_places_of_their_own() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: reduce::PLAN,
        run: |cx| {
            let mut grads = Vec::new();
            for k in 0..3 {
                grads.push(make(&cx.node("s1")?, k)?);
            }
            let x = make(&cx.node("s0")?, 3)?;
            reduce(cx, &mut grads, &x)?;
            grads.iter().map(|g| cx.read(g)).collect()
        },
    });
}

#[test]
fn cached_or_anew() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: cached::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            let c = make(&cx.node("s1")?, 4)?;
            let (y, z) = (cached(cx, &x, None)?, cached(cx, &x, Some(&c))?);
            Ok(vec![cx.read(&y)?, cx.read(&z)?])
        },
    });
}

#[test]
fn references_behind_references() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: of_references::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            let (y, z) = (of_references(cx, &x, 1)?, of_references(cx, &x, 2)?);
            Ok(vec![cx.read(&y)?, cx.read(&z)?])
        },
    });
}

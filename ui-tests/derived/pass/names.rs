//! Names that stand for places: optional tensors, layers, items, cached or computed anew.
#![deny(warnings)]
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn optional(cx: &Cx<'_>, w: &Layer, m: Option<&T>, owned: Option<T>, x: &T) -> Result<T> {
    let a = &w.a;
    let name = w.name.as_str();
    #[on(a)]
    let mut y = add(cx, a, x)?;
    if let Some(m) = m {
        #[on(b)]
        accumulate(cx, &mut y, m)?;
        println!("{name}: {}", m.len());
    }
    if let Some(t) = &owned {
        #[on(b)]
        accumulate(cx, &mut y, t)?;
    }
    if let Some(t) = owned {
        #[on(a)]
        y = mix(cx, t, &y)?;
    }
    let (p, q) = (&w.a, &w.b);
    #[on(b)]
    let z = add(cx, p, q)?;
    let larger = if y.len() > z.len() { &y } else { &z };
    #[on(a)]
    let out = f(cx, larger)?;
    Ok(out)
}

#[model_chunk(streams(a, b))]
fn items(cx: &Cx<'_>, layers: &[Layer], caches: &mut Vec<T>, x: &T) -> Result<()> {
    for (i, (l, cache)) in layers.iter().zip(caches.iter_mut()).enumerate() {
        #[on(a)]
        accumulate(cx, cache, &l.a)?;
        if i > 0 {
            #[on(b)]
            accumulate(cx, cache, x)?;
        }
    }
    for l in layers.iter().rev().skip(1) {
        #[on(b)]
        let _ = f(cx, &l.b)?;
    }
    if let Some(first) = caches.first_mut() {
        #[on(b)]
        fill(cx, first)?;
    }
    for cache in &mut *caches {
        #[on(a)]
        fill(cx, cache)?;
    }
    Ok(())
}

fn main() {
    run(|cx, x| {
        let w = [layer(cx), layer(cx)];
        let y = optional(cx, &w[0], Some(&x), None, &x).unwrap();
        items(cx, &w, &mut vec![x], &y).unwrap();
        println!("{}\n{}", optional::PLAN, items::PLAN);
    });
}

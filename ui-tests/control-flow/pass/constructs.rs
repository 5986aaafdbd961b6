//! Every construct, with nodes, calls and moves inside.
#![deny(warnings)]
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn branches(cx: &Cx<'_>, w: &Layer, x: T, n: usize) -> Result<T> {
    if n > 3 {
        #[on(a)]
        let _ = f(cx, &x)?;
    }
    let y = match n {
        0 => x,
        1 if w.dim > 0 => branches(cx, w, x, n - 1)?,
        _ => {
            #[on(b)]
            take(cx, x)?
        }
    };
    if y.len() > 100 {
        return Ok(y);
    } else if n == 7 {
        #[on(b)]
        let z = f(cx, &y)?;
        drop(y);
        return Ok(z);
    }
    let z = {
        let taken = y;
        taken
    };
    if n == 2 {
        #[on(a)]
        add(cx, &z, &w.a)
    } else {
        Ok(z)
    }
}

#[model_chunk(streams(a, b))]
fn loops(cx: &Cx<'_>, mut from: Vec<T>, x: &T, n: usize) -> Result<Vec<T>> {
    let mut to = Vec::new();
    while let Some(t) = from.pop() {
        if t.len() == 1 {
            continue;
        }
        #[on(a)]
        let u = f(cx, &t)?;
        to.push(t);
        to.push(u);
    }
    if let Some(t) = from.pop() {
        to.push(t);
    }
    let mut k = 0;
    let last = 'out: {
        let _ = k;
        break 'out 3;
    };
    let mut acc;
    #[on(b)]
    acc = f(cx, x)?;
    #[on(b)]
    fill(cx, &mut acc)?;
    loop {
        if k > n {
            break;
        }
        k += last;
        #[on(a)]
        acc = take(cx, acc)?;
        for i in 0..k {
            #[on(b)]
            acc = scale(cx, &acc, i)?;
        }
    }
    to.push(acc);
    Ok(to)
}

#[model_chunk(streams(a, b))]
fn early(cx: &Cx<'_>, x: T, n: Option<usize>) -> Result<T> {
    let Some(n) = n else {
        return Ok(x);
    };
    #[on(a)]
    let y = scale(cx, &x, n)?;
    let z = if n > 2 {
        #[on(b)]
        mix(cx, x, &y)?
    } else {
        return Ok(y);
    };
    Ok(z)
}

fn main() {
    run(|cx, x| {
        let w = layer(cx);
        let y = branches(cx, &w, x, 2).unwrap();
        let v = loops(cx, vec![y], &w.a, 3).unwrap();
        println!("{}\n{}\n{}", branches::PLAN, loops::PLAN, early::PLAN);
        v.into_iter().for_each(|x| drop(early(cx, x, Some(3)).unwrap()));
    });
}

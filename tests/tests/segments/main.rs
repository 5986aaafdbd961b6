//! A chunk long enough to be divided by the macro gives what a short one would: straight, stepped, and left early.
#![allow(clippy::too_many_lines)]

mod kinds;

use streamlease::{Checked, Cx, Error, Lane, Node, Result, Runtime, Step, model_chunk};
use streamlease_tests::ops::{N, T, add_to, make, map2};

fn stage(cx: &Node<'_>, at: usize, fails: usize, a: &T, b: &T) -> Result<T> {
    if at == fails { Err(Error::invalid("asked to")) } else { map2(cx, a, b) }
}

/// `x` is used last in the third block, `ws` is written on both sides of a border, `fails` is the host's.
#[model_chunk(streams(s0, s1))]
fn long(cx: &Cx<'_>, x: T, ws: &mut T, fails: usize) -> Result<(T, usize)> {
    let mut borders: usize = 0;
    #[on(s0)]
    let t0 = map2(cx, &x, &x)?;
    #[on(s1)]
    let t1 = map2(cx, &x, &t0)?;
    #[on(s0)]
    let t2 = stage(cx, 2, fails, &t0, &t1)?;
    #[on(s1)]
    let t3 = stage(cx, 3, fails, &t1, &t2)?;
    #[on(s1)]
    let t4 = stage(cx, 4, fails, &t2, &t3)?;
    #[on(s1)]
    let t5 = stage(cx, 5, fails, &t3, &t4)?;
    #[on(s0)]
    let t6 = stage(cx, 6, fails, &t4, &t5)?;
    #[on(s0)]
    let t7 = stage(cx, 7, fails, &t5, &t6)?;
    #[on(s0)]
    let t8 = stage(cx, 8, fails, &t6, &t7)?;
    #[on(s1)]
    let t9 = stage(cx, 9, fails, &t7, &t8)?;
    #[on(s1)]
    let t10 = stage(cx, 10, fails, &t8, &t9)?;
    #[on(s1)]
    let t11 = stage(cx, 11, fails, &t9, &t10)?;
    #[on(s0)]
    let t12 = stage(cx, 12, fails, &t10, &t11)?;
    #[on(s0)]
    let t13 = stage(cx, 13, fails, &t11, &t12)?;
    #[on(s0)]
    let t14 = stage(cx, 14, fails, &t12, &t13)?;
    #[on(s1)]
    let t15 = stage(cx, 15, fails, &t13, &t14)?;
    #[on(s1)]
    let t16 = stage(cx, 16, fails, &t14, &t15)?;
    #[on(s1)]
    let t17 = stage(cx, 17, fails, &t15, &t16)?;
    #[on(s0)]
    let t18 = stage(cx, 18, fails, &t16, &t17)?;
    #[on(s0)]
    let t19 = stage(cx, 19, fails, &t17, &t18)?;
    #[on(s0)]
    add_to(cx, ws, 20)?;
    #[on(s0)]
    let t20 = map2(cx, &t19, ws)?;
    #[on(s1)]
    let t21 = stage(cx, 21, fails, &t19, &t20)?;
    #[on(s1)]
    let t22 = stage(cx, 22, fails, &t20, &t21)?;
    #[on(s1)]
    let t23 = stage(cx, 23, fails, &t21, &t22)?;
    #[on(s0)]
    let t24 = stage(cx, 24, fails, &t22, &t23)?;
    #[on(s0)]
    let t25 = stage(cx, 25, fails, &t23, &t24)?;
    #[on(s0)]
    let t26 = stage(cx, 26, fails, &t24, &t25)?;
    #[on(s1)]
    let t27 = stage(cx, 27, fails, &t25, &t26)?;
    #[on(s1)]
    let t28 = stage(cx, 28, fails, &t26, &t27)?;
    #[on(s1)]
    let t29 = stage(cx, 29, fails, &t27, &t28)?;
    #[on(s0)]
    let t30 = stage(cx, 30, fails, &t28, &t29)?;
    #[on(s0)]
    let t31 = stage(cx, 31, fails, &t29, &t30)?;
    #[on(s0)]
    let t32 = stage(cx, 32, fails, &t30, &t31)?;
    #[on(s1)]
    let t33 = stage(cx, 33, fails, &t31, &t32)?;
    #[on(s1)]
    let t34 = stage(cx, 34, fails, &t32, &t33)?;
    #[on(s1)]
    let t35 = stage(cx, 35, fails, &t33, &t34)?;
    #[on(s0)]
    let t36 = stage(cx, 36, fails, &t34, &t35)?;
    #[on(s0)]
    let t37 = stage(cx, 37, fails, &t35, &t36)?;
    #[on(s0)]
    let t38 = stage(cx, 38, fails, &t36, &t37)?;
    #[on(s1)]
    let t39 = stage(cx, 39, fails, &t37, &t38)?;
    #[on(s1)]
    let t40 = stage(cx, 40, fails, &t38, &t39)?;
    borders += 1;
    if fails == 1_000 {
        return Err(Error::invalid("left"));
    }
    #[on(s1)]
    let t41 = stage(cx, 41, fails, &t39, &t40)?;
    #[on(s0)]
    let t42 = stage(cx, 42, fails, &t40, &t41)?;
    #[on(s0)]
    let t43 = stage(cx, 43, fails, &t41, &t42)?;
    #[on(s0)]
    let t44 = stage(cx, 44, fails, &t42, &t43)?;
    #[on(s1)]
    let t45 = stage(cx, 45, fails, &t43, &t44)?;
    #[on(s1)]
    let t46 = stage(cx, 46, fails, &t44, &t45)?;
    #[on(s1)]
    let t47 = stage(cx, 47, fails, &t45, &t46)?;
    #[on(s0)]
    let t48 = stage(cx, 48, fails, &t1, &t47)?;
    #[on(s0)]
    let t49 = stage(cx, 49, fails, &t47, &t48)?;
    #[on(s0)]
    add_to(cx, ws, 50)?;
    #[on(s0)]
    let t50 = map2(cx, &t49, ws)?;
    #[on(s1)]
    let t51 = stage(cx, 51, fails, &t49, &t50)?;
    #[on(s1)]
    let t52 = stage(cx, 52, fails, &t50, &t51)?;
    #[on(s1)]
    let t53 = stage(cx, 53, fails, &t51, &t52)?;
    #[on(s0)]
    let t54 = stage(cx, 54, fails, &t52, &t53)?;
    #[on(s0)]
    let t55 = stage(cx, 55, fails, &t53, &t54)?;
    #[on(s0)]
    let t56 = stage(cx, 56, fails, &t54, &t55)?;
    #[on(s1)]
    let t57 = stage(cx, 57, fails, &t55, &t56)?;
    #[on(s1)]
    let t58 = stage(cx, 58, fails, &t56, &t57)?;
    #[on(s1)]
    let t59 = stage(cx, 59, fails, &t57, &t58)?;
    #[on(s0)]
    let t60 = stage(cx, 60, fails, &t58, &t59)?;
    #[on(s0)]
    let t61 = stage(cx, 61, fails, &t59, &t60)?;
    #[on(s0)]
    let t62 = stage(cx, 62, fails, &t60, &t61)?;
    #[on(s1)]
    let t63 = stage(cx, 63, fails, &t61, &t62)?;
    #[on(s1)]
    let t64 = stage(cx, 64, fails, &t62, &t63)?;
    #[on(s1)]
    let t65 = stage(cx, 65, fails, &t63, &t64)?;
    #[on(s0)]
    let t66 = stage(cx, 66, fails, &x, &t65)?;
    #[on(s0)]
    let t67 = stage(cx, 67, fails, &t65, &t66)?;
    #[on(s0)]
    let t68 = stage(cx, 68, fails, &t66, &t67)?;
    #[on(s1)]
    let t69 = stage(cx, 69, fails, &t67, &t68)?;
    borders += 1;
    Ok((t69, borders))
}

/// The same in plain Rust.
fn model(x: Vec<u32>, mut ws: Vec<u32>) -> Vec<u32> {
    let map2 =
        |a: &[u32], b: &[u32]| -> Vec<u32> { a.iter().zip(b).map(|(a, b)| a.wrapping_mul(5) ^ b).collect() };
    let mut t = vec![map2(&x, &x)];
    t.push(map2(&x, &t[0]));
    for i in 2..70 {
        if i == 20 || i == 50 {
            ws.iter_mut().for_each(|w| *w = w.wrapping_mul(7).wrapping_add(i));
            t.push(map2(&t[i as usize - 1], &ws));
            continue;
        }
        let a = match i {
            66 => &x,
            48 => &t[1],
            _ => &t[i as usize - 2],
        };
        t.push(map2(a, &t[i as usize - 1]));
    }
    t.pop().unwrap_or_default()
}

fn house(seed: u64) -> Result<(Runtime, Lane)> {
    let rt = Runtime::builder()
        .strict(true)
        .checked(Checked::seed(seed).slow(["s0", "s1"][seed as usize % 2]))
        .build()?;
    let lane = rt.lane(&["s0", "s1"])?;
    Ok((rt, lane))
}

fn input(cx: &Cx<'_>) -> Result<(T, T)> {
    let node = cx.node("s0")?;
    Ok((make(&node, 3)?, make(&node, 5)?))
}

#[test]
fn straight_and_stepped_agree_with_plain_rust() -> Result<()> {
    let row = |seed: u32| (0..N as u32).map(|i| seed * 1000 + i).collect();
    let expected = model(row(3), row(5));
    for seed in 0..8 {
        let (rt, lane) = house(seed)?;
        let cx = lane.cx();
        let (x, mut ws) = input(&cx)?;
        let (out, borders) = long(&cx, x, &mut ws, usize::MAX)?;
        assert_eq!((cx.read(&out)?.wait()?, borders), (expected.clone(), 2));
        let (x, mut ws) = input(&cx)?;
        let mut run = long::start(&cx, x, &mut ws, usize::MAX);
        let mut steps = 0;
        let (out, _) = loop {
            match run.step() {
                Some(Step::Ran(_)) => steps += 1,
                Some(Step::Done(out)) => break out?,
                None => unreachable!("the run was not done"),
            }
        };
        drop(run);
        assert!(steps + 1 >= long::PLAN.nodes.len(), "{steps}");
        assert_eq!(cx.read(&out)?.wait()?, expected);
        lane.drain()?;
        assert!(rt.violations().is_empty(), "{:?}", rt.violations());
    }
    Ok(())
}

#[test]
fn every_block_can_be_left_early() -> Result<()> {
    for fails in [3, 33, 45, 69, 1_000] {
        let (rt, lane) = house(fails as u64)?;
        let cx = lane.cx();
        let (x, mut ws) = input(&cx)?;
        assert!(long(&cx, x, &mut ws, fails).is_err());
        drop(ws);
        let (x, mut ws) = input(&cx)?;
        let mut run = long::start(&cx, x, &mut ws, usize::MAX);
        for _ in 0..fails.min(50) {
            run.step();
        }
        drop(run);
        drop(ws);
        lane.drain()?;
        assert!(rt.violations().is_empty(), "{:?}", rt.violations());
        assert_eq!(rt.stats().memory.live, 0, "after {fails}");
    }
    Ok(())
}

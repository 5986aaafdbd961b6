//! `if`, `match`, `let .. else`, blocks, early returns.

use streamlease::{Cx, Result, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, add_to, eat, in_place, make, map, map2, probe};

/// The result of a branch is either of two storages, by move.
#[model_chunk(streams(s0, s1))]
fn either_moved(cx: &Cx<'_>, x: &T, p: bool) -> Result<T> {
    #[on(s0)]
    let a = map(cx, x, 1)?;
    #[on(s1)]
    let b = map(cx, x, 2)?;
    let c = if p { a } else { b };
    #[on(s0)]
    let d = map(cx, &c, 3)?;
    #[on(s0)]
    let _ = map(cx, &d, 4)?;
    Ok(d)
}

/// The same, by reference: both are read.
#[model_chunk(streams(s0, s1))]
fn either_lent(cx: &Cx<'_>, x: &T, p: bool) -> Result<T> {
    #[on(s0)]
    let a = map(cx, x, 1)?;
    #[on(s1)]
    let b = map(cx, x, 2)?;
    let c = if p { &a } else { &b };
    #[on(s0)]
    let d = map(cx, c, 3)?;
    Ok(d)
}

/// Nodes on the arms give the value, each on its own stream.
#[model_chunk(streams(s0, s1, s2))]
fn either_made(cx: &Cx<'_>, x: &T, how: u32) -> Result<T> {
    let h = match how {
        0 =>
        {
            #[on(s0)]
            map(cx, x, 1)?
        }
        1 => {
            #[on(s0)]
            let t = map(cx, x, 2)?;
            #[on(s1)]
            map(cx, &t, 3)?
        }
        _ => {
            #[on(s1)]
            let t = map(cx, x, 4)?;
            #[on(s1)]
            in_place(cx, t)?
        }
    };
    #[on(s2)]
    let y = map(cx, &h, 5)?;
    Ok(y)
}

/// A value taken on one arm only ends at the other arm's start; a return ends what is left.
#[model_chunk(streams(s0, s1))]
fn taken_on_one_arm(cx: &Cx<'_>, x: &T, how: u32) -> Result<T> {
    #[on(s0)]
    let a = map(cx, x, 1)?;
    #[on(s1)]
    let mut y = map(cx, x, 2)?;
    if how == 0 {
        #[on(s1)]
        let z = eat(cx, a)?;
        #[on(s1)]
        y = map2(cx, &y, &z)?;
    } else if how == 1 {
        return Ok(y);
    } else {
        #[on(s1)]
        probe(cx, &a)?;
    }
    #[on(s0)]
    add_to(cx, &mut y, 7)?;
    Ok(y)
}

/// Declared first, given a value on each arm.
#[model_chunk(streams(s0, s1))]
fn deferred(cx: &Cx<'_>, x: &T, n: Option<u32>) -> Result<T> {
    let Some(n) = n else {
        #[on(s1)]
        let y = map(cx, x, 9)?;
        return Ok(y);
    };
    let h;
    if n > 1 {
        #[on(s0)]
        h = map(cx, x, n)?;
    } else {
        #[on(s1)]
        h = map(cx, x, 1)?;
    }
    let y = {
        #[on(s1)]
        let t = map(cx, &h, 2)?;
        #[on(s0)]
        map2(cx, &t, &h)?
    };
    Ok(y)
}

cases! {
    a_branch_moves_either, either_moved, &["s0", "s1"], [true, false];
    a_branch_lends_either, either_lent, &["s0", "s1"], [true, false];
    an_arm_makes_the_value, either_made, &["s0", "s1", "s2"], [0, 1, 2];
    an_arm_takes, taken_on_one_arm, &["s0", "s1"], [0, 1, 2];
    arms_assign, deferred, &["s0", "s1"], [None, Some(1), Some(2)];
}

/// A host tensor that an earlier arm moves; a number declared first; a name hidden by the pattern that takes it apart.
#[allow(clippy::needless_late_init, reason = "it is what is tested")]
#[model_chunk(streams(s0, s1))]
fn early_arms(cx: &Cx<'_>, x: &T, mut v: Vec<T>, o: Option<T>, n: u32) -> Result<T> {
    let k;
    k = n + 1;
    #[on(s1)]
    let mut y = map(cx, x, k)?;
    if let Some(o) = o {
        #[on(s0)]
        let p = map(cx, &o, 2)?;
        #[on(s1)]
        y = map2(cx, &p, &y)?;
    }
    while let Some(b) = v.pop() {
        if n == 2 {
            return Ok(b);
        }
        if n == 3 {
            drop(b);
            continue;
        }
        #[on(s0)]
        let p = map(cx, &b, 3)?;
        #[on(s1)]
        y = map2(cx, &p, &y)?;
    }
    Ok(y)
}

#[test]
fn an_earlier_arm_moves_what_a_later_node_reads() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: early_arms::PLAN,
        run: |cx| {
            let mut all = Vec::new();
            for n in [1, 2, 3] {
                for some in [false, true] {
                    let x = make(&cx.node("s0")?, 3)?;
                    let v = vec![make(&cx.node("s0")?, 4)?, make(&cx.node("s1")?, 5)?];
                    let o = if some { Some(make(&cx.node("s1")?, 6)?) } else { None };
                    let y = early_arms(cx, &x, v, o, n)?;
                    all.push(cx.read(&y)?);
                }
            }
            Ok(all)
        },
    });
}

//! Storages that change their places on the host: swapped, put into collections, taken out of them. Each line is a
//! program of its own, whose last nodes use what they find under the new names.

use streamlease::{Cx, Node, Result, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, add_to, make, map, map2};

/// A chunk of its own, and the test that it holds.
macro_rules! case {
    ($name:ident, $cx:ident, $x:ident, { $($body:tt)* }) => {
        mod $name {
            use super::*;

            // Not every way to move needs `mut`; some ways have better ones.
            #[allow(unused_mut, clippy::manual_swap, clippy::extend_with_drain)]
            #[model_chunk(streams(s0, s1))]
            fn chunk($cx: &Cx<'_>, $x: &T) -> Result<T> {
                $($body)*
            }

            #[test]
            fn holds() {
                hold(&Case {
                    streams: &["s0", "s1"],
                    slow: &[&["s0"], &["s1"], &[]],
                    plan: chunk::PLAN,
                    run: |cx| {
                        let x = make(&cx.node("s0")?, 3)?;
                        Ok(vec![cx.read(&chunk(cx, &x)?)?])
                    },
                });
            }
        }
    };
}

/// Two tensors of two streams change their places; then each stream works on what was the other's.
macro_rules! swapped {
    ($($name:ident: |$a:ident, $b:ident| { $($how:tt)* })*) => { $(
        case! { $name, cx, x, {
            #[on(s0)]
            let mut $a = map(cx, x, 1)?;
            #[on(s1)]
            let mut $b = map(cx, x, 2)?;
            $($how)*
            #[on(s0)]
            add_to(cx, &mut $a, 3)?;
            #[on(s1)]
            add_to(cx, &mut $b, 4)?;
            #[on(s0)]
            map2(cx, &$a, &$b)
        } }
    )* };
}

swapped! {
    tuple: |a, b| { (a, b) = (b, a); }
    array: |a, b| { [a, b] = [b, a]; }
    swap: |a, b| { std::mem::swap(&mut a, &mut b); }
    replace: |a, b| { b = std::mem::replace(&mut a, b); }
    three_steps: |a, b| { let t = a; a = b; b = t; }
    block: |a, b| { { let t = a; a = b; b = t; } }
}

fn list(cx: &Node<'_>, x: &T, k: u32) -> Result<Vec<T>> {
    Ok(vec![map(cx, x, k)?, map(cx, x, k + 1)?])
}

fn put(list: &mut Vec<T>, x: T) {
    list.push(x);
}

/// One tensor of a list goes to another list, on which another stream then works.
macro_rules! moved {
    ($($name:ident: |$from:ident, $to:ident| { $($how:tt)* } $found:expr;)*) => { $(
        case! { $name, cx, x, {
            #[on(s0)]
            let mut $from = list(cx, x, 1)?;
            #[on(s1)]
            let mut $to = list(cx, x, 3)?;
            $($how)*
            #[on(s1)]
            map(cx, &$found, 5)
        } }
    )* };
}

moved! {
    append: |from, to| { to.append(&mut from); } to[2];
    drain: |from, to| { to.extend(from.drain(..)); } to[2];
    extend: |from, to| { to.extend(from.into_iter().rev()); } to[2];
    pop: |from, to| { to.push(from.pop().unwrap()); } to[2];
    insert: |from, to| { to.insert(0, from.swap_remove(0)); } to[0];
    assign: |from, to| { to[0] = from.remove(0); } to[0];
    swap_parts: |from, to| { std::mem::swap(&mut from[0], &mut to[0]); } to[0];
    by_path: |from, to| { Vec::push(&mut to, from.pop().unwrap()); } to[2];
    call: |from, to| { put(&mut to, from.pop().unwrap()); } to[2];
    take: |from, to| { to = std::mem::take(&mut from); } to[0];
    by_name: |from, to| { let t = from.pop(); to.extend(t); } to[2];
    inner_name: |from, to| { { let t = from.pop().unwrap(); to.push(t); } } to[2];
    inner_list: |from, to| { { let mut t = Vec::new(); t.append(&mut from); to.append(&mut t); } } to[2];
    whole: |from, to| { { let t = from; to.extend(t); } } to[2];
    through: |from, to| { to = { let mut t = to; t.append(&mut from); t }; } to[2];
}

/// A called chunk may leave a tensor that it could write as it was, and swap two.
#[model_chunk(streams(s0, s1))]
fn idle(cx: &Cx<'_>, a: &mut T, b: &mut T) -> Result<T> {
    std::mem::swap(a, b);
    #[on(s0)]
    make(cx, 1)
}

case! { called, cx, x, {
    #[on(s0)]
    let mut a = map(cx, x, 1)?;
    #[on(s1)]
    let mut b = map(cx, x, 2)?;
    let c = idle(cx, &mut a, &mut b)?;
    #[on(s0)]
    add_to(cx, &mut a, 3)?;
    #[on(s1)]
    add_to(cx, &mut b, 4)?;
    #[on(s0)]
    let y = map2(cx, &a, &b)?;
    #[on(s0)]
    map2(cx, &y, &c)
} }

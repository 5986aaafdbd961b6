//! Chunks of any size as source text.

use std::fmt::Write as _;

/// Streams of the chunk.
const STREAMS: usize = 4;

/// What stands around the chunk.
const HEAD: &str = "\
#![allow(dead_code, unused_imports, long_running_const_eval)]
use streamlease::{Buffer, Cx, Node, Result, model_chunk};
type T = Buffer<f32>;
fn make(cx: &Node<'_>, _: &T) -> Result<T> { cx.empty(1) }
fn map(cx: &Node<'_>, _: &T, _: &T, _: &T) -> Result<T> { cx.empty(1) }
fn add(cx: &Node<'_>, a: T, _: &T, _: &T) -> Result<T> { let _ = cx; Ok(a) }
/// The runtime with a judge that judges 21 times.
mod again {
    pub use streamlease::*;
    pub mod plan {
        pub use streamlease::plan::*;
        pub const fn verify<const NODES: usize, const LEASES: usize>(plan: &Plan<'_>) {
            let mut i = 0;
            while i < 21 {
                streamlease::plan::verify::<NODES, LEASES>(plan);
                i += 1;
            }
        }
    }
}
";

/// How the function is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Without attributes: what such a function costs rustc anyway.
    Plain,
    /// As users write it.
    Judged,
    /// The same, judged 20 times more.
    Again,
}

/// A crate with one straight-line chunk. Every node makes a tensor; it uses the last one of its stream, `w`, and
/// either an older one of its stream or, every second node, the newest of another stream, which costs a wait.
/// In every fourth round the nodes take their stream's last tensor over.
pub(crate) fn source(nodes: usize, form: Form) -> String {
    let mut text = String::from(HEAD);
    let (attribute, cx) = match form {
        Form::Plain => ("", "Node"),
        Form::Judged => ("#[model_chunk(streams(s0, s1, s2, s3))]\n", "Cx"),
        Form::Again => ("#[model_chunk(streams(s0, s1, s2, s3), crate = crate::again)]\n", "Cx"),
    };
    let _ = writeln!(text, "{attribute}pub fn chunk(cx: &{cx}<'_>, w: &T) -> Result<(T, T, T, T)> {{");
    for node in 0..nodes {
        let (round, s) = (node / STREAMS, node % STREAMS);
        if form != Form::Plain {
            let _ = writeln!(text, "    #[on(s{s})]");
        }
        let _ = writeln!(text, "    let t{s}_{round} = {}?;", call(round, s));
    }
    let newest = |s| (nodes - 1 - s) / STREAMS;
    let outs: Vec<String> = (0..STREAMS).map(|s| format!("t{s}_{}", newest(s))).collect();
    let _ = write!(text, "    Ok(({}))\n}}\n", outs.join(", "));
    text
}

/// The node's expression without its `?`.
fn call(round: usize, s: usize) -> String {
    let Some(before) = round.checked_sub(1) else { return "make(cx, w)".to_owned() };
    let third = if (round + s) % 2 == 1 {
        format!("&t{}_{before}", (s + 1) % STREAMS)
    } else if round >= 2 && !round.is_multiple_of(4) {
        format!("&t{s}_{}", round - 2)
    } else {
        "w".to_owned()
    };
    let (op, own) = if round % 4 == 3 { ("add", "") } else { ("map", "&") };
    format!("{op}(cx, {own}t{s}_{before}, w, {third})")
}

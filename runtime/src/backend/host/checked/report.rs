//! Findings as text: who, what, where, and against whom.

use super::shadow::{Act, Fault, Finding, Shadow, Use};
use crate::backend::Span;
use std::fmt::Write as _;

/// One violation. `label` names a stream.
pub(super) fn text<'a>(finding: &Finding, shadow: &Shadow, label: impl Fn(u64) -> &'a str) -> String {
    let at = place(&finding.span, shadow);
    let who = |used: &Use| who(used, label(used.stream));
    let Some(by) = &finding.by else {
        return match &finding.fault {
            Fault::Freed(Some(held)) => format!("double free: {at}, last handed out to {}", who(held)),
            Fault::Gone(gone) => format!("double free: {at}, whose slab was given back by {}", who(gone)),
            _ => format!("free of memory that was never handed out: {at}"),
        };
    };
    let me = format!("{} {} {at}", who(by), verb(by.act));
    match &finding.fault {
        Fault::Race(earlier) => {
            format!("race: {me}, not ordered after {}, which {} it", who(earlier), past(earlier.act))
        }
        Fault::Freed(Some(held)) => {
            format!("use after free: {me}, which is free; it was last handed out to {}", who(held))
        }
        Fault::Freed(None) => format!("use after free: {me}, which was never handed out"),
        Fault::Gone(gone) => format!("use after free: {me}, whose slab was given back by {}", who(gone)),
        Fault::Held(held) if by.act == Act::HandOut => {
            format!("double hand-out: {me}, which {} still holds", who(held))
        }
        Fault::Held(held) => format!("use after free: {me}, which {} still holds", who(held)),
        Fault::NoSlab => format!("hand-out of memory that is not a slab's: {me}"),
    }
}

fn who(used: &Use, label: &str) -> String {
    let mut text = match (used.origin.node, used.origin.chunk) {
        ("", "") => "work outside any node".to_owned(),
        ("", chunk) => format!("work of `{chunk}` outside its nodes"),
        (node, "") => format!("`{node}`"),
        (node, chunk) => format!("`{node}` of `{chunk}`"),
    };
    // Writing to a `String` cannot fail.
    let _ = write!(text, " on stream `{label}` (task {})", used.position);
    text
}

fn verb(act: Act) -> &'static str {
    match act {
        Act::Read => "reads",
        Act::Write => "writes",
        Act::HandOut => "is handed",
        Act::GiveBack => "gives back",
    }
}

fn past(act: Act) -> &'static str {
    match act {
        Act::Read => "reads",
        Act::Write => "writes",
        Act::HandOut => "was handed",
        Act::GiveBack => "gave back",
    }
}

/// Where in which slab: addresses differ from run to run, this does not.
fn place(span: &Span, shadow: &Shadow) -> String {
    match shadow.place(span) {
        Some((slab, part)) => format!("bytes {}..{} of slab {slab}", part.start, part.end),
        None => format!("addresses {:#x}..{:#x}", span.start, span.end),
    }
}

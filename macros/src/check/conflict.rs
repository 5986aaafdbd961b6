//! The same place, or a whole and its part, in modes that exclude each other in one statement of a node.

use crate::body::{Mode, Place};
use crate::report::Report;
use crate::resolve::place_text;
use crate::resolve::walk::Occurrence;

/// An occurrence with what it came to.
pub(crate) struct Resolved<'a> {
    /// What the user wrote.
    pub(crate) occurrence: &'a Occurrence,
    /// The place.
    pub(crate) place: Place,
    /// The mode.
    pub(crate) mode: Mode,
    /// The user's name of the binding.
    pub(crate) root: String,
}

/// Notes each place with conflicting uses once.
///
/// Only uses that the user spelled out (`&x`, `&mut x`, `x`) are compared; `x.len()` beside `x` is for rustc, which
/// knows whether the borrow has ended. Statements of a block node run one after the other, so each is on its own.
pub(crate) fn check(uses: &[Resolved<'_>], report: &mut Report) {
    let mut told: Vec<&Place> = Vec::new();
    for (i, later) in uses.iter().enumerate().filter(|(_, u)| u.occurrence.explicit) {
        let rival = uses[..i].iter().find(|earlier| {
            earlier.occurrence.explicit
                && earlier.occurrence.stmt == later.occurrence.stmt
                && earlier.place.overlaps(&later.place)
                && !(earlier.mode == Mode::Read && later.mode == Mode::Read)
                // Taken twice: a number may be, and rustc knows.
                && !(earlier.mode == Mode::Consume && later.mode == Mode::Consume)
        });
        let Some(earlier) = rival else { continue };
        if told.iter().any(|place| place.overlaps(&later.place)) {
            continue;
        }
        told.push(&later.place);
        let (a, b) = if earlier.mode < later.mode { (later, earlier) } else { (earlier, later) };
        report.help(&later.occurrence.tokens, message(a, b), help(a, b));
    }
}

fn message(strong: &Resolved<'_>, weak: &Resolved<'_>) -> String {
    let (s, w) = (place_text(&strong.root, &strong.place.path), place_text(&weak.root, &weak.place.path));
    let done = |mode| match mode {
        Mode::Read => "borrowed",
        Mode::Write => "written in place",
        Mode::Consume => "consumed",
    };
    if s == w {
        let weaker =
            if strong.mode == Mode::Write && weak.mode == Mode::Read { "read" } else { done(weak.mode) };
        let weaker = if strong.mode == weak.mode { "written again" } else { weaker };
        format!("`{s}` is {} and {weaker} by the same node", done(strong.mode))
    } else {
        format!(
            "`{s}` is {} and `{w}`, which shares its storage, is {} by the same node",
            done(strong.mode),
            done(weak.mode)
        )
    }
}

fn help(strong: &Resolved<'_>, weak: &Resolved<'_>) -> String {
    let name = place_text(&strong.root, &strong.place.path);
    match (strong.mode, weak.mode) {
        (Mode::Consume, _) => format!("lend it in both places with `&{name}`, or give one of them a copy"),
        _ => format!("let the operator read its input through `&mut {name}`, or write to another tensor"),
    }
}

//! Names in tokens that the macro cannot read: closures and unknown macros.

use quote::ToTokens;

use crate::report::Report;
use crate::resolve::place_text;
use crate::resolve::walk::{Occurrence, Veil};

/// Notes each closure or macro of a node that names followed bindings outside the stated uses.
pub(crate) fn node<'a>(
    hidden: impl Iterator<Item = (&'a Occurrence, String)>,
    stream: &str,
    report: &mut Report,
) {
    let mut groups: Vec<(String, Vec<String>, &Occurrence)> = Vec::new();
    for (occurrence, root) in hidden {
        let Some(veil) = &occurrence.veil else { continue };
        let key = text(veil);
        let name = place_text(&root, &occurrence.path);
        match groups.iter_mut().find(|(k, ..)| *k == key) {
            Some((_, names, _)) if names.contains(&name) => {}
            Some((_, names, _)) => names.push(name),
            None => groups.push((key, vec![name], occurrence)),
        }
    }
    for (veil, names, occurrence) in groups {
        let list: Vec<String> = names.iter().map(|n| format!("&{n}")).collect();
        report.help(
            &occurrence.tokens,
            format_args!("cannot tell whether `{}` is read, written or kept inside {veil}", names[0]),
            format_args!(
                "state the uses: `#[on({stream}, uses({}))]`, with `&mut` for what is written and no `&` for what \
                 is consumed",
                list.join(", ")
            ),
        );
    }
}

/// Notes a field that is written where it is stated to be read.
pub(crate) fn written(occurrence: &Occurrence, root: &str, report: &mut Report) {
    let name = place_text(root, &occurrence.path);
    report.help(
        &occurrence.tokens,
        format_args!("`{name}` is written here, but stated to be read"),
        format_args!("state what happens: `uses(&mut {name})`"),
    );
}

/// Notes a closure or macro of a host statement that names a followed binding.
pub(crate) fn host(occurrence: &Occurrence, root: &str, report: &mut Report) {
    let Some(veil) = &occurrence.veil else { return };
    let name = place_text(root, &occurrence.path);
    report.help(
        &occurrence.tokens,
        format_args!("cannot tell what happens to `{name}` inside {}", text(veil)),
        format_args!("ask `{name}` for what is needed in a `let` of its own, and use that inside"),
    );
}

fn text(veil: &Veil) -> String {
    match veil {
        Veil::Closure(head) => {
            format!("the closure `{} ..`", head.to_string().replace("| ", "|").replace(" |", "|"))
        }
        Veil::Macro(path) => format!("`{}!(..)`", path.to_token_stream().to_string().replace(' ', "")),
    }
}

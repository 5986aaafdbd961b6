//! Every identifier that the macro makes up.
//!
//! Locals have `mixed_site` spans, so no name of the user can meet them. Items cannot be hidden that way; those in
//! a body start with two underscores.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::Type;
use syn::ext::IdentExt;

use crate::signature::Function;

/// An identifier's text without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The run.
pub(crate) fn run() -> Ident {
    local("run")
}

/// The node that is open.
pub(crate) fn node() -> Ident {
    local("node")
}

/// What a node returned.
pub(crate) fn out() -> Ident {
    local("out")
}

/// What a node made.
pub(crate) fn made() -> Ident {
    local("made")
}

/// How the run is driven.
pub(crate) fn mode() -> Ident {
    local("mode")
}

/// The short name of the runtime's hidden module inside a body.
pub(crate) fn private() -> Ident {
    Ident::new("__streamlease", Span::call_site())
}

/// A parameter whose pattern is not a plain name.
pub(crate) fn argument(position: usize) -> Ident {
    format_ident!("argument_{position}", span = Span::mixed_site())
}

/// The binding behind `let _ = ..` on a node.
pub(crate) fn hidden(node: usize, at: Span) -> Ident {
    format_ident!("unnamed_{node}", span = Span::mixed_site().located_at(at))
}

/// The value of a tail node.
pub(crate) fn result(at: Span) -> Ident {
    Ident::new("result", Span::mixed_site().located_at(at))
}

/// The constant that holds a node's number.
pub(crate) fn node_number(ix: usize, label: &str) -> Ident {
    format_ident!("__NODE_{ix}_{}", label.to_uppercase())
}

/// The constant that holds a lease's number.
pub(crate) fn lease_number(ix: usize, name: &str) -> Ident {
    let name: String =
        name.to_uppercase().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    format_ident!("__LEASE_{ix}_{name}")
}

/// Names of the items beside a chunk.
pub(crate) struct Beside {
    /// The type that holds the plan: the companion of a function, hidden for methods.
    pub(crate) holder: Ident,
    /// The public constant.
    pub(crate) plan: Ident,
    /// The function that starts a stepped run.
    pub(crate) start: Ident,
    /// The function that is the body.
    pub(crate) body: Ident,
}

/// What stands beside a chunk.
pub(crate) fn beside(function: &Function) -> Beside {
    let name = &function.sig.ident;
    let text = plain(name);
    let span = name.span();
    match &function.owner {
        None => Beside {
            holder: name.clone(),
            plan: Ident::new("PLAN", span),
            start: Ident::new("start", span),
            body: Ident::new("body", span),
        },
        Some(owner) => Beside {
            holder: Ident::new(&format!("__{}_{text}", spelled(owner)), span),
            plan: Ident::new(&format!("{}_PLAN", text.to_uppercase()), span),
            start: Ident::new(&format!("{text}_start"), span),
            body: Ident::new(&format!("__{text}_body"), span),
        },
    }
}

/// A type as part of an identifier; different for `Foo<f32>` and `Foo<f64>`. A type may have any character in a
/// string of its arguments.
fn spelled(ty: &Type) -> String {
    let text = quote::quote!(#ty).to_string();
    let words: Vec<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
    let spelled = words.join("_");
    if syn::parse_str::<Ident>(&format!("_{spelled}")).is_ok() {
        spelled
    } else {
        spelled.replace(|c: char| !c.is_ascii(), "_")
    }
}

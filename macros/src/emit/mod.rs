//! The function, its body and its companion, as tokens. Decides nothing: plan and tree say it all.

mod body;
mod companion;
mod fallback;
mod function;
pub(crate) mod names;
mod node;
mod segments;

use proc_macro2::TokenStream;
use quote::quote;

use crate::body::Chunk;
use crate::plan::PlanData;
use crate::release::Release;
use crate::signature::Function;

pub(crate) use fallback::{broken_impl, broken_method, fallback};

/// What the later phases know of one chunk.
pub(crate) struct Planned<'a> {
    /// The function.
    pub(crate) function: &'a Function,
    /// Its tree.
    pub(crate) chunk: &'a Chunk,
    /// Where names end.
    pub(crate) release: &'a Release,
    /// Its plan.
    pub(crate) plan: &'a PlanData,
    /// How far memory may lag.
    pub(crate) reuse_lag: u32,
    /// Where the runtime crate is.
    pub(crate) krate: &'a TokenStream,
}

/// A chunk's tokens: what stands where the function stood, and what stands beside the `impl` of a method.
pub(crate) struct Emitted {
    /// In place of the function.
    pub(crate) inside: TokenStream,
    /// Beside the `impl`; empty for functions.
    pub(crate) beside: TokenStream,
}

/// Writes a chunk.
pub(crate) fn emit(planned: &Planned<'_>) -> Emitted {
    let function = function::function(planned);
    let (inside, beside) = companion::companion(planned, &body::body(planned));
    Emitted { inside: quote!(#function #inside), beside }
}

/// Attributes that concern every item made from the function.
fn shared_attrs(function: &Function) -> impl Iterator<Item = &syn::Attribute> {
    function.attrs.iter().filter(|a| ["cfg", "cfg_attr"].iter().any(|n| a.path().is_ident(n)))
}

/// Attributes that set lints for the user's tokens.
fn lint_attrs(function: &Function) -> impl Iterator<Item = &syn::Attribute> {
    let lints = ["allow", "expect", "warn", "deny", "forbid"];
    function.attrs.iter().filter(move |a| lints.iter().any(|n| a.path().is_ident(n)))
}

/// `::<T, N>` of a function's own type and constant parameters.
fn turbofish(function: &Function) -> TokenStream {
    let names: Vec<_> = function
        .sig
        .generics
        .params
        .iter()
        .filter_map(|param| match param {
            syn::GenericParam::Type(ty) => Some(&ty.ident),
            syn::GenericParam::Const(constant) => Some(&constant.ident),
            syn::GenericParam::Lifetime(_) => None,
        })
        .collect();
    if names.is_empty() { TokenStream::new() } else { quote!(::<#(#names),*>) }
}

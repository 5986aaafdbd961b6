//! The phases, one after the other.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{ImplItem, ImplItemFn, Item, ItemFn, ItemImpl};

use crate::emit::{self, Emitted, Planned};
use crate::nest::Nest;
use crate::parse::{ChunkArgs, runtime_path};
use crate::report::Report;
use crate::signature::Function;
use crate::{order, plan, release, resolve, uses};

/// The attribute's expansion.
pub(crate) fn model_chunk(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let args = syn::parse2::<ChunkArgs>(attribute).map_err(|error| report.push(error)).ok();
    let krate = runtime_path(args.as_ref());
    let parsed = syn::parse2::<Item>(item.clone());
    let args = args.filter(|args| has_streams(args, parsed.as_ref().ok(), &mut report));
    match parsed {
        Ok(Item::Fn(function)) => free(function, args.as_ref(), &krate, report),
        Ok(Item::Impl(methods)) => inherent(methods, args.as_ref(), &krate, report),
        Ok(other) => {
            report.help(&other, "not a chunk", "put the attribute on a function or on an inherent `impl`");
            let errors = report.border().err();
            quote!(#errors #other)
        }
        // Not Rust: rustc says what is wrong with it.
        Err(_) => item,
    }
}

/// Whether there are streams. That there are none is said at the item's name.
fn has_streams(args: &ChunkArgs, item: Option<&Item>, report: &mut Report) -> bool {
    let name = match item {
        Some(Item::Fn(function)) => function.sig.ident.to_token_stream(),
        Some(Item::Impl(methods)) => methods.self_ty.to_token_stream(),
        _ => return true,
    };
    if args.streams.is_empty() {
        let help = "name the streams that the nodes run on: `#[model_chunk(streams(compute, comm))]`";
        report.help(name, "a chunk needs streams", help);
    }
    !args.streams.is_empty()
}

fn free(item: ItemFn, args: Option<&ChunkArgs>, krate: &TokenStream, mut report: Report) -> TokenStream {
    if let Some(receiver) = item.sig.receiver() {
        let help = "put `#[model_chunk(..)]` on the `impl` block; its methods with nodes are the chunks";
        report.help(receiver, "a method is planned with the `impl` block that it stands in", help);
        let errors = report.border().err();
        let item = emit::broken_method(item);
        return quote!(#errors #item);
    }
    let ItemFn { attrs, vis, sig, block, .. } = item;
    let function = Function::new(attrs, vis, sig, *block, None, &mut report);
    let emitted = chunk(&function, args, krate, report);
    emitted.inside
}

/// One function through all phases.
fn chunk(function: &Function, args: Option<&ChunkArgs>, krate: &TokenStream, mut report: Report) -> Emitted {
    let planned = args.ok_or_else(TokenStream::new).and_then(|args| {
        report.border()?;
        let chunk = resolve::resolve(function, args, &mut report);
        report.border()?;
        let nest = Nest::new(&chunk);
        let uses = uses::uses(&chunk, &nest);
        let release = release::release(&chunk, &nest, &uses);
        let order = order::order(&chunk, &nest, &uses, &release);
        let plan = plan::plan(&chunk, &uses, &order, &release);
        let reuse_lag = args.reuse_lag;
        Ok(emit::emit(&Planned { function, chunk: &chunk, release: &release, plan: &plan, reuse_lag, krate }))
    });
    planned
        .unwrap_or_else(|_| {
            let errors = report.border().err();
            let function = emit::fallback(function, krate);
            Emitted { inside: quote!(#function), beside: quote!(#errors) }
        })
        .settle(function.owner.is_some())
}

impl Emitted {
    /// Errors of a function stand beside it, those of a method beside its `impl`.
    fn settle(self, method: bool) -> Emitted {
        if method {
            return self;
        }
        let Emitted { inside, beside } = self;
        Emitted { inside: quote!(#beside #inside), beside: TokenStream::new() }
    }
}

fn inherent(
    mut item: ItemImpl,
    args: Option<&ChunkArgs>,
    krate: &TokenStream,
    mut report: Report,
) -> TokenStream {
    if let Some((path, _)) = &item.trait_ {
        let help = "write an inherent method with the nodes, and let the trait's method call it";
        report.help(path, "a method of a trait cannot be a chunk, because nothing can stand beside it", help);
    } else if !item.items.iter().any(|i| matches!(i, ImplItem::Fn(f) if has_nodes(f))) {
        let help = "mark the statements that do device work with `#[on(stream)]`";
        report.help(&item.self_ty, "no method of this `impl` has a node", help);
    }
    if args.is_none() || !report.is_empty() {
        let (errors, item) = (report.border().err(), emit::broken_impl(&item));
        return quote!(#errors #item);
    }
    let mut beside = TokenStream::new();
    let owner = (*item.self_ty).clone();
    for inner in &mut item.items {
        if let ImplItem::Fn(method) = inner
            && has_nodes(method)
        {
            let ImplItemFn { attrs, vis, sig, block, .. } = method.clone();
            let mut report = Report::default();
            let function = Function::new(attrs, vis, sig, block, Some(owner.clone()), &mut report);
            let emitted = chunk(&function, args, krate, report);
            beside.extend(emitted.beside);
            *inner = ImplItem::Verbatim(emitted.inside);
        }
    }
    let item = item.to_token_stream();
    quote!(#beside #item)
}

/// Whether a method is a chunk.
fn has_nodes(method: &ImplItemFn) -> bool {
    struct Nodes(bool);
    impl<'ast> Visit<'ast> for Nodes {
        fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
            self.0 |= crate::parse::is_on(attr);
            visit::visit_attribute(self, attr);
        }
    }
    let mut nodes = Nodes(false);
    nodes.visit_block(&method.block);
    nodes.0
}

//! What is emitted when something is wrong: the same names with bodies that only type-check, so that one mistake
//! gives one error.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ImplItem, ItemFn, ItemImpl, parse_quote};

use super::{names, shared_attrs};
use crate::signature::Function;

/// The function and its companion without a plan.
pub(crate) fn fallback(function: &Function, krate: &TokenStream) -> TokenStream {
    let Function { attrs, vis, sig, .. } = function;
    let names::Beside { holder, plan, start, .. } = names::beside(function);
    let (generics, bounds) = (&sig.generics, &sig.generics.where_clause);
    let (output, ret) = outcome(function, krate);
    let parameters = function.parameters();
    let cfgs: Vec<_> = shared_attrs(function).collect();
    let attrs = attrs.iter().filter(|a| !a.path().is_ident("expect"));
    let name = names::plain(&sig.ident);
    let future = quote_spanned!(Span::mixed_site()=> impl #krate::__private::Future<Output = #ret>);
    let (constness, asyncness, safety, abi) = (&sig.constness, &sig.asyncness, &sig.safety, &sig.abi);
    let ident = &sig.ident;
    let beside = quote! {
        #[allow(missing_docs, dead_code)]
        pub const #plan: &'static #krate::plan::Plan<'static> = &#krate::plan::Plan {
            chunk: #name, streams: &[], leases: &[], nodes: &[], steps: &[],
        };
        #[allow(missing_docs, dead_code, unused_variables)]
        pub fn #start #generics (#parameters) -> #krate::Stepped<#future> #bounds {
            #krate::Stepped::new(&#krate::plan::Plan {
                chunk: #name, streams: &[], leases: &[], nodes: &[], steps: &[],
            }, |_| async { loop {} })
        }
    };
    let beside = if function.owner.is_some() {
        beside
    } else {
        quote! {
            #(#cfgs)*
            #[allow(non_camel_case_types, missing_docs, dead_code)]
            #vis struct #holder {}
            #(#cfgs)*
            impl #holder { #beside }
        }
    };
    quote! {
        #(#attrs)*
        #[allow(unused_variables, clippy::empty_loop)]
        #vis #constness #asyncness #safety #abi fn #ident #generics (#parameters) #output #bounds { loop {} }
        #beside
    }
}

/// The return type; not an opaque one, which a body that never ends cannot tell.
fn outcome(function: &Function, krate: &TokenStream) -> (TokenStream, TokenStream) {
    let (output, ret) = (function.sig.output.to_token_stream(), function.ret.to_token_stream());
    if ret.to_string().split_whitespace().any(|word| word == "impl") {
        return (quote!(-> #krate::Result<()>), quote!(#krate::Result<()>));
    }
    (output, ret)
}

/// A method on its own: there is no place for a companion beside it.
pub(crate) fn broken_method(mut item: ItemFn) -> TokenStream {
    *item.block = parse_quote!({ loop {} });
    quote!(#[allow(unused_variables, clippy::empty_loop)] #item)
}

/// An `impl` whose attribute does not parse: its functions without their nodes.
pub(crate) fn broken_impl(item: &ItemImpl) -> TokenStream {
    let mut item = item.clone();
    for inner in &mut item.items {
        if let ImplItem::Fn(method) = inner {
            method.block = parse_quote!({ loop {} });
            method.attrs.push(parse_quote!(#[allow(unused_variables, clippy::empty_loop)]));
        }
    }
    quote!(#item)
}

//! What stands beside the function: its plan, its stepped form, its body.
//!
//! The companion of `f` is a braced struct `f {}`, which lives in the namespace of types and works wherever `f`
//! does, function bodies included. A method's plan sits in a hidden struct beside the `impl`: there it does not
//! depend on the type's parameters, so that it is judged once, whatever is generic.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Planned, function, names, shared_attrs};

/// What stands where the function stood, and what stands beside the `impl` of a method.
pub(super) fn companion(planned: &Planned<'_>, body: &TokenStream) -> (TokenStream, TokenStream) {
    let Planned { function, plan, krate, .. } = planned;
    let names::Beside { holder, plan: constant, .. } = names::beside(function);
    let cfgs: Vec<_> = shared_attrs(function).collect();
    let vis = &function.vis;
    let name = names::plain(&function.sig.ident);
    let plan = plan.to_tokens(&quote!(#krate::plan));
    let start = start(planned);
    let plan_doc = format!(" The plan of [`{}`].", function.title());
    let ty = quote!(&'static #krate::plan::Plan<'static>);
    if function.owner.is_none() {
        let doc = format!(" The plan of [`{name}`](fn@{name}), and its stepped form.");
        let inside = quote! {
            #(#cfgs)*
            #[doc = #doc]
            #[allow(non_camel_case_types, missing_debug_implementations, dead_code)]
            #vis struct #holder {}

            #(#cfgs)*
            #[allow(dead_code)]
            impl #holder {
                #[doc = " The plan."]
                pub const #constant: #ty = #plan;
                #start
                #body
            }
        };
        return (inside, TokenStream::new());
    }
    let inside = quote! {
        #(#cfgs)*
        #[allow(dead_code)]
        #[doc = #plan_doc]
        #vis const #constant: #ty = #holder::PLAN;
        #start
        #body
    };
    let beside = quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_debug_implementations, missing_docs, dead_code)]
        #vis struct #holder {}

        #(#cfgs)*
        #[allow(missing_docs)]
        impl #holder {
            pub const PLAN: #ty = #plan;
        }
    };
    (inside, beside)
}

/// The function that begins a run to be stepped.
fn start(planned: &Planned<'_>) -> TokenStream {
    let Planned { function, krate, .. } = planned;
    let names::Beside { start, holder, .. } = names::beside(function);
    let cfgs = shared_attrs(function).filter(|_| function.owner.is_some());
    let vis = if function.owner.is_some() { &function.vis } else { &syn::parse_quote!(pub) };
    let (generics, bounds) = (&function.sig.generics, &function.sig.generics.where_clause);
    let (parameters, ret, mode) = (function.parameters(), &function.ret, names::mode());
    let call = function::call(planned, &mode);
    // Under this span the type captures every lifetime in scope, whatever edition the user's crate has.
    let future = quote_spanned!(Span::mixed_site()=> impl #krate::__private::Future<Output = #ret>);
    quote! {
        #(#cfgs)*
        #[doc = " Begins a run that is stepped node by node."]
        #[allow(dead_code)]
        #vis fn #start #generics (#parameters) -> #krate::Stepped<#future> #bounds {
            #krate::Stepped::new(#holder::PLAN, move |#mode| #call)
        }
    }
}

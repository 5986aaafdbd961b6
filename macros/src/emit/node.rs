//! A node: opened, run in an inner scope that `?` cannot leave, closed.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Planned, names};
use crate::body::Node;

/// A node with `let`, or an expression statement. `hidden` ends the names that its bindings hide.
pub(super) fn node(planned: &Planned<'_>, n: &Node, hidden: &TokenStream) -> TokenStream {
    let (private, made) = (names::private(), names::made());
    let (ret, expr, attrs) = (&planned.function.ret, &n.syntax.expr, &n.syntax.attrs);
    let returns = quote!(#private::Result<_, <#ret as #private::Outcome>::Error>);
    let step = step(n);
    let Some(pattern) = &n.syntax.pattern else {
        let inner = quote!(#expr #private::Ok(()));
        let closed = scope(planned, n, &returns, &inner);
        return quote!(#step #(#attrs)* #closed?;);
    };
    let ty = match pattern {
        syn::Pat::Type(typed) => {
            let ty = &typed.ty;
            quote!(: #ty)
        }
        _ => TokenStream::new(),
    };
    let checked = checked(n, &quote!(#private::Made::of(&#made)));
    let inner = quote! {
        let #made #ty = #expr;
        #checked
        #private::Ok(#made)
    };
    let closed = scope(planned, n, &returns, &inner);
    if hidden.is_empty() {
        return quote!(#step #(#attrs)* let #pattern = #closed?;);
    }
    quote!(#step #(#attrs)* let #pattern = { let #made = #closed?; #hidden #made };)
}

/// A node that is the chunk's value.
pub(super) fn tail(planned: &Planned<'_>, n: &Node) -> TokenStream {
    let (private, made) = (names::private(), names::made());
    let (ret, expr) = (&planned.function.ret, &n.syntax.expr);
    let checked = checked(n, &quote!(#private::Made::of_ok(&#made)));
    let inner = quote! {
        let #made: #ret = #expr;
        #checked
        #made
    };
    let step = step(n);
    let closed = scope(planned, n, &quote!(#ret), &inner);
    quote!({ #step #closed })
}

/// A stepped run pauses here.
fn step(n: &Node) -> TokenStream {
    let (run, number) = (names::run(), names::node_number(n.ix, &n.label));
    quote!(#run.step(#number).await;)
}

/// Opens the node, lends what it uses, runs it, closes it.
fn scope(planned: &Planned<'_>, n: &Node, returns: &TokenStream, inner: &TokenStream) -> TokenStream {
    let (run, node, out, cx) = (names::run(), names::node(), names::out(), &planned.chunk.cx);
    let number = names::node_number(n.ix, &n.label);
    let lends = &n.syntax.lends;
    let closure = quote_spanned!(n.syntax.span=> || -> #returns);
    quote! {{
        let #node = #run.enter(#number)?;
        #[allow(unused_variables)]
        let #cx = &#node;
        #lends
        let #out = (#closure { #inner })();
        #run.exit(#node, #out)
    }}
}

/// What a node makes owns its storage, and rustc says so at the user's expression.
fn checked(n: &Node, made: &TokenStream) -> TokenStream {
    quote_spanned!(n.syntax.expr.span()=> #made.leaves_node();)
}

//! A node: opened, run in an inner scope that `?` cannot leave, closed.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use super::{Planned, names};
use crate::body::Node;

/// A node that is a statement of its own, up to its `;`.
pub(super) fn dropped(planned: &Planned<'_>, n: &Node) -> TokenStream {
    let (private, expr) = (names::private(), &n.syntax.expr);
    let inner = quote!(#expr #private::Ok(()));
    let closed = scope(planned, n, &returns(n, &planned.function.ret, false), &inner);
    quote!(#closed?)
}

/// A node as an expression: what it made.
pub(super) fn value(planned: &Planned<'_>, n: &Node, ty: Option<&Type>) -> TokenStream {
    let (private, made, expr) = (names::private(), names::made(), &n.syntax.expr);
    let ty = ty.map(|ty| quote!(: #ty));
    let checked = checked(n, "of");
    let inner = quote! {
        let #made #ty = #expr;
        #checked
        #private::Ok(#made)
    };
    let closed = scope(planned, n, &returns(n, &planned.function.ret, false), &inner);
    quote!(#closed?)
}

/// A node that is the chunk's value.
pub(super) fn tail(planned: &Planned<'_>, n: &Node) -> TokenStream {
    let made = names::made();
    let (ret, expr) = (&planned.function.ret, &n.syntax.expr);
    let checked = checked(n, "of_ok");
    let inner = quote! {
        let #made: #ret = #expr;
        #checked
        #made
    };
    let step = step(n);
    let closed = scope(planned, n, &returns(n, ret, true), &inner);
    quote!({ #step #closed })
}

/// A stepped run pauses here.
pub(super) fn step(n: &Node) -> TokenStream {
    let (run, number) = (names::run(), names::node_number(n.ix, &n.label));
    quote!(#run.step(#number).await;)
}

/// What the node's inner scope returns. Its tokens stand at the user's expression, as all of that scope's head:
/// what rustc says of a closure as a whole then lands there.
fn returns(n: &Node, ret: &Type, tail: bool) -> TokenStream {
    let span = n.syntax.span;
    let mut private = names::private();
    private.set_span(span);
    let value = if tail {
        quote_spanned!(span=> <#ret as #private::Outcome>::Value)
    } else {
        quote_spanned!(span=> _)
    };
    quote_spanned!(span=> #private::Result<#value, <#ret as #private::Outcome>::Error>)
}

/// Opens the node, lends what it uses, runs it, closes it.
fn scope(planned: &Planned<'_>, n: &Node, returns: &TokenStream, inner: &TokenStream) -> TokenStream {
    let (run, node, out, cx) = (names::run(), names::node(), names::out(), &planned.chunk.cx);
    let number = names::node_number(n.ix, &n.label);
    let lends = &n.syntax.lends;
    let closure = quote_spanned!(n.syntax.span=> (|| -> #returns { #inner })());
    quote! {{
        let #node = #run.enter(#number)?;
        #[allow(unused_variables)]
        let #cx = &#node;
        #lends
        let #out = #closure;
        #run.exit(#node, #out)
    }}
}

/// What a node makes owns its storage, and rustc says so at the user's expression.
fn checked(n: &Node, of: &str) -> TokenStream {
    let span = n.syntax.span;
    let (mut private, mut made, of) = (names::private(), names::made(), syn::Ident::new(of, span));
    private.set_span(span);
    made.set_span(made.span().located_at(span));
    quote_spanned!(span=> #private::Made::#of(&#made).leaves_node();)
}

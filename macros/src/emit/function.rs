//! The function under the user's name: runs the body from the first node to the last.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use super::{Planned, names, turbofish};

/// The function, with the plan in its documentation.
pub(super) fn function(planned: &Planned<'_>) -> TokenStream {
    let Planned { function, plan, krate, .. } = planned;
    let attrs = function.attrs.iter().filter(|a| !a.path().is_ident("expect"));
    let doc = documentation(&plan.text());
    let head = head(planned);
    let body = call(planned, &quote!(#krate::__private::Mode::straight()));
    quote! {
        #(#attrs)*
        #doc
        #head {
            #krate::__private::straight(#body)
        }
    }
}

fn documentation(table: &str) -> TokenStream {
    let lines = std::iter::once("")
        .chain(std::iter::once("```text"))
        .chain(table.lines())
        .chain(std::iter::once("```"));
    lines.map(|line| format!(" {line}")).map(|line| quote!(#[doc = #line])).collect()
}

/// `pub fn name<..>(..) -> Ret where ..`, with plain names for parameters.
fn head(planned: &Planned<'_>) -> TokenStream {
    let function = planned.function;
    let (vis, name, output) = (&function.vis, &function.sig.ident, &function.sig.output);
    let (generics, bounds) = (&function.sig.generics, &function.sig.generics.where_clause);
    let parameters = function.parameters();
    quote!(#vis fn #name #generics (#parameters) #output #bounds)
}

/// The call of the body with the function's own arguments.
pub(super) fn call(planned: &Planned<'_>, mode: &impl ToTokens) -> TokenStream {
    let function = planned.function;
    let names::Beside { holder, body, .. } = names::beside(function);
    let place = if function.owner.is_some() { quote!(Self) } else { quote!(#holder) };
    let turbofish = turbofish(function);
    let mut arguments: Vec<_> = function.params.iter().map(|p| p.ident.to_token_stream()).collect();
    arguments.insert(usize::from(function.sig.receiver().is_some()), mode.to_token_stream());
    quote!(#place::#body #turbofish (#(#arguments),*))
}

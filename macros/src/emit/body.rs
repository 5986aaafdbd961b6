//! The body: begins a run, goes through the steps, ends leases where the plan does.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Pat, Stmt, Type};

use super::{Planned, lint_attrs, names, node, segments, shared_attrs};
use crate::body::{Chunk, NameIx, Origin, PlaceIx, Step};
use crate::resolve::pattern;
use crate::signature::Param;

/// The body, as an `async` function that pauses before nodes and nowhere else.
pub(super) fn body(planned: &Planned<'_>) -> TokenStream {
    let Planned { function, krate, reuse_lag, .. } = planned;
    let names::Beside { body, holder, .. } = names::beside(function);
    let (run, mode, private, cx) = (names::run(), names::mode(), names::private(), &function.cx);
    let (generics, bounds) = (&function.sig.generics, &function.sig.generics.where_clause);
    let (output, lints) = (&function.sig.output, lint_attrs(function));
    let cfgs = shared_attrs(function).filter(|_| function.owner.is_some());
    let parameters = parameters(planned);
    let mut steps = Steps {
        planned,
        parts: parts(planned.chunk),
        leases: BTreeSet::new(),
        segments: Vec::new(),
        tokens: TokenStream::new(),
    };
    steps.all();
    let Steps { leases, segments, tokens, .. } = steps;
    let steps = nested(segments, tokens, &private, &function.ret);
    let numbers = numbers(planned, &leases);
    let (node_count, lease_count) = (planned.plan.nodes.len(), planned.plan.leases.len());
    let rebind = function.params.iter().map(rebind);
    let begin = quote_spanned!(function.ret.span()=> #private::Run::begin(#cx, &__CHUNK, #mode)?);
    quote! {
        #(#cfgs)*
        #(#lints)*
        #[doc(hidden)]
        #[allow(
            clippy::await_holding_lock, clippy::await_holding_refcell_ref, clippy::borrow_deref_ref,
            clippy::deref_addrof, clippy::explicit_auto_deref, clippy::large_futures, clippy::let_and_return,
            clippy::needless_borrow, clippy::needless_pass_by_value, clippy::redundant_closure_call,
            clippy::redundant_locals, clippy::too_many_arguments, clippy::type_complexity, clippy::unused_async
        )]
        async fn #body #generics (#parameters) #output #bounds {
            use #krate::__private::{self as #private, Accept as _, Copied as _, NotCopied as _, Refuse as _};
            const _: () = #krate::plan::verify::<#node_count, #lease_count>(#holder::PLAN);
            static __CHUNK: #private::Chunk = #private::Chunk::new(#holder::PLAN, #reuse_lag);
            #numbers
            let #run = #begin;
            #(#rebind)*
            #steps
        }
    }
}

/// The parameters, `mode` among them; `self` keeps its `mut`.
fn parameters(planned: &Planned<'_>) -> TokenStream {
    let function = planned.function;
    let (mode, krate) = (names::mode(), planned.krate);
    let mut list: Vec<TokenStream> = function
        .params
        .iter()
        .zip(&function.sig.inputs)
        .map(|(param, arg)| match arg {
            FnArg::Receiver(receiver) => receiver.to_token_stream(),
            FnArg::Typed(typed) => {
                let (ident, ty) = (&param.ident, &typed.ty);
                quote!(#ident: #ty)
            }
        })
        .collect();
    list.insert(usize::from(function.sig.receiver().is_some()), quote!(#mode: #krate::__private::Mode));
    quote!(#(#list),*)
}

/// By-value parameters are bound anew, so that they are dropped before the run.
fn rebind(param: &Param) -> TokenStream {
    let ident = &param.ident;
    let Some(pat) = &param.pat else { return TokenStream::new() };
    let pat = pattern::untyped(pat).0;
    let simple = matches!(pat, Pat::Ident(p) if p.mutability.is_none());
    if param.is_cx || simple && param.origin != Origin::Owned {
        return TokenStream::new();
    }
    quote!(let #pat = #ident;)
}

/// The numbers by which steps name nodes and leases of the plan.
fn numbers(planned: &Planned<'_>, leases: &BTreeSet<usize>) -> TokenStream {
    let nodes = planned.chunk.nodes().map(|node| {
        let (name, ix) = (names::node_number(node.ix, &node.label), node.ix);
        quote!(const #name: usize = #ix;)
    });
    let leases = leases.iter().map(|&ix| {
        let name = names::lease_number(ix, &planned.plan.leases[ix].name);
        quote!(const #name: usize = #ix;)
    });
    quote!(#(#nodes)* #(#leases)*)
}

/// A long body as blocks, each the tail of the one before; why is said in [`segments`].
///
/// A block's type is stated at its start: else each `?` stays an open question to the block's end, and asking them
/// again and again is quadratic.
fn nested(segments: Vec<TokenStream>, last: TokenStream, private: &Ident, ret: &Type) -> TokenStream {
    let mut blocks = segments.into_iter().chain(std::iter::once(last)).rev();
    let last = blocks.next().unwrap_or_default();
    blocks.fold(last, |inner, outer| {
        let here = Span::mixed_site().located_at(ret.span());
        let returns = quote_spanned!(here=> if false { return #private::unreached::<#ret>(); });
        quote!(#outer async { #returns #inner }.await)
    })
}

struct Steps<'a> {
    planned: &'a Planned<'a>,
    /// By name, the places within it.
    parts: Vec<Vec<PlaceIx>>,
    /// Leases that the steps name.
    leases: BTreeSet<usize>,
    /// Finished segments.
    segments: Vec<TokenStream>,
    tokens: TokenStream,
}

/// By name, the places within it.
fn parts(chunk: &Chunk) -> Vec<Vec<PlaceIx>> {
    let mut parts = vec![Vec::new(); chunk.names.len()];
    for (ix, place) in chunk.places.iter().enumerate().filter(|(_, p)| !p.path.is_empty()) {
        parts[place.name].push(ix);
    }
    parts
}

impl Steps<'_> {
    fn all(&mut self) {
        let Planned { chunk, release, .. } = self.planned;
        for (name, binding) in chunk.names.iter().enumerate() {
            if binding.origin == Origin::Owned {
                self.made(name);
            }
        }
        self.releases(&release.at_start);
        let borders = segments::borders(self.planned.function, chunk);
        let hoisted = |step: &Step| !borders.is_empty() && is_item(step);
        for step in chunk.steps.iter().filter(|s| hoisted(s)) {
            if let Step::Host(host) = step {
                host.stmt.to_tokens(&mut self.tokens);
            }
        }
        for (ix, step) in chunk.steps.iter().enumerate() {
            let after = &release.after[ix];
            if borders.contains(&ix) {
                self.segments.push(std::mem::take(&mut self.tokens));
            }
            match step {
                Step::Node(n) if n.syntax.tail => {
                    let (out, value) = (names::out(), node::tail(self.planned, n));
                    if after.is_empty() {
                        self.tokens.extend(value);
                        continue;
                    }
                    self.tokens.extend(quote!(let #out = #value;));
                    self.releases(after);
                    self.tokens.extend(quote!(#out));
                    continue;
                }
                Step::Node(n) => {
                    self.tokens.extend(node::step(n));
                    self.bound(node::node(self.planned, n), after, &n.makes);
                }
                Step::Host(_) if hoisted(step) => self.releases(after),
                Step::Host(host) => {
                    let uninitialised = matches!(&host.stmt, Stmt::Local(local) if local.init.is_none());
                    let makes = if uninitialised { &[][..] } else { &host.makes };
                    self.bound(host.stmt.clone(), after, makes);
                }
            }
        }
    }

    /// A statement, what it makes, and what ends after it. A name that ends where its own name is bound anew has
    /// to go in between, while the name still means it.
    fn bound(&mut self, stmt: Stmt, after: &[NameIx], makes: &[NameIx]) {
        let names = &self.planned.chunk.names;
        let (own, older): (Vec<NameIx>, Vec<NameIx>) = after.iter().partition(|&name| makes.contains(name));
        match stmt {
            Stmt::Local(mut local) if shadows(&local.pat, older.iter().map(|&n| &names[n].ident)) => {
                let out = names::out();
                let Some(init) = &mut local.init else { return };
                let value = std::mem::replace(&mut *init.expr, syn::parse_quote!(#out));
                let ty = pattern::untyped(&local.pat).1.map(|ty| quote!(: #ty));
                self.tokens.extend(quote!(let #out #ty = #value;));
                self.releases(&older);
                local.to_tokens(&mut self.tokens);
                makes.iter().for_each(|&name| self.made(name));
                self.releases(&own);
            }
            stmt => {
                stmt.to_tokens(&mut self.tokens);
                makes.iter().for_each(|&name| self.made(name));
                self.releases(after);
            }
        }
    }

    /// Tells the run whether a name holds storage at all, and which parts of it do.
    fn made(&mut self, name: NameIx) {
        let Some((number, ident)) = self.lease(name) else { return };
        self.notes(name, number, &quote!(#ident));
        for place in self.parts[name].clone() {
            let Some(ix) = self.planned.plan.lease_of_place[place] else { continue };
            self.leases.insert(ix);
            let number = names::lease_number(ix, &self.planned.plan.leases[ix].name);
            let path = &self.planned.chunk.places[place].path;
            let fields = path.iter().filter_map(|field| syn::parse_str::<syn::Member>(field).ok());
            self.notes(name, number, &quote!(#ident #(.#fields)*));
        }
    }

    /// What a node makes borrows nothing. Anything else may be a `&mut`, which has no drop glue and yet stands for
    /// storage, so there only what can be copied is plain.
    fn notes(&mut self, name: NameIx, number: Ident, value: &TokenStream) {
        let (run, private) = (names::run(), names::private());
        self.tokens.extend(match self.planned.chunk.names[name].origin {
            Origin::Node(_) => quote!(#run.made(#number, &#value);),
            _ => quote!(#run.found(#number, #private::Made::of(&#value).can_copy());),
        });
    }

    fn releases(&mut self, names: &[NameIx]) {
        for &name in names {
            let run = names::run();
            if let Some((number, ident)) = self.lease(name) {
                self.tokens.extend(quote!(#run.release(#number, #ident);));
            }
        }
    }

    fn lease(&mut self, name: NameIx) -> Option<(Ident, Ident)> {
        let ix = self.planned.plan.lease_of_name[name]?;
        self.leases.insert(ix);
        let ident = self.planned.chunk.names[name].ident.clone();
        Some((names::lease_number(ix, &self.planned.plan.leases[ix].name), ident))
    }
}

fn is_item(step: &Step) -> bool {
    matches!(step, Step::Host(host) if matches!(host.stmt, Stmt::Item(_)))
}

/// Whether a pattern binds one of these names anew.
fn shadows<'i>(pat: &Pat, mut ending: impl Iterator<Item = &'i Ident>) -> bool {
    let bound = pattern::idents(pat);
    ending.any(|ident| bound.contains(ident))
}

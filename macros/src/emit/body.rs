//! The body: begins a run, goes through the steps, ends leases where the plan does.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Pat, Stmt, Type};

use super::{Planned, lint_attrs, names, node, segments, shared_attrs};
use crate::body::{
    Block, Branch, BranchKind, BranchValue, Chunk, Host, Loop, LoopKind, NameIx, Node, Origin, PlaceIx, Step,
    Target,
};
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
    let judge = if planned.plan.with_plan(|plan| plan.is_straight()) {
        quote!(#krate::plan::verify::<#node_count, #lease_count>)
    } else {
        let words = node_count.div_ceil(128).max(1);
        quote!(#krate::plan::verify_paths::<#node_count, #lease_count, #words>)
    };
    let rebind = function.params.iter().map(rebind);
    let begin = quote_spanned!(function.ret.span()=> #private::Run::begin(#cx, &__CHUNK, #mode)?);
    quote! {
        #(#cfgs)*
        #(#lints)*
        #[doc(hidden)]
        #[allow(
            unused_braces, clippy::await_holding_lock, clippy::await_holding_refcell_ref, clippy::borrow_deref_ref,
            clippy::deref_addrof, clippy::explicit_auto_deref, clippy::large_futures, clippy::let_and_return,
            clippy::needless_borrow, clippy::needless_pass_by_value, clippy::redundant_closure_call,
            clippy::redundant_locals, clippy::too_many_arguments, clippy::type_complexity, clippy::unused_async
        )]
        async fn #body #generics (#parameters) #output #bounds {
            use #krate::__private::{self as #private, Accept as _, Copied as _, NotCopied as _, Refuse as _};
            const _: () = #judge(#holder::PLAN);
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
        self.releases(&release.at_start[chunk.body.ix]);
        let borders = segments::borders(self.planned.function, chunk);
        let hoisted = |step: &Step| !borders.is_empty() && is_item(step);
        for step in chunk.body.steps.iter().filter(|s| hoisted(s)) {
            if let Step::Host(host) = step {
                host.stmt.to_tokens(&mut self.tokens);
            }
        }
        for step in &chunk.body.steps {
            if borders.contains(&step.ix()) {
                self.segments.push(std::mem::take(&mut self.tokens));
            }
            if hoisted(step) {
                self.releases(&release.after[step.ix()]);
            } else {
                self.step(step);
            }
        }
    }

    /// A block's inside, as tokens of its own.
    fn block(&mut self, block: &Block) -> TokenStream {
        let outer = std::mem::take(&mut self.tokens);
        self.releases(&self.planned.release.at_start[block.ix]);
        block.makes.iter().for_each(|&name| self.made(name));
        block.steps.iter().for_each(|step| self.step(step));
        std::mem::replace(&mut self.tokens, outer)
    }

    fn step(&mut self, step: &Step) {
        let after = &self.planned.release.after[step.ix()];
        match step {
            Step::Node(n) => self.node(n, after),
            Step::Host(host) => self.host(host, after),
            Step::Branch(branch) => self.branch(branch, after),
            Step::Loop(l) => {
                let written = self.repeat(l);
                self.tokens.extend(written);
                self.releases(after);
            }
        }
    }

    fn node(&mut self, n: &Node, after: &[NameIx]) {
        match &n.syntax.target {
            Target::Tail => {
                let value = node::tail(self.planned, n);
                self.passed(&value, after);
            }
            Target::Value => {
                self.tokens.extend(node::step(n));
                let value = node::value(self.planned, n, None);
                self.passed(&value, after);
            }
            Target::Bound(_) | Target::Assigned(_) | Target::Dropped => {
                self.tokens.extend(node::step(n));
                let whole = |&p: &PlaceIx| self.planned.chunk.places[p].path.is_empty();
                let renewed = n.renews.iter().copied().filter(whole);
                let made: Vec<_> = n
                    .makes
                    .iter()
                    .copied()
                    .chain(renewed.map(|p| self.planned.chunk.places[p].name))
                    .collect();
                self.written(n, after, &made);
            }
        }
    }

    /// A node's statement, as [`bound`](Self::bound), which is not parsed again for it.
    fn written(&mut self, n: &Node, after: &[NameIx], makes: &[NameIx]) {
        let (attrs, names) = (&n.syntax.attrs, &self.planned.chunk.names);
        let statement = match &n.syntax.target {
            Target::Bound(pat) => {
                let ty = pattern::untyped(pat).1;
                let value = node::value(self.planned, n, ty);
                let (own, older): (Vec<NameIx>, Vec<NameIx>) =
                    after.iter().partition(|&name| makes.contains(name));
                if shadows(pat, older.iter().map(|&n| &names[n].ident)) {
                    let (out, ty) = (names::out(), ty.map(|ty| quote!(: #ty)));
                    self.tokens.extend(quote!(let #out #ty = #value;));
                    self.releases(&older);
                    self.tokens.extend(quote!(#(#attrs)* let #pat = #out;));
                    makes.iter().for_each(|&name| self.made(name));
                    return self.releases(&own);
                }
                quote!(#(#attrs)* let #pat = #value;)
            }
            Target::Assigned(left) => {
                let value = node::value(self.planned, n, None);
                quote!(#(#attrs)* #left = #value;)
            }
            Target::Dropped | Target::Value | Target::Tail => {
                let value = node::dropped(self.planned, n);
                quote!(#(#attrs)* #value;)
            }
        };
        self.tokens.extend(statement);
        makes.iter().for_each(|&name| self.made(name));
        self.releases(after);
    }

    fn host(&mut self, host: &Host, after: &[NameIx]) {
        match &host.stmt {
            Stmt::Expr(value, None) if host.value => self.passed(&value.to_token_stream(), after),
            Stmt::Expr(value, None) if !after.is_empty() => {
                self.tokens.extend(quote!(#value;));
                self.releases(after);
            }
            stmt => {
                let untold = matches!(stmt, Stmt::Local(local) if is_untold(local));
                let makes = if untold { &[][..] } else { &host.makes };
                self.bound(stmt.clone(), after, makes);
            }
        }
    }

    /// The value of the block around; what ends with it goes in between.
    fn passed(&mut self, value: &TokenStream, after: &[NameIx]) {
        if after.is_empty() {
            self.tokens.extend(value.clone());
            return;
        }
        let out = names::out();
        self.tokens.extend(quote!(let #out = #value;));
        self.releases(after);
        self.tokens.extend(quote!(#out));
    }

    fn branch(&mut self, branch: &Branch, after: &[NameIx]) {
        let attrs = &branch.syntax.attrs;
        if let BranchKind::LetElse(pat, value) = &branch.syntax.kind {
            let [matched, otherwise] = &branch.arms[..] else { return };
            let otherwise = self.block(otherwise);
            self.tokens.extend(quote!(#(#attrs)* let #pat = #value else { #otherwise };));
            self.releases(&self.planned.release.at_start[matched.ix]);
            branch.binds.iter().for_each(|&name| self.made(name));
            matched.steps.iter().for_each(|s| self.releases(&self.planned.release.after[s.ix()]));
            self.releases(after);
            return;
        }
        let written = self.construct(branch);
        match &branch.syntax.value {
            BranchValue::Dropped(semi) => {
                self.tokens.extend(quote!(#(#attrs)* #written #semi));
                self.releases(after);
            }
            BranchValue::Passed => self.passed(&quote!(#(#attrs)* #written), after),
            BranchValue::Bound(pat) => {
                let names = &self.planned.chunk.names;
                let (own, older): (Vec<NameIx>, Vec<NameIx>) =
                    after.iter().partition(|&name| branch.binds.contains(name));
                if shadows(pat, older.iter().map(|&n| &names[n].ident)) {
                    let (out, ty) = (names::out(), pattern::untyped(pat).1.map(|ty| quote!(: #ty)));
                    self.tokens.extend(quote!(let #out #ty = #written;));
                    self.releases(&older);
                    self.tokens.extend(quote!(#(#attrs)* let #pat = #out;));
                } else {
                    self.tokens.extend(quote!(#(#attrs)* let #pat = #written;));
                    self.releases(&older);
                }
                branch.binds.iter().for_each(|&name| self.made(name));
                self.releases(&own);
            }
        }
    }

    /// The construct without its attributes and without what becomes of its value.
    fn construct(&mut self, branch: &Branch) -> TokenStream {
        match &branch.syntax.kind {
            BranchKind::If(cond, has_else) => {
                let [then, otherwise] = &branch.arms[..] else { return TokenStream::new() };
                let then = self.block(then);
                let chained = self.else_if(otherwise);
                let otherwise = match chained {
                    Some(chained) => quote!(else #chained),
                    None => {
                        let inside = self.block(otherwise);
                        if *has_else || !inside.is_empty() { quote!(else { #inside }) } else { inside }
                    }
                };
                quote!(if #cond { #then } #otherwise)
            }
            BranchKind::Match(scrutinee, patterns) => {
                let arms: TokenStream = branch
                    .arms
                    .iter()
                    .zip(patterns)
                    .map(|(arm, (pat, guard))| {
                        let (inside, guard) = (self.block(arm), guard.as_ref().map(|g| quote!(if #g)));
                        quote!(#pat #guard => { #inside })
                    })
                    .collect();
                quote!(match #scrutinee { #arms })
            }
            BranchKind::Block(is_unsafe) => {
                let inside: TokenStream = branch.arms.iter().map(|arm| self.block(arm)).collect();
                if *is_unsafe { quote!(unsafe { #inside }) } else { quote!({ #inside }) }
            }
            BranchKind::LetElse(..) => TokenStream::new(), // a statement, written as such
        }
    }

    /// `else if`: an arm that is one `if` and ends nothing besides.
    fn else_if(&mut self, arm: &Block) -> Option<TokenStream> {
        let [Step::Branch(inner)] = &arm.steps[..] else { return None };
        let release = &self.planned.release;
        let bare = release.at_start[arm.ix].is_empty() && release.after[inner.step].is_empty();
        let bound = matches!(inner.syntax.value, BranchValue::Bound(_) | BranchValue::Dropped(Some(_)));
        (bare && !bound && inner.syntax.attrs.is_empty() && matches!(inner.syntax.kind, BranchKind::If(..)))
            .then(|| self.construct(inner))
    }

    fn repeat(&mut self, l: &Loop) -> TokenStream {
        let inside = self.block(&l.body);
        let (attrs, label) = (&l.syntax.attrs, &l.syntax.label);
        match &l.syntax.kind {
            LoopKind::Loop => quote!(#(#attrs)* #label loop { #inside }),
            LoopKind::While(cond) => quote!(#(#attrs)* #label while #cond { #inside }),
            LoopKind::For(pat, over) => quote!(#(#attrs)* #label for #pat in #over { #inside }),
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

/// Whether a `let` says neither what its value is nor of which type: whoever asks would settle the type.
fn is_untold(local: &syn::Local) -> bool {
    let Some(init) = &local.init else { return true };
    let last = match &*init.expr {
        Expr::Path(path) => path.path.segments.last(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => path.path.segments.last(),
            _ => None,
        },
        _ => None,
    };
    let untold = last.is_some_and(|s| s.ident == "None" || s.ident == "default");
    untold && pattern::untyped(&local.pat).1.is_none()
}

fn is_item(step: &Step) -> bool {
    matches!(step, Step::Host(host) if matches!(host.stmt, Stmt::Item(_)))
}

/// Whether a pattern binds one of these names anew.
fn shadows<'i>(pat: &Pat, mut ending: impl Iterator<Item = &'i Ident>) -> bool {
    let bound = pattern::idents(pat);
    ending.any(|ident| bound.contains(ident))
}

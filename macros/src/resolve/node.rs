//! A statement under `#[on(..)]`.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMacro, Pat, Stmt};

use super::place::chain;
use super::walk::{Entry, Occurrence, Veil, Walk, Want};
use super::{Body, Tail, pattern, pattern_names};
use crate::body::{Mode, NameIx, Node, NodeSyntax, Origin, PlaceIx, Step, Target, Use};
use crate::check::conflict::{self, Resolved};
use crate::check::opaque;
use crate::emit::names;
use crate::parse::{On, Stated};

/// The parts of a node's statement.
struct Parts {
    attrs: Vec<syn::Attribute>,
    target: Target,
    expr: Expr,
}

/// What a node asks of one binding.
struct Asked {
    entry: usize,
    ident: Ident,
    /// How the binding holds its value.
    origin: Origin,
    uses: Vec<(Vec<String>, Mode)>,
    /// Whether it is written besides, or its type decides whether it is taken.
    changed: bool,
    span: Span,
}

impl Body<'_> {
    pub(super) fn node(&mut self, on: On, stmt: Stmt, tail: Tail) {
        let Some(mut parts) = self.parts(stmt, tail) else { return };
        let span = parts.expr.span();
        // For the reader; rustc would call them unused.
        parts.attrs.retain(|a| !a.path().is_ident("doc"));
        let Some(stream) = self.stream(&on.stream) else { return };
        let occurrences = self.occurrences(&mut parts.expr, &on);
        self.no_first_value(&occurrences, &on);
        let uses = self.uses(&occurrences);
        let renews = self.renews(&parts.target);
        let asked = self.asked(&occurrences);
        let entries: HashMap<usize, Entry> = asked.iter().map(|a| (a.entry, self.entry(a))).collect();
        let lends = asked.iter().map(|a| self.lend(a)).collect();
        self.rewrite(&mut parts.expr, &entries);
        let pattern = match &parts.target {
            Target::Bound(pat) => Some(pat),
            _ => None,
        };
        let label = label(&parts.expr, pattern);
        let (step, ix) = (self.step(), self.counts.nodes);
        let (target, mut makes) = self.outputs(parts.target);
        self.counts.nodes += 1;
        match target {
            Target::Tail => {
                let result = names::result(parts.expr.span());
                makes.push(self.tables.name(result, Origin::Node(ix), self.block()));
            }
            Target::Value => {
                if let Some(given) = self.given.last_mut() {
                    given.steps.push(step);
                    given.storage = true;
                    given.of.push(None);
                }
            }
            _ => {}
        }
        let syntax = NodeSyntax { attrs: parts.attrs, target, expr: parts.expr, lends, span };
        self.push(Step::Node(Node { step, ix, stream, label, uses, makes, renews, syntax }));
    }

    fn parts(&mut self, stmt: Stmt, tail: Tail) -> Option<Parts> {
        let none = Vec::new();
        let value = |semi: bool| match tail {
            _ if semi => Target::Dropped,
            Tail::Chunk | Tail::Passed => Target::Tail,
            Tail::Bound => Target::Value,
            Tail::Dropped => Target::Dropped,
        };
        match stmt {
            Stmt::Local(local) => {
                let Some(init) = local.init else {
                    self.report.at(&local.pat, "a node needs a value");
                    return None;
                };
                if let Some((token, _)) = init.diverge {
                    let help = "let the node return the value, and take it apart on the host";
                    self.report.help(token, "`let .. else` on a node is not planned", help);
                    return None;
                }
                Some(Parts { attrs: local.attrs, target: Target::Bound(local.pat), expr: *init.expr })
            }
            Stmt::Expr(Expr::Assign(assign), _) => {
                Some(Parts { attrs: none, target: Target::Assigned(*assign.left), expr: *assign.right })
            }
            Stmt::Expr(expr, semi) => {
                let target = value(semi.is_some());
                let dropped = semi.is_some() || matches!(target, Target::Dropped);
                Some(Parts { attrs: none, target, expr: closed(expr, dropped) })
            }
            Stmt::Macro(m) => {
                let target = value(m.semi_token.is_some());
                let expr = Expr::Macro(ExprMacro { attrs: Vec::new(), mac: m.mac });
                let dropped = matches!(target, Target::Dropped);
                Some(Parts { attrs: m.attrs, target, expr: closed(expr, dropped) })
            }
            Stmt::Item(item) => {
                self.report.at(item, "an item cannot be a node");
                None
            }
        }
    }

    /// The places that a node's value is assigned to.
    fn renews(&mut self, target: &Target) -> Vec<PlaceIx> {
        let Target::Assigned(left) = target else { return Vec::new() };
        let lefts: Vec<&Expr> = match left {
            Expr::Tuple(t) => t.elems.iter().collect(),
            other => vec![other],
        };
        let mut places = Vec::new();
        for left in lefts {
            let place = match left {
                Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => &u.expr,
                other => other,
            };
            let found = chain(place).and_then(|(root, path)| Some((self.scope.find(&root)?, path)));
            let Some((entry, path)) = found else {
                let help =
                    "assign to a name or a field; bind an element's new value and put it there on the host";
                self.report.help(left, "a node's value cannot be assigned to this", help);
                continue;
            };
            let several = |name: &mut crate::body::Name| {
                if matches!(name.origin, Origin::Node(_) | Origin::Host(_) | Origin::Call(_)) {
                    name.origin = Origin::Several;
                }
            };
            if let Some(derived) = self.derived(entry) {
                let of = derived.of.clone();
                match of[..] {
                    [p] if derived.exact => places.push(self.inner(p, &path)),
                    _ => {
                        let help = "assign to the place itself";
                        self.report.help(left, "this name may stand for more than one place", help);
                    }
                }
            } else if let Some(name) = self.follow(entry) {
                self.set(std::iter::once(entry));
                several(&mut self.tables.names[name]);
                places.push(self.tables.place(name, path));
            }
        }
        places
    }

    /// Refuses a name declared without a value that gets its first one somewhere inside the node.
    fn no_first_value(&mut self, occurrences: &[Occurrence], on: &On) {
        let first = |o: &&Occurrence| o.want == Want::Write && self.unset.contains(&o.entry);
        let Some(first) = occurrences.iter().find(first) else { return };
        let name = self.root(first.entry);
        self.report.help(
            &first.tokens,
            format_args!("`{name}` gets its first value inside a node, where the plan does not see it begin"),
            format_args!("let the node end with the value: `#[on({})] {name} = ..`", on.stream),
        );
        self.set(std::iter::once(first.entry));
    }

    fn stream(&mut self, stream: &Ident) -> Option<usize> {
        let found = self.args.streams.iter().position(|s| s == stream);
        if found.is_none() {
            let list: Vec<String> = self.args.streams.iter().map(|s| format!("`{s}`")).collect();
            self.report.help(
                stream,
                format_args!("unknown stream `{stream}`"),
                format_args!(
                    "the chunk has {}; add the name to `streams(..)` for a further one",
                    list.join(", ")
                ),
            );
        }
        found
    }

    /// Every use that the node makes of bindings from outside, in the order of the text.
    fn occurrences(&mut self, expr: &mut Expr, on: &On) -> Vec<Occurrence> {
        let mut walk = Walk::new(&self.scope, &self.cx, true, self.report);
        walk.expr(expr, Want::Value, true);
        let mut found = walk.found;
        let stated = self.stated(on.uses.as_deref().unwrap_or_default());
        // In a macro's raw tokens `s.a` is seen as `s`.
        let within = |o: &Occurrence, s: &Occurrence| {
            let raw = matches!(o.veil, Some(Veil::Macro(_)));
            o.path.starts_with(&s.path) || raw && s.path.starts_with(&o.path)
        };
        let covering =
            |o: &Occurrence| stated.iter().filter(|s| s.entry == o.entry && within(o, s)).collect::<Vec<_>>();
        let covers = |o: &Occurrence| o.veil.is_some() && !covering(o).is_empty();
        // A field stays the user's own place in the node, so nothing but this keeps it from being written.
        for o in found.iter().filter(|o| covers(o) && o.want == Want::Write && !o.path.is_empty()) {
            if covering(o).iter().all(|s| s.want == Want::Read) {
                opaque::written(o, &self.root(o.entry), self.report);
            }
        }
        let hidden: Vec<(&Occurrence, String)> = found
            .iter()
            .filter(|o| o.veil.is_some() && !covers(o) && self.holds(o.entry))
            .map(|o| (o, self.root(o.entry)))
            .collect();
        opaque::node(hidden.into_iter(), &on.stream.to_string(), self.report);
        found.retain(|o| !covers(o));
        found.extend(stated);
        found
    }

    /// Whether an entry may hold a tensor.
    fn holds(&self, entry: usize) -> bool {
        !matches!(self.scope.entry(entry).1, super::scope::Binding::Plain)
    }

    fn stated(&mut self, stated: &[Stated]) -> Vec<Occurrence> {
        let mut found = Vec::new();
        for Stated { mode, place } in stated {
            let want = match mode {
                Mode::Read => Want::Read,
                Mode::Write => Want::Write,
                Mode::Consume => Want::Value,
            };
            let Some((entry, path)) =
                chain(place).and_then(|(root, path)| Some((self.scope.find(&root)?, path)))
            else {
                let help = "name parameters and bindings of the chunk, or their fields";
                self.report.help(place, "`uses(..)` names something that the chunk does not know", help);
                continue;
            };
            found.push(Occurrence {
                entry,
                path,
                want,
                explicit: false,
                tokens: place.to_token_stream(),
                stmt: 0,
                control: None,
                veil: None,
                lent_with_cx: false,
                into: None,
                from: Vec::new(),
                typed: None,
            });
        }
        found
    }

    /// The node's uses of the tree: each place once, with its strongest mode.
    fn uses(&mut self, occurrences: &[Occurrence]) -> Vec<Use> {
        let mut resolved = Vec::new();
        for occurrence in occurrences {
            for place in self.places(occurrence, true) {
                let Some(origin) = self.origin(occurrence.entry) else { continue };
                resolved.push((
                    place,
                    Resolved {
                        occurrence,
                        place: self.tables.places[place].clone(),
                        mode: Self::mode(origin, occurrence),
                        root: self.root(occurrence.entry),
                    },
                ));
            }
        }
        let (places, resolved): (Vec<_>, Vec<_>) = resolved.into_iter().unzip();
        conflict::check(&resolved, self.report);
        let mut uses: Vec<Use> = Vec::new();
        for (place, use_) in places.into_iter().zip(resolved) {
            match uses.iter_mut().find(|u| u.place == place) {
                Some(known) => known.mode = known.mode.max(use_.mode),
                None => uses.push(Use { place, mode: use_.mode }),
            }
        }
        uses
    }

    /// The same by binding, for emission.
    fn asked(&self, occurrences: &[Occurrence]) -> Vec<Asked> {
        let mut asked: Vec<Asked> = Vec::new();
        for occurrence in occurrences {
            let Some(origin) = self.origin(occurrence.entry) else { continue };
            let mode = Self::mode(origin, occurrence);
            let known = match asked.iter().position(|a| a.entry == occurrence.entry) {
                Some(known) => &mut asked[known],
                None => {
                    asked.push(Asked {
                        entry: occurrence.entry,
                        ident: self.scope.entry(occurrence.entry).0.clone(),
                        origin,
                        uses: Vec::new(),
                        changed: false,
                        span: occurrence.span(),
                    });
                    asked.last_mut().expect("just pushed")
                }
            };
            known.changed |= mode == Mode::Write || occurrence.typed.is_some();
            match known.uses.iter_mut().find(|(path, _)| *path == occurrence.path) {
                Some((_, strongest)) if *strongest >= mode => {}
                Some((_, strongest)) => {
                    *strongest = mode;
                    known.span = occurrence.span();
                }
                None => known.uses.push((occurrence.path.clone(), mode)),
            }
        }
        asked
    }

    fn entry(&self, asked: &Asked) -> Entry {
        let whole = matches!(&asked.uses[..], [(path, _)] if path.is_empty());
        match (asked.origin, whole) {
            (Origin::Shared, _) => Entry::Same,
            (Origin::Exclusive | Origin::Item, false) => Entry::Guarded { borrowed: true },
            _ if asked.ident == "self" => Entry::Guarded { borrowed: asked.origin.is_exclusive() },
            (Origin::Exclusive | Origin::Item, true) => Entry::Same,
            (_, true) if asked.uses[0].1 == Mode::Consume => Entry::Same,
            (_, true) => Entry::Lent,
            (_, false) => Entry::Guarded { borrowed: false },
        }
    }

    /// The statement at the node's head by which a binding enters it.
    fn lend(&self, asked: &Asked) -> TokenStream {
        let [(path, mode)] = &asked.uses[..] else { return TokenStream::new() };
        if !path.is_empty() || asked.ident == "self" {
            return TokenStream::new();
        }
        let mut x = asked.ident.clone();
        x.set_span(x.span().located_at(asked.span));
        match (asked.origin, mode) {
            (Origin::Shared, _) => TokenStream::new(),
            (Origin::Exclusive | Origin::Item, Mode::Read) => quote_spanned!(asked.span=> let #x = &*#x;),
            (Origin::Exclusive | Origin::Item, _) => quote_spanned!(asked.span=> let #x = &mut *#x;),
            // A number that is changed stays the user's; a tensor goes with the use that takes it.
            (_, Mode::Consume) if asked.changed => TokenStream::new(),
            (_, Mode::Consume) => quote_spanned!(asked.span=> let #x = #x;),
            (_, Mode::Read) => quote_spanned!(asked.span=> let #x = &#x;),
            (_, Mode::Write) => quote_spanned!(asked.span=> let #x = &mut #x;),
        }
    }

    fn rewrite(&mut self, expr: &mut Expr, entries: &HashMap<usize, Entry>) {
        let mut unheard = crate::report::Report::default(); // the first walk has said it all
        let mut walk = Walk::new(&self.scope, &self.cx, true, &mut unheard);
        walk.entries = Some(entries);
        walk.expr(expr, Want::Value, true);
    }

    /// Binds what the node makes. `let _ = ..` binds a hidden name, so that the plan can release it.
    fn outputs(&mut self, target: Target) -> (Target, Vec<NameIx>) {
        let Target::Bound(mut pat) = target else { return (target, Vec::new()) };
        let ix = self.counts.nodes;
        if let Pat::Wild(wild) = pattern::untyped(&pat).0 {
            let hidden = names::hidden(ix, wild.underscore_token.span);
            let binding: Pat = syn::parse_quote!(#hidden);
            match &mut pat {
                Pat::Type(typed) => *typed.pat = binding,
                other => *other = binding,
            }
        }
        pattern::every_part_named(&pat, self.report);
        let (idents, plain) = pattern_names(&pat);
        let makes =
            idents.into_iter().filter_map(|ident| self.bind(ident, plain, Origin::Node(ix))).collect();
        (Target::Bound(pat), makes)
    }
}

/// An expression statement: its value is dropped in the node.
fn closed(expr: Expr, semi: bool) -> Expr {
    if !semi || matches!(expr, Expr::Block(_)) {
        return expr;
    }
    let span = expr.span();
    syn::parse_quote_spanned!(span=> { #expr; })
}

/// What the plan calls a node: the function that it calls, or else what it binds.
fn label(expr: &Expr, pat: Option<&Pat>) -> String {
    called(expr)
        .or_else(|| pattern::idents(pat?).first().map(names::plain))
        .unwrap_or_else(|| "block".to_owned())
}

fn called(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Try(t) => called(&t.expr),
        Expr::Paren(p) => called(&p.expr),
        Expr::MethodCall(m) => Some(names::plain(&m.method)),
        Expr::Macro(m) => m.mac.path.segments.last().map(|s| names::plain(&s.ident)),
        Expr::Call(c) => match &*c.func {
            Expr::Path(path) => {
                let last = path.path.segments.last()?;
                let wraps = ["Ok", "Some"].iter().any(|w| last.ident == w);
                if wraps { c.args.first().and_then(called) } else { Some(names::plain(&last.ident)) }
            }
            _ => None,
        },
        Expr::Block(b) => match &b.block.stmts[..] {
            [Stmt::Expr(inner, _)] => called(inner),
            _ => None,
        },
        Expr::Unsafe(u) => match &u.block.stmts[..] {
            [Stmt::Expr(inner, _)] => called(inner),
            _ => None,
        },
        _ => None,
    }
}

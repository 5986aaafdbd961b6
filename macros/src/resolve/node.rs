//! A statement under `#[on(..)]`.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMacro, Pat, Stmt};

use super::place::chain;
use super::walk::{Entry, Occurrence, Veil, Walk, Want};
use super::{Body, pattern, pattern_names};
use crate::body::{Mode, NameIx, Node, NodeSyntax, Origin, Step, Use};
use crate::check::conflict::{self, Resolved};
use crate::check::opaque;
use crate::emit::names;
use crate::parse::{On, Stated};

/// The parts of a node's statement.
struct Parts {
    attrs: Vec<syn::Attribute>,
    pattern: Option<Pat>,
    expr: Expr,
    tail: bool,
}

/// What a node asks of one binding.
struct Asked {
    entry: usize,
    name: NameIx,
    uses: Vec<(Vec<String>, Mode)>,
    /// Whether it is written besides, or its type decides whether it is taken.
    changed: bool,
    span: Span,
}

impl Body<'_> {
    pub(super) fn node(&mut self, on: On, stmt: Stmt, last: bool) {
        let Some(mut parts) = self.parts(stmt, last) else { return };
        let span = parts.expr.span();
        // For the reader; rustc would call them unused.
        parts.attrs.retain(|a| !a.path().is_ident("doc"));
        let Some(stream) = self.stream(&on.stream) else { return };
        let occurrences = self.occurrences(&mut parts.expr, &on);
        let uses = self.uses(&occurrences);
        let asked = self.asked(&occurrences);
        let entries: HashMap<usize, Entry> = asked.iter().map(|a| (a.entry, self.entry(a))).collect();
        let lends = asked.iter().map(|a| self.lend(a)).collect();
        self.rewrite(&mut parts.expr, &entries);
        let label = label(&parts.expr, parts.pattern.as_ref());
        let (pattern, mut makes) = self.outputs(parts.pattern);
        if parts.tail {
            let result = names::result(parts.expr.span());
            makes.push(self.tables.name(result, Origin::Node(self.nodes)));
        }
        let syntax =
            NodeSyntax { attrs: parts.attrs, pattern, expr: parts.expr, lends, tail: parts.tail, span };
        self.steps.push(Step::Node(Node { ix: self.nodes, stream, label, uses, makes, syntax }));
        self.nodes += 1;
    }

    fn parts(&mut self, stmt: Stmt, last: bool) -> Option<Parts> {
        let none = Vec::new();
        match stmt {
            Stmt::Local(local) => {
                let Some(init) = local.init else {
                    self.report.at(&local.pat, "a node needs a value");
                    return None;
                };
                if let Some((token, _)) = init.diverge {
                    let help = "let the node return the value, and take it apart on the host";
                    self.report.help(token, "`let .. else` on a node is not planned yet", help);
                    return None;
                }
                let (attrs, pattern) = (local.attrs, Some(local.pat));
                Some(Parts { attrs, pattern, expr: *init.expr, tail: false })
            }
            Stmt::Expr(Expr::Assign(assign), _) => {
                let help = "bind a new name: `let x = ..`; the old value is released after its last use";
                self.report.help(&assign, "an assignment as a node is not planned yet", help);
                None
            }
            Stmt::Expr(expr, semi) => {
                let tail = last && semi.is_none();
                Some(Parts { attrs: none, pattern: None, expr: closed(expr, semi.is_some()), tail })
            }
            Stmt::Macro(m) => {
                let tail = last && m.semi_token.is_none();
                let expr = Expr::Macro(ExprMacro { attrs: Vec::new(), mac: m.mac });
                Some(Parts { attrs: m.attrs, pattern: None, expr: closed(expr, !tail), tail })
            }
            Stmt::Item(item) => {
                self.report.at(item, "an item cannot be a node");
                None
            }
        }
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
            let Some(name) = self.follow(occurrence.entry) else { continue };
            let place = self.place_of(name, occurrence);
            let mode = self.mode(name, occurrence);
            resolved.push((
                place,
                Resolved {
                    occurrence,
                    place: self.tables.places[place].clone(),
                    mode,
                    root: self.root(occurrence.entry),
                },
            ));
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
            let Some(name) = self.followed(occurrence.entry) else { continue };
            let mode = self.mode(name, occurrence);
            let known = match asked.iter().position(|a| a.name == name) {
                Some(known) => &mut asked[known],
                None => {
                    let uses = Vec::new();
                    asked.push(Asked {
                        entry: occurrence.entry,
                        name,
                        uses,
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
        let name = &self.tables.names[asked.name];
        let whole = matches!(&asked.uses[..], [(path, _)] if path.is_empty());
        match (name.origin, whole) {
            (Origin::Shared, _) => Entry::Same,
            (Origin::Exclusive, false) => Entry::Guarded { borrowed: true },
            _ if name.ident == "self" => Entry::Guarded { borrowed: name.origin == Origin::Exclusive },
            (Origin::Exclusive, true) => Entry::Same,
            (_, true) if asked.uses[0].1 == Mode::Consume => Entry::Same,
            (_, true) => Entry::Lent,
            (_, false) => Entry::Guarded { borrowed: false },
        }
    }

    /// The statement at the node's head by which a binding enters it.
    fn lend(&self, asked: &Asked) -> TokenStream {
        let name = &self.tables.names[asked.name];
        let [(path, mode)] = &asked.uses[..] else { return TokenStream::new() };
        if !path.is_empty() || name.ident == "self" {
            return TokenStream::new();
        }
        let mut x = name.ident.clone();
        x.set_span(x.span().located_at(asked.span));
        match (name.origin, mode) {
            (Origin::Shared, _) => TokenStream::new(),
            (Origin::Exclusive, Mode::Read) => quote_spanned!(asked.span=> let #x = &*#x;),
            (Origin::Exclusive, _) => quote_spanned!(asked.span=> let #x = &mut *#x;),
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
    fn outputs(&mut self, pat: Option<Pat>) -> (Option<Pat>, Vec<NameIx>) {
        let Some(mut pat) = pat else { return (None, Vec::new()) };
        if let Pat::Wild(wild) = pattern::untyped(&pat).0 {
            let hidden = names::hidden(self.nodes, wild.underscore_token.span);
            let binding: Pat = syn::parse_quote!(#hidden);
            match &mut pat {
                Pat::Type(typed) => *typed.pat = binding,
                other => *other = binding,
            }
        }
        pattern::every_part_named(&pat, self.report);
        let (idents, plain) = pattern_names(&pat);
        let origin = Origin::Node(self.nodes);
        let makes = idents.into_iter().filter_map(|ident| self.bind(ident, plain, origin)).collect();
        (Some(pat), makes)
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

//! Names that stand for (parts of) places: what an expression refers to, and what a pattern makes of it.
//!
//! A name bound from `&x`, from `if let Some(m) = &opt`, or from `for l in &w.layers` is *derived*: each use of it is
//! that use of every place that it may stand for, and never a taking. What `for` goes over by `&mut` gives on each
//! trip a place of its own; rustc proves that no two are the same storage. All else that the host binds holds values
//! of its own, which rustc is made to check (`host_value`).

use std::rc::Rc;

use proc_macro2::Ident;
use syn::{Expr, ExprMethodCall, Pat};

use super::place::chain;
use super::scope::{Binding, Born, Derived};
use super::{Body, pattern};
use crate::body::Origin;

/// What an expression gives to a pattern.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// References to places, or into them.
    Places(Derived),
    /// Exclusive references to items of a place, each another one.
    Items,
    /// A tuple of these.
    Parts(Vec<Source>),
    /// An owned place by value.
    Owned,
    /// A number: a literal, what a range goes over, what `enumerate` counts.
    Plain,
    /// Values of their own.
    Other,
}

impl Source {
    /// Whether some of what it gives is derived.
    pub(super) fn is_derived(&self) -> bool {
        match self {
            Source::Places(_) | Source::Items => true,
            Source::Parts(parts) => parts.iter().any(Source::is_derived),
            Source::Owned | Source::Plain | Source::Other => false,
        }
    }

    /// What is copied out from behind the references that it gives.
    fn copied(self) -> Source {
        match self {
            Source::Places(d) => Source::Places(Derived { exact: false, exclusive: false, ..d }),
            other => other,
        }
    }

    /// What an iteration over it gives.
    pub(super) fn items(self) -> Source {
        match self {
            Source::Places(d) if d.exclusive => Source::Items,
            Source::Places(d) => Source::Places(Derived { exact: false, ..d }),
            Source::Owned => Source::Other,
            other => other,
        }
    }
}

/// Methods that hand out references into what they are called on.
const SHARED: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_ref",
    "as_slice",
    "as_str",
    "borrow",
    "chunks",
    "chunks_exact",
    "first",
    "get",
    "iter",
    "keys",
    "last",
    "split_at",
    "split_first",
    "split_last",
    "values",
    "windows",
];
/// The same, by `&mut`.
const EXCLUSIVE: &[&str] = &[
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "borrow_mut",
    "first_mut",
    "get_mut",
    "last_mut",
    "split_at_mut",
    "split_first_mut",
    "split_last_mut",
];
/// Methods that hand out each item by `&mut`.
const ITEMS: &[&str] = &["chunks_exact_mut", "chunks_mut", "iter_mut", "values_mut"];
/// Methods after which references are still those that they were.
const SAME: &[&str] = &[
    "by_ref",
    "copied",
    "expect",
    "filter",
    "next",
    "next_back",
    "nth",
    "ok_or",
    "ok_or_else",
    "or",
    "peekable",
    "rev",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_while",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
];

impl Body<'_> {
    /// What an expression gives to a pattern.
    pub(super) fn source(&mut self, e: &Expr) -> Source {
        match e {
            Expr::Paren(p) => self.source(&p.expr),
            Expr::Group(g) => self.source(&g.expr),
            Expr::Reference(r) => {
                let exclusive = r.mutability.is_some();
                match self.reference(&r.expr, exclusive) {
                    Some(derived) => Source::Places(derived),
                    None => match self.source(&r.expr) {
                        Source::Parts(parts) => Source::Parts(parts),
                        _ => Source::Other,
                    },
                }
            }
            Expr::Tuple(t) if !t.elems.is_empty() => {
                Source::Parts(t.elems.iter().map(|e| self.source(e)).collect())
            }
            Expr::MethodCall(m) => self.method_source(m),
            Expr::Lit(_) | Expr::Range(_) => Source::Plain,
            Expr::Unary(u) if matches!(*u.expr, Expr::Lit(_)) => Source::Plain,
            Expr::Try(t) => match self.source(&t.expr) {
                Source::Owned => Source::Other,
                other => other,
            },
            other => self.bare(other),
        }
    }

    /// A place by its name alone.
    fn bare(&mut self, e: &Expr) -> Source {
        let Some((root, path)) = chain(e) else { return Source::Other };
        let Some(entry) = self.scope.find(&root) else { return Source::Other };
        match self.origin(entry) {
            Some(origin) if origin.is_borrowed() => {
                let exclusive = origin.is_exclusive() && path.is_empty();
                self.reference(e, exclusive).map_or(Source::Other, Source::Places)
            }
            Some(_) => Source::Owned,
            None => Source::Other,
        }
    }

    fn method_source(&mut self, m: &ExprMethodCall) -> Source {
        let is = |list: &[&str]| list.iter().any(|name| m.method == name);
        if is(SHARED) || is(EXCLUSIVE) || is(ITEMS) {
            let exclusive = !is(SHARED);
            let base = self.reference(&m.receiver, exclusive);
            let base = base.or_else(|| match self.source(&m.receiver) {
                Source::Places(d) => Some(d),
                _ => None,
            });
            return match base {
                Some(_) if is(ITEMS) => Source::Items,
                Some(d) => Source::Places(Derived { exact: false, exclusive, ..d }),
                None => Source::Other,
            };
        }
        // A method on a bare name asks for a value.
        let receiver = match &*m.receiver {
            Expr::MethodCall(_) | Expr::Try(_) | Expr::Paren(_) => self.source(&m.receiver),
            _ => return Source::Other,
        };
        if m.method == "enumerate" {
            return match receiver {
                Source::Other => Source::Other,
                receiver => Source::Parts(vec![Source::Plain, receiver]),
            };
        }
        if m.method == "zip" {
            let other = m.args.first().map_or(Source::Other, |e| self.source(e).items());
            return match (receiver, other) {
                (Source::Other, Source::Other) => Source::Other,
                (a, b) => Source::Parts(vec![a, b]),
            };
        }
        if is(SAME) { receiver } else { Source::Other }
    }

    /// What `&e` refers to, if that is a place of the chunk.
    fn reference(&mut self, e: &Expr, exclusive: bool) -> Option<Derived> {
        let (inner, exact) = strip_index(e);
        let (root, path) = chain(inner)?;
        let entry = self.scope.find(&root)?;
        if let Some(derived) = self.derived(entry) {
            let of = derived.of.clone();
            let of = if derived.exact && !path.is_empty() {
                of.into_iter().map(|p| self.inner(p, &path)).collect()
            } else {
                of
            };
            return Some(Derived {
                of,
                exclusive: exclusive && derived.exclusive,
                exact: exact && derived.exact,
            });
        }
        let name = self.followed(entry)?;
        let place = self.tables.place(name, path);
        Some(Derived { of: vec![place], exclusive, exact })
    }

    /// Brings the names of a pattern into scope.
    pub(super) fn bind_pattern(&mut self, pat: &Pat, source: &Source, born: &Rc<Born>) {
        match (pat, source) {
            (Pat::Type(typed), _) => return self.bind_pattern(&typed.pat, source, born),
            (Pat::Paren(paren), _) => return self.bind_pattern(&paren.pat, source, born),
            (Pat::Tuple(tuple), Source::Parts(parts)) if tuple.elems.len() == parts.len() => {
                return tuple.elems.iter().zip(parts).for_each(|(p, s)| self.bind_pattern(p, s, born));
            }
            // What is copied out from behind a reference may be a reference itself.
            (Pat::Reference(reference), _) => {
                return self.bind_pattern(&reference.pat, &source.clone().copied(), born);
            }
            _ => {}
        }
        let whole = matches!(pat, Pat::Ident(p) if p.subpat.is_none());
        for ident in pattern::bound(pat) {
            match source {
                Source::Places(derived) => {
                    let derived = Derived { exact: derived.exact && whole, ..derived.clone() };
                    self.not_cx(&ident);
                    self.hide(&ident, &derived);
                    self.scope.bind(ident, Binding::Derived(Rc::new(derived)));
                }
                Source::Items => {
                    if let Some(name) = self.bind(ident, false, Origin::Item) {
                        self.makes_here(name);
                    }
                }
                Source::Plain => self.bind_plain(ident),
                Source::Parts(_) | Source::Owned | Source::Other => {
                    self.bind_host(ident, born);
                    if matches!(source, Source::Owned) {
                        self.follow(self.scope.last());
                    }
                }
            }
        }
    }

    /// A derived name in the block of what it stands for, under the same name, hides it to the end of the block.
    pub(super) fn hide(&mut self, ident: &Ident, derived: &Derived) {
        let block = self.block();
        for &place in &derived.of {
            let name = self.tables.places[place].name;
            let name = &mut self.tables.names[name];
            name.hidden |= name.ident == *ident && name.block == block;
        }
    }
}

/// Without indices and dereferences, and whether there were no indices.
fn strip_index(e: &Expr) -> (&Expr, bool) {
    match e {
        Expr::Index(i) => (strip_index(&i.expr).0, false),
        Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => strip_index(&u.expr),
        Expr::Paren(p) => strip_index(&p.expr),
        other => (other, true),
    }
}

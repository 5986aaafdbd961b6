//! A statement without `#[on(..)]`.

use std::collections::HashMap;

use proc_macro2::Ident;
use quote::{ToTokens, quote};
use syn::{Expr, Local, Pat, Stmt, parse_quote_spanned};

use super::place::{chain, strip};
use super::scope::Binding;
use super::walk::{Entry, Occurrence, Typed, Walk, Want};
use super::{Body, lends_on, pattern, pattern_names};
use crate::body::{Host, HostMode, HostUse, Origin, Place, PlaceIx, Step};
use crate::check;
use crate::emit::names;

/// What a host statement comes to.
#[derive(Default)]
struct Effects {
    uses: Vec<HostUse>,
    mentions: Vec<PlaceIx>,
    calls: bool,
    /// Whether a followed name is looked at, so that the value might borrow from it.
    looks: bool,
}

impl Body<'_> {
    pub(super) fn host(&mut self, mut stmt: Stmt, last: bool) {
        let tail = last && is_tail(&stmt);
        let mut walk = Walk::new(&self.scope, &self.cx, false, self.report);
        statement(&mut walk, &mut stmt);
        let local_pat = if let Stmt::Local(local) = &stmt { Some(local.pat.clone()) } else { None };
        let (mut found, passes_cx) = (walk.found, walk.passes_cx);
        found.retain(|o| o.from.is_empty() || self.receives(o));
        self.refuse(&stmt, &found, &passes_cx);
        let effects = self.effects(&found, !passes_cx.is_empty(), tail);
        self.guard_uses(&mut stmt, &found);
        if effects.looks {
            guard_values(&mut stmt);
        }
        let calls = effects.calls;
        let gives = effects.uses.iter().any(|u| u.mode == HostMode::Move);
        let Effects { uses, mentions, .. } = effects;
        self.steps.push(Step::Host(Host { uses, mentions, makes: Vec::new(), tail, stmt }));
        if let Some(pat) = local_pat {
            self.host_names(&pat, calls, gives);
        }
    }

    /// Writes the statement's uses of followed names so that they can only do what they are planned as.
    fn guard_uses(&mut self, stmt: &mut Stmt, found: &[Occurrence]) {
        let entries: HashMap<usize, Entry> = found
            .iter()
            .filter_map(|o| match self.tables.names[self.followed(o.entry)?].origin {
                Origin::Shared => None,
                origin => Some((o.entry, Entry::Guarded { borrowed: origin == Origin::Exclusive })),
            })
            .collect();
        let mut unheard = crate::report::Report::default(); // the first walk has said it all
        let mut walk = Walk::new(&self.scope, &self.cx, false, &mut unheard);
        walk.entries = Some(&entries);
        statement(&mut walk, stmt);
    }

    /// Notes what cannot be planned yet, each construct once.
    fn refuse(&mut self, stmt: &Stmt, found: &[Occurrence], passes_cx: &[Option<&'static str>]) {
        let followed = |ident: &Ident| {
            self.scope.find(ident).is_some_and(|e| match self.scope.entry(e).1 {
                Binding::Followed(_) => true,
                Binding::Plain | Binding::Host(_) => false,
            })
        };
        let before = self.report.is_empty();
        check::host::derived_names(stmt, &followed, self.report);
        if before && !self.report.is_empty() {
            return;
        }
        let mut told: Vec<&str> = Vec::new();
        if let Some(construct) = passes_cx.iter().flatten().next() {
            told.push(construct);
            check::host::control(
                &first_line(stmt),
                construct,
                &format!("a call that passes `{}` on", self.cx),
                self.report,
            );
        }
        for occurrence in found {
            if self.followed(occurrence.entry).is_none() {
                continue;
            }
            let root = self.root(occurrence.entry);
            if occurrence.veil.is_some() {
                check::opaque::host(occurrence, &root, self.report);
            } else if let (Some(construct), true) = (occurrence.control, self.acts(occurrence))
                && !told.contains(&construct)
            {
                told.push(construct);
                let what = format!("a move of `{}`", super::place_text(&root, &occurrence.path));
                check::host::control(&occurrence.tokens, construct, &what, self.report);
            }
        }
    }

    /// Whether what may be put into a place may come from a followed one.
    fn receives(&self, occurrence: &Occurrence) -> bool {
        occurrence.from.iter().any(|given| {
            let origin = self.followed(given.entry).map(|name| self.tables.names[name].origin);
            origin.is_some_and(|origin| !given.asked || origin == Origin::Exclusive)
        })
    }

    /// Whether an occurrence does more than ask for metadata.
    fn acts(&self, occurrence: &Occurrence) -> bool {
        let Some(name) = self.followed(occurrence.entry) else { return false };
        match occurrence.want {
            Want::Read => false,
            Want::Write => true,
            Want::Value => match self.tables.names[name].origin {
                Origin::Shared => occurrence.lent_with_cx,
                Origin::Exclusive => lends_on(occurrence),
                _ => true,
            },
        }
    }

    fn effects(&mut self, found: &[Occurrence], calls: bool, tail: bool) -> Effects {
        let mut effects = Effects { calls, ..Effects::default() };
        for occurrence in found {
            // What a tensor is moved into is followed from here on; so is what is lent to a called chunk.
            let entry = occurrence.entry;
            let receives = !occurrence.from.is_empty();
            let name = if receives { self.follow(entry) } else { self.followed(entry) };
            let Some(name) = name else { continue };
            let place = self.place_of(name, occurrence);
            match self.host_mode(name, occurrence, tail) {
                Some(mode) => {
                    effects.looks |= matches!(mode, HostMode::Lend | HostMode::LendMut);
                    if mode == HostMode::LendMut {
                        self.fill_again(&mut effects.uses, place);
                    }
                    push_use(&mut effects.uses, HostUse { place, mode });
                }
                None => {
                    effects.looks = true;
                    if !effects.mentions.contains(&place) {
                        effects.mentions.push(place);
                    }
                }
            }
        }
        effects
    }

    /// What was taken and is written after that, or a place around it, has been filled again: `(a, b) = (b, a)`.
    fn fill_again(&self, uses: &mut [HostUse], written: PlaceIx) {
        let whole = &self.tables.places[written];
        let within = |part: &Place| part.name == whole.name && part.path.starts_with(&whole.path);
        for u in uses.iter_mut().filter(|u| within(&self.tables.places[u.place])) {
            u.mode = HostMode::LendMut;
        }
    }

    fn host_mode(&self, name: usize, occurrence: &Occurrence, tail: bool) -> Option<HostMode> {
        let origin = self.tables.names[name].origin;
        match (occurrence.want, origin) {
            (Want::Write, _) => Some(HostMode::LendMut),
            (Want::Value, Origin::Exclusive) if lends_on(occurrence) => Some(HostMode::LendMut),
            (Want::Read, Origin::Exclusive) if occurrence.typed == Some(Typed::Asked) => {
                Some(HostMode::LendMut)
            }
            (Want::Read, _) | (Want::Value, Origin::Shared | Origin::Exclusive) => {
                occurrence.lent_with_cx.then_some(HostMode::Lend)
            }
            (Want::Value, _) if occurrence.lent_with_cx => Some(HostMode::Move),
            (Want::Value, _) => Some(match occurrence.into {
                Some(into) if self.is_outside(into) => HostMode::HandOut,
                Some(_) => HostMode::Move,
                None if tail => HostMode::HandOut,
                None => HostMode::Move,
            }),
        }
    }

    fn is_outside(&self, entry: usize) -> bool {
        self.followed(entry)
            .is_some_and(|n| matches!(self.tables.names[n].origin, Origin::Shared | Origin::Exclusive))
    }

    fn host_names(&mut self, pat: &Pat, calls: bool, gives: bool) {
        if gives && !matches!(pattern::untyped(pat).0, Pat::Wild(_)) {
            pattern::every_part_named(pat, self.report);
        }
        let (idents, plain) = pattern_names(pat);
        let step = self.steps.len() - 1;
        for ident in idents {
            if calls || plain {
                let name = self.bind(ident, plain, Origin::Call(step));
                if let (Some(name), Some(Step::Host(host))) = (name, self.steps.last_mut()) {
                    host.makes.push(name);
                }
                continue;
            }
            self.scope.bind(ident, Binding::Host(step));
            let entry = self.scope.last();
            if gives {
                self.follow(entry);
            }
        }
    }
}

/// Walks a statement whose own names are bound later, by the body.
fn statement(walk: &mut Walk<'_>, stmt: &mut Stmt) {
    match stmt {
        Stmt::Item(_) => {}
        Stmt::Local(local) => {
            if let Some(init) = &mut local.init {
                let unnamed = matches!(local.pat, Pat::Wild(_));
                walk.expr(&mut init.expr, if unnamed { Want::Read } else { Want::Value }, !unnamed);
                if let Some((_, diverge)) = &mut init.diverge {
                    walk.within("`let .. else`", |w| w.expr(diverge, Want::Value, true));
                }
            }
        }
        Stmt::Expr(e, _) => walk.expr(e, Want::Value, true),
        Stmt::Macro(m) => super::macros::walk(walk, &mut m.mac),
    }
}

fn push_use(uses: &mut Vec<HostUse>, new: HostUse) {
    let strength = |mode| match mode {
        HostMode::Lend => 0,
        HostMode::LendMut => 1,
        HostMode::Move => 2,
        HostMode::HandOut => 3,
    };
    match uses.iter_mut().find(|u| u.place == new.place) {
        Some(known) if strength(known.mode) >= strength(new.mode) => {}
        Some(known) => *known = new,
        None => uses.push(new),
    }
}

fn is_tail(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Expr(Expr::Return(_), _) | Stmt::Expr(_, None) => true,
        Stmt::Macro(m) => m.semi_token.is_none(),
        _ => false,
    }
}

/// The tokens of a statement that an error points to: all of a short one, the head of a block.
fn first_line(stmt: &Stmt) -> proc_macro2::TokenStream {
    match stmt {
        Stmt::Expr(Expr::If(e), _) => e.if_token.to_token_stream(),
        Stmt::Expr(Expr::Match(e), _) => e.match_token.to_token_stream(),
        Stmt::Expr(Expr::ForLoop(e), _) => e.for_token.to_token_stream(),
        Stmt::Expr(Expr::While(e), _) => e.while_token.to_token_stream(),
        Stmt::Expr(Expr::Loop(e), _) => e.loop_token.to_token_stream(),
        other => other.to_token_stream(),
    }
}

/// Lets rustc make sure that no value of the statement borrows from a followed name.
fn guard_values(stmt: &mut Stmt) {
    match stmt {
        Stmt::Local(Local { pat, init: Some(init), .. }) if !matches!(pat, Pat::Wild(_)) => {
            guard_value(&mut init.expr)
        }
        Stmt::Expr(Expr::Match(m), _) if m.arms.iter().any(|arm| check::host::binds(&arm.pat)) => {
            guard_scrutinee(&mut m.expr)
        }
        Stmt::Expr(Expr::If(i), _) => guard_condition(&mut i.cond),
        Stmt::Expr(Expr::While(l), _) => guard_condition(&mut l.cond),
        Stmt::Expr(Expr::ForLoop(l), _) => guard_scrutinee(&mut l.expr),
        _ => {}
    }
}

fn guard_condition(condition: &mut Expr) {
    if let Expr::Let(l) = condition {
        guard_scrutinee(&mut l.expr);
    }
}

/// What a `&` borrows for the statement's own name may be a place; a new value must not borrow either.
fn guard_value(e: &mut Expr) {
    match e {
        Expr::Reference(r) if chain(strip(&r.expr)).is_none() => guard_value(&mut r.expr),
        e => guard(e),
    }
}

/// A place is matched where it is; any other value may borrow.
fn guard_scrutinee(e: &mut Expr) {
    if chain(e).is_none() {
        guard(e);
    }
}

fn guard(e: &mut Expr) {
    use syn::spanned::Spanned;
    let private = names::private();
    let value = std::mem::replace(e, Expr::PLACEHOLDER);
    let path = quote!(#private::host_value);
    *e = parse_quote_spanned!(value.span()=> #path(#value));
}

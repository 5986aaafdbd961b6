//! A statement without `#[on(..)]`.

use std::collections::HashMap;
use std::rc::Rc;

use quote::{ToTokens, quote};
use syn::{Expr, Local, Pat, Stmt, parse_quote_spanned};

use super::derive::Source;
use super::place::{chain, strip};
use super::scope::Born;
use super::walk::{Entry, Occurrence, Typed, Walk, Want};
use super::{Body, Tail, lends_on, pattern, pattern_names};
use crate::body::{Host, HostMode, HostUse, NameIx, Origin, Place, PlaceIx, Step};
use crate::check;
use crate::emit::names;

/// What a host statement comes to.
#[derive(Default)]
pub(super) struct Effects {
    pub(super) uses: Vec<HostUse>,
    pub(super) mentions: Vec<PlaceIx>,
    /// Whether a followed name is looked at, so that the value might borrow from it.
    pub(super) looks: bool,
}

/// What a walk found: occurrences, and where the context is passed on.
pub(super) type Found = (Vec<Occurrence>, Vec<Option<&'static str>>);

impl Body<'_> {
    pub(super) fn host(&mut self, mut stmt: Stmt, tail: Tail) {
        let tail = if is_tail(&stmt) { tail } else { Tail::Dropped };
        let mut local_pat = None;
        let mut source = Source::Other;
        if let Stmt::Local(Local { pat, init: Some(init), .. }) = &stmt {
            local_pat = Some(pat.clone());
            source = self.source(&init.expr);
        } else if let Stmt::Local(local) = &stmt {
            local_pat = Some(local.pat.clone());
        } else if let (Stmt::Expr(e, None), Tail::Bound) = (&stmt, tail) {
            source = self.source(e);
        }
        let found = self.walked(|walk| statement(walk, &mut stmt));
        self.refuse_found(&first_line(&stmt), &found);
        self.set(found.0.iter().filter(|o| o.want == Want::Write).map(|o| o.entry));
        let calls = !found.1.is_empty();
        let effects = self.effects(&found.0, matches!(tail, Tail::Chunk | Tail::Passed));
        let derived = source.is_derived() && (local_pat.is_some() || tail == Tail::Bound);
        self.guarded(&found, |walk| statement(walk, &mut stmt));
        if effects.looks && !derived {
            guard_values(&mut stmt, tail);
        }
        let gives = effects.uses.iter().any(|u| matches!(u.mode, HostMode::Move));
        let Effects { mut uses, mentions, .. } = effects;
        let born = self.assigned(&stmt, gives || calls);
        if let Some(name) = born {
            // Unless the value comes out of it too, the name may hold nothing here.
            let given = found.0.iter().any(|o| o.want != Want::Write && self.followed(o.entry) == Some(name));
            uses.retain(|u| given || self.tables.places[u.place].name != name);
        }
        let step = self.step();
        if let (Tail::Bound, Some(given)) = (tail, self.given.last_mut()) {
            given.steps.push(step);
            given.storage |= gives || calls;
            given.of.push(if let Source::Places(d) = &source { Some(d.clone()) } else { None });
        }
        let (value, tail) = (matches!(tail, Tail::Bound | Tail::Passed), tail == Tail::Chunk);
        let initialised = !matches!(&stmt, Stmt::Local(local) if local.init.is_none());
        let makes = born.into_iter().collect();
        let derives = derived;
        self.push(Step::Host(Host { uses, mentions, makes, tail, value, derives, stmt, ..Host::none(step) }));
        match local_pat {
            Some(pat) if derived || matches!(source, Source::Plain) => {
                let born = Rc::new(Born::Step(self.block(), step));
                self.bind_pattern(&pat, &source, &born);
            }
            Some(pat) if !initialised => self.declared(&pat),
            Some(pat) => self.host_names(&pat, step, calls, gives),
            None => {}
        }
    }

    /// Walks an expression or a statement for what it does.
    pub(super) fn walked(&mut self, inner: impl FnOnce(&mut Walk<'_>)) -> Found {
        let mut walk = Walk::new(&self.scope, &self.cx, false, self.report);
        inner(&mut walk);
        let (mut found, passes_cx) = (walk.found, walk.passes_cx);
        found.retain(|o| o.from.is_empty() || self.receives(o));
        (found, passes_cx)
    }

    /// Walks it once more, and writes its uses of followed names so that they can only do what they are planned as.
    pub(super) fn guarded(&self, found: &Found, inner: impl FnOnce(&mut Walk<'_>)) {
        let guard = |o: &Occurrence| match self.origin(o.entry)? {
            Origin::Shared => None,
            origin => Some((o.entry, Entry::Guarded { borrowed: origin.is_exclusive() })),
        };
        let entries: HashMap<usize, Entry> = found.0.iter().filter_map(guard).collect();
        let mut unheard = crate::report::Report::default(); // the first walk has said it all
        let mut walk = Walk::new(&self.scope, &self.cx, false, &mut unheard);
        walk.entries = Some(&entries);
        inner(&mut walk);
    }

    /// Whether what may be put into a place may come from a followed one.
    fn receives(&self, occurrence: &Occurrence) -> bool {
        occurrence
            .from
            .iter()
            .any(|given| self.origin(given.entry).is_some_and(|origin| !given.asked || origin.is_exclusive()))
    }

    /// Notes what cannot be planned, each construct once.
    pub(super) fn refuse_found(&mut self, tokens: &proc_macro2::TokenStream, found: &Found) {
        let (found, passes_cx) = found;
        let mut told: Vec<&str> = Vec::new();
        if let Some(construct) = passes_cx.iter().flatten().next() {
            told.push(construct);
            check::host::control(
                tokens,
                construct,
                &format!("a call that passes `{}` on", self.cx),
                self.report,
            );
        }
        for occurrence in found {
            if !self.concerns(occurrence.entry) {
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

    /// Whether an occurrence does more than ask for metadata.
    fn acts(&self, occurrence: &Occurrence) -> bool {
        let Some(origin) = self.origin(occurrence.entry) else { return false };
        match occurrence.want {
            Want::Read => false,
            Want::Write => true,
            Want::Value if origin == Origin::Shared => occurrence.lent_with_cx,
            Want::Value if origin.is_exclusive() => lends_on(occurrence),
            Want::Value => true,
        }
    }

    pub(super) fn effects(&mut self, found: &[Occurrence], hands_out: bool) -> Effects {
        let mut effects = Effects::default();
        for occurrence in found {
            // What a tensor is moved into is followed from here on.
            let entry = occurrence.entry;
            let receives = !occurrence.from.is_empty();
            if !receives && !self.concerns(entry) {
                continue;
            }
            for place in self.places(occurrence, receives) {
                let Some(origin) = self.origin(entry) else { continue };
                match self.host_mode(origin, occurrence, hands_out) {
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

    fn host_mode(&self, origin: Origin, occurrence: &Occurrence, hands_out: bool) -> Option<HostMode> {
        match occurrence.want {
            Want::Write => Some(HostMode::LendMut),
            Want::Value if origin.is_exclusive() && lends_on(occurrence) => Some(HostMode::LendMut),
            Want::Read if origin.is_exclusive() && occurrence.typed == Some(Typed::Asked) => {
                Some(HostMode::LendMut)
            }
            Want::Value if !origin.is_borrowed() => Some(match occurrence.into {
                _ if occurrence.lent_with_cx => HostMode::Move,
                Some(into) if self.is_outside(into) => HostMode::HandOut,
                None if hands_out => HostMode::HandOut,
                Some(_) | None => HostMode::Move,
            }),
            Want::Read | Want::Value => occurrence.lent_with_cx.then_some(HostMode::Lend),
        }
    }

    fn is_outside(&self, entry: usize) -> bool {
        self.origin(entry).is_some_and(Origin::is_borrowed)
    }

    /// From here on these entries may hold a value.
    pub(super) fn set(&mut self, entries: impl Iterator<Item = usize>) {
        if !self.unset.is_empty() {
            entries.for_each(|given| self.unset.retain(|&entry| entry != given));
        }
    }

    /// Names that are given their value later.
    fn declared(&mut self, pat: &Pat) {
        let (idents, plain) = pattern_names(pat);
        let born = Rc::new(Born::Several(self.block(), Vec::new()));
        for ident in idents {
            if plain {
                self.bind_plain(ident);
            } else {
                self.bind_host(ident, &born);
                self.unset.push(self.scope.last());
            }
        }
    }

    /// The name of `x = ..`: what it held ends here, and what it holds begins.
    fn assigned(&mut self, stmt: &Stmt, gives: bool) -> Option<NameIx> {
        let Stmt::Expr(Expr::Assign(a), _) = stmt else { return None };
        let (root, path) = chain(&a.left)?;
        let entry = self.scope.find(&root)?;
        if !path.is_empty() {
            return None;
        }
        let ix = if gives { self.follow(entry)? } else { self.followed(entry)? };
        let name = &mut self.tables.names[ix];
        if name.origin.is_borrowed() {
            return None;
        }
        if name.origin != Origin::Owned {
            name.origin = Origin::Several;
        }
        Some(ix)
    }

    fn host_names(&mut self, pat: &Pat, step: usize, calls: bool, gives: bool) {
        if gives && !matches!(pattern::untyped(pat).0, Pat::Wild(_)) {
            pattern::every_part_named(pat, self.report);
        }
        let (idents, plain) = pattern_names(pat);
        let born = Rc::new(Born::Step(self.block(), step));
        for ident in idents {
            if calls || plain {
                let name = self.bind(ident, plain, Origin::Call(step));
                if let Some(name) = name
                    && let Some(Step::Host(host)) = self.open.last_mut().and_then(|b| b.steps.last_mut())
                {
                    host.makes.push(name);
                }
                continue;
            }
            self.bind_host(ident, &born);
            if gives {
                self.follow(self.scope.last());
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
        Stmt::Expr(_, None) => true,
        Stmt::Macro(m) => m.semi_token.is_none(),
        _ => false,
    }
}

/// The tokens of a statement that an error points to.
fn first_line(stmt: &Stmt) -> proc_macro2::TokenStream {
    stmt.to_token_stream()
}

/// Lets rustc make sure that no value of the statement borrows from a followed name.
fn guard_values(stmt: &mut Stmt, tail: Tail) {
    match stmt {
        Stmt::Local(Local { pat, init: Some(init), .. }) if !matches!(pat, Pat::Wild(_)) => {
            guard_value(&mut init.expr)
        }
        Stmt::Expr(e, None) if tail == Tail::Bound => guard(e),
        _ => {}
    }
}

/// What a `&` borrows for the statement's own name may be a place; a new value must not borrow either.
fn guard_value(e: &mut Expr) {
    match e {
        Expr::Reference(r) if chain(strip(&r.expr)).is_none() => guard_value(&mut r.expr),
        e => guard(e),
    }
}

pub(super) fn guard(e: &mut Expr) {
    use syn::spanned::Spanned;
    let private = names::private();
    let value = std::mem::replace(e, Expr::PLACEHOLDER);
    let path = quote!(#private::host_value);
    *e = parse_quote_spanned!(value.span()=> #path(#value));
}

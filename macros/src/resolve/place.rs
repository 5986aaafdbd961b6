//! Expressions that are places: `s.a.b` and what starts from one.

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, parse_quote_spanned};

use super::scope::member;
use super::walk::{Entry, Want};
use crate::emit::names;

/// A place expression inside another: taking a part out of an index or a dereference only reads the whole.
pub(super) fn place_want(want: Want) -> Want {
    if want == Want::Write { Want::Write } else { Want::Read }
}

pub(super) fn is_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

pub(super) fn is_member(e: &Expr, name: &syn::Member) -> bool {
    matches!((e, name), (Expr::Path(p), syn::Member::Named(n)) if p.path.is_ident(n))
}

/// Without parentheses and borrows.
pub(crate) fn strip(e: &Expr) -> &Expr {
    match e {
        Expr::Paren(p) => strip(&p.expr),
        Expr::Group(g) => strip(&g.expr),
        Expr::Reference(r) => strip(&r.expr),
        other => other,
    }
}

/// `s.a.b` as its root and path.
pub(crate) fn chain(e: &Expr) -> Option<(Ident, Vec<String>)> {
    match e {
        Expr::Path(p) if p.qself.is_none() => p.path.get_ident().map(|i| (i.clone(), Vec::new())),
        Expr::Field(f) => {
            let (root, mut path) = chain(&f.base)?;
            path.push(member(&f.member));
            Some((root, path))
        }
        Expr::Paren(p) => chain(&p.expr),
        Expr::Group(g) => chain(&g.expr),
        _ => None,
    }
}

/// The place that an index, a dereference or a method chain starts from.
pub(super) fn root_of(e: &Expr) -> Option<(Ident, Vec<String>)> {
    match e {
        Expr::Index(i) => root_of(&i.expr),
        Expr::Unary(u) => root_of(&u.expr),
        Expr::MethodCall(m) => root_of(&m.receiver),
        Expr::Try(t) => root_of(&t.expr),
        Expr::Reference(r) => root_of(&r.expr),
        other => chain(other),
    }
}

/// Writes an occurrence as the name's way into the node asks.
pub(super) fn rewrite(e: &mut Expr, entry: Entry, want: Want, explicit: bool) {
    match entry {
        Entry::Same => {}
        Entry::Lent => lend_root(e),
        Entry::Guarded { .. } if want == Want::Read && !explicit => read_only(e),
        Entry::Guarded { borrowed }
            if want == Want::Value && chain(e).is_some_and(|(_, path)| !path.is_empty()) =>
        {
            let place = std::mem::replace(e, Expr::PLACEHOLDER);
            *e = if borrowed { copied(&place) } else { moved(&place) };
        }
        Entry::Guarded { .. } => {}
    }
}

/// The place behind a `&`.
pub(super) fn read_only(e: &mut Expr) {
    let place = std::mem::replace(e, Expr::PLACEHOLDER);
    *e = parse_quote_spanned!(place.span()=> (*&#place));
}

/// The value of a place, copied, or else an error that says what to write.
fn copied(place: &Expr) -> Expr {
    let mut private = names::private();
    private.set_span(place.span());
    parse_quote_spanned!(place.span()=> *#private::copied(&#place))
}

/// The value of a place, in a spot where rustc expects no type and so does not borrow a `&mut` anew.
fn moved(place: &Expr) -> Expr {
    let mut private = names::private();
    private.set_span(place.span());
    parse_quote_spanned!(place.span()=> #private::Moved(#place).0)
}

fn lend_root(e: &mut Expr) {
    match e {
        Expr::Field(f) => lend_root(&mut f.base),
        Expr::Paren(p) => lend_root(&mut p.expr),
        Expr::Group(g) => lend_root(&mut g.expr),
        root => {
            let name = std::mem::replace(root, Expr::PLACEHOLDER);
            *root = parse_quote_spanned!(name.span()=> (*#name));
        }
    }
}

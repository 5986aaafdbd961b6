//! Patterns: the names that they bind, and what a chunk does not allow in them.

use proc_macro2::Ident;
use syn::Pat;
use syn::visit::{self, Visit};

use crate::report::Report;

/// The names that a pattern binds, in order, each once.
pub(crate) fn idents(pat: &Pat) -> Vec<Ident> {
    struct Names(Vec<Ident>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            if !self.0.contains(&pat.ident) {
                self.0.push(pat.ident.clone());
            }
            visit::visit_pat_ident(self, pat);
        }
        fn visit_expr(&mut self, _: &'ast syn::Expr) {} // guards and constants bind nothing
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pat);
    names.0
}

/// The names that a refutable pattern binds: what looks like a constant or a unit variant is none.
pub(crate) fn bound(pat: &Pat) -> Vec<Ident> {
    let lower = |i: &Ident| !i.to_string().starts_with(char::is_uppercase);
    idents(pat).into_iter().filter(lower).collect()
}

/// Refuses what would leave behind a part of an owned value that this pattern takes apart.
pub(crate) fn nothing_left_behind(pat: &Pat, report: &mut Report) {
    struct Parts<'r>(&'r mut Report);
    impl<'ast> Visit<'ast> for Parts<'_> {
        fn visit_pat_wild(&mut self, wild: &'ast syn::PatWild) {
            unnamed(wild, "_", self.0);
        }
        fn visit_pat_rest(&mut self, rest: &'ast syn::PatRest) {
            unnamed(rest, "..", self.0);
        }
        fn visit_pat_struct(&mut self, pat: &'ast syn::PatStruct) {
            if let Some(rest) = &pat.rest {
                unnamed(rest, "..", self.0);
            }
            pat.fields.iter().for_each(|f| self.visit_pat(&f.pat));
        }
        fn visit_pat_ident(&mut self, ident: &'ast syn::PatIdent) {
            if let Some(by_ref) = &ident.by_ref {
                self.0.help(
                    by_ref,
                    "`ref` would keep the value where nobody names it",
                    "match on a reference: `&x`",
                );
            }
            visit::visit_pat_ident(self, ident);
        }
    }
    Parts(report).visit_pat(pat);
}

/// A pattern without its type, and the type.
pub(crate) fn untyped(pat: &Pat) -> (&Pat, Option<&syn::Type>) {
    match pat {
        Pat::Type(typed) => (&typed.pat, Some(&typed.ty)),
        Pat::Paren(paren) => untyped(&paren.pat),
        other => (other, None),
    }
}

/// Refuses what would leave a part of a followed value without a name.
pub(crate) fn every_part_named(pat: &Pat, report: &mut Report) {
    match pat {
        Pat::Ident(ident) => {
            if let Some(by_ref) = &ident.by_ref {
                report.help(
                    by_ref,
                    "`ref` would keep the value where nobody names it",
                    "bind the value itself and borrow it where it is used",
                );
            }
            if let Some((at, _)) = &ident.subpat {
                report.help(
                    at,
                    "`@` would give one value two names",
                    "bind the value and take it apart later",
                );
            }
        }
        Pat::Type(typed) => every_part_named(&typed.pat, report),
        Pat::Paren(paren) => every_part_named(&paren.pat, report),
        Pat::Tuple(tuple) => tuple.elems.iter().for_each(|p| every_part_named(p, report)),
        Pat::TupleStruct(tuple) => tuple.elems.iter().for_each(|p| every_part_named(p, report)),
        Pat::Slice(slice) => slice.elems.iter().for_each(|p| every_part_named(p, report)),
        Pat::Struct(fields) => {
            fields.fields.iter().for_each(|f| every_part_named(&f.pat, report));
            if let Some(rest) = &fields.rest {
                unnamed(rest, "..", report);
            }
        }
        Pat::Rest(rest) => unnamed(rest, "..", report),
        Pat::Wild(wild) => unnamed(wild, "_", report),
        other => report.help(
            other,
            "this pattern cannot take a node's value apart",
            "bind names, tuples and structs; decide on the host what follows from a value",
        ),
    }
}

fn unnamed(tokens: impl quote::ToTokens, what: &str, report: &mut Report) {
    report.help(
        tokens,
        format_args!(
            "`{what}` would leave a part of an owned value without a name, and so without a place in the plan"
        ),
        "name each field; a name that is not used is released at once",
    );
}

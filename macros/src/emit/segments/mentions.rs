//! The identifiers of a statement, and how it names them.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, ExprReference, Macro, Pat, Stmt};

use crate::body::Step;

/// What a statement names.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// Each identifier, and whether it stands behind a `&` everywhere.
    pub(super) idents: HashMap<Ident, bool>,
    /// Those that it assigns as a whole, perhaps on some path only.
    pub(super) assigned: Vec<Ident>,
}

impl Mentions {
    pub(super) fn of(step: &Step) -> Mentions {
        let mut mentions = Mentions::default();
        match step {
            Step::Host(host) => mentions.visit_stmt(&host.stmt),
            Step::Node(node) => mentions.visit_expr(&node.syntax.expr),
            Step::Branch(_) | Step::Loop(_) => {}
        }
        mentions
    }

    fn note(&mut self, ident: &Ident, lent: bool) {
        *self.idents.entry(ident.unraw()).or_insert(true) &= lent;
    }

    /// Whatever is assigned where a pattern might stand.
    fn assign(&mut self, left: &Expr) {
        match left {
            Expr::Path(path) => self.assigned.extend(path.path.get_ident().map(IdentExt::unraw)),
            Expr::Paren(e) => self.assign(&e.expr),
            Expr::Tuple(e) => e.elems.iter().for_each(|e| self.assign(e)),
            Expr::Array(e) => e.elems.iter().for_each(|e| self.assign(e)),
            Expr::Call(e) => e.args.iter().for_each(|e| self.assign(e)),
            Expr::Struct(e) => e.fields.iter().for_each(|f| self.assign(&f.expr)),
            _ => {}
        }
    }

    /// Tokens of a macro: any of them may be a name, those inside a format string too.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => self.note(&ident, false),
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                    let words = words.filter(|w| !w.starts_with(|c: char| c.is_numeric()));
                    for word in words {
                        if let Ok(word) = syn::parse_str::<Ident>(word) {
                            self.note(&Ident::new(&word.to_string(), Span::call_site()), true);
                        }
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        self.note(ident, false);
    }

    fn visit_expr_reference(&mut self, e: &'ast ExprReference) {
        match (&*e.expr, &e.mutability) {
            (Expr::Path(path), None) if path.path.get_ident().is_some() => {
                path.path.get_ident().into_iter().for_each(|ident| self.note(ident, true));
            }
            _ => visit::visit_expr_reference(self, e),
        }
    }

    fn visit_expr_assign(&mut self, e: &'ast ExprAssign) {
        self.assign(&e.left);
        visit::visit_expr_assign(self, e);
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.tokens(mac.tokens.clone());
    }
}

/// Whether a statement assigns anything as a whole.
pub(super) fn assigns(stmt: &Stmt) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr_assign(&mut self, _: &'ast ExprAssign) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    finder.visit_stmt(stmt);
    finder.0
}

/// Whether a statement is an assignment, so that it makes one on every path.
pub(super) fn is_assigned_whole(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(Expr::Assign(_), _))
}

/// The names that a pattern binds, and whether each is `mut` or a `ref mut`.
pub(super) fn bound(pat: &Pat) -> Vec<(Ident, bool)> {
    struct Names(Vec<(Ident, bool)>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.push((pat.ident.clone(), pat.mutability.is_some()));
            visit::visit_pat_ident(self, pat);
        }
        fn visit_expr(&mut self, _: &'ast Expr) {} // guards and constants bind nothing
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pat);
    names.0
}

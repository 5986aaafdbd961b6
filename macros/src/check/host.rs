//! What host statements cannot do yet: control flow around followed names, and derived names.

use proc_macro2::TokenStream;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Pat, Stmt};

use crate::report::Report;
use crate::resolve::pattern;
use crate::resolve::place::{chain, strip};

/// Notes that a construct runs something of the plan perhaps, or several times.
pub(crate) fn control(tokens: &TokenStream, construct: &str, what: &str, report: &mut Report) {
    report.help(
        tokens,
        format_args!("{construct} around {what} is not planned yet"),
        "decide it before the chunk is called, or inside one node or one operator",
    );
}

/// Notes nodes inside other statements, and says whether there are any.
pub(crate) fn nested_nodes(stmt: &Stmt, in_node: bool, report: &mut Report) -> bool {
    let mut nested = Nested { report, in_node, around: Vec::new(), any: false };
    nested.visit_stmt(stmt);
    nested.any
}

struct Nested<'r> {
    report: &'r mut Report,
    in_node: bool,
    around: Vec<&'static str>,
    any: bool,
}

impl<'ast> Visit<'ast> for Nested<'_> {
    fn visit_attribute(&mut self, attr: &'ast Attribute) {
        if !crate::parse::is_on(attr) {
            return;
        }
        self.any = true;
        if self.in_node {
            let help = "the outer `#[on(..)]` already names the stream of everything inside";
            self.report.help(attr, "a node inside a node", help);
        } else if let Some(construct) = self.around.last() {
            self.report.help(
                attr,
                format_args!("a node inside {construct} is not planned yet"),
                "decide it before the chunk is called, or inside one node or one operator",
            );
        } else {
            let help =
                "put it on a `let`, an expression statement, a block or the tail expression of the chunk";
            self.report.help(attr, "`#[on(..)]` belongs on a statement", help);
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        let construct = match expr {
            Expr::If(_) => "`if`",
            Expr::Match(_) => "`match`",
            Expr::ForLoop(_) => "`for`",
            Expr::While(_) => "`while`",
            Expr::Loop(_) => "`loop`",
            Expr::Block(_) | Expr::Unsafe(_) => "a block",
            Expr::Closure(_) => "a closure",
            _ => return visit::visit_expr(self, expr),
        };
        self.around.push(construct);
        visit::visit_expr(self, expr);
        self.around.pop();
    }
}

/// Methods that hand out references into what they are called on.
const DERIVES: &[&str] = &[
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_bytes",
    "as_ref",
    "as_slice",
    "as_str",
    "as_mut_slice",
    "borrow",
    "borrow_mut",
    "chunks",
    "first",
    "first_mut",
    "get",
    "get_mut",
    "iter",
    "iter_mut",
    "keys",
    "last",
    "last_mut",
    "values",
    "values_mut",
];

/// The place that a name bound from `e` would stand for.
fn derived(e: &Expr, followed: &dyn Fn(&proc_macro2::Ident) -> bool, bare: bool) -> Option<TokenStream> {
    let place = |e: &Expr| {
        let (root, _) = chain(strip_index(strip(e)))?;
        followed(&root).then(|| quote::quote!(#e))
    };
    match e {
        Expr::Reference(r) => place(&r.expr).map(|_| quote::quote!(#e)),
        Expr::MethodCall(m) if DERIVES.iter().any(|d| m.method == d) => {
            place(&m.receiver).map(|_| quote::quote!(#e))
        }
        Expr::MethodCall(m) => derived(&m.receiver, followed, false),
        Expr::Paren(p) => derived(&p.expr, followed, bare),
        Expr::Tuple(t) => t.elems.iter().find_map(|e| derived(e, followed, bare)),
        other if bare => place(other),
        _ => None,
    }
}

fn strip_index(e: &Expr) -> &Expr {
    match e {
        Expr::Index(i) => strip_index(strip(&i.expr)),
        Expr::Unary(u) => strip_index(strip(&u.expr)),
        other => other,
    }
}

/// Notes names that would be bound to a part of a followed value.
pub(crate) fn derived_names(
    stmt: &Stmt,
    followed: &dyn Fn(&proc_macro2::Ident) -> bool,
    report: &mut Report,
) {
    Derived { report, followed }.visit_stmt(stmt);
}

struct Derived<'r> {
    report: &'r mut Report,
    followed: &'r dyn Fn(&proc_macro2::Ident) -> bool,
}

impl Derived<'_> {
    fn judge(&mut self, e: &Expr, binds: bool, bare: bool) {
        if !binds {
            return;
        }
        if let Some(tokens) = derived(e, self.followed, bare) {
            self.report.help(
                tokens,
                "a name that stands for a part of a followed value is not planned yet",
                "name the place itself where it is used, such as `&w.a`",
            );
        }
    }
}

/// Whether a pattern gives a name to anything.
pub(crate) fn binds(pat: &Pat) -> bool {
    !pattern::idents(pat).iter().all(|i| i.to_string().starts_with(char::is_uppercase))
}

impl<'ast> Visit<'ast> for Derived<'_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.judge(&init.expr, binds(&local.pat), init.diverge.is_some());
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.judge(&assign.right, true, false);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_let(&mut self, scrutinee: &'ast syn::ExprLet) {
        self.judge(&scrutinee.expr, binds(&scrutinee.pat), true);
        visit::visit_expr_let(self, scrutinee);
    }

    fn visit_expr_match(&mut self, m: &'ast syn::ExprMatch) {
        self.judge(&m.expr, m.arms.iter().any(|a| binds(&a.pat)), true);
        visit::visit_expr_match(self, m);
    }

    fn visit_expr_for_loop(&mut self, l: &'ast syn::ExprForLoop) {
        self.judge(&l.expr, binds(&l.pat), true);
        visit::visit_expr_for_loop(self, l);
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

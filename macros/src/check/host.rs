//! What host statements cannot do: nodes where nothing plans them, and moves inside an expression's control flow.

use proc_macro2::TokenStream;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Stmt};

use crate::report::Report;

/// Notes that a construct runs something of the plan perhaps, or several times.
pub(crate) fn control(tokens: &TokenStream, construct: &str, what: &str, report: &mut Report) {
    report.help(
        tokens,
        format_args!("{construct} around {what} stands inside an expression, where it is not planned"),
        "make it a statement of its own, such as `let x = if ..`, and use its value in the next",
    );
}

/// Notes nodes inside other statements, and says whether there are any.
pub(crate) fn nested_nodes(stmt: &Stmt, in_node: bool, report: &mut Report) -> bool {
    let mut nested = Nested { report, in_node, around: Vec::new(), any: false };
    nested.visit_stmt(stmt);
    nested.any
}

const CLOSURE: &str = "a closure";

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
        } else if self.around.contains(&CLOSURE) {
            let help = "write the loop or the branch out, as a statement of the chunk";
            self.report.help(attr, "a node inside a closure, of which nobody knows when it runs", help);
        } else if let Some(construct) = self.around.last() {
            self.report.help(
                attr,
                format_args!("a node inside {construct} that stands inside an expression is not planned"),
                "make the construct a statement of its own, such as `let x = if ..`",
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
            Expr::Closure(_) => CLOSURE,
            _ => return visit::visit_expr(self, expr),
        };
        self.around.push(construct);
        visit::visit_expr(self, expr);
        self.around.pop();
    }
}

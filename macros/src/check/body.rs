//! Tokens that may not stand anywhere in a body, because the plan would not hold with them.

use syn::visit::{self, Visit};
use syn::{Attribute, Block, ExprAwait, ExprYield, ItemMacro};

use crate::report::Report;

/// Notes `#[cfg]`, `macro_rules!`, `.await` and `yield` anywhere in a body.
pub(crate) fn check(block: &Block, report: &mut Report) {
    Body { report }.visit_block(block);
}

struct Body<'r> {
    report: &'r mut Report,
}

impl<'ast> Visit<'ast> for Body<'_> {
    fn visit_attribute(&mut self, attr: &'ast Attribute) {
        if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
            let help = "put `#[cfg]` on the whole chunk: write it twice, once under `#[cfg(..)]` and once under \
                        `#[cfg(not(..))]`";
            self.report.help(attr, "this part may vanish after the plan is made", help);
        } else if attr.path().is_ident("chunk") {
            self.report.help(
                attr,
                "stepping into a called chunk is not planned yet",
                "take `#[chunk]` away; the call runs as one step",
            );
        }
    }

    fn visit_item_macro(&mut self, item: &'ast ItemMacro) {
        if item.ident.is_some() || item.mac.path.is_ident("macro_rules") {
            let help = "move it out of the function, and state the uses where it is called: `uses(&x)`";
            self.report.help(
                item,
                "a macro defined in a chunk can name its tensors where nobody sees it",
                help,
            );
        }
    }

    fn visit_item_fn(&mut self, _: &'ast syn::ItemFn) {} // a world of its own

    fn visit_expr_await(&mut self, expr: &'ast ExprAwait) {
        let help = "await before the chunk is called, or after it";
        self.report.help(
            expr.await_token,
            "`.await` would suspend the chunk in the middle of its plan",
            help,
        );
        visit::visit_expr_await(self, expr);
    }

    fn visit_expr_yield(&mut self, expr: &'ast ExprYield) {
        self.report.at(expr.yield_token, "`yield` would suspend the chunk in the middle of its plan");
        visit::visit_expr_yield(self, expr);
    }
}

//! The part of the walk that follows control: blocks, branches, loops, and what leaves them.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Block, Expr, Pat, Stmt, parse_quote};

use super::macros;
use super::place::root_of;
use super::scope::same;
use super::walk::{Veil, Walk, Want};

impl Walk<'_> {
    /// Expressions that run other expressions or hold a list of them.
    pub(super) fn flow(&mut self, e: &mut Expr, want: Want) {
        match e {
            Expr::Array(a) => self.values(a.elems.iter_mut()),
            Expr::Tuple(t) => t.elems.iter_mut().for_each(|x| self.expr(x, want, true)),
            Expr::Repeat(r) => self.values([&mut *r.expr, &mut *r.len].into_iter()),
            Expr::Try(t) => self.expr(&mut t.expr, Want::Value, true),
            Expr::Let(l) => {
                let mark = self.scrutinee(&mut l.expr);
                self.bind(&mut l.pat, mark);
            }
            Expr::If(i) => self.branch(i),
            Expr::Match(m) => self.matching(m),
            Expr::Block(b) if b.label.is_none() => self.block(&mut b.block),
            Expr::Block(b) => {
                let label = b.label.as_ref().map(|l| l.name.ident.clone());
                self.repeated("a labelled block", label, |w| w.block(&mut b.block));
            }
            Expr::Unsafe(u) => self.block(&mut u.block),
            Expr::Loop(l) => {
                let label = l.label.as_ref().map(|l| l.name.ident.clone());
                self.repeated("`loop`", label, |w| w.block(&mut l.body));
            }
            Expr::While(l) => {
                let label = l.label.as_ref().map(|l| l.name.ident.clone());
                self.repeated("`while`", label, |w| {
                    w.scoped(|w| {
                        w.expr(&mut l.cond, Want::Read, false);
                        w.block(&mut l.body);
                    });
                });
            }
            Expr::ForLoop(l) => self.for_loop(l),
            Expr::Return(r) => {
                self.leaves(r.return_token, "return", None);
                r.expr.iter_mut().for_each(|x| self.expr(x, Want::Value, true));
            }
            Expr::Break(b) => {
                self.leaves(b.break_token, "break", Some(b.label.as_ref()));
                b.expr.iter_mut().for_each(|x| self.expr(x, Want::Value, true));
            }
            Expr::Continue(c) => self.leaves(c.continue_token, "continue", Some(c.label.as_ref())),
            Expr::Async(a) => {
                let help = "enqueue the work here, and await what comes of it outside the chunk";
                self.report.help(a.async_token, "an `async` block inside a chunk is not planned", help);
            }
            Expr::Const(_) | Expr::Infer(_) | Expr::Lit(_) | Expr::Path(_) => {}
            Expr::Await(_) | Expr::Yield(_) | Expr::TryBlock(_) => {} // refused with the body as a whole
            other => macros::raw_tokens(self, &other.to_token_stream(), &parse_quote!(these_tokens)),
        }
    }

    fn branch(&mut self, i: &mut syn::ExprIf) {
        self.scoped(|w| {
            w.expr(&mut i.cond, Want::Read, false);
            w.within("`if`", |w| w.block(&mut i.then_branch));
        });
        if let Some((_, other)) = &mut i.else_branch {
            self.within("`if`", |w| w.expr(other, Want::Value, true));
        }
    }

    fn matching(&mut self, m: &mut syn::ExprMatch) {
        let mark = self.scrutinee(&mut m.expr);
        for arm in &mut m.arms {
            self.within("`match`", |w| {
                w.scoped(|w| {
                    w.bind(&mut arm.pat, mark);
                    w.statement(|w| w.expr(&mut arm.body, Want::Value, true));
                });
            });
        }
    }

    fn for_loop(&mut self, l: &mut syn::ExprForLoop) {
        let mark = self.given.len();
        self.expr(&mut l.expr, Want::Value, true);
        let label = l.label.as_ref().map(|l| l.name.ident.clone());
        self.repeated("`for`", label, |w| {
            w.scoped(|w| {
                w.bind(&mut l.pat, mark);
                w.block(&mut l.body);
            });
        });
    }

    /// What a pattern looks at. Says from where on its names hold what was given: a name of the statement that
    /// is matched gives its parts.
    fn scrutinee(&mut self, e: &mut Expr) -> usize {
        let mark = self.given.len();
        self.expr(e, Want::Read, false);
        if let Some(local) =
            root_of(e).and_then(|(root, _)| self.locals.iter().rfind(|l| same(&l.ident, &root)))
        {
            self.given.extend_from_slice(&local.from);
        }
        mark
    }

    /// A block with its own bindings.
    pub(crate) fn block(&mut self, block: &mut Block) {
        self.scoped(|w| {
            for stmt in &mut block.stmts {
                w.statement(|w| w.inner_stmt(stmt));
            }
        });
    }

    fn inner_stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Local(local) => {
                let mark = self.given.len();
                if let Some(init) = &mut local.init {
                    let unnamed = matches!(local.pat, Pat::Wild(_));
                    let want = if unnamed { Want::Read } else { Want::Value };
                    self.expr(&mut init.expr, want, !unnamed);
                    if let Some((_, diverge)) = &mut init.diverge {
                        self.within("`let .. else`", |w| w.expr(diverge, Want::Value, true));
                    }
                }
                self.bind(&mut local.pat, mark);
            }
            Stmt::Expr(e, _) => self.expr(e, Want::Value, true),
            Stmt::Macro(m) => macros::walk(self, &mut m.mac),
            Stmt::Item(_) => {}
        }
    }

    /// Brings a pattern's names into the inner scope; their values come from what was given since `mark`.
    pub(crate) fn bind(&mut self, pat: &mut Pat, mark: usize) {
        for ident in super::pattern::idents(pat) {
            if ident == *self.cx && self.entries.is_none() {
                self.report.help(
                    &ident,
                    format_args!("`{ident}` is the chunk's context and cannot be bound anew"),
                    "give this binding another name",
                );
            }
            self.local(ident, mark);
        }
        if let Pat::Guard(guard) = pat {
            self.expr(&mut guard.guard, Want::Read, false);
        }
    }

    pub(super) fn scoped(&mut self, inner: impl FnOnce(&mut Self)) {
        let mark = self.locals.len();
        inner(self);
        self.locals.truncate(mark);
    }

    pub(super) fn within(&mut self, construct: &'static str, inner: impl FnOnce(&mut Self)) {
        self.control.push(construct);
        inner(self);
        self.control.pop();
    }

    fn repeated(&mut self, construct: &'static str, label: Option<Ident>, inner: impl FnOnce(&mut Self)) {
        self.labels.push(label);
        self.within(construct, inner);
        self.labels.pop();
    }

    /// A statement of its own: what stands in it together is evaluated together.
    fn statement(&mut self, inner: impl FnOnce(&mut Self)) {
        let outer = self.stmt;
        self.statements += 1;
        self.stmt = self.statements;
        inner(self);
        self.stmt = outer;
    }

    /// Refuses what leaves a node by another way than its value or `?`.
    fn leaves(&mut self, token: impl ToTokens, word: &str, label: Option<Option<&syn::Lifetime>>) {
        let inside = match label {
            None => matches!(self.veil, Some(Veil::Closure(_))),
            Some(None) => !self.labels.is_empty(),
            Some(Some(label)) => self.labels.iter().flatten().any(|l| *l == label.ident),
        };
        if self.node && !inside && self.entries.is_none() {
            self.report.help(
                token,
                format_args!("`{word}` would leave the node before it is closed"),
                "let the node end with a value, and decide on the host what follows",
            );
        }
    }
}

//! Finds every occurrence of a name in an expression, with what the syntax asks of it.
//!
//! One walk serves twice: it collects [`Occurrence`]s, and, given an [`Entry`] for each name, it writes them as the
//! name's way into the node asks. So both see the same scopes. The walk knows no types; what it assumes from the
//! syntax is what the emitted code makes rustc enforce.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, UnOp};

use super::macros;
use super::place::{chain, is_assignment, is_member, place_want, rewrite, root_of, strip};
use super::scope::Scope;
use crate::report::Report;

/// What the surroundings ask of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Its value: a bare name is taken.
    Value,
    /// To look at it in place.
    Read,
    /// To change it in place.
    Write,
}

/// What hides a use from the macro's eyes.
#[derive(Debug, Clone)]
pub(crate) enum Veil {
    /// A closure.
    Closure(TokenStream),
    /// A macro that is not known to evaluate its tokens as expressions.
    Macro(syn::Path),
}

/// One occurrence of a name that is bound outside the statement.
#[derive(Debug, Clone)]
pub(crate) struct Occurrence {
    /// The entry in the scope.
    pub(crate) entry: usize,
    /// The field path.
    pub(crate) path: Vec<String>,
    /// What is asked of it.
    pub(crate) want: Want,
    /// Whether the user wrote `&x`, `&mut x` or the bare name, not a method call, index or comparison.
    pub(crate) explicit: bool,
    /// The user's tokens.
    pub(crate) tokens: TokenStream,
    /// Number of the innermost statement that it belongs to.
    pub(crate) stmt: usize,
    /// The construct that may or may not run it, or may run it several times.
    pub(crate) control: Option<&'static str>,
    /// What keeps the macro from reading it.
    pub(crate) veil: Option<Veil>,
    /// Whether it is an argument of a call that also gets `cx`.
    pub(crate) lent_with_cx: bool,
    /// The entry whose value it is moved into by a method call or an assignment.
    pub(crate) into: Option<usize>,
}

impl Occurrence {
    /// Where it stands.
    pub(crate) fn span(&self) -> Span {
        self.tokens.span()
    }
}

/// How a name enters a node, and so how its occurrences are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// As it is.
    Same,
    /// Behind a reference: the place `(*x)`.
    Lent,
    /// As it is, but a read is written `(*&x.a)`, so that it can only read.
    Guarded,
}

/// The walk.
pub(crate) struct Walk<'a> {
    /// Bindings of the body.
    pub(crate) scope: &'a Scope,
    /// The user's name for the context.
    pub(crate) cx: &'a Ident,
    /// What was found.
    pub(crate) found: Vec<Occurrence>,
    /// The places at which the context is passed on, with the construct around it.
    pub(crate) passes_cx: Vec<Option<&'static str>>,
    /// Ways to write names; none while collecting.
    pub(crate) entries: Option<&'a HashMap<usize, Entry>>,
    /// Whether the statement is a node.
    pub(crate) node: bool,
    /// Mistakes.
    pub(crate) report: &'a mut Report,
    pub(super) locals: Vec<Ident>,
    pub(super) veil: Option<Veil>,
    pub(super) control: Vec<&'static str>,
    pub(super) labels: Vec<Option<Ident>>,
    pub(super) stmt: usize,
    pub(super) statements: usize,
    lent_with_cx: bool,
}

impl<'a> Walk<'a> {
    /// A walk over one statement of the body.
    pub(crate) fn new(scope: &'a Scope, cx: &'a Ident, node: bool, report: &'a mut Report) -> Self {
        Walk {
            scope,
            cx,
            found: Vec::new(),
            passes_cx: Vec::new(),
            entries: None,
            node,
            report,
            locals: Vec::new(),
            veil: None,
            control: Vec::new(),
            labels: Vec::new(),
            stmt: 0,
            statements: 0,
            lent_with_cx: false,
        }
    }

    /// Walks an expression of which the surroundings want something.
    pub(crate) fn expr(&mut self, e: &mut Expr, want: Want, explicit: bool) {
        if self.occurrence(e, want, explicit) {
            return;
        }
        match e {
            Expr::Paren(p) => self.expr(&mut p.expr, want, explicit),
            Expr::Group(g) => self.expr(&mut g.expr, want, explicit),
            Expr::Field(f) => self.expr(&mut f.base, place_want(want), false),
            Expr::Index(i) => {
                self.expr(&mut i.expr, place_want(want), false);
                self.expr(&mut i.index, Want::Read, false);
            }
            Expr::Unary(u) => {
                let inner = match u.op {
                    UnOp::Deref(_) => place_want(want),
                    _ => self.operand(),
                };
                self.expr(&mut u.expr, inner, false);
            }
            Expr::Reference(r) => {
                let want = if r.mutability.is_some() { Want::Write } else { Want::Read };
                self.expr(&mut r.expr, want, true);
            }
            Expr::RawAddr(r) => {
                let want = if matches!(r.mutability, syn::PointerMutability::Mut(_)) {
                    Want::Write
                } else {
                    Want::Read
                };
                self.expr(&mut r.expr, want, true);
            }
            Expr::Binary(b) => self.binary(b),
            Expr::Assign(a) => self.assign(a),
            Expr::Call(c) => {
                self.expr(&mut c.func, Want::Read, false);
                self.arguments(None, &mut c.args);
            }
            Expr::MethodCall(m) => self.method(m),
            Expr::Struct(s) => self.structure(s),
            Expr::Cast(c) => self.expr(&mut c.expr, Want::Read, false),
            Expr::Range(r) => {
                for end in [&mut r.start, &mut r.end].into_iter().flatten() {
                    self.expr(end, Want::Read, false);
                }
            }
            Expr::Macro(m) => macros::walk(self, &mut m.mac),
            Expr::Closure(c) => self.closure(c),
            other => self.flow(other, want),
        }
    }

    /// Notes (or rewrites) an expression that is a place of the body.
    fn occurrence(&mut self, e: &mut Expr, want: Want, explicit: bool) -> bool {
        let Some((root, path)) = chain(e) else { return false };
        if self.locals.contains(&root) {
            return true;
        }
        if root == *self.cx && path.is_empty() {
            if self.veil.is_some() || explicit && want == Want::Value && !self.lent_with_cx && !self.node {
                self.cx_escapes(&root);
            }
            self.passes_cx.push(self.control.last().copied());
            return true;
        }
        let Some(entry) = self.scope.find(&root) else { return true };
        if let Some(entries) = self.entries {
            rewrite(e, entries.get(&entry).copied().unwrap_or(Entry::Same), want, explicit);
        } else {
            self.note(entry, path, want, explicit, e.to_token_stream());
        }
        true
    }

    fn cx_escapes(&mut self, cx: &Ident) {
        if self.entries.is_none() && !self.node {
            self.report.help(
                cx,
                format_args!(
                    "`{cx}` is kept under another name or in a closure, so its uses cannot be followed"
                ),
                format_args!("pass `{cx}` itself to each call that needs it"),
            );
        }
    }

    /// Notes an occurrence that has no expression of its own to rewrite.
    pub(super) fn note(
        &mut self,
        entry: usize,
        path: Vec<String>,
        want: Want,
        explicit: bool,
        tokens: TokenStream,
    ) {
        self.found.push(Occurrence {
            entry,
            path,
            want,
            explicit,
            tokens,
            stmt: self.stmt,
            control: self.control.last().copied(),
            veil: self.veil.clone(),
            lent_with_cx: self.lent_with_cx,
            into: None,
        });
    }

    pub(super) fn values<'e>(&mut self, list: impl Iterator<Item = &'e mut Expr>) {
        list.for_each(|x| self.expr(x, Want::Value, true));
    }

    /// Operands of arithmetic: tensors cannot be reached without `cx`, so on the host they are numbers.
    fn operand(&self) -> Want {
        if self.node { Want::Value } else { Want::Read }
    }

    fn binary(&mut self, b: &mut syn::ExprBinary) {
        let operand = self.operand();
        match b.op {
            BinOp::Eq(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Ne(_) | BinOp::Ge(_) | BinOp::Gt(_) => {
                self.expr(&mut b.left, Want::Read, false);
                self.expr(&mut b.right, Want::Read, false);
            }
            BinOp::And(_) | BinOp::Or(_) => {
                self.expr(&mut b.left, Want::Read, false);
                self.within("`&&` or `||`", |w| w.expr(&mut b.right, Want::Read, false));
            }
            ref op if is_assignment(op) => {
                self.expr(&mut b.left, Want::Write, true);
                self.expr(&mut b.right, operand, true);
            }
            _ => {
                self.expr(&mut b.left, operand, true);
                self.expr(&mut b.right, operand, true);
            }
        }
    }

    fn assign(&mut self, a: &mut syn::ExprAssign) {
        let before = self.found.len();
        self.expr(&mut a.right, Want::Value, true);
        let moved = self.found.len();
        self.expr(&mut a.left, Want::Write, true);
        self.moved_into(before..moved, &a.left);
    }

    fn arguments(
        &mut self,
        receiver: Option<&Expr>,
        args: &mut syn::punctuated::Punctuated<Expr, syn::Token![,]>,
    ) {
        let outer = self.lent_with_cx;
        let names_cx =
            |e: &Expr| chain(strip(e)).is_some_and(|(root, path)| root == *self.cx && path.is_empty());
        self.lent_with_cx = outer || receiver.is_some_and(names_cx) || args.iter().any(names_cx);
        self.values(args.iter_mut());
        self.lent_with_cx = outer;
    }

    fn method(&mut self, m: &mut syn::ExprMethodCall) {
        let method = m.method.to_string();
        let want = if method.starts_with("into_") {
            Want::Value
        } else if method.ends_with("_mut") {
            Want::Write
        } else {
            Want::Read
        };
        let receiver = (*m.receiver).clone();
        self.expr(&mut m.receiver, want, false);
        let before = self.found.len();
        self.arguments(Some(&receiver), &mut m.args);
        let moved = self.found.len();
        self.moved_into(before..moved, &receiver);
    }

    /// On the host, a value given to `target` makes `target` hold it from here on.
    fn moved_into(&mut self, moved: std::ops::Range<usize>, target: &Expr) {
        let Some((root, path)) = root_of(target) else { return };
        if self.node || self.locals.contains(&root) {
            return;
        }
        let Some(entry) = self.scope.find(&root) else { return };
        let mut any = false;
        for occurrence in self.found[moved].iter_mut().filter(|o| o.want == Want::Value && o.entry != entry) {
            occurrence.into.get_or_insert(entry);
            any = true;
        }
        if any {
            self.note(entry, path, Want::Write, false, target.to_token_stream());
        }
    }

    fn structure(&mut self, s: &mut syn::ExprStruct) {
        for field in &mut s.fields {
            self.expr(&mut field.expr, Want::Value, true);
            if field.colon_token.is_none() && !is_member(&field.expr, &field.member) {
                field.colon_token = Some(syn::Token![:](field.member.span()));
            }
        }
        s.rest.iter_mut().for_each(|rest| self.expr(rest, Want::Value, true));
    }

    fn closure(&mut self, c: &mut syn::ExprClosure) {
        let outer = self.veil.clone();
        let head = &c.inputs_begin;
        let tail = &c.inputs_end;
        let inputs = &c.inputs;
        self.veil.get_or_insert(Veil::Closure(quote!(#head #inputs #tail)));
        let labels = std::mem::take(&mut self.labels);
        self.scoped(|w| {
            c.inputs.iter_mut().for_each(|p| w.bind(p));
            w.expr(&mut c.body, Want::Value, true);
        });
        self.labels = labels;
        self.veil = outer;
    }
}

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
use super::place::{chain, is_assignment, is_member, place_want, rewrite, strip};
use super::scope::{Binding, Scope, same};
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
    /// Out of what something may be put into it.
    pub(crate) from: Vec<Given>,
    /// How it stands where only its type says whether a value is taken.
    pub(crate) typed: Option<Typed>,
}

/// Where a name stands so that its type decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typed {
    /// `f(..)` takes, changes or reads `f`.
    Called,
    /// `*x` takes a box and copies from behind a reference.
    Dereferenced,
    /// `x.method()` of a name that says nothing reads `x`, or changes it if it is borrowed by `&mut`.
    Asked,
}

/// What may have been given away by a part of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Given {
    /// The entry in the scope.
    pub(crate) entry: usize,
    /// Whether only a method of a name that says nothing was called (see [`Typed::Asked`]).
    pub(crate) asked: bool,
}

/// A name bound within the statement.
pub(crate) struct Local {
    pub(super) ident: Ident,
    /// Out of what its value may have come.
    pub(super) from: Vec<Given>,
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
    /// As it is, but written so that rustc enforces what the syntax is taken for: a read as `(*&x.a)`, so that it
    /// can only read; a field by value so that it is moved or copied, never lent on as the `&mut` that it may be.
    /// What lies behind a reference can only be copied.
    Guarded { borrowed: bool },
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
    pub(super) locals: Vec<Local>,
    /// What was given away so far, by value, by `&mut` or by a method that takes out, in order.
    pub(super) given: Vec<Given>,
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
            given: Vec::new(),
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
                if matches!(u.op, UnOp::Deref(_)) {
                    self.typed(&mut u.expr, want, Typed::Dereferenced);
                } else {
                    self.expr(&mut u.expr, self.operand(), false);
                }
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
                let before = self.found.len();
                self.expr(&mut r.expr, want, true);
                self.no_pointer(before, &r.and_token);
            }
            Expr::Binary(b) => self.binary(b),
            Expr::Assign(a) => self.assign(a),
            Expr::Call(c) => {
                self.typed(&mut c.func, Want::Value, Typed::Called);
                self.arguments(None, &mut c.args);
            }
            Expr::MethodCall(m) => self.method(m),
            Expr::Struct(s) => self.structure(s),
            Expr::Cast(c) => {
                let before = self.found.len();
                self.expr(&mut c.expr, Want::Read, false);
                if matches!(*c.ty, syn::Type::Ptr(_)) {
                    self.no_pointer(before, &c.ty);
                }
            }
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

    /// Refuses a pointer made by the host to what was found since `before`: nobody could follow it.
    fn no_pointer(&mut self, before: usize, tokens: &dyn ToTokens) {
        let tensor = |o: &&Occurrence| !matches!(self.scope.entry(o.entry).1, Binding::Plain);
        let Some(pointed) = self.found[before..].iter().find(tensor).filter(|_| !self.node) else { return };
        let name = pointed.tokens.to_string().replace(' ', "");
        self.report.help(
            tokens.to_token_stream(),
            format_args!("a raw pointer to `{name}` would outlive its lease unseen"),
            format_args!(
                "borrow it with `&{name}` where it is used, or make the pointer inside the node that uses it"
            ),
        );
    }

    /// Notes (or rewrites) an expression that is a place of the body.
    fn occurrence(&mut self, e: &mut Expr, want: Want, explicit: bool) -> bool {
        let Some((root, path)) = chain(e) else { return false };
        if let Some(local) = self.locals.iter().rfind(|l| same(&l.ident, &root)) {
            if want != Want::Read {
                self.given.extend_from_slice(&local.from);
            }
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
            // On the host only the receivers of methods are seen to be written (see `method`).
            let explicit = explicit || !self.node && want == Want::Read;
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
        if want != Want::Read {
            self.given.push(Given { entry, asked: false });
        }
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
            from: Vec::new(),
            typed: None,
        });
    }

    /// A name whose type decides what its use comes to; a place within one is looked at in place.
    fn typed(&mut self, e: &mut Expr, want: Want, typed: Typed) {
        if want != Want::Value || !matches!(e, Expr::Path(_)) {
            return self.expr(e, place_want(want), false);
        }
        let before = self.found.len();
        self.expr(e, want, false);
        if let Some(occurrence) = self.found.get_mut(before) {
            occurrence.typed = Some(typed);
        }
    }

    /// A name bound within the statement, whose value may come from what was given since `mark`.
    pub(super) fn local(&mut self, ident: Ident, mark: usize) {
        let from = self.given.get(mark..).unwrap_or_default().to_vec();
        self.locals.push(Local { ident, from });
    }

    pub(super) fn is_local(&self, ident: &Ident) -> bool {
        self.locals.iter().any(|l| same(&l.ident, ident))
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

    pub(super) fn arguments(
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

    fn structure(&mut self, s: &mut syn::ExprStruct) {
        for field in &mut s.fields {
            self.expr(&mut field.expr, Want::Value, true);
            spell_out(field);
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
            c.inputs.iter_mut().for_each(|p| w.bind(p, usize::MAX));
            w.expr(&mut c.body, Want::Value, true);
        });
        self.labels = labels;
        self.veil = outer;
    }
}

/// A field in short form that is no longer its bare name gets its colon.
pub(super) fn spell_out(field: &mut syn::FieldValue) {
    if field.colon_token.is_none() && !is_member(&field.expr, &field.member) {
        field.colon_token = Some(syn::Token![:](field.member.span()));
    }
}

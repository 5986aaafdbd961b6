//! Finds every occurrence of a name in an expression, with what the syntax asks of it.
//!
//! One walk serves twice: it collects [`Occurrence`]s, and, given an [`Entry`] for each name, it writes them as the
//! name's way into the node asks. So both see the same scopes. The walk knows no types; what it assumes from the
//! syntax is what the emitted code makes rustc enforce.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, Pat, Stmt, UnOp, parse_quote, parse_quote_spanned};

use super::macros;
use super::scope::{Scope, member};
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
    control: Vec<&'static str>,
    labels: Vec<Option<Ident>>,
    stmt: usize,
    statements: usize,
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

    /// Expressions that run other expressions or hold a list of them.
    fn flow(&mut self, e: &mut Expr, want: Want) {
        match e {
            Expr::Array(a) => self.values(a.elems.iter_mut()),
            Expr::Tuple(t) => t.elems.iter_mut().for_each(|x| self.expr(x, want, true)),
            Expr::Repeat(r) => self.values([&mut *r.expr, &mut *r.len].into_iter()),
            Expr::Try(t) => self.expr(&mut t.expr, Want::Value, true),
            Expr::Let(l) => {
                self.expr(&mut l.expr, Want::Read, false);
                self.bind(&mut l.pat);
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
                self.report.at(a.async_token, "an `async` block inside a chunk is not planned");
            }
            Expr::Const(_) | Expr::Infer(_) | Expr::Lit(_) | Expr::Path(_) => {}
            Expr::Await(_) | Expr::Yield(_) | Expr::TryBlock(_) => {} // refused with the body as a whole
            other => macros::raw_tokens(self, &other.to_token_stream(), &parse_quote!(these_tokens)),
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

    fn values<'e>(&mut self, list: impl Iterator<Item = &'e mut Expr>) {
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
        self.expr(&mut m.expr, Want::Read, false);
        for arm in &mut m.arms {
            self.within("`match`", |w| {
                w.scoped(|w| {
                    w.bind(&mut arm.pat);
                    w.statement(|w| w.expr(&mut arm.body, Want::Value, true));
                });
            });
        }
    }

    fn for_loop(&mut self, l: &mut syn::ExprForLoop) {
        self.expr(&mut l.expr, Want::Value, true);
        let label = l.label.as_ref().map(|l| l.name.ident.clone());
        self.repeated("`for`", label, |w| {
            w.scoped(|w| {
                w.bind(&mut l.pat);
                w.block(&mut l.body);
            });
        });
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
                if let Some(init) = &mut local.init {
                    let unnamed = matches!(local.pat, Pat::Wild(_));
                    let want = if unnamed { Want::Read } else { Want::Value };
                    self.expr(&mut init.expr, want, !unnamed);
                    if let Some((_, diverge)) = &mut init.diverge {
                        self.within("`let .. else`", |w| w.expr(diverge, Want::Value, true));
                    }
                }
                self.bind(&mut local.pat);
            }
            Stmt::Expr(e, _) => self.expr(e, Want::Value, true),
            Stmt::Macro(m) => macros::walk(self, &mut m.mac),
            Stmt::Item(_) => {}
        }
    }

    /// Brings a pattern's names into the inner scope.
    pub(crate) fn bind(&mut self, pat: &mut Pat) {
        for ident in super::pattern::idents(pat) {
            if ident == *self.cx && self.entries.is_none() {
                self.report.help(
                    &ident,
                    format_args!("`{ident}` is the chunk's context and cannot be bound anew"),
                    "give this binding another name",
                );
            }
            self.locals.push(ident);
        }
        if let Pat::Guard(guard) = pat {
            self.expr(&mut guard.guard, Want::Read, false);
        }
    }

    fn scoped(&mut self, inner: impl FnOnce(&mut Self)) {
        let mark = self.locals.len();
        inner(self);
        self.locals.truncate(mark);
    }

    fn within(&mut self, construct: &'static str, inner: impl FnOnce(&mut Self)) {
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

/// A place expression inside another: taking a part out of an index or a dereference only reads the whole.
fn place_want(want: Want) -> Want {
    if want == Want::Write { Want::Write } else { Want::Read }
}

fn is_assignment(op: &BinOp) -> bool {
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

fn is_member(e: &Expr, name: &syn::Member) -> bool {
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
fn root_of(e: &Expr) -> Option<(Ident, Vec<String>)> {
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
fn rewrite(e: &mut Expr, entry: Entry, want: Want, explicit: bool) {
    match entry {
        Entry::Same => {}
        Entry::Lent => lend_root(e),
        Entry::Guarded if want == Want::Read && !explicit => {
            let place = std::mem::replace(e, Expr::PLACEHOLDER);
            *e = parse_quote_spanned!(place.span()=> (*&#place));
        }
        Entry::Guarded => {}
    }
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

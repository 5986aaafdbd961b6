//! Statements that branch, repeat or leave.
//!
//! Each becomes a [`Branch`], a [`Loop`] or a host step with an exit; its blocks are walked as the body is. What a
//! condition, a scrutinee or an iterated value does to places stands in a [`Head`]. The names of a pattern are made by
//! the block that it opens, or are derived from what is looked at (see [`super::derive`]).

use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Label, Lifetime, Local, Pat, Stmt};

use super::derive::Source;
use super::host::guard;
use super::scope::{Binding, Born, Derived};
use super::walk::Want;
use super::{Body, Tail, pattern, pattern_names};
use crate::body::{
    Block, BlockIx, Branch, BranchKind, BranchSyntax, BranchValue, Exit, Head, Host, Loop, LoopKind,
    LoopSyntax, NameIx, PlaceIx, Step, StepIx,
};
use crate::check;

/// What the arms of a branch give for its value.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The steps that give it.
    pub(super) steps: Vec<StepIx>,
    /// Whether some of them give storage.
    pub(super) storage: bool,
    /// What the values are references to, if they are.
    pub(super) of: Vec<Option<Derived>>,
}

/// A construct that is a step of its own.
fn is_structured(expr: &Expr) -> bool {
    match expr {
        Expr::If(_) | Expr::Match(_) | Expr::Unsafe(_) => true,
        Expr::Block(b) => b.label.is_none(),
        _ => false,
    }
}

impl Body<'_> {
    /// A statement that is no node.
    pub(super) fn without_on(&mut self, stmt: Stmt, tail: Tail) {
        match stmt {
            Stmt::Expr(expr, semi) if is_structured(&expr) => {
                let tail = if semi.is_some() { Tail::Dropped } else { tail };
                let value = match tail {
                    Tail::Dropped => BranchValue::Dropped(semi),
                    Tail::Chunk | Tail::Passed | Tail::Bound => BranchValue::Passed,
                };
                let tail = if tail == Tail::Chunk { Tail::Passed } else { tail };
                if let Some(branch) = self.structured(expr, tail, value) {
                    self.push(Step::Branch(branch));
                }
            }
            Stmt::Local(local) if local.init.as_ref().is_some_and(|i| i.diverge.is_some()) => {
                self.let_else(local)
            }
            Stmt::Local(local) if local.init.as_ref().is_some_and(|i| is_structured(&i.expr)) => {
                self.bound(local)
            }
            Stmt::Expr(expr @ (Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_)), _) => self.looped(expr),
            Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _) => self.exit(stmt),
            other => {
                if !check::host::nested_nodes(&other, false, self.report) {
                    self.host(other, tail);
                }
            }
        }
    }

    /// `let pattern = if .. {..} else {..};`
    fn bound(&mut self, local: Local) {
        let Local { pat, init, .. } = local;
        let Some(init) = init else { return };
        self.given.push(Given::default());
        let branch = self.structured(*init.expr, Tail::Bound, BranchValue::Bound(pat.clone()));
        let given = self.given.pop().unwrap_or_default();
        let Some(mut branch) = branch else { return };
        branch.binds_at = Some(given.steps.clone());
        branch.syntax.attrs = local.attrs;
        self.push(Step::Branch(branch));
        let derived = Derived::all(&given.of);
        if given.storage && derived.is_none() {
            pattern::every_part_named(&pat, self.report);
        }
        let (idents, plain) = pattern_names(&pat);
        let born = Rc::new(Born::Several(self.block(), given.steps));
        for ident in idents {
            if let Some(derived) = &derived {
                self.not_cx(&ident);
                self.hide(&ident, derived);
                self.scope.bind(ident, Binding::Derived(Rc::new(derived.clone())));
            } else if plain {
                self.bind_plain(ident);
            } else {
                self.bind_host(ident, &born);
                if given.storage {
                    self.follow(self.scope.last());
                }
            }
        }
    }

    /// `let pattern = value else {..};`
    fn let_else(&mut self, local: Local) {
        let Local { pat, init, attrs, .. } = local;
        let Some((mut value, diverge)) = init.and_then(|i| Some((*i.expr, i.diverge?.1))) else { return };
        let step = self.step();
        if check::host::nested_nodes(&Stmt::Expr(value.clone(), None), false, self.report) {
            return;
        }
        let (head, source) = self.looked_at(&mut value, &[&pat]);
        let made = self.step();
        let matched = self.arm(|body| {
            let stmt = Stmt::Expr(Expr::PLACEHOLDER, None);
            body.push(Step::Host(Host { stmt, ..Host::none(made) }));
        });
        let otherwise = self.arm(|body| body.arm_body(&diverge, Tail::Dropped));
        let syntax = BranchSyntax {
            kind: BranchKind::LetElse(pat.clone(), value),
            value: BranchValue::Dropped(None),
            attrs,
        };
        let (binds, binds_at) = (Vec::new(), Some(vec![made]));
        let arms = vec![matched, otherwise];
        self.push(Step::Branch(Branch { step, head, arms, binds, binds_at, keeps: Vec::new(), syntax }));
        let born = Rc::new(Born::Several(self.block(), vec![made]));
        self.bind_pattern(&pat, &source, &born);
    }

    /// A branch, whose arms give what `tail` says.
    fn structured(&mut self, expr: Expr, tail: Tail, value: BranchValue) -> Option<Branch> {
        match expr {
            Expr::If(e) => self.branch_if(e, tail, value),
            Expr::Match(e) => self.branch_match(e, tail, value),
            Expr::Block(e) => Some(self.branch_block(e.attrs, &e.block, false, tail, value)),
            Expr::Unsafe(e) => Some(self.branch_block(e.attrs, &e.block, true, tail, value)),
            _ => None,
        }
    }

    fn branch_block(
        &mut self,
        attrs: Vec<syn::Attribute>,
        block: &syn::Block,
        is_unsafe: bool,
        tail: Tail,
        value: BranchValue,
    ) -> Branch {
        let (step, head) = (self.step(), Head { step: self.step(), ..Head::default() });
        let arm = self.arm(|body| body.statements(&block.stmts, tail));
        let syntax = BranchSyntax { kind: BranchKind::Block(is_unsafe), value, attrs };
        Branch { step, head, arms: vec![arm], binds: Vec::new(), binds_at: None, keeps: Vec::new(), syntax }
    }

    fn branch_if(&mut self, e: syn::ExprIf, tail: Tail, value: BranchValue) -> Option<Branch> {
        let step = self.step();
        let mut cond = *e.cond;
        if check::host::nested_nodes(&Stmt::Expr(cond.clone(), None), false, self.report) {
            return None;
        }
        let (head, patterns) = self.condition(&mut cond);
        let mut keeps = Vec::new();
        let then = self.arm(|body| {
            keeps = body.bind_patterns(&patterns);
            body.statements(&e.then_branch.stmts, tail);
        });
        let has_else = e.else_branch.is_some();
        let otherwise = self.arm(|body| match e.else_branch {
            None => {}
            Some((_, other)) => body.arm_body(&other, tail),
        });
        let syntax = BranchSyntax { kind: BranchKind::If(cond, has_else), value, attrs: e.attrs };
        let arms = vec![then, otherwise];
        Some(Branch { step, head, arms, binds: Vec::new(), binds_at: None, keeps, syntax })
    }

    fn branch_match(&mut self, e: syn::ExprMatch, tail: Tail, value: BranchValue) -> Option<Branch> {
        let step = self.step();
        let mut scrutinee = *e.expr;
        if check::host::nested_nodes(&Stmt::Expr(scrutinee.clone(), None), false, self.report) {
            return None;
        }
        let patterns: Vec<&Pat> = e.arms.iter().map(|a| &a.pat).collect();
        let (mut head, source) = self.looked_at(&mut scrutinee, &patterns);
        let (mut arms, mut keeps, mut written) = (Vec::new(), Vec::new(), Vec::new());
        for arm in e.arms {
            let (mut pat, mut guard) = (arm.pat, None);
            if let Pat::Guard(guarded) = pat {
                guard = Some(*guarded.guard);
                pat = *guarded.pat;
            }
            arms.push(self.arm(|body| {
                keeps.extend(body.bind_patterns(&[(pat.clone(), source.clone())]));
                if let Some(guard) = &mut guard {
                    body.head_of(&mut head, guard);
                }
                body.arm_body(&arm.body, tail);
            }));
            written.push((pat, guard));
        }
        let syntax = BranchSyntax { kind: BranchKind::Match(scrutinee, written), value, attrs: e.attrs };
        Some(Branch { step, head, arms, binds: Vec::new(), binds_at: None, keeps, syntax })
    }

    /// An arm that is an expression: a block's statements, or one statement.
    fn arm_body(&mut self, expr: &Expr, tail: Tail) {
        match expr {
            Expr::Block(b) if b.label.is_none() && b.attrs.is_empty() => {
                self.statements(&b.block.stmts, tail)
            }
            other => self.statement(Stmt::Expr(other.clone(), None), tail),
        }
    }

    fn looped(&mut self, expr: Expr) {
        let span = expr.span();
        let (step, ix) = (self.step(), self.counts.loops);
        self.counts.loops += 1;
        let (mut once, mut each) = (Head::default(), Head::default());
        let mut patterns = Vec::new();
        let (kind, label, attrs, block) = match expr {
            Expr::Loop(e) => (LoopKind::Loop, e.label, e.attrs, e.body),
            Expr::While(e) => {
                let mut cond = *e.cond;
                self.no_nodes(&cond);
                (each, patterns) = self.condition(&mut cond);
                (LoopKind::While(cond), e.label, e.attrs, e.body)
            }
            Expr::ForLoop(e) => {
                let mut over = *e.expr;
                self.no_nodes(&over);
                let (head, source) = self.looked_at(&mut over, &[&e.pat]);
                once = head;
                patterns.push(((*e.pat).clone(), source.items()));
                (LoopKind::For(*e.pat, over), e.label, e.attrs, e.body)
            }
            _ => return,
        };
        if once.step == 0 {
            once.step = self.step();
        }
        if each.step == 0 {
            each.step = self.step();
        }
        if self.loops.len() == streamlease_plan::MAX_DEPTH {
            let keyword = syn::Ident::new(kind.name(), span);
            self.report.help(
                keyword,
                format_args!(
                    "more than {} loops within each other are not planned",
                    streamlease_plan::MAX_DEPTH
                ),
                "move the inner loops into a chunk of their own, and call it with `cx`",
            );
        }
        self.loops.push((ix, label.as_ref().map(|l: &Label| l.name.ident.clone())));
        let body = self.arm(|body| {
            body.bind_patterns(&patterns);
            body.statements(&block.stmts, Tail::Dropped);
        });
        self.loops.pop();
        let ends = !matches!(kind, LoopKind::Loop);
        let syntax = LoopSyntax { kind, label, attrs };
        self.push(Step::Loop(Loop { step, ix, once, each, ends, body, syntax }));
    }

    fn no_nodes(&mut self, expr: &Expr) {
        check::host::nested_nodes(&Stmt::Expr(expr.clone(), None), false, self.report);
    }

    /// `return`, `break` or `continue`.
    fn exit(&mut self, mut stmt: Stmt) {
        if check::host::nested_nodes(&stmt, false, self.report) {
            return;
        }
        let step = self.step();
        let exit = match &stmt {
            Stmt::Expr(Expr::Break(b), _) => {
                if let Some(value) = &b.expr {
                    let help = "declare a name before the loop and assign to it";
                    self.report.help(value, "a loop with a value is not planned", help);
                }
                self.target(b.label.as_ref()).map(Exit::Break)
            }
            Stmt::Expr(Expr::Continue(c), _) => self.target(c.label.as_ref()).map(Exit::Continue),
            _ => Some(Exit::Return),
        };
        let mut host = Host { exit, ..Host::none(step) };
        if let Stmt::Expr(Expr::Return(r), _) = &mut stmt
            && let Some(value) = &mut r.expr
        {
            let found = self.walked(|walk| walk.expr(value, Want::Value, true));
            self.refuse_found(&quote::quote!(#value), &found);
            let effects = self.effects(&found.0, true);
            self.guarded(&found, |walk| walk.expr(value, Want::Value, true));
            (host.uses, host.mentions) = (effects.uses, effects.mentions);
        }
        host.stmt = stmt;
        self.push(Step::Host(host));
    }

    /// The loop that a label, or none, means.
    fn target(&self, label: Option<&Lifetime>) -> Option<usize> {
        let meant =
            |(_, name): &&(usize, Option<Ident>)| label.is_none_or(|l| name.as_ref() == Some(&l.ident));
        self.loops.iter().rev().find(meant).map(|(ix, _)| *ix)
    }

    /// Opens a block, walks it and closes it.
    fn arm(&mut self, inner: impl FnOnce(&mut Self)) -> Block {
        let ix: BlockIx = self.counts.blocks;
        self.counts.blocks += 1;
        let mark = self.scope.len();
        self.open.push(Block { ix, ..Block::default() });
        inner(self);
        self.scope.leave(mark);
        self.unset.retain(|&entry| entry < mark);
        self.open.pop().unwrap_or_default()
    }

    /// A condition: what it does, and the patterns that hold where it does.
    fn condition(&mut self, cond: &mut Expr) -> (Head, Vec<(Pat, Source)>) {
        let mut head = Head { step: self.step(), ..Head::default() };
        let mut patterns = Vec::new();
        let mark = self.scope.len();
        let mut parts = Vec::new();
        conjuncts(cond, &mut parts);
        let single = parts.len() == 1;
        for part in parts {
            let Expr::Let(l) = part else {
                self.head_of(&mut head, part);
                continue;
            };
            let source = self.source(&l.expr);
            self.looks(&mut head, &mut l.expr, &source, &[&l.pat]);
            if !single {
                // What follows in the chain sees these names, and may refer to what they stand for.
                let binding = match &source {
                    Source::Places(d) => Binding::Derived(Rc::new(Derived { exact: false, ..d.clone() })),
                    _ => Binding::Plain,
                };
                for ident in pattern::idents(&l.pat) {
                    self.scope.bind(ident, binding.clone());
                }
            }
            patterns.push(((*l.pat).clone(), source));
        }
        self.scope.leave(mark);
        (head, patterns)
    }

    /// A scrutinee, or what a `for` goes over.
    fn looked_at(&mut self, value: &mut Expr, patterns: &[&Pat]) -> (Head, Source) {
        let mut head = Head { step: self.step(), ..Head::default() };
        let source = self.source(value);
        self.looks(&mut head, value, &source, patterns);
        (head, source)
    }

    /// Adds what an expression that is looked at in place, or taken apart, does.
    fn looks(&mut self, head: &mut Head, value: &mut Expr, source: &Source, patterns: &[&Pat]) {
        let binds = patterns.iter().any(|p| !pattern::bound(p).is_empty());
        let taken = matches!(source, Source::Owned) && binds;
        if taken {
            patterns.iter().filter(|p| !pattern::bound(p).is_empty()).for_each(|p| {
                pattern::nothing_left_behind(p, self.report);
            });
        }
        let want = if taken || matches!(source, Source::Other | Source::Parts(_) | Source::Plain) {
            Want::Value
        } else {
            Want::Read
        };
        let found = self.walked(|walk| walk.expr(value, want, true));
        self.refuse_found(&value.to_token_stream(), &found);
        let effects = self.effects(&found.0, false);
        self.guarded(&found, |walk| walk.expr(value, want, true));
        if effects.looks && matches!(source, Source::Other) && super::place::chain(value).is_none() {
            guard(value);
        }
        head.uses.extend(effects.uses);
        head.mentions.extend(effects.mentions);
    }

    /// Adds what a condition or guard does.
    fn head_of(&mut self, head: &mut Head, value: &mut Expr) {
        let found = self.walked(|walk| walk.expr(value, Want::Read, false));
        self.refuse_found(&value.to_token_stream(), &found);
        let effects = self.effects(&found.0, false);
        self.guarded(&found, |walk| walk.expr(value, Want::Read, false));
        head.uses.extend(effects.uses);
        head.mentions.extend(effects.mentions);
    }

    /// Binds the names of patterns at the start of a block. Returns the places of names that they hide.
    fn bind_patterns(&mut self, patterns: &[(Pat, Source)]) -> Vec<PlaceIx> {
        let mut hidden = Vec::new();
        for (pat, source) in patterns {
            for ident in pattern::bound(pat) {
                if let Some(name) = self.scope.find(&ident).and_then(|entry| self.followed(entry)) {
                    hidden.push(self.tables.place(name, Vec::new()));
                }
            }
            let born = Rc::new(Born::Block(self.block()));
            self.bind_pattern(pat, source, &born);
        }
        hidden
    }

    /// Names made at the start of the innermost block.
    pub(super) fn makes_here(&mut self, name: NameIx) {
        if let Some(block) = self.open.last_mut() {
            block.makes.push(name);
        }
    }
}

/// The parts of `a && b && c`, in order.
fn conjuncts<'e>(cond: &'e mut Expr, parts: &mut Vec<&'e mut Expr>) {
    if matches!(cond, Expr::Binary(b) if matches!(b.op, BinOp::And(_))) {
        let Expr::Binary(b) = cond else { return };
        conjuncts(&mut b.left, parts);
        conjuncts(&mut b.right, parts);
    } else {
        parts.push(cond);
    }
}

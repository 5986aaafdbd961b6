//! What a statement gives away and what receives it: assignments and method calls.
//!
//! Whatever a part of a host statement gives away (by value, by `&mut`, by a method that takes out) may end up in
//! what that part is assigned to, or in what the method is called on that has it as an argument. Names bound within
//! the statement hand on what they were given. Invariant: a place that may hold another storage after a host
//! statement is written by it.

use std::ops::Range;

use quote::ToTokens;
use syn::Expr;

use super::methods;
use super::place::{chain, read_only, root_of};
use super::scope::same;
use super::walk::{Entry, Given, Occurrence, Typed, Walk, Want, spell_out};

impl Walk<'_> {
    pub(super) fn assign(&mut self, a: &mut syn::ExprAssign) {
        let (before, mark) = (self.found.len(), self.given.len());
        // `_ = x` moves nothing.
        let value = if matches!(*a.left, Expr::Infer(_)) { Want::Read } else { Want::Value };
        self.expr(&mut a.right, value, true);
        let (moved, given) = (self.found.len(), self.given.len());
        self.assignee(&mut a.left);
        self.moved_into(before..moved, mark..given, &a.left);
    }

    /// The left side of an assignment: every place in it is written.
    fn assignee(&mut self, e: &mut Expr) {
        match e {
            Expr::Paren(p) => self.assignee(&mut p.expr),
            Expr::Tuple(t) => t.elems.iter_mut().for_each(|e| self.assignee(e)),
            Expr::Array(a) => a.elems.iter_mut().for_each(|e| self.assignee(e)),
            Expr::Call(c) => c.args.iter_mut().for_each(|e| self.assignee(e)),
            Expr::Struct(s) => {
                s.fields.iter_mut().for_each(|f| {
                    self.assignee(&mut f.expr);
                    spell_out(f);
                });
            }
            Expr::Range(r) if r.start.is_none() && r.end.is_none() => {}
            Expr::Infer(_) => {}
            // It is written after all else has been done: `x = f(cx, &x)?`.
            place => self.expr(place, Want::Write, false),
        }
    }

    pub(super) fn method(&mut self, m: &mut syn::ExprMethodCall) {
        let method = m.method.to_string();
        let want = if method.starts_with("into_") || methods::TAKE.contains(&&*method) {
            Want::Value
        } else if method.ends_with("_mut") || !self.node && methods::CHANGE.contains(&&*method) {
            Want::Write
        } else {
            Want::Read
        };
        let receiver = (*m.receiver).clone();
        let found = self.found.len();
        self.expr(&mut m.receiver, want, false);
        if !self.node && want == Want::Read {
            self.asked(&method, &receiver, &mut m.receiver, found);
        }
        let (before, mark) = (self.found.len(), self.given.len());
        self.arguments(Some(&receiver), &mut m.args);
        self.moved_into(before..self.found.len(), mark..self.given.len(), &receiver);
    }

    /// A method on the host whose name does not say that it takes or changes. Rustc makes sure that it only reads;
    /// what is borrowed by `&mut` may have methods that change it, if they are not known to read.
    fn asked(&mut self, method: &str, asked: &Expr, receiver: &mut Expr, found: usize) {
        let Some((root, _)) = chain(asked).filter(|(root, _)| !self.is_local(root)) else { return };
        let Some(entry) = self.scope.find(&root) else { return };
        let reads = methods::reads(method);
        match self.entries.map(|entries| entries.get(&entry)) {
            Some(Some(&Entry::Guarded { borrowed })) if reads || !borrowed => read_only(receiver),
            Some(_) => {}
            None if reads => {}
            None => {
                self.given.push(Given { entry, asked: true });
                self.found[found..].iter_mut().for_each(|o| o.typed = Some(Typed::Asked));
            }
        }
    }

    /// On the host, what is given to `target` makes `target` hold it from here on. `moved` are the occurrences
    /// that stand in what is given.
    fn moved_into(&mut self, moved: Range<usize>, given: Range<usize>, target: &Expr) {
        let Some((root, path)) = root_of(target) else { return };
        if self.node || self.entries.is_some() {
            return;
        }
        let given = self.given[given].to_vec();
        if let Some(local) = self.locals.iter_mut().rfind(|l| same(&l.ident, &root)) {
            return local.from.extend(given);
        }
        let Some(entry) = self.scope.find(&root) else { return };
        let from: Vec<Given> = given.into_iter().filter(|g| g.entry != entry).collect();
        if from.is_empty() {
            return;
        }
        let by_way = |(at, o): &(usize, &mut Occurrence)| {
            moved.contains(at) || from.iter().any(|g| g.entry == o.entry)
        };
        let taken =
            self.found.iter_mut().enumerate().filter(|(_, o)| o.want == Want::Value && o.entry != entry);
        taken.filter(by_way).for_each(|(_, o)| {
            o.into.get_or_insert(entry);
        });
        self.note(entry, path, Want::Write, false, target.to_token_stream());
        if let Some(noted) = self.found.last_mut() {
            noted.from = from;
        }
    }
}

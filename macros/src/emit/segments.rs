//! Where a long body is divided.
//!
//! For every statement of a coroutine rustc looks at all pairs of its locals that may be in use; in one `async` block
//! that grows with the cube of the nodes. So a long body is a block within a block within a block: each is the tail of
//! the one before, sees its own names and those that it captures, and is short.
//!
//! A block captures names where it begins, all at once, which is stricter than code that names them one after the
//! other. Hence the rule of this file: **no border lies where a block's captures could be refused though the body in
//! one piece is not.** There are two such kinds.
//! - A name that has no value at the border and gets one behind it (`let y;`, or moved out and assigned anew).
//! - A name `g` that may borrow from another, `n`, where both are used behind the border and `n` is moved or written
//!   there, be it after `g`'s last use.
//!
//! Types are not known here, so both are judged by what the syntax admits. A stretch without a border costs rustc's
//! time and nothing else. Outputs of nodes own what they are and borrow from nothing; so do values behind
//! `host_value`. Items are seen by the whole block that they stand in, so they go to the front of the body.

mod mentions;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Expr, Local, Pat, Stmt, Type};

use crate::body::{Chunk, Host, HostMode, Origin, Step, Target};
use crate::resolve::{pattern, scope};
use crate::signature::Function;
use mentions::{Mentions, is_assigned_whole};

/// Nodes of a segment, unless the chunk would have more than [`SEGMENTS`].
const SEGMENT: usize = 32;

/// Most segments: each lies within the one before, and rustc's depth of queries is limited.
const SEGMENTS: usize = 24;

/// The steps before which a segment begins, ascending; none for a short body.
pub(super) fn borders(function: &Function, chunk: &Chunk) -> BTreeSet<usize> {
    let nodes = chunk.nodes().count();
    let mut borders = BTreeSet::new();
    if nodes <= SEGMENT || !is_simple(chunk) {
        return borders;
    }
    let whole = whole(function, chunk);
    let length = SEGMENT.max(nodes.div_ceil(SEGMENTS));
    let mut since = 0;
    for (ix, step) in chunk.body.steps.iter().enumerate() {
        if since >= length && !whole[ix] {
            borders.insert(ix);
            since = 0;
        }
        since += usize::from(matches!(step, Step::Node(_)));
    }
    borders
}

/// A straight line without derived names. Others are not divided: what a branch does to its names, and what a derived
/// name borrows from, is not looked into here.
fn is_simple(chunk: &Chunk) -> bool {
    chunk.body.steps.iter().all(|step| match step {
        Step::Node(node) => node.renews.is_empty(),
        Step::Host(host) => host.exit.is_none() && !host.derives,
        Step::Branch(_) | Step::Loop(_) => false,
    })
}

/// By step, whether no border may lie before it.
fn whole(function: &Function, chunk: &Chunk) -> Vec<bool> {
    let mut whole = vec![false; chunk.body.steps.len()];
    let matters = |step: &Step| match step {
        Step::Host(Host { stmt: Stmt::Local(_), .. }) => true,
        Step::Host(host) => mentions::assigns(&host.stmt),
        _ => false,
    };
    if !chunk.body.steps.iter().any(matters) {
        return whole;
    }
    let mut names = Names::new(function, chunk);
    for (ix, step) in chunk.body.steps.iter().enumerate() {
        names.step(ix, step);
    }
    for (from, to) in names.unset.iter().copied().chain(names.borrowed()) {
        whole[from + 1..=to].fill(true);
    }
    whole
}

/// A local name of the body.
#[derive(Debug, Default)]
struct Name {
    /// The last step that mentions it, and whether it does no more there than to borrow it.
    last: usize,
    lent_last: bool,
    /// It may be written.
    mutable: bool,
    /// The plan may move it where it ends.
    ends: bool,
    /// Its value evidently borrows from nothing and is copied, not moved.
    number: bool,
    /// It is a `&`: copied, and never written through.
    shared: bool,
    /// A host statement bound it.
    host: bool,
    /// Since when it may have no value.
    unset: Option<usize>,
    /// What it may borrow from, and since which step.
    sources: Vec<(usize, usize)>,
}

struct Names {
    all: Vec<Name>,
    /// Which name an identifier means at this point.
    meant: HashMap<Ident, usize>,
    /// Owned names that the plan follows.
    followed: HashSet<Ident>,
    /// Stretches (a step; a later one) in which a name may have no value that it gets at their end.
    unset: Vec<(usize, usize)>,
}

impl Names {
    fn new(function: &Function, chunk: &Chunk) -> Names {
        let outside = |origin| matches!(origin, Origin::Shared | Origin::Exclusive);
        let followed = chunk.names.iter().filter(|n| !outside(n.origin)).map(|n| n.ident.unraw()).collect();
        let (all, meant, unset) = (Vec::new(), HashMap::new(), Vec::new());
        let mut names = Names { all, meant, followed, unset };
        for param in function.params.iter().filter(|p| !p.is_cx) {
            let number = param.ty.as_ref().is_some_and(is_number);
            let (exclusive, shared) = (param.origin == Origin::Exclusive, param.origin == Origin::Shared);
            let like = Name { number, shared, mutable: exclusive, ..Name::default() };
            match &param.pat {
                Some(pat) => names.bind(0, pat, &like),
                None => {
                    let mutable = function.sig.receiver().is_some_and(|r| r.mutability.is_some());
                    names.name(0, param.ident.clone(), mutable, &like);
                }
            }
        }
        names
    }

    fn bind(&mut self, step: usize, pat: &Pat, like: &Name) {
        for (ident, mutable) in mentions::bound(pat) {
            self.name(step, ident, mutable, like);
        }
    }

    fn name(&mut self, step: usize, ident: Ident, mutable: bool, like: &Name) {
        self.all.push(Name {
            last: step,
            mutable: mutable || like.mutable,
            ends: self.followed.contains(&ident.unraw()),
            sources: like.sources.clone(),
            ..*like
        });
        self.meant.insert(ident.unraw(), self.all.len() - 1);
    }

    fn step(&mut self, ix: usize, step: &Step) {
        let found = Mentions::of(step);
        let mut named = Vec::new();
        for (ident, lent) in &found.idents {
            let Some(&name) = self.meant.get(ident) else { continue };
            named.push(name);
            let entry = &mut self.all[name];
            entry.lent_last = *lent;
            entry.last = ix;
        }
        self.assignments(ix, step, &found, &named);
        match step {
            Step::Host(Host { stmt: Stmt::Local(local), .. }) => self.local(ix, step, local, named),
            Step::Host(_) => self.kept(ix, &named),
            Step::Node(node) => {
                if let Target::Bound(pat) = &node.syntax.target {
                    self.bind(ix, pat, &Name::default());
                }
            }
            Step::Branch(_) | Step::Loop(_) => {}
        }
    }

    /// Names that lose their value or get one.
    fn assignments(&mut self, ix: usize, step: &Step, found: &Mentions, named: &[usize]) {
        let assigned: Vec<usize> = found.assigned.iter().filter_map(|i| self.meant.get(i).copied()).collect();
        for &name in &assigned {
            if let Some(since) = self.all[name].unset {
                self.unset.push((since, ix));
            }
        }
        let surely = matches!(step, Step::Host(host) if is_assigned_whole(&host.stmt));
        for &name in named {
            let entry = &mut self.all[name];
            if surely && assigned.contains(&name) {
                entry.unset = None;
            } else if !(entry.number || entry.lent_last) {
                entry.unset.get_or_insert(ix);
            }
        }
    }

    /// A `let` of the host.
    fn local(&mut self, ix: usize, step: &Step, local: &Local, named: Vec<usize>) {
        let init = local.init.as_ref().map(|init| &*init.expr);
        let number = pattern::untyped(&local.pat).1.is_some_and(is_number) || init.is_some_and(counts);
        let owns = number || matches!(step, Step::Host(host) if self.is_guarded(host));
        let sources = if owns { Vec::new() } else { named.into_iter().map(|name| (name, ix)).collect() };
        let unset = init.is_none().then_some(ix);
        self.bind(ix, &local.pat, &Name { number, unset, sources, host: true, ..Name::default() });
    }

    /// Whether the statement's value stands behind `host_value`.
    fn is_guarded(&self, host: &Host) -> bool {
        !host.mentions.is_empty()
            || host.uses.iter().any(|u| matches!(u.mode, HostMode::Lend | HostMode::LendMut))
    }

    /// What a statement may put into the host's own names (`list.push(&x)`).
    fn kept(&mut self, ix: usize, named: &[usize]) {
        for &name in named {
            let entry = &mut self.all[name];
            if entry.host && entry.mutable && !entry.number {
                entry.sources.extend(named.iter().filter(|&&n| n != name).map(|&n| (n, ix)));
            }
        }
    }

    /// Stretches in which a name may hold a borrow that would stand in the way.
    fn borrowed(&self) -> Vec<(usize, usize)> {
        let mut stretches = Vec::new();
        for (ix, name) in self.all.iter().enumerate() {
            for &(source, since) in &name.sources {
                for source in self.origins(source).into_iter().filter(|&s| s != ix) {
                    let source = &self.all[source];
                    let goes = !source.number && (source.ends || !source.lent_last);
                    let to = name.last.min(source.last);
                    if !source.shared && (source.mutable || goes) && since < to {
                        stretches.push((since, to));
                    }
                }
            }
        }
        stretches
    }

    /// A name and all that it may borrow from, through others too.
    fn origins(&self, name: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([name]);
        let mut open = vec![name];
        while let Some(name) = open.pop() {
            open.extend(self.all[name].sources.iter().map(|s| s.0).filter(|&s| found.insert(s)));
        }
        found
    }
}

/// Whether a type is evidently copied and borrows from nothing.
fn is_number(ty: &Type) -> bool {
    const OWNERS: [&str; 4] = ["String", "Vec", "Box", "str"];
    match ty {
        Type::Path(path) => {
            let owner = path.path.segments.last().is_none_or(|s| {
                OWNERS.iter().any(|o| s.ident == o) || !matches!(s.arguments, syn::PathArguments::None)
            });
            scope::evidently_plain(ty) && !owner
        }
        Type::Paren(paren) => is_number(&paren.elem),
        Type::Group(group) => is_number(&group.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_number),
        Type::Array(array) => is_number(&array.elem),
        _ => false,
    }
}

/// Whether an expression is evidently a number, or a literal.
fn counts(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Paren(e) => counts(&e.expr),
        Expr::Unary(e) => counts(&e.expr),
        Expr::Binary(e) => counts(&e.left) && counts(&e.right),
        Expr::Cast(e) => is_number(&e.ty),
        Expr::MethodCall(e) => e.args.is_empty() && ["len", "is_empty"].iter().any(|m| e.method == m),
        _ => false,
    }
}

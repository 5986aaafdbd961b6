//! Syntax to the shared tree: names to bindings, uses to modes, control flow to branches and loops, and names
//! rewritten as their modes ask.
//!
//! The body is walked once, in host order, because shadowing makes the meaning of a name a matter of position. A
//! host binding is followed only from the moment that it matters ([`scope::Binding::Host`]), so numbers that no
//! node sees stay out of the plan.

mod derive;
mod flow;
mod host;
mod macros;
mod methods;
mod moves;
mod node;
pub(crate) mod pattern;
pub(crate) mod place;
pub(crate) mod scope;
#[cfg(test)]
mod tests;
pub(crate) mod walk;
mod within;

use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::Ident;
use syn::{Expr, Pat, Stmt, Type};

use crate::body::{
    Block, BlockIx, Chunk, Counts, LoopIx, Mode, NameIx, Origin, Place, PlaceIx, Step, StepIx,
};
use crate::check;
use crate::parse::{ChunkArgs, take_on};
use crate::report::Report;
use crate::signature::{Function, origin};
use scope::{Binding, Born, Derived, Scope, Tables, evidently_plain};
use walk::Occurrence;

/// Makes the tree of a function.
///
/// A host name is followed from where the text first shows that it matters. Where control goes back or apart, what
/// the text has before that may run after it, or on a path of its own, so there the body is walked again with what was
/// found out, until nothing is added.
pub(crate) fn resolve(function: &Function, args: &ChunkArgs, report: &mut Report) -> Chunk {
    check::body::check(&function.block, report);
    let mut matters = BTreeSet::new();
    loop {
        let mut found = Report::default();
        let (chunk, met) = walk(function, args, &matters, &mut found);
        let parts = chunk.counts.blocks > 1 || chunk.body.steps.iter().any(is_declaration);
        if !parts || met.is_subset(&matters) {
            report.extend(found);
            return chunk;
        }
        matters.extend(met);
    }
}

/// `let x;`
fn is_declaration(step: &Step) -> bool {
    matches!(step, Step::Host(host) if matches!(&host.stmt, Stmt::Local(local) if local.init.is_none()))
}

/// Walks the body once. `matters` are the numbers of host names that are followed at once. Also returns those of all
/// that were followed.
fn walk(
    function: &Function,
    args: &ChunkArgs,
    matters: &BTreeSet<usize>,
    report: &mut Report,
) -> (Chunk, BTreeSet<usize>) {
    let mut body = Body {
        args,
        cx: function.cx.clone(),
        scope: Scope::default(),
        tables: Tables::default(),
        open: vec![Block::default()],
        counts: Counts { blocks: 1, ..Counts::default() },
        loops: Vec::new(),
        late: Vec::new(),
        unset: Vec::new(),
        given: Vec::new(),
        matters,
        met: BTreeSet::new(),
        report,
    };
    body.parameters(function);
    body.statements(&function.block.stmts, Tail::Chunk);
    let mut root = body.open.pop().unwrap_or_default();
    for (born, name) in body.late {
        place_late(&mut root, &born, name);
    }
    let chunk = Chunk {
        name: function.title(),
        streams: args.streams.clone(),
        cx: function.cx.clone(),
        names: body.tables.names,
        places: body.tables.places,
        body: root,
        counts: body.counts,
    };
    (chunk, body.met)
}

/// Writes a name that is followed only since its value was found to matter where the value comes from.
fn place_late(block: &mut Block, born: &Born, name: NameIx) {
    match born {
        Born::Block(ix) if *ix == block.ix => block.makes.push(name),
        _ => {}
    }
    let steps = match born {
        Born::Block(_) => &[][..],
        Born::Step(_, step) => std::slice::from_ref(step),
        Born::Several(_, steps) => steps,
    };
    for step in &mut block.steps {
        let ix = step.ix();
        match step {
            Step::Host(h) if steps.contains(&ix) => h.makes.push(name),
            Step::Node(n) if steps.contains(&ix) => n.makes.push(name),
            Step::Branch(b) if !steps.is_empty() && b.binds_at.as_deref() == Some(steps) => {
                b.binds.push(name)
            }
            _ => {}
        }
        blocks_mut(step).iter_mut().for_each(|b| place_late(b, born, name));
    }
}

fn blocks_mut(step: &mut Step) -> &mut [Block] {
    match step {
        Step::Node(_) | Step::Host(_) => &mut [],
        Step::Branch(b) => &mut b.arms,
        Step::Loop(l) => std::slice::from_mut(&mut l.body),
    }
}

/// `s.a.b`, as messages and plans spell a place.
pub(crate) fn place_text(root: &str, path: &[String]) -> String {
    std::iter::once(root).chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
}

/// The body while it is walked.
struct Body<'a> {
    args: &'a ChunkArgs,
    cx: Ident,
    scope: Scope,
    tables: Tables,
    /// The blocks around the point of the walk, outermost first.
    open: Vec<Block>,
    counts: Counts,
    /// The loops around the point of the walk, outermost first.
    loops: Vec<(LoopIx, Option<Ident>)>,
    /// Names that were followed after the step or block that makes them was done.
    late: Vec<(Rc<Born>, NameIx)>,
    /// Entries declared without a value that the text has given none so far.
    unset: Vec<usize>,
    /// For each branch around whose value is bound: what its arms have given so far.
    given: Vec<flow::Given>,
    /// The numbers of those that are followed at once, and of those that were followed.
    matters: &'a BTreeSet<usize>,
    met: BTreeSet<usize>,
    report: &'a mut Report,
}

/// What becomes of a block's last expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// It is the chunk's value.
    Chunk,
    /// It is the value of an inner block that is passed on as the chunk's.
    Passed,
    /// It is the value of an inner block that is bound by `let`.
    Bound,
    /// Nothing.
    Dropped,
}

impl Body<'_> {
    fn parameters(&mut self, function: &Function) {
        for param in function.params.iter().filter(|p| !p.is_cx) {
            match (&param.pat, &param.ty) {
                (Some(pat), Some(ty)) => self.parameter(pat, ty),
                _ => {
                    self.bind(param.ident.clone(), false, param.origin);
                }
            }
        }
    }

    /// The names of a parameter, each with what its own part of the type says.
    fn parameter(&mut self, pat: &Pat, ty: &Type) {
        match (pattern::untyped(pat).0, ty) {
            (pat, Type::Group(syn::TypeGroup { elem, .. }) | Type::Paren(syn::TypeParen { elem, .. })) => {
                self.parameter(pat, elem);
            }
            (Pat::Tuple(pats), Type::Tuple(types)) if pats.elems.len() == types.elems.len() => {
                pats.elems.iter().zip(&types.elems).for_each(|(pat, ty)| self.parameter(pat, ty));
            }
            (pat, ty) => {
                for ident in pattern::idents(pat) {
                    self.bind(ident, evidently_plain(ty), origin(ty));
                }
            }
        }
    }

    /// Brings a binding into scope that is followed at once, unless it is evidently plain.
    fn bind(&mut self, ident: Ident, plain: bool, origin: Origin) -> Option<NameIx> {
        if plain {
            self.bind_plain(ident);
            return None;
        }
        self.not_cx(&ident);
        let name = self.tables.name(ident.clone(), origin, self.block());
        self.scope.bind(ident, Binding::Followed(name));
        Some(name)
    }

    /// Brings a name into scope that holds no tensor.
    fn bind_plain(&mut self, ident: Ident) {
        self.not_cx(&ident);
        self.scope.bind(ident, Binding::Plain);
    }

    /// Brings a name of the host into scope, whose value comes from `born`.
    fn bind_host(&mut self, ident: Ident, born: &Rc<Born>) {
        self.not_cx(&ident);
        let number = self.scope.next();
        self.scope.bind(ident, Binding::Host(born.clone(), number));
        if self.matters.contains(&number) {
            self.follow(self.scope.last());
        }
    }

    fn not_cx(&mut self, ident: &Ident) {
        if *ident == self.cx {
            self.report.help(
                ident,
                format_args!("`{ident}` is the chunk's context and cannot be bound anew"),
                "give this binding another name",
            );
        }
    }

    /// The number of the innermost block.
    fn block(&self) -> BlockIx {
        self.open.last().map_or(0, |b| b.ix)
    }

    /// Numbers the next step.
    fn step(&mut self) -> StepIx {
        self.counts.steps += 1;
        self.counts.steps - 1
    }

    fn push(&mut self, step: Step) {
        if let Some(block) = self.open.last_mut() {
            block.steps.push(step);
        }
    }

    fn statements(&mut self, stmts: &[Stmt], tail: Tail) {
        let last = stmts.len().saturating_sub(1);
        for (i, stmt) in stmts.iter().enumerate() {
            self.statement(stmt.clone(), if i == last { tail } else { Tail::Dropped });
        }
    }

    fn statement(&mut self, mut stmt: Stmt, tail: Tail) {
        let on = statement_attrs(&mut stmt).and_then(|attrs| {
            let marked = attrs.iter().any(crate::parse::is_on);
            let on = take_on(attrs, self.report);
            marked.then_some(on)
        });
        match on {
            Some(on) => {
                let nested = check::host::nested_nodes(&stmt, true, self.report);
                // Where the attribute itself was refused nothing more is said.
                if let (Some(on), false) = (on, nested) {
                    self.node(on, stmt, tail);
                }
            }
            None => self.without_on(stmt, tail),
        }
    }

    /// The binding of an occurrence, followed from now on.
    fn follow(&mut self, entry: usize) -> Option<NameIx> {
        let (ident, binding) = self.scope.entry(entry);
        match binding {
            Binding::Plain | Binding::Derived(_) => None,
            Binding::Followed(name) => Some(*name),
            Binding::Host(born, number) => {
                self.met.insert(*number);
                let (ident, born) = (ident.clone(), born.clone());
                let (block, origin) = match &*born {
                    Born::Block(block) => (*block, Origin::Host(0)),
                    Born::Step(block, step) => (*block, Origin::Host(*step)),
                    Born::Several(block, _) => (*block, Origin::Several),
                };
                let name = self.tables.name(ident, origin, block);
                self.late.push((born, name));
                self.scope.follow(entry, name);
                Some(name)
            }
        }
    }

    /// The binding of an occurrence, if it is followed already.
    fn followed(&self, entry: usize) -> Option<NameIx> {
        match self.scope.entry(entry).1 {
            Binding::Followed(name) => Some(*name),
            _ => None,
        }
    }

    /// What an entry stands for, if it is a reference to places.
    fn derived(&self, entry: usize) -> Option<Rc<Derived>> {
        match self.scope.entry(entry).1 {
            Binding::Derived(derived) => Some(derived.clone()),
            _ => None,
        }
    }

    /// Whether an occurrence concerns the plan.
    fn concerns(&self, entry: usize) -> bool {
        matches!(self.scope.entry(entry).1, Binding::Followed(_) | Binding::Derived(_))
    }

    /// The places that an occurrence means. With `follow`, its binding is followed from now on.
    fn places(&mut self, occurrence: &Occurrence, follow: bool) -> Vec<PlaceIx> {
        if let Some(derived) = self.derived(occurrence.entry) {
            let inner = derived.exact && !occurrence.path.is_empty();
            return derived
                .of
                .iter()
                .map(|&p| if inner { self.inner(p, &occurrence.path) } else { p })
                .collect();
        }
        let name = if follow { self.follow(occurrence.entry) } else { self.followed(occurrence.entry) };
        name.map(|name| self.place_of(name, occurrence)).into_iter().collect()
    }

    /// The place at a path within another.
    fn inner(&mut self, place: PlaceIx, path: &[String]) -> PlaceIx {
        let Place { name, path: mut whole } = self.tables.places[place].clone();
        whole.extend(path.iter().cloned());
        self.tables.place(name, whole)
    }

    /// How an entry's value is held, as a parameter would be.
    fn origin(&self, entry: usize) -> Option<Origin> {
        match self.scope.entry(entry).1 {
            Binding::Followed(name) => Some(self.tables.names[*name].origin),
            Binding::Derived(d) => Some(if d.exclusive { Origin::Item } else { Origin::Shared }),
            Binding::Plain | Binding::Host(..) => None,
        }
    }

    fn root(&self, entry: usize) -> String {
        self.scope.entry(entry).0.to_string()
    }

    fn place_of(&mut self, name: NameIx, occurrence: &Occurrence) -> PlaceIx {
        self.tables.place(name, occurrence.path.clone())
    }

    /// What an occurrence comes to, by what is asked and how the binding holds its value.
    fn mode(origin: Origin, occurrence: &Occurrence) -> Mode {
        match occurrence.want {
            walk::Want::Read => Mode::Read,
            walk::Want::Write => Mode::Write,
            walk::Want::Value if origin.is_exclusive() && lends_on(occurrence) => Mode::Write,
            walk::Want::Value if origin.is_borrowed() => Mode::Read,
            walk::Want::Value => Mode::Consume,
        }
    }
}

/// Whether a `&mut` name is passed on as it is. Its fields, and what is behind it, can only be copied.
fn lends_on(occurrence: &Occurrence) -> bool {
    occurrence.path.is_empty() && occurrence.typed != Some(walk::Typed::Dereferenced)
}

/// The names of a `let` pattern and whether the user gave it an evidently plain type.
fn pattern_names(pat: &Pat) -> (Vec<Ident>, bool) {
    let plain = pattern::untyped(pat).1.is_some_and(|ty: &Type| evidently_plain(ty));
    (pattern::idents(pat), plain)
}

/// The attributes of a statement, wherever the parser has put them.
fn statement_attrs(stmt: &mut Stmt) -> Option<&mut Vec<syn::Attribute>> {
    match stmt {
        Stmt::Local(local) => Some(&mut local.attrs),
        Stmt::Macro(mac) => Some(&mut mac.attrs),
        Stmt::Expr(e, _) => expr_attrs(e),
        Stmt::Item(_) => None,
    }
}

/// On `a = b`, `a += b` and `a as T` the parser puts a statement's attributes on the leftmost operand.
fn expr_attrs(e: &mut Expr) -> Option<&mut Vec<syn::Attribute>> {
    Some(match e {
        Expr::Assign(e) => return expr_attrs(&mut e.left),
        Expr::Binary(e) => return expr_attrs(&mut e.left),
        Expr::Cast(e) => return expr_attrs(&mut e.expr),
        Expr::Array(e) => &mut e.attrs,
        Expr::Await(e) => &mut e.attrs,
        Expr::Block(e) => &mut e.attrs,
        Expr::Call(e) => &mut e.attrs,
        Expr::Field(e) => &mut e.attrs,
        Expr::ForLoop(e) => &mut e.attrs,
        Expr::If(e) => &mut e.attrs,
        Expr::Index(e) => &mut e.attrs,
        Expr::Loop(e) => &mut e.attrs,
        Expr::Macro(e) => &mut e.attrs,
        Expr::Match(e) => &mut e.attrs,
        Expr::MethodCall(e) => &mut e.attrs,
        Expr::Paren(e) => &mut e.attrs,
        Expr::Path(e) => &mut e.attrs,
        Expr::Reference(e) => &mut e.attrs,
        Expr::Return(e) => &mut e.attrs,
        Expr::Struct(e) => &mut e.attrs,
        Expr::Try(e) => &mut e.attrs,
        Expr::Tuple(e) => &mut e.attrs,
        Expr::Unary(e) => &mut e.attrs,
        Expr::Unsafe(e) => &mut e.attrs,
        Expr::While(e) => &mut e.attrs,
        _ => return None,
    })
}

//! Syntax to the shared tree: names to bindings, uses to modes, and names rewritten as their modes ask.
//!
//! The body is walked once, in host order, because shadowing makes the meaning of a name a matter of position. A
//! host binding is followed only from the moment that it matters ([`scope::Binding::Host`]), so numbers that no
//! node sees stay out of the plan.

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

use proc_macro2::Ident;
use syn::{Expr, Pat, Stmt, Type};

use crate::body::{Chunk, Mode, NameIx, Origin, PlaceIx, Step};
use crate::check;
use crate::parse::{ChunkArgs, take_on};
use crate::report::Report;
use crate::signature::{Function, origin};
use scope::{Binding, Scope, Tables, evidently_plain};
use walk::Occurrence;

/// Makes the tree of a function.
pub(crate) fn resolve(function: &Function, args: &ChunkArgs, report: &mut Report) -> Chunk {
    check::body::check(&function.block, report);
    let mut body = Body {
        args,
        cx: function.cx.clone(),
        scope: Scope::default(),
        tables: Tables::default(),
        steps: Vec::new(),
        nodes: 0,
        report,
    };
    body.parameters(function);
    let last = function.block.stmts.len().saturating_sub(1);
    for (i, stmt) in function.block.stmts.iter().enumerate() {
        body.statement(stmt.clone(), i == last);
    }
    Chunk {
        name: function.title(),
        streams: args.streams.clone(),
        cx: function.cx.clone(),
        names: body.tables.names,
        places: body.tables.places,
        steps: body.steps,
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
    steps: Vec<Step>,
    nodes: usize,
    report: &'a mut Report,
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
        if ident == self.cx {
            self.report.help(
                &ident,
                format_args!("`{ident}` is the chunk's context and cannot be bound anew"),
                "give this binding another name",
            );
        }
        if plain {
            self.scope.bind(ident, Binding::Plain);
            return None;
        }
        let name = self.tables.name(ident.clone(), origin);
        self.scope.bind(ident, Binding::Followed(name));
        Some(name)
    }

    fn statement(&mut self, mut stmt: Stmt, last: bool) {
        let on = statement_attrs(&mut stmt).and_then(|attrs| {
            let marked = attrs.iter().any(crate::parse::is_on);
            let on = take_on(attrs, self.report);
            marked.then_some(on)
        });
        let nested = check::host::nested_nodes(&stmt, on.is_some(), self.report);
        match on {
            Some(Some(on)) => self.node(on, stmt, last),
            Some(None) => {} // its attribute was refused
            None if nested => {}
            None => self.host(stmt, last),
        }
    }

    /// The binding of an occurrence, followed from now on.
    fn follow(&mut self, entry: usize) -> Option<NameIx> {
        let (ident, binding) = self.scope.entry(entry);
        match *binding {
            Binding::Plain => None,
            Binding::Followed(name) => Some(name),
            Binding::Host(step) => {
                let name = self.tables.name(ident.clone(), Origin::Host(step));
                if let Some(Step::Host(host)) = self.steps.get_mut(step) {
                    host.makes.push(name);
                }
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

    fn root(&self, entry: usize) -> String {
        self.scope.entry(entry).0.to_string()
    }

    fn place_of(&mut self, name: NameIx, occurrence: &Occurrence) -> PlaceIx {
        self.tables.place(name, occurrence.path.clone())
    }

    /// What an occurrence comes to, by what is asked and where the binding comes from.
    fn mode(&self, name: NameIx, occurrence: &Occurrence) -> Mode {
        match (occurrence.want, self.tables.names[name].origin) {
            (walk::Want::Read, _) => Mode::Read,
            (walk::Want::Write, _) => Mode::Write,
            (walk::Want::Value, Origin::Shared) => Mode::Read,
            (walk::Want::Value, Origin::Exclusive) if lends_on(occurrence) => Mode::Write,
            (walk::Want::Value, Origin::Exclusive) => Mode::Read,
            (walk::Want::Value, _) => Mode::Consume,
        }
    }
}

/// Whether a `&mut` parameter is passed on as it is. Its fields, and what is behind it, can only be copied.
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

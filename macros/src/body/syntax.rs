//! How the steps of a chunk are written: what `emit` needs and no other phase looks at.

use proc_macro2::{Span, TokenStream};

/// How a branch is written. The arms stand in [`Branch::arms`].
#[derive(Debug)]
pub(crate) struct BranchSyntax {
    /// What it is.
    pub(crate) kind: BranchKind,
    /// What becomes of its value.
    pub(crate) value: BranchValue,
    /// Attributes.
    pub(crate) attrs: Vec<syn::Attribute>,
}

/// The construct.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one a construct")]
pub(crate) enum BranchKind {
    /// `if cond {..} else {..}`; whether there is an `else`.
    If(syn::Expr, bool),
    /// `match scrutinee { pattern if guard => .. }`.
    Match(syn::Expr, Vec<(syn::Pat, Option<syn::Expr>)>),
    /// `let pattern = value else {..}`; the arms are "matched" and `else`.
    LetElse(syn::Pat, syn::Expr),
    /// `{ .. }` or `unsafe { .. }`.
    Block(bool),
}

impl BranchSyntax {
    /// What the plan calls the arms.
    pub(crate) fn arm_names(&self) -> Box<dyn Iterator<Item = &'static str>> {
        match self.kind {
            BranchKind::If(..) => Box::new(["if", "else"].into_iter()),
            BranchKind::Match(..) => Box::new(std::iter::once("match").chain(std::iter::repeat("or"))),
            BranchKind::LetElse(..) => Box::new(["let", "else"].into_iter()),
            BranchKind::Block(_) => Box::new(std::iter::once("block").chain(std::iter::repeat("or"))),
        }
    }
}

impl LoopSyntax {
    /// What the plan calls it.
    pub(crate) fn name(&self) -> &'static str {
        self.kind.name()
    }
}

impl LoopKind {
    /// Its keyword.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            LoopKind::Loop => "loop",
            LoopKind::While(_) => "while",
            LoopKind::For(..) => "for",
        }
    }
}

/// What becomes of a branch's value.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one a construct")]
pub(crate) enum BranchValue {
    /// It has none, or it is dropped; with the user's semicolon.
    Dropped(Option<syn::Token![;]>),
    /// `let pattern = ..`
    Bound(syn::Pat),
    /// It is the value of the block around, or of the chunk.
    Passed,
}

/// How a loop is written.
#[derive(Debug)]
pub(crate) struct LoopSyntax {
    /// What it is.
    pub(crate) kind: LoopKind,
    /// Its label.
    pub(crate) label: Option<syn::Label>,
    /// Attributes.
    pub(crate) attrs: Vec<syn::Attribute>,
}

/// The construct.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one a construct")]
pub(crate) enum LoopKind {
    /// `loop`
    Loop,
    /// `while cond`
    While(syn::Expr),
    /// `for pattern in expr`
    For(syn::Pat, syn::Expr),
}

/// The pieces of a node's statement. Names in `expr` are already written as their modes ask.
#[derive(Debug)]
pub(crate) struct NodeSyntax {
    /// Attributes other than `#[on]`: doc comments, `#[allow]`.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// What becomes of its value.
    pub(crate) target: Target,
    /// The node's expression, rewritten.
    pub(crate) expr: syn::Expr,
    /// Statements at the head of the node's block, one for each name that it uses: how it enters the node.
    pub(crate) lends: TokenStream,
    /// Where errors about the node as a whole point to.
    pub(crate) span: Span,
}

/// What becomes of a node's value.
#[derive(Debug)]
pub(crate) enum Target {
    /// Dropped in the node.
    Dropped,
    /// `let` with this pattern (and its type, if any).
    Bound(syn::Pat),
    /// Assigned to this place.
    Assigned(syn::Expr),
    /// The value of an inner block.
    Value,
    /// The value of the chunk.
    Tail,
}

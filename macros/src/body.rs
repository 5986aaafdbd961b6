//! The tree that the phases share: a chunk as nodes, host statements, names and places.
//!
//! Plain data. `resolve` makes it from syntax, `order` and `release` read it, `emit` walks it again to write the
//! function. Whatever a phase finds out goes into that phase's own result, never back into this tree.
//!
//! Three tables give every phase the same positions: [`Chunk::names`] (one entry a *binding*, so a shadowed name
//! has several), [`Chunk::places`] (a name and a field path, interned), and the nodes in host order
//! (see [`Chunk::nodes`]).

use proc_macro2::{Ident, Span, TokenStream};

/// Position of a binding in [`Chunk::names`].
pub type NameIx = usize;
/// Position of a place in [`Chunk::places`].
pub type PlaceIx = usize;
/// Number of a node in host order.
pub type NodeIx = usize;
/// Position of a stream in the attribute's list.
pub type StreamIx = usize;

/// A whole annotated function.
#[derive(Debug)]
pub struct Chunk {
    /// The function's name, with its type in front for methods.
    pub name: String,
    /// The streams of the attribute, in order.
    pub streams: Vec<Ident>,
    /// How the user calls the context.
    pub cx: Ident,
    /// Every binding that nodes or releases are concerned with.
    pub names: Vec<Name>,
    /// Every place that is used, interned; the bare name of each binding is among them.
    pub places: Vec<Place>,
    /// The body in host order.
    pub steps: Vec<Step>,
}

impl Chunk {
    /// The nodes in host order.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.steps.iter().filter_map(|s| match s {
            Step::Node(n) => Some(n),
            Step::Host(_) => None,
        })
    }
}

/// A binding.
#[derive(Debug, Clone)]
pub struct Name {
    /// The identifier as the user bound it.
    pub ident: Ident,
    /// Where its value comes from.
    pub origin: Origin,
}

/// Where a binding's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A by-value parameter (or by-value `self`).
    Owned,
    /// A `&` parameter (or `&self`).
    Shared,
    /// A `&mut` parameter (or `&mut self`).
    Exclusive,
    /// An output of a node.
    Node(NodeIx),
    /// Bound by a host statement that passes `cx` on. The number is the step's.
    Call(usize),
    /// Bound by any other host statement and used by a node later, or given a tensor by that statement.
    Host(usize),
}

/// A binding and a field path: `s`, `s.a.b`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The binding.
    pub name: NameIx,
    /// Field names or tuple positions; empty for the binding itself.
    pub path: Vec<String>,
}

impl Place {
    /// Whether a use of one is a use of the other: one path is a prefix of the other's.
    pub fn overlaps(&self, other: &Place) -> bool {
        self.name == other.name && self.path.iter().zip(&other.path).all(|(a, b)| a == b)
    }
}

/// How a node uses a place. Ordered by strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Borrowed.
    Read,
    /// Borrowed for writing.
    Write,
    /// Taken.
    Consume,
}

/// One use of a place by a node; a place occurs once a node, with its strongest mode.
#[derive(Debug, Clone)]
pub struct Use {
    /// What.
    pub place: PlaceIx,
    /// How.
    pub mode: Mode,
    /// Where the user wrote it.
    pub span: Span,
}

/// A statement of the body.
#[derive(Debug)]
pub enum Step {
    /// Device work on one stream.
    Node(Node),
    /// Anything else.
    Host(Host),
}

/// A statement under `#[on(..)]`.
#[derive(Debug)]
pub struct Node {
    /// Its number in host order.
    pub ix: NodeIx,
    /// The stream's position in the attribute's list.
    pub stream: StreamIx,
    /// What the plan calls it.
    pub label: String,
    /// Its uses in order of first appearance.
    pub uses: Vec<Use>,
    /// The bindings that it makes.
    pub makes: Vec<NameIx>,
    /// Its syntax, as `emit` needs it.
    pub syntax: NodeSyntax,
}

/// The pieces of a node's statement. Names in `expr` are already written as their modes ask.
#[derive(Debug)]
pub struct NodeSyntax {
    /// Attributes other than `#[on]`: doc comments, `#[allow]`.
    pub attrs: Vec<syn::Attribute>,
    /// `let` pattern (with its type, if any), or none for expression statements and the tail.
    pub pattern: Option<syn::Pat>,
    /// The node's expression, rewritten.
    pub expr: syn::Expr,
    /// Statements at the head of the node's block, one for each name that it uses: how it enters the node.
    pub lends: TokenStream,
    /// Whether it is the tail expression of the body.
    pub tail: bool,
    /// Where errors about the node as a whole point to.
    pub span: Span,
}

/// A host statement.
#[derive(Debug)]
pub struct Host {
    /// What it does with places, other than asking for metadata.
    pub uses: Vec<HostUse>,
    /// Places that it merely mentions: they must still be there.
    pub mentions: Vec<PlaceIx>,
    /// The bindings that it makes and that the plan follows.
    pub makes: Vec<NameIx>,
    /// Whether it passes `cx` on, so that what it makes and what it is lent may have been used on any stream.
    pub calls: bool,
    /// Whether it is the tail expression or a `return`.
    pub tail: bool,
    /// Its syntax, rewritten.
    pub stmt: syn::Stmt,
}

/// A use of a place by a host statement.
#[derive(Debug, Clone)]
pub struct HostUse {
    /// What.
    pub place: PlaceIx,
    /// How.
    pub mode: HostMode,
    /// Where the user wrote it.
    pub span: Span,
}

/// How a host statement uses a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostMode {
    /// Lent by `&` to a called chunk.
    Lend,
    /// Lent by `&mut` to a called chunk or to host code that may put another storage there.
    LendMut,
    /// Moved into a called chunk or into another value of the body.
    Move,
    /// Moved out of the chunk.
    HandOut,
}

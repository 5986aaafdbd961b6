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
pub(crate) type NameIx = usize;
/// Position of a place in [`Chunk::places`].
pub(crate) type PlaceIx = usize;
/// Number of a node in host order.
pub(crate) type NodeIx = usize;
/// Position of a stream in the attribute's list.
pub(crate) type StreamIx = usize;

/// A whole annotated function.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// The function's name, with its type in front for methods.
    pub(crate) name: String,
    /// The streams of the attribute, in order.
    pub(crate) streams: Vec<Ident>,
    /// How the user calls the context.
    pub(crate) cx: Ident,
    /// Every binding that nodes or releases are concerned with.
    pub(crate) names: Vec<Name>,
    /// Every place that is used, interned; the bare name of each binding is among them.
    pub(crate) places: Vec<Place>,
    /// The body in host order.
    pub(crate) steps: Vec<Step>,
}

impl Chunk {
    /// The nodes in host order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.steps.iter().filter_map(|s| match s {
            Step::Node(n) => Some(n),
            Step::Host(_) => None,
        })
    }
}

/// A binding.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    /// The identifier as the user bound it.
    pub(crate) ident: Ident,
    /// Where its value comes from.
    pub(crate) origin: Origin,
}

/// Where a binding's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
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
pub(crate) struct Place {
    /// The binding.
    pub(crate) name: NameIx,
    /// Field names or tuple positions; empty for the binding itself.
    pub(crate) path: Vec<String>,
}

impl Place {
    /// Whether a use of one is a use of the other: one path is a prefix of the other's.
    pub(crate) fn overlaps(&self, other: &Place) -> bool {
        self.name == other.name && self.path.iter().zip(&other.path).all(|(a, b)| a == b)
    }
}

/// How a node uses a place. Ordered by strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Mode {
    /// Borrowed.
    Read,
    /// Borrowed for writing.
    Write,
    /// Taken.
    Consume,
}

/// One use of a place by a node; a place occurs once a node, with its strongest mode.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    /// What.
    pub(crate) place: PlaceIx,
    /// How.
    pub(crate) mode: Mode,
}

/// A statement of the body.
#[derive(Debug)]
pub(crate) enum Step {
    /// Device work on one stream.
    Node(Node),
    /// Anything else.
    Host(Host),
}

/// A statement under `#[on(..)]`.
#[derive(Debug)]
pub(crate) struct Node {
    /// Its number in host order.
    pub(crate) ix: NodeIx,
    /// The stream's position in the attribute's list.
    pub(crate) stream: StreamIx,
    /// What the plan calls it.
    pub(crate) label: String,
    /// Its uses in order of first appearance.
    pub(crate) uses: Vec<Use>,
    /// The bindings that it makes.
    pub(crate) makes: Vec<NameIx>,
    /// Its syntax, as `emit` needs it.
    pub(crate) syntax: NodeSyntax,
}

/// The pieces of a node's statement. Names in `expr` are already written as their modes ask.
#[derive(Debug)]
pub(crate) struct NodeSyntax {
    /// Attributes other than `#[on]`: doc comments, `#[allow]`.
    pub(crate) attrs: Vec<syn::Attribute>,
    /// `let` pattern (with its type, if any), or none for expression statements and the tail.
    pub(crate) pattern: Option<syn::Pat>,
    /// The node's expression, rewritten.
    pub(crate) expr: syn::Expr,
    /// Statements at the head of the node's block, one for each name that it uses: how it enters the node.
    pub(crate) lends: TokenStream,
    /// Whether it is the tail expression of the body.
    pub(crate) tail: bool,
    /// Where errors about the node as a whole point to.
    pub(crate) span: Span,
}

/// A host statement.
#[derive(Debug)]
pub(crate) struct Host {
    /// What it does with places, other than asking for metadata.
    pub(crate) uses: Vec<HostUse>,
    /// Places that it merely mentions: they must still be there.
    pub(crate) mentions: Vec<PlaceIx>,
    /// The bindings that it makes and that the plan follows.
    pub(crate) makes: Vec<NameIx>,
    /// Whether it is the tail expression or a `return`.
    pub(crate) tail: bool,
    /// Its syntax, rewritten.
    pub(crate) stmt: syn::Stmt,
}

/// A use of a place by a host statement.
#[derive(Debug, Clone)]
pub(crate) struct HostUse {
    /// What.
    pub(crate) place: PlaceIx,
    /// How.
    pub(crate) mode: HostMode,
}

/// How a host statement uses a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostMode {
    /// Lent by `&` to a called chunk.
    Lend,
    /// Lent by `&mut` to a called chunk or to host code that may put another storage there.
    LendMut,
    /// Moved into a called chunk or into another value of the body.
    Move,
    /// Moved out of the chunk.
    HandOut,
}

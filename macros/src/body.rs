//! The tree that the phases share: a chunk as nodes, host statements, names and places.
//!
//! Plain data. `resolve` makes it from syntax, `order` and `release` read it, `emit` walks it again to write the
//! function. Whatever a phase finds out goes into that phase's own result, never back into this tree.
//!
//! Tables give every phase the same positions: [`Chunk::names`] (one entry a *binding*, so a shadowed name has
//! several), [`Chunk::places`] (a name and a field path, interned), and numbers in the order of the text for steps,
//! blocks, loops and nodes.
//!
//! Control flow has two shapes. A [`Branch`] runs exactly one of its arms: `if`, `match`, `let .. else`, and a block
//! of its own is a branch with one arm. A [`Loop`] runs its body any number of times. What leaves either early is a
//! host step with an [`Exit`]. Syntax hangs on the side and is of no concern to the analysis.

mod syntax;

use proc_macro2::Ident;

pub(crate) use syntax::{BranchKind, BranchSyntax, BranchValue, LoopKind, LoopSyntax, NodeSyntax, Target};

/// Position of a binding in [`Chunk::names`].
pub(crate) type NameIx = usize;
/// Position of a place in [`Chunk::places`].
pub(crate) type PlaceIx = usize;
/// Number of a node in host order.
pub(crate) type NodeIx = usize;
/// Position of a stream in the attribute's list.
pub(crate) type StreamIx = usize;
/// Number of a step; heads of branches and loops have their own.
pub(crate) type StepIx = usize;
/// Number of a block.
pub(crate) type BlockIx = usize;
/// Number of a loop.
pub(crate) type LoopIx = usize;

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
    /// The body.
    pub(crate) body: Block,
    /// How many of each there are.
    pub(crate) counts: Counts,
}

/// How many of each a chunk has.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) steps: usize,
    pub(crate) nodes: usize,
    pub(crate) blocks: usize,
    pub(crate) loops: usize,
}

impl Chunk {
    /// The nodes in the order of the text.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.body.all().into_iter().filter_map(|s| match s {
            Step::Node(n) => Some(n),
            _ => None,
        })
    }

    /// The stream of each node.
    pub(crate) fn stream_of(&self) -> Vec<StreamIx> {
        self.nodes().map(|n| n.stream).collect()
    }

    /// For each name the place that is the whole of it.
    pub(crate) fn roots(&self) -> Vec<Option<PlaceIx>> {
        let mut roots = vec![None; self.names.len()];
        for (ix, place) in self.places.iter().enumerate().filter(|(_, p)| p.path.is_empty()) {
            roots[place.name] = Some(ix);
        }
        roots
    }

    /// For each name all its places.
    pub(crate) fn places_of(&self) -> Vec<Vec<PlaceIx>> {
        let mut places = vec![Vec::new(); self.names.len()];
        for (ix, place) in self.places.iter().enumerate() {
            places[place.name].push(ix);
        }
        places
    }
}

/// Steps that run one after the other, and the names that live no longer.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Its number.
    pub(crate) ix: BlockIx,
    /// Names bound at its start: by the pattern of an arm or of a `for`.
    pub(crate) makes: Vec<NameIx>,
    /// Its steps.
    pub(crate) steps: Vec<Step>,
}

impl Block {
    /// Its steps and those within them, in the order of the text.
    pub(crate) fn all(&self) -> Vec<&Step> {
        fn visit<'b>(block: &'b Block, all: &mut Vec<&'b Step>) {
            for step in &block.steps {
                all.push(step);
                step.blocks().for_each(|b| visit(b, all));
            }
        }
        let mut all = Vec::new();
        visit(self, &mut all);
        all
    }
}

/// A binding.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    /// The identifier as the user bound it.
    pub(crate) ident: Ident,
    /// Where its value comes from.
    pub(crate) origin: Origin,
    /// The block at whose end it goes out of scope.
    pub(crate) block: BlockIx,
    /// Whether a name derived from it hides it until then.
    pub(crate) hidden: bool,
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
    Call(StepIx),
    /// Bound by any other host statement and used by a node later, or given a tensor by that statement.
    Host(StepIx),
    /// Given its value at several places: on the arms of a branch, or by assignment.
    Several,
    /// One item of what is iterated over by `&mut`: another storage on each trip, never ended here.
    Item,
}

impl Origin {
    /// Whether what it stands for ends elsewhere.
    pub(crate) fn is_borrowed(self) -> bool {
        matches!(self, Origin::Shared | Origin::Exclusive | Origin::Item)
    }

    /// Whether it is a `&mut`.
    pub(crate) fn is_exclusive(self) -> bool {
        matches!(self, Origin::Exclusive | Origin::Item)
    }
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
    /// Any other statement that neither branches nor repeats.
    Host(Host),
    /// Runs one of several blocks.
    Branch(Branch),
    /// Runs a block any number of times.
    Loop(Loop),
}

impl Step {
    /// Its number.
    pub(crate) fn ix(&self) -> StepIx {
        match self {
            Step::Node(n) => n.step,
            Step::Host(h) => h.step,
            Step::Branch(b) => b.step,
            Step::Loop(l) => l.step,
        }
    }

    /// The blocks directly within it.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        match self {
            Step::Node(_) | Step::Host(_) => &[][..],
            Step::Branch(b) => &b.arms[..],
            Step::Loop(l) => std::slice::from_ref(&l.body),
        }
        .iter()
    }
}

/// What a branch or a loop evaluates on the host before it decides.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// Its number among the steps.
    pub(crate) step: StepIx,
    /// What it does with places, other than asking for metadata.
    pub(crate) uses: Vec<HostUse>,
    /// Places that it merely mentions.
    pub(crate) mentions: Vec<PlaceIx>,
}

/// One of several blocks runs.
#[derive(Debug)]
pub(crate) struct Branch {
    /// Its number.
    pub(crate) step: StepIx,
    /// Condition or scrutinee.
    pub(crate) head: Head,
    /// The arms; one of them runs. `if` without `else` has an empty one.
    pub(crate) arms: Vec<Block>,
    /// Names of the block around that the value of the branch is bound to; each arm makes them.
    pub(crate) binds: Vec<NameIx>,
    /// Names from outside that a pattern of an arm hides: they cannot end inside it.
    pub(crate) keeps: Vec<PlaceIx>,
    /// The steps that give it, if it is bound.
    pub(crate) binds_at: Option<Vec<StepIx>>,
    /// Its syntax.
    pub(crate) syntax: BranchSyntax,
}

/// A block runs any number of times.
#[derive(Debug)]
pub(crate) struct Loop {
    /// Its number among the steps.
    pub(crate) step: StepIx,
    /// Its number among the loops.
    pub(crate) ix: LoopIx,
    /// Evaluated once, before the first trip: what `for` goes over.
    pub(crate) once: Head,
    /// Evaluated before each trip: the condition of `while`.
    pub(crate) each: Head,
    /// Whether it may end before a trip: `for` and `while`.
    pub(crate) ends: bool,
    /// The body; a pattern of `for` or `while let` binds [`Block::makes`].
    pub(crate) body: Block,
    /// Its syntax.
    pub(crate) syntax: LoopSyntax,
}

/// Where a host step leaves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Behind a loop.
    Break(LoopIx),
    /// To the next trip of a loop.
    Continue(LoopIx),
    /// Out of the chunk.
    Return,
}

/// A statement under `#[on(..)]`.
#[derive(Debug)]
pub(crate) struct Node {
    /// Its number among the steps.
    pub(crate) step: StepIx,
    /// Its number among the nodes.
    pub(crate) ix: NodeIx,
    /// The stream's position in the attribute's list.
    pub(crate) stream: StreamIx,
    /// What the plan calls it.
    pub(crate) label: String,
    /// Its uses in order of first appearance.
    pub(crate) uses: Vec<Use>,
    /// The bindings that it makes.
    pub(crate) makes: Vec<NameIx>,
    /// Places that its value is assigned to: what they held ends, what they hold begins.
    pub(crate) renews: Vec<PlaceIx>,
    /// Its syntax, as `emit` needs it.
    pub(crate) syntax: NodeSyntax,
}

impl Node {
    /// Whether its value is the chunk's.
    pub(crate) fn is_tail(&self) -> bool {
        matches!(self.syntax.target, Target::Tail)
    }

    /// Whether its value is that of a block around it.
    pub(crate) fn is_value(&self) -> bool {
        matches!(self.syntax.target, Target::Tail | Target::Value)
    }
}

/// A host statement.
#[derive(Debug)]
pub(crate) struct Host {
    /// Its number among the steps.
    pub(crate) step: StepIx,
    /// What it does with places, other than asking for metadata.
    pub(crate) uses: Vec<HostUse>,
    /// Places that it merely mentions: they must still be there.
    pub(crate) mentions: Vec<PlaceIx>,
    /// The bindings that it makes and that the plan follows.
    pub(crate) makes: Vec<NameIx>,
    /// Whether its value is the chunk's.
    pub(crate) tail: bool,
    /// Whether its value is that of an inner block.
    pub(crate) value: bool,
    /// Where it leaves to.
    pub(crate) exit: Option<Exit>,
    /// Whether it binds names that stand for places.
    pub(crate) derives: bool,
    /// Its syntax, rewritten.
    pub(crate) stmt: syn::Stmt,
}

impl Host {
    /// One that does nothing.
    pub(crate) fn none(step: StepIx) -> Host {
        Host {
            step,
            uses: Vec::new(),
            mentions: Vec::new(),
            makes: Vec::new(),
            tail: false,
            value: false,
            exit: None,
            derives: false,
            stmt: syn::Stmt::Expr(syn::Expr::PLACEHOLDER, None),
        }
    }
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

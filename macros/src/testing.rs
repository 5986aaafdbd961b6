//! Chunks built in memory, for tests: a line a step.
//!
//! ```text
//! let mut b = Body::new("moe", &["compute", "comm"]);
//! b.shared("w").owned("x");
//! b.on("compute", "attention(&w, &x) -> h, gate");
//! b.call("layer(&h, &mut gate) -> y");
//! b.hand_out("y");
//! let chunk = b.done();
//! ```
//!
//! `&x` reads, `&mut x` writes, `x` takes; a field path is a place of its own. A name bound again is a new binding;
//! `-> =x` assigns to the place `x` instead, and `-> ^x` gives its value to `x`, which a branch binds
//! (`b.declare("x")` before it, `b.join_as("x")` behind it).
//!
//! Control flow is opened and closed: `b.branch("x")`, steps, `b.arm()`, steps, `b.join()`; `b.repeat(true)`, steps,
//! `b.end()`; `b.exit(Exit::Break(0), "")`.

use proc_macro2::{Ident, Span};

use crate::body::{
    Block, Branch, BranchKind, BranchSyntax, BranchValue, Chunk, Counts, Exit, Head, Host, HostMode, HostUse,
    Loop, LoopKind, LoopSyntax, Mode, Name, NameIx, Node, NodeSyntax, Origin, Place, PlaceIx, Step, StepIx,
    Target, Use,
};

use crate::nest::Nest;
use crate::order::Order;
use crate::plan::PlanData;
use crate::release::Release;
use crate::uses::Uses;

/// A chunk in the making.
pub(crate) struct Body {
    chunk: Chunk,
    /// Constructs that are open, outermost first.
    open: Vec<Open>,
    /// The blocks that are open, outermost first.
    blocks: Vec<Block>,
    /// Names that the open block hides when it ends.
    scope: Vec<usize>,
    hidden: Vec<bool>,
}

/// A construct that is open.
enum Open {
    Branch(Branch),
    Loop(Loop),
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// `f(&a, b) -> c, d` as `f`, its arguments with their modes, and what it makes.
fn line(text: &str) -> (&str, Vec<(&str, Mode)>, Vec<&str>) {
    let (call, makes) = text.split_once("->").unwrap_or((text, ""));
    let (op, args) = call.split_once('(').expect("an op with arguments");
    (op.trim(), list(args.trim().trim_end_matches(')')).into_iter().map(mode).collect(), list(makes))
}

fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|s| !s.is_empty()).collect()
}

fn mode(arg: &str) -> (&str, Mode) {
    match (arg.strip_prefix("&mut "), arg.strip_prefix('&')) {
        (Some(place), _) => (place, Mode::Write),
        (None, Some(place)) => (place, Mode::Read),
        (None, None) => (arg, Mode::Consume),
    }
}

impl Body {
    /// A chunk without parameters or steps.
    pub(crate) fn new(name: &str, streams: &[&str]) -> Body {
        let chunk = Chunk {
            name: name.to_owned(),
            streams: streams.iter().map(|s| ident(s)).collect(),
            cx: ident("cx"),
            names: Vec::new(),
            places: Vec::new(),
            body: Block::default(),
            counts: Counts { blocks: 1, ..Counts::default() },
        };
        let (open, blocks) = (Vec::new(), vec![Block::default()]);
        Body { chunk, open, blocks, scope: vec![0], hidden: Vec::new() }
    }

    fn step(&mut self) -> StepIx {
        self.chunk.counts.steps += 1;
        self.chunk.counts.steps - 1
    }

    fn push(&mut self, step: Step) -> &mut Body {
        self.blocks.last_mut().expect("the body").steps.push(step);
        self
    }

    fn open_block(&mut self) {
        let ix = self.chunk.counts.blocks;
        self.chunk.counts.blocks += 1;
        self.blocks.push(Block { ix, ..Block::default() });
        self.scope.push(self.chunk.names.len());
    }

    fn close_block(&mut self) -> Block {
        let first = self.scope.pop().expect("an open block");
        self.hidden[first..].iter_mut().for_each(|h| *h = true);
        self.blocks.pop().expect("an open block")
    }

    fn head(&mut self, mentions: &str) -> Head {
        let mentions = list(mentions).into_iter().map(|p| self.place(p)).collect();
        Head { step: self.step(), uses: Vec::new(), mentions }
    }

    /// Opens a branch whose head mentions places, with its first arm.
    pub(crate) fn branch(&mut self, mentions: &str) -> &mut Body {
        let step = self.step();
        let head = self.head(mentions);
        let syntax = BranchSyntax {
            kind: BranchKind::Block(false),
            value: BranchValue::Dropped(None),
            attrs: Vec::new(),
        };
        self.open.push(Open::Branch(Branch {
            step,
            head,
            arms: Vec::new(),
            binds: Vec::new(),
            binds_at: None,
            keeps: Vec::new(),
            syntax,
        }));
        self.open_block();
        self
    }

    /// The next arm.
    pub(crate) fn arm(&mut self) -> &mut Body {
        let done = self.close_block();
        let Some(Open::Branch(branch)) = self.open.last_mut() else { unreachable!("an open branch") };
        branch.arms.push(done);
        self.open_block();
        self
    }

    /// A name that the arms of the next branch give a value.
    pub(crate) fn declare(&mut self, name: &str) -> &mut Body {
        self.bind(name, Origin::Several);
        self
    }

    /// Closes a branch whose value is bound.
    pub(crate) fn join_as(&mut self, name: &str) -> &mut Body {
        self.join();
        let bound = self.place(name);
        let name = self.chunk.places[bound].name;
        match self.blocks.last_mut().and_then(|b| b.steps.last_mut()) {
            Some(Step::Branch(branch)) => branch.binds.push(name),
            _ => unreachable!("just joined"),
        }
        self
    }

    /// Closes a branch.
    pub(crate) fn join(&mut self) -> &mut Body {
        let done = self.close_block();
        let Some(Open::Branch(mut branch)) = self.open.pop() else { unreachable!("an open branch") };
        branch.arms.push(done);
        self.push(Step::Branch(branch))
    }

    /// Opens a loop; `ends` if it may end at its head. Loops are numbered from 0 in the order of the text.
    pub(crate) fn repeat(&mut self, ends: bool, each: &str) -> &mut Body {
        let ix = self.chunk.counts.loops;
        self.chunk.counts.loops += 1;
        let step = self.step();
        let (once, each) = (self.head(""), self.head(each));
        let syntax = LoopSyntax { kind: LoopKind::Loop, label: None, attrs: Vec::new() };
        let body = Block::default();
        self.open.push(Open::Loop(Loop { step, ix, once, each, ends, body, syntax }));
        self.open_block();
        self
    }

    /// Closes a loop.
    pub(crate) fn end(&mut self) -> &mut Body {
        let done = self.close_block();
        let Some(Open::Loop(mut l)) = self.open.pop() else { unreachable!("an open loop") };
        l.body = done;
        self.push(Step::Loop(l))
    }

    /// Leaves; what it hands out goes with it.
    pub(crate) fn exit(&mut self, exit: Exit, hands_out: &str) -> &mut Body {
        self.push_out(hands_out);
        match self.blocks.last_mut().and_then(|b| b.steps.last_mut()) {
            Some(Step::Host(host)) => host.exit = Some(exit),
            _ => unreachable!("just pushed"),
        }
        self
    }

    /// A `&` parameter.
    pub(crate) fn shared(&mut self, name: &str) -> &mut Body {
        self.bind(name, Origin::Shared);
        self
    }

    /// A `&mut` parameter.
    pub(crate) fn exclusive(&mut self, name: &str) -> &mut Body {
        self.bind(name, Origin::Exclusive);
        self
    }

    /// A by-value parameter.
    pub(crate) fn owned(&mut self, name: &str) -> &mut Body {
        self.bind(name, Origin::Owned);
        self
    }

    /// A node: `op(&a, b) -> c`.
    pub(crate) fn on(&mut self, stream: &str, text: &str) -> &mut Body {
        let (op, args, makes) = line(text);
        let uses = args.iter().map(|&(p, mode)| Use { place: self.place(p), mode }).collect();
        let ix = self.chunk.counts.nodes;
        self.chunk.counts.nodes += 1;
        let renews: Vec<&str> = makes.iter().filter_map(|m| m.strip_prefix('=')).collect();
        let renews: Vec<PlaceIx> = renews.into_iter().map(|p| self.place(p)).collect();
        for &place in &renews {
            let name = self.chunk.places[place].name;
            if matches!(self.chunk.names[name].origin, Origin::Node(_)) {
                self.chunk.names[name].origin = Origin::Several;
            }
        }
        let value = makes.iter().any(|m| m.starts_with('^'));
        let makes = makes.iter().filter(|m| !m.starts_with('='));
        let makes = makes.map(|name| match name.strip_prefix('^') {
            Some(bound) => {
                let place = self.place(bound);
                self.chunk.places[place].name
            }
            None => self.bind(name, Origin::Node(ix)),
        });
        let makes = makes.collect();
        let stream = self.chunk.streams.iter().position(|s| s == stream).expect("a stream of the chunk");
        let syntax = NodeSyntax {
            attrs: Vec::new(),
            target: if value { Target::Value } else { Target::Dropped },
            expr: syn::Expr::PLACEHOLDER,
            lends: proc_macro2::TokenStream::new(),
            span: Span::call_site(),
        };
        let step = self.step();
        self.push(Step::Node(Node { step, ix, stream, label: op.to_owned(), uses, makes, renews, syntax }))
    }

    /// Whether the last step can be the body's tail expression.
    pub(crate) fn may_be_tail(&self) -> bool {
        matches!(self.blocks.last().and_then(|b| b.steps.last()), Some(Step::Node(_) | Step::Host(_)))
    }

    /// Makes the last node the body's tail expression.
    pub(crate) fn as_tail(&mut self) -> &mut Body {
        match self.blocks.last_mut().and_then(|b| b.steps.last_mut()) {
            Some(Step::Node(node)) if node.renews.is_empty() => node.syntax.target = Target::Tail,
            Some(Step::Node(_)) => {}
            Some(Step::Host(host)) => host.tail = true,
            _ => unreachable!("a step to be the tail"),
        }
        self
    }

    /// A host statement that passes the context on: `layer(&a, &mut b, c) -> d`.
    pub(crate) fn call(&mut self, text: &str) -> &mut Body {
        let (_, args, makes) = line(text);
        let uses = args.into_iter().map(|(place, mode)| match mode {
            Mode::Read => (place, HostMode::Lend),
            Mode::Write => (place, HostMode::LendMut),
            Mode::Consume => (place, HostMode::Move),
        });
        self.host(&uses.collect::<Vec<_>>(), &[], &makes, true)
    }

    /// `let to = (a, b);`
    pub(crate) fn moves(&mut self, places: &str, to: &str) -> &mut Body {
        let uses: Vec<_> = list(places).into_iter().map(|p| (p, HostMode::Move)).collect();
        self.host(&uses, &[], &[to], false)
    }

    /// Moves places out of the chunk, not as its tail.
    pub(crate) fn push_out(&mut self, places: &str) -> &mut Body {
        let uses: Vec<_> = list(places).into_iter().map(|p| (p, HostMode::HandOut)).collect();
        self.host(&uses, &[], &[], false)
    }

    /// Moves places out of the chunk as its tail.
    pub(crate) fn hand_out(&mut self, places: &str) -> &mut Body {
        self.push_out(places).as_tail()
    }

    /// A statement that asks places for metadata.
    pub(crate) fn mention(&mut self, places: &str) -> &mut Body {
        self.host(&[], &list(places), &[], false)
    }

    /// Any host statement.
    pub(crate) fn host(
        &mut self,
        uses: &[(&str, HostMode)],
        mentions: &[&str],
        makes: &[&str],
        calls: bool,
    ) -> &mut Body {
        let uses = uses.iter().map(|&(p, mode)| HostUse { place: self.place(p), mode }).collect();
        let mentions = mentions.iter().map(|p| self.place(p)).collect();
        let step = self.step();
        let origin = if calls { Origin::Call(step) } else { Origin::Host(step) };
        let makes = makes.iter().map(|name| self.bind(name, origin)).collect();
        let stmt = syn::Stmt::Expr(syn::Expr::PLACEHOLDER, None);
        self.push(Step::Host(Host { uses, mentions, makes, stmt, ..Host::none(step) }))
    }

    /// The chunk.
    pub(crate) fn done(mut self) -> Chunk {
        self.chunk.body = self.blocks.pop().expect("the body");
        self.chunk
    }

    fn bind(&mut self, name: &str, origin: Origin) -> NameIx {
        let ix = self.chunk.names.len();
        let block = self.blocks.last().expect("the body").ix;
        self.chunk.names.push(Name { ident: ident(name), origin, block, hidden: false });
        self.hidden.push(false);
        self.chunk.places.push(Place { name: ix, path: Vec::new() });
        ix
    }

    fn place(&mut self, text: &str) -> PlaceIx {
        let mut parts = text.split('.').map(str::to_owned);
        let first = parts.next().unwrap_or_default();
        let meant = |n: &usize| !self.hidden[*n] && self.chunk.names[*n].ident == first;
        let name = (0..self.chunk.names.len()).rev().find(meant).expect("a bound name");
        let place = Place { name, path: parts.collect() };
        let known = self.chunk.places.iter().position(|p| *p == place);
        known.unwrap_or_else(|| {
            self.chunk.places.push(place);
            self.chunk.places.len() - 1
        })
    }
}

/// The layer of the documentation's first page.
pub(crate) fn moe() -> Body {
    let mut b = Body::new("moe_layer", &["compute", "comm"]);
    b.shared("w").owned("x");
    b.on("compute", "attention(&w, &x) -> h, gate");
    b.on("comm", "dispatch(h, &gate) -> routed");
    b.on("compute", "shared_expert(&w, &x) -> shared");
    b.on("compute", "experts(&w, routed) -> y");
    b.on("comm", "combine(y, &gate, shared) -> out");
    b.hand_out("out");
    b
}

/// All that is found out about a chunk.
pub(crate) struct Analysed {
    pub(crate) uses: Uses,
    pub(crate) release: Release,
    pub(crate) order: Order,
    pub(crate) plan: PlanData,
}

/// Takes a chunk through the phases.
pub(crate) fn analyse(chunk: &Chunk) -> Analysed {
    let nest = Nest::new(chunk);
    let uses = crate::uses::uses(chunk, &nest);
    let release = crate::release::release(chunk, &nest, &uses);
    let order = crate::order::order(chunk, &nest, &uses, &release);
    let plan = crate::plan::plan(chunk, &uses, &order, &release);
    Analysed { uses, release, order, plan }
}

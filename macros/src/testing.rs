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
//! `&x` reads, `&mut x` writes, `x` takes; a field path is a place of its own. A name bound again is a new binding.

use proc_macro2::{Ident, Span};

use crate::body::{
    Chunk, Host, HostMode, HostUse, Mode, Name, NameIx, Node, NodeSyntax, Origin, Place, PlaceIx, Step, Use,
};

/// A chunk in the making.
pub(crate) struct Body {
    chunk: Chunk,
    nodes: usize,
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
            steps: Vec::new(),
        };
        Body { chunk, nodes: 0 }
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
        let ix = self.nodes;
        self.nodes += 1;
        let makes = makes.iter().map(|name| self.bind(name, Origin::Node(ix))).collect();
        let stream = self.chunk.streams.iter().position(|s| s == stream).expect("a stream of the chunk");
        let syntax = NodeSyntax {
            attrs: Vec::new(),
            pattern: None,
            expr: syn::Expr::PLACEHOLDER,
            lends: proc_macro2::TokenStream::new(),
            tail: false,
            span: Span::call_site(),
        };
        self.chunk.steps.push(Step::Node(Node { ix, stream, label: op.to_owned(), uses, makes, syntax }));
        self
    }

    /// Makes the last node the body's tail expression.
    pub(crate) fn as_tail(&mut self) -> &mut Body {
        match self.chunk.steps.last_mut() {
            Some(Step::Node(node)) => node.syntax.tail = true,
            Some(Step::Host(host)) => host.tail = true,
            None => unreachable!("a step to be the tail"),
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
        let step = self.chunk.steps.len();
        let origin = if calls { Origin::Call(step) } else { Origin::Host(step) };
        let makes = makes.iter().map(|name| self.bind(name, origin)).collect();
        let stmt = syn::Stmt::Expr(syn::Expr::PLACEHOLDER, None);
        self.chunk.steps.push(Step::Host(Host { uses, mentions, makes, tail: false, stmt }));
        self
    }

    /// The chunk.
    pub(crate) fn done(self) -> Chunk {
        self.chunk
    }

    fn bind(&mut self, name: &str, origin: Origin) -> NameIx {
        let ix = self.chunk.names.len();
        self.chunk.names.push(Name { ident: ident(name), origin });
        self.chunk.places.push(Place { name: ix, path: Vec::new() });
        ix
    }

    fn place(&mut self, text: &str) -> PlaceIx {
        let mut parts = text.split('.').map(str::to_owned);
        let first = parts.next().unwrap_or_default();
        let name = self.chunk.names.iter().rposition(|n| n.ident == first).expect("a bound name");
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

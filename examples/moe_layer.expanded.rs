// What `#[model_chunk]` makes of `moe_layer.rs`; a test of the macros keeps it current.

//! A mixture-of-experts layer on two streams: its plan, and two microbatches that take turns, node by node.
//!
//! `cargo run --example moe_layer`
use streamlease::{Buffer, Cx, Node, Result, Runtime, Step, model_chunk};
struct Layer {
    up: Buffer<f32>,
    down: Buffer<f32>,
}
/// Attention and experts on `compute`, the exchange of tokens on `comm`.
///
/// ```text
/// moe_layer: 5 nodes on 2 streams, 3 waits, 7 leases
///  #  stream   node           waits for         leases
///  0  compute  attention      by ledger: w, x   reads w, x; makes h, gate
///  1  comm     dispatch       attention         takes h; reads gate; makes routed
///  2  compute  shared_expert                    reads w, x; frees x for compute; makes shared
///  3  compute  experts        dispatch          takes routed; reads w; makes y
///  4  comm     combine        experts           takes y, shared; reads gate; frees gate for comm; makes out
///     hands out: out, last on comm
///     home later: h, gate, shared, y were made on compute and end on comm
/// ```
fn moe_layer(cx: &Cx<'_>, w: &Layer, x: Buffer<f32>) -> Result<Buffer<f32>> {
    ::streamlease::__private::straight(
        moe_layer::body(::streamlease::__private::Mode::straight(), cx, w, x),
    )
}
/// The plan of [`moe_layer`](fn@moe_layer), and its stepped form.
#[allow(non_camel_case_types, missing_debug_implementations, dead_code)]
struct moe_layer {}
#[allow(dead_code)]
impl moe_layer {
    /// The plan.
    pub const PLAN: &'static ::streamlease::plan::Plan<'static> = {
        use ::streamlease::plan as p;
        &p::Plan {
            chunk: "moe_layer",
            streams: &["compute", "comm"],
            leases: &[
                p::Lease {
                    name: "w",
                    source: p::Source::Shared,
                    overlaps: &[],
                },
                p::Lease {
                    name: "x",
                    source: p::Source::Owned,
                    overlaps: &[],
                },
                p::Lease {
                    name: "h",
                    source: p::Source::Node(0),
                    overlaps: &[],
                },
                p::Lease {
                    name: "gate",
                    source: p::Source::Node(0),
                    overlaps: &[],
                },
                p::Lease {
                    name: "routed",
                    source: p::Source::Node(1),
                    overlaps: &[],
                },
                p::Lease {
                    name: "shared",
                    source: p::Source::Node(2),
                    overlaps: &[],
                },
                p::Lease {
                    name: "y",
                    source: p::Source::Node(3),
                    overlaps: &[],
                },
                p::Lease {
                    name: "out",
                    source: p::Source::Node(4),
                    overlaps: &[],
                },
            ],
            nodes: &[
                p::Node {
                    name: "attention",
                    stream: 0,
                    uses: &[
                        p::Use {
                            lease: 0,
                            mode: p::Mode::Read,
                            by_ledger: true,
                        },
                        p::Use {
                            lease: 1,
                            mode: p::Mode::Read,
                            by_ledger: true,
                        },
                    ],
                    makes: &[2, 3],
                    renews: &[],
                    waits: &[],
                    record: p::Record {
                        awaited: true,
                        leaves: false,
                        home: false,
                    },
                },
                p::Node {
                    name: "dispatch",
                    stream: 1,
                    uses: &[
                        p::Use {
                            lease: 2,
                            mode: p::Mode::Consume,
                            by_ledger: false,
                        },
                        p::Use {
                            lease: 3,
                            mode: p::Mode::Read,
                            by_ledger: false,
                        },
                    ],
                    makes: &[4],
                    renews: &[],
                    waits: &[
                        p::Wait {
                            node: 0,
                            reasons: &[
                                p::Reason {
                                    lease: 2,
                                    need: p::Need::Written,
                                },
                                p::Reason {
                                    lease: 3,
                                    need: p::Need::Written,
                                },
                            ],
                            carries: &[],
                        },
                    ],
                    record: p::Record {
                        awaited: true,
                        leaves: false,
                        home: true,
                    },
                },
                p::Node {
                    name: "shared_expert",
                    stream: 0,
                    uses: &[
                        p::Use {
                            lease: 0,
                            mode: p::Mode::Read,
                            by_ledger: false,
                        },
                        p::Use {
                            lease: 1,
                            mode: p::Mode::Read,
                            by_ledger: false,
                        },
                    ],
                    makes: &[5],
                    renews: &[],
                    waits: &[],
                    record: p::Record {
                        awaited: false,
                        leaves: false,
                        home: true,
                    },
                },
                p::Node {
                    name: "experts",
                    stream: 0,
                    uses: &[
                        p::Use {
                            lease: 0,
                            mode: p::Mode::Read,
                            by_ledger: false,
                        },
                        p::Use {
                            lease: 4,
                            mode: p::Mode::Consume,
                            by_ledger: false,
                        },
                    ],
                    makes: &[6],
                    renews: &[],
                    waits: &[
                        p::Wait {
                            node: 1,
                            reasons: &[
                                p::Reason {
                                    lease: 4,
                                    need: p::Need::Written,
                                },
                            ],
                            carries: &[],
                        },
                    ],
                    record: p::Record {
                        awaited: true,
                        leaves: false,
                        home: true,
                    },
                },
                p::Node {
                    name: "combine",
                    stream: 1,
                    uses: &[
                        p::Use {
                            lease: 6,
                            mode: p::Mode::Consume,
                            by_ledger: false,
                        },
                        p::Use {
                            lease: 3,
                            mode: p::Mode::Read,
                            by_ledger: false,
                        },
                        p::Use {
                            lease: 5,
                            mode: p::Mode::Consume,
                            by_ledger: false,
                        },
                    ],
                    makes: &[7],
                    renews: &[],
                    waits: &[
                        p::Wait {
                            node: 3,
                            reasons: &[
                                p::Reason {
                                    lease: 6,
                                    need: p::Need::Written,
                                },
                            ],
                            carries: &[5],
                        },
                    ],
                    record: p::Record {
                        awaited: false,
                        leaves: true,
                        home: true,
                    },
                },
            ],
            steps: &[
                p::Step::Node(0),
                p::Step::Node(1),
                p::Step::Node(2),
                p::Step::Release(1),
                p::Step::Node(3),
                p::Step::Node(4),
                p::Step::Release(3),
                p::Step::Host(p::Host {
                    uses: &[
                        p::HostUse {
                            lease: 7,
                            mode: p::HostMode::HandOut,
                        },
                    ],
                    makes: &[],
                }),
            ],
        }
    };
    /// Begins a run that is stepped node by node.
    #[allow(dead_code)]
    pub fn start(
        cx: &Cx<'_>,
        w: &Layer,
        x: Buffer<f32>,
    ) -> ::streamlease::Stepped<
        impl ::streamlease::__private::Future<Output = Result<Buffer<f32>>>,
    > {
        ::streamlease::Stepped::new(
            moe_layer::PLAN,
            move |mode| moe_layer::body(mode, cx, w, x),
        )
    }
    #[doc(hidden)]
    #[allow(
        unused_braces,
        clippy::await_holding_lock,
        clippy::await_holding_refcell_ref,
        clippy::borrow_deref_ref,
        clippy::deref_addrof,
        clippy::explicit_auto_deref,
        clippy::large_futures,
        clippy::let_and_return,
        clippy::needless_borrow,
        clippy::needless_pass_by_value,
        clippy::redundant_closure_call,
        clippy::redundant_locals,
        clippy::too_many_arguments,
        clippy::type_complexity,
        clippy::unused_async
    )]
    async fn body(
        mode: ::streamlease::__private::Mode,
        cx: &Cx<'_>,
        w: &Layer,
        x: Buffer<f32>,
    ) -> Result<Buffer<f32>> {
        use ::streamlease::__private::{
            self as __streamlease, Accept as _, Copied as _, NotCopied as _, Refuse as _,
        };
        const _: () = ::streamlease::plan::verify::<5usize, 8usize>(moe_layer::PLAN);
        static __CHUNK: __streamlease::Chunk = __streamlease::Chunk::new(
            moe_layer::PLAN,
            1u32,
        );
        const __NODE_0_ATTENTION: usize = 0usize;
        const __NODE_1_DISPATCH: usize = 1usize;
        const __NODE_2_SHARED_EXPERT: usize = 2usize;
        const __NODE_3_EXPERTS: usize = 3usize;
        const __NODE_4_COMBINE: usize = 4usize;
        const __LEASE_1_X: usize = 1usize;
        const __LEASE_2_H: usize = 2usize;
        const __LEASE_3_GATE: usize = 3usize;
        const __LEASE_4_ROUTED: usize = 4usize;
        const __LEASE_5_SHARED: usize = 5usize;
        const __LEASE_6_Y: usize = 6usize;
        const __LEASE_7_OUT: usize = 7usize;
        let run = __streamlease::Run::begin(cx, &__CHUNK, mode)?;
        let x = x;
        run.found(__LEASE_1_X, __streamlease::Made::of(&x).can_copy());
        run.step(__NODE_0_ATTENTION).await;
        let (h, gate) = {
            let node = run.enter(__NODE_0_ATTENTION)?;
            #[allow(unused_variables)]
            let cx = &node;
            let x = &x;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<Buffer<f32>> as __streamlease::Outcome>::Error,
            > {
                let made = attention(cx, w, &(*x))?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_2_H, &h);
        run.made(__LEASE_3_GATE, &gate);
        run.step(__NODE_1_DISPATCH).await;
        let routed = {
            let node = run.enter(__NODE_1_DISPATCH)?;
            #[allow(unused_variables)]
            let cx = &node;
            let h = h;
            let gate = &gate;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<Buffer<f32>> as __streamlease::Outcome>::Error,
            > {
                let made = dispatch(cx, h, &(*gate))?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_4_ROUTED, &routed);
        run.step(__NODE_2_SHARED_EXPERT).await;
        let shared = {
            let node = run.enter(__NODE_2_SHARED_EXPERT)?;
            #[allow(unused_variables)]
            let cx = &node;
            let x = &x;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<Buffer<f32>> as __streamlease::Outcome>::Error,
            > {
                let made = shared_expert(cx, w, &(*x))?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_5_SHARED, &shared);
        run.release(__LEASE_1_X, x);
        run.step(__NODE_3_EXPERTS).await;
        let y = {
            let node = run.enter(__NODE_3_EXPERTS)?;
            #[allow(unused_variables)]
            let cx = &node;
            let routed = routed;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<Buffer<f32>> as __streamlease::Outcome>::Error,
            > {
                let made = experts(cx, w, routed)?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_6_Y, &y);
        run.step(__NODE_4_COMBINE).await;
        let out = {
            let node = run.enter(__NODE_4_COMBINE)?;
            #[allow(unused_variables)]
            let cx = &node;
            let y = y;
            let gate = &gate;
            let shared = shared;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<Buffer<f32>> as __streamlease::Outcome>::Error,
            > {
                let made = combine(cx, y, &(*gate), shared)?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_7_OUT, &out);
        run.release(__LEASE_3_GATE, gate);
        Ok(out)
    }
}
/// `out[i] = f(a[i], b[i])`, on the node's stream.
fn zip(
    cx: &Node<'_>,
    a: &Buffer<f32>,
    b: &Buffer<f32>,
    f: fn(f32, f32) -> f32,
) -> Result<Buffer<f32>> {
    let mut out = cx.empty(a.len())?;
    cx.launch(
        (cx.view(a)?, cx.view(b)?, cx.view_mut(&mut out)?),
        move |(a, b, out)| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = f(a[i], b[i]);
            }
        },
    )?;
    Ok(out)
}
fn attention(
    cx: &Node<'_>,
    w: &Layer,
    x: &Buffer<f32>,
) -> Result<(Buffer<f32>, Buffer<f32>)> {
    Ok((zip(cx, x, &w.up, |x, w| x + w)?, zip(cx, x, &w.down, |x, w| (x * w).tanh())?))
}
fn dispatch(cx: &Node<'_>, h: Buffer<f32>, gate: &Buffer<f32>) -> Result<Buffer<f32>> {
    zip(cx, &h, gate, |h, gate| h * gate)
}
fn shared_expert(cx: &Node<'_>, w: &Layer, x: &Buffer<f32>) -> Result<Buffer<f32>> {
    zip(cx, x, &w.down, |x, w| x.max(0.0) * w)
}
fn experts(cx: &Node<'_>, w: &Layer, routed: Buffer<f32>) -> Result<Buffer<f32>> {
    zip(cx, &routed, &w.up, |x, w| x * w)
}
fn combine(
    cx: &Node<'_>,
    y: Buffer<f32>,
    gate: &Buffer<f32>,
    shared: Buffer<f32>,
) -> Result<Buffer<f32>> {
    let sum = zip(cx, &y, gate, |y, gate| y * gate)?;
    zip(cx, &sum, &shared, |sum, shared| sum + shared)
}
fn main() -> Result<()> {
    println!("{}", moe_layer::PLAN);
    let runtime = Runtime::builder().strict(true).build()?;
    let lane = runtime.lane(&["compute", "comm"])?;
    let cx = lane.cx();
    let w = Layer {
        up: cx.upload([0.5; 4])?,
        down: cx.upload([2.0; 4])?,
    };
    let mut runs = [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]]
        .map(|x| cx.upload(x).map(|x| moe_layer::start(&cx, &w, x)))
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    let mut done = Vec::new();
    while done.len() < runs.len() {
        for (ix, run) in runs.iter_mut().enumerate() {
            match run.step() {
                Some(Step::Ran(node)) => println!("microbatch {ix}: {node}"),
                Some(Step::Done(out)) => done.push(cx.read(&out?)?),
                None => {}
            }
        }
    }
    for out in done {
        println!("{:?}", out.wait() ?);
    }
    println!("{:?}", runtime.stats().waits);
    Ok(())
}

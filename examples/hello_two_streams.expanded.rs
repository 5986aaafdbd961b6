// What `#[model_chunk]` makes of `hello_two_streams.rs`; a test of the macros keeps it current.

//! Two streams, three nodes: what a plan looks like, and that it runs.
//!
//! `cargo run --example hello_two_streams`
use streamlease::{Buffer, Cx, Node, Result, Runtime, model_chunk};
/// Scales and sums `x` while a copy of it is on its way.
///
/// ```text
/// scale_and_save: 3 nodes on 2 streams, 1 wait, 4 leases
///  #  stream   node       waits for      leases
///  0  compute  scale      by ledger: x   reads x; makes doubled
///  1  copy     duplicate  by ledger: x   reads x; frees x for copy; makes saved
///  2  compute  add        duplicate      takes doubled; reads saved; makes sum
///     hands out: sum, last on compute; saved, last on copy
/// ```
fn scale_and_save(cx: &Cx<'_>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
    ::streamlease::__private::straight(
        scale_and_save::body(::streamlease::__private::Mode::straight(), cx, x),
    )
}
/// The plan of [`scale_and_save`](fn@scale_and_save), and its stepped form.
#[allow(non_camel_case_types, missing_debug_implementations, dead_code)]
struct scale_and_save {}
#[allow(dead_code)]
impl scale_and_save {
    /// The plan.
    pub const PLAN: &'static ::streamlease::plan::Plan<'static> = {
        use ::streamlease::plan as p;
        &p::Plan {
            chunk: "scale_and_save",
            streams: &["compute", "copy"],
            leases: &[
                p::Lease {
                    name: "x",
                    source: p::Source::Owned,
                    overlaps: &[],
                },
                p::Lease {
                    name: "doubled",
                    source: p::Source::Node(0),
                    overlaps: &[],
                },
                p::Lease {
                    name: "saved",
                    source: p::Source::Node(1),
                    overlaps: &[],
                },
                p::Lease {
                    name: "sum",
                    source: p::Source::Node(2),
                    overlaps: &[],
                },
            ],
            nodes: &[
                p::Node {
                    name: "scale",
                    stream: 0,
                    uses: &[
                        p::Use {
                            lease: 0,
                            mode: p::Mode::Read,
                            by_ledger: true,
                        },
                    ],
                    makes: &[1],
                    renews: &[],
                    waits: &[],
                    record: p::Record {
                        awaited: false,
                        leaves: false,
                        home: true,
                    },
                },
                p::Node {
                    name: "duplicate",
                    stream: 1,
                    uses: &[
                        p::Use {
                            lease: 0,
                            mode: p::Mode::Read,
                            by_ledger: true,
                        },
                    ],
                    makes: &[2],
                    renews: &[],
                    waits: &[],
                    record: p::Record {
                        awaited: true,
                        leaves: true,
                        home: true,
                    },
                },
                p::Node {
                    name: "add",
                    stream: 0,
                    uses: &[
                        p::Use {
                            lease: 1,
                            mode: p::Mode::Consume,
                            by_ledger: false,
                        },
                        p::Use {
                            lease: 2,
                            mode: p::Mode::Read,
                            by_ledger: false,
                        },
                    ],
                    makes: &[3],
                    renews: &[],
                    waits: &[
                        p::Wait {
                            node: 1,
                            reasons: &[
                                p::Reason {
                                    lease: 2,
                                    need: p::Need::Written,
                                },
                            ],
                            carries: &[],
                        },
                    ],
                    record: p::Record {
                        awaited: false,
                        leaves: true,
                        home: false,
                    },
                },
            ],
            steps: &[
                p::Step::Node(0),
                p::Step::Node(1),
                p::Step::Release(0),
                p::Step::Node(2),
                p::Step::Host(p::Host {
                    uses: &[
                        p::HostUse {
                            lease: 3,
                            mode: p::HostMode::HandOut,
                        },
                        p::HostUse {
                            lease: 2,
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
        x: Buffer<f32>,
    ) -> ::streamlease::Stepped<
        impl ::streamlease::__private::Future<
            Output = Result<(Buffer<f32>, Buffer<f32>)>,
        >,
    > {
        ::streamlease::Stepped::new(
            scale_and_save::PLAN,
            move |mode| scale_and_save::body(mode, cx, x),
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
        x: Buffer<f32>,
    ) -> Result<(Buffer<f32>, Buffer<f32>)> {
        use ::streamlease::__private::{
            self as __streamlease, Accept as _, Copied as _, NotCopied as _, Refuse as _,
        };
        const _: () = ::streamlease::plan::verify::<
            3usize,
            4usize,
        >(scale_and_save::PLAN);
        static __CHUNK: __streamlease::Chunk = __streamlease::Chunk::new(
            scale_and_save::PLAN,
            1u32,
        );
        const __NODE_0_SCALE: usize = 0usize;
        const __NODE_1_DUPLICATE: usize = 1usize;
        const __NODE_2_ADD: usize = 2usize;
        const __LEASE_0_X: usize = 0usize;
        const __LEASE_1_DOUBLED: usize = 1usize;
        const __LEASE_2_SAVED: usize = 2usize;
        const __LEASE_3_SUM: usize = 3usize;
        let run = __streamlease::Run::begin(cx, &__CHUNK, mode)?;
        let x = x;
        run.found(__LEASE_0_X, __streamlease::Made::of(&x).can_copy());
        run.step(__NODE_0_SCALE).await;
        let doubled = {
            let node = run.enter(__NODE_0_SCALE)?;
            #[allow(unused_variables)]
            let cx = &node;
            let x = &x;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<(Buffer<f32>, Buffer<f32>)> as __streamlease::Outcome>::Error,
            > {
                let made = scale(cx, &(*x), 2.0)?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_1_DOUBLED, &doubled);
        run.step(__NODE_1_DUPLICATE).await;
        let saved = {
            let node = run.enter(__NODE_1_DUPLICATE)?;
            #[allow(unused_variables)]
            let cx = &node;
            let x = &x;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<(Buffer<f32>, Buffer<f32>)> as __streamlease::Outcome>::Error,
            > {
                let made = duplicate(cx, &(*x))?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_2_SAVED, &saved);
        run.release(__LEASE_0_X, x);
        run.step(__NODE_2_ADD).await;
        let sum = {
            let node = run.enter(__NODE_2_ADD)?;
            #[allow(unused_variables)]
            let cx = &node;
            let doubled = doubled;
            let saved = &saved;
            let out = (|| -> __streamlease::Result<
                _,
                <Result<(Buffer<f32>, Buffer<f32>)> as __streamlease::Outcome>::Error,
            > {
                let made = add(cx, doubled, &(*saved))?;
                __streamlease::Made::of(&made).leaves_node();
                __streamlease::Ok(made)
            })();
            run.exit(node, out)
        }?;
        run.made(__LEASE_3_SUM, &sum);
        Ok((sum, saved))
    }
}
/// An operator: allocates its output on the node's stream and enqueues a kernel there.
fn scale(cx: &Node<'_>, x: &Buffer<f32>, by: f32) -> Result<Buffer<f32>> {
    let mut y = cx.empty(x.len())?;
    cx.launch(
        (cx.view(x)?, cx.view_mut(&mut y)?),
        move |(x, y): (&[f32], &mut [f32])| {
            for (y, x) in y.iter_mut().zip(x) {
                *y = by * x;
            }
        },
    )?;
    Ok(y)
}
fn duplicate(cx: &Node<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
    scale(cx, x, 1.0)
}
/// Adds in place: what it is given, it may write and return.
fn add(cx: &Node<'_>, mut x: Buffer<f32>, y: &Buffer<f32>) -> Result<Buffer<f32>> {
    cx.launch(
        (cx.view_mut(&mut x)?, cx.view(y)?),
        |(x, y): (&mut [f32], &[f32])| {
            for (x, y) in x.iter_mut().zip(y) {
                *x += y;
            }
        },
    )?;
    Ok(x)
}
fn main() -> Result<()> {
    print!("{}", scale_and_save::PLAN);
    let runtime = Runtime::host()?;
    let lane = runtime.lane(&["compute", "copy"])?;
    let cx = lane.cx();
    let x = cx.upload(vec![1.0, 2.0, 3.0])?;
    let (sum, saved) = scale_and_save(&cx, x)?;
    println!("sum   {:?}", cx.read(& sum) ?.wait() ?);
    println!("saved {:?}", cx.read(& saved) ?.wait() ?);
    Ok(())
}

//! Loops whose streams nothing ties together: memory stays flat, and the overlap is kept.
//!
//! Time is kept by a device that does nothing else: each kernel takes its nominal time, so spans are exact.

use std::time::{Duration, Instant};
use streamlease::{Buffer, Cx, Node, Result, Runtime, Stats, model_chunk};

/// Elements of a block: four mebibytes, a slab of its own.
const N: usize = 1 << 20;
const BLOCK: usize = N * 4;
const TRIPS: usize = 1000;

type B = Buffer<u32>;

fn next(cx: &Node<'_>, x: &B) -> Result<B> {
    let mut y = cx.empty(N)?;
    cx.launch((cx.view(x)?, cx.view_mut(&mut y)?), |_| work())?;
    Ok(y)
}

fn produce(cx: &Node<'_>) -> Result<B> {
    let mut y = cx.empty(N)?;
    cx.launch(cx.view_mut(&mut y)?, |_: &mut [u32]| work())?;
    Ok(y)
}

fn consume(cx: &Node<'_>, x: B) -> Result<()> {
    cx.launch(cx.view(&x)?, |_: &[u32]| work())
}

fn look(cx: &Node<'_>, x: &B) -> Result<()> {
    cx.launch(cx.view(x)?, |_: &[u32]| work())
}

/// On worker threads every kernel takes this long.
fn work() {
    std::thread::sleep(Duration::from_millis(2));
}

/// One trip each, at a given lag. Lag 1,000,000 never waits for reuse: the ideal with unlimited memory.
macro_rules! trips {
    ($lag:literal, $w1:ident, $pair:ident, $saved:ident) => {
        #[model_chunk(streams(s0, s1), reuse_lag = $lag)]
        fn $w1(cx: &Cx<'_>, f: B, b: B) -> Result<(B, B)> {
            #[on(s0)]
            let f = next(cx, &f)?;
            #[on(s1)]
            let b = next(cx, &b)?;
            #[on(s1)]
            let f = next(cx, &f)?;
            #[on(s0)]
            let b = next(cx, &b)?;
            Ok((f, b))
        }

        #[model_chunk(streams(s0, s1), reuse_lag = $lag)]
        fn $pair(cx: &Cx<'_>) -> Result<()> {
            #[on(s1)]
            let t = produce(cx)?;
            #[on(s0)]
            consume(cx, t)?;
            Ok(())
        }

        #[model_chunk(streams(s0, s1), reuse_lag = $lag)]
        fn $saved(cx: &Cx<'_>) -> Result<()> {
            #[on(s0)]
            let act = produce(cx)?;
            #[on(s1)]
            look(cx, &act)?;
            #[on(s0)]
            look(cx, &act)?;
            Ok(())
        }
    };
}

trips!(0, w1_lag0, pair_lag0, saved_lag0);
trips!(1, w1, pair, saved);
trips!(2, w1_lag2, pair_lag2, saved_lag2);
trips!(1_000_000, w1_free, pair_free, saved_free);

/// What a loop did: statistics, peak in blocks at a quarter and at the end, time.
struct Seen {
    stats: Stats,
    blocks: usize,
    span: u64,
}

impl Seen {
    fn reuse_a_trip(&self) -> f64 {
        self.stats.waits.reuse as f64 / TRIPS as f64
    }
    fn data_a_trip(&self) -> f64 {
        (self.stats.waits.planned + self.stats.waits.by_ledger) as f64 / TRIPS as f64
    }
}

fn observe(durations: fn(&str, &str) -> u64, mut trip: impl FnMut(&[Cx<'_>; 2]) -> Result<()>) -> Seen {
    let rt = Runtime::builder().strict(true).null(Some(durations)).build().expect("a runtime");
    let lanes = [rt.lane(&["s0", "s1"]).expect("a lane"), rt.lane(&["s0", "s1"]).expect("a lane")];
    let cxs = [lanes[0].cx(), lanes[1].cx()];
    let mut early = 0;
    for k in 0..TRIPS {
        trip(&cxs).expect("a trip");
        if k == TRIPS / 4 {
            early = rt.stats().memory.peak_reserved;
        }
    }
    let stats = rt.stats();
    assert_eq!((stats.waits.late, stats.waits.unplanned), (0, 0), "{stats:?}");
    let blocks = stats.memory.peak_reserved / BLOCK;
    if stats.waits.reuse > 0 {
        assert_eq!(early, stats.memory.peak_reserved, "not flat");
    }
    Seen { stats, blocks, span: rt.time() }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.02 * b.max(0.5)
}

type W1 = fn(&Cx<'_>, B, B) -> Result<(B, B)>;
type Trip = fn(&Cx<'_>) -> Result<()>;

fn chains(chunk: W1) -> impl FnMut(&[Cx<'_>; 2]) -> Result<()> {
    let mut held: Option<(B, B)> = None;
    move |cxs| {
        let (f, b) = match held.take() {
            Some(pair) => pair,
            None => (cxs[0].empty(N)?, cxs[0].empty(N)?),
        };
        held = Some(chunk(&cxs[0], f, b)?);
        Ok(())
    }
}

#[test]
fn two_chains_need_four_blocks_and_no_reuse_wait() {
    let even = |_: &str, _: &str| 300;
    let (ours, free) = (observe(even, chains(w1)), observe(even, chains(w1_free)));
    assert_eq!((ours.blocks, ours.stats.waits.reuse), (4, 0), "{:?}", ours.stats);
    assert!(near(ours.data_a_trip(), 4.0), "four nodes a trip, a wait each: {}", ours.data_a_trip());
    assert!(near(ours.span as f64, free.span as f64), "{} against {}", ours.span, free.span);
}

#[test]
fn producer_and_consumer() {
    for (produce, consume) in [(300, 300), (300, 200), (200, 300)] {
        let times: fn(&str, &str) -> u64 = match (produce, consume) {
            (300, 300) => |_, _| 300,
            (300, _) => |_, node| if node == "produce" { 300 } else { 200 },
            _ => |_, node| if node == "produce" { 200 } else { 300 },
        };
        let run = |chunk: Trip| observe(times, move |cxs| chunk(&cxs[0]));
        let (lag0, ours, lag2, free) = (run(pair_lag0), run(pair), run(pair_lag2), run(pair_free));
        assert_eq!((lag0.blocks, ours.blocks, lag2.blocks), (1, 2, 3));
        assert_eq!(free.blocks, TRIPS, "without reuse waits it grows: that is why there are some");
        assert!(near(ours.reuse_a_trip(), 1.0) && near(ours.data_a_trip(), 1.0), "{:?}", ours.stats.waits);
        assert!(near(ours.span as f64, free.span as f64), "{} against {}", ours.span, free.span);
        assert!(near(lag2.span as f64, free.span as f64));
        let serial = ((produce + consume) * TRIPS) as f64;
        assert!(near(lag0.span as f64, serial), "a lag of 0 serialises: {}", lag0.span);
    }
}

#[test]
fn read_on_two_streams_without_a_back_edge() {
    for copy in [250, 500] {
        let times: fn(&str, &str) -> u64 = if copy == 250 {
            |_, node| if node == "look" { 250 } else { 300 }
        } else {
            |_, node| if node == "look" { 500 } else { 300 }
        };
        let run = |chunk: Trip| observe(times, move |cxs| chunk(&cxs[0]));
        let (lag0, ours, free) = (run(saved_lag0), run(saved), run(saved_free));
        assert_eq!(free.blocks, TRIPS);
        assert!(lag0.blocks <= 2 && ours.blocks <= 3, "{} {}", lag0.blocks, ours.blocks);
        assert!(ours.span as f64 <= 1.05 * free.span as f64, "{} against {}", ours.span, free.span);
    }
}

#[test]
fn chains_beside_a_producer_on_one_pair_of_streams_and_on_two() {
    let even = |_: &str, _: &str| 300;
    for lane in [0, 1] {
        let run = |w1: W1, pair: Trip| {
            let mut chains = chains(w1);
            observe(even, move |cxs| chains(cxs).and_then(|()| pair(&cxs[lane])))
        };
        let (ours, free) = (run(w1, pair), run(w1_free, pair_free));
        assert!(ours.blocks <= 6, "{}", ours.blocks);
        assert!(ours.span as f64 <= 1.05 * free.span as f64, "{} against {}", ours.span, free.span);
    }
}

/// Two calls of one chunk in flight at once share its history on their lane, so the loop still overlaps.
#[test]
fn two_producers_on_one_pair_of_streams() {
    let even = |_: &str, _: &str| 300;
    let run = |chunk: Trip| observe(even, move |cxs| chunk(&cxs[0]).and_then(|()| chunk(&cxs[0])));
    let (ours, free) = (run(pair), run(pair_free));
    assert!(ours.blocks <= 4, "{}", ours.blocks);
    assert!(ours.span as f64 <= 1.05 * free.span as f64, "{} against {}", ours.span, free.span);
}

/// On worker threads, with nodes that sleep, against the same loop with unlimited memory right after it.
#[test]
fn the_overlap_is_kept_on_worker_threads() {
    let time = |chunk: Trip| {
        let rt = Runtime::builder().strict(true).build().expect("a runtime");
        let lane = rt.lane(&["s0", "s1"]).expect("a lane");
        let start = Instant::now();
        (0..60).for_each(|_| chunk(&lane.cx()).expect("a trip"));
        lane.drain().expect("an idle device");
        start.elapsed().as_secs_f64()
    };
    // A busy machine may disturb one of the two; that passes, a lost overlap (twice the time) does not.
    let ratios: Vec<f64> = (0..5).map(|_| time(pair) / time(pair_free)).collect();
    assert!(ratios.iter().any(|&r| r <= 1.05), "{ratios:?}");
    let serial: Vec<f64> = (0..5).map(|_| time(pair_lag0) / time(pair_free)).collect();
    assert!(serial.iter().any(|&r| r > 1.5), "a lag of 0 serialises: {serial:?}");
}

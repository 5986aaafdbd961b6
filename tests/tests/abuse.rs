//! Programs that no reasonable person writes, in safe Rust: nodes that overlap, views in the wrong runtime, wakers
//! that panic, types that need more alignment than there is. They may be refused or slow; never wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;
use streamlease::{Buffer, Checked, ErrorKind, Lane, Node, Release, Result, Runtime};

const KIB: usize = 1 << 10;

fn lane(rt: &Runtime) -> Lane {
    rt.lane(&["a", "b", "c"]).unwrap()
}

fn look(cx: &Node<'_>, x: &Buffer<u8>) -> Result<()> {
    cx.launch(cx.view(x)?, |_: &[u8]| {})
}

fn fill(cx: &Node<'_>, x: &mut Buffer<u8>, value: u8) -> Result<()> {
    cx.launch(cx.view_mut(x)?, move |x: &mut [u8]| x.fill(value))
}

/// Of two nodes open at once on one stream, the earlier one reads last: the mark that stays is the later node's, and
/// that node's own event says nothing of the earlier one.
#[test]
fn a_mark_stands_for_every_open_node_below_it() {
    for seed in 0..20 {
        let rt = Runtime::builder().checked(Checked::seed(seed).slow("a")).build().unwrap();
        let lane = lane(&rt);
        let cx = lane.cx();
        let mut x = cx.upload(vec![1_u8; 100]).unwrap();
        let early = cx.node("a").unwrap();
        let late = cx.node("a").unwrap();
        look(&late, &x).unwrap();
        drop(late);
        look(&early, &x).unwrap();
        drop(early);
        fill(&cx.node("b").unwrap(), &mut x, 2).unwrap();
        assert_eq!(rt.violations(), [""; 0], "written under the earlier node's read");
        // The same, with the earlier node still open when the writer comes, and for a block that is given on.
        let early = cx.node("a").unwrap();
        let late = cx.node("a").unwrap();
        look(&late, &x).unwrap();
        drop(late);
        look(&early, &x).unwrap();
        fill(&cx.node("b").unwrap(), &mut x, 3).unwrap();
        look(&cx.node("a").unwrap(), &x).unwrap();
        look(&early, &x).unwrap();
        drop(x);
        for stream in ["c", "b"] {
            fill(&cx.node(stream).unwrap(), &mut cx.node(stream).unwrap().empty(100).unwrap(), 4).unwrap();
        }
        drop(early);
        assert_eq!(rt.violations(), [""; 0]);
    }
}

/// Streams and positions of two runtimes have the same numbers.
#[test]
fn a_view_made_in_another_runtime_is_refused() {
    let (one, two) = (Runtime::host().unwrap(), Runtime::host().unwrap());
    let (lane1, lane2) = (lane(&one), lane(&two));
    let (cx1, cx2) = (lane1.cx(), lane2.cx());
    let x = cx1.upload(vec![1_u8; 100]).unwrap();
    let _ = cx2.upload(vec![1_u8; 100]).unwrap();
    let (node1, node2) = (cx1.node("b").unwrap(), cx2.node("b").unwrap());
    let view = node1.view(&x).unwrap();
    let refused = node2.launch(view, |_: &[u8]| {}).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}

#[test]
fn a_lane_without_streams_makes_errors() {
    let rt = Runtime::host().unwrap();
    let empty = rt.lane(&[]).unwrap();
    let x = lane(&rt).cx().upload(vec![1_u8]).unwrap();
    assert_eq!(empty.cx().empty::<u8>(1).unwrap_err().kind(), ErrorKind::UnknownStream);
    assert_eq!(empty.cx().read(&x).unwrap_err().kind(), ErrorKind::UnknownStream);
    assert_eq!(empty.cx().node("a").unwrap_err().kind(), ErrorKind::UnknownStream);
    empty.drain().unwrap();
}

struct Bad;
impl Wake for Bad {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics");
    }
}

struct Flag(AtomicBool);
impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// Starts a readback behind a slow kernel and polls it once.
fn awaited(lane: &Lane, waker: &Waker) -> std::pin::Pin<Box<streamlease::Arrival<u8>>> {
    let cx = lane.cx();
    let x = cx.upload(vec![7_u8; 10]).unwrap();
    let node = cx.node("a").unwrap();
    node.launch(node.view(&x).unwrap(), |_: &[u8]| std::thread::sleep(Duration::from_millis(30))).unwrap();
    let mut arrival = Box::pin(node.read(&x).unwrap().into_future());
    assert!(arrival.as_mut().poll(&mut Context::from_waker(waker)).is_pending());
    arrival
}

#[test]
fn a_waker_that_panics_harms_nobody_else() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let bad = awaited(&lane, &Waker::from(Arc::new(Bad)));
    lane.drain().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    drop(bad);
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    let waker = Waker::from(flag.clone());
    let mut good = awaited(&lane, &waker);
    let start = std::time::Instant::now();
    while !flag.0.load(Ordering::Acquire) {
        assert!(start.elapsed() < Duration::from_secs(10), "nobody is woken any more");
        std::thread::sleep(Duration::from_millis(1));
    }
    let Poll::Ready(value) = good.as_mut().poll(&mut Context::from_waker(&waker)) else {
        panic!("not there")
    };
    assert_eq!(value.unwrap(), [7; 10]);
}

/// A readback that never comes is over all the same: whoever asks in a loop hears of it.
#[test]
fn a_readback_behind_a_failure_is_ready_with_the_error() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let x = cx.upload(vec![7_u8; 10]).unwrap();
    let node = cx.node("a").unwrap();
    node.launch(node.view(&x).unwrap(), |_: &[u8]| {
        std::thread::sleep(Duration::from_millis(20));
        panic!("asked to");
    })
    .unwrap();
    let pending = node.read(&x).unwrap();
    let start = std::time::Instant::now();
    while !pending.is_ready() {
        assert!(start.elapsed() < Duration::from_secs(10), "never ready");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(pending.wait().unwrap_err().kind(), ErrorKind::Device);
}

#[derive(Clone, Copy)]
#[repr(C, align(512))]
struct Wide([u8; 512]);
// SAFETY: bytes without padding; all zero is one.
unsafe impl bytemuck::Zeroable for Wide {}
// SAFETY: every bit pattern is an array of bytes, and the size is the alignment's.
unsafe impl bytemuck::Pod for Wide {}

/// Slabs are aligned to 256 bytes; a slice of these would not be.
#[test]
fn an_element_that_needs_more_alignment_than_slabs_have_is_refused() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let _shift = cx.empty::<u8>(1).unwrap();
    for len in [0, 1, 3] {
        assert_eq!(cx.empty::<Wide>(len).unwrap_err().kind(), ErrorKind::Unsupported);
        assert_eq!(cx.zeros::<Wide>(len).unwrap_err().kind(), ErrorKind::Unsupported);
    }
    assert_eq!(cx.upload(vec![Wide([1; 512])]).unwrap_err().kind(), ErrorKind::Unsupported);
}

/// Elements of odd sizes and of none, at every length that a slice may have.
#[test]
fn odd_elements_come_back_as_they_went() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let triples: Vec<[u8; 3]> = (0..100).map(|i| [i, i + 1, i + 2]).collect();
    assert_eq!(cx.read(&cx.upload(triples.clone()).unwrap()).unwrap().wait().unwrap(), triples);
    let nothing = cx.upload(vec![(); 1000]).unwrap();
    assert_eq!(cx.read(&nothing).unwrap().wait().unwrap().len(), 1000);
    let most = cx.empty::<[u32; 0]>(usize::MAX).unwrap();
    assert_eq!((most.len(), most.bytes()), (usize::MAX, 0));
    let node = cx.node("a").unwrap();
    let view = node.view(&most).unwrap().slice(7..usize::MAX).unwrap();
    node.launch(view, |x: &[[u32; 0]]| assert_eq!(x.len(), usize::MAX - 7)).unwrap();
    drop(node);
    for len in [usize::MAX, isize::MAX as usize, usize::MAX / 8 + 2] {
        let error = cx.empty::<u64>(len).unwrap_err().kind();
        assert!(matches!(error, ErrorKind::Invalid | ErrorKind::OutOfMemory), "{error:?}");
    }
    lane.drain().unwrap();
}

/// Conservative release at the limit: what is left of blocks that were merged under pressure belongs to several
/// streams, and one of them may be given it only when the others have finished.
#[test]
fn the_rest_of_merged_blocks_is_not_given_on_too_early() {
    let builder = || Runtime::builder().release(Release::Conservative).memory_limit(2048 * KIB);
    let rt = builder().checked(Checked::seed(0).slow("b")).build().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let (a, b, c) = (cx.node("a").unwrap(), cx.node("b").unwrap(), cx.node("c").unwrap());
    let mut first = a.empty::<u8>(256 * KIB).unwrap();
    fill(&a, &mut first, 1).unwrap();
    let mut second = b.empty::<u8>(256 * KIB).unwrap();
    fill(&b, &mut second, 2).unwrap();
    let _rest = [a.empty::<u8>(1024 * KIB).unwrap(), a.empty::<u8>(512 * KIB).unwrap()];
    drop((first, second));
    // Both are merged for this; the tail is what `b` still writes.
    let mut merged = c.empty::<u8>(300 * KIB).unwrap();
    fill(&c, &mut merged, 3).unwrap();
    let mut tail = a.empty::<u8>(200 * KIB).unwrap();
    fill(&a, &mut tail, 4).unwrap();
    drop((a, b, c));
    assert_eq!(rt.violations(), [""; 0]);
}

/// Conservative release: pieces that wait for the device and pieces that do not may be merged.
#[test]
fn bytes_that_are_pending_are_counted_by_piece() {
    let builder = Runtime::builder().release(Release::Conservative).memory_limit(2048 * KIB);
    let rt = builder.checked(Checked::seed(0).slow("b")).build().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let pieces: Vec<_> = (0..8).map(|_| cx.empty::<u8>(256 * KIB).unwrap()).collect();
    for piece in pieces.iter().step_by(2) {
        look(&cx.node("b").unwrap(), piece).unwrap();
    }
    drop(pieces);
    assert_eq!(rt.stats().memory.pending, 1024 * KIB);
    let held = cx.empty::<u8>(700 * KIB).unwrap();
    let left = rt.stats().memory;
    assert!(left.pending <= 1024 * KIB, "{left:?}");
    drop(held);
    lane.drain().unwrap();
    let memory = rt.stats().memory;
    assert_eq!((memory.live, memory.pending, memory.reserved), (0, 0, 0), "{memory:?}");
}

/// Buffers hold their runtime by no count of their own. The last one out, wherever it is dropped, ends it.
#[test]
fn a_runtime_lives_as_long_as_its_last_buffer_and_no_longer() {
    let alive = Arc::new(());
    let keeper = |rt: &Runtime| {
        // Runs late or never; dropped with the backend's queue.
        let (lane, alive) = (lane(rt), alive.clone());
        let node_of = lane.cx();
        let node = node_of.node("a").unwrap();
        let x = node.empty::<u8>(10).unwrap();
        node.launch(node.view(&x).unwrap(), move |_: &[u8]| drop(alive)).unwrap();
    };
    for seed in 0..8 {
        let rt = Runtime::builder().checked(Checked::seed(seed)).build().unwrap();
        keeper(&rt);
        let cx = lane(&rt);
        let (x, y) = (cx.cx().upload(vec![1_u8; 10]).unwrap(), cx.cx().upload(vec![2_u8; 10]).unwrap());
        let pending = cx.cx().read(&y).unwrap();
        drop((cx, rt));
        drop(x);
        std::thread::spawn(move || drop(y)).join().unwrap();
        assert_eq!(pending.wait().unwrap(), [2; 10]);
        assert_eq!(Arc::strong_count(&alive), 1, "the runtime has not ended");
        // None out, then some again, and the last one is a kernel's.
        let rt = Runtime::host().unwrap();
        let cx = lane(&rt);
        drop(cx.cx().upload(vec![1_u8; 10]).unwrap());
        let (x, y) = (cx.cx().upload(vec![3_u8; 10]).unwrap(), cx.cx().upload(vec![4_u8; 10]).unwrap());
        let (done, ended) = std::sync::mpsc::channel();
        let node = cx.cx();
        let node = node.node("b").unwrap();
        let token = alive.clone();
        node.launch(node.view(&y).unwrap(), move |_: &[u8]| {
            std::thread::sleep(Duration::from_millis(5));
            drop((x, token));
            done.send(()).unwrap();
        })
        .unwrap();
        drop(node);
        drop((cx, rt, y));
        ended.recv().unwrap();
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}

/// Numbers from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((z ^ (z >> 29)) % sides as u64) as usize
    }
}

/// One thread's part: nodes that overlap on shared streams, buffers that are read by all, handed from thread to thread,
/// written by whoever has them, and dropped.
fn meddle(lane: &Lane, common: &[Buffer<u8>], passed: &std::sync::Mutex<Vec<Buffer<u8>>>, seed: u64) {
    let cx = lane.cx();
    let mut dice = Dice(seed);
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut own: Vec<Buffer<u8>> = Vec::new();
    for _ in 0..300 {
        if nodes.len() < 3 {
            nodes.push(cx.node(["a", "b", "c"][dice.roll(3)]).unwrap());
        }
        let at = dice.roll(nodes.len());
        let node = &nodes[at];
        match dice.roll(9) {
            0 | 1 => look(node, &common[dice.roll(common.len())]).unwrap(),
            2 => own.push(node.empty([64, 1000, 300 * KIB][dice.roll(3)]).unwrap()),
            3 => own.iter().for_each(|x| look(node, x).unwrap()),
            4 => own.iter_mut().take(2).for_each(|x| fill(node, x, 5).unwrap()),
            5 if !own.is_empty() => passed.lock().unwrap().push(own.swap_remove(0)),
            6 => own.extend(passed.lock().unwrap().pop()),
            7 => own.truncate(3),
            _ => drop(nodes.swap_remove(at)),
        }
    }
}

#[test]
fn threads_that_meddle_make_no_race() {
    for seed in 0..24 {
        let release = if seed % 4 == 3 { Release::Conservative } else { Release::Scheduled };
        let slow = ["a", "b", "c"][seed as usize % 3];
        let builder = Runtime::builder().release(release).checked(Checked::seed(seed).slow(slow));
        let rt = if seed % 2 == 0 { builder } else { builder.memory_limit(64 << 20) }.build().unwrap();
        let streams = ["a", "b", "c"].map(|name| rt.stream(name).unwrap());
        let of = |names: [usize; 3]| {
            rt.lane_on(&[("a", &streams[names[0]]), ("b", &streams[names[1]]), ("c", &streams[names[2]])])
                .unwrap()
        };
        // Some lanes bind two names to one stream.
        let lanes = [of([0, 1, 2]), of([1, 2, 0]), of([0, 0, 1])];
        let common: Vec<_> = (0..3).map(|_| lanes[0].cx().zeros::<u8>(100).unwrap()).collect();
        let passed = std::sync::Mutex::default();
        std::thread::scope(|scope| {
            for (k, lane) in (0..).zip(&lanes) {
                let (common, passed) = (&common, &passed);
                scope.spawn(move || meddle(lane, common, passed, seed * 10 + k));
            }
        });
        drop((common, passed));
        lanes[0].drain().unwrap();
        assert_eq!(rt.violations(), [""; 0], "seed {seed}");
        let memory = rt.stats().memory;
        assert_eq!((memory.live, memory.reserved), (0, 0), "{memory:?}");
    }
}

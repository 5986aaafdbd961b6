//! The runtime without plans: ledgers, timelines, pool, lanes, readback, on the host backend.

use std::time::Duration;
use streamlease::{Buffer, ErrorKind, HasBuffer, Lane, Node, Release, Result, Runtime};

const MIB: usize = 1 << 20;

fn slow_copy(cx: &Node<'_>, x: &Buffer<u32>, ms: u64) -> Result<Buffer<u32>> {
    let mut y = cx.empty(x.len())?;
    cx.launch((cx.view(x)?, cx.view_mut(&mut y)?), move |(x, y)| {
        std::thread::sleep(Duration::from_millis(ms));
        y.copy_from_slice(x);
    })?;
    Ok(y)
}

fn fill(cx: &Node<'_>, x: &mut Buffer<u32>, value: u32) -> Result<()> {
    cx.launch(cx.view_mut(x)?, move |x: &mut [u32]| x.fill(value))
}

fn lane(rt: &Runtime) -> Lane {
    rt.lane(&["a", "b", "c"]).unwrap()
}

#[test]
fn two_readers_on_two_streams_are_both_waited_for() {
    for release in [Release::Scheduled, Release::Conservative] {
        let rt = Runtime::builder().release(release).build().unwrap();
        let lane = lane(&rt);
        let cx = lane.cx();
        for _ in 0..20 {
            let mut x = cx.upload(vec![7_u32; 1000]).unwrap();
            let y1 = slow_copy(&cx.node("b").unwrap(), &x, 3).unwrap();
            let y2 = slow_copy(&cx.node("c").unwrap(), &x, 0).unwrap();
            fill(&cx.node("a").unwrap(), &mut x, 9).unwrap();
            drop(x);
            let mut z = cx.empty(1000).unwrap();
            fill(&cx.node("a").unwrap(), &mut z, 11).unwrap();
            assert!(cx.read(&y1).unwrap().wait().unwrap().iter().all(|&v| v == 7));
            assert!(cx.read(&y2).unwrap().wait().unwrap().iter().all(|&v| v == 7));
        }
    }
}

#[test]
fn a_dropped_buffer_is_given_on_only_behind_its_readers() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    for round in 0..30_u32 {
        let x = cx.upload(vec![round; MIB / 2]).unwrap();
        let y = slow_copy(&cx.node("b").unwrap(), &x, 2).unwrap();
        drop(x);
        let mut z = cx.empty(MIB / 2).unwrap();
        fill(&cx.node("a").unwrap(), &mut z, 1000 + round).unwrap();
        assert!(cx.read(&y).unwrap().wait().unwrap().iter().all(|&v| v == round));
    }
}

#[test]
fn memory_comes_home_to_code_outside_chunks() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let n = 2 * MIB / 4;
    let mut early = 0;
    for round in 0..100 {
        let t = cx.node("a").unwrap().zeros::<u32>(n).unwrap();
        let b = cx.node("b").unwrap();
        b.launch(b.view(&t).unwrap(), |_: &[u32]| {}).unwrap();
        if round == 20 {
            early = rt.stats().memory.peak_reserved;
        }
    }
    let stats = rt.stats();
    assert_eq!(stats.memory.peak_reserved, early, "{stats:?}");
    assert!(early <= 9 * 2 * MIB && stats.waits.reuse > 80, "{stats:?}");
}

#[test]
fn the_limit_waits_for_the_oldest_block_and_then_reports() {
    let rt = Runtime::builder().memory_limit(4 * MIB).build().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let x = cx.upload(vec![5_u8; 2 * MIB]).unwrap();
    for _ in 0..10 {
        let y = {
            let b = cx.node("b").unwrap();
            let mut y = b.empty::<u8>(2 * MIB).unwrap();
            b.launch((b.view(&x).unwrap(), b.view_mut(&mut y).unwrap()), |(x, y)| y.copy_from_slice(x))
                .unwrap();
            y
        };
        let c = cx.node("c").unwrap();
        c.launch(c.view(&y).unwrap(), |_: &[u8]| std::thread::sleep(Duration::from_millis(1))).unwrap();
    }
    let held = cx.zeros::<u8>(2 * MIB).unwrap();
    let error = cx.zeros::<u8>(2 * MIB).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert_eq!(error.bytes(), Some(2 * MIB));
    drop(held);
    cx.zeros::<u8>(2 * MIB).unwrap();
    assert_eq!(rt.stats().memory.peak_reserved, 4 * MIB);
}

#[test]
fn a_larger_request_is_served_by_giving_free_slabs_back() {
    let rt = Runtime::builder().memory_limit(6 * MIB).build().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    for _ in 0..3 {
        let parts: Vec<_> = (0..3).map(|_| cx.zeros::<u8>(2 * MIB).unwrap()).collect();
        drop(parts);
        drop(cx.zeros::<u8>(6 * MIB).unwrap());
    }
    assert_eq!(rt.stats().memory.peak_reserved, 6 * MIB);
}

#[test]
fn neighbours_are_merged_when_a_request_needs_them() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let small: Vec<_> = (0..8).map(|_| cx.zeros::<u8>(256 << 10).unwrap()).collect();
    assert_eq!(rt.stats().memory.reserved, 2 * MIB);
    drop(small);
    let large = cx.zeros::<u8>(1 << 20).unwrap();
    let rest = cx.zeros::<u8>(1 << 20).unwrap();
    assert_eq!(rt.stats().memory.reserved, 2 * MIB);
    drop((large, rest));
    lane.drain().unwrap();
    assert_eq!(rt.stats().memory.reserved, 0);
    assert_eq!(rt.stats().memory.live, 0);
}

#[test]
fn another_runtimes_buffer_is_refused_and_unharmed() {
    let (one, two) = (Runtime::host().unwrap(), Runtime::host().unwrap());
    let (lane1, lane2) = (lane(&one), lane(&two));
    let x = lane1.cx().upload(vec![3_u32; 10]).unwrap();
    let cx = lane2.cx();
    let node = cx.node("a").unwrap();
    assert_eq!(node.view(&x).unwrap_err().kind(), ErrorKind::WrongDevice);
    assert_eq!(lane1.cx().read(&x).unwrap().wait().unwrap(), vec![3; 10]);
    assert_eq!(x.buffer().len(), 10);
    assert_eq!(cx.node("none").unwrap_err().kind(), ErrorKind::UnknownStream);
}

#[test]
fn views_of_another_node_are_refused() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let x = cx.upload(vec![3_u32; 10]).unwrap();
    let (a, b) = (cx.node("a").unwrap(), cx.node("b").unwrap());
    let view = a.view(&x).unwrap();
    assert_eq!(b.launch(view, |_: &[u32]| {}).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_use_in_an_open_node_is_waited_for_at_the_head_each_time() {
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let mut x = cx.zeros::<u32>(1000).unwrap();
    let a = cx.node("a").unwrap();
    for value in 0..20 {
        a.launch(a.view_mut(&mut x).unwrap(), move |x: &mut [u32]| {
            std::thread::sleep(Duration::from_millis(1));
            x.fill(value);
        })
        .unwrap();
        let y = slow_copy(&cx.node("b").unwrap(), &x, 0).unwrap();
        assert!(cx.read(&y).unwrap().wait().unwrap().iter().all(|&v| v == value));
    }
    assert!(rt.stats().waits.late >= 20);
}

#[test]
fn awaiting_a_readback_works_with_any_executor() {
    use std::task::{Context, Poll, Wake, Waker};
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let rt = Runtime::host().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    let x = cx.upload(vec![1_u32, 2, 3]).unwrap();
    let y = slow_copy(&cx.node("b").unwrap(), &x, 20).unwrap();
    let mut arrival = std::pin::pin!(cx.read(&y).unwrap().into_future());
    let waker = Waker::from(std::sync::Arc::new(Unpark(std::thread::current())));
    let value = loop {
        match arrival.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => break value,
            Poll::Pending => std::thread::park(),
        }
    };
    assert_eq!(value.unwrap(), [1, 2, 3]);
}

#[test]
fn threads_share_streams_and_buffers() {
    let rt = Runtime::host().unwrap();
    let s = rt.stream("shared").unwrap();
    let w = rt.lane_on(&[("x", &s)]).unwrap().cx().upload(vec![1_u32; 4096]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let own = rt.stream("own").unwrap();
                let lane = rt.lane_on(&[("x", &s), ("y", &own)]).unwrap();
                let cx = lane.cx();
                for _ in 0..200 {
                    let y = slow_copy(&cx.node("x").unwrap(), &w, 0).unwrap();
                    let z = slow_copy(&cx.node("y").unwrap(), &y, 0).unwrap();
                    drop(y);
                    assert!(cx.read(&z).unwrap().wait().unwrap().iter().all(|&v| v == 1));
                }
            });
        }
    });
    let live = rt.stats().memory.live;
    drop(w);
    assert_eq!(rt.stats().memory.live + 16384, live);
}

//! Every way out of a chunk: errors at each node, panics, dropped and forgotten runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use streamlease::testing::Faults;
use streamlease::{Checked, Cx, ErrorKind, Lane, Node, Result, Runtime, Step, model_chunk};
use streamlease_tests::ops::{T, add_to, make, map, map2, probe};

/// Which node fails, and how.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Never,
    Error(usize),
    Half(usize),
    Panic(usize),
}

fn stage(cx: &Node<'_>, at: usize, how: How, x: &T) -> Result<T> {
    match how {
        How::Panic(node) if node == at => panic!("asked to"),
        How::Error(node) if node == at => Err(streamlease::Error::invalid("asked to")),
        How::Half(node) if node == at => {
            drop(map(cx, x, 9)?);
            Err(streamlease::Error::invalid("asked to, half way"))
        }
        _ => map(cx, x, at as u32),
    }
}

#[model_chunk(streams(s0, s1))]
fn staged(cx: &Cx<'_>, x: T, ws: &mut T, how: How) -> Result<T> {
    #[on(s0)]
    let a = stage(cx, 0, how, &x)?;
    #[on(s1)]
    let b = stage(cx, 1, how, &a)?;
    #[on(s1)]
    {
        add_to(cx, ws, 1)?;
        let inner = stage(cx, 2, how, ws)?;
        probe(cx, &inner)?;
    }
    #[on(s0)]
    let c = map2(cx, &a, &stage(cx, 3, how, &b)?)?;
    #[on(s1)]
    let d = stage(cx, 4, how, &c)?;
    Ok(d)
}

struct House {
    rt: Runtime,
    lane: Lane,
    ws: T,
    x: T,
}

fn house(seed: Option<u64>) -> House {
    let builder = Runtime::builder().strict(true);
    let rt = match seed {
        Some(seed) => builder.checked(Checked::seed(seed).slow(["s0", "s1"][seed as usize % 2])),
        None => builder,
    }
    .build()
    .unwrap();
    let lane = rt.lane(&["s0", "s1"]).unwrap();
    let node = lane.cx();
    let (ws, x) = (make(&node.node("s1").unwrap(), 1).unwrap(), make(&node.node("s0").unwrap(), 2).unwrap());
    House { rt, lane, ws, x }
}

impl House {
    fn call(&mut self, how: How) -> Result<T> {
        let cx = self.lane.cx();
        let x = map(&cx.node("s0")?, &self.x, 0)?;
        staged(&cx, x, &mut self.ws, how)
    }

    /// What a normal call gives, with the workspace put back to its first content.
    fn normal(&mut self) -> Vec<u32> {
        self.ws = make(&self.lane.cx().node("s1").unwrap(), 1).unwrap();
        let y = self.call(How::Never).unwrap();
        self.lane.cx().read(&y).unwrap().wait().unwrap()
    }
}

fn every_way(how: impl Fn(usize) -> How, check: impl Fn(usize, Result<T>)) {
    for seed in (0..10).map(Some).chain([None]) {
        let mut house = house(seed);
        let expected = house.normal();
        for node in 0..5 {
            let live = house.rt.stats().memory.live;
            for _ in 0..10 {
                check(node, house.call(how(node)));
            }
            assert_eq!(house.rt.stats().memory.live, live, "node {node} leaks");
            assert_eq!(house.normal(), expected, "after node {node}");
        }
        assert_eq!(house.rt.violations(), [""; 0]);
        assert_eq!(house.rt.stats().waits.unplanned, 0);
    }
}

const NAMES: [&str; 5] = ["stage", "stage", "block", "map2", "stage"];

#[test]
fn a_node_fails_before_it_does_anything() {
    every_way(How::Error, |node, out| {
        assert_eq!(out.unwrap_err().kind(), ErrorKind::Invalid, "{node} {NAMES:?}")
    });
}

#[test]
fn a_node_fails_half_way() {
    every_way(How::Half, |_, out| assert!(out.unwrap_err().to_string().contains("half way")));
}

#[test]
fn a_panic_goes_through_and_harms_nobody() {
    for seed in 0..10 {
        let mut house = house(Some(seed));
        let expected = house.normal();
        for node in 0..5 {
            let live = house.rt.stats().memory.live;
            let caught = catch_unwind(AssertUnwindSafe(|| house.call(How::Panic(node)).map(drop)));
            let message = caught.expect_err("a panic");
            assert_eq!(message.downcast_ref::<&str>(), Some(&"asked to"), "the original panic");
            assert_eq!(house.rt.stats().memory.live, live, "node {node} leaks");
            assert_eq!(house.normal(), expected, "after a panic in node {node}");
        }
        assert_eq!(house.rt.violations(), [""; 0]);
    }
}

/// Steps a run `steps` nodes far, then does `away` with it.
fn stepped(steps: usize, forget: bool) {
    for seed in 0..10 {
        let mut house = house(Some(seed));
        let expected = house.normal();
        let live = house.rt.stats().memory.live;
        {
            let cx = house.lane.cx();
            let x = map(&cx.node("s0").unwrap(), &house.x, 0).unwrap();
            let mut run = staged::start(&cx, x, &mut house.ws, How::Never);
            for _ in 0..steps {
                assert!(matches!(run.step(), Some(Step::Ran(_))));
            }
            if forget {
                std::mem::forget(run);
            }
        }
        let after = house.rt.stats().memory.live;
        assert!(if forget { after > live } else { after == live }, "{live} {after}");
        // The borrow of the workspace has ended; kernels may still use it.
        house.ws = make(&house.lane.cx().node("s0").unwrap(), 7).unwrap();
        assert_eq!(house.normal(), expected);
        assert_eq!(house.rt.violations(), [""; 0]);
    }
}

#[test]
fn a_stepped_run_that_is_dropped() {
    (1..5).for_each(|steps| stepped(steps, false));
}

#[test]
fn a_stepped_run_that_is_forgotten() {
    (1..5).for_each(|steps| stepped(steps, true));
}

#[test]
fn a_stepped_run_gives_what_a_call_gives() {
    let mut house = house(Some(4));
    let expected = house.normal();
    house.ws = make(&house.lane.cx().node("s1").unwrap(), 1).unwrap();
    let cx = house.lane.cx();
    let x = map(&cx.node("s0").unwrap(), &house.x, 0).unwrap();
    let mut run = staged::start(&cx, x, &mut house.ws, How::Never);
    let mut names = Vec::new();
    let y = loop {
        match run.step() {
            Some(Step::Ran(name)) => names.push(name),
            Some(Step::Done(out)) => break out.unwrap(),
            None => unreachable!(),
        }
    };
    assert!(run.step().is_none());
    assert_eq!(names.len() + 1, run.plan().nodes.len(), "the last node runs with the tail");
    assert_eq!(cx.read(&y).unwrap().wait().unwrap(), expected);
}

/// Made on one stream, used on another, dropped on the first, with a panic on the way.
#[model_chunk(streams(s0, s1))]
fn served(cx: &Cx<'_>, x: &T, panics: bool) -> Result<(T, T)> {
    #[on(s0)]
    let t = map(cx, x, 1)?;
    #[on(s1)]
    let y = map(cx, &t, 2)?;
    assert!(!panics, "asked to");
    #[on(s0)]
    let z = map(cx, x, 3)?;
    Ok((y, z))
}

#[test]
fn a_temporary_and_a_panic_in_a_host_statement() {
    for seed in 0..100 {
        let rt = Runtime::builder().strict(true).checked(Checked::seed(seed).slow("s1")).build().unwrap();
        let lane = rt.lane(&["s0", "s1"]).unwrap();
        let cx = lane.cx();
        let x = make(&cx.node("s0").unwrap(), 2).unwrap();
        let (y, z) = served(&cx, &x, false).unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| served(&cx, &x, true).map(drop))).is_err());
        let (y2, z2) = served(&cx, &x, false).unwrap();
        let read = |b: &T| cx.read(b).unwrap().wait().unwrap();
        assert_eq!((read(&y), read(&z)), (read(&y2), read(&z2)));
        drop((x, y, z, y2, z2));
        lane.drain().unwrap();
        assert_eq!(rt.stats().memory.live, 0);
        assert_eq!(rt.violations(), [""; 0]);
    }
}

#[test]
fn a_kernel_that_panics_is_reported_once_and_memory_is_kept_back() {
    let rt = Runtime::builder().faults(Faults::default()).build().unwrap();
    let lane = rt.lane(&["s0", "s1"]).unwrap();
    let cx = lane.cx();
    let mut x = make(&cx.node("s0").unwrap(), 2).unwrap();
    let node = cx.node("s0").unwrap();
    node.launch(node.view_mut(&mut x).unwrap(), |_: &mut [u32]| panic!("a bad kernel")).unwrap();
    drop(node);
    let error = lane.drain().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Device);
    assert!(error.to_string().contains("a bad kernel"), "{error}");
    assert_eq!(cx.node("s1").unwrap_err().kind(), ErrorKind::Device);
    let bytes = rt.stats().memory.live;
    drop(x);
    assert_eq!(rt.stats().memory.kept_back, bytes);
}

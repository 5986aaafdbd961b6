//! A device that fails: every error is reported, nothing is corrupted, and no memory is lost uncounted.

use streamlease::testing::{Call, Frailty};
use streamlease::{Builder, Checked, Cx, ErrorKind, Lane, Release, Result, Runtime, model_chunk};
use streamlease_tests::ops::{T, add_to, eat, make, map, map2};

const MIB: usize = 1 << 20;

#[model_chunk(streams(s0, s1), reuse_lag = 0)]
fn model(cx: &Cx<'_>, x: &T, w: &mut T) -> Result<T> {
    #[on(s0)]
    let a = map(cx, x, 1)?;
    #[on(s1)]
    let b = map(cx, x, 2)?;
    #[on(s1)]
    add_to(cx, w, 3)?;
    #[on(s0)]
    let c = map2(cx, &a, &b)?;
    #[on(s1)]
    let d = eat(cx, a)?;
    #[on(s0)]
    let e = map2(cx, &c, &d)?;
    Ok(e)
}

/// Waits in and out of the plan, reuse, a readback, memory given back.
fn program(lane: &Lane) -> Result<Vec<u32>> {
    let cx = lane.cx();
    let x = make(&cx.node("s1")?, 1)?;
    let mut w = make(&cx.node("s0")?, 2)?;
    let mut last = model(&cx, &x, &mut w)?;
    for _ in 0..2 {
        last = model(&cx, &last, &mut w)?;
        let large = cx.node("s1")?.zeros::<u8>(2 * MIB)?;
        cx.node("s0")?.view(&large).map(|_| ())?;
        drop(large);
    }
    let pending = cx.read(&last)?;
    drop((x, w, last));
    let value = pending.wait()?;
    lane.drain()?;
    Ok(value)
}

fn lane(rt: &Runtime) -> Lane {
    rt.lane(&["s0", "s1"]).expect("a lane")
}

#[test]
fn one_call_that_fails_corrupts_nothing_and_loses_nothing() {
    let expected = program(&lane(&Runtime::host().unwrap())).unwrap();
    let calls = [
        Call::Record,
        Call::Wait,
        Call::Query,
        Call::Synchronize,
        Call::TakeSlab,
        Call::GiveSlab,
        Call::HostFn,
        Call::Kernel,
    ];
    for (call, release) in
        calls.into_iter().flat_map(|c| [(c, Release::Scheduled), (c, Release::Conservative)])
    {
        let mut failed = 0;
        for n in 0..60 {
            let how = Frailty { fails: Some((call, n)), ..Frailty::default() };
            let builder = Runtime::builder().release(release).checked(Checked::seed(n)).frail(how);
            let rt = builder.build().unwrap();
            let lane = lane(&rt);
            let what = format!("{call:?} {n}, {release:?}");
            let mut errors = 0;
            for _ in 0..3 {
                match program(&lane) {
                    Ok(value) => assert_eq!(value, expected, "{what}"),
                    Err(e) => {
                        errors += 1;
                        assert_eq!(e.kind(), ErrorKind::Device, "{what}: {e}");
                    }
                }
            }
            // The device works again, and so does everything on it.
            assert!(errors <= 1, "{what}: one call failed, and {errors} programs");
            failed += errors;
            // What fails once may be the first of these.
            assert!((0..2).any(|_| lane.drain().is_ok()), "{what}");
            assert_eq!(rt.violations(), [""; 0], "{what}");
            let stats = rt.stats();
            let memory = stats.memory;
            assert_eq!(memory.live, 0, "{what}: {memory:?}");
            assert_eq!(memory.reserved > 0, memory.kept_back > 0, "{what}: {memory:?}");
            assert!(memory.kept_back <= memory.reserved, "{what}: {memory:?}");
            assert_eq!(stats.allocations, stats.frees, "{what}");
        }
        // Only conservative release asks, and it takes "no answer" for "not yet".
        assert_eq!(failed > 0, call != Call::Query, "{call:?} never failed");
    }
}

fn frail(capacity: usize, fails: Option<(Call, u64)>) -> Builder {
    Runtime::builder().checked(Checked::seed(0)).frail(Frailty {
        fails,
        capacity: Some(capacity),
        ..Frailty::default()
    })
}

/// Without a limit of its own the pool still gives back what it does not use before it reports.
#[test]
fn a_full_device_gets_all_free_slabs_back_and_is_asked_again() {
    let rt = frail(8 * MIB, None).build().unwrap();
    let lane = lane(&rt);
    let cx = lane.cx();
    for _ in 0..3 {
        let parts: Vec<_> = (0..3).map(|_| cx.zeros::<u8>(2 * MIB).unwrap()).collect();
        drop(parts);
        drop(cx.zeros::<u8>(6 * MIB).unwrap());
    }
    let held = cx.zeros::<u8>(4 * MIB).unwrap();
    let error = cx.empty::<u8>(6 * MIB).unwrap_err();
    assert_eq!((error.kind(), error.bytes()), (ErrorKind::OutOfMemory, Some(6 * MIB)));
    let text = error.to_string();
    assert!(text.contains("4194304 of 6291456 reserved bytes are live, 0 kept back"), "{text}");
    assert!(text.contains("the device has no more"), "{text}");
    assert!(std::error::Error::source(&error).is_some());
    drop(held);
    drop(cx.zeros::<u8>(8 * MIB).unwrap());
    assert_eq!(rt.violations(), [""; 0]);
}

/// Three slabs are to go back, and one step of it fails: that slab is kept back or in the pool, the others are in the
/// pool, and every byte that was taken is in one of the counts.
#[test]
fn slabs_that_could_not_be_given_back_are_counted() {
    let slabs = |rt: &Runtime| {
        let cx = lane(rt);
        let parts: Vec<_> = (0..3).map(|_| cx.cx().zeros::<u8>(2 * MIB).unwrap()).collect();
        drop(parts);
    };
    for n in 0..3 {
        let rt = frail(100 * MIB, Some((Call::GiveSlab, n))).build().unwrap();
        slabs(&rt);
        let other = lane(&rt);
        assert_eq!(other.drain().unwrap_err().kind(), ErrorKind::Device);
        let gone = n as usize * 2 * MIB;
        let memory = rt.stats().memory;
        assert_eq!((memory.reserved, memory.kept_back), (6 * MIB - gone, 2 * MIB), "{memory:?}");
        other.drain().unwrap();
        let memory = rt.stats().memory;
        assert_eq!((memory.reserved, memory.kept_back), (2 * MIB, 2 * MIB), "{memory:?}");
    }
    let rt = frail(100 * MIB, Some((Call::Wait, 0))).build().unwrap();
    slabs(&rt);
    let other = lane(&rt);
    assert_eq!(other.drain().unwrap_err().kind(), ErrorKind::Device);
    let memory = rt.stats().memory;
    assert_eq!((memory.reserved, memory.kept_back), (6 * MIB, 0), "{memory:?}");
    other.drain().unwrap();
    assert_eq!(rt.stats().memory.reserved, 0);
    assert_eq!(rt.violations(), [""; 0]);
}

/// Where slabs come in stream order, the rest of one is not given to a stream that has not waited for it.
#[test]
fn the_rest_of_a_slab_that_comes_in_order_is_given_on_in_order() {
    let reserved = |in_order| {
        let rt = Runtime::builder().frail(Frailty { in_order, ..Frailty::default() }).build().unwrap();
        let lane = lane(&rt);
        let cx = lane.cx();
        let x = make(&cx.node("s0").unwrap(), 1).unwrap();
        let unordered = cx.node("s1").unwrap().empty::<u8>(1000).unwrap();
        let apart = rt.stats().memory.reserved;
        // The other slab is full now, and `s1` has come to be ordered after the first.
        let node = cx.node("s1").unwrap();
        let rest = [node.empty::<u8>(MIB).unwrap(), node.empty::<u8>(MIB - 1024).unwrap()];
        node.view(&x).unwrap();
        let ordered = node.empty::<u8>(1000).unwrap();
        drop((x, unordered, rest, ordered));
        (apart / (2 * MIB), rt.stats().memory.reserved / (2 * MIB))
    };
    assert_eq!(reserved(true), (2, 2));
    assert_eq!(reserved(false).0, 1);
}

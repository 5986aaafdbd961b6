//! Two readers on two streams, then the memory is freed or overwritten: cudarc keeps one read event a slice, so its own
//! tracking forgets the first; a ledger keeps one mark a stream.

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, PushKernelArg};
use std::sync::Arc;
use streamlease::{Cx, Pending, Result, Runtime, model_chunk};
use streamlease_tests::ops::cuda::{Op, kernel, slow_down, threads};
use streamlease_tests::ops::{N, T, add_to, make, map};

const ROUNDS: usize = 100;
/// The first reader takes this long.
const SLOW: u64 = 3_000_000;

#[model_chunk(streams(owner, slow, quick))]
fn dropped(cx: &Cx<'_>) -> Result<Vec<Pending<u32>>> {
    #[on(owner)]
    let x = make(cx, 7)?;
    #[on(slow)]
    let a = map(cx, &x, 1)?;
    #[on(quick)]
    let _b = map(cx, &x, 2)?;
    #[on(owner)]
    let _y = make(cx, 9)?;
    #[on(slow)]
    let got = cx.read(&a)?;
    Ok(vec![got])
}

#[model_chunk(streams(owner, slow, quick))]
fn overwritten(cx: &Cx<'_>) -> Result<Vec<Pending<u32>>> {
    #[on(owner)]
    let mut x = make(cx, 7)?;
    #[on(slow)]
    let a = map(cx, &x, 1)?;
    #[on(quick)]
    let _b = map(cx, &x, 2)?;
    #[on(owner)]
    add_to(cx, &mut x, 9)?;
    #[on(slow)]
    let got = cx.read(&a)?;
    Ok(vec![got])
}

/// What the slow reader must have read: `make(7)`, then `map(1)`.
fn right(values: &[u32]) -> bool {
    !values.is_empty() && values.iter().enumerate().all(|(i, &v)| v == (7000 + i as u32) * 3 + 1)
}

fn wrong_rounds(mut round: impl FnMut() -> Vec<u32>) -> usize {
    (0..ROUNDS).filter(|_| !right(&round())).count()
}

#[test]
fn annotated() {
    let rt = Runtime::builder().cuda(0).strict(true).build().expect("a GPU");
    let lane = rt.lane(&["owner", "slow", "quick"]).unwrap();
    slow_down(&[("slow", SLOW)]);
    for (name, chunk) in [("drop", dropped as fn(&Cx<'_>) -> _), ("overwrite", overwritten)] {
        let wrong = wrong_rounds(|| {
            let pending: Vec<Pending<u32>> = chunk(&lane.cx()).unwrap();
            pending.into_iter().flat_map(|p| p.wait().unwrap()).collect()
        });
        println!("two readers, annotated, then {name}: {wrong} of {ROUNDS} rounds wrong");
        assert_eq!(wrong, 0);
    }
    assert_eq!(rt.stats().waits.unplanned, 0);
}

/// Memory that cudarc's launch builder takes.
trait Memory: Sized {
    fn launch(stream: &Arc<CudaStream>, op: Op, k: u32, a: Option<&Self>, y: &mut Self, delay: u64);
}

impl Memory for T {
    fn launch(stream: &Arc<CudaStream>, op: Op, k: u32, a: Option<&Self>, y: &mut Self, delay: u64) {
        let (function, op, none, n) = (kernel(stream.context()), op as u32, 0_u64, y.len() as u64);
        let (a, y) = (a.map(|a| a.on(stream)), y.on_mut(stream));
        let mut launch = stream.launch_builder(&function);
        launch.arg(&op).arg(&k);
        match &a {
            Some(a) => launch.arg(a),
            None => launch.arg(&none),
        };
        launch.arg(&none).arg(&y).arg(&n).arg(&delay);
        // SAFETY: the kernel's arguments in its order; it reads and writes `n` elements of each.
        unsafe { launch.launch(threads(n)) }.unwrap();
    }
}

impl Memory for CudaSlice<u32> {
    fn launch(stream: &Arc<CudaStream>, op: Op, k: u32, a: Option<&Self>, y: &mut Self, delay: u64) {
        let (function, op, none, n) = (kernel(stream.context()), op as u32, 0_u64, y.len() as u64);
        let mut launch = stream.launch_builder(&function);
        launch.arg(&op).arg(&k);
        match a {
            Some(a) => launch.arg(a),
            None => launch.arg(&none),
        };
        launch.arg(&none).arg(y).arg(&n).arg(&delay);
        // SAFETY: the kernel's arguments in its order; it reads and writes `n` elements of each.
        unsafe { launch.launch(threads(n)) }.unwrap();
    }
}

/// Writes, reads on two streams, and frees or overwrites; what the slow reader made.
fn round<M: Memory>(
    [owner, slow, quick]: [&Arc<CudaStream>; 3],
    frees: bool,
    take: impl Fn(&Arc<CudaStream>) -> M,
) -> M {
    let (mut a, mut b) = (take(slow), take(quick));
    owner.context().synchronize().unwrap();
    let mut x = take(owner);
    M::launch(owner, Op::Make, 7, None, &mut x, 0);
    M::launch(slow, Op::Map, 1, Some(&x), &mut a, SLOW);
    M::launch(quick, Op::Map, 2, Some(&x), &mut b, 0);
    if frees {
        drop(x);
        x = take(owner);
    }
    M::launch(owner, Op::Make, 9, None, &mut x, 0);
    owner.context().synchronize().unwrap();
    a
}

#[test]
fn buffers_swapped_in() {
    let rt = Runtime::builder().cuda(0).build().expect("a GPU");
    let streams = ["owner", "slow", "quick"].map(|name| rt.stream(name).unwrap());
    let lane = rt.lane_on(&[("owner", &streams[0])]).unwrap();
    let cx = lane.cx();
    let [owner, slow, quick] = streams.each_ref().map(|s| s.cuda().unwrap());
    for (name, frees) in [("drop", true), ("overwrite", false)] {
        let wrong = wrong_rounds(|| {
            let a: T = round([owner, slow, quick], frees, |_| cx.empty(N).unwrap());
            cx.read(&a).unwrap().wait().unwrap()
        });
        println!("two readers, `Buffer` swapped in, then {name}: {wrong} of {ROUNDS} rounds wrong");
        assert_eq!(wrong, 0);
    }
}

/// The fault itself: that it shows says that the rounds above could have shown it too.
#[test]
fn cudarcs_own_tracking_is_wrong() {
    let context = CudaContext::new(0).expect("a GPU");
    let streams = [(); 3].map(|()| context.new_stream().unwrap());
    let [owner, slow, quick] = streams.each_ref();
    assert!(context.is_event_tracking());
    for (name, frees) in [("drop", true), ("overwrite", false)] {
        let wrong = wrong_rounds(|| {
            let a: CudaSlice<u32> = round([owner, slow, quick], frees, |s| s.alloc_zeros(N).unwrap());
            slow.clone_dtoh(&a).unwrap()
        });
        println!("two readers, cudarc's own tracking, then {name}: {wrong} of {ROUNDS} rounds wrong");
        assert!(wrong > 0, "cudarc keeps both readers now: the comparison has had its day");
    }
}

//! Whole training runs: the same losses, bit for bit, wherever the work runs.

use crate::moe::Config;
use crate::moe::data::Corpus;
use crate::moe::train::{Trainer, train};
use streamlease::{Checked, Lane, Release, Result, Runtime};

const TEXT: &str = include_str!("training.rs");

/// The losses of `steps` steps on `lane`.
fn losses(lane: &Lane, steps: usize) -> Result<Vec<f32>> {
    let (cx, corpus) = (lane.cx(), Corpus::of(TEXT));
    let mut trainer = Trainer::new(&cx, Config::tiny(corpus.vocab()), 1e-2, 1)?;
    let mut losses = Vec::new();
    train(&cx, &mut trainer, &corpus, (steps, 2), |loss| losses.push(loss))?;
    Ok(losses)
}

/// The same on a runtime of its own, which must not have waited unplanned or late.
fn run(release: Release, one_stream: bool) -> Result<Vec<f32>> {
    let runtime = Runtime::builder().strict(true).release(release).build()?;
    let lane = if one_stream {
        let stream = runtime.stream("all")?;
        runtime.lane_on(&[("compute", &stream), ("comm", &stream)])?
    } else {
        runtime.lane(&["compute", "comm"])?
    };
    let losses = losses(&lane, 50)?;
    let waits = runtime.stats().waits;
    assert_eq!((waits.unplanned, waits.late), (0, 0), "{waits:?}");
    assert_eq!(one_stream, waits.planned == 0, "{waits:?}");
    Ok(losses)
}

#[test]
fn losses_do_not_depend_on_streams_or_release_mode() -> Result<()> {
    let reference = run(Release::Scheduled, false)?;
    assert_eq!(reference.len(), 50);
    assert!(reference[49] < 0.8 * reference[0], "{reference:?}");
    for (release, one_stream) in
        [(Release::Scheduled, true), (Release::Conservative, false), (Release::Conservative, true)]
    {
        let other = run(release, one_stream)?;
        let same = reference.iter().zip(&other).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{release:?}, one stream: {one_stream}: {reference:?} {other:?}");
    }
    Ok(())
}

#[test]
fn no_order_of_the_streams_changes_a_loss() -> Result<()> {
    let runtime = Runtime::builder().strict(true).build()?;
    let reference = losses(&runtime.lane(&["compute", "comm"])?, 6)?;
    for slow in ["compute", "comm"] {
        let checked = Checked::seed(7).slow(slow);
        let runtime = Runtime::builder().strict(true).checked(checked).build()?;
        let found = losses(&runtime.lane(&["compute", "comm"])?, 6)?;
        assert_eq!(found, reference, "slow: {slow}");
        assert_eq!(runtime.violations(), Vec::<String>::new(), "slow: {slow}");
    }
    Ok(())
}

#[test]
fn memory_does_not_grow_with_the_steps() -> Result<()> {
    let peaks = |steps| {
        let (runtime, lane) = super::strict()?;
        losses(&lane, steps)?;
        let memory = runtime.stats().memory;
        Ok((memory.peak_live, memory.peak_reserved))
    };
    let few: Result<(usize, usize)> = peaks(4);
    assert_eq!(few?, peaks(40)?);
    Ok(())
}

//! Trains a small mixture-of-experts language model on this repository's own sources, through annotated chunks.
//!
//! The model is in `examples/moe`; this is the program around it: arguments, a progress bar, a closing report.

mod args;
mod report;

use anyhow::{Context as _, Result};
use args::Args;
use clap::Parser as _;
use indicatif::{ProgressBar, ProgressStyle};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use report::Report;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use streamlease::{Cx, Lane, Runtime};
use streamlease_examples::moe::Config;
use streamlease_examples::moe::chunks;
use streamlease_examples::moe::data::Corpus;
use streamlease_examples::moe::generate::generate;
use streamlease_examples::moe::train::{Trainer, train};

/// Adam's step size.
const RATE: f32 = 6e-3;
/// Where the generated line begins, and how many characters it gets.
const START: (&str, usize) = ("pub fn ", 100);

fn main() -> ExitCode {
    let args = Args::parse();
    if args.plan {
        chunks::PLANS.iter().for_each(|plan| println!("{plan}"));
        return ExitCode::SUCCESS;
    }
    match train_and_report(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn train_and_report(args: &Args) -> Result<()> {
    // Opened now, so that a path that cannot be written costs no training.
    let json = args.json.as_deref().map(create).transpose()?;

    let runtime = Runtime::builder().strict(true).release(args.release.into()).build()?;
    let lane = lane(&runtime, args.one_stream)?;
    let cx = lane.cx();
    let corpus = Corpus::of_this_repository();
    let mut trainer = Trainer::new(&cx, Config::example(corpus.vocab()), RATE, args.seed)?;
    let (losses, seconds) = run(&cx, &mut trainer, &corpus, args)?;

    let report = Report::new(&runtime, args, trainer.config(), &losses, seconds);
    println!("{report}");
    if let Some(file) = json {
        serde_json::to_writer_pretty(file, &report).context("writing the report")?;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let text = generate(&cx, (trainer.config(), trainer.weights()), &corpus, START, &mut rng)?;
    println!("text: {}", text.replace('\n', "⏎"));
    Ok(())
}

fn create(path: &Path) -> Result<File> {
    File::create(path).with_context(|| format!("cannot write {}", path.display()))
}

/// The model's two names on two physical streams, or on one.
fn lane(runtime: &Runtime, one_stream: bool) -> Result<Lane> {
    if !one_stream {
        return Ok(runtime.lane(&["compute", "comm"])?);
    }
    let stream = runtime.stream("compute and comm")?;
    Ok(runtime.lane_on(&[("compute", &stream), ("comm", &stream)])?)
}

/// Trains behind a progress bar (silent where there is no terminal): all losses, and the seconds it took.
fn run(cx: &Cx<'_>, trainer: &mut Trainer, corpus: &Corpus, args: &Args) -> Result<(Vec<f32>, f64)> {
    let tokens = trainer.config().tokens() as f64;
    let bar = ProgressBar::new(args.steps as u64)
        .with_style(ProgressStyle::with_template("{bar:24} {pos}/{len} steps  {msg}")?);
    let mut losses = Vec::with_capacity(args.steps);
    let start = Instant::now();
    train(cx, trainer, corpus, (args.steps, args.seed), |loss| {
        losses.push(loss);
        let speed = losses.len() as f64 * tokens / start.elapsed().as_secs_f64();
        bar.set_message(format!("loss {loss:.3}  {speed:.0} tokens/s"));
        bar.inc(1);
    })?;
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    Ok((losses, seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_cannot_be_written_fails_at_once() {
        let missing = Path::new(env!("CARGO_MANIFEST_DIR")).join("no such folder/report.json");
        let error = format!("{:#}", create(&missing).unwrap_err());
        assert!(error.starts_with("cannot write") && error.contains("report.json"), "{error}");
    }
}

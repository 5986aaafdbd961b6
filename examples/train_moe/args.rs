//! The command line.

use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use streamlease::Release;

/// Train a small mixture-of-experts language model on this repository's own sources.
#[derive(Parser, Debug)]
pub(crate) struct Args {
    /// Training steps
    #[arg(long, default_value_t = 200, value_parser = parse_steps)]
    pub(crate) steps: usize,

    /// When freed memory may be used again: by the plan, or once the device is seen to be done with it
    #[arg(long, value_enum, default_value_t = ReleaseMode::Scheduled)]
    pub(crate) release: ReleaseMode,

    /// Run `compute` and `comm` on one physical stream
    #[arg(long)]
    pub(crate) one_stream: bool,

    /// Seed of the weights, of the batches and of the generated text
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Write the closing figures to this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Print the plan of every chunk and exit
    #[arg(long)]
    pub(crate) plan: bool,
}

/// [`Release`] as an argument.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReleaseMode {
    Scheduled,
    Conservative,
}

impl ReleaseMode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ReleaseMode::Scheduled => "scheduled",
            ReleaseMode::Conservative => "conservative",
        }
    }
}

impl From<ReleaseMode> for Release {
    fn from(mode: ReleaseMode) -> Self {
        match mode {
            ReleaseMode::Scheduled => Release::Scheduled,
            ReleaseMode::Conservative => Release::Conservative,
        }
    }
}

fn parse_steps(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one step is needed".into()),
        Ok(steps) => Ok(steps),
        Err(error) => Err(format!("{error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn bad_flags_exit_with_two() {
        for line in ["x --steps many", "x --steps 0", "x --release sometimes", "x --fast", "x --json"] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
        assert_eq!(parse("x --help").unwrap_err().kind(), ErrorKind::DisplayHelp);
    }

    #[test]
    fn defaults() {
        let args = parse("x").unwrap();
        assert_eq!((args.steps, args.release, args.one_stream), (200, ReleaseMode::Scheduled, false));
    }
}

//! The closing figures, as a table and as JSON.

use crate::args::Args;
use serde::Serialize;
use std::fmt;
use streamlease::Runtime;
use streamlease_examples::moe::Config;

/// What a training run came to. Losses in nats a character.
#[derive(Serialize, Debug)]
pub(crate) struct Report {
    backend: &'static str,
    release: &'static str,
    steps: usize,
    first_loss: f32,
    last_loss: f32,
    tokens_per_second: f64,
    peak_live_bytes: usize,
    peak_reserved_bytes: usize,
    waits_planned: u64,
    waits_reuse: u64,
    waits_late: u64,
    waits_unplanned: u64,
    /// In the table alone.
    #[serde(skip)]
    waits_by_ledger: u64,
}

impl Report {
    pub(crate) fn new(runtime: &Runtime, args: &Args, c: &Config, losses: &[f32], seconds: f64) -> Self {
        let stats = runtime.stats();
        Report {
            backend: runtime.backend(),
            release: args.release.name(),
            steps: losses.len(),
            first_loss: losses.first().copied().unwrap_or(f32::NAN),
            last_loss: losses.last().copied().unwrap_or(f32::NAN),
            tokens_per_second: (losses.len() * c.tokens()) as f64 / seconds,
            peak_live_bytes: stats.memory.peak_live,
            peak_reserved_bytes: stats.memory.peak_reserved,
            waits_planned: stats.waits.planned,
            waits_reuse: stats.waits.reuse,
            waits_late: stats.waits.late,
            waits_unplanned: stats.waits.unplanned,
            waits_by_ledger: stats.waits.by_ledger,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        writeln!(f, "backend {}, {} release, {} steps", self.backend, self.release, self.steps)?;
        writeln!(f, "  loss             {:>10.3} -> {:.3}", self.first_loss, self.last_loss)?;
        writeln!(f, "  tokens/s         {:>10.0}", self.tokens_per_second)?;
        writeln!(f, "  peak live        {:>10.2} MiB", mib(self.peak_live_bytes))?;
        writeln!(f, "  peak reserved    {:>10.2} MiB", mib(self.peak_reserved_bytes))?;
        writeln!(f, "  waits: planned   {:>10}", self.waits_planned)?;
        writeln!(f, "         by ledger {:>10}", self.waits_by_ledger)?;
        writeln!(f, "         reuse     {:>10}", self.waits_reuse)?;
        writeln!(f, "         late      {:>10}", self.waits_late)?;
        write!(f, "         unplanned {:>10}", self.waits_unplanned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[test]
    fn the_keys_of_the_json() {
        let (runtime, args) = (Runtime::host().unwrap(), Args::parse_from(["x"]));
        let report = Report::new(&runtime, &args, &Config::tiny(5), &[4.0, 3.0], 1.0);
        let json = serde_json::to_value(&report).unwrap();
        let mut keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = [
            "backend",
            "release",
            "steps",
            "first_loss",
            "last_loss",
            "tokens_per_second",
            "peak_live_bytes",
            "peak_reserved_bytes",
            "waits_planned",
            "waits_reuse",
            "waits_late",
            "waits_unplanned",
        ];
        keys.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected);
    }
}

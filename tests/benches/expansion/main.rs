//! What expansion costs a user's build: a crate with one chunk of 125 to 2,000 nodes on 4 streams.
//!
//! `cargo bench -p streamlease-tests --bench expansion [-- build] [NODES ..]`; with `build`, `cargo build --release` is
//! timed in place of `cargo check --release`.
//!
//! The crate is written three times: as plain code, with the attribute, and with the attribute and a judge that
//! judges 20 times more, for once is too little to see in the whole. Dependencies are built before, the macro with
//! `opt-level = 3`, which users ask for by `profile.release.build-override`; cargo's own default is 0. The three take
//! turns, and medians are printed, of processor time where the system tells it: other programs show less there.
//!
//! The macro's own share is rustc's pass `macro_expand_crate` (wall time, the least of the rounds, less the plain
//! crate's), as `-Ztime-passes` tells it. That option is unstable; `RUSTC_BOOTSTRAP` allows it here, for measuring.

mod chunk;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use chunk::Form;

const NODES: [usize; 5] = [125, 250, 500, 1000, 2000];
const FORMS: [Form; 3] = [Form::Plain, Form::Judged, Form::Again];
const ROUNDS: usize = 3;

const MANIFEST: &str = r#"[package]
name = "chunk"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
streamlease = { path = "RUNTIME" }

[profile.release.build-override]
opt-level = 3
"#;

/// The generated crate.
struct Crate {
    folder: PathBuf,
    /// `check` or `build`.
    verb: &'static str,
}

impl Crate {
    fn new(root: &Path, verb: &'static str) -> Crate {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = root.join("chunk");
        fs::create_dir_all(folder.join("src")).expect("a folder under target/tmp");
        let runtime = here.join("../runtime").display().to_string();
        fs::write(folder.join("Cargo.toml"), MANIFEST.replace("RUNTIME", &runtime)).expect("the manifest");
        // The same versions of everything as in the workspace, if it has been locked.
        let _ = fs::copy(here.join("../Cargo.lock"), folder.join("Cargo.lock"));
        Crate { folder, verb }
    }

    /// Compiles a source; `passes` has rustc tell its passes.
    fn compile(&self, source: &str, passes: bool) -> Output {
        fs::write(self.folder.join("src/lib.rs"), source).expect("the source");
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args([self.verb, "--release", "--quiet"]).current_dir(&self.folder).stdin(Stdio::null());
        command.env("CARGO_TARGET_DIR", self.folder.with_file_name("target"));
        if passes {
            // For the generated crate alone, so that no dependency is built anew.
            command.env("RUSTC_WORKSPACE_WRAPPER", env::current_exe().expect("this program"));
        }
        let output = command.output().expect("cargo");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// What compiling a source takes.
    fn time(&self, source: &str) -> Duration {
        let (before, start) = (children(), Instant::now());
        self.compile(source, false);
        match (before, children()) {
            (Some(before), Some(after)) => after - before,
            _ => start.elapsed(),
        }
    }

    /// How long rustc spends on expanding a source, in milliseconds; not a number if it does not tell.
    fn expanding(&self, source: &str) -> f64 {
        let output = self.compile(source, true);
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().find(|line| line.trim_end().ends_with("macro_expand_crate"));
        let seconds =
            line.and_then(|line| line.split_whitespace().nth(1)?.trim_end_matches(';').parse().ok());
        seconds.map_or(f64::NAN, |s: f64| s * 1e3)
    }
}

/// Processor time of all children so far, in steps of 10 ms; none where the system has no such file.
fn children() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// In rustc's place: rustc that tells its passes.
fn wrapper(rustc: &str, rest: &[String]) -> ! {
    let mut command = Command::new(rustc);
    let status = command.args(rest).arg("-Ztime-passes").env("RUSTC_BOOTSTRAP", "1").status().expect("rustc");
    std::process::exit(status.code().unwrap_or(1))
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// syn's parse of the same tokens, in milliseconds.
fn parse(source: &str) -> f64 {
    let tokens: proc_macro2::TokenStream = source.parse().expect("tokens");
    let once = || {
        let (tokens, start) = (tokens.clone(), Instant::now());
        std::hint::black_box(syn::parse2::<syn::File>(tokens).expect("Rust"));
        start.elapsed().as_secs_f64() * 1e3
    };
    median((0..15).map(|_| once()).collect())
}

/// Measures and prints one size.
fn row(krate: &Crate, nodes: usize) {
    let sources = FORMS.map(|form| chunk::source(nodes, form));
    let mut times = [const { Vec::new() }; 3];
    let mut expanding = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (times, source) in times.iter_mut().zip(&sources) {
            times.push(krate.time(source).as_secs_f64() * 1e3);
        }
        for (least, form) in expanding.iter_mut().zip([0, 1]) {
            *least = least.min(krate.expanding(&sources[form]));
        }
    }
    let [plain, judged, again] = times.map(median);
    let (verify, expand) = ((again - judged) / 20.0, expanding[1] - expanding[0]);
    let unjudged = judged - verify;
    let (syn, each) = (parse(&sources[1]), (judged - plain) * 1e6 / nodes as f64);
    print!("{nodes:>5} {plain:>8.0} {unjudged:>12.0} {judged:>10.0} {verify:>8.0}");
    println!(" {expand:>10.0} {syn:>10.1} {each:>11.0}");
}

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    if let [rustc, rest @ ..] = &args[..]
        && env::var_os("RUSTC_WORKSPACE_WRAPPER").is_some()
    {
        wrapper(rustc, rest);
    }
    let verb = if args.iter().any(|a| a == "build") { "build" } else { "check" };
    let krate = Crate::new(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("expansion"), verb);
    println!("cargo {verb} --release, the macro built with opt-level 3; milliseconds");
    krate.time(&chunk::source(8, Form::Judged)); // with its dependencies
    print!("{:>5} {:>8} {:>12} {:>10} {:>8}", "nodes", "rustc", "+ expansion", "+ verify", "verify");
    println!(" {:>10} {:>10} {:>11}", "the macro", "syn parse", "ns a node");
    let asked: Vec<usize> = args.iter().filter_map(|a| a.parse().ok()).collect();
    let sizes = if asked.is_empty() { &NODES[..] } else { &asked[..] };
    sizes.iter().for_each(|&nodes| row(&krate, nodes));
}

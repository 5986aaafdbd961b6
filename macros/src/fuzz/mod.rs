//! Whatever tokens the macro is given, it neither panics nor hangs, and what it returns is a program or says where the
//! mistake is.
//!
//! Mutants of every chunk in the workspace, with fixed seeds. A mutant that does not parse is given back as it came
//! (rustc says what is wrong with it), so the counts below also make sure that enough of them do parse.

mod corpus;
mod items;
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::pipeline::model_chunk;
use corpus::{Corpus, Program};

/// Programs whose bodies are mutated, and whose attributes are.
const BODIES: u64 = 50_000;
const ARGUMENTS: u64 = 10_000;
/// A thread reads the corpus anew after so many: its map of sources only grows.
const BATCH: u64 = 1_000;
/// No program takes longer than this.
const LIMIT: Duration = Duration::from_secs(10);

/// What became of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Does not parse, and is as it was.
    Untouched,
    /// Refused, with its function left in place.
    Refused,
    /// Planned.
    Planned,
}

/// Expands a program and judges what comes out.
fn judge(program: &Program) -> Result<Verdict, String> {
    let (arguments, item) = (program.arguments.clone(), program.item.clone());
    let parsed = syn::parse2::<syn::Item>(item.clone());
    let expand = AssertUnwindSafe(|| model_chunk(arguments, item.clone()));
    let expanded = catch_unwind(expand).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        format!(
            "panicked: {}",
            text.or(panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
        )
    })?;
    let Ok(parsed) = parsed else {
        let same = expanded.to_string() == item.to_string();
        return if same { Ok(Verdict::Untouched) } else { Err(format!("changed:\n{expanded}")) };
    };
    let file = syn::parse2::<syn::File>(expanded.clone()).map_err(|e| format!("{e}:\n{expanded}"))?;
    let kept = match &parsed {
        syn::Item::Fn(f) => {
            let is_kept = |i: &syn::Item| matches!(i, syn::Item::Fn(g) if g.sig.ident == f.sig.ident);
            file.items.iter().any(is_kept)
        }
        syn::Item::Impl(_) => file.items.iter().any(|i| matches!(i, syn::Item::Impl(_))),
        _ => true,
    };
    if !kept {
        return Err(format!("the function is gone:\n{expanded}"));
    }
    let mut refused = false;
    for at in errors(&file) {
        refused = true;
        // Only an attribute that lacks something has no token to point to.
        let nowhere = at.byte_range() == Span::call_site().byte_range();
        let lacks = syn::parse2::<crate::parse::ChunkArgs>(program.arguments.clone()).is_err();
        if nowhere && !lacks {
            return Err(format!("an error without a place:\n{expanded}"));
        }
    }
    Ok(if refused { Verdict::Refused } else { Verdict::Planned })
}

/// Where the `compile_error!`s among the items stand.
fn errors(file: &syn::File) -> Vec<Span> {
    let is_error =
        |m: &syn::ItemMacro| m.mac.path.segments.last().is_some_and(|s| s.ident == "compile_error");
    file.items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Macro(m) if is_error(m) => m.mac.path.segments.last().map(|s| s.ident.span()),
            _ => None,
        })
        .collect()
}

/// The mutant with a number.
fn mutant(corpus: &Corpus, number: u64) -> Program {
    let mut random = ChaCha8Rng::seed_from_u64(number);
    if number < BODIES { mutate::body(corpus, &mut random) } else { mutate::arguments(corpus, &mut random) }
}

/// What the workers share.
struct Shared {
    start: Instant,
    /// The next batch.
    next: AtomicU64,
    counts: [AtomicUsize; 3],
    faults: Mutex<Vec<String>>,
}

/// What a worker is at: the number of its program, and when it began it, in milliseconds since the start.
struct Progress {
    number: AtomicU64,
    began: AtomicU64,
}

impl Shared {
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Judges a batch of mutants; stops when many have failed.
    fn batch(&self, batch: u64, at: &Progress) {
        let corpus = Corpus::read();
        for number in batch * BATCH..(batch + 1) * BATCH {
            at.number.store(number, Ordering::Relaxed);
            at.began.store(self.now(), Ordering::Relaxed);
            let program = mutant(&corpus, number);
            match judge(&program) {
                Ok(verdict) => drop(self.counts[verdict as usize].fetch_add(1, Ordering::Relaxed)),
                Err(fault) => {
                    let mut faults = self.faults.lock().expect("no worker panics");
                    faults.push(told(number, &program, &fault));
                    if faults.len() > 20 {
                        self.next.store(u64::MAX / 2, Ordering::Relaxed);
                        return;
                    }
                }
            }
            at.began.store(u64::MAX, Ordering::Relaxed);
        }
    }
}

/// Takes batches until there are none; each in a thread of its own, as deep as rustc's.
fn work(shared: &Arc<Shared>, progress: &Arc<Progress>) {
    while let batch = shared.next.fetch_add(1, Ordering::Relaxed)
        && batch < (BODIES + ARGUMENTS).div_ceil(BATCH)
    {
        let (shared, progress) = (shared.clone(), progress.clone());
        let thread = std::thread::Builder::new().stack_size(8 << 20);
        let thread = thread.spawn(move || shared.batch(batch, &progress)).expect("a thread");
        thread.join().expect("faults are collected");
    }
}

#[test]
fn arbitrary_tokens_neither_panic_nor_hang() {
    let shared = Arc::new(Shared {
        start: Instant::now(),
        next: AtomicU64::new(0),
        counts: [const { AtomicUsize::new(0) }; 3],
        faults: Mutex::new(Vec::new()),
    });
    let worker = |_| {
        let progress = Arc::new(Progress { number: AtomicU64::new(0), began: AtomicU64::new(u64::MAX) });
        let (shared, at) = (shared.clone(), progress.clone());
        (std::thread::spawn(move || work(&shared, &at)), progress)
    };
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    let mut handles: Vec<_> = (0..workers).map(worker).collect();
    while !handles.is_empty() {
        std::thread::sleep(Duration::from_millis(20));
        for (_, at) in &handles {
            let (number, began) = (at.number.load(Ordering::Relaxed), at.began.load(Ordering::Relaxed));
            if u128::from(shared.now().saturating_sub(began)) > LIMIT.as_millis() {
                panic!("{}", told(number, &mutant(&Corpus::read(), number), "takes too long"));
            }
        }
        for (handle, _) in handles.extract_if(.., |(handle, _)| handle.is_finished()) {
            handle.join().expect("no worker panics");
        }
    }
    let faults = shared.faults.lock().expect("no worker panics");
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let [untouched, refused, planned] = shared.counts.each_ref().map(|c| c.load(Ordering::Relaxed));
    println!(
        "{untouched} do not parse, {refused} are refused, {planned} are planned: {:?}",
        shared.start.elapsed()
    );
    assert_eq!(untouched + refused + planned, usize::try_from(BODIES + ARGUMENTS).unwrap_or(0));
    assert!(
        refused > 15_000 && planned > 8_000,
        "{refused} refused, {planned} planned: the mutants say too little"
    );
}

fn told(number: u64, program: &Program, fault: &str) -> String {
    let Program { arguments, item, file } = program;
    format!("mutant {number} of {}: {fault}\n#[model_chunk({arguments})]\n{item}", file.display())
}

/// Every identifier with where it stands, other than keywords and what attributes of nodes say.
fn identifiers(tokens: TokenStream, into: &mut Vec<(String, std::ops::Range<usize>)>) {
    let mut attribute = false;
    for token in tokens {
        let after_hash =
            std::mem::replace(&mut attribute, matches!(&token, TokenTree::Punct(p) if p.as_char() == '#'));
        match token {
            TokenTree::Group(group) if after_hash && ["on", "doc"].contains(&&*first(&group)) => {}
            TokenTree::Group(group) => identifiers(group.stream(), into),
            TokenTree::Ident(ident) if syn::parse2::<syn::Ident>(ident.to_token_stream()).is_ok() => {
                into.push((ident.to_string(), ident.span().byte_range()));
            }
            _ => {}
        }
    }
}

fn first(group: &proc_macro2::Group) -> String {
    group.stream().into_iter().next().map(|token| token.to_string()).unwrap_or_default()
}

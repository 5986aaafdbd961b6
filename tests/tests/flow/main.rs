//! Branches, loops, exits, assignments and derived names: each program holds its plan and runs in checked mode.

/// Chunks `fn(cx, &x, argument) -> Result<T>`, each held with several arguments.
macro_rules! cases {
    ($($test:ident, $chunk:ident, $streams:expr, [$($arg:expr),*];)*) => {$(
        #[test]
        fn $test() {
            hold(&Case {
                streams: $streams,
                slow: &[&["s1"], &["s0"]],
                plan: $chunk::PLAN,
                run: |cx| {
                    let mut all = Vec::new();
                    $({
                        let x = make(&cx.node("s0")?, 3)?;
                        let y = $chunk(cx, &x, $arg)?;
                        all.push(cx.read(&y)?);
                    })*
                    Ok(all)
                },
            });
        }
    )*};
}

mod branches;
mod derived;
mod loops;

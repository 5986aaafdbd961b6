//! `#[cfg]` and `macro_rules!` inside a body.
use streamlease_ui_tests::*;

#[model_chunk(streams(a, b))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    macro_rules! hidden { //~ ERROR a macro defined in a chunk
        () => {
            x
        };
    }
    #[on(a)]
    let y = f(cx, &x)?;
    #[cfg(debug_assertions)] //~ ERROR may vanish
    #[on(b)]
    let _ = f(cx, &y)?;
    #[on(b)]
    let z = add(cx, &y, #[cfg_attr(debug_assertions, allow(unused))] &hidden!())?; //~ ERROR may vanish
    Ok(z)
}

fn main() {}

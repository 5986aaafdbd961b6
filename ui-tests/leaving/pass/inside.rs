//! Loops and closures that stay inside the node; `?` anywhere.
#![deny(warnings)]
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn chunk(cx: &Cx<'_>, x: T, n: usize) -> Result<T> {
    #[on(a)]
    let y = {
        let mut y = f(cx, &x)?;
        for i in 0..n {
            if i == 3 {
                break;
            }
            y = add(cx, &f(cx, &y)?, &x)?;
        }
        let pick = || {
            return 3;
        };
        scale(cx, &y, pick())?
    };
    Ok(y)
}

fn main() {
    run(|cx, x| chunk(cx, x, 5)).unwrap();
}

//! Ways out of a node, and out of the chunk's own time.
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn chunk(cx: &Cx<'_>, x: T, n: usize) -> Result<T> {
    #[on(a)]
    let y = {
        if n == 0 {
            return Ok(x); //~ ERROR `return` would leave the node
        }
        if n == 1 {
            break; //~ ERROR `break` would leave the node
        }
        f(cx, &x)?
    };
    #[on(a)]
    let z = std::future::ready(f(cx, &y)?).await; //~ ERROR `.await`
    let later = async { n }; //~ ERROR `async` block
    let cx = cx; //~ ERROR cannot be bound anew
    Ok(z)
}

fn main() {}

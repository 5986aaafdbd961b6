//! What a node's value cannot be assigned to, and how a node cannot be taken apart.
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn chunk(cx: &Cx<'_>, mut v: Vec<T>, x: &T, m: Option<T>) -> Result<Vec<T>> {
    #[on(a)]
    v[0] = f(cx, x)?; //~ ERROR cannot be assigned to this
    #[on(a)]
    let Some(y) = Some(f(cx, x)?) else { return Ok(v) }; //~ ERROR `let .. else` on a node
    if let Some(ref m) = m { //~ ERROR `ref`
        println!("{}", m.len());
    }
    Ok(v)
}

#[model_chunk(streams(a))]
fn left(cx: &Cx<'_>, p: Pair, x: T) -> Result<T> {
    match p {
        Pair { h, .. } => { //~ ERROR `..`
            #[on(a)]
            mix(cx, h, &x)
        }
    }
}

fn main() {}

//! Parts without a name.
use streamlease_ui_tests::*;

#[model_chunk(streams(a))]
fn chunk(cx: &Cx<'_>, x: T) -> Result<T> {
    #[on(a)]
    let (h, _) = pair(cx, &x)?; //~ ERROR without a name
    #[on(a)]
    let Pair { gate, .. } = split(cx, &x)?; //~ ERROR without a name
    #[on(a)]
    let ref r = f(cx, &h)?; //~ ERROR `ref`
    let both = (h, gate);
    let (one, ..) = both; //~ ERROR without a name
    Ok(one)
}

fn main() {}

//! No prelude, a renamed crate, and user items with every name that matters.
#![no_implicit_prelude]
#![deny(warnings)]

mod renamed {
    pub use ::streamlease::*;
}

#[allow(non_camel_case_types, dead_code)]
mod chunks {
    pub struct Result;
    pub struct Ok;
    pub struct Node;
    pub struct Future;
    pub struct Made;
    pub mod core {}
    pub mod std {}
    pub mod streamlease {}
    const CHUNK: usize = 3;
    const NODE: usize = 4;

    use ::streamlease_ui_tests::{T, add, f, model_chunk, scale};

    #[model_chunk(streams(a, b), crate = crate::renamed)]
    pub fn chunk(cx: &::streamlease::Cx<'_>, run: T, node: T) -> ::streamlease::Result<T> {
        #[on(a)]
        let out = scale(cx, &run, CHUNK)?;
        #[on(b)]
        let made = add(cx, &out, &node)?;
        #[on(b)]
        let mode = scale(cx, &made, NODE)?;
        #[on(a)]
        f(cx, &mode)
    }
}

fn main() {
    use ::streamlease_ui_tests::*;

    #[model_chunk(streams(a))]
    fn local(cx: &Cx<'_>, x: T) -> Result<T> {
        #[on(a)]
        let y = f(cx, &x)?;
        ::std::result::Result::Ok(y)
    }

    let y = run(|cx, x| {
        let again = local(cx, x)?;
        let y = cx.upload(::std::vec![1.0; 8])?;
        chunks::chunk(cx, again, y)
    });
    ::std::assert!(y.is_ok());
    ::std::assert!(local::PLAN.nodes.len() == 1);
}

//! `#[model_chunk]`: parse, resolve, check, order, release, plan, emit.
//!
//! Each phase takes the earlier ones' output by reference and returns a new value. Mistakes are collected and end
//! the work at the border of a phase; then the function is emitted without its plan, so that one mistake gives one
//! error.
#![forbid(unsafe_code)]

mod body;
#[cfg(test)]
mod brute;
mod check;
mod emit;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod guide;
mod live;
mod nest;
mod order;
mod parse;
mod pipeline;
mod plan;
mod release;
mod report;
mod resolve;
mod signature;
#[cfg(test)]
mod testing;
mod uses;

/// Plans a model function over several device streams. See the crate `streamlease`.
#[proc_macro_attribute]
pub fn model_chunk(
    attribute: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    pipeline::model_chunk(attribute.into(), item.into()).into()
}

//! The macro.
#![forbid(unsafe_code)]

mod body;
mod nest;
mod order;
mod plan;
mod release;
#[cfg(test)]
mod testing;
mod uses;

/// Plans.
#[proc_macro_attribute]
pub fn model_chunk(_a: proc_macro::TokenStream, i: proc_macro::TokenStream) -> proc_macro::TokenStream { i }

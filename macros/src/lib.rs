//! The macro.
#![forbid(unsafe_code)]
/// Plans.
#[proc_macro_attribute]
pub fn model_chunk(_a: proc_macro::TokenStream, i: proc_macro::TokenStream) -> proc_macro::TokenStream { i }

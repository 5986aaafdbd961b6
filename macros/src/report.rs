//! Collects mistakes, so that one compilation reports all of them.
//!
//! A phase puts what it finds into a [`Report`] and goes on; the pipeline asks for an end only at the border of a
//! phase, so that no phase sees a tree that an earlier one has given up on.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// What was found wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: Vec<syn::Error>,
}

impl Report {
    /// Notes a mistake at the user's tokens.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Notes a mistake with a way to mend it.
    pub(crate) fn help(&mut self, tokens: impl ToTokens, message: impl Display, help: impl Display) {
        self.at(tokens, format_args!("{message}\n\n  = help: {help}"));
    }

    /// Takes over an error that somebody else made.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Takes over what another report has.
    pub(crate) fn extend(&mut self, other: Report) {
        self.errors.extend(other.errors);
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The end of a phase: nothing, or everything that was found, as `compile_error!` calls.
    pub(crate) fn border(&self) -> Result<(), TokenStream> {
        if self.errors.is_empty() {
            return Ok(());
        }
        Err(self.errors.iter().map(syn::Error::to_compile_error).collect())
    }

    /// The messages alone.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.errors.iter().map(ToString::to_string).collect()
    }
}

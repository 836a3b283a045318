//! Collects all errors of a declaration, not only the first.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Errors with their spans, in source order.
#[derive(Default)]
pub(crate) struct Problems(Vec<syn::Error>);

impl Problems {
    pub(crate) fn at(&mut self, place: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(place, message));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// One `compile_error!` for each.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }

    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

//! The attribute macros of the crate `rowkey`; use them from there.
//!
//! A macro parses a declaration, checks what can be checked without knowing the format, and emits
//! calls of macros and functions that `rowkey-core` and the driver crates export. It contains no
//! rules about storage, layouts or formats: those are constants of `rowkey-core`, evaluated where
//! the declaration names them.

#![forbid(unsafe_code)]

mod declaration;
mod derives;
mod expansion;
mod options;
mod problems;
mod union;

use proc_macro2::TokenStream;

/// Declares a typed key: a newtype over an id format. See `rowkey::entity_key`.
#[proc_macro_attribute]
pub fn entity_key(
    options: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand(options.into(), item.into()).into()
}

/// Declares a union of typed keys. See `rowkey::key_union`.
#[proc_macro_attribute]
pub fn key_union(
    options: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand_union(options.into(), item.into()).into()
}

/// The expansion on `proc_macro2` tokens, which tests can make.
///
/// The struct itself is always emitted, even for a wrong declaration, so that the rest of the
/// user's program gets no errors about a missing type.
fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = problems::Problems::default();
    let options = options::Options::read(options, &mut problems);
    let mut expansion = match declaration::Declaration::read(&item, &mut problems) {
        Some(declaration) => expansion::expand(&declaration, &options),
        None => item,
    };
    expansion.extend(problems.into_compile_errors());
    expansion
}

/// [`expand`] for a union.
fn expand_union(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = problems::Problems::default();
    let rowkey = options::read_crate(options, &mut problems);
    let mut expansion = match union::Union::read(&item, &mut problems) {
        Some(union) => union.expand(rowkey.as_ref()),
        None => item,
    };
    expansion.extend(problems.into_compile_errors());
    expansion
}

#[cfg(test)]
mod tests;

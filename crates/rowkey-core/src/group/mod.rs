//! The groups of LUUID keys together: that no two clash, and which key an untyped id belongs to.

mod registry;
mod union;

pub use registry::{GroupRegistry, KeyGroup};
pub use union::{KeyUnion, member, parse_union};
pub(crate) use union::{refuse_key, refuse_union};

#[cfg(test)]
mod tests;

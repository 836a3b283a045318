//! A plan, as people read and edit it.

pub(crate) mod plan;
pub(crate) mod replacements;

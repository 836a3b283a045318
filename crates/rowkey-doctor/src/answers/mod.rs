//! What a column holds, and what to declare for it.

pub(crate) mod declaration;
pub(crate) mod diagnosis;
pub(crate) mod witness;

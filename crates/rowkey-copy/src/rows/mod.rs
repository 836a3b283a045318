//! Rows on their way from one side to the other.

pub(crate) mod canonical;
pub(crate) mod checkpoint;
pub(crate) mod compare;
pub(crate) mod copied_rows;
pub(crate) mod merge;
pub(crate) mod orphan;
pub(crate) mod read;
pub(crate) mod select;
pub(crate) mod shown;
pub(crate) mod write;

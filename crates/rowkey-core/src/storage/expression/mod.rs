//! Stored ids in SQL: the same id in another form, whether a value is an id, and what it contains.
//!
//! The expressions follow from the layout's permutation, the wire form and the fields of the format.
//! They only use functions that all supported versions of a database have, and depend on nothing but
//! the column.

mod check;
mod conversion;
mod number;
mod sixteen_bytes;
mod stored_form;
mod whole_number;

pub use conversion::Conversion;
pub(crate) use number::{ByteOrder, NumberField};
pub use stored_form::StoredForm;

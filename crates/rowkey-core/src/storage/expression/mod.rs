//! Stored ids in SQL: the same id in another form, whether a value is an id, what it contains, and how
//! the server makes new ones.
//!
//! The expressions follow from the layout's permutation, the wire form and the fields of the format.
//! They only use functions that all supported versions of a database have, and depend on nothing but
//! the column; those of new ids, on the server's clock and its random numbers.

mod check;
mod compact_text;
mod conversion;
mod id_bytes;
mod named;
mod new_id;
mod number;
mod sixteen_bytes;
mod sqlite_digits;
mod stored_form;
mod whole_number;

pub use conversion::Conversion;
pub use new_id::NewId;
pub(crate) use number::{ByteOrder, NumberField};
pub use stored_form::StoredForm;

//! What the doctor tells a plan about a column's ids, so that neither depends on the other.

use rowkey_core::format::FormatKind;

/// The answer to whether a column holds ids that another database can store in their own form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredIds {
    /// All values are ids.
    Known {
        /// The format, which may be no more than that of any UUID.
        format: FormatKind,
        /// How the column stores them, as `STORAGE:LAYOUT`.
        form: String,
        /// What the values do not tell, and was assumed.
        assumed: Option<String>,
    },
    /// The column has no values.
    Empty,
    /// No value is an id.
    Others,
    /// Some values are ids, and some are not.
    Partly,
    /// UUIDs whose bytes are in an order that no form has, such as that of a .NET `Guid`.
    OtherOrder,
    /// Why the values stay as they are, though they may be ids.
    Unknown(String),
}

//! The label of an entity, which separates its public ids from other entities'.

use alloc::format;

use crate::Error;
use crate::error::ErrorKind;
use crate::public_id::PublicIdValue;

/// A key with a label, which binds its public ids to one entity.
///
/// `#[entity_key(public_id = "invoice")]` implements it. The label is explicit and never derived
/// from the type's name, so renaming the type does not break existing links.
///
/// Two keys with the same label share their public ids. No macro can detect this, because it reads
/// one declaration at a time. Give each entity its own label, and keep the labels in one place if
/// there are many.
///
/// A manual implementation must have a label of the same form: see [`LABEL`](Self::LABEL).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no label for public ids",
    label = "has no label",
    note = "declare the key with one: `#[entity_key(public_id = \"invoice\")]`"
)]
pub trait PublicIdLabel: PublicIdValue {
    /// The label: 1 to 64 lower-case ASCII letters, digits, `-`, `_` and `.`, a letter first.
    const LABEL: &'static str;
}

/// The error for an id of another label or secret.
#[cold]
pub(super) fn not_of_label<T: PublicIdValue>(label: &str) -> Error {
    let kind = T::TYPE;
    Error::new(
        ErrorKind::Format,
        format!(
            "not a public id of type {kind} with the label `{label}` under any of the secrets: made up, \
             changed, or made for another label or with another secret"
        ),
    )
}

//! The label of an entity, which keeps its public ids apart from those of others.

use crate::public_id::PublicIdValue;

/// A key whose public ids are of one entity: it has a label.
///
/// `#[entity_key(public_id = "invoice")]` implements it. The label is written out and never taken
/// from the type's name, so that renaming the type does not end the links that were given out.
///
/// Two keys with the same label share their public ids, which no macro can see: it reads one
/// declaration at a time. Give each entity a label of its own, and write all of them down in one
/// place if they are many.
///
/// Whatever implements it by hand has a label of the same kind: see [`LABEL`](Self::LABEL).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no label for public ids",
    label = "has no label",
    note = "declare the key with one: `#[entity_key(public_id = \"invoice\")]`"
)]
pub trait PublicIdLabel: PublicIdValue {
    /// The label: 1 to 64 lower-case ASCII letters, digits, `-`, `_` and `.`, a letter first.
    const LABEL: &'static str;
}

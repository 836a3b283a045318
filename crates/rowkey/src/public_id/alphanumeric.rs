//! A [`PublicId`] as the 22 letters and digits of the original system, for serde's `with`.
//!
//! Reading needs none of this: both forms are always read. Binary formats keep the 16 bytes.
//!
//! ```
//! use rowkey::public_id::{self, PublicId};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Invoice {
//!     #[serde(with = "public_id::alphanumeric")]
//!     id: PublicId<u64>,
//! }
//!
//! let json = r#"{"id":"48XoooHHCe1CiOHrghM7Dl"}"#;
//! let invoice: Invoice = serde_json::from_str(json)?;
//! assert_eq!(invoice.id.to_string(), "30322474-a954-ffa9-941c-6f038afe4ff1");
//! assert_eq!(serde_json::to_string(&invoice)?, json);
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::PublicId;
use crate::text::Encoding;

/// Writes 22 letters and digits, or 16 bytes in binary formats.
///
/// # Errors
///
/// The errors of the serializer.
pub fn serialize<T, S: Serializer>(id: &PublicId<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match serializer.is_human_readable() {
        true => serializer.serialize_str(&id.encode(Encoding::Alphanumeric)),
        false => id.serialize(serializer),
    }
}

/// Reads what [`PublicId`] reads.
///
/// # Errors
///
/// The errors of the deserializer, and other text.
pub fn deserialize<'de, T, D: Deserializer<'de>>(deserializer: D) -> Result<PublicId<T>, D::Error> {
    PublicId::deserialize(deserializer)
}

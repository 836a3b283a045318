//! serde: the text.

use core::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Code;

/// Text in every format, because it is what people see, and short.
impl<const LENGTH: usize> Serialize for Code<LENGTH> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de, const LENGTH: usize> Deserialize<'de> for Code<LENGTH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(CodeVisitor::<LENGTH>)
    }
}

struct CodeVisitor<const LENGTH: usize>;

impl<const LENGTH: usize> Visitor<'_> for CodeVisitor<LENGTH> {
    type Value = Code<LENGTH>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a code of {LENGTH} symbols and a check symbol")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        text.parse().map_err(E::custom)
    }
}

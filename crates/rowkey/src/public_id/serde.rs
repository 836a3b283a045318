//! serde: text in human-readable formats, bytes in the others.

use rowkey_core::__private::{deserialize_id, serialize_id};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Uuid;
use crate::public_id::{PublicId, SealedId};

impl<T> Serialize for PublicId<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_id(self, self.as_uuid().into_bytes(), serializer)
    }
}

impl<'de, T> Deserialize<'de> for PublicId<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let from_bytes = |bytes| Ok(Self::from_uuid(Uuid::from_bytes(bytes)));
        deserialize_id("a public id", from_bytes, deserializer)
    }
}

impl<T> Serialize for SealedId<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_id(self, self.to_bytes(), serializer)
    }
}

impl<'de, T> Deserialize<'de> for SealedId<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let from_bytes = |bytes| Ok(Self::from_bytes(bytes));
        deserialize_id("a sealed id", from_bytes, deserializer)
    }
}

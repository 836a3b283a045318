//! Registries of names as maps of names to numbers.

use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::names::{Registry, RegistryKind};

impl<R: RegistryKind> Serialize for Registry<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(number, name)| (name, number)))
    }
}

impl<'de, R: RegistryKind> Deserialize<'de> for Registry<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let is_text = deserializer.is_human_readable();
        deserializer.deserialize_map(EntriesVisitor {
            is_text,
            kind: PhantomData,
        })
    }
}

struct EntriesVisitor<R> {
    is_text: bool,
    kind: PhantomData<R>,
}

impl<'de, R: RegistryKind> Visitor<'de> for EntriesVisitor<R> {
    type Value = Registry<R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a map of the names of each {} to its number", R::KIND)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Registry<R>, A::Error> {
        let mut registry = Registry::default();
        while let Some(name) = map.next_key::<String>()? {
            // As it was written: other formats than text do not say which integer follows.
            let number = if self.is_text {
                map.next_value::<i64>()?
            } else {
                map.next_value::<u8>()?.into()
            };
            registry
                .register((number, name))
                .map_err(A::Error::custom)?;
        }
        Ok(registry)
    }
}

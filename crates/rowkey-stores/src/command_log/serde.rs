//! serde: a plain list of ids.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::CommandLog;

impl<C: Serialize, const LIMIT: usize> Serialize for CommandLog<C, LIMIT> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

/// From a list longer than the limit, the newest ids.
impl<'de, C: Deserialize<'de>, const LIMIT: usize> Deserialize<'de> for CommandLog<C, LIMIT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(CommandsVisitor(PhantomData))
    }
}

struct CommandsVisitor<C, const LIMIT: usize>(PhantomData<C>);

impl<'de, C: Deserialize<'de>, const LIMIT: usize> Visitor<'de> for CommandsVisitor<C, LIMIT> {
    type Value = CommandLog<C, LIMIT>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the ids of executed commands, oldest first")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut ids: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| ids.next_element().transpose()).collect()
    }
}

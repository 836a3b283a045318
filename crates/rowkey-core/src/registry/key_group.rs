//! The group of a key.

use crate::EntityKey;
use crate::format::LuuidGroup;
use crate::text::Encoding;

/// A group: the name that its number is computed from, and its key type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyGroup {
    group: LuuidGroup,
    name: &'static str,
    key: &'static str,
    pub(crate) prefix: Option<&'static str>,
    text: Encoding,
}

impl KeyGroup {
    /// The group of a key over [`Luuid`](crate::Luuid).
    ///
    /// # Panics
    ///
    /// If the key has another format, and so has no group: at compile time in a constant.
    #[track_caller]
    pub const fn of<K: EntityKey>() -> Self {
        match Self::of_any::<K>() {
            Some(group) => group,
            None => panic!("only keys over Luuid have a group"),
        }
    }

    pub(crate) const fn of_any<K: EntityKey>() -> Option<Self> {
        match K::GROUP_NAME {
            Some(name) => Some(Self {
                group: LuuidGroup::of(name),
                name,
                key: K::NAME,
                prefix: K::PREFIX,
                text: K::TEXT,
            }),
            None => None,
        }
    }

    /// A group without a key type in this program, such as one of another service. `key` is the
    /// name of its ids in messages.
    pub const fn named(name: &'static str, key: &'static str) -> Self {
        Self {
            group: LuuidGroup::of(name),
            name,
            key,
            prefix: None,
            text: Encoding::Uuid,
        }
    }

    /// The number in the ids: the CRC-12 of the name.
    pub const fn group(&self) -> LuuidGroup {
        self.group
    }

    /// The full name, such as `com.acme.Customer`.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The name of the key type, such as `CustomerId`.
    pub const fn key(&self) -> &'static str {
        self.key
    }

    /// The prefix of the key's text, without the underscore, if it has one.
    pub const fn prefix(&self) -> Option<&'static str> {
        self.prefix
    }

    /// The encoding of the key's text, after its prefix if it has one.
    pub const fn text(&self) -> Encoding {
        self.text
    }
}

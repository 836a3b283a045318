//! The groups of a program, each with its own number.

use alloc::borrow::Cow;

use uuid::Uuid;

use crate::clash::GroupClash;
use crate::luuid::LuuidGroup;
use crate::message::equal;
use crate::{EntityKey, Error, Luuid};

/// A group: the name that its number is computed from, and its key type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyGroup {
    group: LuuidGroup,
    name: &'static str,
    key: &'static str,
    pub(super) prefix: Option<&'static str>,
}

impl KeyGroup {
    /// The group of a key over [`Luuid`].
    ///
    /// # Panics
    ///
    /// If the key has another format, and so no group: at compile time in a constant.
    #[track_caller]
    pub const fn of<K: EntityKey>() -> Self {
        match Self::of_any::<K>() {
            Some(group) => group,
            None => panic!("only keys over Luuid have a group"),
        }
    }

    /// The group of a key if it has one.
    pub(super) const fn of_any<K: EntityKey>() -> Option<Self> {
        match K::GROUP_NAME {
            Some(name) => Some(Self {
                group: LuuidGroup::of(name),
                name,
                key: K::NAME,
                prefix: K::PREFIX,
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

    /// The conflict between two groups, if there is one.
    const fn clash(&self, later: &Self) -> Option<GroupClash> {
        if self.group.get() != later.group.get() {
            return None;
        }
        Some(if equal(self.name, later.name) {
            GroupClash::DeclaredTwice {
                name: self.name,
                keys: (self.key, later.key),
            }
        } else {
            GroupClash::SameCrc {
                group: self.group.get(),
                names: (self.name, later.name),
            }
        })
    }
}

impl From<GroupClash> for Error {
    fn from(clash: GroupClash) -> Self {
        match clash {
            GroupClash::SameCrc { group, names } => Self::GroupClash { group, names },
            GroupClash::DeclaredTwice { name, keys } => Self::GroupDeclaredTwice { name, keys },
        }
    }
}

/// Panics with a message that names both groups if two in the list clash.
///
/// In one pass, because the compiler limits constant evaluation.
#[track_caller]
pub(super) const fn refuse_clashes(groups: &[KeyGroup]) {
    // The position in the list of each number's group, counted from 1.
    let mut places = [0; LuuidGroup::COUNT];
    let mut index = 0;
    while index < groups.len() {
        let place = &mut places[groups[index].group.get() as usize];
        if *place != 0
            && let Some(clash) = groups[*place - 1].clash(&groups[index])
        {
            clash.message().panic();
        }
        index += 1;
        *place = index;
    }
}

/// The groups of a program, where each number has exactly one name and one key.
///
/// Put groups that are known at compile time in a constant: a clash is then a compile error that
/// names both.
///
/// ```
/// use rowkey_core::luuid::{GroupRegistry, KeyGroup, LuuidGroup};
///
/// const GROUPS: GroupRegistry = GroupRegistry::new(&[
///     // For the keys of this program: KeyGroup::of::<CustomerId>()
///     KeyGroup::named("com.acme.Customer", "CustomerId"),
///     KeyGroup::named("com.acme.Order", "OrderId"),
/// ]);
/// let customer = LuuidGroup::of("com.acme.Customer");
/// assert_eq!(GROUPS.get(customer).map(|group| group.key()), Some("CustomerId"));
/// ```
///
/// ```compile_fail
/// use rowkey_core::luuid::{GroupRegistry, KeyGroup};
///
/// // Both names have the CRC-12 1dd.
/// const GROUPS: GroupRegistry = GroupRegistry::new(&[
///     KeyGroup::named("com.acme.Price", "PriceId"),
///     KeyGroup::named("com.acme.Wallet", "WalletId"),
/// ]);
/// ```
///
/// Register groups of plug-ins and other parts that are combined later at start-up, and abort on an
/// error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupRegistry {
    groups: Cow<'static, [KeyGroup]>,
}

impl GroupRegistry {
    /// A registry of known groups.
    ///
    /// # Panics
    ///
    /// If two groups have the same number, with the names of both: at compile time in a constant.
    #[track_caller]
    pub const fn new(groups: &'static [KeyGroup]) -> Self {
        refuse_clashes(groups);
        Self {
            groups: Cow::Borrowed(groups),
        }
    }

    /// A registry of groups that are known only at run time.
    ///
    /// # Errors
    ///
    /// Those of [`register`](Self::register).
    pub fn try_from_iter(groups: impl IntoIterator<Item = KeyGroup>) -> Result<Self, Error> {
        let mut registry = Self::default();
        for group in groups {
            registry.register(group)?;
        }
        Ok(registry)
    }

    /// Adds a group.
    ///
    /// # Errors
    ///
    /// [`Error::GroupClash`] if another name has the same number, [`Error::GroupDeclaredTwice`] if
    /// the name is already registered. The registry is unchanged then.
    pub fn register(&mut self, group: KeyGroup) -> Result<(), Error> {
        if let Some(clash) = self.groups.iter().find_map(|known| known.clash(&group)) {
            return Err(clash.into());
        }
        self.groups.to_mut().push(group);
        Ok(())
    }

    /// The group with a number.
    pub fn get(&self, group: LuuidGroup) -> Option<KeyGroup> {
        self.iter().copied().find(|known| known.group == group)
    }

    /// The group of an untyped id.
    ///
    /// # Errors
    ///
    /// [`Error::Format`] if it is not a LUUID, [`Error::UnknownGroup`] if its group is not
    /// registered.
    pub fn group_of(&self, id: Uuid) -> Result<KeyGroup, Error> {
        let group = Luuid::try_from(id)?.group();
        self.get(group)
            .ok_or(Error::UnknownGroup { group: group.get() })
    }

    /// The groups, in the order in which they were added.
    pub fn iter(&self) -> core::slice::Iter<'_, KeyGroup> {
        self.groups.iter()
    }
}

impl<'a> IntoIterator for &'a GroupRegistry {
    type Item = &'a KeyGroup;
    type IntoIter = core::slice::Iter<'a, KeyGroup>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

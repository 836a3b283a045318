//! The groups of a program's keys.

use alloc::borrow::Cow;
use alloc::format;
use core::fmt;

use uuid::Uuid;

use super::key_group::KeyGroup;
use crate::error::ErrorKind;
use crate::format::LuuidGroup;
use crate::message::{Message, equal};
use crate::{Error, Luuid};

/// The groups of a program's keys, each with its own number and name.
///
/// Put groups that are known at compile time in a constant: a clash is then a compile error that
/// names both. Groups of plug-ins are checked when they are added, and refused in the same words.
///
/// ```
/// use rowkey_core::luuid::{KeyGroup, KeyGroups, LuuidGroup};
///
/// const GROUPS: KeyGroups = KeyGroups::new(&[
///     // For the keys of this program: KeyGroup::of::<CustomerId>()
///     KeyGroup::named("com.acme.Customer", "CustomerId"),
///     KeyGroup::named("com.acme.Order", "OrderId"),
/// ]);
/// let customer = LuuidGroup::of("com.acme.Customer");
/// assert_eq!(GROUPS.get(customer).map(|group| group.key()), Some("CustomerId"));
/// ```
///
/// ```compile_fail
/// use rowkey_core::luuid::{KeyGroup, KeyGroups};
///
/// // Both names have the CRC-12 1dd.
/// const GROUPS: KeyGroups = KeyGroups::new(&[
///     KeyGroup::named("com.acme.Price", "PriceId"),
///     KeyGroup::named("com.acme.Wallet", "WalletId"),
/// ]);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct KeyGroups {
    groups: Cow<'static, [KeyGroup]>,
}

impl KeyGroups {
    /// Known groups.
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

    /// Groups that are known only at run time.
    ///
    /// # Errors
    ///
    /// The errors of [`register`](Self::register).
    pub fn try_from_iter(groups: impl IntoIterator<Item = KeyGroup>) -> Result<Self, Error> {
        let mut all = Self::default();
        for group in groups {
            all.register(group)?;
        }
        Ok(all)
    }

    /// Adds a group.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` with both groups if the number or the name is already there. The
    /// groups are unchanged then.
    pub fn register(&mut self, group: KeyGroup) -> Result<(), Error> {
        match self.get(group.group()) {
            Some(earlier) => Err(Error::new(
                ErrorKind::Declaration,
                format!("{}", clash(earlier, group)),
            )),
            None => {
                self.groups.to_mut().push(group);
                Ok(())
            }
        }
    }

    /// The groups, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = KeyGroup> {
        self.groups.iter().copied()
    }

    /// The group with a number.
    pub fn get(&self, group: LuuidGroup) -> Option<KeyGroup> {
        self.iter().find(|known| known.group() == group)
    }

    /// The group of an untyped id.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Format` if it is not a LUUID, and if its group is not registered.
    pub fn group_of(&self, id: Uuid) -> Result<KeyGroup, Error> {
        let group = Luuid::try_from(id)?.group();
        self.get(group).ok_or_else(|| group.unknown())
    }
}

impl fmt::Debug for KeyGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.iter().map(|group| (group.group().get(), group.name()));
        f.debug_map().entries(groups).finish()
    }
}

/// The conflict of two groups with the same number. Groups with the same name have the same number.
const fn clash(earlier: KeyGroup, later: KeyGroup) -> Message<'static> {
    if equal(earlier.name(), later.name()) {
        return Message::of("the group `")
            .text(later.name())
            .text("` is declared twice, for ")
            .text(earlier.key())
            .text(" and for ")
            .text(later.key());
    }
    Message::of("the groups `")
        .text(earlier.name())
        .text("` and `")
        .text(later.name())
        .text("` have the same CRC-12 ")
        .group(later.group().get())
        .text("; give the newer one another name")
}

/// Panics with a message that names both groups if two of them have the same number. One pass only,
/// because the compiler limits constant evaluation.
#[track_caller]
pub(crate) const fn refuse_clashes(groups: &[KeyGroup]) {
    let mut known: [Option<KeyGroup>; LuuidGroup::COUNT] = [None; LuuidGroup::COUNT];
    let mut index = 0;
    while index < groups.len() {
        let group = groups[index];
        let earlier = &mut known[group.group().get() as usize];
        if let Some(earlier) = *earlier {
            clash(earlier, group).panic();
        }
        *earlier = Some(group);
        index += 1;
    }
}

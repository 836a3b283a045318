//! Registries of groups.

use uuid::Uuid;

use super::entries::{Register, Registered, Registry};
use super::entry::{Entry, List, refuse_clashes};
use super::key_group::KeyGroup;
use crate::error::RegistryProblem;
use crate::format::LuuidGroup;
use crate::{Error, Luuid};

impl Registered for KeyGroup {
    type Entry<'a> = Self;
    type Added = Self;

    fn known(entry: &Self) -> Self {
        *entry
    }

    fn added(entry: &Self) -> Self {
        *entry
    }

    fn compared<'a>(entry: Self::Entry<'a>) -> Entry<'a> {
        Entry::Group(entry)
    }
}

impl Register<Self> for KeyGroup {
    fn checked(self) -> Result<Self, RegistryProblem> {
        Ok(self)
    }
}

impl Registry<KeyGroup> {
    /// A registry of known groups.
    ///
    /// # Panics
    ///
    /// If two groups have the same number, with the names of both: at compile time in a constant.
    #[track_caller]
    pub const fn of_groups(groups: &'static [KeyGroup]) -> Self {
        refuse_clashes(List::Groups(groups));
        Self::of_known(groups)
    }

    /// The group with a number.
    pub fn get(&self, group: LuuidGroup) -> Option<KeyGroup> {
        self.iter().find(|known| known.group() == group)
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
}

//! The registry, for whatever its entries are.

use alloc::vec::Vec;
use core::fmt;
use core::iter::{Chain, Map};
use core::slice;

use super::entry::Entry;
#[cfg(doc)]
use super::{KeyGroup, NumberedName};
use crate::Error;
use crate::error::RegistryProblem;

/// What a [`Registry`] can hold: [`KeyGroup`]s, or the names of any [`NumberedName`].
pub trait Registered: 'static {
    /// An entry of a registry: a [`KeyGroup`], or a number with its name.
    type Entry<'a>: Copy;

    /// An entry that is known only at run time.
    #[doc(hidden)]
    type Added: Clone;

    #[doc(hidden)]
    fn known<'a>(entry: &'a Self::Entry<'static>) -> Self::Entry<'a>;

    #[doc(hidden)]
    fn added(entry: &Self::Added) -> Self::Entry<'_>;

    #[doc(hidden)]
    fn compared<'a>(entry: Self::Entry<'a>) -> Entry<'a>;
}

/// What can be added to a [`Registry`] at run time: a [`KeyGroup`], or a number with its name.
pub trait Register<R: Registered> {
    #[doc(hidden)]
    fn checked(self) -> Result<R::Added, RegistryProblem>;
}

/// Entries of which each has its own number and name.
///
/// It holds the [groups of keys](KeyGroup), or the names of [countries](crate::routing::Country),
/// [service entities](crate::routing::ServiceEntity) and other [kinds](NumberedName), whose numbers
/// are 0 to 255.
///
/// Put entries that are known at compile time in a constant: a clash is then a compile error that
/// names both. Entries of plug-ins, files and tables are checked when they are added, and refused in
/// the same words. With the feature `serde`, names are read and written as a map to their numbers.
///
/// ```
/// use rowkey_core::luuid::{KeyGroup, LuuidGroup, Registry};
/// use rowkey_core::routing::Country;
///
/// const COUNTRIES: Registry<Country> = Registry::new(&[(1, "Kazakhstan"), (2, "Brazil")]);
/// assert_eq!(COUNTRIES.number("Brazil")?, 2);
/// assert_eq!(COUNTRIES.name(1), Some("Kazakhstan"));
///
/// let read = Registry::<Country>::try_from_iter([(1, "Kazakhstan"), (300, "Brazil")]);
/// assert_eq!(
///     read.unwrap_err().to_string(),
///     "the country `Brazil` has the number 300; numbers are 0 to 255",
/// );
///
/// const GROUPS: Registry<KeyGroup> = Registry::of_groups(&[
///     // For the keys of this program: KeyGroup::of::<CustomerId>()
///     KeyGroup::named("com.acme.Customer", "CustomerId"),
///     KeyGroup::named("com.acme.Order", "OrderId"),
/// ]);
/// let customer = LuuidGroup::of("com.acme.Customer");
/// assert_eq!(GROUPS.get(customer).map(|group| group.key()), Some("CustomerId"));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// ```compile_fail
/// use rowkey_core::routing::{Country, Registry};
///
/// const COUNTRIES: Registry<Country> = Registry::new(&[(1, "Kazakhstan"), (1, "Brazil")]);
/// ```
///
/// ```compile_fail
/// use rowkey_core::routing::{Country, Registry};
///
/// const COUNTRIES: Registry<Country> = Registry::new(&[(1, " Brazil ")]);
/// ```
///
/// ```compile_fail
/// use rowkey_core::luuid::{KeyGroup, Registry};
///
/// // Both names have the CRC-12 1dd.
/// const GROUPS: Registry<KeyGroup> = Registry::of_groups(&[
///     KeyGroup::named("com.acme.Price", "PriceId"),
///     KeyGroup::named("com.acme.Wallet", "WalletId"),
/// ]);
/// ```
pub struct Registry<R: Registered> {
    known: &'static [R::Entry<'static>],
    added: Vec<R::Added>,
}

impl<R: Registered> Registry<R> {
    /// A registry of entries that have been checked.
    pub(super) const fn of_known(known: &'static [R::Entry<'static>]) -> Self {
        let added = Vec::new();
        Self { known, added }
    }

    /// A registry of entries that are known only at run time.
    ///
    /// # Errors
    ///
    /// Those of [`register`](Self::register).
    pub fn try_from_iter<E: Register<R>>(
        entries: impl IntoIterator<Item = E>,
    ) -> Result<Self, Error> {
        let mut registry = Self::default();
        for entry in entries {
            registry.register(entry)?;
        }
        Ok(registry)
    }

    /// Adds an entry.
    ///
    /// # Errors
    ///
    /// [`Error::Registry`] if its number or its name is already registered, with both entries; if a
    /// number is not 0 to 255; or if a name is empty or has white space around it. The registry is
    /// unchanged then.
    pub fn register(&mut self, entry: impl Register<R>) -> Result<(), Error> {
        Ok(self.add(entry)?)
    }

    pub(super) fn add(&mut self, entry: impl Register<R>) -> Result<(), RegistryProblem> {
        let added = entry.checked()?;
        let later = R::compared(R::added(&added));
        let clash = later
            .invalid()
            .or_else(|| self.compared().find_map(|earlier| earlier.clash(later)));
        if let Some(clash) = clash {
            return Err(clash.into());
        }
        self.added.push(added);
        Ok(())
    }

    /// The entries, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = R::Entry<'_>> {
        self.into_iter()
    }

    fn compared(&self) -> impl Iterator<Item = Entry<'_>> {
        self.iter().map(R::compared)
    }
}

/// Without entries.
impl<R: Registered> Default for Registry<R> {
    fn default() -> Self {
        Self::of_known(&[])
    }
}

impl<R: Registered> Clone for Registry<R> {
    fn clone(&self) -> Self {
        let added = self.added.clone();
        Self { added, ..*self }
    }
}

/// Numbers and names, in the order in which they were given.
impl<R: Registered> fmt::Debug for Registry<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.compared().map(Entry::number_and_name);
        f.debug_map().entries(entries).finish()
    }
}

/// Equal if the entries are the same, in the same order.
impl<R: Registered> PartialEq for Registry<R> {
    fn eq(&self, other: &Self) -> bool {
        self.compared().eq(other.compared())
    }
}

impl<R: Registered> Eq for Registry<R> {}

impl<'a, R: Registered> IntoIterator for &'a Registry<R> {
    type Item = R::Entry<'a>;
    type IntoIter = Chain<
        Map<slice::Iter<'a, R::Entry<'static>>, fn(&'a R::Entry<'static>) -> R::Entry<'a>>,
        Map<slice::Iter<'a, R::Added>, fn(&'a R::Added) -> R::Entry<'a>>,
    >;

    fn into_iter(self) -> Self::IntoIter {
        let known = self.known.iter().map(R::known as fn(&'a _) -> _);
        known.chain(self.added.iter().map(R::added as fn(&'a _) -> _))
    }
}

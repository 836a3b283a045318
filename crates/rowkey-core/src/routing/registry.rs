//! Names for the numbers in iUIDs, which are the user's data.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::clash::NameClash;
use crate::error::RegistryProblem;
use crate::message::equal;
use crate::routing::IuidContext;
use crate::{Error, Iuid};

/// The kind of thing that a [`Registry`] names.
pub trait NumberedName: 'static {
    /// Its name in messages, such as `country`.
    const KIND: &'static str;
}

/// The countries of iUIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Country {}

impl NumberedName for Country {
    const KIND: &'static str = "country";
}

/// The service entities of iUIDs, such as `AyanOrder`: a kind of entity of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEntity {}

impl NumberedName for ServiceEntity {
    const KIND: &'static str = "service entity";
}

/// Unique names for numbers from 0 to 255.
///
/// Put entries that are known at compile time in a constant, which is checked when it is compiled.
/// Entries from a file or table are checked when they are read. serde reads and writes a map of
/// names to numbers.
///
/// ```
/// use rowkey_core::routing::{Country, Registry};
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
pub struct Registry<R> {
    entries: Entries,
    kind: PhantomData<fn() -> R>,
}

/// The storage of the entries.
#[derive(Clone)]
enum Entries {
    Known(&'static [(u8, &'static str)]),
    Read(Vec<(u8, String)>),
}

/// Whether a name is valid: neither empty nor with white space around it. Works in constants, where
/// `str::trim` is not available.
const fn is_name(name: &str) -> bool {
    // The UTF-8 encodings of the `char::is_whitespace` characters.
    !matches!(
        name.as_bytes(),
        [] | [b'\t'..=b'\r' | b' ', ..]
            | [0xc2, 0x85 | 0xa0, ..]
            | [0xe1, 0x9a, 0x80, ..]
            | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
            | [0xe2, 0x81, 0x9f, ..]
            | [0xe3, 0x80, 0x80, ..]
            | [.., b'\t'..=b'\r' | b' ']
            | [.., 0xc2, 0x85 | 0xa0]
            | [.., 0xe1, 0x9a, 0x80]
            | [.., 0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf]
            | [.., 0xe2, 0x81, 0x9f]
            | [.., 0xe3, 0x80, 0x80]
    )
}

/// Panics because of an invalid name.
const fn no_name(name: &str) -> Option<NameClash<'_>> {
    if is_name(name) {
        None
    } else {
        Some(NameClash::NoName { name })
    }
}

/// The conflict between two entries, if there is one.
const fn clash_of<'a>(earlier: (u8, &'a str), later: (u8, &'a str)) -> Option<NameClash<'a>> {
    if equal(earlier.1, later.1) {
        Some(NameClash::SameName {
            name: later.1,
            numbers: (earlier.0, later.0),
        })
    } else if earlier.0 == later.0 {
        Some(NameClash::SameNumber {
            number: later.0,
            names: (earlier.1, later.1),
        })
    } else {
        None
    }
}

impl NameClash<'_> {
    /// The error at run time; `kind` is the registry's kind.
    fn problem(self, kind: &'static str) -> RegistryProblem {
        match self {
            Self::NoName { name } => RegistryProblem::Name {
                kind,
                name: name.into(),
            },
            Self::SameNumber { number, names } => RegistryProblem::SameNumber {
                kind,
                number,
                names: (names.0.into(), names.1.into()),
            },
            Self::SameName { name, numbers } => RegistryProblem::SameName {
                kind,
                name: name.into(),
                numbers,
            },
        }
    }
}

impl<R: NumberedName> Registry<R> {
    /// A registry of known names.
    ///
    /// # Panics
    ///
    /// If a number or name is listed twice, with the entries' names, or if a name is empty or has
    /// white space around it: at compile time in a constant.
    #[track_caller]
    pub const fn new(entries: &'static [(u8, &'static str)]) -> Self {
        let mut later = 0;
        while later < entries.len() {
            if let Some(clash) = no_name(entries[later].1) {
                clash.message(R::KIND).panic();
            }
            let mut earlier = 0;
            while earlier < later {
                if let Some(clash) = clash_of(entries[earlier], entries[later]) {
                    clash.message(R::KIND).panic();
                }
                earlier += 1;
            }
            later += 1;
        }
        Self {
            entries: Entries::Known(entries),
            kind: PhantomData,
        }
    }

    /// A registry of names that are read at run time.
    ///
    /// # Errors
    ///
    /// [`Error::Registry`] if a number is not 0 to 255, if a number or name is listed twice (with
    /// both entries), or if a name is empty or has white space around it.
    pub fn try_from_iter<S: Into<String>>(
        entries: impl IntoIterator<Item = (i64, S)>,
    ) -> Result<Self, Error> {
        let mut read = Vec::new();
        for (number, name) in entries {
            Self::add(&mut read, number, name.into())?;
        }
        Ok(Self::of_read(read))
    }

    /// A registry of entries added one by one.
    const fn of_read(entries: Vec<(u8, String)>) -> Self {
        Self {
            entries: Entries::Read(entries),
            kind: PhantomData,
        }
    }

    fn add(
        entries: &mut Vec<(u8, String)>,
        number: i64,
        name: String,
    ) -> Result<(), RegistryProblem> {
        let kind = R::KIND;
        if let Some(clash) = no_name(&name) {
            return Err(clash.problem(kind));
        }
        let Ok(checked) = u8::try_from(number) else {
            return Err(RegistryProblem::Number { kind, name, number });
        };
        for (other_number, other_name) in &*entries {
            if let Some(clash) = clash_of((*other_number, other_name), (checked, &name)) {
                return Err(clash.problem(kind));
            }
        }
        entries.push((checked, name));
        Ok(())
    }

    /// The number of a name. Letter case matters.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownName`] if the registry has no such name.
    pub fn number(&self, name: &str) -> Result<u8, Error> {
        self.iter()
            .find(|(_, known)| *known == name)
            .map(|(number, _)| number)
            .ok_or_else(|| Error::UnknownName {
                what: R::KIND,
                name: name.into(),
                choices: self.names().into(),
            })
    }

    /// All names, for messages.
    #[cold]
    fn names(&self) -> String {
        let names: Vec<String> = self.iter().map(|(_, name)| format!("`{name}`")).collect();
        if names.is_empty() {
            return "none".into();
        }
        names.join(", ")
    }

    /// The name of a number, if it has one.
    pub fn name(&self, number: u8) -> Option<&str> {
        self.iter()
            .find(|(known, _)| *known == number)
            .map(|(_, name)| name)
    }
}

impl<R> Registry<R> {
    /// The numbers and names, in the order of the entries.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &str)> {
        let (known, read) = match &self.entries {
            Entries::Known(known) => (*known, [].as_slice()),
            Entries::Read(read) => ([].as_slice(), read.as_slice()),
        };
        let read = read.iter().map(|(number, name)| (*number, name.as_str()));
        known.iter().copied().chain(read)
    }
}

impl<R> Clone for Registry<R> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            kind: PhantomData,
        }
    }
}

/// Numbers and names, in the order in which they were given.
impl<R: NumberedName> fmt::Debug for Registry<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Equal if the entries are the same, in the same order.
impl<R> PartialEq for Registry<R> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<R> Eq for Registry<R> {}

#[cfg(feature = "serde")]
mod serde {
    use alloc::string::String;
    use alloc::vec::Vec;
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::{Error as _, MapAccess, Visitor};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{NumberedName, Registry};

    /// A map of names to numbers.
    impl<R> Serialize for Registry<R> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.iter().map(|(number, name)| (name, number)))
        }
    }

    impl<'de, R: NumberedName> Deserialize<'de> for Registry<R> {
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

    impl<'de, R: NumberedName> Visitor<'de> for EntriesVisitor<R> {
        type Value = Registry<R>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a map of the names of each {} to its number", R::KIND)
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Registry<R>, A::Error> {
            let mut entries = Vec::new();
            while let Some(name) = map.next_key::<String>()? {
                // As it was written: other formats than text do not say which integer follows.
                let number = if self.is_text {
                    map.next_value::<i64>()?
                } else {
                    map.next_value::<u8>()?.into()
                };
                Registry::<R>::add(&mut entries, number, name).map_err(A::Error::custom)?;
            }
            Ok(Registry::of_read(entries))
        }
    }
}

/// The registries of countries and service entities, for contexts from names, and names from ids.
///
/// ```
/// use rowkey_core::generate::Generate;
/// use rowkey_core::routing::{IuidRegistries, Registry};
/// use rowkey_core::Iuid;
///
/// static IUIDS: IuidRegistries = IuidRegistries {
///     countries: Registry::new(&[(1, "Kazakhstan"), (2, "Brazil")]),
///     service_entities: Registry::new(&[(10, "AyanOrder"), (11, "AyanRide")]),
/// };
/// let ride = Iuid::generate_for(&IUIDS.context("Brazil", "AyanRide")?);
///
/// // Where to route a request for it.
/// let origin = IUIDS.origin(ride);
/// assert_eq!(origin.country, Some("Brazil"));
/// assert_eq!(origin.service_entity, Some("AyanRide"));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IuidRegistries {
    /// The countries.
    pub countries: Registry<Country>,
    /// The service entities.
    pub service_entities: Registry<ServiceEntity>,
}

impl IuidRegistries {
    /// The context for a new iUID.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownName`] if a registry has no such name.
    pub fn context(&self, country: &str, service_entity: &str) -> Result<IuidContext, Error> {
        Ok(IuidContext {
            country: self.countries.number(country)?,
            service_entity: self.service_entities.number(service_entity)?,
        })
    }

    /// The origin of an iUID, as far as the registries have names for it.
    pub fn origin(&self, id: Iuid) -> IuidOrigin<'_> {
        IuidOrigin {
            country: self.countries.name(id.country()),
            service_entity: self.service_entities.name(id.service_entity()),
        }
    }
}

/// The names of an iUID's context; `None` if a registry has no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IuidOrigin<'a> {
    /// The country.
    pub country: Option<&'a str>,
    /// The service entity.
    pub service_entity: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn no_name_begins_or_ends_with_white_space() {
        for character in '\0'..=char::MAX {
            let is_part = !character.is_whitespace();
            assert_eq!(is_name(&format!("{character}x")), is_part, "{character:?}");
            assert_eq!(is_name(&format!("x{character}")), is_part, "{character:?}");
        }
        assert!(is_name("New Zealand"));
        assert!(!is_name(""));
    }
}

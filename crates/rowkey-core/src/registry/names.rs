//! Names for numbers of one byte.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::Error;
use crate::error::ErrorKind;
use crate::message::{Message, equal};

/// The kind of thing that a [`Registry`] names.
pub trait RegistryKind: 'static {
    /// The kind's name in messages, such as `country`.
    const KIND: &'static str;
}

/// Names for numbers from 0 to 255, each number and each name once: of
/// [countries](crate::routing::Country), [service entities](crate::routing::ServiceEntity), or
/// another [kind](RegistryKind).
///
/// Put names that are known at compile time in a constant: a clash is then a compile error that
/// names both. Names from files and tables are checked when they are added, and refused in
/// the same words. With the feature `serde`, names are read and written as a map to their numbers.
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
pub struct Registry<K> {
    known: &'static [(u8, &'static str)],
    added: Vec<(u8, String)>,
    kind: PhantomData<fn() -> K>,
}

impl<K: RegistryKind> Registry<K> {
    /// A registry of known names.
    ///
    /// # Panics
    ///
    /// If a number or name is listed twice, with the entries' names, or if a name is empty or has
    /// white space around it: at compile time in a constant.
    #[track_caller]
    pub const fn new(entries: &'static [(u8, &'static str)]) -> Self {
        refuse_clashes(K::KIND, entries);
        Self {
            known: entries,
            added: Vec::new(),
            kind: PhantomData,
        }
    }

    /// A registry of names that are known only at run time.
    ///
    /// # Errors
    ///
    /// The errors of [`register`](Self::register).
    pub fn try_from_iter<S: Into<String>>(
        entries: impl IntoIterator<Item = (i64, S)>,
    ) -> Result<Self, Error> {
        let mut registry = Self::default();
        for entry in entries {
            registry.register(entry)?;
        }
        Ok(registry)
    }

    /// Adds a name.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` with both entries if the number or the name is already registered;
    /// also if a number is not 0 to 255, or a name is empty or has white space around it. The
    /// registry is unchanged then.
    pub fn register(&mut self, (number, name): (i64, impl Into<String>)) -> Result<(), Error> {
        let (kind, name) = (K::KIND, name.into());
        let refused = |problem: &dyn fmt::Display| {
            Err(Error::new(ErrorKind::Declaration, format!("{problem}")))
        };
        if !is_name(&name) {
            return refused(&not_a_name(kind, &name));
        }
        let Ok(number) = u8::try_from(number) else {
            return refused(&format_args!(
                "the {kind} `{name}` has the number {number}; numbers are 0 to 255"
            ));
        };
        let clash = self
            .iter()
            .find_map(|earlier| clash(kind, earlier, (number, &name)));
        if let Some(clash) = clash {
            return refused(&clash);
        }
        self.added.push((number, name));
        Ok(())
    }

    /// The number of a name. Letter case matters.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` if the registry has no such name.
    pub fn number(&self, name: &str) -> Result<u8, Error> {
        self.iter()
            .find(|(_, known)| *known == name)
            .map(|(number, _)| number)
            .ok_or_else(|| Error::unknown_name(K::KIND, name, &self.names()))
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
}

impl<K> Registry<K> {
    /// The name of a number, if it has one.
    pub fn name(&self, number: u8) -> Option<&str> {
        self.iter()
            .find(|(known, _)| *known == number)
            .map(|(_, name)| name)
    }

    /// The numbers and names, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &str)> {
        let added = self.added.iter().map(|(number, name)| (*number, &**name));
        self.known.iter().copied().chain(added)
    }
}

impl<K> Default for Registry<K> {
    fn default() -> Self {
        Self {
            known: &[],
            added: Vec::new(),
            kind: PhantomData,
        }
    }
}

impl<K> Clone for Registry<K> {
    fn clone(&self) -> Self {
        let added = self.added.clone();
        Self { added, ..*self }
    }
}

impl<K> fmt::Debug for Registry<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Equal if the entries are the same, in the same order.
impl<K> PartialEq for Registry<K> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K> Eq for Registry<K> {}

const fn not_a_name<'a>(kind: &'static str, name: &'a str) -> Message<'a> {
    Message::of("")
        .quoted(name)
        .text(" is not a valid ")
        .text(kind)
        .text(" name: it is empty or has white space around it")
}

/// The conflict of an entry with a later one, if there is one.
const fn clash<'a>(
    kind: &'static str,
    (earlier, earlier_name): (u8, &'a str),
    (number, name): (u8, &'a str),
) -> Option<Message<'a>> {
    let the_name = Message::of("the ").text(kind).text(" `").text(name);
    if equal(earlier_name, name) {
        let twice = the_name.text("` is listed twice, with the numbers ");
        return Some(twice.number(earlier).text(" and ").number(number));
    }
    if earlier != number {
        return None;
    }
    let same = the_name.text("` has the number ").number(number);
    Some(same.text(" of `").text(earlier_name).text("`"))
}

/// Panics with a message that names both entries if two in the list clash, or one is invalid.
#[track_caller]
const fn refuse_clashes(kind: &'static str, entries: &[(u8, &str)]) {
    let mut index = 0;
    while index < entries.len() {
        let entry = entries[index];
        if !is_name(entry.1) {
            not_a_name(kind, entry.1).panic();
        }
        let mut earlier = 0;
        while earlier < index {
            if let Some(clash) = clash(kind, entries[earlier], entry) {
                clash.panic();
            }
            earlier += 1;
        }
        index += 1;
    }
}

/// Whether a name is neither empty nor has white space around it. `str::trim` isn't `const`.
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

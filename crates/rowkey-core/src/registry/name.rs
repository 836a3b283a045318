//! Names for numbers of one byte.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::entries::{Register, Registered, Registry};
use super::entry::{Entry, List, refuse_clashes};
use crate::Error;
use crate::error::RegistryProblem;

/// The kind of thing that a [`Registry`] names.
pub trait NumberedName: 'static {
    /// Its name in messages, such as `country`.
    const KIND: &'static str;
}

impl<R: NumberedName> Registered for R {
    type Entry<'a> = (u8, &'a str);
    type Added = (u8, String);

    fn known(entry: &(u8, &'static str)) -> (u8, &'static str) {
        *entry
    }

    fn added((number, name): &(u8, String)) -> (u8, &str) {
        (*number, name)
    }

    fn compared<'a>((number, name): Self::Entry<'a>) -> Entry<'a> {
        let kind = R::KIND;
        Entry::Name { kind, number, name }
    }
}

impl<R: NumberedName, S: Into<String>> Register<R> for (i64, S) {
    fn checked(self) -> Result<(u8, String), RegistryProblem> {
        let (number, name) = (self.0, self.1.into());
        let kind = R::KIND;
        if let Some(clash) = (Entry::Name {
            kind,
            number: 0,
            name: &name,
        })
        .invalid()
        {
            return Err(clash.into());
        }
        match u8::try_from(number) {
            Ok(number) => Ok((number, name)),
            Err(_) => Err(RegistryProblem::Number { kind, name, number }),
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
        let kind = R::KIND;
        refuse_clashes(List::Names { kind, entries });
        Self::of_known(entries)
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

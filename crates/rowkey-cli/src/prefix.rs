//! Ids of keys that are declared with a prefix, such as `inv_3zfAkCP7ZtzfeQYp`.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use rowkey_core::Error;
use rowkey_core::format::FormatKind;
use rowkey_core::text::{Encoding, prefixed};

use crate::failure::Failure;

/// A prefix as given with `--prefix`, without its underscore.
#[derive(Clone, Debug)]
pub(crate) struct Prefix(String);

impl FromStr for Prefix {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        prefixed::check(text)?;
        Ok(Self(text.to_owned()))
    }
}

impl Deref for Prefix {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Prefix {
    /// Refuses a text with another prefix.
    pub(crate) fn allow(&self, text: &str) -> Result<(), Failure> {
        match of(text) {
            Some(prefix) if prefix != self.0 => Err(self.is_not(format_args!("{prefix}_"))),
            _ => Ok(()),
        }
    }

    /// Refuses a text without this prefix.
    pub(crate) fn require(&self, text: &str) -> Result<(), Failure> {
        match of(text) {
            None => Err(self.is_not(text.chars().take(8).collect::<String>())),
            Some(_) => self.allow(text),
        }
    }

    fn is_not(&self, found: impl fmt::Display) -> Failure {
        Failure::bad_input(
            format_args!("the text begins with `{found}`, not with `{}_`", self.0),
            "the prefix shows which entity an id belongs to",
        )
    }
}

/// The prefix of a text, if it has one.
pub(crate) fn of(text: &str) -> Option<&str> {
    prefixed::split(text).map(|(prefix, _)| prefix)
}

/// The text of a key with a prefix.
pub(crate) fn key_text(prefix: &str, format: FormatKind, value: u128) -> Result<String, Error> {
    let body = format.width().encode(Encoding::Alphanumeric, value)?;
    Ok(format!("{prefix}_{body}"))
}

/// Reads the public form of an id, with or without a prefix.
pub(crate) fn read_public(format: FormatKind, text: &str) -> Result<u128, Error> {
    match prefixed::split(text) {
        None => format.parse_public(text),
        Some((_, body)) => {
            let value = format.width().decode(Encoding::Alphanumeric, body)?;
            format.check(value)
        }
    }
}

/// [`read_public`], with an error that names the wrong part of the text.
pub(crate) fn read(format: FormatKind, text: &str) -> Result<u128, Failure> {
    read_public(format, text).map_err(|error| locate(text, error.into()))
}

/// The failure of [`read_public`], with the wrong part of the text.
pub(crate) fn locate(text: &str, failure: Failure) -> Failure {
    if let Some(prefix) = of(text) {
        return failure.at(format_args!("after `{prefix}_`"));
    }
    match text.split_once('_') {
        Some((prefix, body)) if looks_like_a_body(body) => match prefixed::check(prefix) {
            Err(error) => Failure::from(error).at("before the underscore"),
            Ok(()) => failure,
        },
        _ => failure,
    }
}

/// Whether the compact form of some format has this length and alphabet.
fn looks_like_a_body(body: &str) -> bool {
    matches!(body.len(), 16 | 22) && body.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

//! A key of one of several types, which its group determines.

use core::fmt;
use core::hash::Hash;
use core::str::FromStr;

use uuid::Uuid;

use super::KeyGroup;
use crate::error::ErrorKind;
use crate::format::{Format, LuuidGroup};
use crate::message::{Message, equal};
use crate::registry::refuse_clashes;
use crate::text::Encoding;
use crate::{EntityKey, Error, Luuid};

/// A key of one of several types over [`Luuid`], declared with `#[key_union]`.
///
/// The group determines the type of an untyped id. The text of a union is the text of its key.
/// Parsing also accepts the hyphenated UUID, even if the key has a prefix or another text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a union of keys",
    label = "not a union of keys",
    note = "declare it with `#[key_union] pub enum AnyId {{ Customer(CustomerId), Order(OrderId) }}`"
)]
pub trait KeyUnion:
    Copy
    + Eq
    + Hash
    + fmt::Debug
    + fmt::Display
    + FromStr<Err = Error>
    + TryFrom<Uuid, Error = Error>
    + Send
    + Sync
    + 'static
{
    /// The type's name, for messages.
    const NAME: &'static str;

    /// The doc comment of the declaration, for schemas.
    #[doc(hidden)]
    const DESCRIPTION: Option<&'static str> = None;

    /// The groups of the keys, in the order of the declaration.
    const GROUPS: &'static [KeyGroup];

    /// The key of an id, of the type that its group determines.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Format` if the id has none of the groups.
    fn from_luuid(id: Luuid) -> Result<Self, Error>;

    /// The id without its type.
    fn into_luuid(self) -> Luuid;

    /// The key's group.
    fn group(self) -> LuuidGroup {
        self.into_luuid().group()
    }

    /// The same bits as a [`Uuid`].
    fn to_uuid(self) -> Uuid {
        self.into_luuid().to_uuid()
    }
}

/// The group of a key in a declaration; a key without one is rejected elsewhere.
pub const fn member<K: EntityKey>() -> KeyGroup {
    match KeyGroup::of_any::<K>() {
        Some(group) => group,
        None => KeyGroup::named(K::NAME, K::NAME),
    }
}

/// Rejects, at compile time and at the caller's location, a key without a group.
#[track_caller]
pub const fn check_key_of_union<K: EntityKey>() {
    if K::GROUP_NAME.is_none() {
        Message::of("only keys over Luuid can be distinguished by their ids, and ")
            .text(K::NAME)
            .text(" is a key over ")
            .text(K::Format::KIND.type_name())
            .panic();
    }
}

/// Rejects, at compile time and at the caller's location, keys with the same group or prefix.
#[track_caller]
pub(crate) const fn refuse_union(groups: &[KeyGroup]) {
    refuse_clashes(groups);
    refuse_same_prefixes(groups);
    refuse_ambiguous_digits(groups);
}

#[track_caller]
const fn refuse_same_prefixes(groups: &[KeyGroup]) {
    let mut index = 0;
    while index < groups.len() {
        let mut earlier = 0;
        while earlier < index {
            if let (Some(one), Some(other)) = (groups[earlier].prefix(), groups[index].prefix())
                && equal(one, other)
            {
                Message::of(groups[earlier].key())
                    .text(" and ")
                    .text(groups[index].key())
                    .text(" have the same prefix `")
                    .text(one)
                    .text("`")
                    .panic()
            }
            earlier += 1;
        }
        index += 1;
    }
}

/// Rejects keys whose ids can be the same digits.
#[track_caller]
const fn refuse_ambiguous_digits(groups: &[KeyGroup]) {
    let (mut decimal, mut hexadecimal) = (None, None);
    let mut index = 0;
    while index < groups.len() {
        let group = groups[index];
        match group.text() {
            Encoding::Decimal => decimal = Some(group),
            Encoding::Hexadecimal => hexadecimal = Some(group),
            _ => {}
        }
        index += 1;
    }
    if let (Some(decimal), Some(hexadecimal)) = (decimal, hexadecimal) {
        Message::of(decimal.key())
            .text(" is written in decimal and ")
            .text(hexadecimal.key())
            .text(" in hexadecimal digits, which can be the same text")
            .panic();
    }
}

/// Reads a hyphenated UUID, or the text of a key that declares another one.
fn parse_without_prefix(groups: &[KeyGroup], text: &str) -> Result<Luuid, Error> {
    let not_hyphenated = match text.parse::<Luuid>() {
        Ok(id) => return Ok(id),
        Err(error) => error,
    };
    let mut problem = None;
    for group in groups {
        if group.prefix().is_some() || group.text() == Encoding::Uuid {
            continue;
        }
        let found = match Luuid::decode(group.text(), text) {
            Ok(id) if id.group() == group.group() => return Ok(id),
            // Unless a later key has the same encoding.
            Ok(id) => id.group().unknown(),
            Err(error) => error,
        };
        // A wrong id says more than a text of another encoding.
        if problem.is_none() || found.kind() != ErrorKind::Text {
            problem = Some(found);
        }
    }
    match problem {
        Some(problem) if !text.contains('-') => Err(problem),
        _ => Err(not_hyphenated),
    }
}

/// Reads the text of any of the keys, or a hyphenated UUID.
pub fn parse_union<U: KeyUnion>(text: &str) -> Result<U, Error> {
    let with_prefix = text.split_once('_').and_then(|(prefix, body)| {
        let mut groups = U::GROUPS.iter();
        let group = groups.find(|group| group.prefix() == Some(prefix))?;
        Some((group, prefix, body))
    });
    let Some((group, prefix, body)) = with_prefix else {
        return U::from_luuid(parse_without_prefix(U::GROUPS, text)?);
    };
    let decoded = Luuid::decode(group.text(), body);
    let id = decoded.map_err(|error| error.after_prefix(prefix))?;
    if id.group() != group.group() {
        return Err(id.group().refused_by(group.key(), group.group()));
    }
    U::from_luuid(id)
}

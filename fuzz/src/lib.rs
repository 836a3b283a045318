//! Inputs that the fuzz targets share: `arbitrary` values of the types of rowkey.

use arbitrary::Arbitrary;
use rowkey_core::Backend;
use rowkey_core::format::{FieldKind, FormatKind};
use rowkey_core::storage::{Layout, Storage};
use rowkey_core::text::{Encoding, Width};

/// Declares an arbitrary choice of the values of a list.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident: $type:ty = $values:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(pub $type);

        impl<'a> Arbitrary<'a> for $name {
            fn arbitrary(input: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
                input.choose(&$values).copied().map(Self)
            }
        }
    };
}

choice! {
    /// Any format.
    AnyFormat: FormatKind = FormatKind::ALL
}
choice! {
    /// Any backend.
    AnyBackend: Backend = Backend::ALL
}
choice! {
    /// Any encoding.
    AnyEncoding: Encoding = Encoding::ALL
}
choice! {
    /// Any width.
    AnyWidth: Width = Width::ALL
}
choice! {
    /// Any storage.
    AnyStorage: Storage = Storage::ALL
}
choice! {
    /// Any layout.
    AnyLayout: Layout = Layout::ALL
}

/// A text made of another by changes a hand or a wire would make: closer to the accepted ones than
/// arbitrary characters get.
#[derive(Arbitrary, Debug)]
pub struct Damage<'a> {
    changes: Vec<Change>,
    appended: Option<&'a str>,
}

#[derive(Arbitrary, Debug)]
enum Change {
    Replace(u8, char),
    ReplaceAscii(u8, u8),
    Insert(u8, char),
    Remove(u8),
    FlipCase(u8),
    Truncate(u8),
}

impl Damage<'_> {
    /// The damaged text.
    pub fn apply(&self, text: &str) -> String {
        let mut characters: Vec<char> = text.chars().collect();
        for change in self.changes.iter().take(4) {
            let length = characters.len().max(1);
            let at = |position: &u8| usize::from(*position) % length;
            match change {
                Change::Insert(position, character) => {
                    characters.insert(at(position).min(characters.len()), *character);
                }
                Change::Truncate(position) => characters.truncate(at(position)),
                _ if characters.is_empty() => {}
                Change::Replace(position, character) => characters[at(position)] = *character,
                Change::ReplaceAscii(position, character) => {
                    characters[at(position)] = char::from(character & 0x7f);
                }
                Change::Remove(position) => {
                    characters.remove(at(position));
                }
                Change::FlipCase(position) => {
                    let character = &mut characters[at(position)];
                    *character = match character.is_ascii_lowercase() {
                        true => character.to_ascii_uppercase(),
                        false => character.to_ascii_lowercase(),
                    };
                }
            }
        }
        characters.extend(self.appended.unwrap_or_default().chars());
        characters.into_iter().collect()
    }
}

/// Bits that are more often of the format than arbitrary ones are.
pub fn nearly_of(format: FormatKind, bits: u128, stamp: bool) -> u128 {
    if !stamp {
        return bits;
    }
    let mut stamped = bits;
    for field in format.fields() {
        let shift = 128 - field.first_bit - field.width;
        let mask = u128::MAX >> (128 - field.width) << shift;
        match field.kind {
            FieldKind::Version(value) | FieldKind::Variant(value) => {
                stamped = stamped & !mask | u128::from(value) << shift;
            }
            // A number that is shorter than 128 bits.
            FieldKind::Constant(0) if field.first_bit == 0 => stamped >>= field.width,
            _ => {}
        }
    }
    stamped
}

/// What a text of an encoding that is read leniently looks like when it is written.
pub fn canonical(encoding: Encoding, text: &str) -> String {
    match encoding {
        Encoding::Uuid | Encoding::Binary => text.to_ascii_lowercase(),
        Encoding::Hexadecimal => text.to_ascii_uppercase(),
        Encoding::Alphanumeric => text.to_owned(),
        Encoding::Decimal => match text.trim_start_matches('0') {
            "" => "0".to_owned(),
            digits => digits.to_owned(),
        },
    }
}

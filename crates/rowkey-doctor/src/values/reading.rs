//! The bits of a stored value, or what is wrong with it.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::{
    Backend, BinaryLength, Column, Precision, Storage, StoredRef, TextForm, Wire,
};
use rowkey_core::text::{Encoding, Width, hyphenated};
use rowkey_tables::dialect::Dialect;

use crate::values::damage::DamageKind;
use crate::values::observation::StoredValue;

/// Longer values are shown by their beginning.
const SHOWN: usize = 60;

/// Reads the values of one column.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    backend: Backend,
    /// The shape of sixteen bytes: the database's own type of UUIDs, or bytes.
    sixteen: Wire,
    /// The forms of text that a column of the backend may have; the one that was read last is the
    /// first.
    texts: Vec<Column>,
}

/// A value that is an id by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) wire: Wire,
    pub(crate) stored: u128,
}

impl Reader {
    /// `is_uuid` is whether the column has the database's own type of UUIDs.
    pub(crate) fn new(backend: Backend, is_uuid: bool) -> Self {
        let formats = [
            FormatKind::AnyUuid,
            FormatKind::DistributedId,
            FormatKind::DistributedId128,
        ];
        let columns = formats.into_iter().flat_map(|format| {
            let column = move |storage| Column::new(format, backend, storage, None).ok();
            Storage::ALL.into_iter().filter_map(column)
        });
        let mut texts: Vec<Column> = Vec::new();
        for column in columns.filter(|column| matches!(column.wire(), Wire::Text(_))) {
            if texts.iter().all(|known| known.wire() != column.wire()) {
                texts.push(column);
            }
        }
        let sixteen = match is_uuid {
            true => backend.wire_of_uuids(),
            false => Wire::Bytes(BinaryLength::Bytes16),
        };
        Self {
            backend,
            sixteen,
            texts,
        }
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// Reads a value that is not NULL.
    pub(crate) fn read(&mut self, value: StoredValue<'_>) -> Result<Reading, DamageKind> {
        match value {
            StoredValue::Null => Err(DamageKind::WrongType),
            StoredValue::Bytes(bytes) => self.bytes(bytes),
            StoredValue::Text(text) => self.text(text),
            StoredValue::Integer(number) => {
                let stored = u128::try_from(number).map_err(|_| DamageKind::OutOfRange)?;
                Ok(Reading {
                    wire: Wire::Integer,
                    stored,
                })
            }
            StoredValue::Decimal(text) => decimal(text),
            StoredValue::Real(_) => Err(DamageKind::FloatingPoint),
        }
    }

    fn bytes(&self, bytes: &[u8]) -> Result<Reading, DamageKind> {
        if let Ok(sixteen) = <[u8; 16]>::try_from(bytes) {
            let stored = u128::from_be_bytes(sixteen);
            let wire = self.sixteen;
            return match damage_of(stored, &sixteen) {
                Some(damage) => Err(damage),
                None => Ok(Reading { wire, stored }),
            };
        }
        if bytes.len() == 12 {
            let stored = bytes
                .iter()
                .fold(0, |number, byte| number << 8 | u128::from(*byte));
            let wire = Wire::Bytes(BinaryLength::Bytes12);
            return Ok(Reading { wire, stored });
        }
        Err(DamageKind::WrongLength)
    }

    fn text(&mut self, text: &str) -> Result<Reading, DamageKind> {
        if self.sixteen == Wire::NativeUuid {
            let stored = hyphenated::parse(text).map_err(|_| explain(text))?;
            return self.bytes(&stored.to_be_bytes());
        }
        let found = self.texts.iter().position(|column| {
            let Wire::Text(form) = column.wire() else {
                return false;
            };
            usize::from(form.width()) == text.len() && column.decode(StoredRef::Text(text)).is_ok()
        });
        let Some(index) = found else {
            return Err(explain(text));
        };
        self.texts.swap(0, index);
        let column = self.texts[0];
        let stored = column
            .decode(StoredRef::Text(text))
            .map_err(|_| explain(text))?;
        match uuid_damage(stored) {
            Some(damage) => Err(damage),
            None => Ok(Reading {
                wire: column.wire(),
                stored,
            }),
        }
    }
}

/// The value of a decimal number without a sign or a fraction.
fn decimal(text: &str) -> Result<Reading, DamageKind> {
    let stored = Width::U128
        .decode(Encoding::Decimal, text)
        .map_err(|_| DamageKind::OutOfRange)?;
    let wire = match stored {
        _ if stored <= Precision::Digits28.max() => Wire::Decimal(Precision::Digits28),
        _ if stored <= Precision::Digits38.max() => Wire::Decimal(Precision::Digits38),
        _ => return Err(DamageKind::OutOfRange),
    };
    Ok(Reading { wire, stored })
}

fn uuid_damage(stored: u128) -> Option<DamageKind> {
    match stored {
        0 => Some(DamageKind::Nil),
        u128::MAX => Some(DamageKind::Max),
        _ => None,
    }
}

fn damage_of(stored: u128, bytes: &[u8; 16]) -> Option<DamageKind> {
    let is_text = bytes
        .iter()
        .all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    if is_text && bytes.contains(&b'-') {
        return Some(DamageKind::TextCutOff);
    }
    uuid_damage(stored)
}

/// What is wrong with a text that has no form of an id.
fn explain(text: &str) -> DamageKind {
    let inner = text.trim();
    if inner.len() != text.len() {
        return DamageKind::Blanks;
    }
    if text.starts_with('{') && text.ends_with('}') {
        return DamageKind::Braces;
    }
    let hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits: String = text.chars().filter(|character| *character != '-').collect();
    if digits.len() == 32 && hexadecimal(&digits) {
        let form_is_known = text.len() == 32 || hyphenated::parse(text).is_ok();
        return if form_is_known {
            DamageKind::MixedCase
        } else {
            DamageKind::WrongForm
        };
    }
    match text.len() {
        36 | 32 => DamageKind::WrongCharacters,
        // Compact text of other makers is one number, whose parts are larger than those of ours.
        22 | 16 if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) => DamageKind::OutOfRange,
        _ => DamageKind::WrongLength,
    }
}

/// A value as the database shows it, on one line.
pub(crate) fn show(value: StoredValue<'_>) -> String {
    let shown = match value {
        StoredValue::Null => "NULL".to_owned(),
        StoredValue::Bytes(bytes) => hex::encode(&bytes[..bytes.len().min(SHOWN / 2)]),
        StoredValue::Integer(number) => number.to_string(),
        StoredValue::Text(text) | StoredValue::Decimal(text) | StoredValue::Real(text) => {
            let shown = text.chars().take(SHOWN);
            shown.flat_map(char::escape_debug).collect()
        }
    };
    let is_cut = match value {
        StoredValue::Bytes(bytes) => bytes.len() > SHOWN / 2,
        StoredValue::Text(text) | StoredValue::Decimal(text) | StoredValue::Real(text) => {
            text.chars().nth(SHOWN).is_some()
        }
        StoredValue::Null | StoredValue::Integer(_) => false,
    };
    if is_cut { format!("{shown}…") } else { shown }
}

/// A value that was read, as the database shows it.
pub(crate) fn show_stored(wire: Wire, stored: u128) -> String {
    match wire {
        Wire::Decimal(_) | Wire::Integer => stored.to_string(),
        Wire::Text(TextForm::Hyphenated) => hyphenated::write(stored).to_string(),
        Wire::Text(TextForm::HyphenatedUpper) => hyphenated::write_upper(stored).to_string(),
        Wire::Text(TextForm::Hex) => format!("{stored:032x}"),
        Wire::Text(TextForm::HexUpper) => format!("{stored:032X}"),
        Wire::Text(TextForm::Compact22) => compact(Width::U128, stored),
        Wire::Text(TextForm::Compact16) => compact(Width::Decimal28, stored),
        Wire::Text(TextForm::Digits28) => format!("{stored:028}"),
        Wire::Text(TextForm::Digits38) => format!("{stored:038}"),
        Wire::Bytes(BinaryLength::Bytes12) => format!("{stored:024x}"),
        _ => hyphenated::write(stored).to_string(),
    }
}

fn compact(width: Width, stored: u128) -> String {
    let text = width.encode(Encoding::Alphanumeric, stored);
    text.map_or_else(|_| stored.to_string(), |text| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "018e5f3b-ff48-47cc-b5ba-d01c25cc63a7";

    fn read(backend: Backend, text: &str) -> Result<Wire, DamageKind> {
        let mut reader = Reader::new(backend, false);
        reader
            .read(StoredValue::Text(text))
            .map(|reading| reading.wire)
    }

    #[test]
    fn every_form_of_text_is_read() {
        for backend in Backend::ALL {
            for (text, form) in [
                (ID.to_owned(), TextForm::Hyphenated),
                (ID.to_uppercase(), TextForm::HyphenatedUpper),
                (ID.replace('-', ""), TextForm::Hex),
                (ID.replace('-', "").to_uppercase(), TextForm::HexUpper),
                ("070F65qMBVvBAuyAWmEDBn".to_owned(), TextForm::Compact22),
                ("3zfAkCP7ZtzfeQYp".to_owned(), TextForm::Compact16),
                (
                    "1088824355131185736905670087".to_owned(),
                    TextForm::Digits28,
                ),
                (
                    "00020805774634047115774038128899854510".to_owned(),
                    TextForm::Digits38,
                ),
            ] {
                assert_eq!(
                    read(backend, &text),
                    Ok(Wire::Text(form)),
                    "{backend} {text}"
                );
            }
        }
    }

    #[test]
    fn text_is_shown_as_it_is_stored() {
        for text in [
            ID.to_owned(),
            ID.to_uppercase(),
            ID.replace('-', ""),
            ID.replace('-', "").to_uppercase(),
            "070F65qMBVvBAuyAWmEDBn".to_owned(),
            "3zfAkCP7ZtzfeQYp".to_owned(),
            "1088824355131185736905670087".to_owned(),
        ] {
            let read = Reader::new(Backend::Sqlite, false).read(StoredValue::Text(&text));
            let Reading { wire, stored } = read.unwrap();
            assert_eq!(show_stored(wire, stored), text);
        }
    }

    #[test]
    fn damage_is_named() {
        use DamageKind::{
            Blanks, Braces, Max, MixedCase, Nil, OutOfRange, WrongCharacters, WrongForm,
            WrongLength,
        };
        for (text, damage) in [
            (format!(" {ID}"), Blanks),
            (format!("{{{ID}}}"), Braces),
            (ID.replacen("ff48", "FF48", 1), MixedCase),
            (ID.replacen('-', "", 1), WrongForm),
            (ID.replacen('7', "g", 1), WrongCharacters),
            (ID[..35].to_owned(), WrongLength),
            (String::new(), WrongLength),
            ("7n42DGM5Tflk9n8mt7Fhc7".to_owned(), OutOfRange),
            ("zzzzzzzzzzzzzzzz".to_owned(), OutOfRange),
            ("ü".repeat(18), WrongCharacters),
            (ID.replace(|found: char| found != '-', "0"), Nil),
            (ID.replace(|found: char| found != '-', "f"), Max),
        ] {
            assert_eq!(read(Backend::Sqlite, &text), Err(damage), "{text}");
        }
        let mut reader = Reader::new(Backend::MySql, false);
        let mut bytes = |bytes: &[u8]| reader.read(StoredValue::Bytes(bytes)).unwrap_err();
        assert_eq!(bytes(&[1; 15]), WrongLength);
        assert_eq!(bytes(&ID.as_bytes()[..16]), DamageKind::TextCutOff);
        for text in [
            "-1",
            "1.5",
            "NaN",
            "340282366920938463463374607431768211456",
        ] {
            let read = reader.read(StoredValue::Decimal(text));
            assert_eq!(read, Err(OutOfRange), "{text}");
        }
        assert_eq!(
            reader.read(StoredValue::Integer(-1)),
            Err(DamageKind::OutOfRange)
        );
    }

    #[test]
    fn what_is_shown_stays_on_a_line() {
        assert_eq!(show(StoredValue::Text("a\nb\u{202e}")), "a\\nb\\u{202e}");
        assert_eq!(
            show(StoredValue::Text(&"x".repeat(100))).chars().count(),
            SHOWN + 1
        );
        assert_eq!(show(StoredValue::Bytes(&[0xab, 1])), "ab01");
    }
}

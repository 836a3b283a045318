//! Values that have no form of an id here: what they look like.

use rowkey_core::UnixMillis;
use rowkey_core::text::hyphenated;

use crate::values::hypothesis::Era;
use crate::values::observation::StoredValue;
use crate::values::part::number_of;

/// What a value looks like that is read by no column of rowkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Ulid,
    TypeId,
    Braces,
    Urn,
    ObjectId,
    PaddedBytes,
    TextInBytes,
    PaddedText,
    Scale,
    Fraction,
    ZeroX,
    Parentheses,
    Base64,
}

impl Look {
    const ALL: [Self; 13] = [
        Self::Ulid,
        Self::TypeId,
        Self::Braces,
        Self::Urn,
        Self::ObjectId,
        Self::PaddedBytes,
        Self::TextInBytes,
        Self::PaddedText,
        Self::Scale,
        Self::Fraction,
        Self::ZeroX,
        Self::Parentheses,
        Self::Base64,
    ];

    /// What a value looks like, if it is known.
    pub(crate) fn of(value: StoredValue<'_>, era: Era) -> Option<Self> {
        match value {
            StoredValue::Text(text) => Self::of_text(text, era),
            StoredValue::Decimal(text) => of_scale(text),
            StoredValue::Bytes(bytes) => Self::of_bytes(bytes),
            StoredValue::Null | StoredValue::Integer(_) | StoredValue::Real(_) => None,
        }
    }

    fn of_text(text: &str, era: Era) -> Option<Self> {
        let is_uuid = |text: &str| hyphenated::parse(&text.to_ascii_lowercase()).is_ok();
        let inner =
            text.trim_matches(|character: char| character == '\0' || character.is_whitespace());
        let enclosed = |first, last| text.strip_prefix(first)?.strip_suffix(last);
        let prefixed = text.rsplit_once('_').map(|(_, suffix)| suffix);
        let hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match () {
            () if enclosed('{', '}').is_some_and(is_uuid) => Some(Self::Braces),
            () if enclosed('(', ')').is_some_and(is_uuid) => Some(Self::Parentheses),
            () if (text.strip_prefix("0x"))
                .is_some_and(|digits| digits.len() == 32 && hexadecimal(digits)) =>
            {
                Some(Self::ZeroX)
            }
            () if text.strip_prefix("urn:uuid:").is_some_and(is_uuid) => Some(Self::Urn),
            () if is_ulid(inner, era) => Some(Self::Ulid),
            () if prefixed
                .is_some_and(|text| is_base_32(text) && *text == text.to_ascii_lowercase()) =>
            {
                Some(Self::TypeId)
            }
            () if text.len() == 24 && hexadecimal(text) => Some(Self::ObjectId),
            () if inner.len() < text.len()
                && (is_uuid(inner) || inner.len() == 32 && hexadecimal(inner)) =>
            {
                Some(Self::PaddedText)
            }
            () if is_base_64(inner) => Some(Self::Base64),
            () => of_scale(text),
        }
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let end = bytes
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        let text = str::from_utf8(&bytes[..end]).unwrap_or("").trim_end();
        if hyphenated::parse(&text.to_ascii_lowercase()).is_ok() {
            return Some(Self::TextInBytes);
        }
        (bytes.len() > 16 && (1..=16).contains(&end)).then_some(Self::PaddedBytes)
    }

    /// What they are, and what can be done.
    fn said(self) -> &'static str {
        match self {
            Self::Ulid => {
                "look like ULIDs: milliseconds since 1970 and 80 random bits, as 26 characters of base 32; \
                 sixteen bytes of them are read by AnyUuid"
            }
            Self::TypeId => {
                "look like TypeIDs, the name of a type before the base 32 of a UUID: a column of UUIDs \
                 without the name is read by UuidV7"
            }
            Self::Braces => {
                "look like GUIDs in braces: without the braces, as in a column of 36 characters, they are \
                 read as text"
            }
            Self::Urn => "look like URNs: without `urn:uuid:` they are read as text",
            Self::ObjectId => {
                "look like ids of MongoDB, 24 hexadecimal digits, for which rowkey has no format"
            }
            Self::PaddedBytes => {
                "look like sixteen bytes that the column pads with zeros: after a conversion to sixteen \
                 bytes, such as BINARY(16), look again"
            }
            Self::TextInBytes => {
                "look like the text of a UUID in a column of bytes: in a column of 36 characters it is \
                 read as text"
            }
            Self::PaddedText => {
                "look like the text of a UUID that the column pads: in a column of its length, look again"
            }
            Self::Scale => {
                "look like numbers with digits behind the point: without them, such as in \
                 DECIMAL(28, 0), look again"
            }
            Self::Fraction => "look like amounts: ids have no digits behind the point",
            Self::ZeroX => {
                "look like sixteen bytes, written with `0x` in front: without it, as in a column of 32 \
                 characters, they are read as text"
            }
            Self::Parentheses => {
                "look like GUIDs in parentheses: without them, as in a column of 36 characters, they are \
                 read as text"
            }
            Self::Base64 => {
                "look like the base 64 of sixteen bytes, for which rowkey has no form: decoded, as in \
                 BINARY(16), look again"
            }
        }
    }
}

/// Whether a text is 128 bits in base 32 as ULID has it, in one letter case.
fn is_base_32(text: &str) -> bool {
    let is_digit = |byte: u8| {
        byte.is_ascii_digit()
            || byte.is_ascii_alphabetic()
                && !matches!(byte.to_ascii_uppercase(), b'I' | b'L' | b'O' | b'U')
    };
    let has_one_case = *text == text.to_ascii_uppercase() || *text == text.to_ascii_lowercase();
    text.len() == 26 && has_one_case && text.as_bytes()[0] <= b'7' && text.bytes().all(is_digit)
}

/// Whether a text is a ULID, whose first ten digits are its time: other texts of 26 digits, such as
/// hexadecimal ones, have none.
fn is_ulid(text: &str, era: Era) -> bool {
    const DIGITS: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let time = text.chars().take(10).try_fold(0_i64, |time, digit| {
        let digit = DIGITS.find(digit.to_ascii_uppercase())?;
        Some(time << 5 | digit as i64)
    });
    is_base_32(text) && time.is_some_and(|time| era.contains(UnixMillis::new(time)))
}

/// Whether a text is 128 bits in base 64, with or without padding. Its last digit has two of them.
fn is_base_64(text: &str) -> bool {
    let digits = text.strip_suffix("==").unwrap_or(text);
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    digits.len() == 22 && digits.bytes().all(is_digit) && digits.ends_with(['A', 'Q', 'g', 'w'])
}

/// What a number looks like that is followed by a point and digits.
fn of_scale(text: &str) -> Option<Look> {
    let (number, scale) = text.split_once('.')?;
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_zero = scale.bytes().all(|byte| byte == b'0');
    (is_digits(number) && is_digits(scale)).then_some(match is_zero {
        true => Look::Scale,
        false => Look::Fraction,
    })
}

/// Counts looks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looks([u64; Look::ALL.len()]);

impl Looks {
    pub(crate) fn add(&mut self, value: StoredValue<'_>, era: Era) {
        if let Some(look) = Look::of(value, era) {
            self.0[look as usize] += 1;
        }
    }

    /// A sentence for each.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = String> {
        let counted = Look::ALL.into_iter().zip(self.0);
        counted
            .filter(|(_, count)| *count > 0)
            .map(|(look, count)| format!("{} {}.", number_of(count, "value"), look.said()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_of(value: StoredValue<'_>) -> Option<Look> {
        Look::of(value, Era::until(UnixMillis::new(1_795_000_000_000)))
    }

    #[test]
    fn values_are_named_as_what_they_look_like() {
        let id = "018e5f3b-ff48-47cc-b5ba-d01c25cc63a7";
        for (text, look) in [
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", Some(Look::Ulid)),
            ("user_01h455vb4pex5vsknk084sn02q", Some(Look::TypeId)),
            ("01h455vb4pex5vsknk084sn02q", Some(Look::Ulid)),
            ("{018E5F3B-FF48-47CC-B5BA-D01C25CC63A7}", Some(Look::Braces)),
            (
                "urn:uuid:018e5f3b-ff48-47cc-b5ba-d01c25cc63a7",
                Some(Look::Urn),
            ),
            ("507f1f77bcf86cd799439011", Some(Look::ObjectId)),
            (
                "018e5f3b-ff48-47cc-b5ba-d01c25cc63a7    ",
                Some(Look::PaddedText),
            ),
            ("935.0", Some(Look::Scale)),
            ("1088824355131185736905670087.00", Some(Look::Scale)),
            ("935.5", Some(Look::Fraction)),
            ("935.", None),
            ("0003A20C9E82A08CD1CC4229E2", None),
            ("7ZZZZZZZZZDEKTSV4RRFFQ69G5", None),
            ("81ARZ3NDEKTSV4RRFFQ69G5FAV", None),
            ("01ARZ3NDEKTSV4RRFFQ69G5FaV", None),
            ("ÄÄÄÄÄÄÄÄÄÄÄÄÄ", None),
            ("{}", None),
            ("_", None),
            ("", None),
        ] {
            assert_eq!(look_of(StoredValue::Text(text)), look, "{text}");
        }
        let mut padded = [0; 255];
        padded[..16].copy_from_slice(&[7; 16]);
        assert_eq!(
            look_of(StoredValue::Bytes(&padded)),
            Some(Look::PaddedBytes)
        );
        padded[..36].copy_from_slice(id.as_bytes());
        assert_eq!(
            look_of(StoredValue::Bytes(&padded)),
            Some(Look::TextInBytes)
        );
        assert_eq!(look_of(StoredValue::Bytes(&[])), None);
        assert_eq!(look_of(StoredValue::Bytes(&[0; 20])), None);
        assert_eq!(look_of(StoredValue::Decimal("935.0")), Some(Look::Scale));
    }

    #[test]
    fn each_look_has_its_own_counter() {
        for (place, look) in Look::ALL.into_iter().enumerate() {
            assert_eq!(look as usize, place);
        }
    }
}

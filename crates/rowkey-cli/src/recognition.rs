//! What a text of unknown form can be.

use rowkey_core::text::{Encoding, Width, hyphenated, prefixed};
use rowkey_core::{DistributedId, DistributedId128, Error, FormatKind, TextProblem, UnixMillis};
use std::time::Duration;

use crate::failure::Failure;
use crate::prefix;

/// One way to understand a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The format.
    pub(crate) format: FormatKind,
    /// The 128 bits.
    pub(crate) value: u128,
}

/// Reads a text of a known format: with a prefix, or in the most likely of its encodings that gives
/// an id of it.
pub(crate) fn read_as(format: FormatKind, text: &str) -> Result<u128, Error> {
    if prefixed::split(text).is_some() {
        return prefix::read_public(format, text);
    }
    let decoded: Vec<u128> = encodings(text)
        .into_iter()
        .filter_map(|encoding| decode(format, encoding, text))
        .collect();
    let admitted = decoded.iter().find(|value| format.admits(**value));
    match (admitted, decoded.first()) {
        (Some(value), _) => Ok(*value),
        (None, Some(value)) => format.check(*value),
        (None, None) => format
            .parse_public(text)
            .map_err(|public| error_of_length(&[format.width()], text).unwrap_or(public)),
    }
}

/// All formats that a text can be, most likely first; never none.
pub(crate) fn readings(text: &str, now: UnixMillis) -> Result<Vec<Reading>, Failure> {
    let mut readings: Vec<Reading> = Vec::new();
    let encodings = match prefixed::split(text) {
        // The only one that has a prefix.
        Some(_) => &[Encoding::Alphanumeric][..],
        None => &encodings(text),
    };
    for &encoding in encodings {
        let read = |format: FormatKind| match prefixed::split(text) {
            Some(_) => prefix::read_public(format, text).ok(),
            None => decode(format, encoding, text).filter(|value| format.admits(*value)),
        };
        let mut admitted: Vec<Reading> = FormatKind::ALL
            .into_iter()
            .filter_map(|format| {
                Some(Reading {
                    format,
                    value: read(format)?,
                })
            })
            .collect();
        admitted.sort_by_key(|reading| likelihood(*reading, encoding, now));
        for reading in admitted {
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
    }
    if readings.is_empty() {
        Err(unrecognised(text))
    } else {
        Ok(readings)
    }
}

/// The 128 bits of a text in an encoding: of the format's own length or that of 128 bits.
fn decode(format: FormatKind, encoding: Encoding, text: &str) -> Option<u128> {
    let widths = [format.width(), Width::U128];
    widths
        .into_iter()
        .find_map(|width| width.decode(encoding, text).ok())
}

/// The encodings that a text may be in, most likely first.
fn encodings(text: &str) -> [Encoding; 5] {
    let mut encodings = ENCODINGS;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && !is_padded(text);
    if is_number {
        // Hexadecimal or base 62 with nothing but digits is rare.
        encodings.rotate_right(1);
    }
    encodings
}

/// Whether a text begins with a zero that numbers are written without. Digits that can also be an
/// encoding of fixed length are then more likely that.
fn is_padded(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

/// The encodings in the order in which a text is tried. Binary is hexadecimal except for a
/// DistributedId.
const ENCODINGS: [Encoding; 5] = [
    Encoding::Uuid,
    Encoding::Hexadecimal,
    Encoding::Binary,
    Encoding::Alphanumeric,
    Encoding::Decimal,
];

/// Where a format stands among those that admit a value; the smaller, the more likely.
///
/// The fewer values a format admits, the more it says that this one is among them. A plausible time
/// counts as such a restriction. The formats that admit everything come last.
fn likelihood(reading: Reading, encoding: Encoding, now: UnixMillis) -> u8 {
    let Reading { format, value } = reading;
    let decimal = encoding == Encoding::Decimal;
    let plausible = format
        .time_of(value)
        .is_some_and(|time| is_plausible(time, now));
    match format {
        // Digits are its public form.
        FormatKind::DistributedId if decimal && looks_generated(value) => 0,
        FormatKind::Luuid | FormatKind::Iuid | FormatKind::UuidV7 => 1,
        FormatKind::DistributedId128 if looks_generated128(value) && plausible => 1,
        FormatKind::DistributedId if decimal || looks_generated(value) => 2,
        FormatKind::PrefixComb | FormatKind::SuffixComb if plausible => 3,
        FormatKind::ShortPrefixComb => 4,
        FormatKind::ShortSuffixComb => 5,
        FormatKind::UuidV4 => 6,
        FormatKind::HotGuid if plausible => 7,
        FormatKind::PrefixComb | FormatKind::SuffixComb => 8,
        FormatKind::DistributedId128 if looks_generated128(value) => 9,
        FormatKind::HotGuid => 10,
        FormatKind::DistributedId128 | FormatKind::DistributedId => 11,
        FormatKind::AnyUuid => 12,
    }
}

fn looks_generated(value: u128) -> bool {
    DistributedId::try_from(value).is_ok_and(DistributedId::looks_generated)
}

fn looks_generated128(value: u128) -> bool {
    DistributedId128::try_from(value).is_ok_and(DistributedId128::looks_generated)
}

/// Whether software of our time made an id with this time in it: from 2000 to a few years ahead.
fn is_plausible(time: UnixMillis, now: UnixMillis) -> bool {
    const YEAR_2000: UnixMillis = UnixMillis::new(946_684_800_000);
    const AHEAD: Duration = Duration::from_secs(5 * 366 * 86_400);
    YEAR_2000 <= time && time <= now.saturating_add(AHEAD)
}

/// Why a text is nothing at all.
fn unrecognised(text: &str) -> Failure {
    let failure = match prefixed::split(text).map(|(_, body)| error_of_body(body)) {
        Some(Some(error)) => error.into(),
        _ => unrecognised_bare(text),
    };
    prefix::locate(text, failure)
}

/// Why what follows a prefix is no id.
fn error_of_body(body: &str) -> Option<Error> {
    let width = match body.chars().count() {
        22 => Width::U128,
        _ => Width::Decimal28,
    };
    let error = width.decode(Encoding::Alphanumeric, body).err()?;
    Some(match error {
        Error::Text {
            problem: problem @ TextProblem::Length { .. },
            ..
        } => Error::Text {
            expected: "16 or 22 alphanumeric characters (0-9A-Za-z)",
            problem,
        },
        error => error,
    })
}

fn unrecognised_bare(text: &str) -> Failure {
    if let Some(error) = error_of_length(&[Width::U128, Width::Decimal28], text) {
        return error.into();
    }
    let foreign = text
        .chars()
        .enumerate()
        .find(|(_, character)| !character.is_ascii_alphanumeric() && *character != '-');
    if let Some((position, found)) = foreign {
        return not_an_id(format_args!("{found:?} at position {position}"));
    }
    if text.is_empty() {
        return not_an_id("the text is empty");
    }
    match hyphenated::parse(text) {
        Err(error) if text.contains('-') => error.into(),
        _ => not_an_id(format_args!("found {} characters", text.chars().count())),
    }
}

fn not_an_id(problem: impl std::fmt::Display) -> Failure {
    Failure::bad_input(
        format_args!(
            "expected hyphenated UUID text (36 characters), 16 or 22 alphanumeric characters, 26 \
             or 32 hexadecimal characters or 1 to 39 digits: {problem}"
        ),
        "ids are read exactly as printed, without blanks, quotes or braces",
    )
}

/// The error of the first encoding that writes as many characters as the text has.
fn error_of_length(widths: &[Width], text: &str) -> Option<Error> {
    let length = text.chars().count();
    if length > 0 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return widths.first()?.decode(Encoding::Decimal, text).err();
    }
    let fixed = [
        Encoding::Uuid,
        Encoding::Alphanumeric,
        Encoding::Hexadecimal,
    ];
    widths
        .iter()
        .flat_map(|width| fixed.map(|encoding| (*width, encoding)))
        .filter(|(width, encoding)| {
            width
                .encode(*encoding, 0)
                .is_ok_and(|text| text.len() == length)
        })
        .find_map(|(width, encoding)| width.decode(encoding, text).err())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis::new(1_795_000_000_000);

    fn formats(text: &str) -> Vec<&'static str> {
        readings(text, NOW)
            .unwrap()
            .iter()
            .map(|reading| reading.format.name())
            .collect()
    }

    #[test]
    fn the_most_likely_format_comes_first() {
        for (text, first) in [
            ("00000023-122e-6aa1-a789-28ef27ab7c62", "luuid"),
            ("01941f29-7c00-8001-8040-000000000001", "iuid"),
            ("01941f29-7c00-7001-8040-000000000001", "uuid-v7"),
            ("094954a8-622c-76ad-1b93-cdefcbdf0888", "distributed-id128"),
            ("00000000-0384-a786-907d-b2ad82883dc7", "distributed-id"),
            ("1088824355131185736905670087", "distributed-id"),
            ("3zfAkCP7ZtzfeQYp", "distributed-id"),
            ("000384A786907DB2AD82883DC7", "distributed-id"),
            ("5", "distributed-id"),
            ("6553f100-7acc-1267-34ff-fffeefbeadde", "hot-guid"),
            ("017f9b20-0000-4123-8456-789abcdef012", "prefix-comb"),
            ("89abcdef-0123-4123-8456-017f9b200000", "suffix-comb"),
            ("006474fb-c7aa-40fa-b346-06fe279621e5", "short-prefix-comb"),
        ] {
            assert_eq!(formats(text).first(), Some(&first), "{text}");
        }
    }

    #[test]
    fn every_format_that_admits_a_uuid_is_listed_once_and_any_uuid_last() {
        let all = formats("006474fb-c7aa-40fa-b346-06fe279621e5");
        assert_eq!(
            all,
            [
                "short-prefix-comb",
                "short-suffix-comb",
                "uuid-v4",
                "prefix-comb",
                "suffix-comb",
                "hot-guid",
                "distributed-id128",
                "any-uuid"
            ]
        );
        assert_eq!(formats("006474FBC7AA40FAB34606FE279621E5"), all);
    }

    #[test]
    fn digits_are_a_number_first() {
        let text = "1234567890123456";
        let values: Vec<_> = readings(text, NOW).unwrap();
        assert_eq!(values[0].value, 1_234_567_890_123_456);
        let alphanumeric = values
            .iter()
            .filter(|reading| reading.value != values[0].value);
        assert_eq!(alphanumeric.count(), 1, "also 16 alphanumeric characters");
        let wide = u128::MAX.to_string();
        assert!(
            readings(&wide, NOW)
                .unwrap()
                .iter()
                .all(|reading| reading.value == u128::MAX)
        );
    }

    #[test]
    fn digits_with_leading_zeros_are_an_encoding_of_fixed_length_first() {
        let hexadecimal = "00000000000000010000000000";
        assert_eq!(readings(hexadecimal, NOW).unwrap()[0].value, 1 << 40);
        assert_eq!(read_as(FormatKind::DistributedId, hexadecimal), Ok(1 << 40));
        let stored = "0000000000000001099511627776";
        assert_eq!(readings(stored, NOW).unwrap()[0].value, 1 << 40);
        assert_eq!(read_as(FormatKind::DistributedId, stored), Ok(1 << 40));
        assert_eq!(read_as(FormatKind::DistributedId, "0"), Ok(0));
    }

    #[test]
    fn digits_are_also_the_decimal_form_of_the_other_formats() {
        // LUUIDs of the keys 1 and 50,000,000.
        assert_eq!(
            formats("1675087436249664605815095"),
            [
                "luuid",
                "distributed-id",
                "hot-guid",
                "distributed-id128",
                "any-uuid"
            ]
        );
        let digits = "60446291446893110252127807491973";
        let value = 0x0000_02fa_f080_62b6_ac7b_e043_d746_4f85;
        assert_eq!(read_as(FormatKind::Luuid, digits), Ok(value));
    }

    #[test]
    fn what_is_no_id_is_told_where() {
        for (text, problem) in [
            ("", "the text is empty"),
            (
                "{006474fb-c7aa-40fa-b346-06fe279621e5}",
                "'{' at position 0",
            ),
            ("006474fb-c7aa-40fa-b346-06fe279621e", "found 35 characters"),
            ("006474fb-c7aa-40fa-b346-06fe279621eg", "'g' at position 35"),
            ("006474fb_c7aa-40fa-b346-06fe279621e5", "'_' at position 8"),
            (" 5", "' ' at position 0"),
            ("abc", "found 3 characters"),
            ("zzzzzzzzzzzzzzzzzzzzzz", "position 0"),
            ("340282366920938463463374607431768211456", "too large"),
        ] {
            let failure = readings(text, NOW).unwrap_err();
            assert!(
                failure.message().contains(problem),
                "{text}: {}",
                failure.message()
            );
        }
    }

    #[test]
    fn a_known_format_is_read_in_every_encoding() {
        let value = 0x0064_74fb_c7aa_40fa_b346_06fe_2796_21e5;
        for encoding in Encoding::ALL {
            let text = Width::U128.encode(encoding, value).unwrap();
            assert_eq!(
                read_as(FormatKind::ShortPrefixComb, &text),
                Ok(value),
                "{text}"
            );
        }
        let value = 1_088_824_355_131_185_736_905_670_087;
        for encoding in Encoding::ALL {
            let text = Width::Decimal28.encode(encoding, value).unwrap();
            assert_eq!(
                read_as(FormatKind::DistributedId, &text),
                Ok(value),
                "{text}"
            );
        }
        let error = read_as(FormatKind::Luuid, "006474fb-c7aa-40fa-b346-06fe279621e5");
        assert!(matches!(error, Err(Error::Format { .. })));
        assert!(matches!(
            read_as(FormatKind::Luuid, "x"),
            Err(Error::Text { .. })
        ));
    }
}

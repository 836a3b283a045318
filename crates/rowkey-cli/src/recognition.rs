//! Finds the formats and encodings that a text of unknown form may have.

use rowkey_core::format::FormatKind;
use rowkey_core::text::{self, Encoding, Width, hyphenated, prefixed};
use rowkey_core::{Error, Luuid, UnixMillis};

use crate::failure::Failure;
use crate::likelihood::{Candidate, Reading, ReadingForm, rank};
use crate::prefix;

/// Reads a text of a known format: with a prefix, or in the most likely encoding that gives an id
/// of the format.
pub(crate) fn read_as(format: FormatKind, text: &str) -> Result<u128, Failure> {
    read_value(format, text).map_err(|error| match command_for_short_key(text) {
        Some(command) if format == FormatKind::Luuid => {
            Failure::from(error).with_hint(format!("for a short key: {command}"))
        }
        _ => prefix::locate(text, error.into()),
    })
}

fn read_value(format: FormatKind, text: &str) -> Result<u128, Error> {
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

/// A command that finds rows by short key, if the text may be one.
pub(crate) fn command_for_short_key(text: &str) -> Option<String> {
    Luuid::parse_short_key(text).ok()?;
    Some(format!(
        "rowkey range --format luuid --short-key {text} --backend ..."
    ))
}

/// All formats that a text may have, most likely first; never empty.
pub(crate) fn readings(text: &str, now: UnixMillis) -> Result<Vec<Reading>, Failure> {
    let decodings = decodings(text);
    let Some((_, first, _)) = decodings.first().copied() else {
        return Err(unrecognised(text));
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    for (format, encoding, value) in decodings {
        let is_known = |other: &Candidate| (other.format, other.value) == (format, value);
        if candidates.iter().any(is_known) {
            continue;
        }
        let form = match format {
            _ if encoding != first => ReadingForm::Other,
            FormatKind::DistributedId
                if encoding == Encoding::Decimal || Width::U128.decode(encoding, text).is_err() =>
            {
                ReadingForm::Own
            }
            _ => ReadingForm::Common,
        };
        candidates.push(Candidate {
            format,
            value,
            form,
        });
    }
    Ok(rank(candidates, now))
}

/// The formats that a text can tell: not a DatabaseNumber, which is like any other number.
fn recognised() -> impl Iterator<Item = FormatKind> {
    let is_told = |format: &FormatKind| *format != FormatKind::DatabaseNumber;
    FormatKind::ALL.into_iter().filter(is_told)
}

/// Every format that admits a text, by the encoding of the text.
fn decodings(text: &str) -> Vec<(FormatKind, Encoding, u128)> {
    if prefixed::split(text).is_some() {
        let read = |format| {
            Some((
                format,
                Encoding::Alphanumeric,
                prefix::read_public(format, text).ok()?,
            ))
        };
        return recognised().filter_map(read).collect();
    }
    encodings(text)
        .into_iter()
        .flat_map(|encoding| recognised().map(move |format| (format, encoding)))
        .filter_map(|(format, encoding)| {
            let value = decode(format, encoding, text).filter(|value| format.admits(*value))?;
            Some((format, encoding, value))
        })
        .collect()
}

/// The 128 bits of a text in an encoding, in the format's length or that of 128 bits.
fn decode(format: FormatKind, encoding: Encoding, text: &str) -> Option<u128> {
    let widths = [format.width(), Width::U128];
    widths
        .into_iter()
        .find_map(|width| width.decode(encoding, text).ok())
}

/// The encodings that a text may have, most likely first.
fn encodings(text: &str) -> [Encoding; 5] {
    let mut encodings = ENCODINGS;
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && !is_padded(text);
    if is_number {
        // Hexadecimal or base 62 with nothing but digits is rare.
        encodings.rotate_right(1);
    }
    encodings
}

/// Whether a text has leading zeros, which numbers are written without. Digits are then more likely
/// an encoding of fixed length.
fn is_padded(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

/// The encodings in the order in which they are tried. Binary differs from hexadecimal only for a
/// DistributedId.
const ENCODINGS: [Encoding; 5] = [
    Encoding::Uuid,
    Encoding::Hexadecimal,
    Encoding::Binary,
    Encoding::Alphanumeric,
    Encoding::Decimal,
];

/// The error for a text that no format reads.
fn unrecognised(text: &str) -> Failure {
    if let Some(command) = command_for_short_key(text) {
        let failure = unrecognised_bare(text);
        return failure.with_hint(format!("for the short key of a luuid: {command}"));
    }
    let failure = match prefixed::split(text).map(|(_, body)| error_of_body(body)) {
        Some(Some(error)) => error.into(),
        _ => unrecognised_bare(text),
    };
    prefix::locate(text, failure)
}

/// The error for a body after a prefix that no format reads.
fn error_of_body(body: &str) -> Option<Error> {
    let width = match body.chars().count() {
        22 => Width::U128,
        _ => Width::Decimal28,
    };
    let error = width.decode(Encoding::Alphanumeric, body).err()?;
    let is_of_other_length = !body.is_empty() && error.position().is_none();
    Some(if is_of_other_length {
        error.with_expected("16 or 22 alphanumeric characters (0-9A-Za-z)")
    } else {
        error
    })
}

fn unrecognised_bare(text: &str) -> Failure {
    if let Some(error) = error_of_length(&[Width::U128, Width::Decimal28], text) {
        return error.into();
    }
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || character == '-';
    match hyphenated::parse(text) {
        Err(error) if text.contains('-') && text.chars().all(is_allowed) => error.into(),
        _ => not_an_id(text).into(),
    }
}

/// The error for a text whose characters, or else whose length, no encoding has.
fn not_an_id(text: &str) -> Error {
    text::refusal(
        text.as_bytes(),
        "hyphenated UUID text (36 characters), 16 or 22 alphanumeric characters, 26 or 32 \
         hexadecimal characters or 1 to 39 digits",
        |character| character.is_ascii_alphanumeric() || character == '-',
        0..=0,
        0,
    )
}

/// The error of the first encoding with the length of the text.
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
    use rowkey_core::format::interval_counter;

    use super::*;
    use crate::likelihood::Likelihood;

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
            // Also the bits of a DistributedId of 2022, but those are not written as UUIDs.
            ("00000000-0384-6fc1-a789-28ef27ab7c62", "luuid"),
            ("01941f29-7c00-8001-8040-000000000001", "iuid"),
            ("01941f29-7c00-7001-8040-000000000001", "uuid-v7"),
            ("094954a8-622c-76ad-1b93-cdefcbdf0888", "distributed-id128"),
            ("00000000-0384-a786-907d-b2ad82883dc7", "distributed-id"),
            ("1088824355131185736905670087", "distributed-id"),
            ("3zfAkCP7ZtzfeQYp", "distributed-id"),
            ("000384A786907DB2AD82883DC7", "distributed-id"),
            ("5", "distributed-id"),
            ("9999999999999999999999999999", "distributed-id"),
            // 28 digits whose bits are also a LUUID with a small number.
            ("1088560992626596297568910434", "distributed-id"),
            ("6553f100-7acc-1267-34ff-fffeefbeadde", "hot-guid"),
            ("017f9b20-0000-4123-8456-789abcdef012", "prefix-comb"),
            ("89abcdef-0123-4123-8456-017f9b200000", "suffix-comb"),
            ("9d3c1f70-2b6e-4c58-a1d4-7e0f6b92c853", "uuid-v4"),
            ("00000000-0000-0000-0000-000000000000", "any-uuid"),
            ("5e0e6ad4-2d67-11ee-be56-0242ac120002", "any-uuid"),
            // Version 1, whose first half as seconds would be four months from now.
            ("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "any-uuid"),
        ] {
            assert_eq!(formats(text).first(), Some(&first), "{text}");
        }
    }

    #[test]
    fn every_format_that_admits_a_uuid_is_listed_once_by_evidence() {
        use Likelihood::{MostLikely, Possible, Unlikely};
        let text = "9d3c1f70-2b6e-4c58-a1d4-7e0f6b92c853";
        let all = readings(text, NOW).unwrap();
        let named = all
            .iter()
            .map(|reading| (reading.format.name(), reading.likelihood));
        let expected = [
            ("uuid-v4", MostLikely),
            ("short-prefix-comb", Possible),
            ("short-suffix-comb", Possible),
            // No evidence for or against it.
            ("any-uuid", Unlikely),
            // The years 7440, 6360 and 2053, and not generated.
            ("prefix-comb", Unlikely),
            ("suffix-comb", Unlikely),
            ("distributed-id128", Unlikely),
            ("hot-guid", Unlikely),
        ];
        assert_eq!(named.collect::<Vec<_>>(), expected);
        let hexadecimal = text.replace('-', "").to_uppercase();
        assert_eq!(readings(&hexadecimal, NOW).unwrap(), all);
    }

    #[test]
    fn a_random_uuid_with_a_counter_near_the_current_one_is_a_short_comb() {
        let here = interval_counter(NOW, 60_000).unwrap();
        let first = |counter: u16| {
            let [prefix, suffix] = [
                format!("{counter:04x}1f70-2b6e-4c58-a1d4-7e0f6b92c853"),
                format!("9d3c1f70-2b6e-4c58-a1d4-{counter:04x}6b92c853"),
            ];
            [formats(&prefix)[0], formats(&suffix)[0]]
        };
        let short = ["short-prefix-comb", "short-suffix-comb"];
        for age in [0, 1, 60, 1_400] {
            assert_eq!(first(here.wrapping_sub(age)), short, "{age} minutes ago");
        }
        assert_eq!(first(here.wrapping_add(5)), short, "a clock that is fast");
        for age in [1_600, 20_000, 50_000] {
            assert_eq!(
                first(here.wrapping_sub(age)),
                ["uuid-v4"; 2],
                "{age} minutes ago"
            );
        }
    }

    #[test]
    fn times_before_2000_or_over_a_year_ahead_are_unlikely() {
        let likelihood = |time: i64| {
            let text = format!(
                "{:08x}-{:04x}-7001-8040-000000000001",
                time >> 16,
                time & 0xffff
            );
            let all = readings(&text, NOW).unwrap();
            let reading = all
                .iter()
                .find(|reading| reading.format == FormatKind::UuidV7);
            reading.unwrap().likelihood
        };
        const DAY: i64 = 86_400_000;
        let year_2000 = 946_684_800_000;
        let now = NOW.get();
        for time in [year_2000, now - 3_650 * DAY, now, now + 365 * DAY] {
            assert_eq!(likelihood(time), Likelihood::MostLikely, "{time}");
        }
        for time in [0, year_2000 - 1, now + 367 * DAY, (1 << 48) - 1] {
            assert_eq!(likelihood(time), Likelihood::Unlikely, "{time}");
        }
    }

    #[test]
    fn of_two_times_the_one_nearer_to_now_is_the_likelier() {
        let (near, far) = (NOW.get() - 86_400_000, 1_000_000_000_000_i64);
        for (prefix, suffix, expected) in [
            (near, far, ["prefix-comb", "suffix-comb"]),
            (far, near, ["suffix-comb", "prefix-comb"]),
        ] {
            let text = format!(
                "{:08x}-{:04x}-4c58-a1d4-{suffix:012x}",
                prefix >> 16,
                prefix & 0xffff
            );
            assert_eq!(formats(&text)[..2], expected);
        }
    }

    #[test]
    fn digits_are_a_number_first() {
        let text = "1234567890123456";
        let all = readings(text, NOW).unwrap();
        assert_eq!(all[0].value, 1_234_567_890_123_456);
        assert_eq!(all[0].format, FormatKind::DistributedId);
        // Also 16 alphanumeric characters.
        let alphanumeric: Vec<_> = all
            .iter()
            .filter(|reading| reading.value != all[0].value)
            .map(|reading| (reading.format, reading.likelihood))
            .collect();
        assert_eq!(
            alphanumeric,
            [(FormatKind::DistributedId, Likelihood::Unlikely)]
        );
        let wide = u128::MAX.to_string();
        let all = readings(&wide, NOW).unwrap();
        assert!(all.iter().all(|reading| reading.value == u128::MAX));
    }

    #[test]
    fn digits_with_leading_zeros_are_an_encoding_of_fixed_length_first() {
        let hexadecimal = "00000000000000010000000000";
        assert_eq!(readings(hexadecimal, NOW).unwrap()[0].value, 1 << 40);
        let read = |text| read_as(FormatKind::DistributedId, text).unwrap();
        assert_eq!(read(hexadecimal), 1 << 40);
        let stored = "0000000000000001099511627776";
        assert_eq!(readings(stored, NOW).unwrap()[0].value, 1 << 40);
        assert_eq!(read(stored), 1 << 40);
        assert_eq!(read("0"), 0);
    }

    #[test]
    fn digits_are_also_the_decimal_form_of_the_other_formats() {
        // LUUIDs of the keys 1 and 50,000,000.
        assert_eq!(
            formats("1675087436249664605815095"),
            [
                "luuid",
                "distributed-id",
                "any-uuid",
                "distributed-id128",
                "hot-guid"
            ]
        );
        let digits = "60446291446893110252127807491973";
        let value = 0x0000_02fa_f080_62b6_ac7b_e043_d746_4f85;
        assert_eq!(read_as(FormatKind::Luuid, digits).unwrap(), value);
    }

    #[test]
    fn a_text_that_is_no_id_is_refused_with_the_position() {
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
            ("340282366920938463463374607431768211456", "out of range"),
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
                read_as(FormatKind::ShortPrefixComb, &text).unwrap(),
                value,
                "{text}"
            );
        }
        let value = 1_088_824_355_131_185_736_905_670_087;
        for encoding in Encoding::ALL {
            let text = Width::Decimal28.encode(encoding, value).unwrap();
            assert_eq!(
                read_as(FormatKind::DistributedId, &text).unwrap(),
                value,
                "{text}"
            );
        }
        let error = read_as(FormatKind::Luuid, "006474fb-c7aa-40fa-b346-06fe279621e5");
        let message = error.unwrap_err().message().to_owned();
        assert!(message.contains("is 4, expected 6"), "{message}");
        let message = read_as(FormatKind::Luuid, "x")
            .unwrap_err()
            .message()
            .to_owned();
        assert!(message.contains("hyphenated UUID text"), "{message}");
    }
}

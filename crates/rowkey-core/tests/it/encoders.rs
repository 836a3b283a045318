//! The text encodings against recorded cases of the original encoders.

use std::collections::BTreeSet;

use crate::vectors::{section, text};
use proptest::prelude::*;
use rowkey_core::Error;
use rowkey_core::error::ErrorKind;
use rowkey_core::text::hexadecimal::LetterCase;
use rowkey_core::text::{Encoding, Width, base62, decimal, hexadecimal, hyphenated};
use serde_json::Value;

/// The number of cases that the file holds. A test of a section asserts that it saw them all.
const ENCODE_CASES: usize = 81;
const ENCODE_ERROR_CASES: usize = 6;
const DECODE_CASES: usize = 168;
const DECODE_QUIRK_CASES: usize = 21;
const ORDER_CASES: usize = 5;

fn width(case: &Value) -> Width {
    match text(case, "type") {
        "uuid" => Width::U128,
        name => name.parse().unwrap(),
    }
}

/// How the values of the case's type are written in the file.
fn value_encoding(case: &Value) -> Encoding {
    if case["type"] == "uuid" {
        Encoding::Uuid
    } else {
        Encoding::Decimal
    }
}

fn value(case: &Value) -> u128 {
    width(case)
        .decode(value_encoding(case), text(case, "value"))
        .unwrap()
}

/// What is wrong with a refused text, without what was expected.
fn problem(result: Result<u128, Error>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Text);
    let message = error.to_string();
    let (_, problem) = message.split_once(": ").unwrap();
    problem.into()
}

fn length(found: usize) -> String {
    format!(
        "found {found} character{}",
        if found == 1 { "" } else { "s" }
    )
}

fn character(position: usize, found: char) -> String {
    format!("{found:?} at position {position}")
}

fn too_large(position: usize) -> String {
    format!("the number starting at position {position} is out of range")
}

const FIXED_LENGTH: [(Encoding, &str); 3] = [
    (Encoding::Alphanumeric, "alphanumeric"),
    (Encoding::Hexadecimal, "hexadecimal"),
    (Encoding::Binary, "binary"),
];

#[test]
fn encode_writes_the_recorded_texts_and_decode_reads_them() {
    let cases = section("encoders.json", "encode", ENCODE_CASES);
    for case in &cases {
        let (width, value) = (width(case), value(case));
        for (encoding, field) in FIXED_LENGTH {
            let expected = text(case, field);
            assert_eq!(width.encode(encoding, value).unwrap(), expected, "{case}");
            assert_eq!(width.decode(encoding, expected).unwrap(), value, "{case}");
        }
        let expected = text(case, "value");
        assert_eq!(
            width.encode(value_encoding(case), value).unwrap(),
            expected,
            "{case}"
        );
    }
    assert!(cases.len() >= ENCODE_CASES);
}

#[test]
fn encode_errors_are_numbers_that_no_width_reads() {
    let cases = section("encoders.json", "encode_errors", ENCODE_ERROR_CASES);
    for case in &cases {
        let result = width(case).decode(Encoding::Decimal, text(case, "value"));
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Text);
    }
    assert!(cases.len() >= ENCODE_ERROR_CASES);
}

#[test]
fn encode_errors_include_values_beyond_the_width() {
    for width in [Width::I64, Width::U64, Width::Decimal28] {
        for encoding in Encoding::ALL {
            width.encode(encoding, width.max()).unwrap();
            for value in [width.max() + 1, u128::MAX] {
                assert_eq!(
                    width
                        .encode(encoding, value)
                        .map(|_| value)
                        .map_err(|error| error.to_string()),
                    Err(format!(
                        "expected a number from 0 to {}: \
                         the number starting at position 0 is out of range",
                        match width {
                            Width::I64 => "2^63-1",
                            Width::U64 => "2^64-1",
                            _ => "10^28-1",
                        }
                    )),
                );
            }
        }
    }
}

#[test]
fn decode_agrees_with_the_recorded_values() {
    let cases = section("encoders.json", "decode", DECODE_CASES);
    for case in &cases {
        let encoding: Encoding = text(case, "format").parse().unwrap();
        let decoded = width(case).decode(encoding, text(case, "input"));
        match &case["value"] {
            Value::Null => assert_eq!(decoded.unwrap_err().kind(), ErrorKind::Text, "{case}"),
            _ => assert_eq!(decoded.unwrap(), value(case), "{case}"),
        }
    }
    assert!(cases.len() >= DECODE_CASES);
    let formats: BTreeSet<_> = cases.iter().map(|case| text(case, "format")).collect();
    assert_eq!(
        formats,
        BTreeSet::from(["alphanumeric", "binary", "hexadecimal"])
    );
}

#[test]
fn decode_quirks_follow_the_recommendation() {
    let cases = section("encoders.json", "decode_quirks", DECODE_QUIRK_CASES);
    for case in &cases {
        let encoding: Encoding = text(case, "format").parse().unwrap();
        let decoded = width(case).decode(encoding, text(case, "input"));
        match &case["recommended_value"] {
            Value::Null => assert_eq!(decoded.unwrap_err().kind(), ErrorKind::Text, "{case}"),
            recommended => {
                let recommended = recommended.as_str().unwrap();
                let recommended = width(case)
                    .decode(value_encoding(case), recommended)
                    .unwrap();
                assert_eq!(decoded.unwrap(), recommended, "{case}");
            }
        }
    }
    assert!(cases.len() >= DECODE_QUIRK_CASES);
}

#[test]
fn order_of_values_is_the_bytewise_order_of_texts() {
    let cases = section("encoders.json", "order", ORDER_CASES);
    for case in &cases {
        let values: Vec<u128> = case["values_ascending"]
            .as_array()
            .unwrap()
            .iter()
            .map(|value| {
                width(case)
                    .decode(value_encoding(case), value.as_str().unwrap())
                    .unwrap()
            })
            .collect();
        assert!(values.is_sorted() && values.len() > 1, "{case}");
        for (encoding, field) in FIXED_LENGTH {
            let texts: Vec<_> = values
                .iter()
                .map(|&value| width(case).encode(encoding, value).unwrap())
                .collect();
            assert!(texts.is_sorted_by_key(|text| text.as_bytes()), "{case}");
            // Not recorded for bytes, which the hexadecimal text shows anyway.
            if encoding != Encoding::Binary {
                let recorded = case[field].as_array().unwrap();
                let recorded: Vec<_> = recorded.iter().map(|text| text.as_str().unwrap()).collect();
                assert_eq!(texts, recorded, "{case}");
            }
        }
    }
    assert!(cases.len() >= ORDER_CASES);
}

// Listed in docs/src/differences.md.
#[test]
fn a_block_beyond_64_bits_is_refused() {
    for block in ["LygHa16AHYG", "zzzzzzzzzzz", "M0000000000"] {
        assert_eq!(
            problem(base62::decode_u64(block).map(u128::from)),
            too_large(0)
        );
        let zeros = "0".repeat(11);
        assert_eq!(
            problem(base62::decode_u128(format!("{block}{zeros}"))),
            too_large(0)
        );
        assert_eq!(
            problem(base62::decode_u128(format!("{zeros}{block}"))),
            too_large(11)
        );
        assert_eq!(
            problem(base62::decode_decimal28(format!("00000{block}"))),
            too_large(5)
        );
    }
    assert_eq!(base62::decode_u64("LygHa16AHYF").unwrap(), u64::MAX);
}

// Listed in docs/src/differences.md.
#[test]
fn characters_outside_ascii_are_refused_where_they_stand() {
    // U+0141 is `A` and U+0230 is `0` once narrowed to a byte.
    for found in ['\u{141}', '\u{230}', '\u{ff10}', '\u{1f511}'] {
        for width in Width::ALL {
            for encoding in Encoding::ALL {
                let text = width.encode(encoding, width.max()).unwrap();
                for position in [0, 1, text.len() - 1] {
                    let mut spoiled: Vec<char> = text.chars().collect();
                    spoiled[position] = found;
                    let spoiled: String = spoiled.into_iter().collect();
                    assert_eq!(
                        problem(width.decode(encoding, &spoiled)),
                        character(position, found),
                        "{width} {encoding} {spoiled}",
                    );
                }
            }
        }
    }
    // As many bytes as the form has characters.
    let found = '\u{141}';
    assert_eq!(
        problem(base62::decode_u64("000000000\u{141}").map(u128::from)),
        character(9, found),
    );
    assert_eq!(
        problem(base62::decode_u64(b"0000000000\xff").map(u128::from)),
        character(10, char::REPLACEMENT_CHARACTER),
    );
}

#[test]
fn other_lengths_are_refused() {
    for width in Width::ALL {
        for encoding in Encoding::ALL {
            let text = width.encode(encoding, 0).unwrap();
            assert_eq!(problem(width.decode(encoding, "")), "the text is empty");
            if encoding == Encoding::Decimal {
                continue;
            }
            for found in [text.len() - 1, text.len() + 1, 2 * text.len(), 100] {
                assert_eq!(
                    problem(width.decode(encoding, &"0".repeat(found))),
                    length(found),
                    "{width} {encoding}",
                );
            }
        }
    }
}

#[test]
fn hexadecimal_is_upper_case_out_and_either_case_in() {
    assert_eq!(
        &hexadecimal::encode::<32>(u128::MAX, LetterCase::Upper),
        &[b'F'; 32]
    );
    let value = 0x0123_4567_89ab_cdef;
    for text in ["0123456789ABCDEF", "0123456789abcdef", "0123456789aBCdEf"] {
        assert_eq!(hexadecimal::decode::<16>(text).unwrap(), value);
    }
    for found in ('\0'..='\x7f').filter(|character| !character.is_ascii_hexdigit()) {
        assert_eq!(
            problem(hexadecimal::decode::<16>(format!("0123456789ABCDE{found}"))),
            character(15, found),
        );
    }
}

#[test]
fn base62_is_case_sensitive_and_takes_letters_and_digits_only() {
    assert_ne!(
        base62::decode_u64("0000000000a").unwrap(),
        base62::decode_u64("0000000000A").unwrap()
    );
    for found in ('\0'..='\x7f').filter(|character| !character.is_ascii_alphanumeric()) {
        for position in 0..11 {
            let mut text = ['1'; 11];
            text[position] = found;
            let text = String::from_iter(text);
            assert_eq!(
                problem(base62::decode_u64(&text).map(u128::from)),
                character(position, found),
            );
        }
    }
}

#[test]
fn a_decimal28_has_a_limit_inside_its_texts() {
    let limit = Width::Decimal28.max();
    for encoding in Encoding::ALL {
        let text = Width::Decimal28.encode(encoding, limit).unwrap();
        assert_eq!(Width::Decimal28.decode(encoding, &text).unwrap(), limit);
    }
    for (encoding, text) in [
        (Encoding::Alphanumeric, "agbFu5KnEQGxp4QC"),
        (Encoding::Alphanumeric, "zzzzz00000000000"),
        (Encoding::Hexadecimal, "00204FCE5E3E25026110000000"),
        (Encoding::Hexadecimal, "FFFFFFFFFFFFFFFFFFFFFFFFFF"),
        (Encoding::Binary, "00000000204fce5e3e25026110000000"),
        (Encoding::Binary, "00000001000000000000000000000000"),
        (Encoding::Uuid, "00000000-204f-ce5e-3e25-026110000000"),
    ] {
        assert_eq!(
            problem(Width::Decimal28.decode(encoding, text)),
            too_large(0),
            "{text}"
        );
    }
    assert_eq!(
        problem(Width::Decimal28.decode(Encoding::Decimal, "10000000000000000000000000000")),
        length(29),
    );
}

#[test]
fn decimals_are_digits_only() {
    for (text, position, found) in [
        ("-0", 0, '-'),
        ("-1", 0, '-'),
        ("+1", 0, '+'),
        ("1.0", 1, '.'),
        ("1e3", 1, 'e'),
        (" 1", 0, ' '),
        ("1\n", 1, '\n'),
        ("1_000", 1, '_'),
        ("0x10", 1, 'x'),
        ("12345678/0123456", 8, '/'),
        ("1234567890123456789:12345678", 19, ':'),
        ("\u{661}", 0, '\u{661}'),
    ] {
        let expected = character(position, found);
        for width in [Width::Decimal28, Width::U128] {
            assert_eq!(
                problem(width.decode(Encoding::Decimal, text)),
                expected,
                "{text:?}"
            );
        }
    }
}

#[test]
fn decimals_take_leading_zeros_within_the_digits_of_the_width() {
    for (width, digits) in [
        (Width::I64, 19),
        (Width::U64, 20),
        (Width::Decimal28, 28),
        (Width::U128, 39),
    ] {
        for length in 1..=digits {
            let text = format!("{:0>length$}", 7);
            assert_eq!(width.decode(Encoding::Decimal, &text).unwrap(), 7);
        }
        let found = digits + 1;
        assert_eq!(
            problem(width.decode(Encoding::Decimal, &format!("{:0>found$}", 7))),
            length(found),
        );
        let largest = width.max().to_string();
        assert_eq!(largest.len(), digits);
        assert_eq!(
            width.decode(Encoding::Decimal, &largest).unwrap(),
            width.max()
        );
    }
    for (width, text) in [
        (Width::I64, "9223372036854775808"),
        (Width::U64, "18446744073709551616"),
        (Width::U128, "340282366920938463463374607431768211456"),
        (Width::U128, "999999999999999999999999999999999999999"),
    ] {
        assert_eq!(problem(width.decode(Encoding::Decimal, text)), too_large(0));
    }
}

/// Every byte at every position: the readers of eight digits at a time may not let one pass.
#[test]
fn decimals_refuse_every_other_character_at_every_position() {
    fn check<const N: usize>() {
        for position in 0..N {
            for byte in 0..=u8::MAX {
                let mut text = [b'9'; N];
                text[0] = b'1';
                text[position] = byte;
                let read = decimal::parse(text, Width::U128);
                assert_eq!(read.is_ok(), byte.is_ascii_digit(), "{byte} at {position}");
            }
        }
    }
    check::<1>();
    check::<7>();
    check::<8>();
    check::<9>();
    check::<15>();
    check::<16>();
    check::<17>();
    check::<28>();
    check::<32>();
    check::<38>();
}

#[test]
fn decimals_around_the_powers_of_ten() {
    for power in 0..=38 {
        for value in [
            10_u128.pow(power) - 1,
            10_u128.pow(power),
            10_u128.pow(power) + 1,
        ] {
            assert_eq!(decimal::write(value), value.to_string().as_str());
            assert_eq!(
                decimal::parse(value.to_string(), Width::U128).unwrap(),
                value
            );
        }
    }
}

#[test]
fn hyphenated_text_has_one_form() {
    let value = 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef;
    let text = "01234567-89ab-cdef-0123-456789abcdef";
    assert_eq!(hyphenated::write(value), text);
    assert_eq!(hyphenated::parse(text).unwrap(), value);
    assert_eq!(hyphenated::parse(&text.to_uppercase()).unwrap(), value);

    for (text, expected) in [
        ("", "the text is empty".into()),
        ("0123456789abcdef0123456789abcdef", length(32)),
        ("{01234567-89ab-cdef-0123-456789abcdef}", character(0, '{')),
        (
            "urn:uuid:01234567-89ab-cdef-0123-456789abcdef",
            character(0, 'u'),
        ),
        (" 01234567-89ab-cdef-0123-456789abcdef", character(0, ' ')),
        (
            "01234567-89ab-cdef-0123-456789abcdef\n",
            character(36, '\n'),
        ),
        ("01234567-89ab-cdef-0123-456789abcde", length(35)),
        (" 1234567-89ab-cdef-0123-456789abcdef", character(0, ' ')),
        ("{1234567-89ab-cdef-0123-456789abcde}", character(0, '{')),
        ("01234567_89ab-cdef-0123-456789abcdef", character(8, '_')),
        ("0123456-789ab-cdef-0123-456789abcdef", character(7, '-')),
        ("01234567-89ab-cdef-0123-456789abcdeg", character(35, 'g')),
        (
            "01234567-89ab-cdef-0123-456789abcde\u{141}",
            character(35, '\u{141}'),
        ),
        // 36 bytes, 35 characters.
        (
            "01234567-89ab-cdef-0123-456789abcd\u{141}",
            character(34, '\u{141}'),
        ),
    ] {
        assert_eq!(problem(hyphenated::parse(text)), expected, "{text:?}");
    }
}

#[test]
fn messages_say_the_form_the_place_and_the_character() {
    for (width, encoding, text, message) in [
        (
            Width::U128,
            Encoding::Alphanumeric,
            "EOl$3bXL8Si004qleBRqxr",
            "expected 22 alphanumeric characters (0-9, A-Z, a-z): '$' at position 3",
        ),
        (
            Width::Decimal28,
            Encoding::Hexadecimal,
            "0F",
            "expected 26 hexadecimal characters (0-9, A-F, a-f): found 2 characters",
        ),
        (
            Width::I64,
            Encoding::Alphanumeric,
            "AzL8n0Y58m8",
            "expected 11 alphanumeric characters (0-9, A-Z, a-z) up to AzL8n0Y58m7: \
             the number starting at position 0 is out of range",
        ),
        (
            Width::U64,
            Encoding::Decimal,
            "",
            "expected 1 to 20 decimal digits (0-9) of a number below 2^64: the text is empty",
        ),
    ] {
        assert_eq!(
            width.decode(encoding, text).unwrap_err().to_string(),
            message
        );
    }
}

#[test]
fn encodings_and_widths_are_known_by_name() {
    for encoding in Encoding::ALL {
        assert_eq!(encoding.to_string().parse::<Encoding>().unwrap(), encoding);
    }
    for width in Width::ALL {
        assert_eq!(width.to_string().parse::<Width>().unwrap(), width);
    }
    assert_eq!(
        "base62".parse::<Encoding>().unwrap_err().to_string(),
        "no encoding is called `base62`; \
         there are uuid, alphanumeric, hexadecimal, decimal and binary",
    );
    assert!("U64".parse::<Width>().is_err());
}

#[test]
fn short_texts_behave_like_their_text() {
    let text = decimal::write(42);
    assert_eq!(
        format!("{text:>5}|{text:<5}|{text:?}"),
        "   42|42   |\"42\""
    );
    assert_eq!(String::from(text), "42");
    assert!(text.starts_with('4') && "42" == text && *text == *"42");
    assert!(
        decimal::write(10) < decimal::write(9),
        "the order of the texts"
    );
    assert!(decimal::write(1) < decimal::write(10));
}

/// Where the writer cuts a number.
#[test]
fn decimals_around_the_multiples_of_ten_to_the_16th() {
    let part = 10_u128.pow(16);
    let quotients = (0..10_000).flat_map(|n| {
        let far = u128::MAX / part;
        let middle = (1 << 94) / part;
        [
            n,
            middle.wrapping_add(n),
            middle - n,
            far / 10_000 * n,
            far - n,
            1 << (n % 74),
        ]
    });
    for quotient in quotients {
        for value in [quotient * part, (quotient * part).wrapping_sub(1)] {
            let text = format!("{value:039}");
            assert_eq!(&decimal::write_padded::<39>(value)[..], text.as_bytes());
        }
    }
}

fn any_width() -> impl Strategy<Value = Width> {
    proptest::sample::select(&Width::ALL)
}

fn any_encoding() -> impl Strategy<Value = Encoding> {
    proptest::sample::select(&Encoding::ALL)
}

/// Numbers of every magnitude, not only of the largest.
fn any_number() -> impl Strategy<Value = u128> {
    (any::<u128>(), 0..128_u32).prop_map(|(value, shift)| value >> shift)
}

proptest! {
    #[test]
    fn decode_undoes_encode(
        width in any_width(),
        encoding in any_encoding(),
        value in any_number(),
    ) {
        match width.encode(encoding, value) {
            Ok(text) => {
                prop_assert!(value <= width.max());
                prop_assert_eq!(width.decode(encoding, &text).unwrap(), value);
            }
            Err(_) => prop_assert!(value > width.max()),
        }
    }

    #[test]
    fn fixed_length_texts_sort_like_the_numbers(
        width in any_width(),
        encoding in any_encoding(),
        a in any_number(),
        b in any_number(),
    ) {
        prop_assume!(encoding != Encoding::Decimal);
        prop_assume!(a <= width.max() && b <= width.max());
        let text_a = width.encode(encoding, a).unwrap();
        let text_b = width.encode(encoding, b).unwrap();
        prop_assert_eq!(text_a.len(), text_b.len());
        prop_assert_eq!(text_a.as_bytes().cmp(text_b.as_bytes()), a.cmp(&b));
    }

    #[test]
    fn decimal_agrees_with_the_standard_library(value in any_number()) {
        let text = value.to_string();
        prop_assert_eq!(decimal::write(value), text.as_str());
        prop_assert_eq!(decimal::parse(&text, Width::U128).unwrap(), value);

        let padded = format!("{value:039}");
        prop_assert_eq!(&decimal::write_padded::<39>(value)[..], padded.as_bytes());
        prop_assert_eq!(&decimal::write_padded::<38>(value)[..], &padded.as_bytes()[1..]);
        prop_assert_eq!(&decimal::write_padded::<28>(value)[..], &padded.as_bytes()[11..]);
        prop_assert_eq!(&decimal::write_padded::<9>(value)[..], &padded.as_bytes()[30..]);
        prop_assert_eq!(decimal::parse(&padded, Width::U128).unwrap(), value);
        prop_assert_eq!(
            decimal::parse(&padded[11..], Width::Decimal28).unwrap(),
            value % 10_u128.pow(28)
        );
    }

    #[test]
    fn decoders_never_panic_and_what_they_read_has_one_text(
        width in any_width(),
        encoding in any_encoding(),
        text in prop_oneof![
            "[0-9A-Za-z-]{0,40}",
            ".{0,40}",
            "[0-9]{1,40}",
            "[0-9A-Za-z]{11}",
            "[0-9A-Za-z]{16}",
            "[0-9A-Za-z]{22}",
        ],
    ) {
        if let Ok(value) = width.decode(encoding, &text) {
            let written = width.encode(encoding, value).unwrap();
            match encoding {
                Encoding::Alphanumeric => prop_assert_eq!(written, text.as_str()),
                Encoding::Decimal => {
                    prop_assert!(text.ends_with(&*written));
                    let padding = &text[..text.len() - written.len()];
                    prop_assert!(padding.chars().all(|digit| digit == '0'));
                }
                _ => prop_assert!(written.eq_ignore_ascii_case(&text)),
            }
        }
    }
}

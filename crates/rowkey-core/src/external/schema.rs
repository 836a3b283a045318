//! The text of an id as schemas describe it.
//!
//! A pattern is as strict as the parser as far as a regular expression can be. In alphanumeric text it
//! cannot check the bits in the middle of the number: version and group; in decimal text, no fixed bits.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::bits::FixedBits;
use crate::external::pattern::{BASE_62, DECIMAL, HEXADECIMAL, Place, any, between, one_of};
use crate::format::LuuidGroup;
use crate::format::{Format, FormatKind};
use crate::key::EntityKey;
use crate::luuid::KeyUnion;
use crate::text::{Encoding, Width};

/// How a schema restricts a string.
pub(crate) struct TextSchema {
    /// The name of the format in JSON Schema and OpenAPI, if it has one.
    pub(crate) format: Option<&'static str>,
    /// A regular expression for the whole text.
    pub(crate) pattern: String,
}

impl TextSchema {
    /// The text of a public id, which can also be a hyphenated UUID.
    #[cfg(feature = "public-id")]
    pub(crate) fn of_public_id() -> Self {
        let alphanumeric = alphanumeric(Width::U128, FixedBits::NONE, u128::MAX);
        let uuid = uuid(FixedBits::NONE, u128::MAX);
        Self::of_pattern(&one_of(&[alphanumeric, uuid]))
    }

    fn of_uuid(fixed: FixedBits, max: u128) -> Self {
        Self {
            format: Some("uuid"),
            pattern: whole(&uuid(fixed, max)),
        }
    }

    fn of_pattern(pattern: &str) -> Self {
        Self {
            format: None,
            pattern: whole(pattern),
        }
    }

    /// The public text of a format.
    pub(crate) fn of_format(format: FormatKind) -> Self {
        let (fixed, max) = (format.spec().fixed, format.width().max());
        match format.public_encoding() {
            Encoding::Uuid => Self::of_uuid(fixed, max),
            encoding => Self::of_pattern(&written(encoding, format.width(), fixed, max)),
        }
    }

    /// The text of a key.
    pub(crate) fn of_key<K: EntityKey>() -> Self {
        let format = K::Format::KIND;
        let fixed = format.spec().fixed;
        let max = K::PLAN.max_value().min(format.width().max());
        let fixed = match K::TEXT {
            // Its digits do not show the group.
            Encoding::Alphanumeric => fixed,
            _ => of_group(fixed, K::GROUP),
        };
        let text = match K::TEXT {
            Encoding::Uuid => return Self::of_uuid(fixed, max),
            encoding => written(encoding, format.width(), fixed, max),
        };
        Self::of_pattern(&match K::PREFIX {
            None => text,
            Some(prefix) => format!("{prefix}_{text}"),
        })
    }

    /// The text of a key of a union, which can also be a hyphenated UUID.
    pub(crate) fn of_union<U: KeyUnion>() -> Self {
        let fixed = FormatKind::Luuid.spec().fixed;
        let groups = U::GROUPS.iter();
        let uuids: Vec<String> = groups
            .clone()
            .map(|group| uuid(of_group(fixed, Some(group.group())), u128::MAX))
            .collect();
        let prefixes: Vec<String> = groups
            .clone()
            .filter_map(|group| group.prefix().map(str::to_string))
            .collect();
        let body = alphanumeric(Width::U128, fixed, u128::MAX);
        let mut texts = Vec::new();
        if !prefixes.is_empty() {
            texts.push(format!("{}_{body}", one_of(&prefixes)));
        }
        for group in groups.filter(|group| group.prefix().is_none()) {
            let fixed = of_group(fixed, Some(group.group()));
            let text = match group.text() {
                Encoding::Uuid => continue,
                Encoding::Alphanumeric => body.clone(),
                encoding => written(encoding, Width::U128, fixed, u128::MAX),
            };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        if texts.is_empty() {
            return Self {
                format: Some("uuid"),
                pattern: whole(&one_of(&uuids)),
            };
        }
        texts.extend(uuids);
        Self::of_pattern(&one_of(&texts))
    }

    /// The text of a sealed id.
    #[cfg(feature = "public-id")]
    pub(crate) fn of_sealed_id() -> Self {
        Self::of_pattern(&format!("{}{{4}}", block(11, 0, u64::MAX)))
    }

    /// The text of a short key.
    pub(crate) fn of_short_key() -> Self {
        Self::of_pattern("[0-9A-Fa-f]{1,12}")
    }
}

/// The text of a number in an encoding without hyphens.
fn written(encoding: Encoding, width: Width, fixed: FixedBits, max: u128) -> String {
    match (encoding, width) {
        (Encoding::Alphanumeric, _) => alphanumeric(width, fixed, max),
        (Encoding::Hexadecimal, Width::Decimal28) => hexadecimal(6, fixed, max),
        (Encoding::Decimal, Width::Decimal28) => decimal(28, max),
        (Encoding::Decimal, Width::I64 | Width::U64) => decimal(19, max),
        (Encoding::Decimal, Width::U128) => decimal(39, max),
        (Encoding::Hexadecimal | Encoding::Binary, Width::I64 | Width::U64) => {
            hexadecimal(16, fixed, max)
        }
        _ => hexadecimal(0, fixed, max),
    }
}

/// The numbers up to a largest one, also with leading zeros up to this number of digits.
fn decimal(length: u32, max: u128) -> String {
    let largest = (0..length)
        .rev()
        .map(|power| (max / 10_u128.pow(power) % 10) as u8);
    let largest: Vec<u8> = largest.collect();
    if largest.iter().all(|digit| *digit == 9) {
        return format!("[0-9]{{1,{length}}}");
    }
    let places = vec![Place::digit(DECIMAL, 0, 9); length as usize];
    let longest = between(&places, &vec![0; length as usize], &largest);
    one_of(&[format!("[0-9]{{1,{}}}", length - 1), longest])
}

fn whole(pattern: &str) -> String {
    format!("^{pattern}$")
}

/// The fixed bits of a key's format, and those of its group.
fn of_group(FixedBits { mask, bits }: FixedBits, group: Option<LuuidGroup>) -> FixedBits {
    match group {
        None => FixedBits { mask, bits },
        Some(group) => FixedBits {
            mask: mask | 0xfff << 64,
            bits: bits | u128::from(group.get()) << 64,
        },
    }
}

/// Hyphenated UUID text.
fn uuid(fixed: FixedBits, max: u128) -> String {
    hexadecimal_digits(0, true, fixed, max)
}

/// Hexadecimal text without the first of 32 digits, which are always 0.
fn hexadecimal(left_out: u32, fixed: FixedBits, max: u128) -> String {
    hexadecimal_digits(left_out, false, fixed, max)
}

/// It has either fixed bits or a largest value, not both, and the fixed bits of a digit are its high
/// bits.
fn hexadecimal_digits(left_out: u32, hyphens: bool, fixed: FixedBits, max: u128) -> String {
    let mut places = Vec::new();
    let mut largest = Vec::new();
    for digit in left_out..32 {
        if hyphens && matches!(digit, 8 | 12 | 16 | 20) {
            places.push(Place::HYPHEN);
            largest.push(0);
        }
        let nibble = |value: u128| (value >> (124 - 4 * digit) & 0xf) as u8;
        let low = nibble(fixed.bits);
        places.push(Place::digit(
            HEXADECIMAL,
            low,
            low | !nibble(fixed.mask) & 0xf,
        ));
        largest.push(nibble(max));
    }
    match max {
        u128::MAX => any(&places),
        _ => {
            let smallest = vec![0; places.len()];
            between(&places, &smallest, &largest)
        }
    }
}

/// Alphanumeric text: a block for each half of the 128 bits, or one for 64 bits. Of the fixed bits, only the variant,
/// at the start of the second half, determines digits.
fn alphanumeric(width: Width, fixed: FixedBits, max: u128) -> String {
    let (last_first, last_second) = ((max >> 64) as u64, max as u64);
    let places_of_first = match width {
        Width::I64 | Width::U64 => return block(11, 0, last_second),
        Width::Decimal28 => 5,
        Width::U128 => 11,
    };
    let lowest = fixed.bits as u64;
    let highest = lowest | !fixed.mask as u64;
    if last_second == u64::MAX {
        return block(places_of_first, 0, last_first) + &block(11, lowest, highest);
    }
    // After the largest first block, the second one is limited too.
    let smaller = block(places_of_first, 0, last_first - 1) + &block(11, lowest, highest);
    let largest = block(places_of_first, last_first, last_first)
        + &block(11, lowest, highest.min(last_second));
    one_of(&[smaller, largest])
}

/// The numbers from `low` to `high` as this number of base-62 digits.
fn block(length: u32, low: u64, high: u64) -> String {
    let places = vec![Place::digit(BASE_62, 0, 61); length as usize];
    let digits = |value: u64| -> Vec<u8> {
        let powers = (0..length).rev().map(|power| 62_u64.pow(power));
        powers.map(|power| (value / power % 62) as u8).collect()
    };
    between(&places, &digits(low), &digits(high))
}

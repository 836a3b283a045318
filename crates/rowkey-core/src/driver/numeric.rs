//! Whole numbers as PostgreSQL's binary protocol writes `numeric`.
//!
//! ```text
//! byte   0 .. 1   2 .. 3   4 .. 5   6 .. 7   8 .. 9   10 .. 11  ...
//!      +--------+--------+--------+--------+--------+---------+-----
//!      | groups | weight | sign   | scale  | group  | group   | ...
//!      +--------+--------+--------+--------+--------+---------+-----
//! ```
//!
//! A group is four decimal digits, most significant group first. The first has the value
//! 10000^weight; groups of zeros at the end are left out. The scale is the number of displayed
//! digits after the point.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::text::decimal;

const GROUP: u64 = 10_000;
const GROUP_BITS: u32 = u16::BITS;
const PAIR: u64 = GROUP * GROUP;
/// Four groups, which a `u64` holds as a number and as they are sent.
const CHUNK: u64 = PAIR * PAIR;

const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const INFINITY: u16 = 0xd000;
const NEGATIVE_INFINITY: u16 = 0xf000;

const MALFORMED: &str = "bytes that are not a numeric";
const TOO_LARGE: &str = "a number of more than 38 digits";

/// Appends a number.
#[inline]
pub fn write(number: u128, buffer: &mut Vec<u8>) {
    let parts = decimal::sixteens(number);
    if let [0, middle, last] = parts {
        let (first, middle, last) = (middle / PAIR, middle % PAIR, four_groups(last));
        // Seven groups without zeros to cut off, as of most DistributedIds: all else is constant.
        if (1..GROUP).contains(&first) && last as u16 != 0 {
            return write_seven(first << (2 * GROUP_BITS) | two_groups(middle), last, buffer);
        }
    }
    write_any(parts, buffer);
}

#[inline]
fn write_seven(three: u64, four: u64, buffer: &mut Vec<u8>) {
    let groups = (u128::from(three) << 64 | u128::from(four)) << GROUP_BITS;
    // An empty place at the end, because whole words are cheaper to copy.
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&header(7, 6));
    bytes[8..].copy_from_slice(&groups.to_be_bytes());
    buffer.extend_from_slice(&bytes);
    buffer.truncate(buffer.len() - 2);
}

fn write_any(parts: [u64; 3], buffer: &mut Vec<u8>) {
    let groups = parts.map(|part| four_groups(part).to_be_bytes());
    let (groups, _) = groups.as_flattened().as_chunks::<2>();
    let is_sent = |group: &[u8; 2]| *group != [0; 2];
    let (Some(first), Some(last)) = (
        groups.iter().position(is_sent),
        groups.iter().rposition(is_sent),
    ) else {
        return buffer.extend_from_slice(&header(0, 0));
    };
    let sent = &groups[first..=last];
    buffer.extend_from_slice(&header(
        sent.len() as u32,
        (groups.len() - 1 - first) as u32,
    ));
    buffer.extend_from_slice(sent.as_flattened());
}

/// The header of a whole number that is not negative.
fn header(groups: u32, weight: u32) -> [u8; 8] {
    (u64::from(groups) << 48 | u64::from(weight) << 32 | u64::from(POSITIVE) << 16).to_be_bytes()
}

/// Two groups, each in 16 bits, of a number below 10^8.
fn two_groups(number: u64) -> u64 {
    // `quotient << 16 | remainder`.
    number + number / GROUP * ((1 << GROUP_BITS) - GROUP)
}

/// Four groups, each in 16 bits, of a number below 10^16.
fn four_groups(number: u64) -> u64 {
    two_groups(number / PAIR) << 32 | two_groups(number % PAIR)
}

/// The number of four groups, if each is valid.
fn number_of(groups: u64) -> Option<u64> {
    // A valid group is below 2^15, also after adding 2^15 - 10000. A sum that carries into the next
    // group comes from a group that is itself not below 2^15.
    const TOP: u64 = 0x8000_8000_8000_8000;
    const RAISE: u64 = (0x8000 - GROUP) * 0x0001_0001_0001_0001;
    if (groups | groups.wrapping_add(RAISE)) & TOP != 0 {
        return None;
    }
    // Combines groups, then pairs of groups, in parallel: `high << n | low` becomes
    // `high * base + low`.
    let pairs = groups - (groups >> 16 & 0x0000_ffff_0000_ffff) * ((1 << 16) - GROUP);
    Some(pairs - (pairs >> 32) * ((1 << 32) - PAIR))
}

/// Reads a whole number that is not negative.
///
/// # Errors
/// What the bytes contain instead, in words.
#[inline]
pub fn read(bytes: &[u8]) -> Result<u128, &'static str> {
    // Seven groups and no zeros cut off, as of most DistributedIds.
    if let Ok(seven) = bytes.try_into()
        && let Some(number) = read_seven(seven)
    {
        return Ok(number);
    }
    read_any(bytes)
}

/// The number of seven groups, if it is a whole one that is not negative.
#[inline]
fn read_seven(bytes: &[u8; 22]) -> Option<u128> {
    let (start, last) = bytes.split_last_chunk()?;
    let (_, first) = start.split_last_chunk()?;
    // The scale, which is 0 in this header, precedes the first three.
    if !bytes.starts_with(&header(7, 6)) {
        return None;
    }
    let first = number_of(u64::from_be_bytes(*first))?;
    let last = number_of(u64::from_be_bytes(*last))?;
    Some(u128::from(first) * u128::from(CHUNK) + u128::from(last))
}

fn read_any(bytes: &[u8]) -> Result<u128, &'static str> {
    let Some((header, groups)) = bytes.split_first_chunk() else {
        return Err(MALFORMED);
    };
    let header = u64::from_be_bytes(*header);
    let (count, weight) = (header >> 48, (header >> 32) as i16);
    if header as u32 != 0 || groups.len() as u64 != 2 * count {
        return Err(refuse(header as u32, groups.len()));
    }
    if count == 0 {
        return Ok(0);
    }
    // More groups than the weight allows would need a scale.
    let zeros = i32::from(weight) - (count as i32 - 1);
    let zeros = u32::try_from(zeros).map_err(|_| MALFORMED)?;

    // Up to three groups, then four at a time. The three are read with what precedes them.
    let (part, fours) = groups.as_rchunks();
    let Some(first) = bytes.get(part.len()..).and_then(<[u8]>::first_chunk) else {
        return Err(MALFORMED);
    };
    let first = u64::from_be_bytes(*first) & !(u64::MAX << (8 * part.len()));
    let first = number_of(first).ok_or(MALFORMED)?;
    let number = match fours {
        [] => first.into(),
        [second, fours @ ..] => {
            let second = number_of(u64::from_be_bytes(*second)).ok_or(MALFORMED)?;
            let mut number = u128::from(first) * u128::from(CHUNK) + u128::from(second);
            for four in fours {
                let four = number_of(u64::from_be_bytes(*four)).ok_or(MALFORMED)?;
                number = number
                    .checked_mul(CHUNK.into())
                    .and_then(|number| number.checked_add(four.into()))
                    .ok_or(TOO_LARGE)?;
            }
            number
        }
    };
    // Zero stays zero with any number of trailing zeros, even if their power is too large.
    if zeros == 0 || number == 0 {
        return Ok(number);
    }
    u128::from(GROUP)
        .checked_pow(zeros)
        .and_then(|zeros| number.checked_mul(zeros))
        .ok_or(TOO_LARGE)
}

/// The text of any `numeric` for messages, as the server writes it in the text protocol. `None` for
/// bytes that are not a numeric.
#[cold]
pub fn text(bytes: &[u8]) -> Option<String> {
    let (fields, []) = bytes.as_chunks::<2>() else {
        return None;
    };
    let fields = fields.iter().map(|field| u16::from_be_bytes(*field));
    let fields: Vec<u16> = fields.collect();
    let [count, weight, sign, scale, groups @ ..] = fields.as_slice() else {
        return None;
    };
    let is_group = |group: &u16| u64::from(*group) < GROUP;
    if groups.len() != usize::from(*count) || !groups.iter().all(is_group) {
        return None;
    }
    let mut text = String::from(match *sign {
        NAN => return Some("NaN".into()),
        INFINITY => return Some("Infinity".into()),
        NEGATIVE_INFINITY => return Some("-Infinity".into()),
        POSITIVE => "",
        NEGATIVE => "-",
        _ => return None,
    });
    let weight = i32::from(weight.cast_signed());
    let group = |place: i32| {
        let group = usize::try_from(place)
            .ok()
            .and_then(|place| groups.get(place));
        group.copied().unwrap_or(0)
    };
    text += &format!("{}", group(0) * u16::from(weight >= 0));
    text.extend((1..=weight).map(|place| format!("{:04}", group(place))));
    let scale = usize::from(*scale);
    if scale > 0 {
        let places = weight + 1..=weight + scale.div_ceil(4) as i32;
        let digits: String = places.map(|place| format!("{:04}", group(place))).collect();
        text += ".";
        text += &digits[..scale];
    }
    Some(text)
}

/// Says what is wrong with a header's sign and scale, or with how many bytes follow it.
#[cold]
fn refuse(sign_and_scale: u32, length: usize) -> &'static str {
    let (sign, scale) = ((sign_and_scale >> 16) as u16, sign_and_scale as u16);
    match sign {
        _ if !length.is_multiple_of(2) => MALFORMED,
        NEGATIVE => "a negative number",
        NAN => "NaN",
        INFINITY | NEGATIVE_INFINITY => "infinity",
        POSITIVE if scale != 0 => "a number with digits after the point",
        _ => MALFORMED,
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn fields(sent: &[u16]) -> Vec<u8> {
        sent.iter().flat_map(|field| field.to_be_bytes()).collect()
    }

    #[test]
    fn every_numeric_has_the_text_that_the_server_writes() {
        // As sent by PostgreSQL 15 for `select <text>::numeric`.
        for (text, numeric) in [
            ("0", &[0, 0, 0, 0][..]),
            ("0.00", &[0, 0, 0, 2]),
            ("-7", &[1, 0, NEGATIVE, 0, 7]),
            ("12.50", &[2, 0, 0, 2, 12, 5_000]),
            ("-0.00012", &[2, 0xffff, NEGATIVE, 5, 1, 2_000]),
            ("0.000000001", &[1, 0xfffd, 0, 9, 1_000]),
            ("120000000", &[2, 2, 0, 0, 1, 2_000]),
            ("NaN", &[0, 0, NAN, 0]),
            ("Infinity", &[0, 0, INFINITY, 32]),
            ("-Infinity", &[0, 0, NEGATIVE_INFINITY, 32]),
        ] {
            assert_eq!(super::text(&fields(numeric)).as_deref(), Some(text));
        }
        for malformed in [
            &[0, 0, 0][..],
            &[1, 0, 0, 0],
            &[1, 0, 0, 0, 10_000],
            &[0, 0, 1, 0],
        ] {
            assert_eq!(super::text(&fields(malformed)), None, "{malformed:?}");
        }
        assert_eq!(super::text(&[0; 9]), None);
    }

    #[test]
    fn numbers_are_written_as_the_server_writes_them() {
        // As sent by PostgreSQL 15 for `select <number>::numeric`.
        for (number, expected) in [
            (0, &[0, 0, 0, 0][..]),
            (1, &[1, 0, 0, 0, 1]),
            (9_999, &[1, 0, 0, 0, 9_999]),
            (10_000, &[1, 1, 0, 0, 1]),
            (10_001, &[2, 1, 0, 0, 1, 1]),
            (120_000_000, &[2, 2, 0, 0, 1, 2_000]),
            (
                10_u128.pow(28) - 1,
                &[7, 6, 0, 0, 9999, 9999, 9999, 9999, 9999, 9999, 9999],
            ),
            (10_u128.pow(37), &[1, 9, 0, 0, 10]),
        ] {
            let mut written = Vec::new();
            write(number, &mut written);
            assert_eq!(written, fields(expected), "{number}");
        }
    }

    #[test]
    fn groups_are_those_of_dividing() {
        let powers = (0..39).map(|exponent| 10_u128.pow(exponent));
        let numbers = powers.flat_map(|power| [power, 3 * power, power - 1, power + 10_000]);
        // A third of all bits set, at every length.
        let patterns = (0..128).map(|shift| (u128::MAX / 7) >> shift);
        for number in numbers.chain(patterns) {
            let mut groups = Vec::new();
            let mut rest = number;
            while rest > 0 {
                groups.insert(0, (rest % 10_000) as u16);
                rest /= 10_000;
            }
            let weight = groups.len().saturating_sub(1) as u16;
            let sent = groups.iter().rposition(|group| *group != 0);
            groups.truncate(sent.map_or(0, |last| last + 1));
            let expected = [vec![groups.len() as u16, weight, 0, 0], groups].concat();

            let mut written = b"before".to_vec();
            write(number, &mut written);
            assert_eq!(written, [&b"before"[..], &fields(&expected)].concat());
            assert_eq!(read(&fields(&expected)), Ok(number));
        }
    }

    #[test]
    fn a_group_is_refused_wherever_it_stands() {
        for count in 1..=9 {
            for place in 0..count {
                for group in [10_000, 0x7fff, 0x8000, 0xffff] {
                    let mut sent = vec![count as u16, count as u16 - 1, 0, 0];
                    sent.extend((0..count).map(|at| if at == place { group } else { 9_999 }));
                    assert_eq!(read(&fields(&sent)), Err("bytes that are not a numeric"));
                }
            }
        }
    }

    #[test]
    fn leading_zeros_are_read_and_the_128_bits_are_the_limit() {
        assert_eq!(read(&fields(&[3, 2, 0, 0, 0, 0, 7])), Ok(7));
        assert_eq!(
            read(&fields(&[9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7])),
            Ok(70_000)
        );
        // Servers send zero without groups, and none of these values is too large.
        assert_eq!(read(&fields(&[1, 61, 0, 0, 0])), Ok(0));
        assert_eq!(
            read(&fields(&[9, 32_767, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
            Ok(0)
        );
        // 2^128-1 and the next number.
        let most = [340, 2823, 6692, 938, 4634, 6337, 4607, 4317, 6821, 1455];
        let mut sent = [&[10, 9, 0, 0], &most[..]].concat();
        assert_eq!(read(&fields(&sent)), Ok(u128::MAX));
        sent[13] += 1;
        assert_eq!(read(&fields(&sent)), Err("a number of more than 38 digits"));
    }

    #[test]
    fn every_group_boundary_comes_back() {
        let powers = (0..39).map(|exponent| 10_u128.pow(exponent));
        let neighbours = powers.flat_map(|power| [power - 1, power, power + 1]);
        for number in neighbours.chain([u128::MAX, u128::MAX - 1, 1 << 93]) {
            let mut written = Vec::new();
            write(number, &mut written);
            assert_eq!(read(&written), Ok(number));
        }
    }

    #[test]
    fn what_is_no_whole_number_is_named() {
        for (bytes, found) in [
            (fields(&[1, 0, NEGATIVE, 0, 5]), "a negative number"),
            (fields(&[0, 0, NAN, 0]), "NaN"),
            (fields(&[0, 0, INFINITY, 0]), "infinity"),
            (
                fields(&[1, 0, 0, 2, 5]),
                "a number with digits after the point",
            ),
            (
                fields(&[1, 0xffff, 0, 4, 5]),
                "a number with digits after the point",
            ),
            (
                fields(&[1, 0xffff, 0, 0, 5]),
                "bytes that are not a numeric",
            ),
            (
                fields(&[1, 100, 0, 0, 5]),
                "a number of more than 38 digits",
            ),
            (fields(&[2, 0, 0, 0, 5, 5]), "bytes that are not a numeric"),
            (fields(&[2, 1, 0, 0, 5]), "bytes that are not a numeric"),
            (
                fields(&[1, 0, 0, 0, 10_000]),
                "bytes that are not a numeric",
            ),
            (fields(&[1, 0, 7, 0, 1]), "bytes that are not a numeric"),
            (
                [&fields(&[1, 0, NEGATIVE, 0, 5])[..], &[0]].concat(),
                "bytes that are not a numeric",
            ),
            (vec![0; 3], "bytes that are not a numeric"),
            (vec![], "bytes that are not a numeric"),
        ] {
            assert_eq!(read(&bytes), Err(found), "{bytes:?}");
        }
    }
}

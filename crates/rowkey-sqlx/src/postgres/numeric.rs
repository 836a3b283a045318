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
//! 10000^weight; groups of zeros at the end are left out. The scale counts the digits after the
//! point that are shown.

const GROUP: u64 = 10_000;
/// Four groups, the most that a `u64` holds.
const CHUNK: u128 = 10_u128.pow(16);

const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const INFINITY: u16 = 0xd000;
const NEGATIVE_INFINITY: u16 = 0xf000;

/// Appends a number.
pub(super) fn write(number: u128, buffer: &mut Vec<u8>) {
    // Least significant group first: a u128 has up to 39 digits.
    let mut groups = [0_u16; 12];
    let mut rest = number;
    for chunk in groups.chunks_exact_mut(4) {
        let mut part = (rest % CHUNK) as u64;
        rest /= CHUNK;
        for group in chunk {
            *group = (part % GROUP) as u16;
            part /= GROUP;
        }
    }
    let end = groups
        .iter()
        .rposition(|group| *group != 0)
        .map_or(0, |last| last + 1);
    let start = groups.iter().position(|group| *group != 0).unwrap_or(end);
    let sent = &groups[start..end];

    buffer.extend_from_slice(&(sent.len() as u16).to_be_bytes());
    buffer.extend_from_slice(&(end.saturating_sub(1) as u16).to_be_bytes());
    buffer.extend_from_slice(&POSITIVE.to_be_bytes());
    buffer.extend_from_slice(&0_u16.to_be_bytes());
    for group in sent.iter().rev() {
        buffer.extend_from_slice(&group.to_be_bytes());
    }
}

/// Reads a whole number that is not negative.
///
/// # Errors
///
/// What the bytes are instead, in words.
pub(super) fn read(bytes: &[u8]) -> Result<u128, &'static str> {
    const MALFORMED: &str = "bytes that are no numeric";
    const TOO_LARGE: &str = "a number of more than 38 digits";

    let (fields, []) = bytes.as_chunks::<2>() else {
        return Err(MALFORMED);
    };
    let mut fields = fields.iter().map(|field| u16::from_be_bytes(*field));
    let mut header = || fields.next().ok_or(MALFORMED);
    let (count, weight, sign, scale) = (header()?, header()?, header()?, header()?);
    match sign {
        POSITIVE => {}
        NEGATIVE => return Err("a negative number"),
        NAN => return Err("NaN"),
        INFINITY | NEGATIVE_INFINITY => return Err("infinity"),
        _ => return Err(MALFORMED),
    }
    if scale != 0 {
        return Err("a number with digits after the point");
    }
    if fields.len() != usize::from(count) {
        return Err(MALFORMED);
    }
    if count == 0 {
        return Ok(0);
    }
    // Fewer whole groups than were sent would need a scale.
    let zeros = i32::from(weight as i16) - i32::from(count - 1);
    let zeros = u32::try_from(zeros).map_err(|_| MALFORMED)?;
    let mut number = 0_u128;
    for group in fields {
        if u64::from(group) >= GROUP {
            return Err(MALFORMED);
        }
        number = number
            .checked_mul(GROUP.into())
            .and_then(|number| number.checked_add(group.into()))
            .ok_or(TOO_LARGE)?;
    }
    u128::from(GROUP)
        .checked_pow(zeros)
        .and_then(|zeros| number.checked_mul(zeros))
        .ok_or(TOO_LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(fields: &[u16]) -> Vec<u8> {
        fields
            .iter()
            .flat_map(|field| field.to_be_bytes())
            .collect()
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
            (fields(&[1, 0xffff, 0, 0, 5]), "bytes that are no numeric"),
            (
                fields(&[1, 100, 0, 0, 5]),
                "a number of more than 38 digits",
            ),
            (fields(&[2, 0, 0, 0, 5, 5]), "bytes that are no numeric"),
            (fields(&[2, 1, 0, 0, 5]), "bytes that are no numeric"),
            (fields(&[1, 0, 0, 0, 10_000]), "bytes that are no numeric"),
            (fields(&[1, 0, 7, 0, 1]), "bytes that are no numeric"),
            (vec![0; 3], "bytes that are no numeric"),
            (vec![], "bytes that are no numeric"),
        ] {
            assert_eq!(read(&bytes), Err(found), "{bytes:?}");
        }
    }
}

//! Compact text in SQL: eleven digits of base 62 for each eight bytes.
//!
//! A block is a number of 64 bits, more than the signed integers of databases can hold. It is read
//! as two numbers, c of the block's first five digits and d of its last six:
//!
//! ```text
//! c · 62^6 + d = (13 · c) · 2^32 + (965,660,736 · c + d)      62^6 = 13 · 2^32 + 965,660,736
//! ```
//!
//! and written from its half, because 62 is even:
//!
//! ```text
//! digit 0          2 · (⌊v / 2⌋ mod 31) + v mod 2
//! digit k ≥ 1      ⌊⌊v / 2⌋ / (62^k / 2)⌋ mod 62
//! ```
//!
//! MySQL and MariaDB have unsigned integers.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::dialect::shifted_right;
use crate::dialect::{concatenated, part};
use crate::named::with_names;
use crate::whole_number::integer_of_hex;
use rowkey_core::Backend;
use rowkey_core::storage::TextForm;
use rowkey_core::text::base62;

const POW_6: u64 = 62_u64.pow(6);
const POW_6_HIGH: u64 = POW_6 >> 32;
const POW_6_LOW: u64 = POW_6 & u32::MAX as u64;

/// The positions of the digits of each eight bytes, from 0. The text of a number leaves out six
/// zeros.
fn blocks(form: TextForm) -> [Range<u8>; 2] {
    match form {
        TextForm::Compact16 => [0..5, 5..16],
        _ => [0..11, 11..22],
    }
}

/// The hexadecimal digits of each half of sixteen bytes that are stored as compact text, for MySQL
/// and MariaDB.
pub(crate) fn halves(backend: Backend, form: TextForm, stored: &str) -> [String; 2] {
    blocks(form).map(|block| {
        let number = match block.len() {
            11 => {
                let [c, d] = parts(backend, stored, block);
                format!("CAST({c} AS UNSIGNED) * {POW_6} + {d}")
            }
            _ => digits(backend, stored, block),
        };
        format!("LPAD(HEX({number}), 16, '0')")
    })
}

/// The numbers of the first five digits of a block, and of its last six.
fn parts(backend: Backend, stored: &str, block: Range<u8>) -> [String; 2] {
    let middle = block.start + 5;
    [block.start..middle, middle..block.end].map(|part| digits(backend, stored, part))
}

/// The hexadecimal digits of sixteen bytes that are stored as compact text, for a backend with
/// names.
pub(crate) fn hex(backend: Backend, form: TextForm, stored: &str) -> String {
    let (mut named, mut limbs) = (Vec::new(), Vec::new());
    for (half, block) in blocks(form).into_iter().enumerate() {
        let (c, d) = (format!("c{half}"), format!("d{half}"));
        if block.len() < 11 {
            named.push((d.clone(), digits(backend, stored, block)));
            limbs.extend(["0".into(), d]);
            continue;
        }
        let [high, low] = block_limbs(backend, &c, &d);
        let mask = big(backend, u32::MAX.into());
        limbs.extend([high, format!("{low} & {mask}")]);
        named.extend([c, d].into_iter().zip(parts(backend, stored, block)));
    }
    with_names(backend, named, &hex_of_limbs(backend, &limbs))
}

/// The upper 32 bits of a block, and a number that ends with the lower ones.
fn block_limbs(backend: Backend, c: &str, d: &str) -> [String; 2] {
    let low = format!("({c} * {POW_6_LOW} + {d})");
    let carry = shifted_right(backend, &low, 32);
    [format!("({c} * {POW_6_HIGH} + {carry})"), low]
}

pub(crate) fn hex_of_limbs(backend: Backend, limbs: &[String]) -> String {
    match backend {
        Backend::Sqlite => {
            let format = "%08X".repeat(limbs.len());
            format!("printf('{format}', {})", limbs.join(", "))
        }
        Backend::SqlServer => {
            let hex = |limb| format!("CONVERT(char(8), CONVERT(binary(4), {limb}), 2)");
            concatenated(backend, limbs.iter().map(hex))
        }
        _ => {
            let hex = |limb| format!("lpad(to_hex({limb}), 8, '0')");
            concatenated(backend, limbs.iter().map(hex))
        }
    }
}

/// Compact text of sixteen bytes. `hex` is the SQL of the hexadecimal digits of some bytes, from
/// the index of the first.
pub(crate) fn of_hex(backend: Backend, form: TextForm, hex: impl Fn(u8, u8) -> String) -> String {
    match backend {
        Backend::MySql | Backend::MariaDb => {
            let numbers = [hex(0, 8), hex(8, 8)].map(|half| integer_of_hex(backend, &half, 8));
            let digits = numbers
                .iter()
                .zip(blocks(form))
                .flat_map(|(number, block)| {
                    let powers = (0..block.len() as u32).rev();
                    powers.map(move |power| match power {
                        0 => format!("{number} MOD 62"),
                        _ => format!("{number} DIV {} MOD 62", 62_u64.pow(power)),
                    })
                });
            written(backend, digits)
        }
        _ => {
            let limb = |index: u8| integer_of_hex(backend, &hex(4 * index, 4), 4);
            let named = (0..4).map(|index| (format!("n{index}"), limb(index)));
            let two_31 = big(backend, 1 << 31);
            let halves = [["n0", "n1"], ["n2", "n3"]];
            let digits = halves
                .iter()
                .zip(blocks(form))
                .flat_map(|([high, low], block)| {
                    let half = format!("({high} * {two_31} + {low} / 2)");
                    let powers = (0..block.len() as u32).rev();
                    powers.map(move |power| match power {
                        0 => format!("{half} % 31 * 2 + {low} % 2"),
                        _ => format!("{half} / {} % 62", big(backend, 62_u64.pow(power) / 2)),
                    })
                });
            with_names(backend, named, &written(backend, digits))
        }
    }
}

fn big(backend: Backend, number: u64) -> String {
    match backend {
        // SQL Server's larger literals are decimal numbers.
        Backend::SqlServer => format!("CONVERT(bigint, {number})"),
        _ => format!("{number}"),
    }
}

fn alphabet() -> String {
    base62::DIGITS.iter().copied().map(char::from).collect()
}

fn written(backend: Backend, digits: impl Iterator<Item = String>) -> String {
    let alphabet = alphabet();
    let characters = digits.map(|digit| match backend {
        Backend::Postgres => format!("substr('{alphabet}', ({digit})::int + 1, 1)"),
        Backend::Sqlite => format!("substr('{alphabet}', {digit} + 1, 1)"),
        _ => format!("SUBSTRING('{alphabet}', {digit} + 1, 1)"),
    });
    concatenated(backend, characters)
}

/// The number of some digits of base 62, as 64 bits. Their positions count from 0.
fn digits(backend: Backend, stored: &str, positions: Range<u8>) -> String {
    let alphabet = alphabet();
    let digit = |position: u8| {
        let character = part(backend, stored, position + 1, 1);
        match backend {
            Backend::Postgres => format!("(strpos('{alphabet}', {character}) - 1)::bigint"),
            // The letters of a literal have the case of a column only in a binary collation.
            Backend::MySql | Backend::MariaDb => {
                format!(
                    "(INSTR(_ascii'{alphabet}' COLLATE ascii_bin, CONVERT({character} USING ascii)) \
                     - 1)"
                )
            }
            Backend::Sqlite => format!("(instr('{alphabet}', {character}) - 1)"),
            Backend::SqlServer => format!(
                "CONVERT(bigint, CHARINDEX({character}, '{alphabet}' COLLATE \
                 Latin1_General_100_BIN2) - 1)"
            ),
        }
    };
    let number = positions
        .map(digit)
        .reduce(|number, digit| format!("({number} * 62 + {digit})"));
    number.unwrap_or_default()
}

/// The byte of compact text with this index, without names: a CHECK has no subqueries.
pub(crate) fn byte(backend: Backend, form: TextForm, stored: &str, index: u8) -> String {
    let block = blocks(form)[usize::from(index / 8)].clone();
    let is_high = index % 8 < 4;
    let limb = match block.len() {
        11 => {
            let [c, d] = parts(backend, stored, block);
            let [high, low] = block_limbs(backend, &c, &d);
            if is_high { high } else { low }
        }
        _ if is_high => return "0".into(),
        _ => digits(backend, stored, block),
    };
    let byte = shifted_right(backend, &limb, 8 * (3 - u32::from(index % 4)));
    format!("({byte} & 255)")
}

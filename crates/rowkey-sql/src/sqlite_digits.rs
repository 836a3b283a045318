//! Text of 38 digits in SQLite, whose integers have 64 bits.
//!
//! The number is taken in places of one base and written in places of the other. Each place, times
//! its power in places of the other base, gives columns, whose carries go to the next column. No
//! column reaches 2^62.
//!
//! ```text
//! n = g4 · 10^32 + g3 · 10^24 + g2 · 10^16 + g1 · 10^8 + g0        six digits, then eight each
//!   = n3 · 2^96 + n2 · 2^64 + n1 · 2^32 + n0
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::compact_text::hex_of_limbs;
use crate::named::with_names;
use crate::whole_number::integer_of_hex;
use rowkey_core::Backend;

const TEN_8: u128 = 10_u128.pow(8);
const TWO_32: u128 = 1 << 32;

/// The hexadecimal digits of a number that is stored as text of 38 digits.
pub(crate) fn hex(stored: &str) -> String {
    let names = ["g0", "g1", "g2", "g3", "g4"].map(String::from);
    let limbs: [String; 4] = carried(&names, TEN_8, TWO_32);
    let limbs = limbs.iter().rev();
    let limbs: Vec<String> = limbs.map(|limb| format!("{limb} & {}", u32::MAX)).collect();
    let named = names.into_iter().zip(groups(stored));
    with_names(
        Backend::Sqlite,
        named,
        &hex_of_limbs(Backend::Sqlite, &limbs),
    )
}

/// Some bits of such a number, at most 63: those above `shift`. Without names, because a CHECK has
/// no subqueries.
pub(crate) fn bits(stored: &str, shift: u32, width: u32) -> String {
    let limbs: [String; 4] = carried(&groups(stored), TEN_8, TWO_32);
    let terms = (0..).step_by(32).zip(limbs).filter_map(|(start, limb)| {
        let (first, end) = (shift.max(start), (shift + width).min(start + 32));
        let count = end.checked_sub(first).filter(|count| *count > 0)?;
        let (below, mask) = (first - start, (1_u64 << count) - 1);
        Some(format!(
            "((({limb} >> {below}) & {mask}) << {})",
            first - shift
        ))
    });
    format!("({})", terms.collect::<Vec<_>>().join(" + "))
}

/// Text of 38 digits, of a number that has no more. `hex` is the SQL of the hexadecimal digits of
/// some bytes, from the index of the first.
pub(crate) fn of_hex(hex: impl Fn(u8, u8) -> String) -> String {
    let limb = |index: u8| integer_of_hex(Backend::Sqlite, &hex(12 - 4 * index, 4), 4);
    let named = (0..4).map(|index| (format!("n{index}"), limb(index)));
    let places: [String; 4] = core::array::from_fn(|index| format!("n{index}"));
    let groups: [String; 5] = carried(&places, TWO_32, TEN_8);
    let groups = groups
        .iter()
        .rev()
        .map(|group| format!("{group} % {TEN_8}"));
    let groups = groups.collect::<Vec<_>>().join(", ");
    let digits = format!("printf('%06d%08d%08d%08d%08d', {groups})");
    with_names(Backend::Sqlite, named, &digits)
}

/// The numbers of 6, 8, 8, 8 and 8 digits, the last ones first.
fn groups(stored: &str) -> [String; 5] {
    [(31, 8), (23, 8), (15, 8), (7, 8), (1, 6)]
        .map(|(first, count)| format!("CAST(substr({stored}, {first}, {count}) AS INTEGER)"))
}

/// The places of a number in one base from those in another, the lowest first. Each still has what
/// it carries to the next one.
fn carried<const N: usize>(places: &[String], from: u128, to: u128) -> [String; N] {
    let column = |index: usize| {
        let terms = places.iter().enumerate().filter_map(|(power, place)| {
            let factor = from.pow(power as u32) / to.pow(index as u32) % to;
            (factor > 0).then(|| format!("{place} * {factor}"))
        });
        terms.collect::<Vec<_>>().join(" + ")
    };
    let mut carry = String::new();
    core::array::from_fn(|index| {
        let sum = format!("({}{carry})", column(index));
        carry = format!(" + {sum} / {to}");
        sum
    })
}

//! Ids of other makers that have a part of a UUID's bits, or all of them by chance.

use rowkey_core::UnixMillis;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;

use crate::evidence::bits;
use crate::evidence::byte_order::ByteOrder;
use crate::evidence::rest::{Findings, Rest};
use crate::values::chance::{self, NEVER};
use crate::values::part::{Certainty, Part, number_of};
use crate::values::reservoir;
use crate::values::version_bits::{NO_VERSION, VersionBits};
use crate::values::window::Kept;

/// The bits in front of the variant, without the version.
const BEFORE_THE_VARIANT: u128 = u128::MAX << 64 & !(0xf << 76);

/// Takes away the ids of other makers, if they are nearly the whole column.
pub(crate) fn examine(rest: &mut Rest<'_>, findings: &mut Findings) {
    // The rows that are kept are those of the whole table.
    if rest.count(|_| true) * 20 < rest.shape.count * 19 {
        return;
    }
    let rows = rest.independent();
    let without: Vec<u128> = rows
        .iter()
        .filter(|stored| VersionBits::Text.version(**stored) == NO_VERSION)
        .copied()
        .collect();
    // Of random values three in four have another variant, of UUIDs none.
    if without.len() * 4 < rows.len() {
        return;
    }
    let number = rows.len() as u64;
    let time = |stored: u128| UnixMillis::new((stored >> 80) as i64);
    let timed = rows
        .iter()
        .filter(|stored| rest.era.contains(time(**stored)));
    let timed = timed.count() as u64;
    let share_of_time = (rest.era.to - rest.era.from) as f64 / 2_f64.powi(48);
    let said = if timed * 20 > number * 19 && chance::at_least(timed, number, share_of_time) < NEVER
    {
        "begin with milliseconds since 1970, but have no version: ULIDs are stored so".to_owned()
    } else {
        let kept = reservoir::independent_in_any_order(&rest.shape.spread.rows());
        if !are_overwritten(&kept) {
            return;
        }
        OVERWRITTEN.to_owned()
    };
    conclude(rest, findings, &said, Certainty::Certain);
}

/// What is said of sequential guids.
const OVERWRITTEN: &str = "have version 4, but most of them not its variant: other bytes were written over \
                           those of random UUIDs, as for the sequential guids of EF Core";

/// Takes sequential guids away that are stored as the bytes of .NET, or as their hexadecimal
/// digits.
pub(crate) fn examine_bytes(rest: &mut Rest<'_>, findings: &mut Findings) {
    let kept = reservoir::independent_in_any_order(&rest.shape.spread.rows());
    let ordered = kept.iter().map(|row| Kept {
        stored: ByteOrder::DotNet.text(row.stored),
        ..*row
    });
    let ordered: Vec<Kept> = ordered.collect();
    if are_overwritten(&ordered) {
        let said = format!("{OVERWRITTEN}, {}", ByteOrder::DotNet.name());
        conclude(rest, findings, &said, Certainty::Likely);
        findings.evidence.push(ByteOrder::DotNet.advice());
        if let Some(part) = findings.parts.last_mut() {
            part.layout = None;
            part.is_readable = false;
        }
    }
}

/// Whether the values have version 4, and most of them not the variant, in the order of their text.
fn are_overwritten(rows: &[Kept]) -> bool {
    let without: Vec<u128> = rows
        .iter()
        .map(|row| row.stored)
        .filter(|stored| VersionBits::Text.version(*stored) == NO_VERSION)
        .collect();
    let byte = |stored: u128| (stored >> 72 & 0xff) as u8;
    let are_various = without
        .windows(2)
        .any(|pair| byte(pair[0]) != byte(pair[1]));
    let digit = |stored: u128| byte(stored) >> 4;
    let fours = without.iter().filter(|stored| digit(**stored) == 4);
    let fours = fours.count() as u64;
    // Others have this digit by the time or the machine that all rows have.
    without.len() * 4 >= rows.len()
        && are_various
        && fours * 20 > without.len() as u64 * 19
        && chance::at_least(fours, without.len() as u64, 1.0 / 16.0) < NEVER
        && bits::not_random(rows, &[], BEFORE_THE_VARIANT) == 0
}

fn conclude(rest: &mut Rest<'_>, findings: &mut Findings, said: &str, certainty: Certainty) {
    let (count, _) = rest.take(|_| true);
    findings.evidence.push(format!(
        "{} {said}; rowkey has no format of its own for them.",
        number_of(count, "value")
    ));
    let mut part = Part::without_layout(FormatKind::AnyUuid, count as f64, certainty);
    part.layout = Some(Layout::Public);
    findings.parts.push(part);
}

//! Ids of other makers that have a part of a UUID's bits, or all of them by chance.

use rowkey_core::UnixMillis;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;

use super::bits;
use super::chance::{self, NEVER};
use super::even;
use super::home::{Home, NO_VERSION};
use super::part::{Certainty, Part, number_of};
use super::rest::{Findings, Rest};

/// The bits in front of the variant, without the version.
const BEFORE_THE_VARIANT: u128 = u128::MAX << 64 & !(0xf << 76);

/// Takes them away.
pub(super) fn examine(rest: &mut Rest<'_>, findings: &mut Findings) {
    // The rows that are kept are those of the whole table.
    if rest.count(|_| true) * 20 < rest.shape.count * 19 {
        return;
    }
    let rows = rest.independent();
    let without: Vec<u128> = rows
        .iter()
        .filter(|stored| Home::Text.version(**stored) == NO_VERSION)
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
        let digit = |stored: u128| (stored >> 76 & 0xf) as u8;
        let fours = without.iter().filter(|stored| digit(**stored) == 4);
        let fours = fours.count() as u64;
        let is_all = fours * 20 > without.len() as u64 * 19;
        let kept = even::independent_in_any_order(&rest.shape.even.rows());
        // Others have this digit by the time or the machine that all rows have.
        if !is_all
            || chance::at_least(fours, without.len() as u64, 1.0 / 16.0) > NEVER
            || bits::not_random(&kept, &[], BEFORE_THE_VARIANT) != 0
        {
            return;
        }
        "have version 4, but most of them not its variant: other bytes were written over those of \
         random UUIDs, as for the sequential guids of EF Core"
            .to_owned()
    };
    let (count, _) = rest.take(|_| true);
    findings.evidence.push(format!(
        "{} {said}; rowkey has no format of its own for them.",
        number_of(count, "value")
    ));
    let mut part = Part::without_layout(FormatKind::AnyUuid, count as f64, Certainty::Certain);
    part.layout = Some(Layout::Public);
    findings.parts.push(part);
}

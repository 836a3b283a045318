//! The ids of a column that may get another form.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Layout, Storage};
use rowkey_tables::catalog::Table;
use rowkey_tables::{Connection, Error, StoredIds};

use crate::answers::diagnosis::Candidate;
use crate::database::examination::examine_table;
use crate::database::report::Report;
use crate::evidence::byte_order::ByteOrder;
use crate::values::part::Certainty;

/// Whether a column holds ids, and how they are stored. No value in the sample may be damaged: a
/// damaged value has no other form.
///
/// UUIDs in text are in the order that people see, so that their format need not be certain.
/// Sixteen random bytes are taken to be in that order too, and the answer says so.
///
/// The table is what the catalogue says of it, which is not read again for each column. A copy
/// plans with this function: it is what `copy::plan` and `parquet::plan` take as `ids`.
///
/// # Errors
///
/// Those of [`examine`](crate::examine).
pub async fn stored_ids(
    connection: &mut Connection,
    table: &Table,
    column: &str,
) -> Result<StoredIds, Error> {
    let report = examine_table(connection, table, column).await?;
    let unknown = |why: &str| Ok(StoredIds::Unknown(why.into()));
    if !report.damaged.is_empty() {
        let others: u64 = report.damaged.iter().map(|damage| damage.count).sum();
        return match others < report.sampled {
            true => Ok(StoredIds::Partly),
            false => Ok(StoredIds::Others),
        };
    }
    let Some(storage) = report.storage else {
        return match report.candidates.is_empty() {
            true => Ok(StoredIds::Empty),
            false => unknown("its values are stored in several forms"),
        };
    };
    if let (Certainty::Certain, Some(format), Some(layout)) =
        (report.certainty, report.format, report.layout)
    {
        return Ok(StoredIds::Known {
            format: format.parse()?,
            form: format!("{storage}:{layout}"),
            assumed: None,
        });
    }
    let is_public = |layout: Option<Layout>| layout.is_none_or(|layout| layout == Layout::Public);
    if !report.candidates.iter().all(|one| is_public(one.layout)) {
        return unknown("the order of its bytes is not certain");
    }
    let is_hex = matches!(storage, "text-hex" | "text-hex-upper");
    let mut formats = report.candidates.iter().map(|one| one.format);
    if is_hex && formats.any(|format| format == FormatKind::AnyUuid) {
        return unknown("they are hexadecimal digits, but none that only UUIDs have");
    }
    let orders = ByteOrder::ALL.map(ByteOrder::advice);
    if orders.iter().any(|advice| report.evidence.contains(advice)) {
        return Ok(StoredIds::OtherOrder);
    }
    let all = |is_it: fn(&Candidate) -> bool| report.candidates.iter().all(is_it);
    let assumed = match Storage::ALL.into_iter().find(|one| one.name() == storage) {
        Some(Storage::Text | Storage::TextUpper | Storage::TextHex | Storage::TextHexUpper) => None,
        Some(Storage::Uuid | Storage::Binary) if all(has_public_order) => Some(
            "its values are too few to be certain, so they are taken for the UUIDs that they look \
             like",
        ),
        Some(Storage::Uuid) if all(|one| has_public_order(one) || is_random(one)) => Some(
            "random bytes are alike in any order, so they are taken to be in the order that \
             people see",
        ),
        _ => return unknown("its format is not certain"),
    };
    Ok(StoredIds::Known {
        format: format_of_all(&report),
        form: format!("{storage}:{}", Layout::Public.name()),
        assumed: assumed.map(str::to_owned),
    })
}

/// Whether the version of UUIDs stands where people see it.
fn has_public_order(candidate: &Candidate) -> bool {
    let has_version = matches!(candidate.format, FormatKind::UuidV7 | FormatKind::AnyUuid);
    has_version && candidate.layout == Some(Layout::Public)
}

fn is_random(candidate: &Candidate) -> bool {
    candidate.format == FormatKind::UuidV4
}

/// The only format that the values may have, or that of any UUID.
fn format_of_all(report: &Report) -> FormatKind {
    match report.candidates.as_slice() {
        [one] if matches!(one.format, FormatKind::UuidV4 | FormatKind::UuidV7) => one.format,
        _ => FormatKind::AnyUuid,
    }
}

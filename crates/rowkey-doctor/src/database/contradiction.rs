//! Whether a plan takes a column for what the doctor doesn't find in it.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;
use rowkey_sql::StoredForm;
use rowkey_tables::catalog::QualifiedName;
use rowkey_tables::{Connection, Silent};

use crate::database::examination::examine;
use crate::database::report::Report;
use crate::database::request::Request;

/// Fewer values than these may have a version in the wrong place by chance.
const FEWEST: u64 = 8;

/// Tells if the values of a column don't look like ids of the format and form from which a plan
/// converts them. They can be converted all the same, to other ids than programs know.
///
/// The forms are those before and after the change. If the values can't be read, the sentence says
/// why.
pub async fn contradiction(
    connection: &mut Connection,
    table: &QualifiedName,
    column: &str,
    (from, to): (StoredForm, StoredForm),
) -> Option<String> {
    let is_any = from.format() == FormatKind::AnyUuid;
    let is_moved = [from, to].map(|form| form.layout() == Layout::SqlServer);
    // Every UUID is an AnyUuid, and none changes while both forms have the version in one place.
    if is_any && is_moved[0] == is_moved[1] {
        return None;
    }
    let request = Request::new(table.clone(), column);
    let report = match examine(connection, &request, &mut Silent).await {
        Ok(report) => report,
        Err(error) => return Some(format!("what the values of the key look like: {error}")),
    };
    let is_another = match is_any {
        true => is_in_another_order(&report, is_moved[0]),
        false => is_of_another_format(&report, (from.format(), from.layout().name())),
    };
    is_another.then(|| {
        format!(
            "the plan takes {table}.{column} for {} as {}:{}, but `rowkey doctor` finds {} If the plan is wrong, \
             other ids come out.",
            from.format().name(),
            from.storage().name(),
            from.layout().name(),
            found(&report),
        )
    })
}

/// Whether some values are in the `sql-server` layout and the plan says they aren't, or the other
/// way round. The version tells, even where the other bits say little: only that layout moves it.
fn is_in_another_order(report: &Report, is_planned: bool) -> bool {
    let mut candidates = report.candidates.iter();
    report.sampled >= FEWEST
        && candidates.any(|one| match (one.layout, one.format) {
            (Some(layout), _) => (layout == Layout::SqlServer) != is_planned,
            (None, FormatKind::AnyUuid) => false,
            // What has a version outside of the layout, but no order of its own.
            (None, _) => is_planned,
        })
}

/// Whether no values have a format in a layout.
fn is_of_another_format(report: &Report, planned: (FormatKind, &'static str)) -> bool {
    let planned = as_stored(planned);
    let is_planned = |format: FormatKind, layout: Option<&'static str>| {
        let is_unordered = layout.is_none() && is_planned_as_uuids(format, planned);
        let format = as_stored((format, layout.unwrap_or(planned.1)));
        format == planned || layout.is_none() && format.0 == planned.0 || is_unordered
    };
    let mut candidates = report.candidates.iter();
    !candidates.any(|one| is_planned(one.format, one.layout.map(|layout| layout.name())))
        && !report.candidates.is_empty()
}

/// Whether a plan moves COMBs as UUIDs, as the doctor advises where a type has no layout for them.
fn is_planned_as_uuids(found: FormatKind, planned: (FormatKind, &'static str)) -> bool {
    let is_comb = matches!(found, FormatKind::PrefixComb | FormatKind::ShortPrefixComb);
    is_comb && planned == (FormatKind::UuidV4, Layout::Public.name())
}

/// What a report finds, as sentences.
fn found(report: &Report) -> String {
    let found = report.candidates.iter().map(|one| {
        let layout = one.layout.map(|layout| format!(":{}", layout.name()));
        format!("{}{}", one.format.name(), layout.unwrap_or_default())
    });
    let found: Vec<String> = found.collect();
    let why = report.evidence.first().map(|why| format!(" {why}"));
    format!(
        "{} ({}).{}",
        found.join(", "),
        report.certainty.name(),
        why.unwrap_or_default()
    )
}

/// The one of two names for the same stored bytes that is without a layout: a prefix COMB in the
/// suffix layout has the bytes of a suffix COMB.
fn as_stored(form: (FormatKind, &'static str)) -> (FormatKind, &'static str) {
    let as_stored = match form {
        (FormatKind::PrefixComb, "suffix") => FormatKind::SuffixComb,
        (FormatKind::SuffixComb, "prefix") => FormatKind::PrefixComb,
        (FormatKind::ShortPrefixComb, "suffix") => FormatKind::ShortSuffixComb,
        (FormatKind::ShortSuffixComb, "prefix") => FormatKind::ShortPrefixComb,
        other => return other,
    };
    (as_stored, "public")
}

//! Compares the new tables with the old ones, and repairs what cascades have left.

use std::time::Instant;

use super::backfill::shown;
use super::names::{self, quoted};
use super::ranges::Ranges;
use super::rebuilt::Rebuilt;
use super::session::{is_lock, rest, transaction_within};
use crate::batch_size::BatchSize;
use crate::id_map::Reading;
use crate::runner::Runner;
use crate::work::{Form, Work};
use rowkey_tables::Error;
use rowkey_tables::catalog::Column;

/// How many rows a query compares. It locks nothing, but keeps the versions of rows that it may
/// still see.
const COMPARED_ROWS: u32 = 50_000;

/// The server may still take a table that was just filled for an empty one, and would read all of
/// it for each row of the other.
const BY_KEY: &str = "FORCE INDEX (PRIMARY)";

/// Makes a new table equal to the old one.
///
/// A cascade fires no trigger. It has no counterpart in the new table for a row whose key it
/// changes before the row is copied, if the copying has passed the new key already; nor for any row
/// while a foreign key to the table itself, or of a circle of tables, is still missing. Once
/// neither happens any more, differences only become fewer. A cascade may still move a row away
/// from a repair, which is then repeated.
pub(super) async fn settle(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &Rebuilt<'_>,
) -> Result<(), Error> {
    for _ in 0..work.policy.lock_attempts {
        if difference(runner, table, &before(table)?, Rows::All)
            .await?
            .is_none()
        {
            return Ok(());
        }
        repair(runner, work, table).await?;
    }
    expect_none(
        table,
        difference(runner, table, &before(table)?, Rows::All).await?,
    )
}

async fn repair(runner: &mut Runner<'_>, work: &Work, table: &Rebuilt<'_>) -> Result<(), Error> {
    let mut repaired = 0;
    for form in [Form::New, Form::Old] {
        repaired += repair_rows_of(runner, work, table, form).await?;
    }
    if repaired > 0 {
        runner.note(format!(
            "{}: {repaired} rows followed a cascade",
            table.name()
        ));
    }
    Ok(())
}

/// Repairs the rows of a form's table: deletes new ones without an old one, and copies old ones
/// that differ.
///
/// A program locks an old row and then its copy; a repair may lock them the other way round, and
/// the server ends one of the two. So only ranges are locked in which rows differ, and those that
/// were in the way of a program get shorter.
async fn repair_rows_of(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &Rebuilt<'_>,
    form: Form,
) -> Result<u64, Error> {
    let doing = format!("rows of {} that a cascade has changed", table.name());
    let name = match form {
        Form::Old => table.quoted()?,
        Form::New => table.quoted_new()?,
    };
    let mut size = BatchSize::new(&work.policy);
    let mut ranges = Ranges::new(table, form, name)?;
    let (mut repaired, mut attempts) = (0, 1);
    while ranges.next(runner, size.rows()).await? {
        loop {
            let begun = Instant::now();
            let rows = Rows::Of(form, &ranges);
            let outcome = if !runner.is_dry()
                && difference(runner, table, &before(table)?, rows)
                    .await?
                    .is_none()
            {
                Ok(0)
            } else {
                let statement = match form {
                    Form::Old => copy_different(table, &ranges)?,
                    Form::New => delete_without_old(table, &ranges)?,
                };
                transaction_within(runner, 1, &doing, &[&statement]).await
            };
            match outcome {
                Ok(rows) => {
                    repaired += rows;
                    attempts = 1;
                    size.took(begun.elapsed());
                    break;
                }
                Err(error) if is_lock(&error) && attempts < work.policy.lock_attempts => {
                    attempts += 1;
                    size.was_locked_out();
                    rest().await;
                    ranges.shorten(runner, size.rows()).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(repaired)
}

fn delete_without_old(table: &Rebuilt<'_>, ranges: &Ranges) -> Result<String, Error> {
    Ok(format!(
        "DELETE n FROM {} n {BY_KEY} LEFT JOIN {} o {BY_KEY} ON {} WHERE o.{} IS NULL AND {}",
        table.quoted_new()?,
        table.quoted()?,
        table.has_key(Form::Old, "o.", "n.", Reading::Current)?,
        first_key(table, Form::Old)?,
        ranges.condition("n.")
    ))
}

fn copy_different(table: &Rebuilt<'_>, ranges: &Ranges) -> Result<String, Error> {
    let new = table.quoted_new()?;
    let columns = table.quoted_columns(Form::New)?;
    let set = columns
        .iter()
        .map(|column| format!("{column} = VALUES({column})"));
    Ok(format!(
        "INSERT INTO {new} ({}) SELECT {} FROM {} o {BY_KEY} LEFT JOIN {new} n {BY_KEY} ON {} \
         WHERE ({}) AND {} LOCK IN SHARE MODE ON DUPLICATE KEY UPDATE {}",
        columns.join(", "),
        table.written(Form::New, "o.")?.join(", "),
        table.quoted()?,
        table.has_key(Form::New, "n.", "o.", Reading::Current)?,
        ranges.condition("o."),
        differs(table)?,
        set.collect::<Vec<String>>().join(", ")
    ))
}

/// Which rows are compared.
#[derive(Clone, Copy, Debug)]
enum Rows<'r> {
    /// All of both tables, as they are at one moment.
    All,
    /// Those of a range of the form's table.
    Of(Form, &'r Ranges),
}

/// The old table and the new one, in SQL.
type Names = [String; 2];

fn before(table: &Rebuilt<'_>) -> Result<Names, Error> {
    Ok([table.quoted()?, table.quoted_new()?])
}

/// Fails if the two tables do not have the same rows. A query sees both as they are at one moment,
/// so that writers need not wait.
pub(super) async fn compare(runner: &mut Runner<'_>, table: &Rebuilt<'_>) -> Result<(), Error> {
    expect_none(table, any_difference(runner, table, &before(table)?).await?)
}

/// The same after the swap, where the old table is the one that comes back. Triggers may have been
/// lost with a table that somebody has built again, and a new foreign key may have cascaded.
pub(super) async fn compare_swapped(
    runner: &mut Runner<'_>,
    table: &Rebuilt<'_>,
) -> Result<(), Error> {
    let old = names::old_table(table.name());
    match any_difference(runner, table, &[quoted(&old)?, table.quoted()?]).await? {
        None => Ok(()),
        Some(found) => Err(Error::refused(
            format!("the table {}", table.name()),
            format!("{found}, and {old} would take its place"),
            format!("correct the rows of {old}, or finish with --contract"),
        )),
    }
}

async fn any_difference(
    runner: &mut Runner<'_>,
    table: &Rebuilt<'_>,
    names: &Names,
) -> Result<Option<String>, Error> {
    if table.key_may_follow() {
        // A row could move from a range that is still to come to one that was compared.
        return difference(runner, table, names, Rows::All).await;
    }
    for (form, name) in [Form::Old, Form::New].into_iter().zip(names) {
        let mut ranges = Ranges::new(table, form, name.clone())?;
        while ranges.next(runner, COMPARED_ROWS).await? {
            let found = difference(runner, table, names, Rows::Of(form, &ranges)).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// A row that is not the same in both tables, as text for people.
async fn difference(
    runner: &mut Runner<'_>,
    table: &Rebuilt<'_>,
    [old, new]: &Names,
    rows: Rows<'_>,
) -> Result<Option<String>, Error> {
    let mut queries = Vec::new();
    if let Rows::All | Rows::Of(Form::Old, _) = rows {
        let condition = rows.condition("o.");
        queries.push(format!(
            "(SELECT CONCAT('the row with the key ', {}, ' is not the same in the new table') \
             FROM {old} o LEFT JOIN {new} n {BY_KEY} ON {} WHERE ({condition}) AND {} LIMIT 1)",
            shown(&format!("o.{}", first_key(table, Form::Old)?)),
            table.has_key(Form::New, "n.", "o.", Reading::Snapshot)?,
            differs(table)?
        ));
    }
    if let Rows::All | Rows::Of(Form::New, _) = rows {
        let condition = rows.condition("n.");
        queries.push(format!(
            "(SELECT CONCAT('the row with the key ', {}, ' is only in the new table') \
             FROM {new} n LEFT JOIN {old} o {BY_KEY} ON {} WHERE ({condition}) AND o.{} IS NULL LIMIT 1)",
            shown(&format!("n.{}", first_key(table, Form::New)?)),
            table.has_key(Form::Old, "o.", "n.", Reading::Snapshot)?,
            first_key(table, Form::Old)?
        ));
    }
    let query = queries.join(" UNION ALL ");
    let doing = format!("the comparison of {}", table.name());
    if runner.is_dry() {
        runner.run(&doing, &query).await?;
        return Ok(None);
    }
    let rows = runner.query(&doing, &query, &[]).await?;
    rows.first()
        .map(|row| Ok(row.text(0)?.to_owned()))
        .transpose()
}

impl Rows<'_> {
    fn condition(self, qualifier: &str) -> String {
        match self {
            Self::All => "TRUE".into(),
            Self::Of(_, ranges) => ranges.condition(qualifier),
        }
    }
}

fn expect_none(table: &Rebuilt<'_>, difference: Option<String>) -> Result<(), Error> {
    match difference {
        None => Ok(()),
        Some(found) => Err(Error::Differs {
            what: format!("the table {}", table.name()),
            found: format!(
                "{found}, {}; undo the change and begin again. A TRUNCATE and writes with \
                 `foreign_key_checks = 0` fire no triggers",
                names::new_table(table.name())
            ),
        }),
    }
}

fn first_key(table: &Rebuilt<'_>, form: Form) -> Result<String, Error> {
    let key = table.key()?;
    table.quoted_of(&key[0].name, form)
}

/// The condition that a row `o` of the old table has no equal row `n` of the new one.
fn differs(table: &Rebuilt<'_>) -> Result<String, Error> {
    let mut differences = vec![format!("n.{} IS NULL", first_key(table, Form::New)?)];
    for column in table.columns() {
        let value = table.value(&column.name, Form::New, "o.", Reading::Snapshot)?;
        let new = format!("n.{}", table.quoted_of(&column.name, Form::New)?);
        differences.push(format!(
            "NOT ({} <=> {})",
            exact(column, &value),
            exact(column, &new)
        ));
        if table.changed.changed(&column.name).is_some() && column.is_nullable {
            let old = quoted(&column.name)?;
            differences.push(format!("(o.{old} IS NULL) <> ({new} IS NULL)"));
        }
    }
    Ok(format!("({})", differences.join(" OR ")))
}

/// A value with its letter case and its spaces, which collations ignore.
fn exact(column: &Column, sql: &str) -> String {
    match column.collation {
        Some(_) => format!("CAST({sql} AS BINARY)"),
        None => sql.into(),
    }
}

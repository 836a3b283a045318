//! The exchange of old and new columns in one transaction, and the ways out of it.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::text_literal::text_literal;

use super::columns::require_type;
use super::constraints::{attach_foreign_keys, attach_indexes, detach, new_name, old_name};
use super::names::{alone, is_swapped, is_swapped_sql, length, quoted};
use super::values::Values;
use super::{session, triggers};
use crate::Phase;
use crate::refusals::shown;
use crate::runner::Runner;
use crate::work::{ChangedColumn, ChangedTable, Work};

/// How many rows are shown of those that differ.
const EXAMPLES: usize = 3;

/// Which columns are to be the ones that programs use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The new ones, for the swap.
    New,
    /// The old ones, for the way back.
    Old,
}

/// A comparison of the columns of a side with the others.
struct Comparison {
    /// Whether a row differs.
    differs: String,
    /// The old and the new columns.
    columns: String,
}

impl Comparison {
    fn of(
        work: &Work,
        values: &Values<'_>,
        table: &ChangedTable,
        side: Side,
    ) -> Result<Self, Error> {
        let (mut differs, mut columns) = (Vec::new(), Vec::new());
        for column in &table.columns {
            let (used, filled) = match side {
                Side::New => (quoted(&column.column.name)?, quoted(&column.fresh())?),
                Side::Old => (quoted(&column.becomes)?, quoted(&column.kept)?),
            };
            let (expected, sql_type) = match side {
                Side::New => (values.new_value(column, &used)?, work.to.sql_type()),
                Side::Old => (
                    values.old_value(column, &used)?,
                    column.column.sql_type.clone(),
                ),
            };
            let (found, expected) = match sql_type.contains("char") {
                true => (exact(&filled), exact(&expected)),
                false => (filled.clone(), expected),
            };
            differs.push(format!(
                "({used} IS NULL AND {filled} IS NOT NULL OR {used} IS NOT NULL \
                 AND ({filled} IS NULL OR {expected} IS NULL OR {found} <> {expected}))"
            ));
            columns.push(format!("{used}, {filled}"));
        }
        Ok(Self {
            differs: differs.join(" OR "),
            columns: columns.join(", "),
        })
    }

    /// The statement that fails if a row differs, with hints for the table.
    fn statement(&self, table: &ChangedTable, hints: &str) -> Result<String, Error> {
        let name = table.name().quoted(rowkey_core::Backend::SqlServer)?;
        let message = format!("{}: {DIFFERENT}", table.name());
        Ok(format!(
            "IF EXISTS (SELECT 1 FROM {name}{hints} WHERE {}) THROW 50000, {}, 1",
            self.differs,
            text_literal(Backend::SqlServer, &message)
        ))
    }
}

const DIFFERENT: &str = "rows whose new ids are not the old ones in the new form";

/// Text as bytes, because collations take different letters for the same, and cannot be mixed.
fn exact(text: &str) -> String {
    format!("CONVERT(varbinary(100), RTRIM(CONVERT(varchar(100), {text})))")
}

/// Fails unless the columns of a side are the others in its form, in all rows.
pub(super) async fn compare(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    side: Side,
) -> Result<(), Error> {
    let doing = format!("the comparison of {}", table.name());
    let comparison = Comparison::of(work, &Values::of(work)?, table, side)?;
    if runner.is_dry() {
        let statement = comparison.statement(table, "")?;
        return runner.run(&doing, &statement).await.map(|_| ());
    }
    let name = table.name().quoted(work.backend)?;
    let Comparison { differs, columns } = comparison;
    let query = format!("SELECT TOP ({EXAMPLES}) {columns} FROM {name} WHERE {differs}");
    let rows = runner.query(&doing, &query, &[]).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let examples: Vec<String> = rows
        .iter()
        .map(|row| row.0.iter().map(shown).collect::<Vec<_>>().join(" / "))
        .collect();
    Err(Error::Differs {
        what: table.name().to_string(),
        found: format!("{DIFFERENT}: {}", examples.join("; ")),
    })
}

/// Locks each table and compares it: rows may have been written without triggers, as bulk loads do.
fn lock_and_compare(work: &Work, side: Side) -> Result<Vec<String>, Error> {
    let values = Values::of(work)?;
    let compare = |table: &ChangedTable| {
        let comparison = Comparison::of(work, &values, table, side)?;
        let statement = comparison.statement(table, " WITH (TABLOCKX, HOLDLOCK)")?;
        // The batch is compiled before it, even if the columns have their other names.
        Ok(alone(&statement))
    };
    work.tables.iter().map(compare).collect()
}

/// Exchanges the columns.
pub(crate) async fn swap(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    let values = Values::of(work)?;
    let mut statements = lock_and_compare(work, Side::New)?;
    for table in &work.tables {
        statements.push(triggers::drop(work, table, "fill")?);
    }
    statements.extend(detach(work)?);
    for table in &work.tables {
        for column in &table.columns {
            statements.extend(rename(table, &column.column.name, &column.kept)?);
            statements.extend(rename(table, &column.fresh(), &column.becomes)?);
            if !column.column.is_nullable {
                let new = format!("{} NOT NULL", work.to.sql_type());
                statements.push(alter(table, &column.becomes, &new)?);
                if !values.keeps_itself(column) {
                    let old = format!("{} NULL", require_type(&column.column)?);
                    statements.push(alter(table, &column.kept, &old)?);
                }
            }
        }
    }
    for table in &work.tables {
        statements.extend(attach_indexes(table, new_name)?);
    }
    for table in &work.tables {
        statements.extend(attach_foreign_keys(work, table, new_name)?);
        statements.push(triggers::keep(work, &values, table)?);
    }
    let is_done = is_swapped_sql(work)?;
    exchange(runner, work, "swap", &is_done, &statements).await
}

async fn exchange(
    runner: &mut Runner<'_>,
    work: &Work,
    what: &str,
    is_done: &str,
    statements: &[String],
) -> Result<(), Error> {
    let doing = format!("the {what}");
    let taken = session::in_transaction(runner, work, &doing, is_done, statements).await?;
    if !runner.is_dry() {
        let ms = taken.as_millis();
        runner.note(format!(
            "{what}: {ms} ms exclusive, with the waiting for the locks"
        ));
    }
    Ok(())
}

fn rename(table: &ChangedTable, from: &str, to: &str) -> Result<Option<String>, Error> {
    if from == to {
        return Ok(None);
    }
    let name = table.name().quoted(rowkey_core::Backend::SqlServer)?;
    let path = text_literal(Backend::SqlServer, &format!("{name}.{}", quoted(from)?));
    let to = text_literal(Backend::SqlServer, to);
    Ok(Some(format!("EXEC sp_rename {path}, {to}, 'COLUMN'")))
}

fn alter(table: &ChangedTable, column: &str, declaration: &str) -> Result<String, Error> {
    let name = table.name().quoted(rowkey_core::Backend::SqlServer)?;
    let column = quoted(column)?;
    Ok(format!(
        "ALTER TABLE {name} ALTER COLUMN {column} {declaration}"
    ))
}

/// Takes everything back. After the swap, the old columns have been filled all the time.
pub(crate) async fn undo(
    runner: &mut Runner<'_>,
    work: &Work,
    reached: Phase,
) -> Result<(), Error> {
    session::prepare(runner).await?;
    if reached == Phase::Swap && (runner.is_dry() || is_swapped(runner, work).await?) {
        if !runner.is_dry() {
            runner.refuse_values_damaged_since(work).await?;
        }
        for table in &work.tables {
            compare(runner, work, table, Side::Old).await?;
        }
        let statements = way_back(work)?;
        let is_done = format!("NOT ({})", is_swapped_sql(work)?);
        exchange(runner, work, "exchange", &is_done, &statements).await?;
    }
    for table in &work.tables {
        let doing = format!("the new columns of {}", table.name());
        drop_columns(runner, work, table, "fill", &doing, ChangedColumn::fresh).await?;
    }
    Ok(())
}

/// The new columns get the names that they had before the swap.
fn way_back(work: &Work) -> Result<Vec<String>, Error> {
    let values = Values::of(work)?;
    let mut statements = lock_and_compare(work, Side::Old)?;
    for table in &work.tables {
        statements.push(triggers::drop(work, table, "keep")?);
    }
    statements.extend(detach(work)?);
    for table in &work.tables {
        for column in &table.columns {
            if !column.column.is_nullable {
                // Nothing fills it any more.
                let new = format!("{} NULL", work.to.sql_type());
                statements.push(alter(table, &column.becomes, &new)?);
            }
            statements.extend(rename(table, &column.becomes, &column.fresh())?);
            statements.extend(rename(table, &column.kept, &column.column.name)?);
            if !column.column.is_nullable && !values.keeps_itself(column) {
                let old = format!("{} NOT NULL", require_type(&column.column)?);
                statements.push(alter(table, &column.column.name, &old)?);
            }
        }
    }
    for table in &work.tables {
        statements.extend(attach_indexes(table, old_name)?);
    }
    for table in &work.tables {
        statements.extend(attach_foreign_keys(work, table, old_name)?);
    }
    Ok(statements)
}

/// Drops the old columns, and the triggers that fill them.
pub(crate) async fn contract(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    for table in &work.tables {
        let doing = format!("the old columns of {}", table.name());
        drop_columns(runner, work, table, "keep", &doing, |column| {
            column.kept.clone()
        })
        .await?;
    }
    Ok(())
}

/// Drops columns of a table, and the trigger that fills them, unless they are gone.
async fn drop_columns(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    trigger: &str,
    doing: &str,
    which: impl Fn(&ChangedColumn) -> String,
) -> Result<(), Error> {
    let Some(first) = table.columns.first() else {
        return Ok(());
    };
    let is_gone = format!("{} IS NULL", length(table, &which(first))?);
    let name = table.name().quoted(work.backend)?;
    let mut statements = vec![triggers::drop(work, table, trigger)?];
    for column in &table.columns {
        let column = quoted(&which(column))?;
        statements.push(format!("ALTER TABLE {name} DROP COLUMN {column}"));
    }
    session::in_transaction(runner, work, doing, &is_gone, &statements)
        .await
        .map(|_| ())
}

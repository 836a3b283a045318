//! The exchange of old and new columns in one transaction, and the ways out of it.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::ColumnType;

use super::columns::require_type;
use super::constraints::{attach_foreign_keys, attach_indexes, detach};
use super::names::{alone, is_swapped, length, quoted};
use super::{new_ids, session, triggers};
use crate::Phase;
use crate::id_map::{Reading, Values};
use crate::runner::Runner;
use crate::work::{ChangedTable, Form, Work};

/// The statement that fails unless the columns of a form have the values of the others in that
/// form, with hints for the table.
fn comparison(
    work: &Work,
    values: &Values,
    table: &ChangedTable,
    form: Form,
    hints: &str,
) -> Result<String, Error> {
    let mut differs = Vec::new();
    for column in &table.columns {
        let used = quoted(column.used(form.other()))?;
        let filled = quoted(&column.filled(form))?;
        let expected = values.value(&column.column, form, &used, Reading::Snapshot)?;
        let sql_type = match form {
            Form::New => work.to.sql_type(),
            Form::Old => column.column.sql_type.clone(),
        };
        let (found, expected) = match ColumnType::parse(Backend::SqlServer, sql_type).is_char() {
            true => (exact(&filled), exact(&expected)),
            false => (filled.clone(), expected),
        };
        differs.push(format!(
            "({used} IS NULL AND {filled} IS NOT NULL OR {used} IS NOT NULL \
             AND ({filled} IS NULL OR {expected} IS NULL OR {found} <> {expected}))"
        ));
    }
    let name = table.name().quoted(Backend::SqlServer)?;
    let message = format!("{}: {DIFFERENT}", table.name());
    Ok(format!(
        "IF EXISTS (SELECT 1 FROM {name}{hints} WHERE {}) THROW 50000, {}, 1",
        differs.join(" OR "),
        text_literal(Backend::SqlServer, &message)
    ))
}

const DIFFERENT: &str = "rows whose new ids are not the old ones in the new form";

/// Text as bytes, because collations take different letters for the same, and cannot be mixed.
fn exact(text: &str) -> String {
    format!("CONVERT(varbinary(100), RTRIM(CONVERT(varchar(100), {text})))")
}

/// Compares the columns of a form with the others, in all rows.
pub(super) async fn compare(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
    form: Form,
) -> Result<(), Error> {
    let doing = format!("the comparison of {}", table.name());
    let statement = comparison(work, &Values::of(work)?, table, form, "")?;
    runner.run(&doing, &statement).await.map(|_| ())
}

/// Locks each table and compares it: rows may have been written without triggers, as bulk loads do.
fn lock_and_compare(work: &Work, form: Form) -> Result<Vec<String>, Error> {
    let values = Values::of(work)?;
    let compare = |table: &ChangedTable| {
        let hints = " WITH (TABLOCKX, HOLDLOCK)";
        let statement = comparison(work, &values, table, form, hints)?;
        // The batch is compiled before it runs, when the columns may still have other names.
        Ok(alone(&statement))
    };
    work.tables.iter().map(compare).collect()
}

/// Exchanges the columns.
pub(crate) async fn swap(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    let values = Values::of(work)?;
    let mut statements = lock_and_compare(work, Form::New)?;
    for table in &work.tables {
        statements.push(triggers::drop(work, table, "fill")?);
    }
    statements.extend(detach(work)?);
    for table in &work.tables {
        for column in &table.columns {
            statements.extend(rename(table, &column.column.name, &column.retired_name)?);
            statements.extend(rename(table, &column.shadow_name(), &column.new_name)?);
            if !column.column.is_nullable {
                let new = format!("{} NOT NULL", work.to.sql_type());
                statements.push(alter(table, &column.new_name, &new)?);
                if !new_ids::keeps_itself(work, column) {
                    let old = format!("{} NULL", require_type(&column.column)?);
                    statements.push(alter(table, &column.retired_name, &old)?);
                }
            }
        }
    }
    for table in &work.tables {
        statements.extend(attach_indexes(table, Form::New)?);
    }
    for table in &work.tables {
        statements.extend(attach_foreign_keys(work, table, Form::New)?);
        statements.push(triggers::keep(work, &values, table)?);
    }
    session::in_transaction(runner, work, "the swap", &is_swapped(work)?, &statements).await
}

fn rename(table: &ChangedTable, from: &str, to: &str) -> Result<Option<String>, Error> {
    if from == to {
        return Ok(None);
    }
    let name = table.name().quoted(Backend::SqlServer)?;
    let path = text_literal(Backend::SqlServer, &format!("{name}.{}", quoted(from)?));
    let to = text_literal(Backend::SqlServer, to);
    Ok(Some(format!("EXEC sp_rename {path}, {to}, 'COLUMN'")))
}

fn alter(table: &ChangedTable, column: &str, declaration: &str) -> Result<String, Error> {
    let name = table.name().quoted(Backend::SqlServer)?;
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
    if reached == Phase::Swap {
        for table in &work.tables {
            compare(runner, work, table, Form::Old).await?;
        }
        let is_done = format!("NOT ({})", is_swapped(work)?);
        let statements = way_back(work)?;
        session::in_transaction(runner, work, "the exchange", &is_done, &statements).await?;
    }
    for table in &work.tables {
        let doing = format!("the new columns of {}", table.name());
        drop_columns(runner, work, table, "fill", &doing, Form::New).await?;
    }
    Ok(())
}

/// The new columns get the names that they had before the swap.
fn way_back(work: &Work) -> Result<Vec<String>, Error> {
    let mut statements = lock_and_compare(work, Form::Old)?;
    for table in &work.tables {
        statements.push(triggers::drop(work, table, "keep")?);
    }
    statements.extend(detach(work)?);
    for table in &work.tables {
        for column in &table.columns {
            if !column.column.is_nullable {
                // Nothing fills it any more.
                let new = format!("{} NULL", work.to.sql_type());
                statements.push(alter(table, &column.new_name, &new)?);
            }
            statements.extend(rename(table, &column.new_name, &column.shadow_name())?);
            statements.extend(rename(table, &column.retired_name, &column.column.name)?);
            if !column.column.is_nullable && !new_ids::keeps_itself(work, column) {
                let old = format!("{} NOT NULL", require_type(&column.column)?);
                statements.push(alter(table, &column.column.name, &old)?);
            }
        }
    }
    for table in &work.tables {
        statements.extend(attach_indexes(table, Form::Old)?);
    }
    for table in &work.tables {
        statements.extend(attach_foreign_keys(work, table, Form::Old)?);
    }
    Ok(statements)
}

/// Drops the old columns, and the triggers that fill them.
pub(crate) async fn contract(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    for table in &work.tables {
        let doing = format!("the old columns of {}", table.name());
        drop_columns(runner, work, table, "keep", &doing, Form::Old).await?;
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
    form: Form,
) -> Result<(), Error> {
    let Some(first) = table.columns.first() else {
        return Ok(());
    };
    let is_gone = format!("{} IS NULL", length(table, &first.filled(form))?);
    let name = table.name().quoted(work.backend)?;
    let mut statements = vec![triggers::drop(work, table, trigger)?];
    for column in &table.columns {
        let column = quoted(&column.filled(form))?;
        statements.push(format!("ALTER TABLE {name} DROP COLUMN {column}"));
    }
    session::in_transaction(runner, work, doing, &is_gone, &statements).await
}

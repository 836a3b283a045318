//! The phases on PostgreSQL: new columns beside the old ones, filled by triggers, which take their
//! places in one transaction.

use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::DependentKind;
use rowkey_tables::text_literal::text_literal;
mod backfill;
mod constraints;
mod exchange;
mod names;
mod not_null;
mod refuse;
mod sequences;
mod session;
mod triggers;
mod values;

pub(super) use self::backfill::backfill;
pub(super) use self::exchange::{contract, require_filled, require_kept, swap, undo};
pub(super) use self::refuse::refuse;

use self::names::quoted;
use self::values::Values;
use crate::runner::Runner;
use crate::work::{ChangedTable, Form, Work};

/// Adds the columns, and the triggers that fill them, in one transaction for each table: programs
/// never see the one without the other.
pub(super) async fn expand(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    let values = Values::of(runner, work).await?;
    let prepared = values.prepare()?;
    if !prepared.is_empty() {
        session::in_transaction(runner, work, "the map of ids", &prepared).await?;
    }
    for table in &work.tables {
        tell_routines(runner, table);
        if names::is_expanded(runner, table).await? {
            continue;
        }
        let doing = format!("the new columns of {}", table.name());
        let statements = expansion(work, &values, table)?;
        session::in_transaction(runner, work, &doing, &statements).await?;
    }
    Ok(())
}

/// The database does not look into most functions, so that a person has to.
fn tell_routines(runner: &mut Runner<'_>, table: &ChangedTable) {
    let dependents = table.table.dependents.iter();
    for routine in dependents.filter(|one| one.kind == DependentKind::Routine) {
        runner.note(format!(
            "the routine {} names {}: change it with the programs",
            routine.name,
            table.name()
        ));
    }
}

fn expansion(work: &Work, values: &Values<'_>, table: &ChangedTable) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let mut added = Vec::new();
    for column in &table.columns {
        let shadow = quoted(&column.shadow_name())?;
        added.push(format!("ADD COLUMN {shadow} {}", work.to.sql_type()));
    }
    let mut statements = vec![format!("ALTER TABLE {name} {}", added.join(", "))];
    for column in &table.columns {
        let shadow = quoted(&column.shadow_name())?;
        if let Some(comment) = &column.column.comment {
            let comment = text_literal(Backend::Postgres, comment);
            statements.push(format!("COMMENT ON COLUMN {name}.{shadow} IS {comment}"));
        }
        let given = (&table.table, column.column.name.as_str());
        statements.extend(exchange::grants(given, &column.shadow_name())?);
    }
    statements.extend(triggers::fill(work, values, table)?);
    Ok(statements)
}

/// Makes the new columns as strict and as quick to search as the old ones, and compares them.
pub(super) async fn check(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    session::prepare(runner).await?;
    for table in &work.tables {
        not_null::set(runner, work, table).await?;
        constraints::build_indexes(runner, work, table, Form::New).await?;
    }
    let values = Values::of(runner, work).await?;
    for table in &work.tables {
        exchange::compare(runner, &values, table, Form::New).await?;
        constraints::analyze(runner, work, table).await?;
    }
    Ok(())
}

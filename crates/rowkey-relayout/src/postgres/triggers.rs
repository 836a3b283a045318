//! Triggers that fill the columns that programs do not know.

use super::names::{quote_for, quoted};
use super::session;
use super::values::Values;
use crate::plan::OldPrograms;
use crate::runner::Runner;
use crate::work::{ChangedColumn, ChangedTable, Work};
use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::text_literal::text_literal;

/// The code of errors for values that have no other form.
pub(super) const DAMAGED: &str = "RK001";

/// Triggers of a table run in the order of their names: these come after those that change the row.
pub(super) const LAST: &str = "zz_rowkey";

/// A column that a trigger fills from another.
struct Filled {
    from: String,
    to: String,
    /// The SQL of its value.
    value: String,
    /// Whether a row may be without it.
    is_optional: bool,
    /// Whether a new row with a value in `to`, but none in `from`, is of a program that only knows
    /// the old columns: its INSERT names no columns.
    tells_old_programs: bool,
}

/// What fills the new columns, until the swap.
pub(super) fn fill(
    work: &Work,
    values: &Values<'_>,
    table: &ChangedTable,
) -> Result<Vec<String>, Error> {
    let filled = |column: &ChangedColumn| {
        Ok(Filled {
            from: quoted(&column.column.name)?,
            to: quoted(&column.shadow_name())?,
            value: values.new_value(column, "NEW.")?,
            is_optional: false,
            tells_old_programs: false,
        })
    };
    let columns: Result<Vec<Filled>, Error> = table.columns.iter().map(filled).collect();
    row_triggers(work, values, table, "fill", &columns?)
}

/// What fills the old columns, after the swap.
pub(super) fn keep(
    work: &Work,
    values: &Values<'_>,
    table: &ChangedTable,
) -> Result<Vec<String>, Error> {
    let filled = |column: &ChangedColumn| {
        let from = quoted(&column.new_name)?;
        Ok(Filled {
            to: quoted(&column.retired_name)?,
            value: values.old_value(&format!("NEW.{from}"))?,
            is_optional: values.may_lack_old_values()?,
            tells_old_programs: true,
            from,
        })
    };
    let columns: Result<Vec<Filled>, Error> = table.columns.iter().map(filled).collect();
    let mut statements = row_triggers(work, values, table, "keep", &columns?)?;
    if work.policy.old_programs == OldPrograms::Mark {
        statements.extend(mark(work, table)?);
    }
    Ok(statements)
}

fn row_triggers(
    work: &Work,
    values: &Values<'_>,
    table: &ChangedTable,
    what: &str,
    columns: &[Filled],
) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let function = work.made(table, what).quoted(work.backend)?;
    let (insert, update) = (trigger(what, "insert")?, trigger(what, "update")?);
    let changed: Vec<String> = columns.iter().map(has_changed).collect();
    Ok(vec![
        function_of(&function, &body(columns), values.needs_privileges()),
        format!(
            "CREATE TRIGGER {insert} BEFORE INSERT ON {name} FOR EACH ROW \
             EXECUTE FUNCTION {function}()"
        ),
        format!(
            "CREATE TRIGGER {update} BEFORE UPDATE ON {name} FOR EACH ROW WHEN ({}) \
             EXECUTE FUNCTION {function}()",
            changed.join(" OR ")
        ),
        enable(&name, what)?,
    ])
}

/// Lets the triggers run for every row, also for those that replication writes.
fn enable(table: &str, what: &str) -> Result<String, Error> {
    let (insert, update) = (trigger(what, "insert")?, trigger(what, "update")?);
    Ok(format!(
        "ALTER TABLE {table} ENABLE ALWAYS TRIGGER {insert}, ENABLE ALWAYS TRIGGER {update}"
    ))
}

/// The condition that the triggers of [`fill`] run for every row of a table. Whoever says `DISABLE
/// TRIGGER USER` turns them off, and with `ENABLE TRIGGER USER` on, but not for rows of
/// replication.
fn fill_runs(work: &Work, table: &ChangedTable) -> Result<String, Error> {
    let literal = |text: &str| text_literal(Backend::Postgres, text);
    let name = literal(&table.name().quoted(work.backend)?);
    let pattern = literal(&format!("{LAST}_fill_%"));
    Ok(format!(
        "(SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgrelid = pg_catalog.to_regclass({name}) \
         AND tgname LIKE {pattern} AND tgenabled = 'A') = 2"
    ))
}

/// Turns the triggers of [`fill`] on again, if somebody has turned them off.
pub(super) async fn require_fill(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &ChangedTable,
) -> Result<(), Error> {
    let doing = format!("the triggers of {}", table.name());
    let query = format!("SELECT {}", fill_runs(work, table)?);
    if runner.is(&doing, &query, &[]).await? {
        return Ok(());
    }
    let enable = enable(&table.name().quoted(work.backend)?, "fill")?;
    session::in_transaction(runner, work, &doing, &[enable]).await?;
    runner.note(format!(
        "the triggers of {} were turned off or on by somebody, and run for every row again",
        table.name()
    ));
    Ok(())
}

/// Ends a transaction unless the triggers of [`fill`] run for every row. With the lock of the swap,
/// nobody can turn them off any more.
pub(super) fn assert_fill(work: &Work, table: &ChangedTable) -> Result<String, Error> {
    let body = format!(
        "BEGIN\n  IF NOT ({}) THEN\n\
         \x20   RAISE EXCEPTION USING MESSAGE = 'somebody has turned the triggers of ' || {} || ' off',\n\
         \x20     HINT = 'repeat the command: it turns them on, and compares all rows again';\n\
         \x20 END IF;\nEND",
        fill_runs(work, table)?,
        text_literal(Backend::Postgres, &table.name().to_string())
    );
    let quote = quote_for(&body);
    Ok(format!("DO {quote}\n{body}\n{quote}"))
}

/// Whether an update needs the trigger: the backfill, which writes the value itself, does not.
fn has_changed(column: &Filled) -> String {
    let Filled { from, to, .. } = column;
    format!(
        "NEW.{from} IS DISTINCT FROM OLD.{from} OR NEW.{to} IS NULL AND NEW.{from} IS NOT NULL \
         OR OLD.{to} IS NOT NULL AND NEW.{to} IS DISTINCT FROM OLD.{to}"
    )
}

fn body(columns: &[Filled]) -> String {
    let mut body = String::new();
    for column in columns {
        let Filled {
            from, to, value, ..
        } = column;
        if column.tells_old_programs {
            body += &format!(
                "  IF TG_OP = 'INSERT' AND NEW.{from} IS NULL AND NEW.{to} IS NOT NULL THEN\n\
                 \x20   RAISE EXCEPTION USING ERRCODE = '{DAMAGED}', MESSAGE = format(\n\
                 \x20     'a row of %I.%I has an id in the old form only', TG_TABLE_SCHEMA, TG_TABLE_NAME),\n\
                 \x20     HINT = 'the program knows the old columns only: name the new ones';\n\
                 \x20 END IF;\n"
            );
        }
        body += &format!("  NEW.{to} := {value};\n");
        if column.is_optional {
            continue;
        }
        body += &format!(
            "  IF NEW.{to} IS NULL AND NEW.{from} IS NOT NULL THEN\n\
             \x20   RAISE EXCEPTION USING ERRCODE = '{DAMAGED}', MESSAGE = format(\n\
             \x20     '%I.%I has no room for the id %s in its other form, while its key changes', \
             TG_TABLE_SCHEMA, TG_TABLE_NAME, NEW.{from});\n\
             \x20 END IF;\n"
        );
    }
    body + "  RETURN NEW;\n"
}

/// Refuses statements of sessions without the mark, even those that would change no row.
fn mark(work: &Work, table: &ChangedTable) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let function = work.made(table, "mark").quoted(work.backend)?;
    let trigger = quoted(&format!("{LAST}_mark"))?;
    let mark = text_literal(Backend::Postgres, &work.mark);
    let body = format!(
        "  IF current_setting('rowkey.layout', true) IS DISTINCT FROM {mark} THEN\n\
         \x20   RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format(\n\
         \x20     'the ids of %I.%I are stored in another form now', TG_TABLE_SCHEMA, TG_TABLE_NAME),\n\
         \x20     HINT = format('a program with the new declaration says: SET rowkey.layout = %L', {mark});\n\
         \x20 END IF;\n\
         \x20 RETURN NULL;\n"
    );
    Ok(vec![
        function_of(&function, &body, false),
        format!(
            "CREATE TRIGGER {trigger} BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON {name} \
             FOR EACH STATEMENT EXECUTE FUNCTION {function}()"
        ),
    ])
}

fn function_of(function: &str, body: &str, is_definer: bool) -> String {
    let quote = quote_for(body);
    let definer = match is_definer {
        true => " SECURITY DEFINER",
        false => "",
    };
    format!(
        "CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql{definer} {} \
         AS {quote}\nBEGIN\n{body}END\n{quote}",
        session::of_function(is_definer)
    )
}

fn trigger(what: &str, event: &str) -> Result<String, Error> {
    quoted(&format!("{LAST}_{what}_{event}"))
}

/// Drops what [`fill`] has made.
pub(super) fn drop_fill(work: &Work, table: &ChangedTable) -> Result<Vec<String>, Error> {
    drop_functions(work, table, &["fill"])
}

/// Drops what [`keep`] has made.
pub(super) fn drop_keep(work: &Work, table: &ChangedTable) -> Result<Vec<String>, Error> {
    drop_functions(work, table, &["keep", "mark"])
}

fn drop_functions(
    work: &Work,
    table: &ChangedTable,
    functions: &[&str],
) -> Result<Vec<String>, Error> {
    let name = table.name().quoted(work.backend)?;
    let mut statements = Vec::new();
    for what in functions {
        let triggers = match *what {
            "mark" => vec![quoted(&format!("{LAST}_mark"))?],
            _ => vec![trigger(what, "insert")?, trigger(what, "update")?],
        };
        for trigger in triggers {
            statements.push(format!("DROP TRIGGER IF EXISTS {trigger} ON {name}"));
        }
        let function = work.made(table, what).quoted(work.backend)?;
        statements.push(format!("DROP FUNCTION IF EXISTS {function}()"));
    }
    Ok(statements)
}

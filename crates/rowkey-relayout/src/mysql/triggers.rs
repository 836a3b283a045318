//! Triggers that write the rows of one table to the other.
//!
//! The old table has those forward, the new one those back. All read the table [`SWAPPED`], whose
//! content changes in the same statement that renames the tables: so either the old table's or the
//! new one's do something, never both and never none, without a moment between.
//!
//! With the policy `mark`, the new table has a third kind, which refuses old programs.

use super::names::{self, Event, Role, SWAPPED, quoted};
use super::new_ids;
use super::rebuilt::Rebuilt;
use super::session::{Made, patiently};
use crate::id_map::{Reading, Values, map_column};
use crate::plan::Policy;
use crate::runner::Runner;
use crate::work::{Form, Work};
use rowkey_core::Backend;
use rowkey_core::storage::Stored;
use rowkey_tables::Error;
use rowkey_tables::catalog::Generated;
use rowkey_tables::text_literal::text_literal;

/// What [`SWAPPED`] has, beside 0 and 1, when neither table's triggers do anything.
const NEITHER: u8 = 2;

/// Creates those of a table's triggers that do not exist yet.
pub(super) async fn create(
    runner: &mut Runner<'_>,
    work: &Work,
    table: &Rebuilt<'_>,
    role: Role,
) -> Result<(), Error> {
    let made = Made::read(runner).await?;
    for event in Event::ALL {
        if made.has_trigger(&names::trigger(table.name(), role, event)) {
            continue;
        }
        let create = match role {
            Role::Forward | Role::Back => definition(work, table, role, event)?,
            Role::Guard => guard(work, table, event)?,
        };
        let doing = format!("the triggers of {}", table.name());
        patiently(runner, &work.policy, &doing, &create).await?;
    }
    Ok(())
}

/// Makes all triggers do nothing, for all tables from the same transaction of a program on.
///
/// The triggers cannot be dropped all at once. A table whose rows still reach its other table would
/// refer to rows of one whose rows do not.
pub(super) async fn stop(runner: &mut Runner<'_>, work: &Work) -> Result<(), Error> {
    if !Made::read(runner).await?.has_table(SWAPPED) && !runner.is_dry() {
        return Ok(());
    }
    let stop = format!("UPDATE {SWAPPED} SET is_swapped = {NEITHER}");
    patiently(runner, &work.policy, "the end of all triggers", &stop).await?;
    Ok(())
}

/// Drops those of a table's triggers that exist.
pub(super) async fn drop(
    runner: &mut Runner<'_>,
    policy: &Policy,
    table: &Rebuilt<'_>,
    role: Role,
) -> Result<(), Error> {
    let made = Made::read(runner).await?;
    for event in Event::ALL {
        let name = names::trigger(table.name(), role, event);
        if made.has_trigger(&name) || runner.is_dry() {
            let drop = format!("DROP TRIGGER IF EXISTS {}", quoted(&name)?);
            let doing = format!("the triggers of {}", table.name());
            patiently(runner, policy, &doing, &drop).await?;
        }
    }
    Ok(())
}

/// The statement that creates a trigger before the swap.
fn definition(work: &Work, table: &Rebuilt<'_>, role: Role, event: Event) -> Result<String, Error> {
    let name = quoted(&names::trigger(table.name(), role, event))?;
    // The names after the swap are in the triggers back, which do nothing before it.
    let (on, target, form, is_swapped) = match role {
        Role::Forward => (table.quoted()?, table.quoted_new()?, Form::New, 0),
        Role::Back | Role::Guard => {
            let old = quoted(&names::old_table(table.name()))?;
            (table.quoted_new()?, old, Form::Old, 1)
        }
    };
    let row = RowOfOld::new(table, form)?;
    let declare = match event {
        Event::Insert => "",
        Event::Update | Event::Delete => &row.declare,
    };
    let body = match event {
        Event::Delete => delete(&target, &row),
        Event::Update => {
            let (ensured, refusals) = (ensure(table, form)?, refusals(table, form)?);
            let written = written_by_update(work, table, form)?;
            let moved = move_key(table, &target, form, &written, &row)?;
            let upsert = upsert(table, &target, form, &written)?;
            format!("{ensured}{refusals}{moved}{upsert}")
        }
        Event::Insert => format!(
            "{}{}{}{}",
            without_id(work, table, form)?,
            ensure(table, form)?,
            refusals(table, form)?,
            upsert(table, &target, form, &table.written(form, "NEW.")?)?
        ),
    };
    Ok(format!(
        "CREATE TRIGGER {name} AFTER {event} ON {on} FOR EACH ROW BEGIN {declare}\
         IF {swapped} = {is_swapped} THEN {body}END IF; END",
        event = event.sql(),
        swapped = is_swapped_now(),
    ))
}

/// The statement that creates a trigger of the new table, which after the swap refuses sessions
/// that do not have the mark.
fn guard(work: &Work, table: &Rebuilt<'_>, event: Event) -> Result<String, Error> {
    let mark = text_literal(Backend::MySql, &work.mark);
    Ok(format!(
        "CREATE TRIGGER {name} BEFORE {event} ON {on} FOR EACH ROW BEGIN \
         IF {swapped} = 1 AND NOT (@rowkey_layout <=> {mark}) THEN \
         SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {message}; END IF; END",
        name = quoted(&names::trigger(table.name(), Role::Guard, event))?,
        event = event.sql(),
        on = table.quoted_new()?,
        swapped = is_swapped_now(),
        message = text_literal(
            Backend::MySql,
            &message(&format!(
                "the ids of this table have another form now; a new program says \
             SET @rowkey_layout = '{}': {}",
                work.mark,
                table.name()
            ))
        ),
    ))
}

/// A message of a trigger, which may have 128 characters.
fn message(text: &str) -> String {
    text.chars().take(128).collect()
}

/// Whether the swap has happened: 1 or 0. It locks the row, because an old snapshot may be older
/// than the table, and so that all that a transaction writes is treated alike.
fn is_swapped_now() -> String {
    format!("(SELECT is_swapped FROM {SWAPPED} LOCK IN SHARE MODE)")
}

/// Refuses rows of old programs, which leave a counted key to the server: after the swap, it would
/// put zeros there in INSERT IGNORE and without a strict mode.
fn without_id(work: &Work, table: &Rebuilt<'_>, form: Form) -> Result<String, Error> {
    let mut keys = table.changed.columns.iter().filter(|column| column.is_key);
    let Some(key) = keys
        .next()
        .filter(|_| form == Form::Old && table.new_ids.is_some())
    else {
        return Ok(String::new());
    };
    let zero = match work.to.encode(0) {
        Stored::Text(_) => "''".to_owned(),
        _ => work.to.literal(0),
    };
    Ok(format!(
        "IF NEW.{} = {zero} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {}; END IF; ",
        quoted(&key.new_name)?,
        text_literal(
            Backend::MySql,
            &message(&format!(
                "a new row has no {}: {}",
                key.new_name,
                table.name()
            ))
        )
    ))
}

/// Adds ids to the map that it does not have.
fn ensure(table: &Rebuilt<'_>, form: Form) -> Result<String, Error> {
    let mut ensured = String::new();
    let Some(ids) = &table.new_ids else {
        return Ok(ensured);
    };
    for changed in &table.changed.columns {
        let name = table.name_of(&changed.column.name, form.other());
        ensured += &new_ids::ensure(ids, changed, form, name)?;
    }
    Ok(ensured)
}

fn delete(target: &str, row: &RowOfOld) -> String {
    format!(
        "{}DELETE FROM {target} WHERE {}; ",
        row.look_up, row.has_key
    )
}

/// How a trigger finds the other table's row that has the key of `OLD`.
struct RowOfOld {
    /// The declarations of variables.
    declare: String,
    /// The statements that set them.
    look_up: String,
    /// The condition.
    has_key: String,
}

impl RowOfOld {
    /// MariaDB reads and locks the whole table for a key that a subquery in the condition gives,
    /// from the second time on that a session runs the trigger.
    fn new(table: &Rebuilt<'_>, form: Form) -> Result<Self, Error> {
        let (mut declare, mut look_up) = (String::new(), String::new());
        let mut conditions = Vec::new();
        for (number, column) in (1..).zip(table.key()?) {
            let from = format!("OLD.{}", table.quoted_of(&column.name, form.other())?);
            let changed = table.changed.changed(&column.name);
            let value = match (&table.values, changed) {
                (Values::Mapped(map), Some(changed)) => {
                    let variable = format!("rowkey_id_{number}");
                    let text = map.text_of_other(&changed.column, form, &from)?;
                    let id = map.lookup(map_column(form), form.other(), &text, Reading::Current);
                    let text_type = map.text_type(form);
                    declare += &format!("DECLARE {variable} {text_type}; ");
                    look_up += &format!("SET {variable} = {id}; ");
                    map.value_of_text(&changed.column, form, &variable)?
                }
                _ => table.value(&column.name, form, "OLD.", Reading::Current)?,
            };
            let here = table.quoted_of(&column.name, form)?;
            conditions.push(format!("{here} = {value}"));
        }
        Ok(Self {
            declare,
            look_up,
            has_key: conditions.join(" AND "),
        })
    }
}

/// All columns' values in a form, after an update of the other form's row.
///
/// In MariaDB, an update that changes nothing leaves times with ON UPDATE as they are, but `NEW`
/// has another one. The row itself tells.
fn written_by_update(work: &Work, table: &Rebuilt<'_>, form: Form) -> Result<Vec<String>, Error> {
    let mut written = table.written(form, "NEW.")?;
    if work.backend != Backend::MariaDb {
        return Ok(written);
    }
    let mut is_row = Vec::new();
    for column in table.key()? {
        let name = table.quoted_of(&column.name, form.other())?;
        is_row.push(format!("r.{name} = NEW.{name}"));
    }
    // Each form's triggers work while its table has the table's own name.
    let (own, is_row) = (table.quoted()?, is_row.join(" AND "));
    for (column, value) in table.columns().zip(&mut written) {
        if column.generated == Generated::OnUpdate {
            let name = quoted(&column.name)?;
            *value = format!("(SELECT r.{name} FROM {own} r WHERE {is_row} LOCK IN SHARE MODE)");
        }
    }
    Ok(written)
}

/// Changes the key of the other table's row. This is an UPDATE, so that references follow it.
fn move_key(
    table: &Rebuilt<'_>,
    target: &str,
    form: Form,
    written: &[String],
    row: &RowOfOld,
) -> Result<String, Error> {
    let mut is_changed = Vec::new();
    for column in table.key()? {
        let name = table.quoted_of(&column.name, form.other())?;
        is_changed.push(format!(
            "CAST(OLD.{name} AS BINARY) <> CAST(NEW.{name} AS BINARY)"
        ));
    }
    let columns = table.quoted_columns(form)?;
    let set = columns.iter().zip(written);
    let set: Vec<String> = set
        .map(|(column, value)| format!("{column} = {value}"))
        .collect();
    Ok(format!(
        "IF {} THEN {}UPDATE {target} SET {} WHERE {}; END IF; ",
        is_changed.join(" OR "),
        row.look_up,
        set.join(", "),
        row.has_key
    ))
}

/// Writes the row, whether the other table has it already or not.
fn upsert(
    table: &Rebuilt<'_>,
    target: &str,
    form: Form,
    written: &[String],
) -> Result<String, Error> {
    let columns = table.quoted_columns(form)?;
    let set = columns
        .iter()
        .map(|column| format!("{column} = VALUES({column})"));
    let set: Vec<String> = set.collect();
    Ok(format!(
        "INSERT INTO {target} ({}) VALUES ({}) ON DUPLICATE KEY UPDATE {}; ",
        columns.join(", "),
        written.join(", "),
        set.join(", ")
    ))
}

/// Refuses a value that is not of the form, where the other table would accept NULL for it.
fn refusals(table: &Rebuilt<'_>, form: Form) -> Result<String, Error> {
    let mut refusals = String::new();
    for changed in table.nullable() {
        let name = table.name_of(&changed.column.name, form.other());
        let message = message(&format!("{name} is no id of its form: {}", table.name()));
        refusals += &format!(
            "IF NEW.{} IS NOT NULL AND {} IS NULL THEN SIGNAL SQLSTATE '45000' \
             SET MESSAGE_TEXT = {}; END IF; ",
            quoted(name)?,
            table.value(&changed.column.name, form, "NEW.", Reading::Current)?,
            text_literal(Backend::MySql, &message)
        );
    }
    Ok(refusals)
}

//! The tables of the target.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, DependentKind, Table};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{self, Type};

use crate::side::{Side, SideColumn};
use crate::{defaults, objects};

/// How a table is made, and what it does not get.
pub(super) struct Creation {
    pub(super) statement: String,
    pub(super) left_out: Vec<String>,
}

/// The table with its columns and its primary key, unless that is added after the rows. In SQLite
/// with its references too, which cannot be added later.
pub(super) fn creation(
    source: Backend,
    table: &Table,
    side: &Side,
    sides: &[Side],
    originals: &[&Table],
    is_key_late: bool,
) -> Result<Creation, Error> {
    let mut left_out = Vec::new();
    let mut lines = Vec::new();
    let is_copied = |name: &String| side.columns.iter().any(|column| column.name == *name);
    let primary = table.primary_key().map(|key| key.columns.as_slice());
    let primary = primary.filter(|columns| columns.iter().all(is_copied));
    let counted = counted(table, side);
    for column in &side.columns {
        let Some(original) = table.column(&column.name) else {
            return Err(Error::Missing {
                what: format!("the column {} of the table {}", column.name, table.name),
            });
        };
        let is_counted = counted.is_some_and(|counted| counted.name == column.name);
        lines.push(match is_counted {
            true => counted_line(side, table, column, &mut left_out)?,
            false => {
                let default = default_of(source, table, side, original, column, &mut left_out);
                let is_key = primary.is_some_and(|key| key.contains(&column.name));
                let may_be_null = original.is_nullable || column.instead.gives_null();
                let is_null = may_be_null && !is_key;
                line(side.backend, column, is_null, default)?
            }
        });
    }
    let is_elsewhere = match side.backend {
        Backend::Sqlite => counted.is_some(),
        // MySQL counts only with a key.
        Backend::MySql | Backend::MariaDb => is_key_late && counted.is_none(),
        _ => is_key_late,
    };
    match primary {
        Some(key) if !is_elsewhere => {
            lines.push(format!(
                "PRIMARY KEY ({})",
                objects::list(side.backend, key)?
            ));
        }
        Some(_) => {}
        None => left_out.push(format!("{} has no primary key", side.name)),
    }
    if side.backend == Backend::Sqlite {
        for key in objects::references(source, table, side, sides, originals)? {
            match key {
                Ok(object) => lines.push(object.definition),
                Err(note) => left_out.push(note),
            }
        }
    }
    let options = match side.backend {
        Backend::MySql | Backend::MariaDb => " ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
        _ => "",
    };
    let name = side.quoted()?;
    let create = match side.backend {
        Backend::SqlServer => {
            let place = text_literal(side.backend, &name);
            format!("IF OBJECT_ID({place}, N'U') IS NULL CREATE TABLE")
        }
        _ => "CREATE TABLE IF NOT EXISTS".into(),
    };
    let statement = format!("{create} {name} ({}){options}", lines.join(", "));
    Ok(Creation {
        statement,
        left_out,
    })
}

pub(crate) fn line(
    backend: Backend,
    column: &SideColumn,
    is_null: bool,
    default: Option<String>,
) -> Result<String, Error> {
    let name = quote_identifier(backend, &column.name)?;
    // A `timestamp` of MySQL is otherwise NOT NULL, with a default.
    let null = match (is_null, column.own) {
        (false, _) => " NOT NULL",
        (true, Type::Instant) if backend != Backend::Postgres => " NULL",
        // A setting of the session may say otherwise.
        (true, _) if backend == Backend::SqlServer => " NULL",
        (true, _) => "",
    };
    let default = default.map(|sql| format!(" DEFAULT {sql}"));
    let default = default.unwrap_or_default();
    Ok(format!("{name} {}{null}{default}", column.sql_type))
}

/// The column that the target counts: the only column of the primary key, if the source counts it.
pub(crate) fn counted<'s>(table: &Table, side: &'s Side) -> Option<&'s SideColumn> {
    let [name] = table.primary_key()?.columns.as_slice() else {
        return None;
    };
    let column = side.columns.iter().find(|column| column.name == *name)?;
    let is_integer = matches!(column.own, Type::Integer { .. });
    (is_integer && table.counts(table.column(name)?)).then_some(column)
}

/// A column of PostgreSQL that is always counted stays so: COPY gives it values all the same.
fn counted_line(
    side: &Side,
    table: &Table,
    column: &SideColumn,
    left_out: &mut Vec<String>,
) -> Result<String, Error> {
    let name = quote_identifier(side.backend, &column.name)?;
    let sql_type = &column.sql_type;
    let mut dependents = table.dependents.iter();
    let sequence = dependents
        .find(|one| one.kind == DependentKind::Sequence && one.columns == [column.name.clone()]);
    let definition = sequence.map_or("", |sequence| &sequence.definition);
    let step = definition.split_once("INCREMENT BY ").map(|(_, step)| step);
    let kept = match side.backend {
        Backend::Postgres | Backend::SqlServer => step.filter(|step| !step.starts_with('-')),
        _ => None,
    };
    if let (Some(step), None) = (step, kept) {
        left_out.push(format!(
            "{}.{}: it counts by {step} in the source, and by 1 in the target",
            table.name, column.name
        ));
    }
    Ok(match side.backend {
        Backend::Postgres => {
            let is_always = definition.starts_with("GENERATED ALWAYS");
            let how = if is_always { "ALWAYS" } else { "BY DEFAULT" };
            let step = kept.map(|step| format!(" (INCREMENT BY {step})"));
            let step = step.unwrap_or_default();
            format!("{name} {sql_type} GENERATED {how} AS IDENTITY{step} NOT NULL")
        }
        Backend::Sqlite => format!("{name} INTEGER PRIMARY KEY AUTOINCREMENT"),
        Backend::SqlServer => {
            let step = kept.map(|step| format!("(1, {step})"));
            let step = step.unwrap_or_default();
            format!("{name} {sql_type} IDENTITY{step} NOT NULL")
        }
        _ => format!("{name} {sql_type} NOT NULL AUTO_INCREMENT"),
    })
}

fn default_of(
    source: Backend,
    table: &Table,
    side: &Side,
    original: &Column,
    column: &SideColumn,
    left_out: &mut Vec<String>,
) -> Option<String> {
    let place = format!("{}.{}", table.name, original.name);
    match original.generated.as_str() {
        "" => {}
        // The default of a computed column is the expression.
        "generated" => {
            left_out.push(format!(
                "{place}: it is computed in the source, and has plain values in the target"
            ));
            return None;
        }
        "on update" if source == side.backend => {}
        how => left_out.push(format!("{place}: `{how}` is left out")),
    }
    let sql = original
        .default
        .as_deref()
        .filter(|sql| !sql.eq_ignore_ascii_case("null"))?;
    // A `datetime` has the clock of UTC, and its default would have that of a session.
    let is_moment = types::parse(source, &original.sql_type) == Some(Type::Instant)
        && matches!(side.backend, Backend::MySql | Backend::MariaDb)
        && column.own == Type::Timestamp;
    let carried = match original.is_serial() || is_moment {
        true => None,
        false => defaults::carried(source, side.backend, column.own, sql),
    };
    if carried.is_none() {
        left_out.push(format!("{place}: the default `{sql}` is left out"));
    }
    carried
}

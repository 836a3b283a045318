//! The tables of the target.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Generated};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::{Kind, Type};

use crate::definitions::checks;
use crate::definitions::counters;
use crate::definitions::defaults;
use crate::definitions::objects;
use crate::engine::engine;
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content};

/// How a table is made, and what it does not get.
pub(crate) struct Creation {
    pub(crate) statement: String,
    pub(crate) left_out: Vec<String>,
}

/// The statements that make what the tables need: the enums of a target which has none of these
/// names, and sequences.
pub(crate) async fn before_tables(
    target: &mut Connection,
    tables: &[&PreparedTable<'_>],
) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    for PreparedTable { original, to, .. } in tables {
        for (_, name) in counters::sequenced(original, to) {
            let name = name.quoted(to.backend)?;
            statements.push(format!("CREATE SEQUENCE IF NOT EXISTS {name}"));
        }
    }
    let Some(query) = engine(target.backend()).target.user_type else {
        return Ok(statements);
    };
    for PreparedTable { original, to, .. } in tables {
        let own = to.columns.iter();
        for column in own.filter(|column| column.content == Content::Values(Kind::Own)) {
            let words = original.column(&column.name).map(|found| &found.enum_words);
            let Some(words) = words.filter(|words| !words.is_empty()) else {
                continue;
            };
            let name = column.sql_type.as_str();
            let doing = format!("the type {name} of the target");
            let row = target.one_row(&doing, query, &[Value::from(name)]).await?;
            if row.optional_text(0)?.is_none() {
                let words = words
                    .iter()
                    .map(|word| text_literal(target.backend(), word));
                let words: Vec<String> = words.collect();
                // As the source writes the name: quoted where it has to be.
                let statement = format!("CREATE TYPE {name} AS ENUM ({})", words.join(", "));
                if !statements.contains(&statement) {
                    statements.push(statement);
                }
            }
        }
    }
    Ok(statements)
}

/// The table with its columns and its primary key, unless that is added after the rows, and with
/// its references if they cannot be added later.
pub(crate) fn creation(
    prepared: &PreparedTable<'_>,
    tables: &[&PreparedTable<'_>],
    is_key_late: bool,
) -> Result<Creation, Error> {
    let (source, side, table) = (prepared.from.backend, &prepared.to, prepared.original);
    let target = engine(side.backend);
    let mut left_out = Vec::new();
    let mut lines = Vec::new();
    let primary = table.primary_key().map(|key| key.columns.as_slice());
    let primary = primary.filter(|columns| side.has_all(columns));
    let counted = counters::counted(table, side);
    let sequenced = counters::sequenced(table, side);
    for column in &side.columns {
        let Some(original) = table.column(&column.name) else {
            return Err(Error::Missing {
                what: format!("the column {} of the table {}", column.name, table.name),
            });
        };
        let is_counted = counted.iter().any(|counted| counted.name == column.name);
        lines.push(match is_counted {
            true => counters::line(side, table, column, &mut left_out)?,
            false => {
                let mut sequenced = sequenced.iter();
                let sequence = sequenced.find(|(other, _)| other.name == column.name);
                let default = match sequence.zip(target.counters.next) {
                    Some(((_, sequence), next)) => Some(next(&sequence.quoted(side.backend)?)),
                    None => default_of(prepared, original, column, &mut left_out),
                };
                let is_key = primary.is_some_and(|key| key.contains(&column.name));
                let may_be_null = original.is_nullable || column.instead.gives_null();
                let is_null = may_be_null && !is_key;
                if is_null && !original.is_nullable {
                    left_out.push(format!(
                        "{}.{}: NOT NULL is left out, because its `instead` gives NULL",
                        table.name, column.name
                    ));
                }
                let line = line(side.backend, column, is_null, default)?;
                match renews(prepared, original, column) {
                    true => {
                        let digits = column.sql_type.fraction_digits();
                        format!("{line} ON UPDATE CURRENT_TIMESTAMP({digits})")
                    }
                    false => line,
                }
            }
        });
    }
    let first = primary.and_then(<[String]>::first);
    let is_elsewhere = match counted.iter().any(|counted| first == Some(&counted.name)) {
        true => target.counters.is_key || is_key_late && !target.counters.needs_key,
        false => is_key_late,
    };
    for column in counted {
        lines.extend(counters::index_line(table, side, column)?);
    }
    match primary {
        Some(key) if !is_elsewhere => {
            lines.push(format!(
                "PRIMARY KEY ({})",
                objects::list(side.backend, key)?
            ));
        }
        Some(_) => {}
        // It follows as an index, or is said to be left out.
        None if table
            .indexes
            .iter()
            .any(|index| objects::is_primary(source, index)) => {}
        None => left_out.push(format!("{} has no primary key", side.name)),
    }
    lines.extend(checks::unnamed(source, table, side)?);
    if !target.objects.adds_references {
        let references = objects::references(prepared, tables)?;
        let made = references.into_iter().flatten();
        lines.extend(made.map(|reference| reference.definition));
    }
    let statement = format!(
        "{} ({}){}",
        (target.target.create)(&side.quoted()?),
        lines.join(", "),
        target.target.options
    );
    Ok(Creation {
        statement,
        left_out,
    })
}

pub(crate) fn line(
    backend: Backend,
    column: &ColumnSide,
    is_null: bool,
    default: Option<String>,
) -> Result<String, Error> {
    let name = quote_identifier(backend, &column.name)?;
    let null = match is_null {
        false => " NOT NULL",
        true if (engine(backend).columns.is_null_written)(column.own) => " NULL",
        true => "",
    };
    let clause = engine(backend).columns.default_clause;
    let default = default.map(|sql| clause(column.own, &sql));
    let default = default.unwrap_or_default();
    Ok(format!("{name} {}{null}{default}", column.sql_type))
}

/// Whether the target writes the present moment into a column at each change, as the source does.
fn renews(prepared: &PreparedTable<'_>, original: &Column, column: &ColumnSide) -> bool {
    let source = prepared.from.backend;
    original.generated == Generated::OnUpdate
        && prepared.to.backend.names_character_sets()
        && original.column_type(source).meaning() == Some(column.own)
}

fn default_of(
    prepared: &PreparedTable<'_>,
    original: &Column,
    column: &ColumnSide,
    left_out: &mut Vec<String>,
) -> Option<String> {
    let (source, side, table) = (prepared.from.backend, &prepared.to, prepared.original);
    let place = format!("{}.{}", table.name, original.name);
    match original.generated {
        Generated::No => {}
        // The default of a computed column is the expression.
        Generated::Computed => {
            left_out.push(format!(
                "{place}: it is computed in the source, and has plain values in the target"
            ));
            return None;
        }
        Generated::OnUpdate if renews(prepared, original, column) => {}
        how => left_out.push(format!("{place}: `{how}` is left out")),
    }
    let sql = original
        .default_in_full()
        .filter(|sql| !defaults::is_null(source, sql))?;
    let text = (engine(source).columns.name_as_text)(sql);
    let text = text.map(|text| text_literal(source, &text));
    let sql = text.as_deref().unwrap_or(sql);
    // A `datetime` has the clock of UTC, and its own now would have that of a session.
    let own = original.column_type(source).meaning();
    let is_moment = own == Some(Type::Instant) && column.own == Type::Timestamp;
    // The copy writes these in another form than definitions do.
    let is_text = matches!(column.own, Type::Text(_) | Type::PaddedText(_));
    let is_span = is_text && own == Some(Type::Interval) || column.is_text_of_others();
    let backends = [source, side.backend];
    let is_id = matches!(column.content, Content::Ids(_));
    let from = prepared.from.column(&column.name);
    let from = from.filter(|_| is_id || source != side.backend);
    let copied = from.and_then(|from| defaults::as_copied(backends, from, column, sql));
    let translated = match copied.is_some() || original.is_serial() || is_span {
        _ if original.has_unknown_default(source) => None,
        // The sequences of expressions are made behind the rows.
        _ if source == Backend::Postgres && sql.contains("nextval(") => None,
        true => copied,
        false if is_moment && defaults::is_now(source, sql) => {
            Some(engine(side.backend).columns.utc_now.into())
        }
        // The expression names the type.
        false if own == Some(Type::Own) && column.own != Type::Own => {
            defaults::own_value(source, side.backend, column.own, sql)
        }
        false => defaults::translated(
            source,
            side.backend,
            column.own,
            column.sql_type.tick(),
            sql,
        ),
    };
    if original.has_unknown_default(source) {
        left_out.push(format!(
            "{place}: its default is left out, because the source shows only a part of it"
        ));
    } else if original.has_uncertain_default(source) && translated.is_some() {
        left_out.push(format!(
            "{place}: its default is made as `{sql}`, in which the source may show other characters as question marks"
        ));
    } else if translated.is_none() {
        left_out.push(format!("{place}: the default `{sql}` is left out"));
    }
    translated
}

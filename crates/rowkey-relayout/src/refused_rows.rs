//! The reasons against a change that its rows are: values that no other form has, or that would lead
//! elsewhere.

use rowkey_core::storage::quote_identifier;
use rowkey_sql::{Conversion, StoredForm};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Catalog, Column, ForeignKey};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{ColumnType, Type};

use crate::id_map::{TABLE, is_of_another_format, is_unusable};
use crate::refusals::{Refusals, What};
use crate::work::{ChangedTable, Form, Source, Work};

/// How many values are shown of those that are damaged.
const EXAMPLES: usize = 3;

impl Refusals {
    /// Adds a reason for each column with values that aren't ids of the format in the form that
    /// programs use, or that the other form has no room for.
    pub(super) async fn add_damaged_values(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        used: Form,
    ) -> Result<(), Error> {
        let (form, conversion) = match (work.source, used) {
            (Source::Converted(conversion), Form::Old) => {
                (conversion.reversed().to(), Some(conversion))
            }
            (Source::Converted(conversion), Form::New) => {
                (conversion.to(), Some(conversion.reversed()))
            }
            // The map leads every value back, damaged or not; but another attempt would give a
            // damaged one to its row again.
            (Source::Mapped, Form::New) => (work.to, None),
            (Source::Mapped, Form::Old) => return Ok(()),
        };
        let instead = match used {
            Form::Old => {
                "correct or delete the rows, or plan with the format and the form that they have \
                 (`rowkey doctor` tells)"
            }
            Form::New => "correct or delete the rows, or finish with --contract",
        };
        for (table, column) in work.columns() {
            let place = (table, column.used(used));
            self.add_damaged_values_of(connection, place, (form, conversion), instead)
                .await?;
        }
        Ok(())
    }

    /// Adds a reason for each reference whose values the map of ids would take for others than those
    /// of the key: it has ids as text, and equal values may have several.
    pub(super) async fn add_other_texts(
        &mut self,
        connection: &mut Connection,
        work: &Work,
    ) -> Result<(), Error> {
        let Source::Mapped = work.source else {
            return Ok(());
        };
        let backend = work.backend;
        let (key_table, key) = work.key()?;
        let column_type = |column: &Column| column.column_type(backend);
        let key_type = column_type(&key.column);
        let is_whole = |own: &ColumnType| matches!(own.meaning(), Some(Type::Integer { .. }));
        let text = |own: &ColumnType, sql: &str| backend.as_compared(&own.as_mapped(sql));
        let parents = key_table.name().quoted(backend)?;
        let parent = format!("k.{}", quote_identifier(backend, &key.column.name)?);
        for (table, changed) in work.columns().filter(|(_, changed)| !changed.is_key) {
            let own = column_type(&changed.column);
            let is_same = own.is_same(&key_type);
            let has_one_text = own.has_one_text(changed.column.collation.as_deref());
            if is_same && has_one_text || is_whole(&own) && is_whole(&key_type) {
                continue;
            }
            let what = What::Reference((table.name().clone(), changed.column.name.clone()));
            // Of text, the rows say whether they have one, and a foreign key refuses others from then on.
            let is_text = matches!(own.meaning(), Some(Type::Text(_) | Type::PaddedText(_)));
            if is_same && changed.is_asserted && !is_text {
                self.add(
                    what,
                    format!("equal values of the type {own} have several texts, and new ids are found by text"),
                    "give the key and its references another type first",
                );
                continue;
            }
            let children = table.name().quoted(backend)?;
            let child = format!(
                "{children}.{}",
                quote_identifier(backend, &changed.column.name)?
            );
            let known = |condition: &str| {
                format!("EXISTS (SELECT 1 FROM {parents} AS k WHERE {condition})")
            };
            let same_text = format!("{} = {}", text(&key_type, &parent), text(&own, &child));
            let condition = match is_same {
                // Others refer to nothing, and may go on doing so.
                true => {
                    let same = format!("{parent} = {child}");
                    let with_text = known(&format!("{same} AND {same_text}"));
                    format!("{} AND NOT {with_text}", known(&same))
                }
                false => format!("{child} IS NOT NULL AND NOT {}", known(&same_text)),
            };
            let doing = format!("the values of {what}");
            let shown = own.readable(&child);
            let rows = (children.as_str(), shown.as_str());
            if let Some((count, examples)) = examples(connection, &doing, rows, &condition).await? {
                self.add(
                    what,
                    format!(
                        "its type is {own}, and that of the key {key_type}: new ids are found by text, and in \
                         {count} rows it is not that of an id of the key, such as {examples}"
                    ),
                    "correct or delete these rows, or give the column the type of the key first",
                );
            }
        }
        Ok(())
    }

    /// Adds a reason if the map has ids of another format, from an attempt that was undone: the
    /// rows would get those.
    pub(super) async fn add_map_of_another_format(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        catalog: &Catalog,
    ) -> Result<(), Error> {
        let Source::Mapped = work.source else {
            return Ok(());
        };
        if catalog.table(&TABLE.into()).is_err() {
            return Ok(());
        }
        let (table, _) = work.key()?;
        let format = work.to.format();
        let query = format!(
            "SELECT count(*) FROM {TABLE} WHERE {}",
            is_of_another_format(work)?
        );
        let others = connection.count("the map of ids", &query, &[]).await?;
        if others > 0 {
            self.add(
                format!("the table {TABLE}"),
                format!(
                    "{others} of its ids of {} are of another format than {}",
                    table.name(),
                    format.name()
                ),
                "rename it, if nobody has got those ids; otherwise plan with their format",
            );
        }
        Ok(())
    }

    /// Adds references that lead nowhere: they were written while the server did not check.
    pub(crate) async fn add_orphans(
        &mut self,
        connection: &mut Connection,
        work: &Work,
        table: &ChangedTable,
        keys: impl Iterator<Item = &ForeignKey>,
    ) -> Result<(), Error> {
        let backend = work.backend;
        for key in keys {
            let (mut on, mut present) = (Vec::new(), Vec::new());
            for (column, target) in key.columns.iter().zip(&key.target_columns) {
                let referred = work.table(&key.target).map(|other| &other.table);
                let [here, there] =
                    [(Some(&table.table), column), (referred, target)].map(|(table, name)| {
                        table.and_then(|table| table.column(name)?.collation.as_ref())
                    });
                let [column, target] = [("c", column), ("p", target)].map(|(row, name)| {
                    let name = quote_identifier(backend, name)?;
                    // PostgreSQL compares by no collation if there are two.
                    Ok(match here == there {
                        true => format!("{row}.{name}"),
                        false => format!("{row}.{name}::text COLLATE \"C\""),
                    })
                });
                let (column, target): (String, Result<_, Error>) = (column?, target);
                on.push(format!("{} = {column}", target?));
                present.push(format!("{column} IS NOT NULL"));
            }
            let query = format!(
                "SELECT COUNT(*) FROM {} c WHERE {} AND NOT EXISTS (SELECT 1 FROM {} p WHERE {})",
                table.name().quoted(backend)?,
                present.join(" AND "),
                key.target.quoted(backend)?,
                on.join(" AND ")
            );
            let doing = format!("the references of {}", table.name());
            let count = connection.count(&doing, &query, &[]).await?;
            if count > 0 {
                self.add(
                    format!("the foreign key {} of {}", key.name, table.name()),
                    format!("{count} of its references lead nowhere, although it forbids that"),
                    "correct or delete the rows",
                );
            }
        }
        Ok(())
    }

    /// Adds a reason if new ids cannot carry the creation times of all rows: those that cannot
    /// would get the time of the change, as if they were the newest.
    pub(super) async fn add_unusable_times(
        &mut self,
        connection: &mut Connection,
        work: &Work,
    ) -> Result<(), Error> {
        let (Source::Mapped, Some(created)) = (work.source, &work.created) else {
            return Ok(());
        };
        let (key, _) = work.key()?;
        let Some(is_unusable) = is_unusable(work.to, &key.table, created)? else {
            return Ok(());
        };
        let what = What::column(key.name(), created);
        let doing = format!("the creation times of {what}");
        let table = key.name().quoted(work.backend)?;
        let column = quote_identifier(work.backend, created)?;
        let column = work.backend.time_as_text(&column);
        let query = format!("SELECT count(*), min({column}) FROM {table} WHERE {is_unusable}");
        let row = connection.one_row(&doing, &query, &[]).await?;
        let count = row.count(0)?;
        if count > 0 {
            let example = row.0.get(1).map_or_else(String::new, shown);
            self.add(
                what,
                format!(
                    "the creation time of {count} of its rows is no instant that a {} carries, such as \
                     {example}",
                    work.to.format().name()
                ),
                "correct these times; with NULL, a row gets the time of the change; without `created` in \
                 the plan, all rows do",
            );
        }
        Ok(())
    }

    /// Adds a reason for the values of a column that aren't ids in a form, or have no place in the
    /// one to which they are converted, if they are.
    async fn add_damaged_values_of(
        &mut self,
        connection: &mut Connection,
        (table, column): (&ChangedTable, &str),
        (form, conversion): (StoredForm, Option<Conversion>),
        instead: &str,
    ) -> Result<(), Error> {
        let backend = form.backend();
        let quoted = quote_identifier(backend, column)?;
        let from = table.name().quoted(backend)?;
        let is_id = form.condition(&quoted)?;
        let (is_lost, too_large) = match conversion {
            Some(conversion) => (
                format!(" OR {} IS NULL", conversion.of(&quoted)?),
                ", or too large for the other form",
            ),
            None => Default::default(),
        };
        let is_damaged = format!("{quoted} IS NOT NULL AND (NOT ({is_id}){is_lost})");
        let what = What::column(table.name(), column);
        let doing = format!("the damaged values of {what}");
        let rows = (from.as_str(), quoted.as_str());
        let Some((count, examples)) = examples(connection, &doing, rows, &is_damaged).await? else {
            return Ok(());
        };
        let values = if count == 1 { "value is" } else { "values are" };
        let why = format!(
            "{count} {values} no {} as {}:{}{too_large}, such as {}",
            form.format().name(),
            form.storage().name(),
            form.layout().name(),
            examples,
        );
        self.add(what, why, instead);
        Ok(())
    }
}

/// How many rows of a table there are with a condition, and what the first ones have in a column;
/// nothing if there are none.
pub(super) async fn examples(
    connection: &mut Connection,
    doing: &str,
    (table, column): (&str, &str),
    condition: &str,
) -> Result<Option<(u64, String)>, Error> {
    let count = format!("SELECT count(*) FROM {table} WHERE {condition}");
    let count = connection.count(doing, &count, &[]).await?;
    if count == 0 {
        return Ok(None);
    }
    let (top, limit) = connection.backend().first_rows(EXAMPLES);
    let examples = format!("SELECT {top}{column} FROM {table} WHERE {condition}{limit}");
    let examples = connection.query(doing, &examples, &[]).await?;
    let examples = examples.iter().filter_map(|row| row.0.first().map(shown));
    Ok(Some((count, examples.collect::<Vec<_>>().join(", "))))
}

/// A value for people, in whose sentences a text needs marks.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}

//! Rows that differ in the source, and are the same under a unique key of the target.

use futures_util::future::try_join3;
use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::catalog::{QualifiedName, Table};
use rowkey_tables::connection::{Connection, Value, on_one_line};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::types::{ColumnType, Kind, Type};
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::definitions::create;
use crate::engine::{engine, of_column};
use crate::plans::plan::CopyPolicy;
use crate::rows::batch::{Batch, Cell};
use crate::rows::read::read;
use crate::rows::select::{KeyRange, first};
use crate::rows::write::{Encoder, Limit, Tally, fit, write};
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, Content, TableSide};

/// A temporary table of the target, whose values the target itself compares.
const TABLE: &str = "rowkey_preflight";
/// How many clashes are shown.
const EXAMPLES: usize = 3;

/// What was found about the unique keys of a table.
#[derive(Default)]
pub(super) struct Found {
    pub(super) refused: Vec<Error>,
    pub(super) notes: Vec<String>,
}

/// Looks at the unique keys whose values the target may take for the same, and at those that only
/// an existing table of the target has, in the rows whose values have a place.
pub(super) async fn find(
    source: &mut Connection,
    target: &mut Connection,
    table: &PreparedTable<'_>,
    existing: Option<&Table>,
    misfits: &[String],
) -> Result<Found, Error> {
    let (from, to, table) = (&table.from, &table.to, table.original);
    let mut found = Found::default();
    let own = unique(table);
    let more = existing.map(unique).unwrap_or_default();
    let more = more.into_iter().filter(|columns| !own.contains(columns));
    let more: Vec<&[String]> = more.collect();
    for columns in own.iter().chain(&more) {
        let place = |name: &String| from.columns.iter().position(|column| column.name == *name);
        let Some(places) = columns.iter().map(place).collect::<Option<Vec<usize>>>() else {
            continue;
        };
        let is_partial = columns.iter().any(|name| misfits.contains(name));
        let key = Key {
            from: part(from, &places, from.name.clone()),
            to: part(to, &places, temporary(to.backend)),
            is_partial,
        };
        // The source does not keep the values of the target's own keys apart.
        if !key.may_clash() && !more.contains(columns) {
            continue;
        }
        let names = columns.join(", ");
        if is_partial {
            found.notes.push(format!(
                "{}: whether {names} stays unique was looked at only in rows whose values have a place",
                table.name
            ));
        }
        match key.ask(source, target, &key.repeated()?).await {
            Ok((0, _)) => {}
            Ok((count, examples)) => found.refused.push(Error::refused(
                format!("{}: the unique key of {names}", table.name),
                format!(
                    "{count} of its values are there several times for the target, which takes these \
                     for the same: {}",
                    examples.join("; ")
                ),
                "change the rows, or give the columns a type or a collation that tells them apart",
            )),
            // A value may have no place for another reason than those that are looked at here.
            Err(error)
                if error.is_denied() || is_partial && matches!(error, Error::Refused { .. }) =>
                found.notes.push(format!(
                "{}: whether {names} stays unique could not be looked at: {}",
                table.name,
                error.reason()
            )),
            Err(error) => return Err(error),
        }
    }
    for columns in existing.map(unique).unwrap_or_default() {
        if to.merges_rows() && !to.primary_key.is_empty() {
            let taken = taken(source, target, from, to, columns).await?;
            found.refused.extend(taken);
        }
    }
    Ok(found)
}

/// Why rows cannot be merged: rows of the target have the same values of a unique key under another
/// primary key.
async fn taken(
    source: &mut Connection,
    target: &mut Connection,
    from: &TableSide,
    to: &TableSide,
    columns: &[String],
) -> Result<Option<Error>, Error> {
    let place = |name: &String| to.columns.iter().position(|column| column.name == *name);
    let Some(unique) = columns.iter().map(place).collect::<Option<Vec<usize>>>() else {
        return Ok(None);
    };
    if to.primary_key.iter().all(|place| unique.contains(place)) {
        return Ok(None);
    }
    let others = unique
        .iter()
        .filter(|place| !to.primary_key.contains(place));
    let places: Vec<usize> = to.primary_key.iter().chain(others).copied().collect();
    let key = Key {
        from: part(from, &places, from.name.clone()),
        to: part(to, &places, temporary(to.backend)),
        is_partial: true,
    };
    let quoted = |place: &usize| quote_identifier(to.backend, &to.columns[*place].name);
    let same = |places: &[usize]| {
        let same = places.iter().map(|place| {
            let name = quoted(place)?;
            Ok(format!("old.{name} = new.{name}"))
        });
        let same: Vec<String> = same.collect::<Result<_, Error>>()?;
        Ok::<_, Error>(same.join(" AND "))
    };
    let rows = format!(
        "FROM {} AS old JOIN {} AS new ON {} WHERE NOT ({})",
        to.quoted()?,
        key.to.quoted()?,
        same(&unique)?,
        same(&to.primary_key)?
    );
    let shown = unique.iter().map(|place| {
        let value = key.comparable(&format!("new.{}", quoted(place)?));
        Ok(format!("{value}, {value}"))
    });
    let shown: Vec<String> = shown.collect::<Result<_, Error>>()?;
    let question = Question {
        count: format!("SELECT COUNT(*) {rows}"),
        examples: format!("SELECT {} {rows}", shown.join(", ")),
    };
    let (count, examples) = key.ask(source, target, &question).await?;
    let names = columns.join(", ");
    Ok((count > 0).then(|| {
        Error::refused(
            format!("the table {} in the target", to.name),
            format!(
                "{count} of its rows have {names} of rows that are to be merged, and another primary \
                 key, such as {}",
                examples.join("; ")
            ),
            "write `existing-rows = \"delete\"` or `existing-rows = \"keep\"`, or change these rows",
        )
    }))
}

/// The columns of each unique key and index.
fn unique(table: &Table) -> Vec<&[String]> {
    let keys = table.keys.iter().map(|key| key.columns.as_slice());
    let indexes = table
        .indexes
        .iter()
        .filter(|index| index.is_unique && index.is_plain)
        .map(|index| index.columns.as_slice());
    let mut unique: Vec<&[String]> = keys.chain(indexes).collect();
    unique.sort_unstable();
    unique.dedup();
    unique
}

fn temporary(backend: Backend) -> QualifiedName {
    QualifiedName {
        schema: None,
        name: format!("{}{TABLE}", engine(backend).target.temporary_prefix),
    }
}

/// Some columns of a side.
fn part(side: &TableSide, places: &[usize], name: QualifiedName) -> TableSide {
    let columns = places.iter().map(|place| &side.columns[*place]);
    TableSide {
        is_partitioned: side.is_partitioned,
        ..TableSide::new(side.backend, name, columns.cloned().collect())
    }
}

/// Queries for how many clashes there are, and for their values, each of them twice.
struct Question {
    count: String,
    examples: String,
}

/// A unique key on both sides.
struct Key {
    from: TableSide,
    to: TableSide,
    /// Whether rows with values that have no place are left out.
    is_partial: bool,
}

impl Key {
    fn may_clash(&self) -> bool {
        let mut pairs = self.from.columns.iter().zip(&self.to.columns);
        pairs.any(|(from, to)| self.may_merge(from, to))
    }

    /// Whether the target may take different values of a column for the same.
    fn may_merge(&self, from: &ColumnSide, to: &ColumnSide) -> bool {
        let is_text = matches!(from.own, Type::Text(_) | Type::PaddedText(_));
        let Content::Values(kind) = from.content else {
            // Each id has one form.
            return false;
        };
        match kind {
            // Spaces at the end count in few collations.
            Kind::Text if engine(self.to.backend).columns.names_collations => {
                let (one, other) = (&from.collation, &to.collation);
                let is_exact = other
                    .as_ref()
                    .is_some_and(|name| name.ends_with("_nopad_bin"));
                !is_exact && (one.is_none() || one != other)
            }
            Kind::Text if to.collation.is_some() => true,
            Kind::Uuid => is_text,
            // As text, a number or a time has several forms.
            Kind::Decimal | Kind::Date | Kind::Time | Kind::Timestamp => {
                self.from.backend.stores_any_type()
            }
            _ => !from.instead.is_empty(),
        }
    }

    /// Fills a temporary table with the values of the source, and asks a question about it: how many,
    /// and some of them.
    async fn ask(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        question: &Question,
    ) -> Result<(u64, Vec<String>), Error> {
        let doing = format!("comparing the keys of {}", self.from.name);
        let create = self.creation()?;
        target.execute(&doing, &create).await?;
        let outcome = self.answer(source, target, question, &doing).await;
        let temporary = engine(self.to.backend).target.temporary_dropped;
        let drop = format!("DROP {temporary}TABLE {}", self.to.quoted()?);
        let dropped = target.execute(&doing, &drop).await;
        let outcome = outcome?;
        dropped?;
        Ok(outcome)
    }

    fn creation(&self) -> Result<String, Error> {
        let lines = self.to.columns.iter().map(|column| {
            let mut column = column.clone();
            let collation = self.collation(&column);
            let sql_type = format!("{}{collation}", column.sql_type);
            column.sql_type = ColumnType::parse(self.to.backend, sql_type);
            create::line(self.to.backend, &column, true, None)
        });
        let lines: Vec<String> = lines.collect::<Result<_, Error>>()?;
        let temporary = engine(self.to.backend).target.temporary;
        Ok(format!(
            "CREATE {temporary}TABLE {} ({})",
            self.to.quoted()?,
            lines.join(", ")
        ))
    }

    /// The collation of a column that does not name one.
    fn collation(&self, column: &ColumnSide) -> &'static str {
        match column.collation.as_deref() {
            _ if column.sql_type.collation().is_some() => "",
            // Of SQLite, whose types have none.
            Some("NOCASE") => " COLLATE NOCASE",
            Some("RTRIM") => " COLLATE RTRIM",
            _ if column.sql_type.is_char() => engine(self.to.backend).target.temporary_collation,
            _ => "",
        }
    }

    async fn answer(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        question: &Question,
        doing: &str,
    ) -> Result<(u64, Vec<String>), Error> {
        let sessions = &engine(self.to.backend).sessions;
        target.execute(doing, sessions.begin_temporary).await?;
        let filled = self.fill(source, target).await;
        let end = match filled {
            Ok(()) => "COMMIT",
            Err(_) => sessions.rollback,
        };
        let ended = target.execute(doing, end).await;
        // What has gone wrong first is why the rest has.
        filled?;
        ended?;
        let count = target.count(doing, &question.count, &[]).await?;
        let query = first(self.to.backend, EXAMPLES, &question.examples);
        let rows = target.query(doing, &query, &[]).await?;
        let examples = rows.iter().map(|row| example(&row.0)).collect();
        Ok((count, examples))
    }

    /// Which values are there several times in the target.
    fn repeated(&self) -> Result<Question, Error> {
        let columns = self.to.columns.iter();
        let quoted = columns.map(|column| quote_identifier(self.to.backend, &column.name));
        let quoted: Vec<String> = quoted.collect::<Result<_, _>>()?;
        let is_there: Vec<String> = quoted
            .iter()
            .map(|name| format!("{name} IS NOT NULL"))
            .collect();
        let list = quoted.join(", ");
        let groups = format!(
            "FROM {} WHERE {} GROUP BY {list} HAVING COUNT(*) > 1",
            self.to.quoted()?,
            is_there.join(" AND ")
        );
        // Two of the values that are the same.
        let shown = quoted.iter().map(|name| {
            let value = self.comparable(name);
            format!("MIN({value}), MAX({value})")
        });
        let shown: Vec<String> = shown.collect();
        Ok(Question {
            count: format!("SELECT COUNT(*) FROM (SELECT {list} {groups}) AS clashes"),
            examples: format!("SELECT {} {groups}", shown.join(", ")),
        })
    }

    /// A value as text.
    fn comparable(&self, name: &str) -> String {
        of_column(engine(self.to.backend).rows.comparable, name)
    }

    async fn fill(&self, source: &mut Connection, target: &mut Connection) -> Result<(), Error> {
        let query = self.from.select(KeyRange::ALL, false)?;
        let mut from = self.from.clone();
        for column in &mut from.columns {
            column.keeps_refused = self.is_partial;
        }
        let (sender, batches) = mpsc::channel(1);
        let (fitting, left) = mpsc::channel(1);
        let mut encoder = Encoder::start(&self.to, target.statement_limit(), left)?;
        let rows = CopyPolicy::default().batch_rows as usize;
        let writing = async {
            let mut tally = Tally::default();
            match encoder.next().await? {
                None => Ok(()),
                Some(first) => {
                    let all = Limit::NONE;
                    write(target, &self.to, first, &mut encoder, all, &mut tally).await
                }
            }
        };
        let reading = read(source, &from, &query, rows, sender);
        try_join3(reading, self.sift(batches, fitting), writing).await?;
        Ok(())
    }

    /// Passes on the rows whose values are to be compared.
    async fn sift(
        &self,
        mut batches: Receiver<Batch>,
        fitting: Sender<Batch>,
    ) -> Result<(), Error> {
        while let Some(mut batch) = batches.recv().await {
            if self.is_partial {
                batch.retain(|batch, row| self.has_places(batch, row));
            }
            if !batch.is_empty() && fitting.send(batch).await.is_err() {
                // Whoever has stopped taking rows says why.
                break;
            }
        }
        Ok(())
    }

    fn has_places(&self, batch: &Batch, row: &[Cell]) -> bool {
        let mut columns = self.to.columns.iter().zip(row);
        columns.all(|(column, cell)| fit::check(self.to.backend, column, batch, *cell).is_ok())
    }
}

/// A value that the database has given as text or as its bytes.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => match str::from_utf8(bytes) {
            Ok(text) => format!("\"{}\"", on_one_line(text)),
            Err(_) => value.to_string(),
        },
        Value::Text(text) => format!("\"{}\"", on_one_line(text)),
        other => other.to_string(),
    }
}

/// Each column with both of its values, or one if they look the same.
fn example(values: &[Value]) -> String {
    let columns: Vec<String> = values
        .chunks(2)
        .map(|pair| match pair {
            [one, other] if one != other => format!("{} and {}", shown(one), shown(other)),
            [one, ..] => shown(one),
            [] => String::new(),
        })
        .collect();
    columns.join(", ").chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn creation(backend: Backend, sql_type: &str, own: Type, kind: Kind) -> String {
        let side = |backend| {
            let sql_type = ColumnType::parse(backend, sql_type);
            let column = ColumnSide::new("name", sql_type, own, Content::Values(kind));
            TableSide::new(backend, temporary(backend), vec![column])
        };
        let key = Key {
            from: side(Backend::Postgres),
            to: side(backend),
            is_partial: false,
        };
        key.creation().unwrap()
    }

    #[test]
    fn keys_are_compared_as_the_tables_of_the_database_do() {
        let text = Type::Text(Some(9));
        for (backend, sql_type, own, kind, expected) in [
            (
                Backend::SqlServer,
                "nvarchar(9)",
                text,
                Kind::Text,
                "[name] nvarchar(9) COLLATE DATABASE_DEFAULT NULL",
            ),
            (
                Backend::SqlServer,
                "nvarchar(9) COLLATE Latin1_General_100_BIN2",
                text,
                Kind::Text,
                "[name] nvarchar(9) COLLATE Latin1_General_100_BIN2 NULL",
            ),
            (
                Backend::SqlServer,
                "uniqueidentifier",
                Type::Uuid,
                Kind::Uuid,
                "[name] uniqueidentifier NULL",
            ),
            (
                Backend::Postgres,
                "character varying(9)",
                text,
                Kind::Text,
                "\"name\" character varying(9)",
            ),
        ] {
            let creation = creation(backend, sql_type, own, kind);
            assert!(creation.ends_with(&format!("({expected})")), "{creation}");
        }
    }
}

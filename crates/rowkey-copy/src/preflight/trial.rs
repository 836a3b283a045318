//! Values of the source in a temporary table of the target, which answers questions about its own
//! rules.

use futures_util::future::try_join3;
use rowkey_core::Backend;
use rowkey_tables::Error;
use rowkey_tables::catalog::QualifiedName;
use rowkey_tables::connection::{Connection, Value, on_one_line};
use rowkey_tables::types::ColumnType;
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::batch::{Batch, Cell};
use crate::definitions::create;
use crate::engine::engine;
use crate::plans::plan::CopyPolicy;
use crate::rows::read::read;
use crate::rows::select::{KeyRange, first};
use crate::rows::write::{Encoder, Limit, Tally, fit, write};
use crate::tables::prepared::PreparedTable;
use crate::tables::table_side::{ColumnSide, TableSide};

/// The temporary table.
const TABLE: &str = "rowkey_preflight";
/// What PostgreSQL says of a limit of its own.
pub(super) const LIMIT: &str = "54000";
/// What it says of an error that a function raises.
const RAISED: &str = "P0001";
/// How many rows are shown.
const EXAMPLES: usize = 3;

/// What is asked about the values.
pub(super) enum Question {
    /// Queries for how many there are of something, and for some of their values, each of them
    /// twice.
    Rows { count: String, examples: String },
    /// A statement that the target may refuse.
    Statement(String),
}

/// How many there are, and some of them; or why the target could not say it.
pub(super) type Answer = Result<(u64, Vec<String>), Error>;

/// What was found about the rules of a table.
#[derive(Default)]
pub(super) struct Found {
    pub(super) refused: Vec<Error>,
    pub(super) notes: Vec<String>,
}

/// Some columns of a table on both sides.
pub(super) struct Trial {
    pub(super) from: TableSide,
    pub(super) to: TableSide,
    /// Whether rows with values that have no place are left out.
    pub(super) is_partial: bool,
}

impl Trial {
    /// The columns with some names, if all are copied; `misfits` have values without a place.
    pub(super) fn of(
        table: &PreparedTable<'_>,
        names: &[String],
        misfits: &[String],
    ) -> Option<Self> {
        let sides = table.from.columns.iter().zip(&table.to.columns);
        let named = names.iter().map(|name| {
            let mut sides = sides.clone();
            let found = sides.find(|(from, _)| from.name == *name)?;
            Some((found.0.clone(), found.1.clone()))
        });
        let (from, to) = named.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let side = |side: &TableSide, name, columns| TableSide {
            is_partitioned: side.is_partitioned,
            ..TableSide::new(side.backend, name, columns)
        };
        Some(Self {
            from: side(&table.from, table.from.name.clone(), from),
            to: side(&table.to, temporary(table.to.backend), to),
            is_partial: names.iter().any(|name| misfits.contains(name)),
        })
    }

    /// Fills a temporary table with the values of the source, and asks questions about it.
    pub(super) async fn ask(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        questions: &[Question],
    ) -> Result<Vec<Answer>, Error> {
        let doing = format!("comparing the rows of {}", self.from.name);
        let create = self.creation()?;
        target.execute(&doing, &create).await?;
        let outcome = self.answers(source, target, questions, &doing).await;
        let temporary = engine(self.to.backend).target.temporary_dropped;
        let drop = format!("DROP {temporary}TABLE {}", self.to.quoted()?);
        let dropped = target.execute(&doing, &drop).await;
        let outcome = outcome?;
        dropped?;
        Ok(outcome)
    }

    /// Whether the values could not be looked at, which does not say that the copy would fail: a value
    /// may have no place for another reason than those that are looked at before.
    pub(super) fn is_prevented(&self, error: &Error) -> bool {
        error.sql_state().is_some() || self.is_partial && matches!(error, Error::Refused { .. })
    }

    /// That the target itself refuses a value, which the copy would end with.
    pub(super) fn refused_value(&self, error: &Error) -> Option<Error> {
        let columns = self.to.columns.iter();
        let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        is_of_row(error).then(|| {
            Error::refused(
                format!("{}: {}", self.from.name, columns.join(", ")),
                format!("the target does not take all values: {}", error.reason()),
                "change them, or leave the column out",
            )
        })
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
    fn collation(&self, column: &ColumnSide) -> String {
        let engine = engine(self.to.backend);
        match &column.collation {
            _ if column.sql_type.collation().is_some() => String::new(),
            Some(name) if !engine.columns.names_collations => format!(" COLLATE {name}"),
            _ if column.sql_type.is_char() => engine.target.temporary_collation.into(),
            _ => String::new(),
        }
    }

    async fn answers(
        &self,
        source: &mut Connection,
        target: &mut Connection,
        questions: &[Question],
        doing: &str,
    ) -> Result<Vec<Answer>, Error> {
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
        let mut answers = Vec::new();
        for question in questions {
            match self.answer(target, question, doing).await {
                Err(error) if error.sql_state().is_none() => return Err(error),
                answer => answers.push(answer),
            }
        }
        Ok(answers)
    }

    async fn answer(&self, target: &mut Connection, question: &Question, doing: &str) -> Answer {
        let (count, examples) = match question {
            Question::Rows { count, examples } => (count, examples),
            Question::Statement(statement) => {
                target.execute(doing, statement).await?;
                return Ok((0, Vec::new()));
            }
        };
        let count = target.count(doing, count, &[]).await?;
        if count == 0 {
            return Ok((0, Vec::new()));
        }
        let query = first(self.to.backend, EXAMPLES, examples);
        let rows = target.query(doing, &query, &[]).await?;
        let examples = rows.iter().map(|row| example(&row.0)).collect();
        Ok((count, examples))
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

fn temporary(backend: Backend) -> QualifiedName {
    QualifiedName {
        schema: None,
        name: format!("{}{TABLE}", engine(backend).target.temporary_prefix),
    }
}

/// Whether a row is why the target did not answer: it breaks a rule, or a rule cannot be asked about
/// its values. The copy would end with it.
pub(super) fn is_of_row(error: &Error) -> bool {
    let is_of_values = |state: &str| {
        state.len() == 5
            && (state.starts_with("22")
                || state.starts_with("23")
                || [LIMIT, RAISED].contains(&state))
    };
    error.sql_state().is_some_and(|state| is_of_values(&state))
}

/// The note for a rule of the target that was left to the copy.
pub(super) fn not_looked_at(table: &PreparedTable<'_>, name: &str) -> String {
    format!(
        "{}: whether all rows fulfil the {name} of the target was not looked at; one that does not ends the copy",
        table.to.name
    )
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
    use crate::tables::table_side::Content;
    use rowkey_tables::types::{Kind, Type};

    fn creation(backend: Backend, sql_type: &str, own: Type, kind: Kind) -> String {
        let side = |backend| {
            let sql_type = ColumnType::parse(backend, sql_type);
            let column = ColumnSide::new("name", sql_type, own, Content::Values(kind));
            TableSide::new(backend, temporary(backend), vec![column])
        };
        let trial = Trial {
            from: side(Backend::Postgres),
            to: side(backend),
            is_partial: false,
        };
        trial.creation().unwrap()
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

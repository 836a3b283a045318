//! References that values prove, whatever their columns are called: an id exists in one key only.

use rowkey_core::storage::quote_identifier;
use rowkey_core::{Backend, Error as CoreError};

use super::likely::is_declared;
use super::model::{Evidence, Holds, Origin, Reference};
use super::probe::SAMPLE;
use crate::catalog::{Column, Table};
use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::types::{ColumnType, Type};

/// The columns of a table with ids of a key that counts nothing, among those that are looked for.
pub async fn by_values(
    connection: &mut Connection,
    (target, key): (&Table, &Column),
    table: &Table,
    is_wanted: impl Fn(&Column) -> bool,
    unseen: &mut Vec<String>,
) -> Vec<Reference> {
    let Some(ids) = Ids::of(connection.backend(), target, key) else {
        return Vec::new();
    };
    let (mut found, mut problem) = (Vec::new(), None);
    let columns = table.columns.iter().filter(|_| !table.is_of_tools());
    for column in columns.filter(|column| is_wanted(column) && ids.may_be_in(table, column)) {
        match ids.count(connection, table, column).await {
            Ok(evidence) if evidence.found > 0 => found.push(ids.reference(column, evidence)),
            Ok(_) => {}
            Err(error) => problem = problem.or(Some(error)),
        }
    }
    // What is wrong with a column is mostly wrong with all of its table.
    unseen.extend(problem.map(|error| {
        format!(
            "which columns of {} have ids of {}: {error}",
            table.name, target.name
        )
    }));
    found
}

/// The ids of a key.
struct Ids<'t> {
    backend: Backend,
    table: &'t Table,
    key: &'t Column,
    holds: Holds,
}

impl<'t> Ids<'t> {
    /// Those of a key, unless two tables have the same values by chance: numbers.
    fn of(backend: Backend, table: &'t Table, key: &'t Column) -> Option<Self> {
        let holds = Holds::of(key).filter(|holds| *holds != Holds::Number)?;
        let ids = Self {
            backend,
            table,
            key,
            holds,
        };
        ids.has_room(key).then_some(ids)
    }

    /// How many bytes or characters a value has that no other one is by chance; nothing if all
    /// values have.
    fn least_length(&self) -> Option<u32> {
        match self.holds {
            Holds::Bytes => Some(12),
            Holds::Text => Some(16),
            Holds::Uuid | Holds::Number => None,
        }
    }

    fn has_room(&self, column: &Column) -> bool {
        let most = column.column_type(self.backend).length();
        let least = self.least_length();
        most.zip(least).is_none_or(|(most, least)| most >= least)
    }

    fn may_be_in(&self, table: &Table, column: &Column) -> bool {
        Holds::of(column) == Some(self.holds)
            && self.has_room(column)
            && !is_declared(table, column)
    }

    /// Looks for the first values of a column.
    async fn count(
        &self,
        connection: &mut Connection,
        table: &Table,
        column: &Column,
    ) -> Result<Evidence, Error> {
        let backend = self.backend;
        let (from, to) = (
            table.name.quoted(backend)?,
            self.table.name.quoted(backend)?,
        );
        let column = quote_identifier(backend, &column.name)?;
        let key = quote_identifier(backend, &self.key.name)?;
        let value = self.comparable(&column)?;
        let is_long = self.is_long("s.v");
        let (top, limit) = backend.first_rows(SAMPLE);
        let query = format!(
            "SELECT COUNT(*), COALESCE(SUM(f.found), 0) FROM (SELECT CASE WHEN {is_long}EXISTS \
             (SELECT 1 FROM {to} AS t WHERE t.{key} = s.v) THEN 1 ELSE 0 END AS found \
             FROM (SELECT {top}{value} AS v FROM {from} WHERE {column} IS NOT NULL{limit}) AS s) AS f"
        );
        let row = connection
            .one_row("a look at its values", &query, &[])
            .await?;
        Ok(Evidence {
            sampled: row.count(0)?,
            found: row.count(1)?,
        })
    }

    /// A text with the type and the collation of the key, whose index then finds it.
    fn comparable(&self, column: &str) -> Result<String, CoreError> {
        let collation = self.key.collation.as_deref();
        let (Holds::Text, Some(collation)) = (self.holds, collation) else {
            return Ok(column.to_owned());
        };
        let text = format!("{column}{}", self.cast());
        self.backend.collated(&text, collation)
    }

    /// PostgreSQL compares its padded text with other text as the latter, without an index.
    fn cast(&self) -> &'static str {
        if self.backend != Backend::Postgres {
            return "";
        }
        match ColumnType::parse(self.backend, self.key.sql_type.as_str()).meaning() {
            Some(Type::PaddedText(_)) => "::bpchar",
            Some(Type::Text(_)) => "::text",
            _ => "",
        }
    }

    /// The beginning of a condition, that a value is long enough.
    fn is_long(&self, value: &str) -> String {
        let Some(least) = self.least_length() else {
            return String::new();
        };
        let [bytes, characters] = self.backend.lengths();
        let length = match self.holds {
            Holds::Bytes => bytes,
            _ => characters,
        };
        format!("{length}({value}) >= {least} AND ")
    }

    fn reference(&self, column: &Column, evidence: Evidence) -> Reference {
        let values = match evidence.found == evidence.sampled {
            true => "its values are",
            false => "some of its values are",
        };
        Reference {
            columns: vec![column.name.clone()],
            target: self.table.name.clone(),
            target_columns: vec![self.key.name.clone()],
            origin: Origin::Likely {
                reason: format!("{values} ids of {}", self.table.name),
                evidence: Some(evidence),
            },
        }
    }
}

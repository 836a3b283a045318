//! A table for the rows of one key type.

use anyhow::{Context, Result};
use rowkey::{Column, Nullability};
use sqlx::QueryBuilder;

use crate::driver::{Driver, Session};
use crate::keys::Case;

/// A table with a key (`id`, the primary key), a second one of the same type that may be NULL
/// (`parent`) and a number (`n`).
pub(crate) struct Table<'c, D: Driver> {
    name: String,
    case: &'c Case<D>,
}

/// A row of a [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Record {
    pub(crate) n: i64,
    pub(crate) id: u128,
    pub(crate) parent: Option<u128>,
}

impl Record {
    /// Rows of these ids without parents, numbered from 0.
    pub(crate) fn numbered(ids: impl IntoIterator<Item = u128>) -> Vec<Self> {
        let record = |(n, id)| Self {
            n,
            id,
            parent: None,
        };
        (0..).zip(ids).map(record).collect()
    }

    /// The row with a parent.
    pub(crate) fn with_parent(self, parent: u128) -> Self {
        Self {
            parent: Some(parent),
            ..self
        }
    }
}

impl<'c, D: Driver> Table<'c, D> {
    /// Creates the table, with the column definitions of the key's plan.
    pub(crate) async fn create(session: &mut Session<D>, case: &'c Case<D>) -> Result<Self> {
        let backend = session.backend();
        let column = case.plan.column(backend);
        let name = session.quoted(&format!("{} as {}", case.format(), column.storage()));
        let id = case
            .plan
            .column_definition(backend, "id", Nullability::NotNull)?;
        let parent = case
            .plan
            .column_definition(backend, "parent", Nullability::Nullable)?;
        let primary = session.quoted("id");
        let definition = format!(
            "CREATE TABLE {name} ({id}, {parent}, n BIGINT NOT NULL, PRIMARY KEY ({primary}))"
        );
        session
            .fetch_text(definition.as_str())
            .await
            .context(definition)?;
        Ok(Self { name, case })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Inserts rows with bound keys.
    pub(crate) async fn insert(&self, session: &mut Session<D>, records: &[Record]) -> Result<()> {
        for chunk in records.chunks(100) {
            let mut query = self.query("INSERT INTO", " (id, parent, n) VALUES ");
            for (index, record) in chunk.iter().enumerate() {
                query.push(if index == 0 { "(" } else { ", (" });
                (self.case.push)(&mut query, record.id);
                query.push(", ");
                (self.case.push_option)(&mut query, record.parent);
                query.push(", ");
                D::push_integer(&mut query, record.n);
                query.push(")");
            }
            session.fetch(query).await?;
        }
        Ok(())
    }

    /// The query `before` table `after`.
    pub(crate) fn query(&self, before: &str, after: &str) -> QueryBuilder<D> {
        QueryBuilder::new(format!("{before} {}{after}", self.name))
    }

    /// The query for all columns of rows, up to the condition.
    pub(crate) fn select_where(&self) -> QueryBuilder<D> {
        self.query("SELECT id, parent, n FROM", " WHERE ")
    }

    /// The rows of such a query.
    pub(crate) fn records(&self, rows: &[D::Row]) -> sqlx::Result<Vec<Record>> {
        let record = |row| {
            Ok(Record {
                n: D::get_integer(row, "n")?,
                id: (self.case.read)(row, "id")?,
                parent: (self.case.read_option)(row, "parent")?,
            })
        };
        rows.iter().map(record).collect()
    }

    /// The rows with a bound key.
    pub(crate) async fn records_of(
        &self,
        session: &mut Session<D>,
        id: u128,
    ) -> Result<Vec<Record>> {
        let mut query = self.select_where();
        query.push("id = ");
        (self.case.push)(&mut query, id);
        Ok(self.records(&session.fetch(query).await?)?)
    }

    /// The numbers of the rows that a condition selects, in ascending order.
    pub(crate) async fn numbers_where(
        &self,
        session: &mut Session<D>,
        condition: impl FnOnce(&mut QueryBuilder<D>) -> Result<()>,
    ) -> Result<Vec<i64>> {
        let mut query = self.query("SELECT n FROM", " WHERE ");
        condition(&mut query)?;
        query.push(" ORDER BY n");
        let rows = session.fetch(query).await?;
        let numbers: sqlx::Result<_> = rows.iter().map(|row| D::get_integer(row, "n")).collect();
        Ok(numbers?)
    }
}

/// The cases of a backend with one column each; a key can have the column of another.
pub(crate) fn distinct_cases<D: Driver>(session: &Session<D>) -> Vec<(Case<D>, Column)> {
    let mut found: Vec<(Case<D>, Column)> = Vec::new();
    for case in D::cases() {
        let Some(column) = case.column(session.backend()) else {
            continue;
        };
        if found.iter().all(|(_, known)| *known != column) {
            found.push((case, column));
        }
    }
    found
}

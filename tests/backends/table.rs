//! A table for the rows of one key type.

use anyhow::Result;
use rowkey::Backend;
use rowkey::storage::{Column, Nullability, Storage};

use crate::cases::Cases;
use crate::driver::{Driver, Session};
use crate::keys::Case;
use crate::query::Query;

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
    /// The table of a key that another session has created.
    pub(crate) fn created(session: &Session<D>, case: &'c Case<D>) -> Self {
        let name = session.quoted(&Self::name_of(case, session.backend()));
        Self { name, case }
    }

    /// Creates the table, with the column definitions of the key's plan.
    pub(crate) async fn create(session: &mut Session<D>, case: &'c Case<D>) -> Result<Self> {
        Self::create_with(session, case, "").await
    }

    /// The same with a clause behind the columns.
    pub(crate) async fn create_with(
        session: &mut Session<D>,
        case: &'c Case<D>,
        clause: &str,
    ) -> Result<Self> {
        let table = Self::created(session, case);
        let backend = session.backend();
        let id = case
            .plan
            .column_definition(backend, "id", Nullability::NotNull)?;
        let parent = case
            .plan
            .column_definition(backend, "parent", Nullability::Nullable)?;
        let primary = session.quoted("id");
        let definition = format!(
            "CREATE TABLE {} ({id}, {parent}, n BIGINT NOT NULL, PRIMARY KEY ({primary})) {clause}",
            table.name
        );
        session.execute(definition).await?;
        Ok(table)
    }

    /// What the table of a case is called, without quotes.
    pub(crate) fn name_of(case: &Case<D>, backend: Backend) -> String {
        column_name(case.plan.column(backend))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Inserts rows with bound keys.
    pub(crate) async fn insert(
        &self,
        session: &mut Session<D>,
        records: &[Record],
    ) -> Result<(), D::Error> {
        for chunk in records.chunks(100) {
            let mut query = self.query("INSERT INTO", " (id, parent, n) VALUES ");
            for (index, record) in chunk.iter().enumerate() {
                query
                    .push(if index == 0 { "(" } else { ", (" })
                    .push_param((self.case.param)(record.id))
                    .push(", ")
                    .push_param((self.case.param_of)(record.parent))
                    .push(", ")
                    .push_param(D::integer(record.n))
                    .push(")");
            }
            session.run(query).await?;
        }
        Ok(())
    }

    /// The query `before` table `after`.
    pub(crate) fn query(&self, before: &str, after: &str) -> Query<D> {
        Query::new(format!("{before} {}{after}", self.name))
    }

    /// The query for all columns of rows, up to the condition.
    pub(crate) fn select_where(&self) -> Query<D> {
        self.query("SELECT id, parent, n FROM", " WHERE ")
    }

    /// A row of such a query.
    pub(crate) fn record(&self, row: &D::Row<'_>) -> Result<Record, D::Error> {
        Ok(Record {
            n: D::get_integer(row, "n")?,
            id: (self.case.get)(row, "id")?,
            parent: (self.case.get_optional)(row, "parent")?,
        })
    }

    /// The rows of such a query, in their order.
    pub(crate) async fn records(
        &self,
        session: &mut Session<D>,
        query: Query<D>,
    ) -> Result<Vec<Record>, D::Error> {
        session.fetch(query, |row| self.record(row)).await
    }

    /// The rows with a bound key.
    pub(crate) async fn records_of(
        &self,
        session: &mut Session<D>,
        id: u128,
    ) -> Result<Vec<Record>, D::Error> {
        let mut query = self.select_where();
        query.push("id = ").push_param((self.case.param)(id));
        self.records(session, query).await
    }

    /// The numbers of the rows that a condition selects, in ascending order.
    pub(crate) async fn numbers_where(
        &self,
        session: &mut Session<D>,
        condition: impl FnOnce(&mut Query<D>),
    ) -> Result<Vec<i64>, D::Error> {
        let mut query = self.query("SELECT n FROM", " WHERE ");
        condition(&mut query);
        query.push(" ORDER BY n");
        session.fetch(query, |row| D::get_integer(row, "n")).await
    }
}

/// What distinguishes a column from the others of its backend.
pub(crate) fn column_name(column: Column) -> String {
    format!(
        "{} as {}:{}",
        column.format(),
        column.storage(),
        column.layout().name()
    )
}

/// The cases of a backend with one column each; a key can have the column of another.
pub(crate) fn distinct_cases<D: Cases>(session: &Session<D>) -> Vec<(Case<D>, Column)> {
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

/// Those in one storage.
pub(crate) fn distinct_cases_of<D: Cases>(
    session: &Session<D>,
    storage: Storage,
) -> Vec<(Case<D>, Column)> {
    let mut cases = distinct_cases(session);
    cases.retain(|(_, column)| column.storage() == storage);
    cases
}

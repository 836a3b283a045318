//! Reads a column of a database, and says what it holds.

use rowkey_core::UnixMillis;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::catalog::{Catalog, QualifiedName, Table};
use rowkey_tables::connection::{Connection, Held, SCANNED};
use rowkey_tables::dialect::{Dialect, Lasts};
use rowkey_tables::{Error, Progress, Silent, Step};

use crate::answers::diagnosis::Diagnosis;
use crate::database::report::Report;
use crate::database::request::Request;
use crate::database::row_groups;
use crate::database::sample::{self, SAMPLE};
use crate::database::session;
use crate::database::source::{ColumnKind, Order, Source};
use crate::database::surveyor::Surveyor;
use crate::values::survey::Survey;

/// Larger tables are not counted for a sample.
const COUNTED: u64 = 5_000_000;

/// Rows between two steps of progress.
const STEP: u64 = 50_000;

/// Looks at a column, and says which format it holds, with the evidence.
///
/// It only reads, in a transaction that cannot write, and with a timeout for each statement where
/// the server has one. A sample of 10,000 rows is read from all over the table, unless the request
/// wants everything; the memory that it takes does not depend on the number of rows.
///
/// # Errors
///
/// [`Error::Missing`] for a table or a column that does not exist or that the account may not see,
/// [`Error::Refused`] for a creation column without times, [`Error::Database`] if the database
/// refuses a query.
pub async fn examine(
    connection: &mut Connection,
    request: &Request,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    examine_known(connection, request, None, progress).await
}

/// The same of a column of a table that the catalogue has described: to read it again for each of
/// many tables would take longer than everything else.
pub(crate) async fn examine_table(
    connection: &mut Connection,
    table: &Table,
    column: &str,
) -> Result<Report, Error> {
    let request = Request::new(table.name.clone(), column);
    examine_known(connection, &request, Some(table), &mut Silent).await
}

async fn examine_known(
    connection: &mut Connection,
    request: &Request,
    known: Option<&Table>,
    progress: &mut dyn Progress,
) -> Result<Report, Error> {
    let mut notes = Vec::new();
    let session = session::begin(connection, request.timeout(), &mut notes).await?;
    let outcome = read_in_schema(connection, request, known, progress, &mut notes).await;
    let ended = session::end(session, connection).await;
    let (diagnosis, rows) = outcome?;
    ended?;
    let mut report = Report::new(diagnosis, connection.backend(), request, rows);
    report.evidence.extend(notes);
    Ok(report)
}

/// Reads the table in its schema, which the catalogue then takes for the connection's own.
async fn read_in_schema(
    connection: &mut Connection,
    request: &Request,
    known: Option<&Table>,
    progress: &mut dyn Progress,
    notes: &mut Vec<String>,
) -> Result<(Diagnosis, u64), Error> {
    const DOING: &str = "choosing the schema of the table";
    let backend = connection.backend();
    let Some(schema) = &request.table.schema else {
        return read(connection, request, &request.table, known, progress, notes).await;
    };
    let table = QualifiedName {
        schema: None,
        name: request.table.name.clone(),
    };
    let schema = quote_identifier(backend, schema)?;
    match backend.other_schema_lasts() {
        Lasts::Transaction => {
            let choice = format!("SET LOCAL search_path TO {schema}");
            connection.execute(DOING, &choice).await?;
            let query = "SELECT current_schema() IS NULL";
            if connection.is(DOING, query, &[]).await? {
                return Err(Error::refused(
                    format!("the schema {schema}"),
                    "it does not exist, or the account has no USAGE on it",
                    "check its name, or grant USAGE",
                ));
            }
            read(connection, request, &table, known, progress, notes).await
        }
        Lasts::Session => {
            let row = connection.one_row(DOING, "SELECT DATABASE()", &[]).await?;
            let before = row.optional_text(0)?;
            connection.execute(DOING, &format!("USE {schema}")).await?;
            let outcome = read(connection, request, &table, known, progress, notes).await;
            if let Some(before) = before {
                let before = quote_identifier(backend, before)?;
                connection.execute(DOING, &format!("USE {before}")).await?;
            }
            outcome
        }
        Lasts::Never => read(connection, request, &request.table, known, progress, notes).await,
    }
}

async fn read(
    connection: &mut Connection,
    request: &Request,
    table: &QualifiedName,
    known: Option<&Table>,
    progress: &mut dyn Progress,
    notes: &mut Vec<String>,
) -> Result<(Diagnosis, u64), Error> {
    let backend = connection.backend();
    let catalog;
    let table = match known {
        Some(table) => table,
        None => {
            catalog = Catalog::read(connection).await?;
            catalog.table(table)?
        }
    };
    let source = Source::of(connection, table, request, notes).await?;
    session::read_by_place(connection).await?;
    let is_uuid = source.kind == ColumnKind::Uuid;
    let survey = Survey::new(backend, is_uuid, UnixMillis::now());
    let reading = Reading {
        surveyor: Surveyor::start(survey, source.kind)?,
        source: &source,
        table: &request.table.name,
        progress,
        expected: source.estimated_rows,
    };
    if request.full {
        let survey = reading.everything(connection).await?;
        notes.extend(source.doubt_of_times(&survey));
        let rows = survey.rows();
        return Ok((survey.conclude(&request.witnesses), rows));
    }
    let rows = match source.estimated_rows {
        Some(estimated) if estimated > COUNTED => {
            notes.push("The number of rows is the database's estimate.".to_owned());
            estimated
        }
        _ => count(connection, &source).await?,
    };
    let survey = match rows <= SAMPLE {
        true => reading.everything(connection).await?,
        false => reading.sample(connection, rows).await?,
    };
    notes.extend(source.doubt_of_times(&survey));
    Ok((survey.conclude(&request.witnesses), rows))
}

async fn count(connection: &mut Connection, source: &Source) -> Result<u64, Error> {
    let query = format!("SELECT {} FROM {}", source.backend.count(), source.table);
    connection.count("counting the rows", &query, &[]).await
}

/// A survey that takes rows of the database.
struct Reading<'r> {
    surveyor: Surveyor,
    source: &'r Source,
    table: &'r str,
    progress: &'r mut dyn Progress,
    expected: Option<u64>,
}

impl Reading<'_> {
    /// Takes all rows, in the order of insertion if that needs no sorting of a large table.
    async fn everything(mut self, connection: &mut Connection) -> Result<Survey, Error> {
        let (clause, is_ordered) = match &self.source.order {
            Order::Place => (String::new(), true),
            Order::Number(place)
                if self.source.backend.is_in_process()
                    && row_groups::is_possible(connection).await? =>
            {
                let mut part = self.part(true);
                row_groups::scan(connection, part.source, place, |row| part.take(row)).await?;
                return self.surveyor.end();
            }
            Order::Number(number) => (format!(" ORDER BY {number}"), true),
            Order::Unknown => (String::new(), false),
        };
        let query = self.source.query(&clause, None);
        self.take(connection, &query, is_ordered).await?;
        self.surveyor.end()
    }

    /// Takes windows of neighbours from all over the table.
    async fn sample(mut self, connection: &mut Connection, rows: u64) -> Result<Survey, Error> {
        let windows = sample::windows(connection, self.source, rows).await?;
        for window in windows {
            let query = self.source.query(&window.clause, window.limit);
            self.take(connection, &query, window.is_ordered).await?;
        }
        self.surveyor.end()
    }

    async fn take(
        &mut self,
        connection: &mut Connection,
        query: &str,
        is_ordered: bool,
    ) -> Result<(), Error> {
        let doing = format!(
            "reading the column {} of the table {}",
            self.source.column, self.table
        );
        let mut part = self.part(is_ordered);
        let mut take = |row: &[Held<'_>; SCANNED]| part.take(row);
        connection.scan(&doing, query, &mut take).await
    }

    fn part(&mut self, is_ordered: bool) -> Part<'_> {
        Part {
            surveyor: &mut self.surveyor,
            source: self.source,
            table: self.table,
            progress: self.progress,
            expected: self.expected,
            is_ordered,
            is_first: true,
        }
    }
}

/// The rows of one query.
struct Part<'p> {
    surveyor: &'p mut Surveyor,
    source: &'p Source,
    table: &'p str,
    progress: &'p mut dyn Progress,
    expected: Option<u64>,
    /// Whether the rows come in the order of their insertion.
    is_ordered: bool,
    is_first: bool,
}

impl Part<'_> {
    fn take(&mut self, row: &[Held<'_>; SCANNED]) -> Result<(), Error> {
        let follows = self.is_ordered && !self.is_first;
        self.is_first = false;
        self.surveyor.take(row, follows)?;
        if self.surveyor.rows().is_multiple_of(STEP) {
            self.progress.report(Step::Rows {
                table: self.table.to_owned(),
                done: self.surveyor.rows(),
                expected: self.expected,
            });
        }
        Ok(())
    }
}

//! Keys that the database counts, alone and beside an external UUID.

use anyhow::{Context, Result, ensure};
use rowkey::Backend;
use rowkey::format::FormatKind;
use rowkey::storage::{Column, Nullability};

use crate::cases::Cases;
use crate::driver::{Ability, Driver, Session, Violation};
use crate::keys::Case;
use crate::query::Query;
use crate::samples::samples;
use crate::scenario::Scenario;
use crate::table::{Record, Table, distinct_cases};

pub(crate) fn scenarios<D: Cases>() -> Vec<Scenario<D>> {
    vec![
        Scenario::new("large_numbers_are_told_apart", |session| {
            Box::pin(large_numbers_are_told_apart(session))
        }),
        Scenario::new("negative_numbers_are_refused", |session| {
            Box::pin(negative_numbers_are_refused(session))
        }),
        Scenario::new("the_database_counts", |session| {
            Box::pin(the_database_counts(session))
        }),
        Scenario::new("a_number_is_found_by_its_external_id", |session| {
            Box::pin(a_number_is_found_by_its_external_id(session))
        }),
    ]
}

fn case_of<D: Cases>(session: &Session<D>, format: FormatKind) -> Result<(Case<D>, Column)> {
    let mut cases = distinct_cases(session).into_iter();
    cases
        .find(|(case, _)| case.format() == format)
        .with_context(|| format!("no key over {format}"))
}

/// JavaScript and floating-point columns lose the difference between neighbours above 2^53.
async fn large_numbers_are_told_apart<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let (case, column) = case_of(session, FormatKind::DatabaseNumber)?;
    let table = Table::create(session, &case).await?;
    let end = i64::MAX as u128;
    let numbers = [0, 1, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, end - 1, end];
    let records: Vec<Record> = Record::numbered(numbers)
        .into_iter()
        .map(|record| match record.n % 2 {
            0 => record,
            _ => record.with_parent(record.id),
        })
        .collect();
    table.insert(session, &records).await?;
    for record in &records {
        let found = table.records_of(session, record.id).await?;
        ensure!(found == [*record], "{found:?} instead of {record:?}");
        let mut by_literal = table.select_where();
        by_literal.push(format_args!("id = {}", column.literal(record.id)));
        let found = table.records(session, by_literal).await?;
        ensure!(found == [*record], "{found:?} instead of {record:?}");
    }
    Ok(())
}

async fn negative_numbers_are_refused<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let (case, _) = case_of(session, FormatKind::DatabaseNumber)?;
    let table = Table::create(session, &case).await?;
    for number in [-1, i64::MIN + 1] {
        let name = table.name();
        let insert = format!("INSERT INTO {name} (id, parent, n) VALUES ({number}, NULL, 0)");
        session.execute(insert).await?;
        let sql = format!("SELECT id FROM {name} WHERE id = {number}");
        for refused in [
            session.fetch_text(&sql, |row| (case.get)(row, "id")).await,
            session
                .fetch(Query::new(&sql), |row| (case.get)(row, "id"))
                .await,
        ] {
            let error = refused.expect_err("no key is negative");
            ensure!(D::is_refusal(&error, "id"), "{number}: {error}");
            // SQLite's driver and others show the source, which the message ends with.
            let message = format!("{:#}", anyhow::Error::new(error));
            ensure!(message.contains(&number.to_string()), "{number}: {message}");
        }
    }
    Ok(())
}

/// How an insert says which number the database has counted.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// As rows of the insert.
    ByTheInsert,
    /// By a function for the last number of the connection.
    ByAFunction,
}

impl Told {
    /// The ways of a driver on a backend.
    fn ways<D: Driver>(backend: Backend) -> Vec<Self> {
        // MySQL knows no RETURNING.
        if backend != Backend::MySql && D::can(Ability::Return, backend) {
            vec![Self::ByTheInsert, Self::ByAFunction]
        } else {
            vec![Self::ByAFunction]
        }
    }

    /// Inserts a row without its number, and the number.
    async fn insert<D: Driver>(
        self,
        session: &mut Session<D>,
        case: &Case<D>,
        [table, column]: [&str; 2],
        value: D::Param,
    ) -> Result<u128> {
        let (output, returning) = match (self, session.backend()) {
            (Self::ByAFunction, _) => ("", ""),
            (_, Backend::SqlServer) => (" OUTPUT inserted.id", ""),
            _ => ("", " RETURNING id"),
        };
        let mut insert = Query::new(format!("INSERT INTO {table} ({column}){output} VALUES ("));
        insert.push_param(value).push(")").push(returning);
        let id = |row: &D::Row<'_>| (case.get)(row, "id");
        let ids = match self {
            Self::ByTheInsert => session.fetch(insert, id).await?,
            Self::ByAFunction => {
                session.run(insert).await?;
                let function = match session.backend() {
                    Backend::Postgres => "lastval()",
                    Backend::MySql | Backend::MariaDb => "LAST_INSERT_ID()",
                    Backend::Sqlite => "last_insert_rowid()",
                    // The statement with parameters is a scope of its own for `SCOPE_IDENTITY()`.
                    Backend::SqlServer => "@@IDENTITY",
                };
                let select = Query::new(format!("SELECT {function} AS id"));
                session.fetch(select, id).await?
            }
        };
        ensure!(ids.len() == 1, "{ids:?} are the numbers of one row");
        Ok(ids[0])
    }
}

/// The definitions of a counted key `id`, and of other columns that are not NULL.
fn definitions<D: Driver>(
    session: &Session<D>,
    case: &Case<D>,
    others: &[(&Case<D>, &str)],
) -> Result<String> {
    let backend = session.backend();
    let mut columns = vec![case.plan.counted_column_definition(backend, "id")?];
    for (other, name) in others {
        let column = other
            .plan
            .column_definition(backend, name, Nullability::NotNull)?;
        columns.push(column);
    }
    Ok(columns.join(", "))
}

/// A row is inserted without its number, and the driver reads the number as a key.
async fn the_database_counts<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let (case, _) = case_of(session, FormatKind::DatabaseNumber)?;
    let columns = definitions(session, &case, &[])?;
    session
        .execute(format!(
            "CREATE TABLE invoice ({columns}, n BIGINT NOT NULL)"
        ))
        .await?;
    let mut counted = Vec::new();
    for told in Told::ways::<D>(session.backend()) {
        for n in 0..2 {
            let place = ["invoice", "n"];
            counted.push(told.insert(session, &case, place, D::integer(n)).await?);
        }
    }
    let expected: Vec<u128> = (1..).take(counted.len()).collect();
    ensure!(counted == expected, "{counted:?} are the numbers");

    session.execute("DELETE FROM invoice").await?;
    let next = Told::ByAFunction
        .insert(session, &case, ["invoice", "n"], D::integer(7))
        .await?;
    ensure!(
        next == counted.len() as u128 + 1,
        "{next} is a number again"
    );
    Ok(())
}

/// Rows refer to the number, and requests name the external id.
async fn a_number_is_found_by_its_external_id<D: Cases>(session: &mut Session<D>) -> Result<()> {
    let (number, _) = case_of(session, FormatKind::DatabaseNumber)?;
    let (external, _) = case_of(session, FormatKind::ShortPrefixComb)?;
    let columns = definitions(session, &number, &[(&external, "external_id")])?;
    session
        .execute(format!(
            "CREATE TABLE booking ({columns}, UNIQUE (external_id))"
        ))
        .await?;
    let columns = definitions(session, &number, &[(&number, "booking")])?;
    session
        .execute(format!(
            "CREATE TABLE guest ({columns}, FOREIGN KEY (booking) REFERENCES booking (id))"
        ))
        .await?;

    let told = Told::ways::<D>(session.backend())[0];
    let externals = &samples(external.format())[..4];
    let mut bookings = Vec::new();
    for id in externals {
        let place = ["booking", "external_id"];
        let id = (external.param)(*id);
        bookings.push(told.insert(session, &number, place, id).await?);
    }
    let again = (external.param)(externals[0]);
    let mut twice = Query::new("INSERT INTO booking (external_id) VALUES (");
    twice.push_param(again).push(")");
    let error = session
        .run(twice)
        .await
        .expect_err("an external id is there once");
    ensure!(D::violation(&error) == Some(Violation::Unique), "{error}");

    for booking in bookings.iter().rev() {
        let place = ["guest", "booking"];
        let booking = (number.param)(*booking);
        told.insert(session, &number, place, booking).await?;
    }
    let mut orphan = Query::new("INSERT INTO guest (booking) VALUES (");
    orphan.push_param((number.param)(1 << 53)).push(")");
    let error = session
        .run(orphan)
        .await
        .expect_err("there is no such booking");
    ensure!(
        D::violation(&error) == Some(Violation::ForeignKey),
        "{error}"
    );

    for (booking, external_id) in bookings.iter().zip(externals) {
        let mut select = Query::new(
            "SELECT booking.id AS booking_id, external_id, guest.booking AS guest_of \
             FROM booking JOIN guest ON guest.booking = booking.id WHERE external_id = ",
        );
        select.push_param((external.param)(*external_id));
        let found = session
            .fetch(select, |row| {
                Ok((
                    (number.get)(row, "booking_id")?,
                    (external.get)(row, "external_id")?,
                    (number.get)(row, "guest_of")?,
                ))
            })
            .await?;
        ensure!(found == [(*booking, *external_id, *booking)], "{found:x?}");
    }
    Ok(())
}

//! tiberius.

mod connection;
mod probe;

use std::fmt;

use anyhow::Result;
use rowkey::driver::tiberius::{Condition, OrderedKey, RowKeys, ToBulkValue, ToParam};
use rowkey::routing::{RoutingColumn, RoutingPart};
use rowkey::storage::{Precision, Storage, Wire};
use rowkey::time_range::{Bounds, ConditionPart};
use rowkey::{Backend, EntityKey};
use rowkey_testkit::Server;
use tiberius::{ColumnData, Query as Statement, Row};

use self::connection::{Connection, batch, connect};
use crate::cases::Cases;
use crate::driver::{Ability, Assumption, BoundsOf, Driver, KeyList, KeyOf, Violation};
use crate::keys::{self, Case};
use crate::query::{Parameters, Part, Query};
use crate::routed::{Routed, routed};

/// tiberius on SQL Server, or on another server that speaks its protocol.
pub(crate) struct Tiberius;

/// A value for a parameter, or a condition with several.
pub(crate) enum Param {
    /// A key or bound, or NULL in its place.
    Key(KeyParam),
    Integer(i64),
    /// A condition whose parameters are numbered from here on.
    Condition(Box<dyn FnOnce(usize) -> Condition>),
}

pub(crate) struct KeyParam {
    parameter: ColumnData<'static>,
    bulk_value: ColumnData<'static>,
    wire: Wire,
}

impl Param {
    /// The value for a row of a bulk insert.
    pub(crate) fn into_bulk_value(self) -> ColumnData<'static> {
        match self {
            Self::Key(key) => key.bulk_value,
            Self::Integer(value) => ColumnData::I64(Some(value)),
            Self::Condition(_) => panic!("a condition is no value"),
        }
    }
}

impl KeyParam {
    /// What stands for the key in the text, and what is bound for it. Nothing is bound where the
    /// server would not take it.
    fn placed(self, number: usize) -> (String, Option<ColumnData<'static>>) {
        let place = match (&self.parameter, self.wire) {
            (ColumnData::Binary(None) | ColumnData::String(None), _)
                if !probe::known().takes_untyped_null =>
            {
                return ("NULL".to_owned(), None);
            }
            (ColumnData::Numeric(Some(number)), Wire::Decimal(Precision::Digits38))
                if !probe::known().reads_long_numbers =>
            {
                return (number.value().to_string(), None);
            }
            (_, Wire::Text(form)) => format!("CAST(@P{number} AS char({}))", form.width()),
            (_, Wire::Bytes(length)) => {
                format!("CAST(@P{number} AS binary({}))", length.bytes())
            }
            _ => format!("@P{number}"),
        };
        (place, Some(self.parameter))
    }
}

/// The text with the numbers of its parameters, and the parameters.
fn built(query: Query<Tiberius>) -> Statement<'static> {
    let mut sql = String::new();
    let mut parameters = Vec::new();
    for part in query.into_parts() {
        let number = parameters.len() + 1;
        match part {
            Part::Text(text) => sql += &text,
            Part::Param(Param::Key(key)) => {
                let (place, parameter) = key.placed(number);
                sql += &place;
                parameters.extend(parameter);
            }
            Part::Param(Param::Integer(value)) => {
                sql += &format!("@P{number}");
                parameters.push(ColumnData::I64(Some(value)));
            }
            Part::Param(Param::Condition(written)) => {
                let condition = written(number);
                sql += &condition.to_string();
                parameters.extend_from_slice(condition.parameters());
            }
        }
    }
    let mut statement = Statement::new(sql);
    statement.bind_iter(parameters);
    statement
}

/// Runs a query; the plan that the server has run, in XML, if it shows one.
pub(crate) async fn plan(
    connection: &mut Connection,
    query: Query<Tiberius>,
) -> tiberius::Result<Option<String>> {
    connection::plan(connection, built(query)).await
}

/// The error of tiberius, or of rowkey for a row.
#[derive(Debug)]
pub(crate) enum Error {
    Driver(tiberius::error::Error),
    Key(rowkey::driver::tiberius::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Driver(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<tiberius::error::Error> for Error {
    fn from(error: tiberius::error::Error) -> Self {
        Self::Driver(error)
    }
}

impl From<rowkey::driver::tiberius::Error> for Error {
    fn from(error: rowkey::driver::tiberius::Error) -> Self {
        Self::Key(error)
    }
}

impl Error {
    /// The number of an error of the server.
    pub(crate) fn code(&self) -> Option<u32> {
        match self {
            Self::Driver(error) => error.code(),
            Self::Key(_) => None,
        }
    }
}

impl Parameters for Tiberius {
    type Param = Param;
}

impl Cases for Tiberius {
    fn cases() -> Vec<Case<Self>> {
        let mut cases = keys::cases!(Self);
        cases.extend(keys::uuid_sql_server::cases());
        cases.extend(keys::uuid_public_unordered::cases());
        cases
    }

    fn routed() -> Vec<Routed<Self>> {
        let mut routed = routed!(Self);
        routed.extend(routed!(Self: uuid_public_unordered));
        routed
    }
}

impl Driver for Tiberius {
    const NAME: &str = "tiberius";

    type Connection = Connection;
    type Row<'r> = Row;
    type Error = Error;

    async fn connect(url: &str, _: Backend) -> Result<Connection> {
        Ok(connect(url).await?)
    }

    async fn fetch<T>(
        connection: &mut Connection,
        query: Query<Self>,
        read: impl FnMut(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let rows = built(query).query(connection).await?;
        rows.into_first_result().await?.iter().map(read).collect()
    }

    async fn run(connection: &mut Connection, query: Query<Self>) -> Result<(), Error> {
        built(query).execute(connection).await?;
        Ok(())
    }

    async fn fetch_text<T>(
        connection: &mut Connection,
        sql: &str,
        read: impl FnMut(&Row) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let rows = connection.simple_query(sql).await?;
        rows.into_first_result().await?.iter().map(read).collect()
    }

    async fn execute(connection: &mut Connection, sql: &str) -> Result<(), Error> {
        Ok(batch(connection, sql).await?)
    }

    fn integer(value: i64) -> Param {
        Param::Integer(value)
    }

    fn get_integer(row: &Row, column: &str) -> Result<i64, Error> {
        let integer = match row.get_column_data(column)? {
            // A count is one.
            ColumnData::I32(integer) => integer.map(i64::from),
            _ => row.try_get(column)?,
        };
        integer
            .ok_or_else(|| tiberius::error::Error::Conversion("NULL is no integer".into()).into())
    }

    fn get_text(row: &Row, column: &str) -> Result<Option<String>, Error> {
        Ok(row.try_get::<&str, _>(column)?.map(str::to_owned))
    }

    fn violation(error: &Error) -> Option<Violation> {
        match error.code()? {
            // Of a constraint, and of a unique index.
            2627 | 2601 => Some(Violation::Unique),
            547 => Some(Violation::ForeignKey),
            _ => None,
        }
    }

    fn is_refusal(error: &Error, expected: &str) -> bool {
        use rowkey::driver::tiberius::Error::NoKey;
        matches!(error, Error::Key(NoKey { column, .. }) if **column == *expected)
    }

    fn is_unexpected_null(error: &Error, expected: &str) -> bool {
        use rowkey::driver::tiberius::Error::Null;
        matches!(error, Error::Key(Null { column, .. }) if **column == *expected)
    }

    fn can(ability: Ability, _: Backend) -> bool {
        // The server explains a query in XML, and none that has parameters.
        ability != Ability::Explain
    }

    fn unmet(assumption: Assumption, server: &Server) -> Option<&'static str> {
        let server = probe::of(server);
        let (is_met, reason) = match assumption {
            Assumption::OrderOf(Storage::Uuid) => (server.sorts_guids, "order unverified"),
            Assumption::ForeignKeysOf(
                Storage::Text
                | Storage::TextUpper
                | Storage::TextHex
                | Storage::TextHexUpper
                | Storage::TextCompact
                | Storage::TextDigits,
            ) => (server.refers_to_text, "references of text fail"),
            Assumption::OrderOf(_) | Assumption::ForeignKeysOf(_) | Assumption::UuidV7 => {
                return None;
            }
            Assumption::UntypedNull => (server.takes_untyped_null, "untyped NULL refused"),
            Assumption::BracketsInNames => (server.quotes_brackets, "brackets refused"),
            Assumption::LongNumbers => (server.reads_long_numbers, "38 digits misread"),
            Assumption::NumbersInRows => (server.reads_numbers_in_rows, "numbers misread"),
            Assumption::Plans => (server.shows_plans, "no plans in XML"),
            Assumption::Merge => (server.merges, "MERGE refused"),
            Assumption::Partitions => (
                server.partitions && server.sorts_guids,
                "partitions unverified",
            ),
        };
        (!is_met).then_some(reason)
    }
}

fn param<K: EntityKey>(parameter: ColumnData<'static>, bulk_value: ColumnData<'static>) -> Param {
    Param::Key(KeyParam {
        parameter,
        bulk_value,
        wire: K::PLAN.column(Backend::SqlServer).wire(),
    })
}

impl<K> KeyOf<Tiberius> for K
where
    K: EntityKey + tiberius::ToSql + for<'a> tiberius::IntoSql<'a>,
{
    fn param(self) -> Param {
        param::<K>(self.into_sql(), self.into_sql())
    }

    fn param_of(key: Option<Self>) -> Param {
        param::<K>(key.to_param(), key.to_bulk_value())
    }

    fn get(row: &Row, column: &str) -> Result<Self, Error> {
        Ok(row.try_key(column)?)
    }

    fn get_optional(row: &Row, column: &str) -> Result<Option<Self>, Error> {
        Ok(row.try_optional_key(column)?)
    }

    fn push_list(query: &mut Query<Tiberius>, column: &'static str, list: KeyList<Self>) {
        query.push_param(Param::Condition(Box::new(move |first| {
            let condition = match list {
                KeyList::In(keys) => Condition::in_keys(column, &keys, first),
                KeyList::NotIn(keys) => Condition::not_in_keys(column, &keys, first),
            };
            condition.expect("the tests have plain names and few parameters")
        })));
    }

    fn push_routed<P>(self, query: &mut Query<Tiberius>, column: RoutingColumn<Self, P>)
    where
        P: RoutingPart,
        Self: EntityKey<Format = P::Format>,
    {
        query.push_param(Param::Condition(Box::new(move |first| {
            let condition = Condition::routed(column, self, first);
            condition.expect("the tests have plain names and few parameters")
        })));
    }
}

impl<K> BoundsOf<Tiberius> for K
where
    K: KeyOf<Tiberius> + OrderedKey,
{
    fn push_within(query: &mut Query<Tiberius>, column: &'static str, bounds: Bounds<Self>) {
        let wire = K::PLAN.column(Backend::SqlServer).wire();
        if wire == Wire::Decimal(Precision::Digits38) && !probe::known().reads_long_numbers {
            return bounds.write_condition(|part| {
                match part {
                    ConditionPart::Sql(sql) => query.push(sql),
                    ConditionPart::Column => query.push(column),
                    ConditionPart::Bound(bound) => {
                        query.push_param(param::<K>(bound.to_param(), bound.to_param()))
                    }
                };
            });
        }
        query.push_param(Param::Condition(Box::new(move |first| {
            let condition = Condition::within(column, bounds, first);
            condition.expect("the tests have plain names and few parameters")
        })));
    }
}

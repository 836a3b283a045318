//! Parameters: lists with and without casts, NULL, as many as a query takes, and tables.

use anyhow::{Context, Result, ensure};
use rowkey::Backend;
use rowkey::driver::tiberius::{Condition, Error as KeyError, RowKeys, ToParam};
use rowkey::storage::{Nullability, Wire};
use tiberius::{ColumnData, Command, Query as Statement, Row, SqlTableDataRow, TableValueRow};

use crate::driver::{KeyOf, Session};
use crate::drivers::tiberius::Tiberius;
use crate::keys::{Case, binary, decimal, text, text_compact, uuid};
use crate::samples::samples;
use crate::table::{Record, Table};

/// Text is compared as `char` if it is cast, and as `nvarchar` otherwise, with the same answer.
pub(super) async fn text_is_found_with_and_without_a_cast(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    check_casts::<text::UuidV7>(session, "char(36)", "id").await?;
    check_casts::<text_compact::DistributedId>(session, "char(16)", "id").await
}

/// Bytes are compared as `binary` if they are cast, and as `varbinary` otherwise.
pub(super) async fn bytes_are_found_with_and_without_a_cast(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    // Some server cannot look for a list of `varbinary` in an index of `binary`.
    check_casts::<binary::UuidV7>(session, "binary(16)", "parent").await?;
    check_casts::<binary::DistributedId>(session, "binary(12)", "parent").await
}

/// Checks a list of keys as rowkey writes it, and in another column without its casts.
pub(super) async fn check_casts<K: KeyOf<Tiberius>>(
    session: &mut Session<Tiberius>,
    sql_type: &str,
    uncast: &str,
) -> Result<()> {
    let case = Case::<Tiberius>::new::<K>();
    let ids = &samples(case.format())[..4];
    let table = Table::create(session, &case).await?;
    let records: Vec<Record> = Record::numbered(ids.iter().copied())
        .into_iter()
        .map(|record| record.with_parent(record.id))
        .collect();
    table.insert(session, &records).await?;

    let keys = [K::try_from(ids[1])?, K::try_from(ids[3])?];
    let cast = Condition::in_keys("id", &keys, 1)?;
    let expected = format!("[id] IN (CAST(@P1 AS {sql_type}), CAST(@P2 AS {sql_type}))");
    ensure!(cast.to_string() == expected, "{cast}");
    for condition in [expected, format!("{uncast} IN (@P1, @P2)")] {
        let sql = format!(
            "SELECT n FROM {} WHERE {condition} ORDER BY n",
            table.name()
        );
        let mut query = Statement::new(&sql);
        query.bind_iter(cast.parameters().to_vec());
        let rows = query.query(session.connection()).await?;
        let numbers = numbers_of(&rows.into_first_result().await?);
        ensure!(numbers == [1, 3], "{sql}: {numbers:?}");
    }
    Ok(())
}

pub(super) fn numbers_of(rows: &[Row]) -> Vec<i64> {
    rows.iter().filter_map(|row| row.get("n")).collect()
}

/// NULL of a key with a type: stored, equal to nothing, and of no weight in COALESCE.
pub(super) async fn typed_nulls_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    check_null::<uuid::ShortPrefixComb>(session).await?;
    check_null::<uuid::DistributedId128>(session).await?;
    check_null::<decimal::DistributedId>(session).await?;
    check_null::<decimal::DistributedId128>(session).await
}

/// So is that of bytes and text, which tiberius sends without a type.
pub(super) async fn untyped_nulls_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    check_null::<binary::DistributedId>(session).await?;
    check_null::<binary::UuidV7>(session).await?;
    check_null::<text::UuidV7>(session).await?;
    check_null::<text_compact::DistributedId>(session).await
}

pub(super) async fn check_null<K: KeyOf<Tiberius> + tiberius::ToSql>(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let case = Case::<Tiberius>::new::<K>();
    let table = Table::create(session, &case).await?;
    let key = K::try_from(samples(case.format())[0])?;
    let name = table.name();
    let null = None::<K>.to_param();

    let insert = format!("INSERT INTO {name} (id, parent, n) VALUES (@P1, @P2, 0)");
    session.connection().execute(insert, &[&key, &null]).await?;
    let cast = match case.plan.column(Backend::SqlServer).wire() {
        Wire::Text(form) => format!("CAST(@P1 AS char({}))", form.width()),
        Wire::Bytes(length) => format!("CAST(@P1 AS binary({}))", length.bytes()),
        _ => "@P1".to_owned(),
    };
    let select = format!(
        "SELECT id, parent, COALESCE({cast}, id) AS either FROM {name} WHERE parent IS NULL"
    );
    for (parameter, expected) in [(&null, key), (&Some(key).to_param(), key)] {
        let rows = session.connection().query(&select, &[parameter]).await?;
        let rows = rows.into_first_result().await?;
        let [row] = &rows[..] else {
            anyhow::bail!("{}: {} rows", K::NAME, rows.len());
        };
        ensure!(row.try_key::<K>("id")? == key);
        ensure!(row.try_optional_key::<K>("parent")?.is_none());
        ensure!(row.try_key::<K>("either")? == expected);
    }
    for by in ["id", "parent"] {
        let equal = format!("SELECT id FROM {name} WHERE {by} = {cast}");
        let rows = session.connection().query(equal, &[&null]).await?;
        ensure!(rows.into_first_result().await?.is_empty(), "{}", K::NAME);
    }
    Ok(())
}

/// The server takes as many parameters as a condition may have; one more is refused before it is
/// sent.
pub(super) async fn a_query_takes_as_many_parameters_as_we_allow(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let case = Case::<Tiberius>::new::<decimal::DistributedId>();
    let table = Table::create(session, &case).await?;
    table
        .insert(session, &Record::numbered([0, 1, 2_097, 2_098]))
        .await?;
    let keys = (0..2_099_u128).map(decimal::DistributedId::try_from);
    let keys = keys.collect::<Result<Vec<_>, _>>()?;

    let all_but_one = Condition::in_keys("id", &keys[..2_098], 1)?;
    let sql = format!("SELECT n FROM {} WHERE {all_but_one}", table.name());
    let mut query = Statement::new(sql);
    all_but_one.bind(&mut query)?;
    let rows = query.query(session.connection()).await?;
    let found = rows.into_first_result().await?.len();
    ensure!(found == 3, "{found} rows");

    for (keys, first_parameter) in [(&keys[..], 1), (&keys[..2_098], 2)] {
        let refused = Condition::in_keys("id", keys, first_parameter);
        ensure!(
            matches!(refused, Err(KeyError::TooManyParameters { last: 2_099 })),
            "{refused:?}"
        );
    }
    Ok(())
}

struct TableRow(ColumnData<'static>);

impl<'a> TableValueRow<'a> for TableRow {
    fn bind_fields(&self, row: &mut SqlTableDataRow<'a>) {
        row.add_field(self.0.clone());
    }

    fn get_db_type() -> &'static str {
        "dbo.list_of_keys"
    }
}

/// Keys of a list come as the rows of a table, where a query takes no more parameters.
pub(super) async fn check_tables(
    session: &mut Session<Tiberius>,
    case: Case<Tiberius>,
) -> Result<()> {
    let table = Table::create(session, &case).await?;
    let ids = &samples(case.format())[..4];
    let records = Record::numbered(ids.iter().copied());
    table.insert(session, &records).await?;
    let id = case
        .plan
        .column_definition(Backend::SqlServer, "id", Nullability::Nullable)?;
    session
        .execute(format!("CREATE TYPE dbo.list_of_keys AS TABLE ({id})"))
        .await?;
    session
        .execute(format!(
            "CREATE PROCEDURE dbo.numbers_of @keys dbo.list_of_keys READONLY AS \
             SELECT n FROM {} WHERE id IN (SELECT id FROM @keys) ORDER BY n",
            table.name()
        ))
        .await?;
    let keys = [Some(ids[2]), None, Some(ids[0])];
    let mut command = Command::new("dbo.numbers_of");
    let rows = keys.map(|id| TableRow((case.param_of)(id).into_bulk_value()));
    command.bind_table("@keys", rows);
    let results = command.exec(session.connection()).await?;
    let results = results.into_command_result().await?;
    let rows = results.to_query_result(0).context("the rows are there")?;
    let numbers = numbers_of(rows);
    ensure!(numbers == [0, 2], "{numbers:?}");
    Ok(())
}

pub(super) async fn tables_of_guids_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    check_tables(session, Case::new::<uuid::ShortPrefixComb>()).await
}

pub(super) async fn tables_of_numbers_are_parameters(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    check_tables(session, Case::new::<decimal::DistributedId>()).await
}

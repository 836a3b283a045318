//! What only SQL Server and tiberius have: the text of a guid, bulk inserts, parameters without a
//! type, table-valued parameters and the numbers of errors.

use anyhow::{Context, Result, ensure};
use rowkey::driver::tiberius::{Error as KeyError, RowKeys, ToCondition, ToMssql};
use rowkey::{Backend, Column, EntityKey, FormatKind, Layout, Nullability, Storage, Wire};
use tiberius::{
    ColumnData, Command, Query as Statement, Row, SqlTableDataRow, TableValueRow, TokenRow,
};

use super::Scenario;
use crate::driver::{Assumption, Driver, KeyOf, Session};
use crate::drivers::tiberius::{Error, Tiberius};
use crate::keys::{Case, binary, decimal, text, text_compact, uuid};
use crate::query::Query;
use crate::samples::{extremes, samples};
use crate::table::{Record, Table, distinct_cases};

macro_rules! scenarios {
    ($($function:ident),* $(,)?) => {
        vec![$(Scenario::new(stringify!($function), |session| {
            Box::pin($function(session))
        })),*]
    };
}

pub(crate) fn scenarios() -> Vec<Scenario<Tiberius>> {
    let mut scenarios = scenarios![
        stored_guids_have_the_layout_of_the_plan,
        guids_as_bytes_are_refused,
        bulk_rows_go_into_temporary_tables,
        short_numbers_are_parameters,
        text_is_found_with_and_without_a_cast,
        bytes_are_found_with_and_without_a_cast,
        typed_nulls_are_parameters,
        long_and_strange_names_are_quoted,
        a_query_takes_as_many_parameters_as_we_allow,
        tables_of_guids_are_parameters,
        errors_of_constraints_have_their_numbers,
        errors_of_rows_name_the_column,
        a_recycled_connection_has_no_transaction,
    ];
    for (assumption, assuming) in [
        (
            Assumption::UntypedNull,
            scenarios![untyped_nulls_are_parameters],
        ),
        (
            Assumption::BracketsInNames,
            scenarios![brackets_in_names_are_quoted],
        ),
        (
            Assumption::LongNumbers,
            scenarios![long_numbers_are_parameters],
        ),
        (
            Assumption::NumbersInRows,
            scenarios![numbers_are_in_bulk_rows, tables_of_numbers_are_parameters],
        ),
    ] {
        scenarios.extend(assuming.into_iter().map(|own| own.assuming(assumption)));
    }
    for storage in Storage::ALL {
        if storage == Storage::NativeUuid {
            continue;
        }
        let named = |scenario| format!("{scenario}_{}", storage.name().replace('-', "_"));
        let bulk = Scenario::new(named("bulk_rows_of"), move |session| {
            Box::pin(bulk_rows_of(session, storage))
        });
        scenarios.push(match storage {
            Storage::Decimal => bulk.assuming(Assumption::NumbersInRows),
            _ => bulk,
        });
        // Of bytes and text, `max` is of another type in some servers than the column.
        if matches!(storage, Storage::Uuid | Storage::Decimal) {
            let greatest = Scenario::new(named("greatest_of"), move |session| {
                Box::pin(greatest_of(session, storage))
            });
            scenarios.push(greatest.assuming(Assumption::OrderOf(storage)));
        }
    }
    scenarios
}

/// The cases of one storage.
fn cases_of(session: &Session<Tiberius>, storage: Storage) -> Vec<(Case<Tiberius>, Column)> {
    let mut cases = distinct_cases(session);
    cases.retain(|(_, column)| column.storage() == storage);
    cases
}

/// A few samples and both extremes.
fn few(case: &Case<Tiberius>) -> Vec<u128> {
    let mut ids = samples(case.format())[..20].to_vec();
    ids.extend(extremes(case.format()).map(|id| id.min(case.plan.max_value())));
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The text of a guid in a layout, written out here by the bytes of the public form.
fn stored_text(column: Column, public: u128) -> String {
    let short = matches!(
        column.format(),
        FormatKind::ShortPrefixComb | FormatKind::ShortSuffixComb
    );
    let order = match column.layout() {
        Layout::Public | Layout::PublicUnordered => {
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        }
        Layout::Prefix | Layout::Suffix if short => {
            [10, 11, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 12, 13, 14, 15]
        }
        Layout::Prefix | Layout::Suffix => [10, 11, 12, 13, 14, 15, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5],
        Layout::SqlServer => [15, 14, 13, 12, 11, 10, 9, 8, 6, 7, 0, 1, 2, 3, 4, 5],
    };
    let bytes = public.to_be_bytes();
    let hex: String = order
        .iter()
        .map(|&byte| format!("{:02X}", bytes[byte]))
        .collect();
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}

/// The server shows a guid as the bytes of the layout in their order, whether it was bound, written
/// as a literal or sent in bulk.
async fn stored_guids_have_the_layout_of_the_plan(session: &mut Session<Tiberius>) -> Result<()> {
    for (case, column) in cases_of(session, Storage::Uuid) {
        let table = Table::create(session, &case).await?;
        let records: Vec<Record> = Record::numbered(few(&case))
            .into_iter()
            .map(|record| record.with_parent(record.id))
            .collect();
        let (bound, rest) = records.split_at(records.len() / 3);
        let (literal, bulk) = rest.split_at(rest.len() / 2);
        table.insert(session, bound).await?;
        for Record { n, id, .. } in literal {
            let id = column.literal(*id);
            let sql = format!("INSERT INTO {} VALUES ({id}, {id}, {n})", table.name());
            session.execute(sql).await?;
        }
        send_in_bulk(session, &case, table.name(), bulk).await?;

        let shown = table.query(
            "SELECT CONVERT(char(36), id) AS id, CONVERT(char(36), parent) AS parent FROM",
            " ORDER BY n",
        );
        let found = session
            .fetch(shown, |row| {
                let [id, parent] = ["id", "parent"].map(|column| Tiberius::get_text(row, column));
                Ok((id?.unwrap_or_default(), parent?.unwrap_or_default()))
            })
            .await?;
        ensure!(found.len() == records.len());
        for (record, (id, parent)) in records.iter().zip(found) {
            let expected = stored_text(column, record.id);
            ensure!(
                id.eq_ignore_ascii_case(&expected) && parent == id,
                "{column:?}: {id} and {parent} instead of {expected}"
            );
        }
    }
    Ok(())
}

/// A conversion to bytes turns three groups around, so they are no key.
async fn guids_as_bytes_are_refused(session: &mut Session<Tiberius>) -> Result<()> {
    let case = Case::<Tiberius>::new::<uuid::AnyUuid>();
    let id = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
    let table = Table::create(session, &case).await?;
    table.insert(session, &Record::numbered([id])).await?;
    let cast = table.query("SELECT CAST(id AS binary(16)) AS id FROM", "");
    let found = session
        .fetch(cast, |row| {
            let bytes: Option<&[u8]> = row.try_get("id")?;
            let bytes = bytes.map(<[u8]>::to_vec);
            Ok((
                bytes,
                (case.get)(row, "id").map_err(|error| error.to_string()),
            ))
        })
        .await?;
    let turned = 0x3322_1100_5544_7766_8899_aabb_ccdd_eeff_u128;
    let refusal = "column `id` is no AnyUuid: stored AnyUuid: expected a uuid, found 16 bytes";
    let expected = (Some(turned.to_be_bytes().to_vec()), Err(refusal.to_owned()));
    ensure!(found == [expected], "{found:x?}");
    Ok(())
}

async fn send_in_bulk(
    session: &mut Session<Tiberius>,
    case: &Case<Tiberius>,
    table: &str,
    records: &[Record],
) -> Result<()> {
    let mut bulk = session.connection().bulk_insert(table).await?;
    for record in records {
        let mut row = TokenRow::new();
        row.push((case.param)(record.id).into_bulk_value());
        row.push((case.param_of)(record.parent).into_bulk_value());
        row.push(ColumnData::I64(Some(record.n)));
        bulk.send(row).await?;
    }
    let sent = bulk.finalize().await?.total();
    ensure!(sent == records.len() as u64, "{sent} rows are sent");
    Ok(())
}

/// More rows than fit into a packet, every third of them without a parent.
fn many_with_parents(format: FormatKind) -> Vec<Record> {
    let first = samples(format)[0] & !1_023;
    let parent = |record: Record| match record.n % 3 {
        0 => record,
        n => record.with_parent(record.id - n as u128),
    };
    Record::numbered(first..first + 600)
        .into_iter()
        .map(parent)
        .collect()
}

/// Rows sent in bulk are those that were sent, with keys and NULL.
async fn bulk_rows_of(session: &mut Session<Tiberius>, storage: Storage) -> Result<()> {
    for (case, column) in cases_of(session, storage) {
        let table = Table::create(session, &case).await?;
        let records = many_with_parents(case.format());
        send_in_bulk(session, &case, table.name(), &records)
            .await
            .with_context(|| format!("{column:?}"))?;
        let all = table.query("SELECT id, parent, n FROM", " ORDER BY n");
        let found = table.records(session, all).await?;
        ensure!(found == records, "{column:?}: other rows");
    }
    Ok(())
}

/// So are those of a table that only the connection sees.
async fn bulk_rows_go_into_temporary_tables(session: &mut Session<Tiberius>) -> Result<()> {
    for case in [
        Case::<Tiberius>::new::<uuid::ShortPrefixComb>(),
        Case::new::<binary::UuidV7>(),
        Case::new::<text::UuidV7>(),
    ] {
        let format = case.format();
        let definition = |name, nullability| {
            case.plan
                .column_definition(Backend::SqlServer, name, nullability)
        };
        let id = definition("id", Nullability::NotNull)?;
        let parent = definition("parent", Nullability::Nullable)?;
        session
            .execute(format!(
                "CREATE TABLE #bulk ({id} PRIMARY KEY, {parent}, n bigint NOT NULL)"
            ))
            .await?;
        let records = many_with_parents(format);
        send_in_bulk(session, &case, "#bulk", &records).await?;
        let all = Query::new("SELECT id, parent, n FROM #bulk ORDER BY n");
        let found = session
            .fetch(all, |row| {
                Ok(Record {
                    n: Tiberius::get_integer(row, "n")?,
                    id: (case.get)(row, "id")?,
                    parent: (case.get_optional)(row, "parent")?,
                })
            })
            .await?;
        ensure!(found == records, "{format}: other rows");
        session.execute("DROP TABLE #bulk").await?;
    }
    Ok(())
}

/// Zero, the largest number, and the smallest, the largest and others of each length that the
/// protocol has a size for.
fn numbers(case: &Case<Tiberius>) -> Vec<Record> {
    let max = case.plan.max_value();
    let mut ids = vec![0, max];
    for digits in [1, 9, 10, 19, 20, 28, 29, 38] {
        let power = 10_u128.pow(digits - 1);
        ids.extend([power, power + 1, power * 9, (power - 1) * 10 + 9]);
    }
    ids.retain(|id| *id <= max);
    ids.sort_unstable();
    ids.dedup();
    Record::numbered(ids)
        .into_iter()
        .map(|record| record.with_parent(record.id))
        .collect()
}

/// Whether the server has these numbers and no others, in their order.
async fn check_numbers(
    session: &mut Session<Tiberius>,
    table: &Table<'_, Tiberius>,
    records: &[Record],
) -> Result<()> {
    let shown = table.query(
        "SELECT CONVERT(varchar(38), id) AS digits, CONVERT(varchar(38), parent) AS others FROM",
        " ORDER BY id",
    );
    let found = session
        .fetch(shown, |row| {
            let digits = Tiberius::get_text(row, "digits")?;
            Ok((digits, Tiberius::get_text(row, "others")?))
        })
        .await?;
    let digits = records.iter().map(|record| Some(record.id.to_string()));
    let expected: Vec<_> = digits.map(|digits| (digits.clone(), digits)).collect();
    ensure!(found == expected, "{found:?}");
    Ok(())
}

/// Numbers have a type for each length on the way to the server, which compares them all the same.
async fn check_number_parameters(
    session: &mut Session<Tiberius>,
    case: Case<Tiberius>,
) -> Result<()> {
    let records = numbers(&case);
    let table = Table::create(session, &case).await?;
    table.insert(session, &records).await?;
    check_numbers(session, &table, &records).await?;
    let last = records.len() as i64 - 1;
    for record in &records {
        let found = table.records_of(session, record.id).await?;
        ensure!(found == [*record], "{found:?} instead of {record:?}");
        // In a list the server looks for one type for all of them.
        let found = table
            .numbers_where(session, |query| {
                query
                    .push("parent IN (")
                    .push_param((case.param)(record.id))
                    .push(", ")
                    .push_param((case.param)(0))
                    .push(", ")
                    .push_param((case.param)(records[last as usize].id))
                    .push(")");
            })
            .await?;
        let mut expected = vec![0, record.n, last];
        expected.dedup();
        ensure!(found == expected, "{record:?}: {found:?}");
    }
    Ok(())
}

async fn short_numbers_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    let case = Case::new::<decimal::DistributedId>();
    check_number_parameters(session, case).await
}

async fn long_numbers_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    let case = Case::new::<decimal::DistributedId128>();
    check_number_parameters(session, case).await
}

async fn numbers_are_in_bulk_rows(session: &mut Session<Tiberius>) -> Result<()> {
    for case in [
        Case::new::<decimal::DistributedId>(),
        Case::new::<decimal::DistributedId128>(),
    ] {
        let records = numbers(&case);
        let table = Table::create(session, &case).await?;
        send_in_bulk(session, &case, table.name(), &records).await?;
        check_numbers(session, &table, &records).await?;
    }
    Ok(())
}

/// Text is compared as `char` if it is cast, and as `nvarchar` otherwise, with the same answer.
async fn text_is_found_with_and_without_a_cast(session: &mut Session<Tiberius>) -> Result<()> {
    check_casts::<text::UuidV7>(session, "char(36)", "id").await?;
    check_casts::<text_compact::DistributedId>(session, "char(16)", "id").await
}

/// Bytes are compared as `binary` if they are cast, and as `varbinary` otherwise.
async fn bytes_are_found_with_and_without_a_cast(session: &mut Session<Tiberius>) -> Result<()> {
    // Some server cannot look for a list of `varbinary` in an index of `binary`.
    check_casts::<binary::UuidV7>(session, "binary(16)", "parent").await?;
    check_casts::<binary::DistributedId>(session, "binary(12)", "parent").await
}

/// Checks a list of keys as rowkey writes it, and in another column without its casts.
async fn check_casts<K: KeyOf<Tiberius>>(
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
    let cast = keys.to_condition("id", 1)?;
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

fn numbers_of(rows: &[Row]) -> Vec<i64> {
    rows.iter().filter_map(|row| row.get("n")).collect()
}

/// NULL of a key with a type: stored, equal to nothing, and of no weight in COALESCE.
async fn typed_nulls_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    check_null::<uuid::ShortPrefixComb>(session).await?;
    check_null::<uuid::DistributedId128>(session).await?;
    check_null::<decimal::DistributedId>(session).await?;
    check_null::<decimal::DistributedId128>(session).await
}

/// So is that of bytes and text, which tiberius sends without a type.
async fn untyped_nulls_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    check_null::<binary::DistributedId>(session).await?;
    check_null::<binary::UuidV7>(session).await?;
    check_null::<text::UuidV7>(session).await?;
    check_null::<text_compact::DistributedId>(session).await
}

async fn check_null<K: KeyOf<Tiberius> + tiberius::ToSql>(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let case = Case::<Tiberius>::new::<K>();
    let table = Table::create(session, &case).await?;
    let key = K::try_from(samples(case.format())[0])?;
    let name = table.name();
    let null = None::<K>.to_mssql();

    let insert = format!("INSERT INTO {name} (id, parent, n) VALUES (@P1, @P2, 0)");
    session.connection().execute(insert, &[&key, &null]).await?;
    let cast = match case.plan.column(Backend::SqlServer).wire() {
        Wire::Text(form) => format!("CAST(@P1 AS char({}))", form.width()),
        Wire::Bytes(width) => format!("CAST(@P1 AS binary({width}))"),
        _ => "@P1".to_owned(),
    };
    let select = format!(
        "SELECT id, parent, COALESCE({cast}, id) AS either FROM {name} WHERE parent IS NULL"
    );
    for (parameter, expected) in [(&null, key), (&Some(key).to_mssql(), key)] {
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

/// Names that mean something in SQL, or are as long as names can be, are names.
async fn long_and_strange_names_are_quoted(session: &mut Session<Tiberius>) -> Result<()> {
    let longest = "k".repeat(128);
    check_names(session, &["order", "i\"d", "it's; --", "é", &longest]).await
}

/// So are those that would end a quotation.
async fn brackets_in_names_are_quoted(session: &mut Session<Tiberius>) -> Result<()> {
    check_names(session, &["my]key", "[id]", "]"]).await
}

async fn check_names(session: &mut Session<Tiberius>, names: &[&str]) -> Result<()> {
    let key = uuid::ShortPrefixComb::try_from(samples(FormatKind::ShortPrefixComb)[0])?;
    for &name in names {
        let table = session.quoted(name);
        let definition = uuid::ShortPrefixComb::PLAN.column_definition(
            Backend::SqlServer,
            name,
            Nullability::NotNull,
        )?;
        session
            .execute(format!("CREATE TABLE {table} ({definition} PRIMARY KEY)"))
            .await?;
        let insert = format!("INSERT INTO {table} VALUES (@P1)");
        session.connection().execute(insert, &[&key]).await?;
        let condition = [key].to_condition((name, name), 1)?;
        let mut query = Statement::new(format!("SELECT * FROM {table} WHERE {condition}"));
        condition.bind(&mut query)?;
        let rows = query.query(session.connection()).await?;
        let rows = rows.into_first_result().await?;
        // By its position: some server has cut the longest name.
        let found = rows
            .iter()
            .map(|row| row.try_key::<uuid::ShortPrefixComb>(0));
        let found: Vec<_> = found.collect();
        ensure!(found == [Ok(key)], "{name}: {found:?}");
    }
    Ok(())
}

/// The server takes as many parameters as a condition may have; one more is refused before it is
/// sent.
async fn a_query_takes_as_many_parameters_as_we_allow(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let case = Case::<Tiberius>::new::<decimal::DistributedId>();
    let table = Table::create(session, &case).await?;
    table
        .insert(session, &Record::numbered([0, 1, 2_097, 2_098]))
        .await?;
    let keys = (0..2_099_u128).map(decimal::DistributedId::try_from);
    let keys = keys.collect::<Result<Vec<_>, _>>()?;

    let all_but_one = keys[..2_098].to_condition("id", 1)?;
    let sql = format!("SELECT n FROM {} WHERE {all_but_one}", table.name());
    let mut query = Statement::new(sql);
    all_but_one.bind(&mut query)?;
    let rows = query.query(session.connection()).await?;
    let found = rows.into_first_result().await?.len();
    ensure!(found == 3, "{found} rows");

    for (keys, first_parameter) in [(&keys[..], 1), (&keys[..2_098], 2)] {
        let refused = keys.to_condition("id", first_parameter);
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
async fn check_tables(session: &mut Session<Tiberius>, case: Case<Tiberius>) -> Result<()> {
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

async fn tables_of_guids_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    check_tables(session, Case::new::<uuid::ShortPrefixComb>()).await
}

async fn tables_of_numbers_are_parameters(session: &mut Session<Tiberius>) -> Result<()> {
    check_tables(session, Case::new::<decimal::DistributedId>()).await
}

/// A key that is there, in a constraint and in an index, and none where there has to be one.
async fn errors_of_constraints_have_their_numbers(session: &mut Session<Tiberius>) -> Result<()> {
    let case = Case::<Tiberius>::new::<uuid::ShortPrefixComb>();
    let ids = samples(case.format());
    let table = Table::create(session, &case).await?;
    let create = format!("CREATE UNIQUE INDEX one_child ON {} (parent)", table.name());
    session.execute(create).await?;
    let record = |id, parent| Record {
        n: 0,
        id,
        parent: Some(parent),
    };
    table.insert(session, &[record(ids[0], ids[1])]).await?;

    let mut code = async |record: Record| {
        let outcome = table.insert(session, &[record]).await;
        outcome.err().as_ref().and_then(Error::code)
    };
    let of_key = code(record(ids[0], ids[2])).await;
    let of_index = code(record(ids[2], ids[1])).await;
    ensure!(of_key == Some(2627), "{of_key:?}");
    ensure!(matches!(of_index, Some(2601 | 2627)), "{of_index:?}");

    let mut nothing = table.query("INSERT INTO", " (id, n) VALUES (");
    nothing.push_param((case.param_of)(None)).push(", 1)");
    let of_null = session
        .run(nothing)
        .await
        .err()
        .as_ref()
        .and_then(Error::code);
    ensure!(of_null == Some(515), "{of_null:?}");
    Ok(())
}

async fn errors_of_rows_name_the_column(session: &mut Session<Tiberius>) -> Result<()> {
    let sql = "SELECT 7 AS id, NULL AS parent, CAST(7 AS decimal(28,0)) AS corrects";
    let rows = session.connection().simple_query(sql).await?;
    let row = rows.into_row().await?.context("there is a row")?;
    let told = [
        row.try_key::<decimal::DistributedId>("id"),
        row.try_key("parent"),
        row.try_key("child"),
        row.try_key::<uuid::UuidV7>(2).map(|_| unreachable!()),
    ]
    .map(|outcome| outcome.map_err(|error| error.to_string()));
    let expected = [
        "column `id` is no DistributedId: stored DistributedId: expected a whole number of at most \
         28 digits, found a value of type int",
        "column `parent` is no DistributedId: found NULL",
        "the row has no column `child`",
        "column `corrects` is no UuidV7: stored UuidV7: expected a uuid, found the number 7",
    ]
    .map(|message| Err(message.to_owned()));
    ensure!(told == expected, "{told:#?}");
    Ok(())
}

/// What the pool of the example asks of a connection that comes back.
async fn a_recycled_connection_has_no_transaction(session: &mut Session<Tiberius>) -> Result<()> {
    let recycle = "IF @@TRANCOUNT > 0 ROLLBACK";
    let pool = include_str!("../../../examples/sqlserver-pool/src/pool.rs");
    ensure!(pool.contains(recycle), "the example has another query");

    session.execute("CREATE TABLE kept (n int)").await?;
    for count in 1..=2 {
        session.execute("BEGIN TRANSACTION").await?;
        session.execute("INSERT INTO kept VALUES (1)").await?;
        session.execute(recycle).await?;
        session.execute("INSERT INTO kept VALUES (2)").await?;
        // There is no transaction now.
        session.execute(recycle).await?;
        let sql = "SELECT n, @@TRANCOUNT AS open_transactions FROM kept";
        let found = session
            .fetch_text(sql, |row| {
                let open = Tiberius::get_integer(row, "open_transactions")?;
                Ok((Tiberius::get_integer(row, "n")?, open))
            })
            .await?;
        ensure!(found == vec![(2, 0); count], "{found:?}");
    }
    Ok(())
}

/// The largest and the smallest key of a column are keys.
async fn greatest_of(session: &mut Session<Tiberius>, storage: Storage) -> Result<()> {
    for (case, column) in cases_of(session, storage) {
        let mut ids = samples(case.format())[..30].to_vec();
        let table = Table::create(session, &case).await?;
        table
            .insert(session, &Record::numbered(ids.iter().copied()))
            .await?;
        ids.sort_by(|a, b| column.compare(*a, *b));
        let query = table.query(
            "SELECT max(id) AS last, min(id) AS first, max(parent) AS none FROM",
            "",
        );
        let found = session
            .fetch(query, |row| {
                let last = (case.get)(row, "last")?;
                Ok((
                    last,
                    (case.get)(row, "first")?,
                    (case.get_optional)(row, "none")?,
                ))
            })
            .await?;
        ensure!(found == [(ids[29], ids[0], None)], "{column:?}: {found:x?}");
    }
    Ok(())
}

//! What the server at hand does otherwise than SQL Server, as far as scenarios depend on it: others
//! speak its protocol, too.

use std::sync::OnceLock;

use anyhow::Result;
use rowkey::storage::SqlServerOrd;
use rowkey_testkit::Server;
use tiberius::numeric::Numeric;
use tiberius::{ColumnData, IntoRow, Query, Row, Uuid};

use super::connection::{Connection, batch, connect, plan};

/// What a server does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Sorts `uniqueidentifier` as SQL Server does.
    pub(crate) sorts_guids: bool,
    /// Takes NULL without a type as a parameter, which the protocol allows.
    pub(crate) takes_untyped_null: bool,
    /// Checks foreign keys of text.
    pub(crate) refers_to_text: bool,
    /// Knows that two closing brackets are one in a name.
    pub(crate) quotes_brackets: bool,
    /// Reads parameters of 38 digits as they are.
    pub(crate) reads_long_numbers: bool,
    /// Reads numbers in bulk inserts and tables as they are.
    pub(crate) reads_numbers_in_rows: bool,
    /// Shows the plan of a query that it has run.
    pub(crate) shows_plans: bool,
    /// Knows `MERGE`.
    pub(crate) merges: bool,
    /// Knows partition functions.
    pub(crate) partitions: bool,
}

/// What SQL Server does.
const SQL_SERVER: Probe = Probe {
    sorts_guids: true,
    takes_untyped_null: true,
    refers_to_text: true,
    quotes_brackets: true,
    reads_long_numbers: true,
    reads_numbers_in_rows: true,
    shows_plans: true,
    merges: true,
    partitions: true,
};

static PROBE: OnceLock<Probe> = OnceLock::new();

/// Asks the server once. One that does not answer is taken for SQL Server, so that the tests run
/// and fail.
pub(crate) fn of(server: &Server) -> Probe {
    *PROBE.get_or_init(|| {
        ask(server).unwrap_or_else(|error| {
            eprintln!("sqlserver: could not be probed: {error:#}");
            SQL_SERVER
        })
    })
}

fn ask(server: &Server) -> Result<Probe> {
    let database = server.create_database()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(probe(database.url()))?)
}

/// What the server has answered.
pub(crate) fn known() -> Probe {
    *PROBE.get().unwrap_or(&SQL_SERVER)
}

async fn probe(url: &str) -> tiberius::Result<Probe> {
    let order = order(&mut connect(url).await?).await?;
    let mut expected = order.clone();
    expected.sort_by_key(|guid| SqlServerOrd(*guid));
    let sorts_guids = order == expected;
    if !sorts_guids {
        let bytes: Vec<usize> = order.iter().rev().map(byte).collect();
        eprintln!(
            "sqlserver: order unverified: the server compares the bytes of a uniqueidentifier in \
             the order {bytes:?}, SQL Server does otherwise"
        );
    }

    // Each in a separate connection, which it may leave in a bad state.
    let takes_untyped_null = untyped_null(&mut connect(url).await?).await;
    if let Err(error) = &takes_untyped_null {
        eprintln!("sqlserver: NULL without a type is refused: {error}");
    }
    let text_reference = text_reference(&mut connect(url).await?).await;
    if let Err(error) = &text_reference {
        eprintln!("sqlserver: foreign keys of text fail: {error}");
    }
    let bracket = bracket(&mut connect(url).await?).await;
    if let Err(error) = &bracket {
        eprintln!("sqlserver: brackets in names are refused: {error}");
    }
    let long_numbers = long_numbers(&mut connect(url).await?).await;
    let reads_long_numbers = matches!(long_numbers, Ok(true));
    if !reads_long_numbers {
        eprintln!("sqlserver: parameters of 38 digits are misread: {long_numbers:?}");
    }
    let number_in_row = number_in_row(&mut connect(url).await?).await;
    let reads_numbers_in_rows = matches!(number_in_row, Ok(true));
    if !reads_numbers_in_rows {
        eprintln!("sqlserver: numbers in bulk inserts are misread: {number_in_row:?}");
    }
    let shown = plan(&mut connect(url).await?, Query::new("SELECT 1 AS one")).await;
    let shows_plans = matches!(shown, Ok(Some(_)));
    if !shows_plans {
        eprintln!("sqlserver: plans are not shown: {shown:?}");
    }
    let merge = merge(&mut connect(url).await?).await;
    if let Err(error) = &merge {
        eprintln!("sqlserver: MERGE is refused: {error}");
    }
    let partition = partition(&mut connect(url).await?).await;
    if let Err(error) = &partition {
        eprintln!("sqlserver: partition functions are refused: {error}");
    }
    Ok(Probe {
        sorts_guids,
        takes_untyped_null: takes_untyped_null.is_ok(),
        refers_to_text: text_reference.is_ok(),
        quotes_brackets: bracket.is_ok(),
        reads_long_numbers,
        reads_numbers_in_rows,
        shows_plans,
        merges: merge.is_ok(),
        partitions: partition.is_ok(),
    })
}

/// Sixteen guids of one byte that is not zero, as the server sorts them.
async fn order(connection: &mut Connection) -> tiberius::Result<Vec<Uuid>> {
    let rows = Query::placeholders(1, 16).replace(", ", "), (");
    let mut query = Query::new(format!(
        "SELECT guid FROM (VALUES ({rows})) AS guids (guid) ORDER BY guid"
    ));
    query.bind_iter((0..16).map(|byte| Uuid::from_u128(1 << (8 * byte))));
    let rows = query.query(connection).await?.into_first_result().await?;
    let guid = |row: &Row| Ok(row.try_get(0)?.unwrap_or_default());
    rows.iter().map(guid).collect()
}

/// Which byte of a guid is not zero.
fn byte(guid: &Uuid) -> usize {
    guid.as_u128().leading_zeros() as usize / 8
}

async fn untyped_null(connection: &mut Connection) -> tiberius::Result<()> {
    let mut query = Query::new("SELECT @P1 AS nothing");
    query.bind_iter([ColumnData::String(None)]);
    query
        .query(connection)
        .await?
        .into_results()
        .await
        .map(drop)
}

/// Stores a row that refers to itself, by text of a collation of its own.
async fn text_reference(connection: &mut Connection) -> tiberius::Result<()> {
    let column = "char(3) COLLATE Latin1_General_100_BIN2 NOT NULL";
    let create = format!(
        "CREATE TABLE words (id {column} PRIMARY KEY, other {column} REFERENCES words (id))"
    );
    batch(connection, &create).await?;
    batch(
        connection,
        "INSERT INTO words (id, other) VALUES ('abc', 'abc')",
    )
    .await
}

async fn bracket(connection: &mut Connection) -> tiberius::Result<()> {
    batch(connection, "CREATE TABLE #names ([a]]b] int)").await
}

async fn merge(connection: &mut Connection) -> tiberius::Result<()> {
    batch(connection, "CREATE TABLE #merged (id int PRIMARY KEY)").await?;
    let merge = "MERGE INTO #merged AS t USING (SELECT 1 AS id) AS s ON t.id = s.id \
                 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);";
    batch(connection, merge).await
}

/// Whether a thousand numbers come back: a server that reads beyond their end finds what was there
/// before, which is nothing often enough.
async fn long_numbers(connection: &mut Connection) -> tiberius::Result<bool> {
    const COUNT: usize = 1_000;
    let number = Numeric::new_with_scale(12_292_250_187_801_165_436_047_097_106_846_973_952, 0);
    let places = Query::placeholders(1, COUNT);
    let mut query = Query::new(format!("SELECT {places}"));
    query.bind_iter([number; COUNT]);
    let row = query.query(connection).await?.into_row().await?;
    Ok(row.is_some_and(|row| (0..COUNT).all(|at| row.try_get(at) == Ok(Some(number)))))
}

async fn number_in_row(connection: &mut Connection) -> tiberius::Result<bool> {
    batch(
        connection,
        "CREATE TABLE #numbers (number decimal(28,0) NOT NULL)",
    )
    .await?;
    let mut bulk = connection.bulk_insert("#numbers").await?;
    let number = Numeric::new_with_scale(7, 0);
    bulk.send(number.into_row()).await?;
    bulk.finalize().await?;
    let rows = connection
        .simple_query("SELECT number FROM #numbers")
        .await?;
    let rows = rows.into_first_result().await?;
    Ok(rows.len() == 1 && rows[0].try_get(0)? == Some(number))
}

async fn partition(connection: &mut Connection) -> tiberius::Result<()> {
    let function = "CREATE PARTITION FUNCTION probed (int) AS RANGE RIGHT FOR VALUES (1)";
    batch(connection, function).await
}

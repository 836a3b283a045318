//! SQL Server, with tiberius.

use futures_util::TryStreamExt;
use tiberius::{ColumnData, Config, Query, QueryItem};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

use super::{Held, Row, Take, Value, tls};
use crate::address::Address;
use crate::error::Error;

pub type Client = tiberius::Client<Socket>;

/// What a [`Client`] reads from and writes to.
pub type Socket = Compat<TcpStream>;

pub(super) async fn open(address: &Address) -> Result<Client, Error> {
    let doing = format!("connecting to {address}");
    let mut config = Config::from_ado_string(address.secret()).map_err(tls::connecting(address))?;
    config.application_name("rowkey");
    let stream = TcpStream::connect(config.get_addr())
        .await
        .map_err(Error::unreachable(&doing))?;
    stream
        .set_nodelay(true)
        .map_err(Error::unreachable(&doing))?;
    let mut client = Client::connect(config, stream.compat_write())
        .await
        .map_err(tls::connecting(address))?;
    execute(&mut client, "the settings of the session", SETTINGS).await?;
    Ok(client)
}

/// What a login or a server may have set otherwise: how dates are read, what NULL is compared with,
/// how many rows and bytes there are of a query, and when a transaction begins. Indexes with
/// conditions need the first seven.
const SETTINGS: &str = "
SET ANSI_NULLS ON; SET ANSI_PADDING ON; SET ANSI_WARNINGS ON; SET ARITHABORT ON;
SET CONCAT_NULL_YIELDS_NULL ON; SET QUOTED_IDENTIFIER ON; SET NUMERIC_ROUNDABORT OFF;
SET ANSI_NULL_DFLT_ON ON; SET LANGUAGE us_english; SET DATEFORMAT mdy; SET ROWCOUNT 0;
SET TEXTSIZE 2147483647; SET LOCK_TIMEOUT -1; SET IMPLICIT_TRANSACTIONS OFF;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// A session of SQL Server may write unless its database may not be written.
pub(super) async fn allow_writing(_: &mut Client, _: &str) -> Result<(), Error> {
    Ok(())
}

pub(super) async fn execute(
    client: &mut Client,
    doing: &str,
    statement: &str,
) -> Result<u64, Error> {
    let stream = client
        .simple_query(statement.to_owned())
        .await
        .map_err(Error::database(doing))?;
    stream
        .into_results()
        .await
        .map_err(Error::database(doing))?;
    Ok(0)
}

fn bound(statement: &str, values: &[Value]) -> Query<'static> {
    let mut query = Query::new(statement.to_owned());
    for value in values {
        match value {
            Value::Null => query.bind(None::<String>),
            Value::Integer(number) => query.bind(*number),
            Value::Text(text) => query.bind(text.clone()),
            Value::Bytes(bytes) => query.bind(bytes.clone()),
        }
    }
    query
}

pub(super) async fn update(
    client: &mut Client,
    doing: &str,
    statement: &str,
    values: &[Value],
) -> Result<u64, Error> {
    let result = bound(statement, values)
        .execute(client)
        .await
        .map_err(Error::database(doing))?;
    Ok(result.total())
}

pub(super) async fn for_each(
    client: &mut Client,
    doing: &str,
    query: &str,
    values: &[Value],
    take: &mut (dyn FnMut(Row) -> Result<(), Error> + Send),
) -> Result<(), Error> {
    let mut rows = bound(query, values)
        .query(client)
        .await
        .map_err(Error::database(doing))?;
    while let Some(item) = rows.try_next().await.map_err(Error::database(doing))? {
        if let QueryItem::Row(row) = item {
            let values = row
                .into_iter()
                .map(|data| held(doing, data).map(Value::from));
            take(Row(values.collect::<Result<_, _>>()?))?;
        }
    }
    Ok(())
}

pub(super) async fn scan(
    client: &mut Client,
    doing: &str,
    query: &str,
    take: &mut Take<'_>,
) -> Result<(), Error> {
    let rows = client.query(query, &[]).await;
    let mut rows = rows.map_err(Error::database(doing))?;
    while let Some(item) = rows.try_next().await.map_err(Error::database(doing))? {
        if let QueryItem::Row(row) = item {
            let mut values = Held::NONE;
            for (data, value) in row.into_iter().zip(&mut values) {
                *value = held(doing, data)?;
            }
            take(&values)?;
        }
    }
    Ok(())
}

fn held<'r>(doing: &str, data: ColumnData<'r>) -> Result<Held<'r>, Error> {
    let integer = |number: Option<i64>| number.map_or(Held::Null, Held::Integer);
    Ok(match data {
        ColumnData::Bit(value) => integer(value.map(i64::from)),
        ColumnData::U8(value) => integer(value.map(i64::from)),
        ColumnData::I16(value) => integer(value.map(i64::from)),
        ColumnData::I32(value) => integer(value.map(i64::from)),
        ColumnData::I64(value) => integer(value),
        ColumnData::String(text) => text.map_or(Held::Null, Held::Text),
        ColumnData::Binary(bytes) => bytes.map_or(Held::Null, Held::Bytes),
        ColumnData::Guid(guid) => guid.map_or(Held::Null, |guid| {
            Held::Bytes(guid.as_bytes().to_vec().into())
        }),
        ColumnData::Numeric(number) => {
            number.map_or(Held::Null, |number| Held::Text(number.to_string().into()))
        }
        _ => {
            return Err(Error::Differs {
                what: doing.into(),
                found: "a value of a type that the query has to cast".into(),
            });
        }
    })
}

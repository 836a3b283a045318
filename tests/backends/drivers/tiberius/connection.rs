//! A connection to the server, and what needs no more than that.

use tiberius::{Client, ColumnData, Config, Query};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

pub(crate) type Connection = Client<Compat<TcpStream>>;

pub(super) async fn connect(url: &str) -> tiberius::Result<Connection> {
    let config = Config::from_ado_string(url)?;
    let stream = TcpStream::connect(config.get_addr()).await?;
    stream.set_nodelay(true)?;
    Client::connect(config, stream.compat_write()).await
}

/// Runs SQL text without parameters.
pub(super) async fn batch(connection: &mut Connection, sql: &str) -> tiberius::Result<()> {
    connection.simple_query(sql).await?.into_results().await?;
    Ok(())
}

/// Runs a statement; the plan that the server has run, in XML, if it shows one.
pub(super) async fn plan(
    connection: &mut Connection,
    statement: Query<'_>,
) -> tiberius::Result<Option<String>> {
    batch(connection, "SET STATISTICS XML ON").await?;
    let results = statement.query(connection).await?;
    let results = results.into_results().await?;
    batch(connection, "SET STATISTICS XML OFF").await?;
    // The plan is a separate result after that of the query.
    let shown = results.iter().flatten().find_map(|row| {
        let text = match row.get_column_data(0) {
            Ok(ColumnData::Xml(Some(xml))) => xml.to_string(),
            Ok(ColumnData::String(Some(text))) => text.to_string(),
            _ => return None,
        };
        text.contains("<ShowPlanXML").then_some(text)
    });
    Ok(shown)
}

//! Queries to SQL Server without a repository.

use std::env;

use anyhow::{Context, Result, ensure};
use rowkey_testkit::{Backend, TestDatabase, url_variable};
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

/// Whether a server speaks SQL Server's protocol but sorts `uniqueidentifier` in another way. SQL
/// Server compares the last bytes first.
pub(crate) async fn sorts_otherwise() -> Result<bool> {
    let query = "SELECT CASE WHEN \
         CAST('00000000-0000-0000-0000-000000000001' AS uniqueidentifier) \
         > CAST('01000000-0000-0000-0000-000000000000' AS uniqueidentifier) \
         THEN 'as SQL Server' ELSE 'otherwise' END";
    let Some(Ok(url)) = url_variable(Backend::SqlServer).map(env::var) else {
        return Ok(false);
    };
    match text(&url, query).await {
        Ok(order) => Ok(order == "otherwise"),
        // The tests report the reason.
        Err(_) => Ok(false),
    }
}

/// Connection strings without a database lead to it.
pub(crate) async fn the_servers_own_database_is_refused(database: &TestDatabase) -> Result<()> {
    let url = format!("{};database=master", database.url());
    let refusal = repository::tiberius::connect(&url).await.err();
    let text = refusal.map(|error| error.to_string());
    ensure!(
        text.as_deref() == Some("the connection string names no database"),
        "{text:?}"
    );
    Ok(())
}

/// The only value of a query.
pub(crate) async fn text(url: &str, query: &str) -> Result<String> {
    let answer = connect(url)
        .await?
        .simple_query(query)
        .await?
        .into_row()
        .await?;
    let row = answer.context("there is no row")?;
    let text: &str = row.try_get(0)?.context("it is NULL")?;
    Ok(text.to_owned())
}

pub(crate) async fn execute(url: &str, statement: &str) -> Result<()> {
    let mut connection = connect(url).await?;
    connection
        .simple_query(statement)
        .await?
        .into_results()
        .await?;
    Ok(())
}

async fn connect(url: &str) -> Result<Client<Compat<TcpStream>>> {
    let config = Config::from_ado_string(url)?;
    let stream = TcpStream::connect(config.get_addr()).await?;
    Ok(Client::connect(config, stream.compat_write()).await?)
}

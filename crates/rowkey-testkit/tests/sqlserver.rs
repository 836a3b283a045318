//! Databases of SQL Server belong to one test each, and are dropped with it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use rowkey_testkit::{Backend, Server, Suite, TestDatabase};
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    suite.test_on(
        Backend::SqlServer,
        "the_address_leads_to_the_database",
        |database| block_on(the_address_leads_to_the_database(database)),
    );
    suite.test_on_server(Backend::SqlServer, "databases_are_separate", |server| {
        block_on(databases_are_separate(server))
    });
    suite.test_on_server(
        Backend::SqlServer,
        "a_database_goes_with_a_test_that_panics",
        a_database_goes_with_a_test_that_panics,
    );
    Ok(suite.run())
}

async fn the_address_leads_to_the_database(database: &TestDatabase) -> Result<()> {
    let mut connection = connect(database.url()).await?;
    let name = current_database(&mut connection).await?;
    ensure!(name.starts_with("rowkey_test_"), "{name}");
    Ok(())
}

async fn databases_are_separate(server: &Server) -> Result<()> {
    let (one, other) = (server.create_database()?, server.create_database()?);
    for database in [&one, &other] {
        let mut connection = connect(database.url()).await?;
        // In one database, the second table would clash with the first.
        let table = "CREATE TABLE offers (id int)";
        connection.simple_query(table).await?.into_results().await?;
    }
    Ok(())
}

fn a_database_goes_with_a_test_that_panics(server: &Server) -> Result<()> {
    let mut name = String::new();
    let test = AssertUnwindSafe(|| -> Result<()> {
        let database = server.create_database()?;
        // The server may still consider the connection open when the database is dropped.
        name = block_on(async {
            let mut connection = connect(database.url()).await?;
            current_database(&mut connection).await
        })?;
        // Keeps the panic's message out of the results.
        resume_unwind(Box::new(()));
    });
    ensure!(catch_unwind(test).is_err(), "it went well");
    block_on(is_gone(server, &name))
}

async fn is_gone(server: &Server, name: &str) -> Result<()> {
    let other = server.create_database()?;
    let mut connection = connect(other.url()).await?;
    let query = "SELECT name FROM sys.databases WHERE name = @P1";
    for (database, is_there) in [
        (name, false),
        (&*current_database(&mut connection).await?, true),
    ] {
        let found = connection.query(query, &[&database]).await?;
        let found = found.into_row().await?.is_some();
        ensure!(found == is_there, "{database}: {found}");
    }
    Ok(())
}

type Connection = Client<Compat<TcpStream>>;

async fn connect(url: &str) -> Result<Connection> {
    let config = Config::from_ado_string(url)?;
    let stream = TcpStream::connect(config.get_addr()).await?;
    Ok(Client::connect(config, stream.compat_write()).await?)
}

async fn current_database(connection: &mut Connection) -> Result<String> {
    let answer = connection.simple_query("SELECT DB_NAME()").await?;
    let row = answer.into_row().await?.context("there is no answer")?;
    let name: &str = row.try_get(0)?.context("there is no database")?;
    Ok(name.to_owned())
}

fn block_on<T>(test: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(test)
}

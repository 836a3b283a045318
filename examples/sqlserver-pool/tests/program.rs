//! Runs the program on a server.

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};
use rowkey_testkit::{Backend, Suite, TestDatabase};
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio_util::compat::TokioAsyncWriteCompatExt;

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    suite.test_on(
        Backend::SqlServer,
        "variants_of_an_offer_are_shown",
        variants_of_an_offer_are_shown,
    );
    Ok(suite.run())
}

fn variants_of_an_offer_are_shown(database: &TestDatabase) -> Result<()> {
    let output = Command::new(env!("CARGO_BIN_EXE_sqlserver-pool"))
        .env("ROWKEY_TEST_SQLSERVER_URL", database.url())
        .output()?;
    ensure!(output.status.success(), "{output:?}");
    let shown = String::from_utf8(output.stdout)?;
    let mut lines = shown.lines();
    let original = lines
        .next()
        .and_then(|line| line.strip_prefix("1000 variants of "));
    let original = original.with_context(|| format!("{shown:?}"))?;
    let is_variant = format!(" is a variant of {original}");

    let listed: Vec<_> = lines.by_ref().take(3).collect();
    let [first, variants @ ..] = &listed[..] else {
        bail!("{shown}");
    };
    ensure!(*first == format!("{original} is an original"), "{shown}");
    let ids: BTreeSet<_> = variants
        .iter()
        .filter_map(|line| line.strip_suffix(&is_variant))
        .filter(|id| *id != original)
        .collect();
    ensure!(ids.len() == 2, "{shown}");

    let recent: Vec<_> = lines.collect();
    let is_recent =
        |line: &&str| line.starts_with("of the last hour: ") && line.ends_with(&is_variant);
    ensure!(recent.iter().all(is_recent), "{shown}");
    // With another order, the hour is another range of keys.
    if sorts_as_sql_server_does(database.url())? {
        ensure!(recent.len() == 5, "{shown}");
    }
    Ok(())
}

/// Not every server with this protocol compares the last bytes of a `uniqueidentifier` first.
fn sorts_as_sql_server_does(url: &str) -> Result<bool> {
    let query = "SELECT 1 WHERE \
         CAST('00000000-0000-0000-0000-000000000001' AS uniqueidentifier) \
         > CAST('01000000-0000-0000-0000-000000000000' AS uniqueidentifier)";
    let config = Config::from_ado_string(url)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let stream = TcpStream::connect(config.get_addr()).await?;
        let mut connection = Client::connect(config, stream.compat_write()).await?;
        Ok(connection
            .simple_query(query)
            .await?
            .into_row()
            .await?
            .is_some())
    })
}

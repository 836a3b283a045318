//! Ranges of keys, for engines that read in parallel.

use anyhow::{Result, ensure};
use rowkey_testkit::TestDatabase;
use serde_json::Value;

use crate::offers::{self, OFFERS, block_on, connect};
use crate::run::rowkey;

pub(crate) fn keys_in_ranges(database: &TestDatabase) -> Result<()> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("copy.db"), [])?;
    let run = |arguments: &str| rowkey(database, folder.path(), arguments);
    block_on(async { offers::create(&mut connect(database).await?).await })?;
    run("plan --target sqlite:copy.db --output plan.toml")?.success()?;

    let printed = run("chunks plan.toml --table offer --chunks 6")?.success()?;
    let ranges: Vec<&str> = printed.lines().collect();
    ensure!(ranges.len() == 6, "{printed}");
    let object = run("chunks plan.toml --table offer --chunks 6 --emit json")?.json()?;
    ensure!(
        object["table"] == "offer" && object["columns"][0] == "id",
        "{object}"
    );
    ensure!(object["ranges"] == Value::from(ranges.clone()), "{object}");
    let of_bookings =
        run("chunks plan.toml --table booking --column offer_id --chunks 3")?.success()?;
    ensure!(of_bookings.lines().count() == 3, "{of_bookings}");
    block_on(async {
        let mut connection = connect(database).await?;
        for range in ranges {
            let query = format!("SELECT COUNT(*) FROM offer WHERE {range}");
            let rows = connection.query("a range", &query, &[]).await?[0].integer(0)?;
            ensure!(
                rows.unsigned_abs().abs_diff(OFFERS as u64 / 6) <= 5,
                "{rows}: {range}"
            );
        }
        Ok(())
    })?;

    let all = run("chunks plan.toml")?.success()?;
    ensure!(all == "-- offer\n1 = 1\n-- booking\n1 = 1\n", "{all}");
    for (arguments, code, expected) in [
        ("chunks plan.toml --table rest", 1, "the table rest"),
        ("chunks plan.toml --column id", 2, "--table"),
        ("chunks plan.toml --chunks 0", 2, "1..=10000"),
        ("chunks plan.toml --emit sql --json", 2, "--emit json"),
        ("chunks missing.toml", 1, "missing.toml"),
    ] {
        let error = run(arguments)?.failure(code)?;
        ensure!(error.contains(expected), "{arguments}: {error}");
    }
    Ok(())
}

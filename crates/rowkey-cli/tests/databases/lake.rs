//! Tables become Parquet files. The programs of the page run in the Python of `ROWKEY_TEST_PYTHON`,
//! if that has pyarrow and DuckDB.

use std::env;

use anyhow::{Result, anyhow, ensure};
use rowkey_testkit::{Backend, Search, Server, Suite, TestDatabase};
use serde_json::{Value, json};

use crate::offers::{self, OFFERS, block_on, connect};
use crate::pages;
use crate::run::rowkey;

pub(crate) fn add_page(suite: &mut Suite, page: &'static str) -> Result<()> {
    let (source, target) = (Backend::Postgres, Backend::MariaDb);
    let (name, with_programs) = ("page_into_the_lake", "programs_of_the_page_into_the_lake");
    let server = match Server::find(target)? {
        Search::Found(server) => server,
        Search::Missing(why) => {
            suite.ignore_on(source, name, &why);
            suite.ignore_on(source, with_programs, &why);
            return Ok(());
        }
        Search::Required(why) => {
            suite.test_on(source, name, move |_| Err(anyhow!(why)));
            return Ok(());
        }
    };
    match env::var_os("ROWKEY_TEST_PYTHON") {
        Some(python) => {
            let server = server.clone();
            suite.test_on(source, with_programs, move |database| {
                pages::run_to_with(database, (target, &server), page, &python)
            });
        }
        None => suite.ignore_on(source, with_programs, "ROWKEY_TEST_PYTHON is not set"),
    }
    suite.test_on(source, name, move |database| {
        pages::run_to(database, (target, &server), page)
    });
    Ok(())
}

pub(crate) fn to_files(database: &TestDatabase) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let run = |arguments: &str| rowkey(database, folder.path(), arguments);
    block_on(async { offers::create(&mut connect(database).await?).await })?;
    run("plan --target parquet:lake --output plan.toml")?.success()?;
    for (arguments, message) in [
        ("copy plan.toml", "--target parquet:FOLDER"),
        (
            "copy plan.toml --target sqlite:copy.db",
            "--target parquet:FOLDER",
        ),
        (
            "copy plan.toml --target parquet:lake --create",
            "leave out --create",
        ),
        (
            "copy plan.toml --target parquet:lake --jobs 2",
            "leave out --jobs",
        ),
        (
            "copy plan.toml --url parquet:a --target parquet:b",
            "both addresses are folders",
        ),
    ] {
        let errors = run(arguments)?.failure(2)?;
        ensure!(errors.contains(message), "{arguments}: {errors}");
    }
    let look = run("preflight plan.toml --target parquet:lake --json")?.json()?;
    ensure!(look["refused"] == json!([]), "{look}");
    let copied = run("copy plan.toml --target parquet:lake --json")?.json()?;
    ensure!(copied["tables"][0]["rows"] == json!(OFFERS), "{copied}");
    ensure!(copied["tables"][1]["rows"] == json!(2 * OFFERS), "{copied}");
    let look = run("preflight plan.toml --target parquet:lake")?;
    ensure!(
        look.code == 1 && look.output.contains("offer.parquet: it exists"),
        "{}",
        look.output
    );
    let exists = run("copy plan.toml --target parquet:lake")?.failure(1)?;
    ensure!(exists.contains("offer.parquet: it exists"), "{exists}");
    let verified = run("verify plan.toml --target parquet:lake --json")?.json()?;
    ensure!(verified["tables"][0]["difference"] == Value::Null);

    std::fs::write(folder.path().join("back.db"), [])?;
    let back = "--url parquet:lake --target sqlite:back.db";
    run(&format!("plan {back} --output back.toml"))?.success()?;
    let look = run(&format!("preflight back.toml {back} --json"))?.json()?;
    ensure!(look["refused"] == json!([]), "{look}");
    let notes = look["notes"].to_string();
    ensure!(notes.contains("offer is to be made (--create)"), "{notes}");
    let read = run(&format!("copy back.toml {back} --create --json"))?.json()?;
    for table in 0..2 {
        ensure!(
            read["tables"][table]["hash"] == copied["tables"][table]["hash"],
            "{read}"
        );
    }
    run(&format!("verify back.toml {back}"))?.success()?;
    let look = run(&format!("preflight back.toml {back}"))?;
    ensure!(
        look.code == 1 && look.output.contains("it has rows; empty it"),
        "{}",
        look.output
    );
    let plan = folder.path().join("back.toml");
    let text = std::fs::read_to_string(&plan)?;
    let line = "[[table]]\n";
    let edited = text.replacen(line, &format!("{line}existing-rows = \"delete\"\n"), 1);
    std::fs::write(&plan, edited)?;
    let refused = run(&format!("preflight back.toml {back}"))?;
    let expected =
        "`existing-rows` is for copies between databases; delete `existing-rows` from the plan";
    ensure!(refused.output.contains(expected), "{}", refused.output);
    let in_key = text.replacen(
        "name = \"id\"\n",
        "name = \"id\"\ninstead = { nul = \"strip\" }\n",
        1,
    );
    std::fs::write(&plan, in_key)?;
    let refused = run(&format!("preflight back.toml {back}"))?;
    let expected = "it is in the key, whose values are not replaced";
    ensure!(refused.output.contains(expected), "{}", refused.output);
    let empty = run("plan --url parquet:. --target sqlite:back.db")?.failure(1)?;
    ensure!(empty.contains("no files that end in .parquet"), "{empty}");

    block_on(async {
        let mut source = connect(database).await?;
        let statement = "UPDATE booking SET note = 'third' WHERE id = 5";
        source.execute("a change", statement).await?;
        Ok(())
    })?;
    let differs = run("verify plan.toml --target parquet:lake")?;
    ensure!(differs.code == 1, "{}", differs.errors);
    ensure!(
        differs.output.contains("the keys 5\n"),
        "{}",
        differs.output
    );
    Ok(())
}

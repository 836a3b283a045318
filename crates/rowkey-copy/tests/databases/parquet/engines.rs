//! The files as other programs read them: pyarrow and DuckDB, in the Python that `ROWKEY_TEST_PYTHON`
//! names.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rowkey_copy::CopyPlan;
use rowkey_tables::Value;
use rowkey_testkit::{Backend, Suite};
use serde::Deserialize;

use crate::copy::pair;
use crate::copy::shop;
use crate::copy::values::{Content as C, all_columns, check, value};
use crate::parquet::customers::{self, CUSTOMERS, Customers};
use crate::parquet::{column, on, open, plan, plan_back, read, write};

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/databases/parquet/engines.py"
);

const PYTHON: &str = "ROWKEY_TEST_PYTHON";

pub(crate) fn add_tests(suite: &mut Suite) {
    let (every_value, customers) = ("values_in_arrow", "customers_in_a_lake");
    if env::var_os(PYTHON).is_none() {
        let why = format!("{PYTHON} is not set");
        for backend in crate::LIVE {
            suite.ignore_on(backend, every_value, &why);
            suite.ignore_on(backend, customers, &why);
        }
        return;
    }
    suite.test(every_value, crate::LIVE, |source| on(source, values));
    pair(suite, customers, crate::LIVE, Backend::MariaDb, in_a_lake);
}

fn python(arguments: &[&str]) -> Result<String> {
    let program = env::var_os(PYTHON).context(PYTHON)?;
    let output = Command::new(program).arg(SCRIPT).args(arguments).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().last().unwrap_or_default();
    ensure!(output.status.success(), "{last}");
    Ok(String::from_utf8(output.stdout)?)
}

fn path(folder: &Path, table: &str) -> String {
    let path = folder.join(format!("{table}.parquet"));
    path.to_string_lossy().into_owned()
}

/// A file as pyarrow has it.
#[derive(Deserialize)]
struct Table {
    types: BTreeMap<String, String>,
    /// As text, and in hexadecimal what may be any bytes.
    values: BTreeMap<String, Vec<Option<String>>>,
}

fn table(folder: &Path, name: &str) -> Result<Table> {
    let printed = python(&["values", &path(folder, name)])?;
    Ok(serde_json::from_str(&printed)?)
}

async fn values(source: String) -> Result<()> {
    let made = shop::create(&source, &source).await?;
    let there = plan(&source).await?;
    let lake = tempfile::tempdir()?;
    write(&source, &there, lake.path()).await?;

    let offers = table(lake.path(), "offer")?;
    ensure!(offers.types["id"] == "extension<arrow.uuid>");
    let mut found: Vec<String> = offers.values["id"].iter().flatten().cloned().collect();
    let mut expected: Vec<String> = made.ids.iter().map(ToString::to_string).collect();
    found.sort();
    expected.sort();
    ensure!(found == expected, "{found:?}");

    let visits = table(lake.path(), "visit")?;
    ensure!(visits.types["offer_id"] == "extension<arrow.uuid>");
    for (name, content) in all_columns() {
        let expected = types(content);
        let found = visits.types[name].as_str();
        ensure!(expected.contains(&found), "{name}: {found}");
        for (number, found) in visits.values["number"].iter().zip(&visits.values[name]) {
            let row: usize = number.as_ref().context("a number")?.parse()?;
            let found = match found {
                Some(text) if content == C::Uuid => Value::Text(text.replace('-', "")),
                Some(text) => Value::Text(text.clone()),
                None => Value::Null,
            };
            check(content, value(content, row - 1).as_deref(), &found)
                .with_context(|| format!("visit {row}"))?;
        }
    }
    rewritten(&source, &there, lake.path(), expected).await
}

/// The types in Arrow that a column has, depending on its database.
fn types(content: C) -> &'static [&'static str] {
    match content {
        C::Truth => &["bool"],
        C::Small => &["int16", "int64"],
        C::Whole => &["int32", "int64"],
        C::Big => &["int64"],
        C::Unsigned => &["uint64", "decimal128(20, 0)"],
        C::Decimal => &["decimal256(65, 30)"],
        C::Decimal38 => &["decimal128(38, 18)"],
        C::Single | C::NormalSingle => &["float", "double"],
        C::Double | C::NormalDouble => &["double"],
        C::Name | C::Text => &["string"],
        C::Bytes => &["binary"],
        C::Date => &["date32[day]"],
        C::Time => &["time64[us]"],
        C::Timestamp => &["timestamp[us]"],
        C::Instant => &["timestamp[us, tz=UTC]"],
        C::Uuid => &["extension<arrow.uuid>", "fixed_size_binary[16]"],
        C::Json => &["extension<arrow.json>", "string"],
    }
}

/// A file that DuckDB has written comes back, with what people know of its ids.
async fn rewritten(
    source: &str,
    there: &CopyPlan,
    folder: &Path,
    expected: Vec<String>,
) -> Result<()> {
    let other = tempfile::tempdir()?;
    python(&[
        "rewrite",
        &path(folder, "offer"),
        &path(other.path(), "offer"),
    ])?;
    let file = other.path().join("offer.db");
    std::fs::write(&file, [])?;
    let target = format!("sqlite:{}", file.display());
    let mut back = plan_back(other.path(), &target).await?;
    let id = column(&mut back, "offer", "id")?;
    ensure!(id.from == "uuid" && id.format.is_none(), "{id:?}");
    id.to = None;
    id.format = Some("uuid-v7".into());
    (id.stored_from, id.stored_to) = (Some("uuid:public".into()), Some("text".into()));
    let report = read(other.path(), &target, &back).await?;
    let mut db = open(&target).await?;
    let rows = db
        .query("offers", "SELECT id FROM offer ORDER BY id", &[])
        .await?;
    let found: Result<Vec<&str>, _> = rows.iter().map(|row| row.text(0)).collect();
    ensure!(found? == expected, "{rows:?}");
    ensure!(report.tables[0].rows == shop::OFFERS as u64, "{report:?}");
    let compared = crate::parquet::compare(source, there, folder).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

async fn in_a_lake(one: String, other: String) -> Result<()> {
    let customers = Customers::new();
    let lake = tempfile::tempdir()?;
    customers::export(&one, "here", &customers, lake.path()).await?;
    customers::export(&other, "there", &customers, lake.path()).await?;
    let (here, there) = (path(lake.path(), "here"), path(lake.path(), "there"));
    let joined = python(&["join", &here, &there])?;
    ensure!(joined.trim() == CUSTOMERS.to_string(), "{joined}");
    for name in ["here", "there"] {
        let table = table(lake.path(), name)?;
        ensure!(table.types["id"] == "extension<arrow.uuid>");
        ensure!(table.types["customer_number"] == "decimal128(28, 0)");
        for (id, number) in customers.ids.iter().zip(&customers.numbers) {
            let place = table.values["id"]
                .iter()
                .position(|found| *found == Some(id.to_string()));
            let place = place.with_context(|| format!("{name} has no {id}"))?;
            let found = table.values["customer_number"][place].as_deref();
            ensure!(found == Some(number.to_string().as_str()), "{found:?}");
        }
    }
    Ok(())
}

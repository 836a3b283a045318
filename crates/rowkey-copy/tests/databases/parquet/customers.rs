//! The same customers are in two databases, each of which stores their ids in a form of its own.

use std::path::Path;

use anyhow::{Result, ensure};
use rowkey_core::format::FormatKind;
use rowkey_core::generate::Generate;
use rowkey_core::storage::StoragePlan;
use rowkey_core::{DistributedId, ShortSuffixComb};
use rowkey_sql::StoredForm;
use rowkey_testkit::{Backend, Suite};

use crate::copy::pair;
use crate::parquet::{column, compare, open, plan, plan_back, read, write};

pub(crate) const CUSTOMERS: usize = 300;

pub(crate) fn add_tests(suite: &mut Suite) {
    let name = "one_customer_of_two_databases";
    pair(suite, name, crate::LIVE, Backend::MariaDb, one_customer);
}

/// The public values of the ids and of the numbers of customers.
pub(crate) struct Customers {
    pub(crate) ids: Vec<ShortSuffixComb<60_000>>,
    pub(crate) numbers: Vec<DistributedId>,
}

impl Customers {
    pub(crate) fn new() -> Self {
        Self {
            ids: (0..CUSTOMERS)
                .map(|_| ShortSuffixComb::generate())
                .collect(),
            numbers: (0..CUSTOMERS).map(|_| DistributedId::generate()).collect(),
        }
    }
}

/// How a database stores the ids of the customers, unlike the other one.
fn form_of_ids(backend: Backend) -> StoredForm {
    let format = FormatKind::ShortSuffixComb;
    match backend {
        Backend::MariaDb => StoredForm::named(format, backend, "uuid:sql-server"),
        backend => Ok(StoragePlan::default_for(format).column(backend).into()),
    }
    .expect("every format has this form")
}

fn form_of_numbers(backend: Backend) -> StoredForm {
    let plan = StoragePlan::default_for(FormatKind::DistributedId);
    plan.column(backend).into()
}

/// Makes a table of customers, and writes it as a file.
pub(crate) async fn export(
    url: &str,
    table: &str,
    customers: &Customers,
    folder: &Path,
) -> Result<()> {
    let mut db = open(url).await?;
    let (ids, numbers) = (form_of_ids(db.backend()), form_of_numbers(db.backend()));
    let create = format!(
        "CREATE TABLE {table} (id {} NOT NULL PRIMARY KEY, customer_number {})",
        ids.sql_type(),
        numbers.sql_type()
    );
    db.execute("the customers", &create).await?;
    for (id, number) in customers.ids.iter().zip(&customers.numbers) {
        let insert = format!(
            "INSERT INTO {table} VALUES ({}, {})",
            ids.literal(id.to_uuid().as_u128()),
            numbers.literal(number.to_u128())
        );
        db.execute("a customer", &insert).await?;
    }
    let mut there = plan(url).await?;
    there.tables.retain(|found| found.name.name == table);
    for (name, form, files) in [
        ("id", ids, "uuid:public"),
        ("customer_number", numbers, "decimal:public"),
    ] {
        let column = column(&mut there, table, name)?;
        (column.to, column.refused) = (None, None);
        column.format = Some(form.format().name().into());
        column.stored_from = Some(format!("{}:{}", form.storage(), form.layout()));
        column.stored_to = Some(files.into());
    }
    write(url, &there, folder).await?;
    let compared = compare(url, &there, folder).await?;
    ensure!(compared.is_equal(), "{compared:?}");

    // Ids that are not in public form are not written.
    column(&mut there, table, "id")?.stored_to = Some("uuid:prefix".into());
    let elsewhere = tempfile::tempdir()?;
    let refused = write(url, &there, elsewhere.path()).await.unwrap_err();
    ensure!(refused.to_string().contains("uuid:public"), "{refused}");
    Ok(())
}

/// Both files are read into one database, whose own form both get.
async fn one_customer(one: String, other: String) -> Result<()> {
    let customers = Customers::new();
    let lake = tempfile::tempdir()?;
    export(&one, "here", &customers, lake.path()).await?;
    export(&other, "there", &customers, lake.path()).await?;
    let file = lake.path().join("joined.db");
    std::fs::write(&file, [])?;
    let joined = format!("sqlite:{}", file.display());
    let back = plan_back(lake.path(), &joined).await?;
    read(lake.path(), &joined, &back).await?;
    let mut db = open(&joined).await?;
    let query = "SELECT COUNT(*) FROM here JOIN there \
                 ON here.id = there.id AND here.customer_number = there.customer_number";
    let rows = db.query("the customers", query, &[]).await?;
    ensure!(rows[0].integer(0)? == CUSTOMERS as i64, "{rows:?}");
    let form = StoredForm::from(
        StoragePlan::default_for(FormatKind::ShortSuffixComb).column(Backend::Sqlite),
    );
    let literal = form.literal(customers.ids[7].to_uuid().as_u128());
    let query = format!("SELECT COUNT(*) FROM here WHERE id = {literal}");
    let rows = db.query("a customer", &query, &[]).await?;
    ensure!(rows[0].integer(0)? == 1, "{literal}");
    Ok(())
}

//! The database of a test, apart from the library that is tested.

use std::future::Future;

use anyhow::Result;
use relayout_in_migrations::{CustomerId, Purchase, customer_keys};
use rowkey_relayout::catalog::Catalog;
use rowkey_relayout::plan::Plan;
use rowkey_relayout::{Address, Connection, Value};
use rowkey_testkit::TestDatabase;
use tokio::runtime::{Builder, Runtime};

/// A database, and a runtime for those who block.
pub(crate) struct Shop {
    url: String,
    address: Address,
    runtime: Runtime,
}

impl Shop {
    pub(crate) fn of(database: &TestDatabase) -> Result<Self> {
        Ok(Self {
            url: database.url().to_owned(),
            address: database.url().parse()?,
            runtime: Builder::new_current_thread().enable_all().build()?,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) async fn connect(&self) -> Result<Connection> {
        Ok(Connection::open(&self.address).await?)
    }

    /// Stores purchases as the old program does: ids are text.
    pub(crate) fn fill(&self, count: i64) -> Result<Vec<Purchase>> {
        let purchase = |number| Purchase {
            customer: CustomerId::generate(),
            name: format!("customer {number}"),
            number,
            cents: number * 99,
        };
        let purchases: Vec<Purchase> = (0..count).map(purchase).collect();
        let customers = purchases.iter();
        let customers = customers.map(|one| format!("('{}', '{}')", one.customer, one.name));
        let orders = purchases.iter();
        let orders =
            orders.map(|one| format!("({}, '{}', {})", one.number, one.customer, one.cents));
        let customers = customers.collect::<Vec<_>>().join(", ");
        let orders = orders.collect::<Vec<_>>().join(", ");
        self.block_on(async {
            let mut connection = self.connect().await?;
            for insert in [
                format!("INSERT INTO customers (id, name) VALUES {customers}"),
                format!("INSERT INTO orders (number, customer_id, cents) VALUES {orders}"),
            ] {
                connection.execute("old rows", &insert).await?;
            }
            Ok(purchases)
        })
    }

    /// The plan that the change makes.
    pub(crate) fn plan(&self) -> Result<Plan> {
        self.block_on(async {
            let catalog = Catalog::read(&mut self.connect().await?).await?;
            let request = customer_keys::request(catalog.backend);
            Ok(Plan::for_key(&catalog, &request)?)
        })
    }

    /// Whether the ids before the change are still there, in the table or in another one.
    pub(crate) fn keeps_text(&self) -> Result<bool> {
        self.block_on(async {
            let catalog = Catalog::read(&mut self.connect().await?).await?;
            let mut columns = catalog.tables.iter().flat_map(|table| &table.columns);
            Ok(columns.any(|column| {
                let sql_type = column.sql_type.to_ascii_lowercase();
                sql_type.starts_with("char") && sql_type.ends_with("(36)")
            }))
        })
    }

    /// The first column of all rows, in some readable form.
    pub(crate) fn texts(&self, query: &str) -> Result<Vec<String>> {
        self.block_on(async {
            let mut connection = self.connect().await?;
            let rows = connection.query("rows", query, &[]).await?;
            let text = |row: &rowkey_relayout::Row| match row.0.first() {
                Some(Value::Text(text)) => text.clone(),
                Some(Value::Integer(number)) => number.to_string(),
                other => format!("{other:?}"),
            };
            Ok(rows.iter().map(text).collect())
        })
    }
}

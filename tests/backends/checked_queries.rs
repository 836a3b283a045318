//! The checked queries of the example run on every database, and find the keys that went in.

use std::path::Path;

use anyhow::{Result, bail};
use rowkey_testkit::{Backend, Suite, TestDatabase, test_name};
use sqlx::migrate::Migrator;
use sqlx::{Connection, MySqlConnection, PgConnection, SqliteConnection};

/// All queries of one module, for which the backend has the tables.
macro_rules! queries_find_the_keys {
    ($module:ident, $Connection:ty, $database:expr) => {{
        use ::checked_queries::{Customer, CustomerId, Invoice, InvoiceId, $module::*};
        let backend = $database.backend();
        let db = &mut <$Connection>::connect($database.url()).await?;
        migrations(backend).await?.run(&mut *db).await?;

        let mut keys = [(); 4].map(|()| CustomerId::generate());
        keys.sort();
        let [anna, ben, cleo, nobody] = keys;
        let customer_of = |id, name: &str, referred_by| Customer {
            id,
            name: name.to_owned(),
            referred_by,
        };
        let customers = [
            customer_of(anna, "Anna", None),
            customer_of(ben, "Ben", Some(anna)),
            customer_of(cleo, "Cleo", Some(ben)),
        ];
        for customer in &customers {
            add_customer(db, customer).await?;
        }
        for expected in &customers {
            assert_eq!(customer(db, expected.id).await?.as_ref(), Some(expected));
        }
        assert_eq!(customer(db, nobody).await?, None);

        // Neighbours, which are all the same as floating-point numbers.
        let ids: [InvoiceId; 5] = [0, 1, 2, 3, 4].map(|n| {
            let id = 7_123_456_789_012_345_678_901_234_560 + n;
            InvoiceId::try_from(id).expect("28 digits")
        });
        let invoice_of = |id, customer_id| Invoice {
            id,
            customer_id,
            cents: -1999,
        };
        let invoices_of_all: Vec<Invoice> = ids
            .iter()
            .zip([anna, anna, ben, ben, ben])
            .map(|(id, customer)| invoice_of(*id, customer))
            .collect();
        add_invoices!($module, db, &invoices_of_all);

        let two = two_invoices!($module, db, [ids[3], ids[1]]);
        assert_eq!(two, [invoice_of(ids[1], anna), invoice_of(ids[3], ben)]);
        assert_eq!(last_invoice(db, anna).await?, Some(ids[1]));
        assert_eq!(last_invoice(db, ben).await?, Some(ids[4]));
        assert_eq!(last_invoice(db, cleo).await?, None);

        let mut expected: Vec<(CustomerId, Option<InvoiceId>)> = invoices_of_all
            .iter()
            .map(|invoice| (invoice.customer_id, Some(invoice.id)))
            .collect();
        expected.push((cleo, None));
        assert_eq!(customers_with_invoices(db).await?, expected);

        // MySQL has no `RETURNING`.
        if backend != Backend::MySql {
            let mut removed = remove_invoices(db, ben).await?;
            removed.sort();
            assert_eq!(removed, ids[2..]);
            assert_eq!(remove_invoices(db, cleo).await?, []);
            assert_eq!(last_invoice(db, ben).await?, None);
            assert_eq!(last_invoice(db, anna).await?, Some(ids[1]));
        }
    }};
}

macro_rules! add_invoices {
    (postgres, $db:expr, $invoices:expr) => {
        add_invoices($db, $invoices).await?
    };
    ($module:ident, $db:expr, $invoices:expr) => {
        for invoice in $invoices {
            add_invoice($db, invoice).await?;
        }
    };
}

macro_rules! two_invoices {
    (postgres, $db:expr, $ids:expr) => {{
        assert_eq!(invoices($db, &[]).await?, []);
        invoices($db, &$ids).await?
    }};
    ($module:ident, $db:expr, $ids:expr) => {
        two_invoices($db, $ids).await?
    };
}

async fn migrations(backend: Backend) -> Result<Migrator> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    Ok(Migrator::new(folder.join(test_name(backend))).await?)
}

pub(crate) fn add_tests(suite: &mut Suite) {
    let backends = [
        Backend::Postgres,
        Backend::MySql,
        Backend::MariaDb,
        Backend::Sqlite,
    ];
    suite.test("checked_queries", backends, |database: &TestDatabase| {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(queries_of(database))
    });
}

async fn queries_of(database: &TestDatabase) -> Result<()> {
    match database.backend() {
        Backend::Postgres => queries_find_the_keys!(postgres, PgConnection, database),
        Backend::MySql | Backend::MariaDb => {
            queries_find_the_keys!(mysql, MySqlConnection, database)
        }
        Backend::Sqlite => queries_find_the_keys!(sqlite, SqliteConnection, database),
        other => bail!("there are no queries for {other}"),
    }
    Ok(())
}

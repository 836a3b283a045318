//! Schemas that `diesel print-schema` of Diesel CLI 2.3.14 has written, as it has written them.
//!
//! Three are of the tables in `migrations/`, without any configuration. Two are of the domains in
//! `domains.sql`, as the documentation of `rowkey-diesel` configures it: with keys as the types of
//! the columns, and with types that are generated.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rowkey_testkit::Backend;

#[cfg(feature = "diesel-postgres")]
pub(crate) mod domains;

#[cfg(feature = "diesel-postgres")]
#[rustfmt::skip]
mod domains_as_keys;
#[cfg(feature = "diesel-postgres")]
#[expect(unreachable_pub, reason = "as generated")]
#[rustfmt::skip]
mod domains_as_types;
#[cfg(feature = "diesel-mysql")]
#[rustfmt::skip]
#[path = "mysql.rs"]
mod mysql_schema;
#[cfg(feature = "diesel-postgres")]
#[rustfmt::skip]
#[path = "postgres.rs"]
mod postgres_schema;
#[rustfmt::skip]
#[path = "sqlite.rs"]
mod sqlite_schema;

/// Keys in the columns of a generated schema, in tables that the migrations have made.
macro_rules! migrated {
    ($module:ident, $Connection:ty, $schema:ident, $Cents:ty) => {
        pub(crate) mod $module {
            use anyhow::{Result, ensure};
            use diesel::prelude::*;
            use rowkey::EntityKey;
            use rowkey_testkit::TestDatabase;

            use super::migrations;
            use super::$schema::{customers, invoices};
            use crate::diesel_queries::connection::{connect, execute};
            use crate::diesel_queries::keys::{InvoiceId, OfferId as CustomerId};

            #[derive(Clone, Debug, PartialEq, Queryable, Selectable, Insertable, Identifiable)]
            struct Customer {
                id: CustomerId,
                name: String,
                referred_by: Option<CustomerId>,
            }

            #[derive(
                Clone,
                Debug,
                PartialEq,
                Queryable,
                Selectable,
                Insertable,
                Identifiable,
                Associations,
            )]
            #[diesel(belongs_to(Customer))]
            struct Invoice {
                id: InvoiceId,
                customer_id: CustomerId,
                cents: $Cents,
            }

            pub(crate) fn run(database: &TestDatabase) -> Result<()> {
                let db = &mut connect::<$Connection>(database)?;
                for migration in migrations(database.backend())? {
                    execute(db, &migration)?;
                }
                let ids = CustomerId::generate_batch(2);
                let customers = [("Ada", None), ("Grace", Some(ids[0]))];
                let customers: Vec<_> = ids
                    .iter()
                    .zip(customers)
                    .map(|(id, (name, referred_by))| Customer {
                        id: *id,
                        name: name.to_owned(),
                        referred_by,
                    })
                    .collect();
                let invoices: Vec<_> = InvoiceId::generate_batch(3)
                    .into_iter()
                    .zip([(ids[0], 100), (ids[1], 200), (ids[1], 300)])
                    .map(|(id, (customer_id, cents))| Invoice {
                        id,
                        customer_id,
                        cents,
                    })
                    .collect();
                // One by one, because the second customer refers to the first.
                for customer in &customers {
                    diesel::insert_into(customers::table)
                        .values(customer)
                        .execute(db)?;
                }
                diesel::insert_into(invoices::table)
                    .values(&invoices)
                    .execute(db)?;

                let [ada, grace] = &customers[..] else {
                    unreachable!("there are two");
                };
                let found: Customer = customers::table.find(grace.id).first(db)?;
                ensure!(found == *grace, "{found:?}");
                let found: Vec<CustomerId> = customers::table
                    .filter(customers::referred_by.eq(ada.id))
                    .select(customers::id)
                    .load(db)?;
                ensure!(found == [grace.id], "{found:?}");
                // Neighbours as floating-point numbers.
                let found: Vec<Invoice> = invoices::table
                    .filter(invoices::id.eq_any([invoices[0].id, invoices[2].id]))
                    .order(invoices::id)
                    .load(db)?;
                ensure!(
                    found == [invoices[0].clone(), invoices[2].clone()],
                    "{found:?}"
                );
                let found: Vec<(InvoiceId, Customer)> = invoices::table
                    .inner_join(customers::table)
                    .filter(invoices::id.between(invoices[1].id, invoices[2].id))
                    .order(invoices::id.desc())
                    .select((invoices::id, Customer::as_select()))
                    .load(db)?;
                let expected = [2, 1].map(|index| (invoices[index].id, grace.clone()));
                ensure!(found == expected, "{found:?}");
                let found: Vec<Invoice> = Invoice::belonging_to(ada).load(db)?;
                ensure!(found == [invoices[0].clone()], "{found:?}");
                Ok(())
            }
        }
    };
}

/// The statements that make the tables.
fn migrations(backend: Backend) -> Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    ["0001_customers.up.sql", "0002_invoices.up.sql"]
        .map(|name| folder.join(backend.name()).join(name))
        .into_iter()
        .map(|file| fs::read_to_string(&file).with_context(|| file.display().to_string()))
        .collect()
}

#[cfg(feature = "diesel-postgres")]
migrated!(postgres, diesel::PgConnection, postgres_schema, i64);
#[cfg(feature = "diesel-mysql")]
migrated!(mysql, diesel::MysqlConnection, mysql_schema, i64);
// An INTEGER of SQLite, which has up to 64 bits, is one of 32 bits to Diesel.
migrated!(sqlite, diesel::SqliteConnection, sqlite_schema, i32);

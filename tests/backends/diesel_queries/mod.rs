//! What Diesel's query builder makes of keys, on real databases. The scenarios that every driver
//! has are in `drivers` and `scenarios`.
//!
//! A test is called `<backend>::diesel_<scenario>`.

#[cfg(feature = "diesel-postgres")]
mod columns;
mod connection;
mod counted_numbers;
mod damage;
mod entities;
mod generated;
mod keys;
mod multi_connection;
#[cfg(feature = "diesel-mysql")]
mod neighbours;
#[cfg(feature = "diesel-postgres")]
mod postgres;
mod stock_columns;
mod time_spans;

use rowkey_testkit::{Backend, Suite};

pub(crate) fn add_tests(suite: &mut Suite) {
    add_sqlite(suite);
    #[cfg(feature = "diesel-postgres")]
    add_postgres(suite);
    #[cfg(feature = "diesel-mysql")]
    add_mysql(suite);
    multi_connection::add_tests(suite);
}

fn add_sqlite(suite: &mut Suite) {
    let sqlite = [Backend::Sqlite];
    suite.test("diesel_entities", sqlite, entities::sqlite::run);
    suite.test("diesel_returning", sqlite, entities::sqlite::returning);
    suite.test("diesel_time_spans", sqlite, time_spans::sqlite::run);
    suite.test("diesel_damage", sqlite, damage::sqlite::run);
    suite.test("diesel_stock_columns", sqlite, stock_columns::sqlite);
    suite.test("diesel_generated_schema", sqlite, generated::sqlite::run);
    suite.test("diesel_counted_numbers", sqlite, counted_numbers::sqlite);
}

#[cfg(feature = "diesel-postgres")]
fn add_postgres(suite: &mut Suite) {
    let postgres = [Backend::Postgres];
    suite.test("diesel_entities", postgres, entities::postgres::run);
    suite.test("diesel_returning", postgres, entities::postgres::returning);
    suite.test("diesel_time_spans", postgres, time_spans::postgres::run);
    suite.test("diesel_damage", postgres, damage::postgres::run);
    suite.test("diesel_stock_columns", postgres, stock_columns::postgres);
    suite.test(
        "diesel_counted_numbers",
        postgres,
        counted_numbers::postgres,
    );
    suite.test("diesel_arrays", postgres, postgres::arrays);
    suite.test("diesel_copy", postgres, postgres::copy);
    suite.test(
        "diesel_generated_schema",
        postgres,
        generated::postgres::run,
    );
    suite.test(
        "diesel_domains_as_keys",
        postgres,
        generated::domains::as_keys,
    );
    suite.test(
        "diesel_domains_as_types",
        postgres,
        generated::domains::as_types,
    );
}

#[cfg(feature = "diesel-mysql")]
fn add_mysql(suite: &mut Suite) {
    let both = [Backend::MySql, Backend::MariaDb];
    suite.test("diesel_entities", both, entities::mysql::run);
    suite.test("diesel_time_spans", both, time_spans::mysql::run);
    suite.test("diesel_neighbours", both, neighbours::diesel);
    suite.test("diesel_async_neighbours", both, neighbours::diesel_async);
    suite.test("diesel_damage", both, damage::mysql::run);
    suite.test("diesel_stock_columns", both, stock_columns::mysql);
    suite.test("diesel_generated_schema", both, generated::mysql::run);
    suite.test("diesel_counted_numbers", both, counted_numbers::mysql);
}

//! Diesel on real databases, next to sqlx on the same tables.
//!
//! A test is called `<backend>::diesel_<scenario>`. Those of a backend without an address are
//! ignored, and so are those of a backend whose client library this was built without: the features
//! `diesel-postgres` and `diesel-mysql` of this package ask for libpq and for libmariadb or
//! libmysqlclient. They fail instead if `ROWKEY_TEST_REQUIRE` names the backend.

mod connection;
mod damage;
mod entities;
mod keys;
mod missing;
mod multi_connection;
#[cfg(feature = "diesel-postgres")]
mod postgres;
mod stock_columns;
mod time_spans;
mod wire_shapes;

use std::process::ExitCode;

use anyhow::Result;
use rowkey_testkit::libtest_mimic::{self, Arguments};
use rowkey_testkit::{Backend, Suite};

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    add_sqlite(&mut suite);
    #[cfg(feature = "diesel-postgres")]
    add_postgres(&mut suite);
    #[cfg(feature = "diesel-mysql")]
    add_mysql(&mut suite);
    multi_connection::add_tests(&mut suite);

    let mut trials = suite.into_trials();
    if !cfg!(feature = "diesel-postgres") {
        trials.push(missing::trial(
            Backend::Postgres,
            "diesel-postgres",
            "libpq",
        ));
    }
    if !cfg!(feature = "diesel-mysql") {
        let libraries = "libmariadb or libmysqlclient";
        for backend in [Backend::MySql, Backend::MariaDb] {
            trials.push(missing::trial(backend, "diesel-mysql", libraries));
        }
    }
    Ok(libtest_mimic::run(&Arguments::from_args(), trials).exit_code())
}

fn add_sqlite(suite: &mut Suite) {
    let sqlite = [Backend::Sqlite];
    suite.test("diesel_wire_shapes", sqlite, wire_shapes::sqlite::run);
    suite.test("diesel_entities", sqlite, entities::sqlite::run);
    suite.test("diesel_returning", sqlite, entities::sqlite::returning);
    suite.test("diesel_time_spans", sqlite, time_spans::sqlite::run);
    suite.test("diesel_damage", sqlite, damage::sqlite::run);
    suite.test("diesel_stock_columns", sqlite, stock_columns::sqlite);
}

#[cfg(feature = "diesel-postgres")]
fn add_postgres(suite: &mut Suite) {
    let postgres = [Backend::Postgres];
    suite.test("diesel_wire_shapes", postgres, wire_shapes::postgres::run);
    suite.test("diesel_entities", postgres, entities::postgres::run);
    suite.test("diesel_returning", postgres, entities::postgres::returning);
    suite.test("diesel_time_spans", postgres, time_spans::postgres::run);
    suite.test("diesel_damage", postgres, damage::postgres::run);
    suite.test("diesel_stock_columns", postgres, stock_columns::postgres);
    suite.test("diesel_arrays", postgres, postgres::arrays);
    suite.test("diesel_domains", postgres, postgres::domains);
}

#[cfg(feature = "diesel-mysql")]
fn add_mysql(suite: &mut Suite) {
    let both = [Backend::MySql, Backend::MariaDb];
    suite.test("diesel_wire_shapes", both, wire_shapes::mysql::run);
    suite.test("diesel_entities", both, entities::mysql::run);
    suite.test("diesel_time_spans", both, time_spans::mysql::run);
    suite.test("diesel_damage", both, damage::mysql::run);
    suite.test("diesel_stock_columns", both, stock_columns::mysql);
    suite.test(
        "diesel_native_uuid",
        [Backend::MariaDb],
        wire_shapes::mysql::native_uuid,
    );
}

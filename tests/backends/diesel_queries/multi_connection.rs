//! The same entities on a connection that is one of several.

use anyhow::Result;
use rowkey::driver::diesel::multi_backend;
use rowkey_testkit::{Backend, Suite, TestDatabase};

use crate::diesel_queries::connection::connect;
use crate::diesel_queries::entities::any;

#[derive(diesel::MultiConnection)]
pub(crate) enum AnyConnection {
    #[cfg(feature = "diesel-postgres")]
    Postgres(diesel::PgConnection),
    #[cfg(feature = "diesel-mysql")]
    Mysql(diesel::MysqlConnection),
    Sqlite(diesel::SqliteConnection),
}

multi_backend!(MultiBackend);

pub(crate) fn add_tests(suite: &mut Suite) {
    let mut backends = vec![Backend::Sqlite];
    if cfg!(feature = "diesel-postgres") {
        backends.push(Backend::Postgres);
    }
    if cfg!(feature = "diesel-mysql") {
        backends.extend([Backend::MySql, Backend::MariaDb]);
    }
    suite.test("diesel_multi_connection", backends, run);
}

fn run(database: &TestDatabase) -> Result<()> {
    let mut db = match database.backend() {
        #[cfg(feature = "diesel-postgres")]
        Backend::Postgres => AnyConnection::Postgres(connect(database)?),
        #[cfg(feature = "diesel-mysql")]
        Backend::MySql | Backend::MariaDb => AnyConnection::Mysql(connect(database)?),
        _ => AnyConnection::Sqlite(connect(database)?),
    };
    any::scenario(&mut db, database.backend())
}

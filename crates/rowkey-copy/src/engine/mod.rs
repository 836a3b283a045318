//! What the databases do and say differently where tables are copied.

mod facts;
mod mysql;
mod postgres;
mod sqlite;
mod sqlserver;

use rowkey_core::Backend;

pub(crate) use self::facts::*;

pub(crate) fn engine(backend: Backend) -> &'static Engine {
    match backend {
        Backend::Postgres => &postgres::ENGINE,
        Backend::MySql => &mysql::MYSQL,
        Backend::MariaDb => &mysql::MARIADB,
        Backend::Sqlite => &sqlite::ENGINE,
        Backend::SqlServer => &sqlserver::ENGINE,
    }
}

//! What only one backend has.

#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "mysql")]
mod mysql_cascades;
#[cfg(feature = "mysql")]
mod mysql_indexes;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_sequences;
#[cfg(feature = "postgres")]
mod postgres_triggers;
mod sqlite;

use rowkey_testkit::Suite;

pub(crate) use self::sqlite::as_child;

pub(crate) fn add_tests(suite: &mut Suite) {
    #[cfg(feature = "mysql")]
    mysql::add_tests(suite);
    #[cfg(feature = "mysql")]
    mysql_cascades::add_tests(suite);
    #[cfg(feature = "mysql")]
    mysql_indexes::add_tests(suite);
    #[cfg(feature = "postgres")]
    postgres::add_tests(suite);
    #[cfg(feature = "postgres")]
    postgres_sequences::add_tests(suite);
    #[cfg(feature = "postgres")]
    postgres_triggers::add_tests(suite);
    sqlite::add_tests(suite);
}

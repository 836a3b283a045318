//! What the catalogues of real databases say about tables.
//!
//! A test is called `<backend>::<module>::<scenario>`.

mod catalog_mysql;
mod catalog_postgres;
mod schema;

use std::process::ExitCode;

use anyhow::Result;
use rowkey_testkit::Suite;

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    suite.module("catalog", catalog_mysql::add_tests);
    suite.module("catalog", catalog_postgres::add_tests);
    suite.module("schema", schema::add_tests);
    Ok(suite.run())
}

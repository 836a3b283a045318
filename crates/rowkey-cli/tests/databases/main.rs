//! Runs the commands that connect to databases, on every available one, as users do.

mod chunks;
mod copied;
#[cfg(feature = "parquet")]
mod lake;
mod offers;
mod pages;
mod plans;
mod run;
#[cfg(feature = "spark")]
mod spark;
mod story;
#[cfg(feature = "tls")]
mod tls;

use std::process::ExitCode;

use rowkey_testkit::{Backend, Search, Server, Suite};

/// Those on which a change runs; on SQL Server it is printed.
const LIVE: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

fn main() -> anyhow::Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    suite.test(
        "from_inventory_to_contract",
        LIVE,
        story::from_inventory_to_contract,
    );
    suite.test("a_swap_can_be_undone", LIVE, story::a_swap_can_be_undone);
    suite.test("wrong_input_is_explained", LIVE, story::wrong_input);
    suite.test(
        "text_of_random_uuids_is_public",
        LIVE,
        plans::text_of_random_uuids_is_public,
    );
    suite.test(
        "a_plan_is_made_in_the_schema_of_the_connection",
        LIVE,
        plans::a_plan_is_made_in_the_schema_of_the_connection,
    );
    #[cfg(feature = "tls")]
    suite.test(
        "encryption_that_is_asked_for",
        [Backend::Postgres, Backend::MySql, Backend::MariaDb],
        tls::asked_for,
    );
    suite.test("keys_in_ranges", LIVE, chunks::keys_in_ranges);
    suite.test("copied_to_a_file", LIVE, copied::to_a_file);
    #[cfg(feature = "parquet")]
    suite.test("copied_to_files", LIVE, lake::to_files);
    #[cfg(feature = "spark")]
    spark::add_tests(&mut suite)?;
    add_pages(&mut suite)?;
    Ok(suite.run())
}

/// The pages of the book about existing tables, each on the database that it is about.
fn add_pages(suite: &mut Suite) -> anyhow::Result<()> {
    for (name, backend, page) in [
        (
            "page_of_existing_columns",
            Backend::Postgres,
            include_str!("../../../../docs/src/adoption/index.md"),
        ),
        (
            "page_of_the_fragmented_index",
            Backend::SqlServer,
            include_str!("../../../../docs/src/adoption/fragmented-index.md"),
        ),
        (
            "page_of_django_on_mariadb",
            Backend::MariaDb,
            include_str!("../../../../docs/src/adoption/django-on-mariadb.md"),
        ),
        (
            "page_from_bigint",
            Backend::Postgres,
            include_str!("../../../../docs/src/adoption/from-bigint.md"),
        ),
    ] {
        suite.test_on(backend, name, move |database| pages::run(database, page));
    }
    let target = Backend::Postgres;
    for (name, backend, page) in [
        (
            "page_of_mysql_to_postgres",
            Backend::MySql,
            include_str!("../../../../docs/src/adoption/mysql-to-postgres.md"),
        ),
        (
            "page_of_sql_server_to_postgres",
            Backend::SqlServer,
            include_str!("../../../../docs/src/adoption/sql-server-to-postgres.md"),
        ),
    ] {
        match Server::find(target)? {
            Search::Found(server) => suite.test_on(backend, name, move |database| {
                pages::run_to(database, (target, &server), page)
            }),
            Search::Missing(why) => suite.ignore_on(backend, name, &why),
            Search::Required(why) => {
                suite.test_on(backend, name, move |_| Err(anyhow::anyhow!(why)))
            }
        }
    }
    #[cfg(feature = "parquet")]
    lake::add_page(
        suite,
        include_str!("../../../../docs/src/adoption/into-the-lake.md"),
    )?;
    Ok(())
}

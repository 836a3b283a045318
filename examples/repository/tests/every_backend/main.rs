//! What the repository promises, on every backend that there is.
//!
//! A test is called `<backend>::<scenario>`; see [`rowkey_testkit`].

mod scenarios;
mod tables;

use std::process::ExitCode;

use rowkey_testkit::{Backend, Suite};

use crate::scenarios::Scenario;

const BACKENDS: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

fn main() -> anyhow::Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    for Scenario { name, run } in scenarios::all() {
        suite.test(name, BACKENDS, move |database| {
            block_on(async {
                let repository = repository::sqlx::connect(database.url()).await?;
                run(&*repository).await
            })
        });
    }
    suite.test("totals_may_fit_only_in_the_end", BACKENDS, |database| {
        block_on(scenarios::totals_may_fit_only_in_the_end(database))
    });
    suite.test("key_columns_are_those_of_the_plans", BACKENDS, |database| {
        block_on(tables::key_columns_are_those_of_the_plans(database))
    });
    suite.test(
        "invoices_of_a_customer_have_an_index",
        BACKENDS,
        |database| block_on(tables::invoices_of_a_customer_have_an_index(database)),
    );
    suite.test("migrations_are_applied_once", BACKENDS, |database| {
        block_on(tables::migrations_are_applied_once(database))
    });
    suite.test("many_may_migrate_at_once", BACKENDS, |database| {
        block_on(tables::many_may_migrate_at_once(database))
    });
    suite.test("an_unknown_migration_is_refused", BACKENDS, |database| {
        block_on(tables::an_unknown_migration_is_refused(database))
    });
    Ok(suite.run())
}

fn block_on(test: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(test)
}

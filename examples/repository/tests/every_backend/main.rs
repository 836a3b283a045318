//! Tests the repository on every available backend.
//!
//! A test is called `<backend>::<driver>::<scenario>`, or `<backend>::<scenario>` if it is only
//! about the tables; see [`rowkey_testkit`].

mod creation;
mod drivers;
mod http;
mod pairs;
mod scenarios;
mod sql_server;
mod tables;

use std::process::ExitCode;

use rowkey_testkit::{Backend, Suite};

use crate::drivers::Driver;
use crate::scenarios::Scenario;

fn main() -> anyhow::Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    let sorts_otherwise = block_on(sql_server::sorts_otherwise())?;
    for driver in drivers::ALL {
        add_tests(&mut suite, driver);
        for scenario in scenarios::in_order_of_customer_keys() {
            if sorts_otherwise && driver.is_for(Backend::SqlServer) {
                let name = format!("{}::{}", driver.name, scenario.name);
                suite.ignore_on(Backend::SqlServer, &name, "order unverified");
            } else {
                add_scenario(&mut suite, driver, scenario);
            }
        }
        for other in drivers::ALL {
            if other.name != driver.name {
                add_tests_of_pair(&mut suite, driver, other);
            }
        }
    }
    add_tests_of_tables(&mut suite);
    Ok(suite.run())
}

fn add_tests(suite: &mut Suite, driver: Driver) {
    for scenario in scenarios::all() {
        add_scenario(suite, driver, scenario);
    }
    for (name, run) in http::ALL {
        driver.test(suite, name, move |driver, database| {
            block_on(async {
                let repository = driver.connect(database.url()).await?;
                run(&http::Service::start(repository.into()).await?).await
            })
        });
    }
    driver.test(
        suite,
        "totals_may_fit_only_in_the_end",
        |driver, database| block_on(scenarios::totals_may_fit_only_in_the_end(driver, database)),
    );
    driver.test(suite, "migrations_are_applied_once", |driver, database| {
        block_on(tables::migrations_are_applied_once(driver, database))
    });
    driver.test(suite, "many_may_migrate_at_once", |driver, database| {
        block_on(tables::many_may_migrate_at_once(driver, database))
    });
    driver.test(
        suite,
        "an_unknown_migration_is_refused",
        |driver, database| block_on(tables::an_unknown_migration_is_refused(driver, database)),
    );
}

fn add_scenario(suite: &mut Suite, driver: Driver, Scenario { name, run }: Scenario) {
    driver.test(suite, name, move |driver, database| {
        block_on(async {
            let repository = driver.connect(database.url()).await?;
            run(&*repository, database.backend()).await
        })
    });
}

fn add_tests_of_pair(suite: &mut Suite, writer: Driver, reader: Driver) {
    let name = format!("rows_are_read_by_{}", reader.name);
    writer.test_with(reader, suite, &name, |writer, reader, database| {
        block_on(async {
            let writer = writer.connect(database.url()).await?;
            let reader = reader.connect(database.url()).await?;
            pairs::rows_of_one_are_read_by_the_other(&*writer, &*reader).await
        })
    });
    let name = format!("commands_are_found_by_{}", reader.name);
    writer.test_with(reader, suite, &name, |writer, reader, database| {
        block_on(async {
            let writer = writer.connect(database.url()).await?;
            let reader = reader.connect(database.url()).await?;
            pairs::commands_of_one_are_found_by_the_other(&*writer, &*reader).await
        })
    });
}

fn add_tests_of_tables(suite: &mut Suite) {
    suite.test(
        "key_columns_are_those_of_the_plans",
        Backend::ALL,
        |database| block_on(tables::key_columns_are_those_of_the_plans(database)),
    );
    suite.test(
        "invoices_of_a_customer_have_an_index",
        Backend::ALL,
        |database| block_on(tables::invoices_of_a_customer_have_an_index(database)),
    );
    suite.test_on(
        Backend::SqlServer,
        "the_servers_own_database_is_refused",
        |database| block_on(sql_server::the_servers_own_database_is_refused(database)),
    );
}

fn block_on<T>(test: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(test)
}

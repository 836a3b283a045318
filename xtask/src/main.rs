//! Development tasks of the rowkey workspace.
//!
//! Everything a contributor or a continuous-integration job runs goes through
//! `cargo xtask <task>`, so that both run the same commands in the same order.

mod applications;
mod bench;
mod book;
mod ci;
mod circles;
mod client_library;
mod command;
mod consumer;
mod containers;
mod diagrams;
mod fuzz;
mod msrv;
mod packages;
mod prepare;
mod results;
mod servers;
mod test;
mod tool;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Development tasks of the rowkey workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

/// One task with its own arguments.
#[derive(Debug, Subcommand)]
enum Task {
    /// Run every test of the workspace and say which databases took part.
    ///
    /// Tests of a database run when the variable with its address is set, such
    /// as ROWKEY_TEST_POSTGRES_URL, and are ignored otherwise; SQLite needs
    /// none. The variable ROWKEY_TEST_REQUIRE names the databases that must not
    /// be missing, for example `postgres,sqlite`. With --containers, Docker runs
    /// the servers. The last lines say what ran.
    Test(test::Args),
    /// Run every check a change has to pass besides the tests.
    ///
    /// The steps run one after the other, up to the first that fails. The tests
    /// are a task of their own: `cargo xtask test`.
    Ci(ci::Args),
    /// Run the benchmarks.
    ///
    /// Counts the instructions of every operation and of its peers, and fails if a
    /// ratio has fallen behind the recorded one. Needs valgrind and gungraun-runner.
    /// Options measure databases, indexes, the compiler or copies instead.
    Bench(bench::Args),
    /// Move the data of applications, which then read and write it with their frameworks.
    ///
    /// Each application makes and fills its tables with Django, SQLAlchemy, Prefect, TypeORM,
    /// Sequelize, Diesel or SeaORM; `rowkey copy` brings the rows into the tables that the same
    /// migrations make in a database of another product. Frameworks are installed into the user's
    /// cache. Uses the servers in ROWKEY_TEST_POSTGRES_URL, ROWKEY_TEST_MYSQL_URL and
    /// ROWKEY_TEST_MARIADB_URL, with databases of its own. The last lines say what it took.
    Applications(applications::Args),
    /// Build the book in docs/book and check the links of its pages.
    Book,
    /// Draw the diagrams of the book from the constants of the code.
    Diagrams,
    /// Ask databases about the checked queries of the example.
    ///
    /// Writes the answers to `.sqlx` in examples/checked-queries, which is built from
    /// them. Uses the servers in ROWKEY_TEST_POSTGRES_URL and
    /// ROWKEY_TEST_MARIADB_URL, with databases of its own.
    Prepare(prepare::Args),
    /// Show or install the cargo tools that `ci` needs.
    Tools(tool::Args),
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.task {
        // The test task reports its own failures, because its totals have to
        // stay the last line of the output.
        Task::Test(args) => test::run(&args),
        Task::Ci(args) => ci::run(&args).map(|()| ExitCode::SUCCESS),
        Task::Bench(args) => bench::run(&args).map(|()| ExitCode::SUCCESS),
        Task::Applications(args) => applications::run(&args).map(|()| ExitCode::SUCCESS),
        Task::Book => book::run().map(|()| ExitCode::SUCCESS),
        Task::Diagrams => diagrams::run().map(|()| ExitCode::SUCCESS),
        Task::Prepare(args) => prepare::run(&args).map(|()| ExitCode::SUCCESS),
        Task::Tools(args) => tool::run(&args).map(|()| ExitCode::SUCCESS),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}

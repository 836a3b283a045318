//! SQLite: what a file has beyond what every database has in common.

mod carried;
mod file;
mod interruptions;
mod new_ids;
mod refusals;

use rowkey_testkit::{Backend, Suite};

pub(crate) use self::interruptions::as_child;

pub(crate) fn add_tests(suite: &mut Suite) {
    let tests = carried::TESTS.iter().chain(new_ids::TESTS);
    let tests = tests.chain(refusals::TESTS).chain(interruptions::TESTS);
    for (name, run) in tests {
        suite.test_on(Backend::Sqlite, name, |database| {
            tokio::runtime::Runtime::new()?.block_on(run(database.url().to_owned()))
        });
    }
}

use std::error::Error as StdError;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rowkey_core::Backend;

use crate::error::Error;
use crate::server::{Search, Server, TestDatabase, test_name};

/// What tests may fail with: errors of any library, `anyhow::Error`, text.
type TestError = Box<dyn StdError + Send + Sync>;

/// Tests, and the backends they run on.
#[derive(Debug)]
pub struct Suite {
    searches: [(Backend, Search); Backend::ALL.len()],
    trials: Vec<Trial>,
}

impl Suite {
    /// A suite without tests, for the backends that the environment tells of.
    ///
    /// # Errors
    ///
    /// [`REQUIRE_VARIABLE`](crate::REQUIRE_VARIABLE) names something that is no backend.
    pub fn from_env() -> Result<Self, Error> {
        let mut searches = Backend::ALL.map(|backend| (backend, Search::Missing(String::new())));
        for (backend, search) in &mut searches {
            *search = Server::find(*backend)?;
        }
        Ok(Self {
            searches,
            trials: Vec::new(),
        })
    }

    /// Adds a test on several backends, on a new database each time.
    ///
    /// The database goes after the test has returned or panicked; connections should be gone by
    /// then, as those that belong to the test are.
    pub fn test<E>(
        &mut self,
        name: &str,
        backends: impl IntoIterator<Item = Backend>,
        run: impl Fn(&TestDatabase) -> Result<(), E> + Clone + Send + 'static,
    ) where
        E: Into<TestError>,
    {
        for backend in backends {
            let run = run.clone();
            self.test_on(backend, name, move |database| run(database));
        }
    }

    /// Adds a test on one backend, on a new database.
    pub fn test_on<E>(
        &mut self,
        backend: Backend,
        name: &str,
        run: impl FnOnce(&TestDatabase) -> Result<(), E> + Send + 'static,
    ) where
        E: Into<TestError>,
    {
        self.test_on_server(backend, name, |server| {
            let database = server.create_database()?;
            run(&database).map_err(Into::into)
        });
    }

    /// Adds a test on one backend that makes its databases itself, if any.
    pub fn test_on_server<E>(
        &mut self,
        backend: Backend,
        name: &str,
        run: impl FnOnce(&Server) -> Result<(), E> + Send + 'static,
    ) where
        E: Into<TestError>,
    {
        self.trials.push(trial(&self.searches, backend, name, run));
    }

    /// The tests, for a harness that adds others.
    pub fn into_trials(self) -> Vec<Trial> {
        self.trials
    }

    /// Runs the tests as the arguments of the test binary say: the answer of its `main`.
    ///
    /// Why trials are ignored is told once for each backend, on the standard error.
    pub fn run(self) -> ExitCode {
        let arguments = Arguments::from_args();
        if !arguments.list {
            for (backend, search) in &self.searches {
                let backend = test_name(*backend);
                let belongs = |trial: &Trial| trial.name().starts_with(&format!("{backend}::"));
                if let Search::Missing(reason) = search
                    && self.trials.iter().any(belongs)
                {
                    eprintln!("ignoring the tests on {backend}: {reason}");
                }
            }
        }
        libtest_mimic::run(&arguments, self.trials).exit_code()
    }
}

fn trial<E>(
    searches: &[(Backend, Search)],
    backend: Backend,
    name: &str,
    run: impl FnOnce(&Server) -> Result<(), E> + Send + 'static,
) -> Trial
where
    E: Into<TestError>,
{
    let name = format!("{}::{name}", test_name(backend));
    let search = searches.iter().find(|(known, _)| *known == backend);
    match search.map(|(_, search)| search.clone()) {
        Some(Search::Found(server)) => Trial::test(name, move || {
            run(&server).map_err(|error| explained(error.into()))
        }),
        Some(Search::Required(reason)) => Trial::test(name, || Err(reason.into())),
        Some(Search::Missing(reason)) => ignored(name, reason),
        None => ignored(name, format!("nobody looked for {backend}")),
    }
}

/// A trial that is ignored. Whoever asks for ignored ones to run all the same is told the reason.
///
/// It is marked as ignored from the outside, because a harness that runs each test in a process
/// of its own would take an exit without an error for a pass.
fn ignored(name: String, reason: String) -> Trial {
    Trial::test(name, || Err(reason.into())).with_ignored_flag(true)
}

/// The error with all that led to it.
fn explained(error: TestError) -> Failed {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::{env, fs};

    use super::*;

    /// How a test ends after such a search, as (passed, failed, ignored), and how often it ran.
    fn outcome(search: Search) -> ((u64, u64, u64), u32) {
        outcome_with(search, Arguments::default())
    }

    fn outcome_with(search: Search, arguments: Arguments) -> ((u64, u64, u64), u32) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Results on the standard output would be taken for those of this very binary.
        let log = format!("rowkey_suite_{}_{count}.log", std::process::id());
        let log = env::temp_dir().join(log);

        let runs = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&runs);
        let run = move |_: &Server| -> Result<(), Error> {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let searches = [(Backend::Sqlite, search)];
        let trials = vec![trial(&searches, Backend::Sqlite, "test", run)];
        let arguments = Arguments {
            logfile: log.to_str().map(str::to_owned),
            ..arguments
        };
        let found = libtest_mimic::run(&arguments, trials);
        let _ = fs::remove_file(log);
        let found = (found.num_passed, found.num_failed, found.num_ignored);
        (found, runs.load(Ordering::Relaxed))
    }

    #[test]
    fn tests_run_where_the_backend_is_found() {
        let search = Server::find(Backend::Sqlite).unwrap();
        assert_eq!(outcome(search), ((1, 0, 0), 1));
    }

    #[test]
    fn tests_of_a_missing_backend_are_ignored_and_not_passed() {
        let search = Search::Missing("no address".to_owned());
        assert_eq!(outcome(search), ((0, 0, 1), 0));
    }

    #[test]
    fn tests_of_a_missing_backend_do_not_pass_when_ignored_ones_are_to_run() {
        let search = Search::Missing("no address".to_owned());
        let arguments = Arguments {
            include_ignored: true,
            ..Arguments::default()
        };
        assert_eq!(outcome_with(search, arguments), ((0, 1, 0), 0));
    }

    #[test]
    fn tests_of_a_required_backend_that_is_missing_fail() {
        let search = Search::Required("no address".to_owned());
        assert_eq!(outcome(search), ((0, 1, 0), 0));
    }

    #[test]
    fn errors_come_with_their_causes() {
        let error = Error::Server {
            backend: Backend::Postgres,
            source: "connection refused".into(),
        };
        let explained = explained(error.into());
        let message = explained.message().unwrap_or_default();
        assert!(message.ends_with(": connection refused"), "{message}");
    }
}

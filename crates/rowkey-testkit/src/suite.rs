use std::error::Error as StdError;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rowkey_core::Backend;

use crate::error::Error;
use crate::server::{REQUIRE_VARIABLE, Search, Server, TestDatabase, required_backends, test_name};

/// What tests may fail with: errors of any library, `anyhow::Error`, text.
type TestError = Box<dyn StdError + Send + Sync>;

/// Tests, and the backends they run on.
#[derive(Debug)]
pub struct Suite {
    searches: [(Backend, Search); Backend::ALL.len()],
    required: Vec<Backend>,
    trials: Vec<Trial>,
    /// Why tests were left out, each reason once.
    left_out: Vec<String>,
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
            required: required_backends()?,
            trials: Vec::new(),
            left_out: Vec::new(),
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

    /// Adds a test that this binary was built without, such as one that needs a client library:
    /// ignored, but failing on a backend that [`REQUIRE_VARIABLE`] names.
    pub fn left_out(
        &mut self,
        name: &str,
        backends: impl IntoIterator<Item = Backend>,
        reason: &str,
    ) {
        for backend in backends {
            let is_required = self.required.contains(&backend);
            self.trials
                .push(left_out_trial(backend, name, reason, is_required));
        }
        if !self.left_out.iter().any(|known| known == reason) {
            self.left_out.push(reason.to_owned());
        }
    }

    /// Adds a test that says nothing about the server at hand, which does otherwise than the backend:
    /// ignored, and the reason stands in brackets behind its name.
    ///
    /// Where there is no server, it is ignored or fails as the other tests of the backend do.
    pub fn ignore_on(&mut self, backend: Backend, name: &str, reason: &str) {
        let name = format!("{name} ({reason})");
        let trial = match self.server(backend) {
            Some(_) => ignored(format!("{}::{name}", test_name(backend)), reason.to_owned()),
            None => trial(&self.searches, backend, &name, |_| Ok::<(), Error>(())),
        };
        self.trials.push(trial);
    }

    /// The server of a backend, if it is found, to ask what it does before a test is added.
    pub fn server(&self, backend: Backend) -> Option<&Server> {
        self.searches.iter().find_map(|search| match search {
            (known, Search::Found(server)) if *known == backend => Some(server),
            _ => None,
        })
    }

    /// The tests, for a harness that adds others.
    pub fn into_trials(self) -> Vec<Trial> {
        self.trials
    }

    /// Runs the tests as the arguments of the test binary say: the answer of its `main`.
    ///
    /// Why trials are ignored is told once for each backend and reason, on the standard error.
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
            for reason in &self.left_out {
                eprintln!("leaving out tests: {reason}");
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

fn left_out_trial(backend: Backend, name: &str, reason: &str, is_required: bool) -> Trial {
    let backend = test_name(backend);
    let name = format!("{backend}::{name}");
    if is_required {
        let reason = format!("{REQUIRE_VARIABLE} names {backend}, but {reason}");
        Trial::test(name, || Err(reason.into()))
    } else {
        ignored(name, reason.to_owned())
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
        let runs = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&runs);
        let run = move |_: &Server| -> Result<(), Error> {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let searches = [(Backend::Sqlite, search)];
        let trial = trial(&searches, Backend::Sqlite, "test", run);
        (outcome_of(trial, arguments), runs.load(Ordering::Relaxed))
    }

    /// How a trial ends, as (passed, failed, ignored).
    fn outcome_of(trial: Trial, arguments: Arguments) -> (u64, u64, u64) {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Results on the standard output would be taken for those of this very binary.
        let log = format!("rowkey_suite_{}_{count}.log", std::process::id());
        let log = env::temp_dir().join(log);

        let arguments = Arguments {
            logfile: log.to_str().map(str::to_owned),
            ..arguments
        };
        let found = libtest_mimic::run(&arguments, vec![trial]);
        let _ = fs::remove_file(log);
        (found.num_passed, found.num_failed, found.num_ignored)
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
    fn tests_that_are_left_out_are_ignored_unless_their_backend_is_required() {
        let left_out = |is_required| left_out_trial(Backend::Sqlite, "test", "why", is_required);
        let outcome = |is_required| outcome_of(left_out(is_required), Arguments::default());
        assert_eq!(outcome(false), (0, 0, 1));
        assert_eq!(outcome(true), (0, 1, 0));
    }

    #[test]
    fn tests_that_a_server_says_nothing_about_are_ignored() {
        let ignored = |search: Search| {
            let mut suite = Suite {
                searches: Backend::ALL.map(|backend| (backend, search.clone())),
                required: vec![Backend::Sqlite],
                trials: Vec::new(),
                left_out: Vec::new(),
            };
            suite.ignore_on(Backend::Sqlite, "order", "order unverified");
            let trial = suite.into_trials().remove(0);
            assert_eq!(trial.name(), "sqlite::order (order unverified)");
            outcome_of(trial, Arguments::default())
        };
        assert_eq!(ignored(Server::find(Backend::Sqlite).unwrap()), (0, 0, 1));
        let reason = || "no address".to_owned();
        assert_eq!(ignored(Search::Missing(reason())), (0, 0, 1));
        assert_eq!(ignored(Search::Required(reason())), (0, 1, 0));
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

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error as StdError;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use rowkey_core::Backend;

use crate::backend::{REQUIRE_VARIABLE, required_backends, test_name};
#[cfg(feature = "containers")]
use crate::containers;
use crate::error::{Error, with_causes};
use crate::results::{Outcome, RESULTS_VARIABLE, TestResult};
use crate::server::{Search, Server, TestDatabase, version};

/// The errors of tests: of any library, `anyhow::Error`, strings.
type TestError = Box<dyn StdError + Send + Sync>;

/// Tests, and the backends that they run on.
#[derive(Debug)]
pub struct Suite {
    /// In the order of [`Backend::ALL`].
    searches: [Search; Backend::ALL.len()],
    required: Vec<Backend>,
    /// Between the backend and the name of each test that is added, with `::` at its end.
    module: String,
    trials: Vec<Trial>,
    /// Why tests are ignored, by their names.
    reasons: BTreeMap<String, String>,
    /// The file for the outcomes of tests.
    results: Option<PathBuf>,
}

impl Suite {
    /// A suite without tests, for the backends that the environment names.
    ///
    /// # Errors
    ///
    /// [`REQUIRE_VARIABLE`](crate::REQUIRE_VARIABLE) names an unknown backend.
    pub fn from_env() -> Result<Self, Error> {
        let mut searches = Backend::ALL.map(|_| Search::Missing(String::new()));
        for (backend, search) in Backend::ALL.into_iter().zip(&mut searches) {
            *search = Server::find(backend)?;
        }
        let required = env::var_os(REQUIRE_VARIABLE).unwrap_or_default();
        Ok(Self {
            searches,
            required: required_backends(&required.to_string_lossy())?,
            module: String::new(),
            trials: Vec::new(),
            reasons: BTreeMap::new(),
            results: env::var_os(RESULTS_VARIABLE)
                .filter(|file| !file.is_empty())
                .map(PathBuf::from),
        })
    }

    /// Starts a server without an address in a [container](crate::containers), when a test first
    /// needs it.
    ///
    /// All tests of the process share the container. [`run`](Self::run) removes it at the end, and
    /// so does a signal that ends the process, for which this uses the only listener of the crate
    /// `ctrlc`. Without Docker, or the acceptance of SQL Server's terms, the tests are ignored or
    /// fail as without this call.
    #[cfg(feature = "containers")]
    pub fn or_containers(mut self) -> Self {
        for (backend, search) in Backend::ALL.into_iter().zip(&mut self.searches) {
            let (Search::Missing(reason) | Search::Required(reason)) = search else {
                continue;
            };
            match containers::check(backend) {
                Ok(()) => *search = Search::Found(Server::in_container(backend)),
                Err(error) => *reason += &format!("; {error}"),
            }
        }
        // An error means that another listener exists already, which then decides.
        let _ = ctrlc::set_handler(|| {
            containers::remove();
            std::process::exit(130);
        });
        self
    }

    /// Adds a test on several backends, on a new database each time.
    ///
    /// The database is dropped after the test has returned or panicked. Its connections should be
    /// closed by then; connections that the test owns are.
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
        match self.search(backend).clone() {
            Search::Found(server) => self.add(backend, name, false, move || {
                run(&server).map_err(|error| with_causes(&*error.into()).into())
            }),
            Search::Required(reason) => self.add(backend, name, false, || Err(reason.into())),
            Search::Missing(reason) => self.add_ignored(backend, name, reason),
        }
    }

    /// Adds a test that this binary was built without, such as one that needs a client library. The
    /// test is ignored, but fails on a backend that [`REQUIRE_VARIABLE`] names.
    pub fn left_out(
        &mut self,
        name: &str,
        backends: impl IntoIterator<Item = Backend>,
        reason: &str,
    ) {
        for backend in backends {
            if self.required.contains(&backend) {
                let backend_name = test_name(backend);
                let reason = format!("{REQUIRE_VARIABLE} names {backend_name}, but {reason}");
                self.add(backend, name, false, || Err(reason.into()));
            } else {
                self.add_ignored(backend, name, reason.to_owned());
            }
        }
    }

    /// Adds a test that would prove nothing on this server, which behaves differently from the
    /// backend. The test is ignored, with the reason in brackets after its name.
    ///
    /// Without a server, the test is ignored or fails like the other tests of the backend.
    pub fn ignore_on(&mut self, backend: Backend, name: &str, reason: &str) {
        let name = format!("{name} ({reason})");
        match self.server(backend) {
            Some(_) => self.add_ignored(backend, &name, reason.to_owned()),
            None => self.test_on_server(backend, &name, |_| Ok::<(), Error>(())),
        }
    }

    /// The server of a backend, if it was found, to examine it before a test is added.
    pub fn server(&self, backend: Backend) -> Option<&Server> {
        match self.search(backend) {
            Search::Found(server) => Some(server),
            Search::Missing(_) | Search::Required(_) => None,
        }
    }

    /// Adds tests whose names begin with a module's, as in `postgres::<module>::<test>`, so that
    /// modules of one binary can have tests of the same name.
    pub fn module<T>(&mut self, name: &str, add: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.module.len();
        self.module.push_str(name);
        self.module.push_str("::");
        let added = add(self);
        self.module.truncate(outer);
        added
    }

    fn search(&self, backend: Backend) -> &Search {
        &self.searches[backend as usize]
    }

    /// Adds a trial that is ignored. If ignored ones are to run all the same, it fails with the
    /// reason.
    ///
    /// It is marked as ignored from the outside, because a harness that runs each test in a
    /// separate process would count an exit without an error as a pass.
    fn add_ignored(&mut self, backend: Backend, name: &str, reason: String) {
        let test = self.full_name(backend, name);
        self.reasons.insert(test, reason.clone());
        self.add(backend, name, true, || Err(reason.into()));
    }

    fn add(
        &mut self,
        backend: Backend,
        name: &str,
        is_ignored: bool,
        run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) {
        let name = self.full_name(backend, name);
        let (test, results) = (name.clone(), self.results.clone());
        let recorded = move || {
            // The process must not exit while a C library still ends its part of a thread, and only
            // joined threads have ended.
            let thread = thread::Builder::new().name(test.clone());
            let ended = thread.spawn(run)?.join();
            let outcome = match &ended {
                Ok(Ok(())) => Outcome::Passed,
                _ => Outcome::Failed,
            };
            record(&results, test, outcome, None)?;
            ended.unwrap_or_else(|panic| resume_unwind(panic))
        };
        let trial = Trial::test(name, recorded);
        self.trials.push(trial.with_ignored_flag(is_ignored));
    }

    fn full_name(&self, backend: Backend, name: &str) -> String {
        format!("{}::{}{name}", test_name(backend), self.module)
    }

    /// The tests, for a harness that adds others. Ignored tests are then not among the results, and
    /// that harness has to [remove](crate::containers::remove) containers.
    pub fn into_trials(self) -> Vec<Trial> {
        self.trials
    }

    /// Runs the tests by the arguments of the test binary; returns the exit code of its `main`.
    ///
    /// Two tests run at once for each processor, because tests wait for servers about half of their
    /// time; `--test-threads` overrides this.
    ///
    /// Writes to the standard error why trials are ignored, once for each backend and reason.
    pub fn run(self) -> ExitCode {
        let mut arguments = Arguments::from_args();
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        arguments.test_threads.get_or_insert(2 * processors);
        if !arguments.list {
            self.report_what_is_ignored();
        }
        self.run_with(&arguments).exit_code()
    }

    fn report_what_is_ignored(&self) {
        let reasons = self.reasons.iter();
        let reasons: BTreeSet<_> = reasons
            .map(|(test, reason)| (test.split("::").next().unwrap_or_default(), reason))
            .collect();
        for (backend, reason) in reasons {
            eprintln!("ignoring tests on {backend}: {reason}");
        }
    }

    fn run_with(mut self, arguments: &Arguments) -> Conclusion {
        // A harness that runs each test in a separate process lists ignored tests, but never runs
        // them.
        let leaves_out = !arguments.list || arguments.ignored;
        for trial in self.trials.iter().filter(|_| leaves_out) {
            let is_ignored = arguments.list && trial.has_ignored_flag();
            let is_left_out = is_ignored || arguments.is_ignored(trial);
            if is_left_out && !arguments.is_filtered_out(trial) {
                let (test, reason) = (trial.name(), self.reasons.remove(trial.name()));
                record(&self.results, test.to_owned(), Outcome::Ignored, reason)
                    .expect("the file of results can be written");
            }
        }
        let conclusion = libtest_mimic::run(arguments, self.trials);
        #[cfg(feature = "containers")]
        containers::remove();
        conclusion
    }
}

fn record(
    results: &Option<PathBuf>,
    test: String,
    outcome: Outcome,
    reason: Option<String>,
) -> Result<(), Failed> {
    let Some(file) = results else { return Ok(()) };
    let mut result = TestResult {
        test,
        outcome,
        reason,
        version: None,
    };
    if outcome != Outcome::Ignored {
        result.version = result.backend().and_then(version);
    }
    let written = result.append_to(file);
    written.map_err(|error| format!("{RESULTS_VARIABLE} cannot be written: {error}").into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A suite with the same search result for all backends.
    fn suite(search: Search) -> Suite {
        Suite {
            searches: Backend::ALL.map(|_| search.clone()),
            required: Vec::new(),
            module: String::new(),
            trials: Vec::new(),
            reasons: BTreeMap::new(),
            results: None,
        }
    }

    fn found() -> Search {
        Search::Found(Server::at(Backend::Sqlite, ""))
    }
    fn missing() -> Search {
        Search::Missing("no address".to_owned())
    }
    fn required() -> Search {
        Search::Required("no address".to_owned())
    }

    /// The outcomes of the tests, as (passed, failed, ignored).
    fn outcome_of(suite: Suite, arguments: Arguments) -> (u64, u64, u64) {
        // Results on the standard output would be taken for results of this binary.
        let log = file("log");
        let arguments = Arguments {
            logfile: log.to_str().map(str::to_owned),
            ..arguments
        };
        let found = suite.run_with(&arguments);
        let _ = fs::remove_file(log);
        (found.num_passed, found.num_failed, found.num_ignored)
    }

    fn file(kind: &str) -> PathBuf {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("rowkey_suite_{}_{count}.{kind}", std::process::id());
        env::temp_dir().join(name)
    }

    /// The outcome of a test after such a search, and how often it ran.
    fn outcome(search: Search, arguments: Arguments) -> ((u64, u64, u64), u32) {
        let runs = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&runs);
        let mut suite = suite(search);
        suite.test_on_server(Backend::Sqlite, "test", move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok::<(), Error>(())
        });
        let outcome = outcome_of(suite, arguments);
        (outcome, runs.load(Ordering::Relaxed))
    }

    #[test]
    fn tests_run_are_ignored_or_fail_by_what_the_search_found() {
        let default = Arguments::default;
        assert_eq!(outcome(found(), default()), ((1, 0, 0), 1));
        assert_eq!(outcome(missing(), default()), ((0, 0, 1), 0));
        assert_eq!(outcome(required(), default()), ((0, 1, 0), 0));
        // A missing backend has not passed for those who ask for what is ignored, too.
        let arguments = Arguments {
            include_ignored: true,
            ..Arguments::default()
        };
        assert_eq!(outcome(missing(), arguments), ((0, 1, 0), 0));
    }

    #[test]
    fn tests_that_are_left_out_are_ignored_unless_their_backend_is_required() {
        for (required, expected) in [(vec![], (0, 0, 1)), (vec![Backend::Sqlite], (0, 1, 0))] {
            let mut suite = Suite {
                required,
                ..suite(found())
            };
            suite.left_out("test", [Backend::Sqlite], "why");
            assert_eq!(outcome_of(suite, Arguments::default()), expected);
        }
    }

    #[test]
    fn tests_that_prove_nothing_on_a_server_are_ignored() {
        for (search, expected) in [
            (found(), (0, 0, 1)),
            (missing(), (0, 0, 1)),
            (required(), (0, 1, 0)),
        ] {
            let mut suite = suite(search);
            suite.ignore_on(Backend::Sqlite, "order", "order unverified");
            assert_eq!(suite.trials[0].name(), "sqlite::order (order unverified)");
            assert_eq!(outcome_of(suite, Arguments::default()), expected);
        }
    }

    #[test]
    fn modules_are_between_the_backend_and_the_name() {
        let mut suite = suite(found());
        suite.module("copy", |suite| {
            suite.module("keys", |suite| {
                suite.test("kept", [Backend::Sqlite], |_| Ok::<(), Error>(()));
            });
            suite.ignore_on(Backend::Sqlite, "read", "why");
        });
        suite.left_out("rest", [Backend::Sqlite], "why");
        let names: Vec<_> = suite.trials.iter().map(Trial::name).collect();
        let expected = ["sqlite::copy::keys::kept", "sqlite::copy::read (why)"];
        assert_eq!(names, [expected[0], expected[1], "sqlite::rest"]);
    }

    #[test]
    fn results_say_how_each_test_ended() {
        let results = file("jsonl");
        let mut suite = Suite {
            results: Some(results.clone()),
            ..suite(found())
        };
        let sqlite = [Backend::Sqlite];
        suite.test("good", sqlite, |_| Ok::<(), Error>(()));
        suite.test("bad", sqlite, |_| Err("no"));
        // Keeps the message out of the results of this binary.
        suite.test("worse", sqlite, |_| -> Result<(), Error> {
            resume_unwind(Box::new(()))
        });
        suite.left_out("built \"without\"", [Backend::SqlServer], "why");
        suite.left_out("filtered", [Backend::SqlServer], "why");
        let arguments = Arguments {
            skip: vec!["filtered".to_owned()],
            ..Arguments::default()
        };
        assert_eq!(outcome_of(suite, arguments), (1, 2, 1));

        let mut found = TestResult::read_all(&results).unwrap();
        fs::remove_file(&results).unwrap();
        found.sort_by(|one, other| one.test.cmp(&other.test));
        let tests: Vec<_> = found.iter().map(|one| one.test.as_str()).collect();
        let [bad, good, worse] = ["sqlite::bad", "sqlite::good", "sqlite::worse"];
        assert_eq!(tests, [bad, good, worse, "sqlserver::built \"without\""]);
        let ends: Vec<_> = found.iter().map(|one| one.outcome).collect();
        use Outcome::{Failed, Ignored, Passed};
        assert_eq!(ends, [Failed, Passed, Failed, Ignored]);
        assert_eq!(found[3].backend(), Some(Backend::SqlServer));
        assert_eq!(found[3].reason.as_deref(), Some("why"));
        assert_eq!(TestResult::read_all(&results).unwrap(), []);
    }

    #[test]
    fn ignored_tests_are_results_of_a_list_of_them() {
        for (ignored, expected) in [(false, 0), (true, 1)] {
            let results = file("jsonl");
            let mut suite = Suite {
                results: Some(results.clone()),
                ..suite(found())
            };
            suite.test("good", [Backend::Sqlite], |_| Ok::<(), Error>(()));
            suite.left_out("rest", [Backend::Sqlite], "why");
            let list = Arguments {
                list: true,
                ignored,
                ..Arguments::default()
            };
            outcome_of(suite, list);
            let found = TestResult::read_all(&results).unwrap();
            let _ = fs::remove_file(&results);
            assert_eq!(found.len(), expected);
            assert!(found.iter().all(|one| one.outcome == Outcome::Ignored));
        }
    }

    #[test]
    fn a_result_that_cannot_be_written_is_a_failure() {
        let mut suite = Suite {
            results: Some(env::temp_dir()),
            ..suite(found())
        };
        suite.test("good", [Backend::Sqlite], |_| Ok::<(), Error>(()));
        assert_eq!(outcome_of(suite, Arguments::default()), (0, 1, 0));
    }
}

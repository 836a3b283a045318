//! The program refuses a wrong URL with one line that names the problem, without the password.

use std::process::{Command, Output};

fn run(arguments: &[&str], database_url: Option<&str>) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_repository"));
    program.args(arguments);
    // These variables would replace parts of the URL.
    program.env_remove("DATABASE_URL").env_remove("PGDATABASE");
    if let Some(url) = database_url {
        program.env("DATABASE_URL", url);
    }
    program.output().unwrap()
}

fn refusal_of(url: &str) -> String {
    let output = run(&[url], None);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn urls_of_unknown_databases_are_refused() {
    assert_eq!(
        refusal_of("customers.db"),
        "error: the database URL has no scheme; use postgres:, mysql:, mariadb: or sqlite:\n"
    );
    assert_eq!(
        refusal_of("oracle://ada:hunter2@localhost/customers"),
        "error: unknown database scheme `oracle`; \
         use postgres:, mysql:, mariadb: or sqlite:\n"
    );
}

#[test]
fn urls_that_cannot_be_read_are_refused() {
    assert_eq!(
        refusal_of("postgres://ada:hunter2@localhost:port/customers"),
        "error: the database URL is wrong: error with configuration: invalid port number\n"
    );
    assert_eq!(
        refusal_of("sqlite:customers.db?mode=write"),
        "error: the database URL is wrong: error with configuration: \
         unknown value \"write\" for `mode`\n"
    );
    let error = refusal_of("server=localhost;password=hunter2;user");
    let expected = "error: the connection string is wrong: Conversion error: \
                    key-value pairs must be joined by a `=`";
    assert!(error.starts_with(expected), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn urls_without_a_database_are_refused() {
    for url in [
        "postgres://ada:hunter2@127.0.0.1:1",
        "mysql://ada:hunter2@127.0.0.1:1",
        "mariadb:",
        "sqlite:",
        "sqlite://",
    ] {
        assert_eq!(
            refusal_of(url),
            "error: the database URL names no database\n"
        );
    }
}

#[test]
fn missing_databases_are_reported_at_once_and_without_passwords() {
    for (url, database) in [
        ("postgres://ada:hunter2@127.0.0.1:1/customers", "PostgreSQL"),
        (
            "mysql://ada:hunter2@127.0.0.1:1/customers",
            "MySQL or MariaDB",
        ),
        (
            "mariadb://ada:hunter2@127.0.0.1:1/customers",
            "MySQL or MariaDB",
        ),
        ("sqlite:/no/such/folder/customers.db", "SQLite"),
        (
            "server=127.0.0.1,1;user=ada;password=hunter2;database=customers",
            "SQL Server",
        ),
    ] {
        let error = refusal_of(url);
        let expected = format!("error: could not connect to {database}: ");
        assert!(error.starts_with(&expected), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn the_url_is_an_argument_or_a_variable_or_neither() {
    for (arguments, variable) in [
        (&["sqlite::memory:"][..], Some("nothing")),
        (&["SQLite::memory:"][..], None),
        (&[][..], Some("sqlite::memory:")),
        (&[][..], Some("")),
        (&[][..], None),
    ] {
        let output = run(arguments, variable);
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout.starts_with(b"Two customers"), "{output:?}");
    }
    assert_eq!(run(&[], Some("nothing")).status.code(), Some(1));
    assert_eq!(
        run(&["sqlite::memory:", "more"], None).status.code(),
        Some(2)
    );
}

#[test]
fn unknown_options_are_refused() {
    let output = run(&["--bogus"], None);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    let expected = "error: unknown option `--bogus`\n\nUsage: repository [URL]\n";
    assert!(error.starts_with(expected), "{error}");
}

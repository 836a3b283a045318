//! What accounts with few privileges are told: everything that they were not allowed to see, by
//! name.

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::ensure;
use rowkey_copy::{Choices, ExistingRows};
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::StoragePlan;
use rowkey_doctor::{Certainty, examine};
use rowkey_relayout::plan::{Plan, Request};
use rowkey_relayout::preflight::Preflight;
use rowkey_tables::catalog::{Catalog, ReferentialAction};
use rowkey_tables::inventory::{Inventory, Origin};
use rowkey_tables::{Address, Connection, Error, Silent};
use rowkey_testkit::{Suite, TestDatabase, test_name};

/// How MySQL knows its accounts since version 8.
const SHA2: &str = "caching_sha2_password";

/// The password of accounts.
const PASSWORD: &str = "few";

const TABLES: &str = "
    CREATE TABLE offer (id varchar(36) NOT NULL PRIMARY KEY, created_at timestamp NULL, secret text);
    CREATE TABLE hidden (id varchar(36) NOT NULL PRIMARY KEY);
    CREATE TABLE booking (id int NOT NULL PRIMARY KEY, offer_id varchar(36), hidden_id varchar(36),
        CONSTRAINT booking_offer FOREIGN KEY (offer_id) REFERENCES offer (id) ON DELETE CASCADE,
        CONSTRAINT booking_hidden FOREIGN KEY (hidden_id) REFERENCES hidden (id));
    CREATE TABLE invoice (id int NOT NULL PRIMARY KEY, hidden_id varchar(36),
        CONSTRAINT invoice_hidden FOREIGN KEY (hidden_id) REFERENCES hidden (id))";

/// Tests run side by side, each with an account of its own.
fn unique() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("{}_{number}", std::process::id())
}

async fn open(url: &str) -> anyhow::Result<Connection> {
    let address: Address = url.parse()?;
    Ok(Connection::open(&address).await?)
}

/// An account of the host that the server sees. One of any host comes behind the accounts without a
/// name that some servers have for that host.
async fn account(administrator: &mut Connection, name: &str) -> anyhow::Result<String> {
    let host = "SELECT SUBSTRING_INDEX(USER(), '@', -1)";
    let rows = administrator.query("the host", host, &[]).await?;
    Ok(format!("'{name}'@'{}'", rows[0].text(0)?))
}

/// The address of a database for an account.
fn url_of(database: &str, name: &str) -> anyhow::Result<url::Url> {
    let mut url = url::Url::parse(database)?;
    let is_set = url.set_username(name).is_ok() && url.set_password(Some(PASSWORD)).is_ok();
    ensure!(is_set);
    Ok(url)
}

/// An account that may read `offer.id` and the table `booking`, and nothing else.
struct Reader {
    administrator: Connection,
    connection: Connection,
    name: String,
    drop: String,
}

impl Reader {
    async fn create(database: &TestDatabase) -> anyhow::Result<Self> {
        let mut administrator = open(database.url()).await?;
        administrator.execute("the tables", TABLES).await?;
        // MySQL 5.6 takes 16 characters.
        let name = format!("rk_{}", unique());
        let (connection, drop) = match database.backend() {
            Backend::Postgres => {
                let grants = format!(
                    "CREATE ROLE {name};
                     GRANT SELECT (id) ON offer TO {name}; GRANT SELECT ON booking TO {name};
                     DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO {name}', \
                     current_schema()); END $$"
                );
                administrator.execute("the account", &grants).await?;
                let mut connection = open(database.url()).await?;
                let become_it = format!("SET ROLE {name}");
                connection.execute("the account", &become_it).await?;
                (
                    connection,
                    format!("DROP OWNED BY {name}; DROP ROLE {name}"),
                )
            }
            _ => {
                let account = account(&mut administrator, &name).await?;
                let grants = format!(
                    "CREATE USER {account} IDENTIFIED BY '{PASSWORD}';
                     GRANT SELECT (id) ON offer TO {account};
                     GRANT SELECT ON booking TO {account}"
                );
                administrator.execute("the account", &grants).await?;
                let url = url_of(database.url(), &name)?;
                (open(url.as_str()).await?, format!("DROP USER {account}"))
            }
        };
        Ok(Self {
            administrator,
            connection,
            name,
            drop,
        })
    }

    async fn drop(mut self) -> anyhow::Result<()> {
        drop(self.connection);
        self.administrator
            .execute("the account", &self.drop)
            .await?;
        Ok(())
    }
}

/// Runs a test with an account, which is dropped however the test ends.
fn with_reader(
    database: &TestDatabase,
    test: impl AsyncFnOnce(&mut Reader) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    run(async {
        let mut reader = Reader::create(database).await?;
        let outcome = test(&mut reader).await;
        reader.drop().await?;
        outcome
    })
}

fn run<T>(test: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(test)
}

fn names(sentences: &[String], words: &[&str]) -> bool {
    let has_all = |sentence: &String| words.iter().all(|word| sentence.contains(word));
    sentences.iter().any(has_all)
}

async fn the_doctor_names_columns(reader: &mut Reader) -> anyhow::Result<()> {
    let insert = "INSERT INTO offer (id) VALUES ('6ba7b810-9dad-41d1-80b4-00c04fd430c8'), \
                  ('0f8fad5b-d9cb-469f-a165-70867728950e')";
    reader.administrator.execute("rows", insert).await?;
    let is_postgres = reader.connection.backend() == Backend::Postgres;
    let mut ask = async |table: &str, column: &str| -> Result<rowkey_doctor::Report, Error> {
        let request = rowkey_doctor::Request::new(table, column);
        examine(&mut reader.connection, &request, &mut Silent).await
    };
    let found = ask("offer", "id").await?;
    ensure!(found.rows == 2, "{found:#?}");
    ensure!(found.certainty != Certainty::Certain, "{found:#?}");
    let unseen = match is_postgres {
        true => "created_at, secret",
        false => "some columns",
    };
    ensure!(
        names(&found.evidence, &["not allowed to see", unseen]),
        "{found:#?}"
    );
    for (table, column) in [("offer", "secret"), ("hidden", "id")] {
        let error = ask(table, column).await.unwrap_err().to_string();
        ensure!(
            error.contains(table) && error.contains("account may not"),
            "{error}"
        );
    }
    Ok(())
}

async fn a_copy_names_every_table(reader: &mut Reader) -> anyhow::Result<()> {
    let (choices, ids) = (Choices::default(), rowkey_doctor::stored_ids);
    let mut target = reader.administrator.another().await?;
    let source = &mut reader.administrator;
    let planned = rowkey_copy::plan(source, &mut target, choices, &mut Silent, ids).await?;
    let plan = planned.plan;
    // In another schema, because the target isn't the source.
    let elsewhere = "SET search_path = information_schema";
    target.execute("another schema", elsewhere).await?;
    let source = &mut reader.connection;
    let found = rowkey_copy::Preflight::read(source, &mut target, &plan, &mut Silent).await?;
    let refused = |table: &str| {
        let beginning = format!("the table {table}: it may not be read: ");
        found.refused.iter().any(|one| one.starts_with(&beginning))
    };
    for (table, expected) in [
        ("offer", true),
        ("hidden", true),
        ("invoice", true),
        ("booking", false),
    ] {
        ensure!(refused(table) == expected, "{table}: {found:#?}");
    }
    Ok(())
}

async fn the_inventory_names_everything(reader: &mut Reader) -> anyhow::Result<()> {
    let backend = reader.connection.backend();
    let inventory = Inventory::read(&mut reader.connection).await?;
    let what = format!("{inventory:#?}");
    let booking = inventory
        .tables
        .iter()
        .find(|table| table.table.name == "booking");
    let targets: Vec<&str> = booking
        .map(|table| {
            table
                .references
                .iter()
                .map(|one| one.target.name.as_str())
                .collect()
        })
        .unwrap_or_default();
    ensure!(
        targets.contains(&"offer") && targets.contains(&"hidden"),
        "{what}"
    );
    let action = booking.and_then(|table| {
        let mut references = table.references.iter();
        references.find_map(|one| match &one.origin {
            Origin::Declared { on_delete, .. } if one.target.name == "offer" => Some(*on_delete),
            _ => None,
        })
    });
    let is_told = action == Some(ReferentialAction::Cascade);
    let expected: &[&[&str]] = match backend {
        Backend::Postgres => &[
            &["offer.(created_at, secret)", "SELECT"],
            &["the rows of hidden", "no SELECT"],
            &["the rows of invoice", "no SELECT"],
        ],
        _ => &[
            &["the table hidden", "booking_hidden of booking"],
            &["tables and columns", "no SELECT on all of the database"],
            &["triggers", "TRIGGER"],
            &["events", "EVENT"],
            &["routines", "EXECUTE"],
        ],
    };
    for words in expected {
        ensure!(names(&inventory.unseen, words), "{words:?} {what}");
    }
    // Some servers show the actions of references to accounts that may only SELECT.
    let unknown = names(
        &inventory.unseen,
        &["booking_offer of booking", "more privileges"],
    );
    ensure!(is_told != unknown, "{action:?} {what}");
    Ok(())
}

async fn the_preflight_goes_on_to_the_last_table(reader: &mut Reader) -> anyhow::Result<()> {
    let catalog = Catalog::read(&mut reader.administrator).await?;
    let declared = StoragePlan::default_for(FormatKind::UuidV4).column(catalog.backend);
    let request = Request::relayout("hidden", "id", "text:public", declared);
    let plan = Plan::for_key(&catalog, &request)?;
    let found = Preflight::read(&mut reader.connection, &plan).await?;
    let what = format!("{found:#?}");
    for column in ["hidden.id", "invoice.hidden_id"] {
        ensure!(
            names(&found.refused, &[column, "account may not"])
                || names(&found.refused, &[column, "may not be read by the account"]),
            "{column} {what}"
        );
    }
    // What may be read is still shown.
    ensure!(
        found.columns.len() == 1 && found.columns[0].table.name == "booking",
        "{what}"
    );
    if catalog.backend != Backend::Postgres {
        ensure!(
            names(&found.refused, &["CREATE", "TRIGGER", "new names"]),
            "{what}"
        );
    }
    let of_administrator = Preflight::read(&mut reader.administrator, &plan).await?;
    ensure!(of_administrator.refused.is_empty(), "{of_administrator:#?}");
    Ok(())
}

/// A role that the session has, and one that it has not.
async fn roles_count(reader: &mut Reader, url: url::Url) -> anyhow::Result<()> {
    let backend = reader.administrator.backend();
    let name = url.username().to_owned();
    let account = account(&mut reader.administrator, &name).await?;
    let word = match backend {
        Backend::MariaDb => "FOR",
        _ => "TO",
    };
    let database = url.path().trim_start_matches('/');
    let (used, unused) = (format!("{name}_u"), format!("{name}_n"));
    let grants = format!(
        "CREATE ROLE {used}; CREATE ROLE {unused}; GRANT TRIGGER ON {database}.* TO {used};
         GRANT EVENT ON {database}.* TO {unused}; GRANT {used} TO {account};
         GRANT {unused} TO {account}; SET DEFAULT ROLE {used} {word} {account}"
    );
    reader.drop += &format!("; DROP ROLE IF EXISTS {used}; DROP ROLE IF EXISTS {unused}");
    reader.administrator.execute("the roles", &grants).await?;
    let inventory = Inventory::read(&mut open(url.as_str()).await?).await?;
    let unseen = inventory.unseen;
    ensure!(!names(&unseen, &["triggers", "TRIGGER"]), "{unseen:?}");
    ensure!(names(&unseen, &["events", "EVENT"]), "{unseen:?}");
    Ok(())
}

/// MySQL's plugin sends a password as it is, or encrypted by RSA, unless the server remembers it.
async fn a_password_goes_encrypted(database: &TestDatabase) -> anyhow::Result<()> {
    let mut administrator = open(database.url()).await?;
    let name = format!("rowkey_sender_{}", unique());
    let account = account(&mut administrator, &name).await?;
    let create = format!(
        "CREATE USER {account} IDENTIFIED WITH {SHA2} BY '{PASSWORD}'; GRANT SELECT ON *.* TO {account}"
    );
    administrator.execute("the account", &create).await?;
    let outcome = connect_three_times(url_of(database.url(), &name)?).await;
    let drop = format!("DROP USER {account}");
    administrator.execute("the account", &drop).await?;
    outcome
}

async fn connect_three_times(mut url: url::Url) -> anyhow::Result<()> {
    url.set_query(Some("ssl-mode=DISABLED"));
    let plain = url.to_string();
    url.set_query(Some("ssl-mode=REQUIRED"));
    let refused = open(&plain).await.err().map(|error| error.to_string());
    let refused = refused.unwrap_or_default();
    ensure!(
        refused.contains("only through an encrypted connection"),
        "{refused}"
    );
    ensure!(refused.contains("ssl-mode=REQUIRED"), "{refused}");
    open(url.as_str()).await?;
    // Now the server remembers it.
    open(&plain).await.map(drop)
}

/// Each table of the target lacks another privilege.
async fn a_copy_names_what_it_may_not_write(source: String, target: String) -> anyhow::Result<()> {
    let mut administrator = open(&target).await?;
    let mut from = open(&source).await?;
    let names = ["one", "two", "three", "four", "five", "six"];
    for name in names {
        let table = format!("CREATE TABLE {name} (id integer NOT NULL PRIMARY KEY, size integer)");
        from.execute("a table", &table).await?;
        administrator.execute("a table", &table).await?;
    }
    let plain = "CREATE TABLE seven (id integer NOT NULL PRIMARY KEY)";
    from.execute("a table", plain).await?;
    let is_postgres = administrator.backend() == Backend::Postgres;
    let counted = match is_postgres {
        true => plain.replace("NOT NULL", "GENERATED BY DEFAULT AS IDENTITY"),
        false => plain.replace("NOT NULL", "NOT NULL AUTO_INCREMENT"),
    };
    administrator.execute("a counter", &counted).await?;
    let eight = "CREATE TABLE eight (id integer NOT NULL PRIMARY KEY)";
    from.execute("a table", eight).await?;
    administrator.execute("a table", eight).await?;
    let sequence_needs = match administrator.backend() {
        Backend::Postgres => Some("grant SELECT and UPDATE on the sequence"),
        Backend::MariaDb => Some("grant SELECT and INSERT on the sequence"),
        _ => None,
    };
    if sequence_needs.is_some() {
        let sequence = "CREATE SEQUENCE eight_seq";
        administrator.execute("a sequence", sequence).await?;
    }
    let (choices, ids) = (Choices::default(), rowkey_doctor::stored_ids);
    let planned =
        rowkey_copy::plan(&mut from, &mut administrator, choices, &mut Silent, ids).await?;
    let mut plan = planned.plan;
    for table in &mut plan.tables {
        table.existing_rows = match table.name.name.as_str() {
            "three" => Some(ExistingRows::Delete),
            "four" => Some(ExistingRows::Merge),
            _ => None,
        };
    }
    let name = format!("rk_{}", unique());
    let account = match is_postgres {
        true => name.clone(),
        false => account(&mut administrator, &name).await?,
    };
    let (create, drop) = match is_postgres {
        true => (
            format!(
                "CREATE ROLE {name}; DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO {name}', \
                 current_schema()); END $$; ALTER TABLE six ENABLE ROW LEVEL SECURITY"
            ),
            format!("DROP OWNED BY {name}; DROP ROLE {name}"),
        ),
        false => (
            format!("CREATE USER {account} IDENTIFIED BY '{PASSWORD}'"),
            format!("DROP USER {account}"),
        ),
    };
    administrator.execute("the account", &create).await?;
    let outcome = async {
        if sequence_needs.is_some() {
            let grant = format!("GRANT SELECT ON eight_seq TO {account}");
            administrator.execute("the grants", &grant).await?;
        }
        for table in names.into_iter().chain(["seven", "eight"]) {
            let privileges = match table {
                "two" => "SELECT",
                "five" => "INSERT",
                _ => "SELECT, INSERT",
            };
            let grant = format!("GRANT {privileges} ON {table} TO {account}");
            administrator.execute("the grants", &grant).await?;
        }
        let mut to = match is_postgres {
            true => {
                let mut connection = open(&target).await?;
                let become_it = format!("SET ROLE {name}");
                connection.execute("the account", &become_it).await?;
                connection
            }
            false => open(url_of(&target, &name)?.as_str()).await?,
        };
        let found = rowkey_copy::Preflight::read(&mut from, &mut to, &plan, &mut Silent).await?;
        for (table, words) in [
            ("two", &["may not write it", "grant INSERT on it"][..]),
            ("three", &["may not write it", "grant DELETE on it"]),
            (
                "four",
                &["may not write it", "grant SELECT, INSERT and UPDATE on it"],
            ),
            ("five", &["it may not be read", "grant SELECT on it"]),
        ] {
            let beginning = format!("the table {table} in the target: ");
            ensure!(
                names_all(&found.refused, &beginning, words),
                "{table}: {found:#?}"
            );
        }
        let others: &[&str] = match is_postgres {
            true => &["six in the target: row-level security is active"],
            false => &[],
        };
        ensure!(
            names_all(&found.refused, "the target: ", &["may not make tables"]),
            "{found:#?}"
        );
        // Elsewhere, the counter goes past the rows by itself.
        let (lines, beginning, words) = match is_postgres {
            true => (
                &found.refused,
                "seven.id in the target: ",
                "grant SELECT and UPDATE on its sequence",
            ),
            false => (
                &found.notes,
                "the counter of seven ",
                "no ALTER on the table",
            ),
        };
        ensure!(names_all(lines, beginning, &[words]), "{found:#?}");
        for words in others {
            ensure!(
                names_all(&found.refused, "the ", &[words]),
                "{words}: {found:#?}"
            );
        }
        if let Some(needs) = sequence_needs {
            let words = [
                "the account may not let the sequence eight_seq go on",
                needs,
            ];
            let beginning = "eight.id in the target: ";
            ensure!(names_all(&found.refused, beginning, &words), "{found:#?}");
        }
        let count = 5 + 2 * others.len() + usize::from(sequence_needs.is_some());
        ensure!(found.refused.len() == count, "{found:#?}");
        Ok(())
    }
    .await;
    administrator.execute("the account", &drop).await?;
    outcome
}

/// An account may read tables, and not the sequences that count their keys.
async fn hidden_sequences(source: String, target: String) -> anyhow::Result<()> {
    let (mut administrator, mut to) = (open(&source).await?, open(&target).await?);
    let schema = administrator.one_row("the schema", "SELECT current_schema()::text", &[]);
    let schema = schema.await?.text(0)?.to_owned();
    let name = format!("rk_{}", unique());
    let tables = format!(
        "CREATE TABLE one (id serial PRIMARY KEY);
         CREATE TABLE two (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
         INSERT INTO one VALUES (DEFAULT), (DEFAULT); INSERT INTO two VALUES (DEFAULT), (DEFAULT);
         CREATE ROLE {name}; GRANT USAGE ON SCHEMA {schema} TO {name};
         GRANT SELECT ON one, two TO {name}"
    );
    administrator.execute("the tables", &tables).await?;
    let outcome = async {
        let mut from = open(&source).await?;
        from.execute("the role", &format!("SET ROLE {name}"))
            .await?;
        let (choices, ids) = (Choices::default(), rowkey_doctor::stored_ids);
        let planned = rowkey_copy::plan(&mut from, &mut to, choices, &mut Silent, ids).await?;
        let looked =
            rowkey_copy::Preflight::read(&mut from, &mut to, &planned.plan, &mut Silent).await?;
        from.execute("the view", "ROLLBACK").await?;
        let request = crate::copy::creating();
        let report =
            rowkey_copy::copy(&mut from, &mut to, &planned.plan, &request, &mut Silent).await?;
        for table in ["one", "two"] {
            let beginning = format!("{table}.id: ");
            let words = ["may not read its sequence"];
            ensure!(names_all(&looked.notes, &beginning, &words), "{looked:#?}");
            ensure!(names_all(&report.notes, &beginning, &words), "{report:#?}");
        }
        Ok(())
    }
    .await;
    let drop = format!("DROP OWNED BY {name}; DROP ROLE {name}");
    administrator.execute("the role", &drop).await?;
    outcome
}

fn names_all(sentences: &[String], beginning: &str, words: &[&str]) -> bool {
    let beginning = |one: &&String| one.starts_with(beginning);
    let mut found = sentences.iter().filter(beginning);
    found.any(|one| words.iter().all(|word| one.contains(word)))
}

/// A copy that makes tables lacks a privilege for what comes after the rows.
async fn a_copy_names_what_it_may_not_make(source: String, target: String) -> anyhow::Result<()> {
    let mut administrator = open(&target).await?;
    let mut from = open(&source).await?;
    for table in [
        "CREATE TABLE one (id integer NOT NULL PRIMARY KEY)",
        "CREATE TABLE two (id integer NOT NULL PRIMARY KEY, one_id integer REFERENCES one (id))",
    ] {
        from.execute("a table", table).await?;
    }
    let (choices, ids) = (Choices::default(), rowkey_doctor::stored_ids);
    let planned =
        rowkey_copy::plan(&mut from, &mut administrator, choices, &mut Silent, ids).await?;
    let name = format!("rk_{}", unique());
    let account = account(&mut administrator, &name).await?;
    let create = format!(
        "CREATE USER {account} IDENTIFIED BY '{PASSWORD}'; \
         GRANT SELECT, INSERT, CREATE, DROP, INDEX, REFERENCES ON * TO {account}"
    );
    administrator.execute("the account", &create).await?;
    let outcome = async {
        let mut to = open(url_of(&target, &name)?.as_str()).await?;
        let looked =
            rowkey_copy::Preflight::read(&mut from, &mut to, &planned.plan, &mut Silent).await?;
        for (beginning, words) in [
            ("the target: ", "ALTER command denied"),
            ("the target: ", "grant it on the database"),
            (
                "the table rowkey_copy in the target: ",
                "grant UPDATE on it",
            ),
        ] {
            ensure!(
                names_all(&looked.refused, beginning, &[words]),
                "{words}: {looked:#?}"
            );
        }
        ensure!(looked.refused.len() == 2, "{looked:#?}");
        Ok(())
    }
    .await;
    let drop = format!("DROP USER {account}");
    administrator.execute("the account", &drop).await?;
    outcome
}

pub(crate) fn add_tests(suite: &mut Suite) {
    for target in [Backend::MariaDb, Backend::MySql] {
        crate::copy::pair(
            suite,
            &format!("a_copy_names_what_it_may_not_make_in_{}", test_name(target)),
            [Backend::Sqlite],
            target,
            a_copy_names_what_it_may_not_make,
        );
    }
    crate::copy::pair(
        suite,
        "the_numbers_of_a_sequence_are_hidden",
        [Backend::Postgres],
        Backend::Sqlite,
        hidden_sequences,
    );
    for target in [Backend::Postgres, Backend::MariaDb, Backend::MySql] {
        crate::copy::pair(
            suite,
            &format!(
                "a_copy_names_what_it_may_not_write_in_{}",
                test_name(target)
            ),
            [Backend::Sqlite],
            target,
            a_copy_names_what_it_may_not_write,
        );
    }
    for backend in [Backend::Postgres, Backend::MariaDb, Backend::MySql] {
        suite.test_on(
            backend,
            "the_doctor_names_columns_that_it_may_not_read",
            |database| with_reader(database, the_doctor_names_columns),
        );
        suite.test_on(
            backend,
            "the_inventory_names_everything_that_is_hidden",
            |database| with_reader(database, the_inventory_names_everything),
        );
        suite.test_on(
            backend,
            "the_preflight_goes_on_to_the_last_table",
            |database| with_reader(database, the_preflight_goes_on_to_the_last_table),
        );
    }
    for backend in [Backend::MySql, Backend::MariaDb] {
        let name = "privileges_of_roles_count";
        if crate::is_older(suite, (backend, "8")) {
            suite.ignore_on(backend, name, "the server has no roles");
            continue;
        }
        suite.test_on(backend, name, |database| {
            with_reader(database, async |reader| {
                let url = url_of(database.url(), &reader.name)?;
                roles_count(reader, url).await
            })
        });
    }
    let name = "a_password_goes_through_an_encrypted_connection";
    if cfg!(feature = "tls") && !crate::is_older(suite, (Backend::MySql, "8")) {
        suite.test_on(Backend::MySql, name, |database| {
            run(a_password_goes_encrypted(database))
        });
    } else {
        suite.ignore_on(
            Backend::MySql,
            name,
            "no caching_sha2_password, or built without TLS",
        );
    }
    // Others have another plan for an account that sees less.
    suite.test_on(
        Backend::Postgres,
        "a_copy_names_every_table_that_it_may_not_read",
        |database| with_reader(database, a_copy_names_every_table),
    );
}

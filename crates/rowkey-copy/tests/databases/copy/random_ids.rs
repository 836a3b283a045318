//! Random UUIDs, which are ids though nothing tells the order of their bytes.

use anyhow::{Context, Result, ensure};
use rowkey_copy::{Choices, CopyPlan};
use rowkey_testkit::{Backend, Suite, test_name};

use crate::copy::held::{nothing_is_refused, preflight};
use crate::copy::migrated_target::uuid;
use crate::copy::{compare, copy, copy_equal, execute, open, pair, planned};

pub(crate) fn add_tests(suite: &mut Suite) {
    let name = "uuids_of_the_own_type_are_counted_once";
    let mariadb = [Backend::MariaDb];
    pair(suite, name, mariadb, Backend::Postgres, own_type);
    let name = "texts_stay_where_keys_stay";
    let postgres = Backend::Postgres;
    pair(suite, name, [postgres], postgres, texts_that_stay);
    for target in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
        let name = format!("a_uuid_in_two_forms_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, two_forms);
    }
    let servers = [Backend::MySql, Backend::MariaDb];
    let name = "keys_that_are_no_ids_of_the_plan";
    pair(suite, name, servers, postgres, other_ids);
    let name = "ids_in_letters_of_both_cases";
    pair(suite, name, servers, postgres, both_cases);
    for target in crate::LIVE {
        let name = format!("random_uuids_are_ids_in_{}", test_name(target));
        let sources = [Backend::MySql, Backend::MariaDb, Backend::Sqlite];
        pair(suite, &name, sources, target, random);
        let name = format!("keys_without_values_are_ids_in_{}", test_name(target));
        pair(suite, &name, sources, target, without_values);
        let name = format!("bytes_without_values_are_ids_in_{}", test_name(target));
        pair(suite, &name, crate::LIVE, target, bytes_without_values);
        let name = format!(
            "references_without_constraints_to_ids_in_{}",
            test_name(target)
        );
        pair(suite, &name, crate::LIVE, target, unconstrained);
        let name = format!("references_of_any_type_to_ids_in_{}", test_name(target));
        pair(suite, &name, [Backend::Sqlite], target, references);
    }
}

/// A column of a plan has ids, or none.
fn ensure_id(plan: &CopyPlan, table: &str, column: &str, is_id: bool) -> Result<()> {
    let mut tables = plan.tables.iter();
    let found = tables.find(|found| found.name.name == table);
    let mut columns = found.context("no such table")?.columns.iter();
    let found = columns.find(|found| found.name == column);
    let found = found.context("no such column")?;
    ensure!(
        found.format.is_some() == is_id,
        "{table}.{column}: {found:?}"
    );
    Ok(())
}

/// A primary key of a type that ids have is one of ids, though it has no values and no other column
/// has its type; another column stays, and a column for ids is counted with its values.
async fn without_values(source: String, target: String) -> Result<()> {
    let (mut from, mut to) = (open(&source).await?, open(&target).await?);
    let tables = [
        "CREATE TABLE filled (id char(36) PRIMARY KEY, other char(32), owner_id char(36))",
        "CREATE TABLE session (id binary(16) NOT NULL PRIMARY KEY, owner binary(16))",
        "CREATE TABLE token (id char(32) DEFAULT 'none' NOT NULL PRIMARY KEY)",
        "CREATE TABLE remark (id varchar(191) NOT NULL PRIMARY KEY, subject_id varchar(255), \
         kind varchar(32), author_id varchar(191), paid varchar(9))",
        "CREATE TABLE login (id integer NOT NULL PRIMARY KEY, address binary(16))",
    ];
    execute(&mut from, "the tables", &tables).await?;
    for number in 1..=40 {
        let other = match number {
            7 => "no id".to_owned(),
            _ => uuid(number).replace('-', ""),
        };
        let row = format!(
            "INSERT INTO filled VALUES ('{}', '{other}', NULL)",
            uuid(number)
        );
        from.execute("a row", &row).await?;
        let (id, subject) = (uuid(number + 1_000), uuid(number + 2_000));
        let row =
            format!("INSERT INTO remark VALUES ('{id}', '{subject}', 'category', NULL, 'yes')");
        from.execute("a row", &row).await?;
    }
    let id = match to.backend() {
        Backend::Postgres | Backend::MariaDb => "uuid",
        Backend::Sqlite => "blob",
        _ => "binary(16)",
    };
    let filled = format!(
        "CREATE TABLE filled (id {id} NOT NULL PRIMARY KEY, other {id}, owner_id {id}, \
         needed integer NOT NULL)"
    );
    to.execute("a table of the target", &filled).await?;
    let planned = planned(&source, &target, Choices::default()).await?;
    // SQLite's name says nothing of lengths.
    let has_bytes = from.backend() != Backend::Sqlite;
    for (table, column, is_id) in [
        ("session", "id", has_bytes),
        ("session", "owner", has_bytes),
        ("token", "id", true),
        ("login", "address", false),
        ("remark", "id", true),
        ("remark", "subject_id", true),
        ("remark", "author_id", false),
        ("filled", "owner_id", true),
        ("remark", "kind", false),
        ("remark", "paid", false),
    ] {
        ensure_id(&planned.plan, table, column, is_id)?;
    }
    let words = planned.ids.join("\n");
    for (expected, is_said) in [
        ("token.id: it has no values, and its type is one of", true),
        ("session.id: it has no values", has_bytes),
        ("remark.subject_id: its values are ids, though its", true),
        ("remark.author_id (varchar(191)) stays: it has no", true),
        ("remark.kind", false),
        ("remark.paid", false),
        ("login.address (binary(16)) stays: it has no", has_bytes),
    ] {
        ensure!(words.contains(expected) == is_said, "{expected}: {words}");
    }
    if id == "uuid" {
        let other = "filled.other (char(32)) is to become uuid, as it is there: some of its values";
        ensure!(words.contains(other), "{words}");
    }
    let misfits = planned.misfits.join("\n");
    for expected in [
        "filled.needed in the target: the plan has no values for it",
        "the table session in the target: it does not exist",
    ] {
        ensure!(misfits.contains(expected), "{expected}: {misfits}");
    }
    let careful = super::planned(&source, &target, keeping()).await?.plan;
    for (table, column, is_id) in [
        ("session", "id", false),
        ("token", "id", false),
        ("remark", "subject_id", false),
        ("remark", "id", true),
    ] {
        ensure_id(&careful, table, column, is_id)?;
    }
    Ok(())
}

fn keeping() -> Choices {
    Choices {
        keeps_assumed_ids: true,
        ..Choices::default()
    }
}

/// Bytes without values are ids if they are called so, which the plan says; those of references by
/// name are ids with their values.
async fn bytes_without_values(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let (bytes, start, end) = match from.backend() {
        Backend::Postgres => ("bytea", "'\\x", "'"),
        Backend::Sqlite => ("blob", "x'", "'"),
        _ => ("binary(16)", "x'", "'"),
    };
    let others = match bytes {
        "binary(16)" => "varbinary(16)",
        _ => bytes,
    };
    let tables = [
        format!("CREATE TABLE known (id {bytes} NOT NULL PRIMARY KEY, known_id {bytes})"),
        format!("CREATE TABLE session (id {bytes} NOT NULL PRIMARY KEY)"),
        format!("CREATE TABLE few (id {bytes} NOT NULL PRIMARY KEY, known_id {bytes})"),
        format!("CREATE TABLE mixed (id {bytes} NOT NULL PRIMARY KEY)"),
        format!("CREATE TABLE token (id {bytes} NOT NULL PRIMARY KEY)"),
        format!("CREATE TABLE upload (sha256 {others} NOT NULL PRIMARY KEY, address {others})"),
    ];
    execute(
        &mut from,
        "the tables",
        &tables.each_ref().map(String::as_str),
    )
    .await?;
    for number in 1..=40_u64 {
        let token = uuid(number.into()).replace('-', "");
        let random = &token[16..];
        let id = format!(
            "{:012x}7{:03x}{random}",
            0x018e_5f3b_ff48 + number * 60_000,
            number * 97
        );
        let other = id.replace("018e", "018d");
        let row = format!("INSERT INTO known VALUES ({start}{id}{end}, {start}{other}{end})");
        let other = format!("INSERT INTO token VALUES ({start}{token}{end})");
        let mixed = format!(
            "INSERT INTO mixed VALUES ({start}{}{end})",
            [&token, &id][usize::from(number > 20)]
        );
        execute(&mut from, "the rows", &[&row, &other, &mixed]).await?;
        if number <= 2 {
            let few = row.replace("INTO known", "INTO few");
            execute(&mut from, "few rows", &[&few]).await?;
        }
    }
    let planned = planned(&source, &target, Choices::default()).await?;
    let has_length = !matches!(from.backend(), Backend::Postgres | Backend::Sqlite);
    let is_any_bytes = from.backend() == Backend::Postgres;
    for (table, column, is_id) in [
        ("known", "id", true),
        ("known", "known_id", true),
        ("session", "id", true),
        ("upload", "sha256", false),
        ("upload", "address", false),
        ("few", "id", true),
        ("few", "known_id", true),
        ("mixed", "id", !is_any_bytes),
        ("token", "id", !is_any_bytes),
    ] {
        ensure_id(&planned.plan, table, column, is_id)?;
    }
    let words = planned.ids.join("\n");
    for (expected, is_said) in [
        ("session.id: it has no values, and its type is", true),
        ("known.known_id: its values are ids, though", !has_length),
        ("known.id", false),
        ("few.known_id: its values are too few to be certain", true),
        (
            "token.id: random bytes are alike in any order",
            !is_any_bytes,
        ),
    ] {
        ensure!(words.contains(expected) == is_said, "{expected}: {words}");
    }
    let careful = super::planned(&source, &target, keeping()).await?.plan;
    ensure_id(&careful, "session", "id", false)?;

    // As .NET writes it: what was assumed of others may be wrong, too, and is not said of them.
    let create = format!("CREATE TABLE visit (id {bytes} NOT NULL PRIMARY KEY, account {bytes})");
    execute(&mut from, "a table", &[&create]).await?;
    let mut visits = Vec::new();
    for number in 1..=40_u64 {
        let id = uuid(number.into()).replace('-', "");
        let bytes = [6, 4, 2, 0, 10, 8, 14, 12].map(|place| &id[place..place + 2]);
        let id = format!("{start}{}{}{end}", bytes.concat(), &id[16..]);
        visits.push(format!("INSERT INTO visit VALUES ({id}, {id})"));
    }
    let visits: Vec<&str> = visits.iter().map(String::as_str).collect();
    execute(&mut from, "the rows", &visits).await?;
    let other_order = super::planned(&source, &target, Choices::default()).await?;
    for (table, column, is_id) in [
        ("known", "id", true),
        ("visit", "id", false),
        ("visit", "account", false),
        ("session", "id", false),
        ("token", "id", false),
    ] {
        ensure_id(&other_order.plan, table, column, is_id)?;
    }
    let words = other_order.ids.join("\n");
    for expected in [
        "stays: its bytes are in an order of other programs",
        "stays: another column of the source has bytes in an order",
    ] {
        ensure!(words.contains(expected), "{expected}: {words}");
    }
    let mut to = open(&target).await?;
    if matches!(to.backend(), Backend::Postgres | Backend::MariaDb) {
        let create = "CREATE TABLE visit (id uuid NOT NULL PRIMARY KEY, account uuid)";
        execute(&mut to, "the target", &[create]).await?;
        let misfits = super::planned(&source, &target, Choices::default())
            .await?
            .misfits;
        let expected = "): its bytes are in an order of other programs";
        ensure!(
            misfits.iter().any(|misfit| misfit.contains(expected)),
            "{misfits:?}"
        );
    }
    Ok(())
}

/// Columns that refer to keys without a constraint have the form of these, whatever they are called,
/// and whatever was assumed; where a key stays, they stay.
async fn unconstrained(source: String, target: String) -> Result<()> {
    let mut from = open(&source).await?;
    let (bytes, start) = match from.backend() {
        Backend::Postgres => ("bytea", "'\\x"),
        Backend::Sqlite => ("blob", "x'"),
        _ => ("varbinary(16)", "x'"),
    };
    let (id, text) = match from.backend() {
        Backend::Postgres | Backend::Sqlite => ("text", "text"),
        _ => ("char(36)", "varchar(64)"),
    };
    let tables = [
        format!("CREATE TABLE person (id {id} NOT NULL PRIMARY KEY)"),
        format!("CREATE TABLE account (id {id} NOT NULL PRIMARY KEY)"),
        format!("CREATE TABLE event (id {bytes} NOT NULL PRIMARY KEY)"),
        format!(
            "CREATE TABLE device (code {id} NOT NULL, number integer NOT NULL, \
             PRIMARY KEY (code, number))"
        ),
        format!(
            "CREATE TABLE log (id integer NOT NULL PRIMARY KEY, author {text}, account_id {text}, \
             event {bytes}, person_id {text}, digest {bytes}, device {text})"
        ),
        format!(
            "CREATE TABLE run (number integer NOT NULL PRIMARY KEY, workflow_id {text}, \
             subject {text}, token char(32))"
        ),
        format!("CREATE TABLE visit (number integer NOT NULL PRIMARY KEY, workflow_id {text})"),
        format!("CREATE TABLE note (number integer NOT NULL PRIMARY KEY, writer {text})"),
        format!("CREATE TABLE repeated (owner {id}, person_id {id}, other_id {id})"),
        format!(
            "CREATE TABLE account_log (number integer NOT NULL PRIMARY KEY, \
             account {id}, FOREIGN KEY (account) REFERENCES account (id))"
        ),
        "CREATE TABLE empty_log (id integer NOT NULL PRIMARY KEY, person_id {id}, account_id {id})"
            .replace("{id}", id),
    ];
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    execute(&mut from, "the tables", &tables).await?;
    let mut rows = vec!["INSERT INTO account VALUES ('system')".to_owned()];
    for number in 1..=40_u64 {
        let (person, account) = (uuid(number.into()), uuid(u128::from(number) + 100));
        let event = format!(
            "018e5f3b{number:04x}7{number:03x}{}",
            &person.replace('-', "")[16..]
        );
        let device = uuid(u128::from(number) + 200);
        rows.push(format!("INSERT INTO person VALUES ('{person}')"));
        rows.push(format!(
            "INSERT INTO device VALUES ('{device}', 1), ('{device}', 2)"
        ));
        rows.push(format!("INSERT INTO account VALUES ('{account}')"));
        rows.push(format!("INSERT INTO event VALUES ({start}{event}')"));
        let (workflow, token) = (
            uuid(u128::from(number) + 300),
            uuid(u128::from(number) + 400),
        );
        let others = [&*workflow, "other"][usize::from(number == 1)];
        let subject = [&*person, "other"][usize::from(number == 1)];
        let token = token.replace('-', "");
        rows.push(format!(
            "INSERT INTO run VALUES ({number}, '{others}', '{subject}', '{token}')"
        ));
        rows.push(format!("INSERT INTO visit VALUES ({number}, '{workflow}')"));
        // Half of them are gone.
        let writer = [&*person, &*workflow][usize::from(number > 20)];
        rows.push(format!("INSERT INTO note VALUES ({number}, '{writer}')"));
        if number <= 2 {
            let digest = "0cc175b9c0f131a8b1c399e269772661";
            rows.push(format!(
                "INSERT INTO log VALUES ({number}, '{person}', '{account}', {start}{event}', \
                 '{person}', {start}{digest}', '{device}')"
            ));
        }
    }
    let many = [uuid(1), uuid(2), uuid(3)].map(|id| format!("'{id}'"));
    rows.push(format!(
        "INSERT INTO repeated SELECT {} FROM person a, person b, person c LIMIT 12000",
        many.join(", ")
    ));
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    execute(&mut from, "the rows", &rows).await?;
    for choices in [Choices::default(), keeping()] {
        let plan = planned(&source, &target, choices).await?.plan;
        let is_kept = choices.keeps_assumed_ids;
        for (table, column, is_id) in [
            ("person", "id", true),
            ("log", "author", true),
            ("log", "person_id", true),
            ("account", "id", false),
            ("log", "account_id", false),
            ("event", "id", true),
            ("log", "event", true),
            ("log", "digest", false),
            ("run", "workflow_id", false),
            ("visit", "workflow_id", false),
            ("note", "writer", true),
            ("repeated", "owner", true),
            ("repeated", "person_id", true),
            ("repeated", "other_id", true),
            ("run", "subject", false),
            ("run", "token", !is_kept),
            ("account_log", "account", false),
            ("device", "code", true),
            ("log", "device", true),
            ("empty_log", "person_id", !is_kept),
            ("empty_log", "account_id", false),
        ] {
            ensure_id(&plan, table, column, is_id)?;
        }
    }
    let planned = planned(&source, &target, Choices::default()).await?;
    let (plan, words) = (planned.plan, planned.ids.join("\n"));
    for expected in [
        "log.author: it refers to person.id",
        "log.device: it refers to device.code",
        "run.token: its values are ids, though",
        "stays: it refers to person.id, whose form changes, and has other values, too",
        "stays: run.workflow_id is called so, too, and has other values beside ids",
        "stays: it refers to account.id, which stays",
    ] {
        ensure!(words.contains(expected), "{expected}: {words}");
    }
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await?;
    let mut to = open(&target).await?;
    for join in [
        "person ON log.author = person.id",
        "account ON log.account_id = account.id",
        "event ON log.event = event.id",
    ] {
        let query = format!("SELECT COUNT(*) FROM log JOIN {join}");
        let met = to.count("a join", &query, &[]).await?;
        ensure!(met == 2, "{join}: {met}");
    }
    let query = "SELECT COUNT(*) FROM note JOIN person ON note.writer = person.id";
    ensure!(to.count("a join", query, &[]).await? == 20);
    Ok(())
}

/// Two texts of SQLite are one UUID for the target.
async fn two_forms(source: String, target: String) -> Result<()> {
    let (lower, upper) = (uuid(7), uuid(7).to_uppercase());
    let mut from = open(&source).await?;
    for (column, key) in [("id", "PRIMARY KEY"), ("other", "UNIQUE")] {
        for value in [&upper, &lower.replace('-', "")] {
            let statements = [
                "DROP TABLE IF EXISTS node",
                &format!("CREATE TABLE node ({column} uuid {key})"),
                &format!("INSERT INTO node VALUES ('{lower}'), ('{value}')"),
            ];
            execute(&mut from, "the source", &statements).await?;
            let plan = planned(&source, &target, keeping()).await?.plan;
            let looked = preflight(&source, &target, &plan).await?;
            let expected = format!("node: the unique key of {column}: 1 of its values");
            let is_told = |refused: &String| refused.contains(&expected);
            ensure!(looked.refused.iter().any(is_told), "{looked:?}");
        }
    }
    Ok(())
}

/// The key is shown as it is stored, and what is advised can be written.
async fn other_ids(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE node (id binary(16) NOT NULL PRIMARY KEY)",
        "INSERT INTO node VALUES (X'000102030405060708090a0b0c0d0e0f')",
    ];
    execute(&mut open(&source).await?, "the source", &tables).await?;
    let mut plan = planned(&source, &target, Choices::default()).await?.plan;
    let id = &mut plan.tables[0].columns[0];
    (id.to, id.format) = (None, Some("uuid-v4".into()));
    (id.stored_from, id.stored_to) = (Some("uuid".into()), Some("uuid".into()));
    let looked = preflight(&source, &target, &plan).await?;
    let [refused] = &looked.refused[..] else {
        anyhow::bail!("{looked:?}");
    };
    let row = "in the row 000102030405060708090a0b0c0d0e0f; change them, or write `keep = true`";
    ensure!(
        refused.contains(row) && !refused.contains("`to ="),
        "{refused}"
    );
    plan.tables[0].columns[0].keep = true;
    copy_equal(&source, &target, &plan).await
}

/// References of the source find their rows in letters of another case.
async fn both_cases(source: String, target: String) -> Result<()> {
    let id = "char(36) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
    let mut from = open(&source).await?;
    let tables = [
        &*format!("CREATE TABLE node (id {id} NOT NULL PRIMARY KEY)"),
        &format!(
            "CREATE TABLE leaf (id integer PRIMARY KEY, node {id}, FOREIGN KEY (node) REFERENCES node (id))"
        ),
    ];
    execute(&mut from, "the source", &tables).await?;
    for number in 1..=9 {
        let id = uuid(number);
        let rows = [
            &*format!("INSERT INTO node VALUES ('{id}')"),
            &format!(
                "INSERT INTO leaf VALUES ({number}, '{}')",
                id.to_uppercase()
            ),
        ];
        execute(&mut from, "the source", &rows).await?;
    }
    let plan = planned(&source, &target, Choices::default()).await?.plan;
    ensure_id(&plan, "leaf", "node", true)?;
    nothing_is_refused(&source, &target, &plan).await?;
    copy_equal(&source, &target, &plan).await
}

/// What has the type for UUIDs stays one, and is counted once.
async fn own_type(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE node (id uuid PRIMARY KEY, up uuid, FOREIGN KEY (up) REFERENCES node (id))",
        "INSERT INTO node VALUES ('6ba7b810-9dad-41d1-80b4-00c04fd430c8', NULL)",
        "INSERT INTO node VALUES ('7ba7b810-9dad-41d1-80b4-00c04fd430c8', NULL)",
    ];
    execute(&mut open(&source).await?, "the tables", &tables).await?;
    let words = planned(&source, &target, Choices::default()).await?.ids;
    ensure!(words == ["2 of 2 columns of ids become uuid"], "{words:?}");
    Ok(())
}

/// Programs compare such a text with the text of a UUID, until the keys are texts that become UUIDs.
async fn texts_that_stay(source: String, target: String) -> Result<()> {
    let tables = [
        "CREATE TABLE post (id uuid PRIMARY KEY)",
        "CREATE TABLE remark (number integer PRIMARY KEY, subject_id text)",
        "INSERT INTO post SELECT gen_random_uuid() FROM generate_series(1, 40)",
        "INSERT INTO remark SELECT row_number() OVER (), id FROM post",
    ];
    let mut from = open(&source).await?;
    execute(&mut from, "the tables", &tables).await?;
    for has_text_keys in [false, true] {
        let plan = planned(&source, &target, Choices::default()).await?.plan;
        let mut columns = plan.tables.iter().flat_map(|table| &table.columns);
        let text = columns.find(|column| column.name == "subject_id");
        ensure!(
            text.is_some_and(|text| text.format.is_some() == has_text_keys),
            "{text:?}"
        );
        let other = "CREATE TABLE tag AS SELECT id::text FROM post";
        let key = "ALTER TABLE tag ADD PRIMARY KEY (id)";
        if !has_text_keys {
            execute(&mut from, "a key of text", &[other, key]).await?;
        }
    }
    Ok(())
}

/// In SQLite, a column that is declared for numbers may have the ids that it refers to.
async fn references(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let tables = [
        "CREATE TABLE tag (id varchar(36) PRIMARY KEY)",
        "CREATE TABLE tagged (id integer PRIMARY KEY, tag INTEGER NOT NULL REFERENCES tag (id))",
    ];
    execute(&mut db, "the tables", &tables).await?;
    for number in 1..=40 {
        let id = uuid(number);
        let tag = format!("INSERT INTO tag VALUES ('{id}')");
        let tagged = format!("INSERT INTO tagged VALUES ({number}, '{id}')");
        execute(&mut db, "the rows", &[&tag, &tagged]).await?;
    }
    let plan = planned(&source, &target, Choices::default()).await?.plan;
    let column = &plan.tables[1].columns[1];
    ensure!(
        column.stored_from.as_deref() == Some("text:public"),
        "{column:?}"
    );
    copy(&source, &target, &plan).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    Ok(())
}

/// Text of any UUIDs is in the order that people see; random bytes are taken to be, and an empty
/// column is like its reference.
async fn random(source: String, target: String) -> Result<()> {
    let mut db = open(&source).await?;
    let options = match db.backend() {
        Backend::Sqlite => "",
        _ => " ENGINE = InnoDB COLLATE = utf8mb4_bin",
    };
    let sixteen = match db.backend() {
        Backend::Sqlite => "BLOB",
        _ => "binary(16)",
    };
    let tables = [
        format!("CREATE TABLE hyphenated (id char(36) PRIMARY KEY){options}"),
        format!("CREATE TABLE hex (id char(32) PRIMARY KEY, other char(32)){options}"),
        format!("CREATE TABLE sixteen (id {sixteen} NOT NULL PRIMARY KEY){options}"),
        format!(
            "CREATE TABLE vacant (id char(32) PRIMARY KEY, hex_id char(32), \
             FOREIGN KEY (hex_id) REFERENCES hex (id)){options}"
        ),
        format!(
            "CREATE TABLE job (id integer PRIMARY KEY, stage varchar(32) NOT NULL DEFAULT 'open', unit char(36), \
             hex char(32) UNIQUE, CHECK (unit <> '')){options}"
        ),
        format!("CREATE TABLE named (id varchar(50) PRIMARY KEY){options}"),
        format!("CREATE TABLE digest (id integer PRIMARY KEY, md5 char(32)){options}"),
    ];
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    execute(&mut db, "the tables", &tables).await?;
    for number in 1..=40 {
        let (text, hex) = (uuid(number), uuid(number).replace('-', ""));
        let digest = format!("{:032x}", u128::MAX / (number + 3));
        for insert in [
            format!("INSERT INTO hyphenated VALUES ('{text}')"),
            format!("INSERT INTO hex VALUES ('{hex}', '{hex}')"),
            format!("INSERT INTO sixteen VALUES (X'{hex}')"),
            format!("INSERT INTO digest VALUES ({number}, '{digest}')"),
        ] {
            db.execute("a row", &insert).await?;
        }
    }
    let all = planned(&source, &target, Choices::default()).await?;
    for (table, column, is_id) in [
        ("hyphenated", "id", true),
        ("hex", "id", true),
        ("hex", "other", true),
        ("sixteen", "id", true),
        ("vacant", "id", true),
        ("vacant", "hex_id", true),
        ("digest", "md5", false),
        ("job", "stage", false),
        ("job", "unit", false),
        ("job", "hex", false),
        ("named", "id", false),
    ] {
        ensure_id(&all.plan, table, column, is_id)?;
    }
    let words = all.ids.join("\n");
    ensure!(words.contains("6 of 9 columns of ids become"), "{words}");
    ensure!(words.contains("digest.md5 (char(32)) stays"), "{words}");
    ensure!(words.contains("sixteen.id: random bytes"), "{words}");

    let mut plan = all.plan;
    for table in &mut plan.tables {
        let kept = table.name.name == "hyphenated";
        table
            .columns
            .iter_mut()
            .for_each(|column| column.keep = kept);
    }
    copy(&source, &target, &plan).await?;
    let compared = compare(&source, &target, &plan).await?;
    ensure!(compared.is_equal(), "{compared:?}");
    let mut to = open(&target).await?;
    let (hex, bytes) = match to.backend() {
        Backend::Postgres => ("replace(id::text, '-', '')", "replace(id::text, '-', '')"),
        _ => ("lower(hex(id))", "lower(hex(id))"),
    };
    let mut expected: Vec<String> = (1..=40).map(|one| uuid(one).replace('-', "")).collect();
    expected.sort_unstable();
    for (table, id) in [
        ("hyphenated", "replace(id, '-', '')"),
        ("hex", hex),
        ("sixteen", bytes),
    ] {
        let query = format!("SELECT {id} FROM {table} ORDER BY 1");
        let rows = to.query("the ids", &query, &[]).await?;
        let found: Vec<String> = rows
            .iter()
            .map(|row| Ok(row.text(0)?.to_owned()))
            .collect::<Result<_>>()?;
        ensure!(found == expected, "{table}: {found:?}");
    }

    let careful = planned(&source, &target, keeping()).await?.ids.join("\n");
    ensure!(
        careful.contains("sixteen.id (") && careful.contains(" stays: "),
        "{careful}"
    );
    Ok(())
}

//! What a preflight asks about before a change goes on without it.

use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::{Context, Result, ensure};
use rowkey_core::format::FormatKind;
use rowkey_core::uuid::Uuid;
use rowkey_doctor::contradiction;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::{LeftOut, Plan, Policy, Request};
use rowkey_relayout::preflight::Preflight;
use rowkey_testkit::{Backend, Suite};

use crate::LIVE;
use crate::relayout::add_on;
use crate::relayout::rekeyed::{self, create};
use crate::relayout::shop::{self, Shop, number, text};
use crate::relayout::verified::verified;

const MYSQL: [Backend; 2] = [Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &LIVE;
        "references_that_a_plan_does_not_name_are_asked_about" => unplanned,
        "every_table_that_a_name_may_mean_is_asked_about" => alike,
        "values_of_another_format_are_told" => another_format,
        "kinds_of_rows_without_a_table_are_told" => unseen,
        "every_reason_is_told_at_once" => reasons,
    );
    scenarios!(suite, &[Backend::Postgres, Backend::MySql, Backend::MariaDb];
        "references_of_another_type_are_not_cut" => other_texts,
    );
    scenarios!(suite, &[Backend::Postgres];
        "equal_ids_with_several_texts_are_refused" => several_texts,
        "what_makes_old_ids_is_looked_at" => old_ids,
        "references_that_were_never_validated" => not_validated,
        "routines_that_take_rows_are_told" => of_rows,
        "a_collation_with_several_texts_is_refused_by_name" => many_texts,
    );
    scenarios!(suite, &MYSQL;
        "a_reference_to_what_is_gone_is_refused" => targetless,
    );
    scenarios!(suite, &[Backend::MariaDb];
        "numbers_become_native_uuids" => native_uuids,
    );
    add_on(suite, &MYSQL, "padded_ids_are_cut_first", padded);
}

/// With the doctor's note, as `rowkey preflight` shows it.
async fn preflight(shop: &Shop, plan: &Plan) -> Result<Preflight> {
    let mut connection = shop.connect().await?;
    let mut preflight = Preflight::read(&mut connection, plan).await?;
    if let (Some(from), to) = plan.forms(connection.backend())? {
        let (table, column) = (&plan.key.table, &plan.key.column);
        let note = contradiction(&mut connection, table, column, (from, to)).await;
        preflight.notes.extend(note);
    }
    Ok(preflight)
}

async fn unplanned(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE TABLE remark (number integer, about_type varchar(20), about_id bigint)",
        "INSERT INTO remark SELECT id, 'Ticket', id FROM ticket WHERE id <= 20",
        // Most of its values are nowhere.
        "CREATE TABLE till (number integer, ticket_id bigint)",
        "INSERT INTO till SELECT id, CASE WHEN id < 5 THEN id ELSE id + 100000 END FROM ticket",
    ] {
        connection.execute("other tables", statement).await?;
    }
    let mut request = rekeyed::request();
    request.unasserted = Vec::new();
    let plan = shop.plan_for(&request).await?;
    let refused = preflight(&shop, &plan).await?.refused.join("\n");
    for part in [
        "mention.ticket_id: it looks like a reference to ticket.id (its name is that of the table ticket",
        "400 of 450 values exist there",
        "--reference mention.ticket_id",
        "[[left-out]]\ntable = \"mention\"\ncolumn = \"ticket_id\"",
        "remark.about_id: it looks like a reference to ticket.id (it is polymorphic: about_type says `Ticket`; \
         20 of 20 values exist there)",
    ] {
        ensure!(refused.contains(part), "{part} in {refused}");
    }
    ensure!(!refused.contains("till"), "{refused}");
    shop::refused(shop.run(&plan, Phase::Swap).await, &[])?;
    // What it says to write is pasted behind the plan.
    let mut pasted = plan.to_toml()?;
    let lines: Vec<&str> = refused.lines().collect();
    let entries = lines.windows(3).filter(|entry| entry[0] == "[[left-out]]");
    for entry in entries {
        pasted += &format!("\n{}\n", entry.join("\n"));
    }
    let plan = Plan::from_toml(&pasted)?;
    let names = plan.left_out.iter().map(|one| one.table.to_string());
    ensure!(
        names.collect::<Vec<_>>() == ["mention", "remark"],
        "{pasted}"
    );
    let refused = preflight(&shop, &plan).await?.refused;
    ensure!(refused.is_empty(), "{refused:?}");
    shop.run(&plan, Phase::Swap).await?;
    let kept = number(&mut connection, "SELECT max(about_id) FROM remark").await?;
    ensure!(kept == 20, "{kept}");
    Ok(())
}

/// The names of two tables end alike, and values tell which of them a column means, if there are any.
async fn alike(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let (counted, options) = (shop.dialect.counted(), shop.dialect.table_options());
    for table in [
        format!("app_task (id {counted}, title varchar(40) NOT NULL)"),
        format!("hr_task (id {counted}, title varchar(40) NOT NULL)"),
        "worklog (number bigint NOT NULL PRIMARY KEY, task_id bigint NULL)".to_owned(),
    ] {
        let create = format!("CREATE TABLE {table}{options}");
        connection.execute("a table", &create).await?;
    }
    for (statement, asked) in [
        (
            "INSERT INTO hr_task VALUES (1, 'a'), (2, 'b'), (3, 'c')",
            ["app_task", "hr_task"].as_slice(),
        ),
        (
            "INSERT INTO worklog VALUES (1, 1), (2, 2), (3, 3)",
            &["hr_task"],
        ),
        (
            "INSERT INTO app_task VALUES (1, 'a'), (2, 'b')",
            &["app_task", "hr_task"],
        ),
        ("DELETE FROM hr_task", &["app_task"]),
    ] {
        connection.execute("other rows", statement).await?;
        for table in ["app_task", "hr_task"] {
            let request = Request {
                table: table.into(),
                created: None,
                unasserted: Vec::new(),
                ..rekeyed::request()
            };
            let plan = shop.plan_for(&request).await?;
            let refused = preflight(&shop, &plan).await?.refused.join("\n");
            let reason = format!("worklog.task_id: it looks like a reference to {table}.id");
            let is_asked = refused.contains(&reason);
            ensure!(is_asked == asked.contains(&table), "{statement}: {refused}");
        }
    }
    Ok(())
}

/// Programs name the class, and nobody knows which table has its rows.
async fn unseen(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE TABLE remark (number integer, owner_type varchar(20), owner_id bigint)",
        "INSERT INTO remark SELECT id, 'Helpdesk', id FROM ticket WHERE id <= 20",
    ] {
        connection.execute("another table", statement).await?;
    }
    let plan = rekeyed::plan(&shop).await?;
    let found = preflight(&shop, &plan).await?;
    ensure!(found.refused.is_empty(), "{found:?}");
    let told = "remark.owner_type says `Helpdesk`, and no table of that name has a key of the type of owner_id";
    ensure!(
        found.notes.iter().any(|note| note.contains(told)),
        "{found:?}"
    );
    Ok(())
}

/// A definition that is not carried, and values that nobody has planned.
async fn reasons(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    let view = "CREATE VIEW seen AS SELECT id FROM ticket";
    connection.execute("a view", view).await?;
    let mut request = rekeyed::request();
    request.unasserted = Vec::new();
    let plan = shop.plan_for(&request).await?;
    let found = preflight(&shop, &plan).await?.refused;
    for (part, other) in [("seen", "mention.ticket_id"), ("mention.ticket_id", "seen")] {
        let of_part = found.iter().filter(|reason| reason.contains(part));
        let is_alone = of_part.clone().all(|reason| !reason.contains(other));
        ensure!(of_part.count() > 0 && is_alone, "{part} in {found:?}");
    }
    shop::refused(
        shop.run(&plan, Phase::Swap).await,
        &["seen", "mention.ticket_id"],
    )
    .map(|_| ())
}

/// The map of ids finds them by their text, which that of another type may not be.
async fn other_texts(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE TABLE bill (number integer NOT NULL PRIMARY KEY, ticket_id decimal(10,2))",
        "INSERT INTO bill VALUES (1, 1), (2, 2), (3, NULL)",
        "CREATE TABLE note (number integer NOT NULL PRIMARY KEY, ticket_id varchar(20))",
        "INSERT INTO note VALUES (1, '1'), (2, NULL)",
    ] {
        connection.execute("other tables", statement).await?;
    }
    let mut request = rekeyed::request();
    for table in ["bill", "note"] {
        let reference = (table.into(), "ticket_id".into());
        request.unasserted.push(reference);
    }
    let plan = shop.plan_for(&request).await?;
    let found = preflight(&shop, &plan).await?.refused;
    ensure!(
        matches!(&found[..], [only] if only.contains("bill.ticket_id: its type is")
            && only.contains("in 2 rows") && only.contains("1.00")),
        "{found:?}"
    );
    shop::refused(shop.run(&plan, Phase::Swap).await, &["bill.ticket_id"])?;
    for statement in [
        "DROP TABLE bill",
        "INSERT INTO note VALUES (3, '2 '), (4, '02')",
    ] {
        connection.execute("other rows", statement).await?;
    }
    request
        .unasserted
        .retain(|(table, _)| *table != "bill".into());
    let plan = shop.plan_for(&request).await?;
    let found = preflight(&shop, &plan).await?.refused;
    ensure!(
        matches!(&found[..], [only] if only.contains("note.ticket_id") && only.contains("in 2 rows")),
        "{found:?}"
    );
    let delete = "DELETE FROM note WHERE number > 2";
    connection.execute("no such rows", delete).await?;
    shop.run(&plan, Phase::Swap).await?;
    let found = verified(&shop, &plan).await?;
    let is_lost = |note: &String| note.starts_with("note.");
    ensure!(
        found.differences.is_empty() && !found.notes.iter().any(is_lost),
        "{found:?}"
    );
    Ok(())
}

async fn several_texts(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE TABLE account (name numeric PRIMARY KEY)",
        "CREATE TABLE post (number integer PRIMARY KEY, author numeric REFERENCES account, guest numeric)",
        "INSERT INTO account VALUES (5), (6)",
        "INSERT INTO post VALUES (1, 5.0, 6.00), (2, 6, 7)",
    ] {
        connection.execute("the tables", statement).await?;
    }
    let request = Request {
        table: "account".into(),
        column: "name".into(),
        created: None,
        unasserted: vec![("post".into(), "guest".into())],
        ..rekeyed::request()
    };
    let plan = shop.plan_for(&request).await?;
    let found = preflight(&shop, &plan).await?.refused;
    let has = |part: &str| found.iter().any(|reason| reason.contains(part));
    ensure!(
        found.len() == 2
            && has("post.author: equal values")
            && has("post.guest: its type")
            && has("in 1 rows"),
        "{found:?}"
    );
    Ok(())
}

/// Both formats have a version 4, and no value is damaged: only the times tell.
async fn another_format(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = "CREATE TABLE offer (id varchar(36) NOT NULL PRIMARY KEY)";
    let create = format!("{create}{}", shop.dialect.table_options());
    connection.execute("the table", &create).await?;
    let ids: Vec<String> = (0..300)
        .map(|number| format!("('{}')", comb(number)))
        .collect();
    let insert = format!("INSERT INTO offer VALUES {}", ids.join(", "));
    connection.execute("the rows", &insert).await?;
    let told = async |format, from: &str| {
        let request = Request {
            table: "offer".into(),
            column: "id".into(),
            format,
            from: Some(from.into()),
            to: "binary:public".into(),
            created: None,
            unasserted: Vec::new(),
            policy: Policy::default(),
        };
        let plan = shop.plan_for(&request).await?;
        let found = preflight(&shop, &plan).await?;
        ensure!(found.refused.is_empty(), "{found:?}");
        let notes = found.notes.into_iter();
        let told = notes.filter(|note| note.contains("`rowkey doctor` finds"));
        Ok::<_, anyhow::Error>(told.collect::<Vec<String>>())
    };
    // Every UUID is one, where its bytes stay in their order.
    for format in [FormatKind::PrefixComb, FormatKind::AnyUuid] {
        let told_of_own = told(format, "text:public").await?;
        ensure!(told_of_own.is_empty(), "{told_of_own:?}");
    }
    for (format, from) in [
        (FormatKind::SuffixComb, "text:public"),
        (FormatKind::AnyUuid, "text:sql-server"),
    ] {
        let told_of_other = told(format, from).await?.join("\n");
        let planned = format!("the plan takes offer.id for {} as {from}", format.name());
        let doctors = "`rowkey doctor` finds prefix-comb:public (certain). All 300 values";
        for part in [&planned, doctors, "RFC 9562. If the plan is wrong"] {
            ensure!(told_of_other.contains(part), "{part} in {told_of_other}");
        }
    }
    // No time tells random ids from COMBs, but their version is where it is.
    connection
        .execute("other rows", "DELETE FROM offer")
        .await?;
    let ids = (0..300).map(|number| format!("('{}')", random(number)));
    let insert = format!(
        "INSERT INTO offer VALUES {}",
        ids.collect::<Vec<_>>().join(", ")
    );
    connection.execute("the rows", &insert).await?;
    let told_of_random = told(FormatKind::AnyUuid, "text:sql-server").await?;
    ensure!(told_of_random.len() == 1, "{told_of_random:?}");
    let told_of_own = told(FormatKind::AnyUuid, "text:public").await?;
    ensure!(told_of_own.is_empty(), "{told_of_own:?}");
    Ok(())
}

/// A prefix COMB, with a minute between two of them.
fn comb(number: u64) -> Uuid {
    let time = u128::from(1_700_000_000_000 + number * 60_000);
    let rest = random(number).as_u128() & ((1 << 80) - 1);
    Uuid::from_u128(time << 80 | rest)
}

/// A UUID of version 4.
fn random(number: u64) -> Uuid {
    let [high, low] = [0, 1].map(|half| {
        let mut hasher = DefaultHasher::new();
        (number, half).hash(&mut hasher);
        hasher.finish()
    });
    rowkey_core::uuid::Builder::from_random_bytes(
        (u128::from(high) << 64 | u128::from(low)).to_be_bytes(),
    )
    .into_uuid()
}

/// The server does not look while it does not check foreign keys.
async fn targetless(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE TABLE shelf (id bigint NOT NULL PRIMARY KEY) ENGINE = InnoDB",
        "ALTER TABLE reply ADD COLUMN shelf bigint NULL, \
         ADD CONSTRAINT reply_on FOREIGN KEY (shelf) REFERENCES shelf (id)",
        "SET foreign_key_checks = 0",
        "DROP TABLE shelf",
        "SET foreign_key_checks = 1",
    ] {
        connection.execute("a reference", statement).await?;
    }
    let plan = rekeyed::plan(&shop).await?;
    let refused = preflight(&shop, &plan).await?.refused.join("\n");
    let reason = "the foreign key reply_on of reply: the table shelf does not exist";
    ensure!(refused.contains(reason), "{refused}");
    let again = "CREATE TABLE shelf (id bigint NOT NULL PRIMARY KEY) ENGINE = InnoDB";
    connection.execute("the target", again).await?;
    let plan = rekeyed::plan(&shop).await?;
    let refused = preflight(&shop, &plan).await?.refused;
    ensure!(refused.is_empty(), "{refused:?}");
    Ok(())
}

async fn native_uuids(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    let mut request = rekeyed::request();
    request.to = "native-uuid".into();
    for sql_type in ["bigint", "int unsigned"] {
        if sql_type != "bigint" {
            for statement in [
                "ALTER TABLE reply DROP FOREIGN KEY reply_of, MODIFY ticket_id int unsigned NOT NULL",
                "ALTER TABLE watcher DROP FOREIGN KEY watcher_of, MODIFY ticket_id int unsigned NOT NULL",
                "ALTER TABLE mention MODIFY ticket_id int unsigned NULL",
                "ALTER TABLE ticket MODIFY id int unsigned NOT NULL AUTO_INCREMENT",
                "ALTER TABLE reply ADD CONSTRAINT reply_of FOREIGN KEY (ticket_id) REFERENCES ticket (id)",
                "ALTER TABLE watcher ADD CONSTRAINT watcher_of FOREIGN KEY (ticket_id) REFERENCES ticket (id)",
            ] {
                connection.execute("another type", statement).await?;
            }
        }
        let plan = shop.plan_for(&request).await?;
        let refused = preflight(&shop, &plan).await?.refused;
        ensure!(refused.is_empty(), "{refused:?}");
        shop.run(&plan, Phase::Swap).await?;
        let joined = "SELECT count(*) FROM reply r JOIN ticket t ON t.id_key = r.ticket_id_key";
        ensure!(number(&mut connection, joined).await? == 500);
        let id = "SELECT CAST(id_key AS CHAR) FROM ticket WHERE title = 'ticket 7'";
        let id = text(&mut connection, id).await?;
        ensure!(
            id.len() == 36 && id.as_bytes().get(14) == Some(&b'7'),
            "{id}"
        );
        let insert = "INSERT INTO ticket (id_key, title) VALUES \
                      ('018e5f3b-ff48-7bff-8000-0123456789ab', 'new')";
        connection.execute("a new row", insert).await?;
        shop.undo(&plan).await?;
        let counted = "SELECT CAST(id AS SIGNED) FROM ticket WHERE title = 'new'";
        ensure!(number(&mut connection, counted).await? > 500);
        let delete = "DELETE FROM ticket WHERE title = 'new'";
        connection.execute("the end of it", delete).await?;
    }
    Ok(())
}

/// As Hibernate 5 makes them.
async fn padded(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE TABLE wide (id binary(255) NOT NULL PRIMARY KEY) ENGINE = InnoDB",
        "INSERT INTO wide VALUES (X'018E5F3BFF487BFF80000123456789AB')",
        "CREATE TABLE long_text (id char(255) CHARACTER SET ascii NOT NULL PRIMARY KEY) ENGINE = InnoDB",
        "INSERT INTO long_text VALUES ('018e5f3b-ff48-7bff-8000-0123456789ab')",
    ] {
        connection.execute("padded ids", statement).await?;
    }
    let request = |table: &str, from: &str, to: &str| Request {
        table: table.into(),
        column: "id".into(),
        format: FormatKind::UuidV7,
        from: Some(from.into()),
        to: to.into(),
        unasserted: Vec::new(),
        ..rekeyed::request()
    };
    for (table, from, to, parts) in [
        (
            "wide",
            "uuid",
            "uuid",
            [
                "its type binary(255) fills each id up with bytes of zero",
                "SUBSTRING(id, 1, 16)",
            ],
        ),
        (
            "wide",
            "uuid",
            "text",
            [
                "its type binary(255) fills each id up",
                "make it varbinary(255)",
            ],
        ),
        (
            "long_text",
            "text",
            "text",
            ["its type char(255) fills each id up with spaces", "36)"],
        ),
    ] {
        let refused = shop.plan_for(&request(table, from, to)).await.err();
        let refused = refused.context("a refusal")?.to_string();
        for part in parts {
            ensure!(refused.contains(part), "{part} in {refused}");
        }
    }
    // The way that it says.
    for statement in [
        "ALTER TABLE wide MODIFY id varbinary(255) NOT NULL",
        "UPDATE wide SET id = SUBSTRING(id, 1, 16)",
        "ALTER TABLE wide MODIFY id binary(16) NOT NULL",
    ] {
        connection.execute("the way", statement).await?;
    }
    for (table, from, to) in [("wide", "uuid", "text"), ("long_text", "text", "uuid")] {
        let mut request = request(table, from, to);
        request.created = None;
        let mut plan = shop.plan_for(&request).await?;
        if table == "long_text" {
            // The other one's id is the same.
            plan.left_out.push(LeftOut {
                table: "wide".into(),
                column: "id_key".into(),
            });
        }
        shop.run(&plan, Phase::Swap).await?;
        shop.contract(&plan).await?;
    }
    // MySQL 5.6 does not compare the column's ASCII with the text of the connection.
    let same = "SELECT count(*) FROM wide w JOIN long_text t ON CONVERT(w.id_key USING utf8) = \
                LOWER(CONCAT_WS('-', HEX(SUBSTR(t.id_key, 1, 4)), HEX(SUBSTR(t.id_key, 5, 2)), \
                HEX(SUBSTR(t.id_key, 7, 2)), HEX(SUBSTR(t.id_key, 9, 2)), HEX(SUBSTR(t.id_key, 11))))";
    ensure!(number(&mut connection, same).await? == 1);
    Ok(())
}

/// Rows that new programs write get old ids from the key's sequence, and from nothing else.
async fn old_ids(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    let set = |last: &str| format!("SELECT setval(pg_get_serial_sequence('ticket', 'id'), {last})");
    for (wrong, expected, right) in [
        (
            "DO $$BEGIN ALTER TABLE ticket ALTER id DROP IDENTITY; \
             CREATE SEQUENCE numbers START 5 MAXVALUE 5; PERFORM nextval('numbers'); \
             ALTER TABLE ticket ALTER id SET DEFAULT nextval('numbers'::text); END$$",
            "ticket.id: after 5, its sequence has no number",
            "DO $$BEGIN ALTER TABLE ticket ALTER id DROP DEFAULT; \
             ALTER TABLE ticket ALTER id ADD GENERATED BY DEFAULT AS IDENTITY; END$$",
        ),
        (
            "ALTER TABLE reply ALTER ticket_id SET DEFAULT 1",
            "reply.ticket_id: its default",
            "ALTER TABLE reply ALTER ticket_id DROP DEFAULT",
        ),
        (
            &set("9223372036854775807"),
            "ticket.id: after 9223372036854775807, its sequence has no number",
            // Behind the numbers of the rows.
            &set("1, false"),
        ),
    ] {
        connection.query("what is wrong", wrong, &[]).await?;
        let plan = rekeyed::plan(&shop).await?;
        let refused = preflight(&shop, &plan).await?.refused;
        ensure!(
            refused.len() == 1 && refused[0].starts_with(expected),
            "{refused:?}"
        );
        connection.query("what is right", right, &[]).await?;
    }
    let plan = rekeyed::plan(&shop).await?;
    shop.run(&plan, Phase::Swap).await?;
    let insert = "INSERT INTO ticket (id_key, title) VALUES ('018cc477-457b-7651-a217-472e655215d1', 'a'), \
                  ('018cc477-457b-7651-a217-472e655215d2', 'b')";
    connection.execute("new rows", insert).await?;
    shop.undo(&plan).await?;
    let largest = number(&mut connection, "SELECT max(id) FROM ticket").await?;
    ensure!(largest > 501, "{largest}");
    Ok(())
}

/// Their bodies have no name of the table.
async fn of_rows(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    let functions = "
        CREATE FUNCTION of_row(x ticket) RETURNS text LANGUAGE sql AS 'SELECT x.title';
        CREATE FUNCTION of_all(x ticket[]) RETURNS text LANGUAGE sql AS 'SELECT x[1].title';
        CREATE FUNCTION made() RETURNS SETOF ticket LANGUAGE plpgsql AS 'BEGIN END';
        CREATE FUNCTION of_others(x watcher) RETURNS text LANGUAGE sql AS 'SELECT x.name'";
    connection.execute("functions", functions).await?;
    let mut plan = rekeyed::plan(&shop).await?;
    let notes = preflight(&shop, &plan).await?.notes.join("\n");
    for name in ["of_row(ticket)", "of_all(ticket[])", "made()"] {
        let told = format!("the routine {name} names ticket");
        ensure!(notes.contains(&told), "{name} in {notes}");
    }
    ensure!(
        !notes.contains("of_others(watcher) names ticket"),
        "{notes}"
    );
    // A plan of other tables says nothing of it.
    plan.references.clear();
    let told = preflight(&shop, &plan).await?.notes.join("\n");
    ensure!(!told.contains("of_others"), "{told}");
    Ok(())
}

/// PostgreSQL has no patterns for them, with which ids are told from other texts.
async fn many_texts(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    for statement in [
        "CREATE COLLATION loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE coupon (id text PRIMARY KEY)",
        "CREATE TABLE gift (coupon_id text COLLATE loosely)",
        "INSERT INTO coupon SELECT gen_random_uuid()::text FROM generate_series(1, 5)",
        "INSERT INTO gift SELECT id FROM coupon",
    ] {
        connection.execute("the tables", statement).await?;
    }
    let request = Request {
        table: "coupon".into(),
        column: "id".into(),
        format: FormatKind::UuidV4,
        from: Some("text".into()),
        created: None,
        unasserted: vec![("gift".into(), "coupon_id".into())],
        ..rekeyed::request()
    };
    let plan = shop.plan_for(&request).await?;
    let found = preflight(&shop, &plan).await?.refused;
    ensure!(
        matches!(&found[..], [only] if only.starts_with("gift.coupon_id: its collation loosely")
            && only.contains("COLLATE \"C\"")),
        "{found:?}"
    );
    shop::refused(shop.run(&plan, Phase::Swap).await, &["gift.coupon_id"]).map(|_| ())
}

/// A row may refer to none where PostgreSQL has never looked.
async fn not_validated(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let mut connection = shop.connect().await?;
    // The other one of replies is validated.
    for (table, name) in [("mention", "mentioned"), ("reply", "replied")] {
        let constraint = format!(
            "ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (ticket_id) \
             REFERENCES ticket (id) NOT VALID"
        );
        connection.execute("a reference", &constraint).await?;
    }
    let mut request = rekeyed::request();
    request.unasserted = Vec::new();
    let plan = shop.plan_for(&request).await?;
    shop.run(&plan, Phase::Swap).await?;
    let found = verified(&shop, &plan).await?;
    let is_told =
        |note: &String| note.starts_with("mention.ticket_id_key: 50 values refer to no row");
    ensure!(
        found.differences.is_empty() && found.notes.iter().any(is_told),
        "{found:?}"
    );
    let delete = "SET session_replication_role = replica; DELETE FROM ticket WHERE id_before = 9";
    connection.execute("damage", delete).await?;
    let found = verified(&shop, &plan).await?;
    let mut differences = found.differences.iter();
    let is_found = differences.any(|one| one.table == "reply".into() && one.column.is_some());
    ensure!(is_found, "{found:?}");
    Ok(())
}

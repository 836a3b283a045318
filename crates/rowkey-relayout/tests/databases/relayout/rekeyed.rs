//! A counted key becomes ids of a format, and references follow.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use rowkey_core::UnixMillis;
use rowkey_core::format::FormatKind;
use rowkey_core::uuid::Uuid;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::{Plan, Policy, Request};
use rowkey_tables::{Connection, Error, Value};
use rowkey_testkit::{Backend, Suite};

use crate::relayout::rows::value;
use crate::relayout::shop::{Shop, UtcTime, number, refused};
use crate::relayout::verified::verified;
use crate::relayout::{add, add_on};

/// How many tickets there are, each a minute after the one before; the last was made first.
const TICKETS: i64 = 500;

/// When the first ticket was made.
const FIRST: i64 = 1_700_000_000_000;

pub(crate) fn add_tests(suite: &mut Suite) {
    add(suite, "a_counted_key_becomes_version_7", rekeyed);
    add(suite, "a_rekey_is_undone_after_the_swap", undone);
    add(
        suite,
        "a_rekey_is_undone_before_the_swap",
        |shop| async move {
            create(&shop).await?;
            let before = old_rows(&shop).await?;
            let plan = plan(&shop).await?;
            shop.run(&plan, Phase::Check).await?;
            shop.undo(&plan).await?;
            ensure!(old_rows(&shop).await? == before);
            Ok(())
        },
    );
    add(
        suite,
        "no_value_of_another_format_goes_back_from_a_rekey",
        another_format,
    );
    add_on(
        suite,
        &[Backend::MySql, Backend::MariaDb],
        "triggers_of_a_rekey_read_one_row",
        found_by_key,
    );
    add_on(
        suite,
        &[Backend::MySql, Backend::MariaDb],
        "text_that_is_referred_to_gets_other_ids",
        referred_text,
    );
    add_on(
        suite,
        &[Backend::MySql, Backend::MariaDb],
        "old_programs_write_no_rows_without_an_id",
        without_id,
    );
    add(
        suite,
        "a_default_that_does_not_count_is_refused",
        random_default,
    );
    add(
        suite,
        "a_rekey_of_what_has_no_time_is_refused",
        |shop| async move {
            create(&shop).await?;
            let mut request = request();
            request.created = Some("title".into());
            let plan = shop.plan_for(&request).await?;
            refused(shop.run(&plan, Phase::Swap).await, &[]).map(|_| ())
        },
    );
}

pub(crate) async fn create(shop: &Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let (counted, time) = (shop.dialect.counted(), shop.dialect.time_type());
    let options = shop.dialect.table_options();
    for table in [
        format!("ticket (id {counted}, title varchar(40) NOT NULL, created_at {time} NULL)"),
        "reply (number bigint NOT NULL PRIMARY KEY, ticket_id bigint NOT NULL, CONSTRAINT reply_of \
         FOREIGN KEY (ticket_id) REFERENCES ticket (id) ON DELETE CASCADE)"
            .to_owned(),
        "watcher (ticket_id bigint NOT NULL, name varchar(20) NOT NULL, \
         PRIMARY KEY (ticket_id, name), CONSTRAINT watcher_of FOREIGN KEY (ticket_id) \
         REFERENCES ticket (id) ON DELETE CASCADE)"
            .to_owned(),
        "mention (number bigint NOT NULL PRIMARY KEY, ticket_id bigint NULL)".to_owned(),
    ] {
        let create = format!("CREATE TABLE {table}{options}");
        connection.execute("a table", &create).await?;
    }
    let mut rows = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for id in 1..=TICKETS {
        let created = UtcTime(created(id));
        rows[0].push(format!("({id}, 'ticket {id}', '{created}')"));
        rows[1].push(format!("({id}, {})", id * 7 % TICKETS + 1));
        rows[2].push(format!("({id}, 'somebody')"));
        let mention = match id % 10 {
            0 => "NULL".to_owned(),
            // Nothing has this id.
            1 => (id + 1_000_000).to_string(),
            _ => id.to_string(),
        };
        rows[3].push(format!("({id}, {mention})"));
    }
    for (table, rows) in ["ticket", "reply", "watcher", "mention"].iter().zip(rows) {
        let insert = format!("INSERT INTO {table} VALUES {}", rows.join(", "));
        connection.execute("the rows", &insert).await?;
    }
    if let Some(restart) = shop.dialect.restart("ticket", TICKETS + 1) {
        connection.execute("the counter", &restart).await?;
    }
    Ok(())
}

/// Old programs leave the key to the server, which has no error for them in these statements.
async fn without_id(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let plan = plan(&shop).await?;
    shop.run(&plan, Phase::Swap).await?;
    let mut connection = shop.connect().await?;
    for (mode, statement) in [
        (
            "STRICT_ALL_TABLES",
            "INSERT IGNORE INTO ticket (title) VALUES ('late')",
        ),
        ("", "INSERT INTO ticket (title) VALUES ('late'), ('later')"),
        ("", "REPLACE INTO ticket (title) VALUES ('late')"),
        (
            "",
            "INSERT INTO ticket (title) VALUES ('a') ON DUPLICATE KEY UPDATE title = 'late'",
        ),
    ] {
        let set = format!("SET SESSION sql_mode = '{mode}'");
        connection.execute("the mode", &set).await?;
        let error = connection.execute("an old program", statement).await.err();
        let told = error.map(|error| error.to_string()).unwrap_or_default();
        ensure!(told.contains("has no id_key"), "{statement}: {told}");
    }
    let late = "SELECT COUNT(*) FROM ticket WHERE title LIKE 'late%'";
    ensure!(number(&mut connection, late).await? == 0);
    Ok(())
}

/// Programs that let the database make random ids would have none after the change.
async fn random_default(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let (key, default) = match shop.dialect.backend {
        Backend::Postgres => ("uuid", "gen_random_uuid()"),
        Backend::Sqlite => ("text", "(lower(hex(randomblob(16))))"),
        _ => ("varchar(36)", "(uuid())"),
    };
    let options = shop.dialect.table_options();
    let create = |default| {
        format!(
            "CREATE TABLE voucher (id {key} NOT NULL DEFAULT {default} PRIMARY KEY, n integer){options}"
        )
    };
    if connection
        .execute("the table", &create(default))
        .await
        .is_err()
    {
        // MySQL 5.6 has no other defaults.
        let constant = create("'none'");
        connection.execute("the table", &constant).await?;
    }
    let insert = "INSERT INTO voucher (n) VALUES (1)";
    connection.execute("the rows", insert).await?;
    let request = Request {
        table: "voucher".into(),
        created: None,
        unasserted: Vec::new(),
        ..request()
    };
    let plan = shop.plan_for(&request).await?;
    let refusal = refused(shop.run(&plan, Phase::Swap).await, &["voucher", "default"])?;
    ensure!(refusal.contains("id"), "{refusal}");
    Ok(())
}

/// A trigger that reads all rows locks all of them, too.
async fn found_by_key(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let plan = plan(&shop).await?;
    shop.run(&plan, Phase::Backfill).await?;
    let mut connection = shop.connect().await?;
    let insert = "INSERT INTO ticket (id, title) VALUES (1001, 'a'), (1002, 'b'), (1003, 'c')";
    connection.execute("rows", insert).await?;
    // The first run of a trigger in a session may have another plan than the next ones.
    for id in 1..=3 {
        for statement in [
            format!("UPDATE ticket SET id = 110{id} WHERE id = 100{id}"),
            format!("DELETE FROM ticket WHERE id = {id}"),
        ] {
            connection.execute("the counts", "FLUSH STATUS").await?;
            connection.execute("a change", &statement).await?;
            let read = "SHOW SESSION STATUS LIKE 'Handler_read_rnd_next'";
            let row = connection
                .one_row("the rows that it read", read, &[])
                .await?;
            let read: i64 = row.text(1)?.parse()?;
            ensure!(read < TICKETS / 10, "{statement}: {read}");
        }
    }
    Ok(())
}

/// Later ids are of older tickets.
pub(crate) fn created(id: i64) -> i64 {
    FIRST + (TICKETS - id) * 60_000
}

pub(crate) fn request() -> Request {
    Request {
        table: "ticket".into(),
        column: "id".into(),
        format: FormatKind::UuidV7,
        from: None,
        to: "uuid".into(),
        created: Some("created_at".into()),
        unasserted: vec![("mention".into(), "ticket_id".into())],
        policy: Policy {
            batch_rows: 100,
            ..Policy::default()
        },
    }
}

pub(crate) async fn plan(shop: &Shop) -> Result<Plan> {
    shop.plan_for(&request()).await
}

/// The rows of the tables by their old ids.
async fn old_rows(shop: &Shop) -> Result<Vec<Vec<Value>>> {
    let mut connection = shop.connect().await?;
    let mut found = Vec::new();
    for query in [
        "SELECT id, title FROM ticket ORDER BY id",
        "SELECT number, ticket_id FROM reply ORDER BY number",
        "SELECT ticket_id, name FROM watcher ORDER BY ticket_id, name",
        "SELECT number, ticket_id FROM mention ORDER BY number",
    ] {
        let rows = connection.query("the rows", query, &[]).await?;
        found.extend(rows.into_iter().map(|row| row.0));
    }
    Ok(found)
}

/// The map from the old ids of a table to new ones.
pub(crate) async fn map(connection: &mut Connection, table: &str) -> Result<BTreeMap<i64, u128>> {
    let query = format!("SELECT old, new FROM rowkey_id_map WHERE table_name = '{table}'");
    let mut map = BTreeMap::new();
    for row in connection.query("the map", &query, &[]).await? {
        let new = Uuid::try_parse(row.text(1)?).context("the text of an id")?;
        map.insert(row.text(0)?.parse()?, new.as_u128());
    }
    Ok(map)
}

async fn rekeyed(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let plan = plan(&shop).await?;
    shop.run(&plan, Phase::Backfill).await?;
    // An old program still writes, also a reference to what is new.
    let mut connection = shop.connect().await?;
    shop.transaction(
        &mut connection,
        &[
            "INSERT INTO ticket (title) VALUES ('late')".to_owned(),
            format!("INSERT INTO reply VALUES (-1, {})", TICKETS + 1),
            "DELETE FROM ticket WHERE id = 9".to_owned(),
        ],
    )
    .await?;
    shop.run(&plan, Phase::Swap).await?;

    let map = map(&mut connection, "ticket").await?;
    let form = rowkey_sql::StoredForm::named(FormatKind::UuidV7, shop.dialect.backend, "uuid")
        .map_err(|why| anyhow::anyhow!(why))?;
    tickets(&mut connection, &map, form).await?;
    for (query, expected) in [
        (
            "SELECT number, ticket_id_key FROM reply WHERE number = 4",
            map[&(4 * 7 % TICKETS + 1)],
        ),
        (
            "SELECT number, ticket_id_key FROM reply WHERE number = -1",
            map[&(TICKETS + 1)],
        ),
        (
            "SELECT number, ticket_id_key FROM mention WHERE number = 4",
            map[&4],
        ),
        (
            "SELECT number, ticket_id_key FROM mention WHERE number = 11",
            map[&1_000_011],
        ),
    ] {
        let rows = connection.query("a reference", query, &[]).await?;
        let found = &rows.first().with_context(|| query)?.0[1];
        ensure!(*found == value(form, expected), "{query}: {found:?}");
    }
    let lost =
        "SELECT COUNT(*) FROM watcher WHERE ticket_id_key NOT IN (SELECT id_key FROM ticket)";
    ensure!(number(&mut connection, lost).await? == 0);
    let watchers = "SELECT COUNT(*) FROM watcher";
    ensure!(number(&mut connection, watchers).await? == TICKETS - 1);
    let old = "INSERT INTO ticket (id, title) VALUES (-5, 'old')";
    ensure!(connection.execute("an old program", old).await.is_err());

    drop(connection);
    shop.contract(&plan).await?;
    let mut connection = shop.connect().await?;
    ensure!(
        self::map(&mut connection, "ticket").await? == map,
        "the map has changed"
    );
    tickets(&mut connection, &map, form).await
}

/// Every ticket has the id that the map says, with its time of creation.
async fn tickets(
    connection: &mut Connection,
    map: &BTreeMap<i64, u128>,
    form: rowkey_sql::StoredForm,
) -> Result<()> {
    let query = "SELECT title, id_key FROM ticket";
    let rows = connection.query("the tickets", query, &[]).await?;
    ensure!(rows.len() as i64 == TICKETS, "{} tickets", rows.len());
    for row in rows {
        let Some(id) = row.text(0)?.strip_prefix("ticket ") else {
            continue;
        };
        let id: i64 = id.parse()?;
        let new = *map
            .get(&id)
            .with_context(|| format!("the new id of {id}"))?;
        ensure!(row.0[1] == value(form, new), "ticket {id}: {:?}", row.0[1]);
        ensure!(FormatKind::UuidV7.admits(new), "{new:x}");
        let time = FormatKind::UuidV7.time_of(new).map(UnixMillis::get);
        ensure!(time == Some(created(id)), "ticket {id}: {time:?}");
    }
    Ok(())
}

/// Rows that new programs write get old ids, too.
async fn undone(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let before = old_rows(&shop).await?;
    // The number of a deleted row is not used again.
    let mut connection = shop.connect().await?;
    for gone in [
        "INSERT INTO ticket (title) VALUES ('gone')",
        "DELETE FROM ticket WHERE title = 'gone'",
    ] {
        connection.execute("an old program", gone).await?;
    }
    drop(connection);
    let plan = plan(&shop).await?;
    shop.run(&plan, Phase::Swap).await?;
    let form = rowkey_sql::StoredForm::named(FormatKind::UuidV7, shop.dialect.backend, "uuid")
        .map_err(|why| anyhow::anyhow!(why))?;
    let new = form.literal(0x018e_5f3b_ff48_7bff_8000_0123_4567_89ab);
    let mut connection = shop.connect().await?;
    let writes = [
        format!("INSERT INTO ticket (id_key, title) VALUES ({new}, 'new')"),
        format!("INSERT INTO reply (number, ticket_id_key) VALUES (-1, {new})"),
        "UPDATE mention SET ticket_id_key = NULL WHERE number = 5".to_owned(),
    ];
    shop.transaction(&mut connection, &writes).await?;
    let first = map(&mut connection, "ticket").await?;
    drop(connection);
    shop.undo(&plan).await?;
    let mut connection = shop.connect().await?;
    let query = "SELECT COUNT(*) FROM reply r JOIN ticket t ON t.id = r.ticket_id \
                 WHERE r.number = -1 AND t.title = 'new'";
    ensure!(number(&mut connection, query).await? == 1);
    let query = "SELECT id FROM ticket WHERE title = 'new'";
    ensure!(number(&mut connection, query).await? > TICKETS + 1);
    let query = "SELECT COUNT(*) FROM mention WHERE ticket_id IS NULL";
    ensure!(number(&mut connection, query).await? == TICKETS / 10 + 1);
    connection
        .execute("an old program", "DELETE FROM ticket WHERE title = 'new'")
        .await?;
    let restore = "UPDATE mention SET ticket_id = 5 WHERE number = 5";
    connection.execute("an old program", restore).await?;
    let next = "INSERT INTO ticket (title) VALUES ('next')";
    connection.execute("an old program", next).await?;
    let drop_next = "DELETE FROM ticket WHERE title = 'next'";
    connection.execute("an old program", drop_next).await?;
    ensure!(old_rows(&shop).await? == before, "the rows have changed");
    attempt_again(&shop, &first).await
}

/// Another attempt after an undo gives the same ids, and none of another format.
async fn attempt_again(shop: &Shop, first: &BTreeMap<i64, u128>) -> Result<()> {
    let request = rowkey_relayout::plan::Request {
        format: FormatKind::ShortPrefixComb,
        created: None,
        ..request()
    };
    match shop.run(&shop.plan_for(&request).await?, Phase::Swap).await {
        Err(Error::Refused { what, why, .. }) => {
            ensure!(what == "the table rowkey_id_map", "{what}: {why}");
            ensure!(why.contains("another format"), "{why}");
        }
        other => bail!("{other:?}"),
    }
    shop.run(&plan(shop).await?, Phase::Swap).await?;
    let again = map(&mut shop.connect().await?, "ticket").await?;
    let is_kept = first.iter().all(|(old, new)| again.get(old) == Some(new));
    ensure!(is_kept, "{first:?} {again:?}");
    Ok(())
}

/// A new program makes ids of another format. They would stay in the map, and another attempt give
/// them to rows.
async fn another_format(shop: Shop) -> Result<()> {
    create(&shop).await?;
    let before = old_rows(&shop).await?;
    let plan = plan(&shop).await?;
    shop.run(&plan, Phase::Swap).await?;
    let form = rowkey_sql::StoredForm::named(FormatKind::UuidV7, shop.dialect.backend, "uuid")
        .map_err(|why| anyhow::anyhow!(why))?;
    let version_4 = form.literal(0x018e_5f3b_ff48_4bff_8000_0123_4567_89ab);
    let mut connection = shop.connect().await?;
    let writes = [
        format!("INSERT INTO ticket (id_key, title) VALUES ({version_4}, 'other')"),
        format!("UPDATE mention SET ticket_id_key = {version_4} WHERE number = 5"),
    ];
    shop.transaction(&mut connection, &writes).await?;
    for _ in 0..2 {
        refused(
            shop.undo(&plan).await,
            &["ticket.id_key: 1 value", "mention.ticket_id_key: 1 value"],
        )?;
    }
    // It has not begun.
    shop.run(&plan, Phase::Swap).await?;
    let five = map(&mut connection, "ticket").await?[&5];
    let corrections = [
        "DELETE FROM ticket WHERE title = 'other'".to_owned(),
        format!(
            "UPDATE mention SET ticket_id_key = {} WHERE number = 5",
            form.literal(five)
        ),
    ];
    shop.transaction(&mut connection, &corrections).await?;
    drop(connection);
    shop.undo(&plan).await?;
    ensure!(old_rows(&shop).await? == before, "the rows have changed");
    shop.run(&self::plan(&shop).await?, Phase::Swap)
        .await
        .context("another attempt")
}

/// Columns in most collations have several texts for one id, which rows rarely do.
async fn referred_text(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let types = [
        ("plain", "varchar(36)"),
        ("fixed", "char(36) CHARACTER SET ascii COLLATE ascii_bin"),
        ("small", "varchar(36) CHARACTER SET latin1"),
    ];
    for (name, sql_type) in types {
        let options = shop.dialect.table_options();
        let of_all =
            format!("INSERT INTO {name}_post SELECT 7 + (id LIKE 'a%'), id FROM {name}_account");
        for statement in [
            format!("CREATE TABLE {name}_account (id {sql_type} NOT NULL PRIMARY KEY){options}"),
            format!(
                "CREATE TABLE {name}_post (number integer NOT NULL PRIMARY KEY, account_id {sql_type} NOT NULL, \
                 FOREIGN KEY (account_id) REFERENCES {name}_account (id)){options}"
            ),
            format!(
                "INSERT INTO {name}_account VALUES ('aaaaaaaa-0000-4000-8000-000000000001'), \
                 ('bbbbbbbb-0000-4000-8000-000000000002')"
            ),
            of_all,
        ] {
            connection.execute("the tables", &statement).await?;
        }
        let request = Request {
            table: format!("{name}_account").as_str().into(),
            to: "binary:public".into(),
            created: None,
            unasserted: Vec::new(),
            ..request()
        };
        let plan = shop.plan_for(&request).await?;
        if name != "fixed" {
            let upper =
                format!("UPDATE {name}_post SET account_id = UPPER(account_id) WHERE number = 8");
            connection.execute("another text", &upper).await?;
            let parts = [
                &*format!("{name}_post.account_id: its type is"),
                "in 1 rows",
                "AAAAAAAA-0000",
            ];
            refused(shop.run(&plan, Phase::Swap).await, &parts)?;
            let lower = format!("UPDATE {name}_post SET account_id = LOWER(account_id)");
            connection.execute("the same text", &lower).await?;
        }
        shop.run(&plan, Phase::Swap).await?;
        let found = verified(&shop, &plan).await?;
        ensure!(found.differences.is_empty(), "{found:?}");
        shop.contract(&plan).await?;
    }
    Ok(())
}

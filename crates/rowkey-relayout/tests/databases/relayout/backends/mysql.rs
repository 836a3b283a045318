//! MySQL and MariaDB: what rebuilt tables have, and what is refused.

use anyhow::{Context, Result, bail, ensure};
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_relayout::plan::{OldPrograms, Plan, Request};
use rowkey_relayout::preflight::Preflight;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_tables::catalog::Catalog;
use rowkey_tables::{Connection, Error, Step};
use rowkey_testkit::Suite;

use crate::relayout::rekeyed;
use crate::relayout::rows::{Parent, Random};
use crate::relayout::shop::{NEW, Names, OLD, Shop, number, refused, text};
use crate::relayout::verified::verified;

const BOTH: [Backend; 2] = [Backend::MySql, Backend::MariaDb];

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &BOTH;
        "marked_sessions_write_and_others_fail" => marked,
        "rebuilt_tables_have_everything" => everything,
        "all_reasons_are_in_one_refusal" => reasons,
        "additions_after_the_swap_are_not_lost" => additions,
        "rows_that_the_old_table_lacks_are_not_lost" => built_again,
        "what_names_a_column_is_told" => named,
        "a_batch_locks_its_own_rows_only" => own_rows,
        "a_table_with_an_odd_name_refers_to_itself" => odd_name,
        "programs_may_lock_their_tables" => locked_by_programs,
        "updates_that_change_nothing_leave_times_as_they_are" => unchanged,
        "numbers_above_the_signed_ones_are_counted_on" => large_numbers,
        "a_missing_privilege_is_named_first" => without_privilege,
    );
}

pub(super) async fn execute(connection: &mut Connection, statements: &[&str]) -> Result<()> {
    for statement in statements {
        connection.execute(statement, statement).await?;
    }
    Ok(())
}

/// Programs save rows that they have not changed. The server leaves such rows and their times as
/// they are.
async fn unchanged(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = format!(
        "CREATE TABLE saved (id {} NOT NULL PRIMARY KEY, n INT NOT NULL, title VARCHAR(5) NOT NULL, \
         at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP) ENGINE=InnoDB",
        shop.dialect.form(OLD)?.sql_type()
    );
    connection.execute("the table", &create).await?;
    for n in 0..5 {
        let id = shop.dialect.form(OLD)?.literal(Random(n).id());
        let insert = format!("INSERT INTO saved VALUES ({id}, {n}, 'same', '2001-02-03 04:05:06')");
        connection.execute("a row", &insert).await?;
    }
    let request = rowkey_relayout::plan::Request {
        table: "saved".into(),
        unasserted: Vec::new(),
        ..shop.request(OLD, NEW)
    };
    let plan = shop.plan_for(&request).await?;
    for (last, id) in [
        (Phase::Backfill, "id"),
        (Phase::Check, "id"),
        (Phase::Swap, "id_key"),
    ] {
        shop.run(&plan, last).await?;
        let again = format!(
            "INSERT INTO saved ({id}, n, title) SELECT * FROM (SELECT {id}, n, title FROM saved \
             WHERE n = 1) s ON DUPLICATE KEY UPDATE title = VALUES(title)"
        );
        let statements = [
            "UPDATE saved SET title = 'same' WHERE n IN (0, 1)",
            &again,
            "UPDATE saved a JOIN saved b USING (n) SET a.title = b.title WHERE n = 2",
            "UPDATE saved SET title = IF(title = 'same', 'other', 'same') WHERE n = 3",
            "UPDATE saved SET at = at + INTERVAL 1 DAY WHERE n = 4",
        ];
        execute(&mut connection, &statements).await?;
        // What differs is found by the next phase.
    }
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    let times = "SELECT CAST(GROUP_CONCAT(DATE_FORMAT(at, '%e'), title ORDER BY n) AS CHAR) FROM saved \
                 WHERE n <> 3";
    let before = text(&mut connection, times).await?;
    ensure!(before == "3same,3same,3same,6same", "{before}");
    shop.undo(&plan).await?;
    ensure!(text(&mut connection, times).await? == before);
    Ok(())
}

/// Tables that triggers name have to be there for a session that locks its own.
async fn locked_by_programs(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 20, 65).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let mut connection = shop.connect().await?;
    for (number, last, form, column) in [
        (-1, Phase::Expand, OLD, "parent_id"),
        (-2, Phase::Backfill, OLD, "parent_id"),
        (-3, Phase::Check, OLD, "parent_id"),
        (-4, Phase::Swap, NEW, "parent_id_key"),
    ] {
        shop.run(&plan, last).await?;
        // MariaDB refuses some of these before the swap.
        if shop.dialect.backend == Backend::MariaDb && last != Phase::Swap {
            continue;
        }
        let id = Random(66).id();
        let insert = format!(
            "INSERT INTO loose (number, {column}) VALUES ({number}, {})",
            shop.dialect.form(form)?.literal(id)
        );
        let statements = ["LOCK TABLES loose WRITE", &insert, "UNLOCK TABLES"];
        execute(&mut connection, &statements).await?;
        rows.loose.insert(number, Some(id));
    }
    shop.expect(&rows, NEW, Names::New).await?;
    shop.contract(&plan).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// MySQL would lose the reference when it renames the table, and MariaDB does not.
async fn odd_name(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    for table in ["sp ace", "a$b"] {
        let sql = shop.dialect.form(OLD)?.sql_type();
        let create = format!(
            "CREATE TABLE `{table}` (id {sql} NOT NULL PRIMARY KEY, above {sql} NULL, \
             FOREIGN KEY (above) REFERENCES `{table}` (id) ON DELETE SET NULL) ENGINE=InnoDB"
        );
        connection.execute("the table", &create).await?;
        let request = rowkey_relayout::plan::Request {
            table: table.into(),
            unasserted: Vec::new(),
            ..shop.request(OLD, NEW)
        };
        let plan = shop.plan_for(&request).await?;
        let outcome = shop.run(&plan, Phase::Swap).await;
        if shop.dialect.backend == Backend::MySql {
            refused(outcome, &["itself"])?;
            continue;
        }
        outcome?;
        let form = shop.dialect.form(NEW)?;
        let [one, other] = [Random(91).id(), Random(92).id()].map(|id| form.literal(id));
        execute(
            &mut connection,
            &[
                &format!("INSERT INTO `{table}` (id_key) VALUES ({one})"),
                &format!("INSERT INTO `{table}` (id_key, above_key) VALUES ({other}, {one})"),
                &format!("DELETE FROM `{table}` WHERE id_key = {one}"),
            ],
        )
        .await?;
        let left = format!("SELECT COUNT(*) FROM `{table}` WHERE above_key IS NULL");
        ensure!(number(&mut connection, &left).await? == 1, "{table}");
        shop.contract(&plan).await?;
    }
    Ok(())
}

/// The columns keep their names, and only a session with the mark may write.
async fn marked(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut rows = shop.fill(OLD, 100, 51).await?;
    let mut request = shop.request(OLD, NEW);
    request.policy.old_programs = OldPrograms::Mark;
    let plan = shop.plan_for(&request).await?;
    let mut old = shop.connect().await?;
    let mut notes = Vec::new();
    let mut progress = |step: Step| {
        if let Step::Note(note) = step {
            notes.push(note);
        }
    };
    let mut connection = Connection::open(&shop.address).await?;
    relayout::run(&mut connection, &plan, Phase::Swap, &mut progress).await?;
    shop.expect(&rows, NEW, Names::Old).await?;
    let set = notes.iter().find_map(|note| note.split_once("say: "));
    let Some((_, set)) = set else {
        bail!("no note says what to set: {notes:?}");
    };

    let id = Random(52).id();
    let literal = shop.dialect.form(NEW)?.literal(id);
    let insert = format!("INSERT INTO parent (id, title) VALUES ({literal}, 'new')");
    for statement in [
        insert.as_str(),
        "UPDATE parent SET title = 'old'",
        "DELETE FROM loose",
    ] {
        let error = old.execute("an old program", statement).await;
        let Err(error) = error else {
            bail!("an old program has done {statement}");
        };
        ensure!(error.to_string().contains("@rowkey_layout"), "{error}");
    }
    execute(&mut old, &[set, &insert]).await?;
    let title = "new".to_owned();
    rows.parents.insert(
        id,
        Parent {
            title,
            above: None,
            created: 0,
        },
    );
    shop.expect(&rows, NEW, Names::Old).await?;
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await
}

/// Comments, defaults, counters, collations and times that the server sets are in the new table,
/// and values that differ in letter case or spaces only stay as they are.
async fn everything(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let key = shop.dialect.form(OLD)?.sql_type();
    // Which MySQL 5.6 does not have. With such an index, MariaDB drops no column while others
    // write.
    let computed = match shop.dialect.backend {
        Backend::MariaDb => "twice BIGINT AS (price * 2) VIRTUAL, KEY twice (twice), ",
        _ => "",
    };
    let create = format!(
        "CREATE TABLE note (parent_id {key} NOT NULL COMMENT 'whose? it''s the parent''s', \
         kind ENUM('z', 'a') NOT NULL, counter BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, \
         body VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_german1_ci DEFAULT 'it''s', \
         changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, \
         price DECIMAL(20,6) NULL, bits BIT(3) NULL, \
         PRIMARY KEY (parent_id, kind), UNIQUE KEY counter (counter), \
         KEY beginning (body(4)), FULLTEXT KEY words (body), {computed}\
         FOREIGN KEY (parent_id) REFERENCES parent (id) ON UPDATE CASCADE ON DELETE CASCADE\
         ) ENGINE=InnoDB COMMENT='notes' ROW_FORMAT=COMPACT"
    );
    // The server makes an index for each of these references.
    let referring = [
        format!(
            "CREATE TABLE reminder (n INT NOT NULL PRIMARY KEY, parent_id {key} NULL, other_id {key} NULL, \
             FOREIGN KEY (parent_id) REFERENCES parent (id), \
             CONSTRAINT reminded FOREIGN KEY (other_id) REFERENCES parent (id)) ENGINE=InnoDB"
        ),
        format!(
            "ALTER TABLE parent ADD next_id {key} NULL, \
             ADD FOREIGN KEY (next_id) REFERENCES parent (id)"
        ),
    ];
    execute(&mut connection, &[&create, &referring[0], &referring[1]]).await?;
    let rows = shop.fill(OLD, 40, 53).await?;
    let index_names = "SELECT GROUP_CONCAT(table_name, ' ', index_name ORDER BY table_name, index_name) \
                       FROM information_schema.statistics WHERE table_schema = DATABASE() \
                       AND seq_in_index = 1";
    let indexes = text(&mut connection, index_names).await?;
    let fill = "INSERT INTO note (parent_id, kind, body, changed, price, bits) \
                SELECT id, 'a', 'B ', '2001-02-03 04:05:06', 1.5, b'101' FROM parent UNION ALL \
                SELECT id, 'z', 'b', '2011-02-03 04:05:06', NULL, NULL FROM parent";
    let next = "SELECT auto_increment FROM information_schema.tables \
                WHERE table_schema = DATABASE() AND table_name = 'note'";
    // MySQL 8 and later keep what a session has asked for, unless it says otherwise.
    let mut other = shop.connect().await?;
    other.query("what is kept", next, &[]).await?;
    let current =
        "SET SESSION sql_mode = @@sql_mode /*!80000 , information_schema_stats_expiry = 0 */";
    execute(&mut connection, &[current, fill]).await?;
    // The last rows are deleted again.
    let last =
        "INSERT INTO note (parent_id, kind, counter) SELECT parent_id, '', 5000 FROM note LIMIT 1";
    let deleted = "DELETE FROM note WHERE counter = 5000";
    execute(&mut connection, &["SET sql_mode = ''", last, deleted]).await?;
    let sums = "SELECT CAST(SUM(CRC32(CONCAT_WS('|', HEX(kind), counter, HEX(body), HEX(changed), HEX(price), \
                bits + 0))) AS SIGNED) FROM note";
    let before = number(&mut connection, sums).await?;
    let counter = number(&mut connection, next).await?;
    ensure!(counter == 5001, "{counter}");

    let mut request = shop.request(OLD, NEW);
    request.policy.batch_rows = 7;
    let plan = shop.plan_for(&request).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await?;
    ensure!(number(&mut connection, sums).await? == before);
    ensure!(
        number(&mut connection, next).await? == counter,
        "another counter"
    );
    let definition = connection
        .query("the table", "SHOW CREATE TABLE note", &[])
        .await?;
    let definition = definition[0].text(1)?.to_owned();
    for part in [
        "`parent_id_key` binary(16) NOT NULL COMMENT 'whose? it''s the parent''s'",
        "latin1_german1_ci DEFAULT 'it''s'",
        "ON UPDATE",
        "KEY `beginning` (`body`(4))",
        "FULLTEXT KEY `words` (`body`)",
        "PRIMARY KEY (`parent_id_key`,`kind`)",
        "COMMENT='notes'",
        "ROW_FORMAT=COMPACT",
        "CONSTRAINT `note_ibfk_1`",
    ] {
        let is_in = definition.to_lowercase().contains(&part.to_lowercase());
        ensure!(is_in, "{part} in {definition}");
    }
    shop.contract(&plan).await?;
    let indexes_after = text(&mut connection, index_names).await?;
    ensure!(indexes_after == indexes, "{indexes} became {indexes_after}");
    let catalog = Catalog::read(&mut connection).await?;
    let child = catalog.table(&"child".into())?;
    let mut names: Vec<&str> = child
        .foreign_keys
        .iter()
        .map(|key| key.name.as_str())
        .collect();
    names.sort_unstable();
    ensure!(names == ["child_other", "child_parent"], "{names:?}");
    let left = catalog
        .tables
        .iter()
        .filter(|table| table.name.name.contains("rowkey"));
    ensure!(left.count() == 0, "{:?}", catalog.tables);
    Ok(())
}

async fn reasons(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let statements = [
        "CREATE TRIGGER stamp BEFORE INSERT ON parent FOR EACH ROW SET NEW.title = 'x'",
        "CREATE VIEW parents AS SELECT id FROM parent",
        "CREATE VIEW titles AS SELECT title FROM parent",
        "ALTER TABLE loose ADD KEY beginning (parent_id(4))",
        "ALTER TABLE line ALTER parent_id SET DEFAULT 'aaaaaaaaaaaaaaaa'",
        "ALTER TABLE child ADD Parent_ID_before INT",
        "CREATE TABLE elsewhere (n INT) ENGINE=InnoDB",
        "CREATE TRIGGER by_place AFTER INSERT ON elsewhere FOR EACH ROW \
         INSERT INTO loose VALUES (NEW.n, NULL)",
        "CREATE TABLE unkeyed (parent_id BINARY(16) NOT NULL, \
         FOREIGN KEY (parent_id) REFERENCES parent (id)) ENGINE=InnoDB",
        "CREATE TABLE parent_rowkey_old (n INT)",
    ];
    execute(&mut connection, &statements).await?;
    let has_periods = shop.dialect.backend == Backend::MariaDb;
    if has_periods {
        let period = "ALTER TABLE part ADD since DATE NOT NULL DEFAULT '2001-01-01', \
                      ADD upto DATE NOT NULL DEFAULT '2002-01-01', ADD PERIOD FOR valid (since, upto)";
        let versions = "ALTER TABLE loose ADD SYSTEM VERSIONING";
        execute(&mut connection, &[period, versions]).await?;
    }
    let plan = shop.plan(OLD, NEW).await?;
    let found = refused(shop.run(&plan, Phase::Swap).await, &[])?;
    for part in ["part: it has a period", "loose: it is system-versioned"] {
        ensure!(found.contains(part) == has_periods, "{found}");
    }
    for part in [
        "stamp",
        "parents",
        "beginning",
        "line.parent_id",
        "unkeyed",
        "by_place of loose: it inserts into loose without naming columns",
        "the name parent_id_before, which the column Parent_ID_before has",
        "parent_rowkey_old",
    ] {
        ensure!(found.contains(part), "{part} in {found}");
    }
    ensure!(
        !found.contains("titles"),
        "a view without a changed column: {found}"
    );
    Ok(())
}

async fn additions(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 20, 54).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let mut connection = shop.connect().await?;
    let statements = [
        "ALTER TABLE loose ADD COLUMN added INT NULL",
        "CREATE TRIGGER after_swap BEFORE INSERT ON parent FOR EACH ROW SET NEW.title = 'x'",
        "CREATE TABLE outer_one (id BINARY(16), FOREIGN KEY (id) REFERENCES parent (id_key)) \
         ENGINE=InnoDB",
        "ALTER TABLE child DROP INDEX child_by_parent, ADD INDEX child_by_parent (parent_id_key, other_id_key)",
        "ALTER TABLE loose ADD UNIQUE added_key (number, parent_id_key)",
        "ALTER TABLE loose ADD CONSTRAINT added_reference FOREIGN KEY (number) REFERENCES child (number) \
         ON DELETE CASCADE",
    ];
    if shop.dialect.backend == Backend::MySql {
        // It has one trigger for each event and time.
        let but_the_trigger = [0, 2, 3, 4, 5].map(|place| statements[place]);
        execute(&mut connection, &but_the_trigger).await?;
    } else {
        execute(&mut connection, &statements).await?;
    }
    let named = [
        "loose.added",
        "outer_one",
        "child_by_parent",
        "added_key",
        "added_reference",
    ];
    refused(shop.undo(&plan).await, &named)?;
    execute(
        &mut connection,
        &[
            "ALTER TABLE loose DROP COLUMN added, DROP FOREIGN KEY added_reference",
            "ALTER TABLE loose DROP INDEX added_key",
            "ALTER TABLE child DROP INDEX child_by_parent, \
             ADD INDEX child_by_parent (parent_id_key, number)",
            "DROP TABLE outer_one",
        ],
    )
    .await?;
    if shop.dialect.backend == Backend::MariaDb {
        execute(&mut connection, &["DROP TRIGGER after_swap"]).await?;
    }
    Ok(shop.undo(&plan).await?)
}

/// Tools that build a table again leave its triggers behind.
async fn built_again(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 20, 66).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let mut connection = shop.connect().await?;
    let hide = "UPDATE loose_rowkey_old SET number = -number WHERE number = 3";
    connection.execute("a row", hide).await?;
    refused(shop.undo(&plan).await, &["loose", "would take its place"])?;
    let show = "UPDATE loose_rowkey_old SET number = 3 WHERE number = -3";
    let again = [
        show,
        "CREATE TABLE loose_again LIKE loose",
        "INSERT INTO loose_again SELECT * FROM loose",
        "RENAME TABLE loose TO loose_before, loose_again TO loose",
        "DROP TABLE loose_before",
        "INSERT INTO loose (number) VALUES (-1)",
    ];
    execute(&mut connection, &again).await?;
    refused(
        shop.undo(&plan).await,
        &["the trigger", "loose", "may lack rows"],
    )?;
    shop.contract(&plan).await?;
    ensure!(number(&mut connection, "SELECT COUNT(*) FROM loose").await? == 21);
    Ok(())
}

async fn named(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let statements = [
        "CREATE PROCEDURE forget() DELETE FROM loose WHERE parent_id IS NULL",
        "CREATE PROCEDURE count_titles() SELECT COUNT(title) FROM parent",
    ];
    execute(&mut connection, &statements).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let mut notes = Vec::new();
    let mut progress = |step: Step| {
        if let Step::Note(note) = step {
            notes.push(note);
        }
    };
    relayout::run(&mut connection, &plan, Phase::Expand, &mut progress).await?;
    ensure!(
        notes.iter().any(|note| note.contains("forget")),
        "{notes:?}"
    );
    ensure!(
        !notes.iter().any(|note| note.contains("count_titles")),
        "{notes:?}"
    );
    Ok(())
}

/// A row of the last batch that a program has locked does not hinder the first one, although that
/// is most of the table.
async fn own_rows(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 1_000, 58).await?;
    let mut request = shop.request(OLD, NEW);
    request.policy.batch_rows = 900;
    (request.policy.lock_timeout_ms, request.policy.lock_attempts) = (1, 1);
    let plan = shop.plan_for(&request).await?;
    // As a process leaves it that is killed between the triggers and the first batch.
    let mut program = shop.connect().await?;
    execute(&mut program, &["START TRANSACTION"]).await?;
    number(&mut program, "SELECT COUNT(*) FROM child").await?;
    let outcome = shop.run(&plan, Phase::Backfill).await;
    ensure!(
        outcome.is_err(),
        "there were triggers for a table in use: child"
    );
    let back = [
        "ROLLBACK",
        "DELETE FROM parent_rowkey_new",
        "DELETE FROM parent_rowkey_done",
    ];
    execute(&mut program, &back).await?;

    execute(&mut program, &["START TRANSACTION"]).await?;
    let lock = "SELECT id FROM parent ORDER BY id DESC LIMIT 1 FOR UPDATE";
    program.query("a locked row", lock, &[]).await?;
    let outcome = shop.run(&plan, Phase::Backfill).await;
    let Err(error @ Error::Database { .. }) = outcome else {
        bail!("{outcome:?} in spite of a locked row");
    };
    ensure!(error.to_string().contains("rows of parent"), "{error}");
    let copied = "SELECT COUNT(*) FROM parent_rowkey_new";
    let copied = number(&mut shop.connect().await?, copied).await?;
    ensure!(copied == 900, "{copied} rows are copied");

    execute(&mut program, &["ROLLBACK"]).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// The last number of `bigint`, and the first that only `bigint unsigned` has.
const LAST_SIGNED: u64 = 9_223_372_036_854_775_807;

/// Keys, and a counter that stays, go on above what is signed.
async fn large_numbers(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = format!(
        "CREATE TABLE big (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL) \
         ENGINE=InnoDB AUTO_INCREMENT={0}; \
         CREATE TABLE part_of (big_id BIGINT UNSIGNED NOT NULL, \
         number BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, \
         FOREIGN KEY (big_id) REFERENCES big (id)) ENGINE=InnoDB AUTO_INCREMENT={0}",
        LAST_SIGNED - 1
    );
    for statement in create.split("; ") {
        connection.execute("a table", statement).await?;
    }
    let fill = [
        "INSERT INTO big (n) VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)",
        "INSERT INTO part_of (big_id) SELECT id FROM big ORDER BY id",
    ];
    execute(&mut connection, &fill).await?;
    let request = |table: &str| Request {
        table: table.into(),
        created: None,
        unasserted: Vec::new(),
        policy: rowkey_relayout::plan::Policy {
            batch_rows: 3,
            ..rekeyed::request().policy
        },
        ..rekeyed::request()
    };
    let joined = |key: &str, reference: &str| {
        format!(
            "SELECT CAST(GROUP_CONCAT(n, ' ', number ORDER BY number) AS CHAR) \
             FROM part_of JOIN big ON {key} = {reference}"
        )
    };
    let before = text(&mut connection, &joined("id", "big_id")).await?;
    let plan = shop.plan_for(&request("big")).await?;
    shop.run(&plan, Phase::Swap).await?;
    let after = text(&mut connection, &joined("id_key", "big_id_key")).await?;
    ensure!(after == before, "{before} became {after}");
    let found = verified(&shop, &plan).await?;
    ensure!(found.differences.is_empty(), "{found:?}");
    let new = rowkey_sql::StoredForm::named(FormatKind::UuidV7, shop.dialect.backend, "uuid")
        .map_err(anyhow::Error::msg)?
        .literal(0x018e_5f3b_ff48_7bff_8000_0123_4567_89ab);
    let insert = [
        &format!("INSERT INTO big (id_key, n) VALUES ({new}, 10)"),
        &format!("INSERT INTO part_of (big_id_key) VALUES ({new})"),
    ];
    execute(&mut connection, &insert.map(String::as_str)).await?;
    shop.undo(&plan).await?;
    let after = text(&mut connection, &joined("id", "big_id")).await?;
    let is_kept = after.starts_with(&format!("{before},10 92233720368547758"));
    ensure!(is_kept, "{before} became {after}");
    let next = "INSERT INTO big (n) VALUES (11)";
    execute(&mut connection, &[next]).await?;
    let next = text(&mut connection, "SELECT CAST(MAX(id) AS CHAR) FROM big").await?;
    ensure!(next == (LAST_SIGNED + 10).to_string(), "{next}");

    // No number is left for rows that new programs write.
    for (sql_type, last) in [("BIGINT UNSIGNED", u64::MAX), ("TINYINT", 127)] {
        let create =
            format!("CREATE TABLE used_up (id {sql_type} NOT NULL PRIMARY KEY) ENGINE=InnoDB");
        let insert = format!("INSERT INTO used_up VALUES ({last})");
        execute(&mut connection, &[&create, &insert]).await?;
        let plan = shop.plan_for(&request("used_up")).await?;
        let outcome = shop.run(&plan, Phase::Swap).await;
        refused(outcome, &["used_up.id", &last.to_string()])?;
        execute(&mut connection, &["DROP TABLE used_up"]).await?;
    }
    Ok(())
}

/// An account that sees less than the one that has written the plan.
async fn without_privilege(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 20, 67).await?;
    let mut connection = shop.connect().await?;
    let prepare = [
        "CREATE TABLE elsewhere (n INT) ENGINE=InnoDB",
        "CREATE TRIGGER by_name AFTER INSERT ON elsewhere FOR EACH ROW \
         DELETE FROM part WHERE quantity = NEW.n",
    ];
    execute(&mut connection, &prepare).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let host = text(&mut connection, "SELECT SUBSTRING_INDEX(USER(), '@', -1)").await?;
    let database = text(&mut connection, "SELECT DATABASE()").await?;
    // MySQL 5.6 takes 16 characters.
    let name = format!("rk_{}", std::process::id());
    let account = format!("'{name}'@'{host}'");
    let grants = [
        &format!("CREATE USER {account} IDENTIFIED BY 'Less_1_than'"),
        &format!(
            "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX \
             ON `{database}`.* TO {account}"
        ),
    ];
    execute(&mut connection, &grants.map(String::as_str)).await?;
    let outcome = denied(&shop, &plan, &name).await;
    execute(&mut connection, &[&format!("DROP USER {account}")]).await?;
    outcome?;
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await
}

async fn denied(shop: &Shop, plan: &Plan, name: &str) -> Result<()> {
    let mut url = url::Url::parse(&shop.url)?;
    let is_set = url.set_username(name).is_ok() && url.set_password(Some("Less_1_than")).is_ok();
    ensure!(is_set);
    let mut connection = Connection::open(&url.as_str().parse()?).await?;
    let told = ["the account has no TRIGGER", "grant them"];
    let mut silent = rowkey_tables::Silent;
    let outcome = relayout::run(&mut connection, plan, Phase::Swap, &mut silent).await;
    refused(outcome, &told)?;
    let found = Preflight::read(&mut connection, plan).await?.refused;
    let reason = found.first().context("a refusal")?;
    ensure!(reason.contains(told[0]), "{found:?}");
    // MariaDB's swap locks no tables, and references need no privilege there.
    let is_needed = shop.dialect.backend == Backend::MySql;
    for privilege in ["LOCK TABLES", "REFERENCES"] {
        ensure!(reason.contains(privilege) == is_needed, "{found:?}");
    }
    shop.run(plan, Phase::Swap).await?;
    let outcome = relayout::undo(&mut connection, plan, &mut silent).await;
    refused(outcome, &told)?;
    let outcome = relayout::contract(&mut connection, plan, &mut silent).await;
    refused(outcome, &told).map(|_| ())
}

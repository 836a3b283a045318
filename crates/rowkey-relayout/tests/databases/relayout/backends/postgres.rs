//! PostgreSQL: what depends on columns, and what is carried to the new ones.

use anyhow::{Context as _, Result, bail, ensure};
use rowkey_relayout::Phase;
use rowkey_relayout::plan::LeftOut;
use rowkey_tables::{Connection, Error};
use rowkey_testkit::{Backend, Suite};

use crate::relayout::rekeyed;
use crate::relayout::shop::{NEW, Names, OLD, Shop, number, refused, text};

const POSTGRES: [Backend; 1] = [Backend::Postgres];

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &POSTGRES;
        "what_hangs_on_columns_is_carried" => carried,
        "every_hindrance_is_named_at_once" => hindrances,
        "what_new_programs_added_hinders_an_undo" => added_later,
        "a_half_built_index_is_built_again" => half_built,
        "a_lock_that_is_not_granted_is_told" => no_lock,
        "a_deferred_reference_is_rekeyed_before_its_row" => deferred,
        "the_backfill_uses_the_room_of_old_versions" => room,
        "any_default_makes_old_ids" => defaults,
        "indexes_that_fit_no_id_are_named" => unfit_indexes,
        "privileges_on_columns_follow_their_programs" => privileges,
    );
}

/// What the catalogue says about a table, apart from numbers and the new names of columns.
const HANGING: &str = "
SELECT string_agg(line, E'\\n' ORDER BY line) FROM (
  SELECT 'index ' || pg_get_indexdef(indexrelid) || ' ' ||
    COALESCE(obj_description(indexrelid, 'pg_class'), '') AS line
  FROM pg_index WHERE indrelid IN ('child'::regclass, 'parent'::regclass)
  UNION ALL
  SELECT 'constraint ' || conname || ' ' ||
    regexp_replace(pg_get_constraintdef(oid), '^NOT NULL (.*)$', 'NOT NULL (\\1)') || ' ' ||
    COALESCE(obj_description(oid, 'pg_constraint'), '')
  FROM pg_constraint WHERE conrelid IN ('child'::regclass, 'parent'::regclass)
  UNION ALL
  SELECT 'column ' || attname || ' ' || attnotnull || ' ' ||
    COALESCE(col_description(attrelid, attnum), '') || ' ' || COALESCE(attacl::text, '')
  FROM pg_attribute WHERE attrelid IN ('child'::regclass, 'parent'::regclass)
    AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT 'table ' || relname || ' ' || pg_get_userbyid(relowner) || ' ' || COALESCE(relacl::text, '')
  FROM pg_class WHERE oid IN ('child'::regclass, 'parent'::regclass)
) AS lines";

async fn carried(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let prepare = "
        COMMENT ON COLUMN parent.id IS 'the parent''s key';
        COMMENT ON CONSTRAINT child_parent ON child IS 'a reference';
        COMMENT ON CONSTRAINT parent_key ON parent IS 'a key';
        CREATE INDEX partly ON child (number DESC, parent_id) INCLUDE (other_id)
          WHERE other_id IS NOT NULL;
        CREATE UNIQUE INDEX \"Hashed \"\"one\" ON child (lower(number::text), parent_id);
        COMMENT ON INDEX partly IS 'an index';
        ALTER TABLE child DROP CONSTRAINT child_other, ADD CONSTRAINT child_other
          FOREIGN KEY (other_id) REFERENCES parent (id) ON DELETE SET NULL ON UPDATE CASCADE
          DEFERRABLE INITIALLY DEFERRED;
        ALTER TABLE child ADD CONSTRAINT child_unique UNIQUE (number, other_id)
          DEFERRABLE INITIALLY IMMEDIATE;
        GRANT SELECT (id, title), UPDATE (id) ON parent TO PUBLIC;
        GRANT INSERT ON child TO PUBLIC;
        DO $$BEGIN
          IF EXISTS (SELECT FROM pg_constraint WHERE conname = 'child_parent_id_not_null') THEN
            ALTER TABLE child RENAME CONSTRAINT child_parent_id_not_null TO \"is there\";
            COMMENT ON CONSTRAINT \"is there\" ON child IS 'NOT NULL by name';
            EXECUTE 'ALTER TABLE child ADD CONSTRAINT lax FOREIGN KEY (other_id) REFERENCES parent (id)
              NOT ENFORCED';
          END IF;
        END$$";
    connection.execute("what hangs on it", prepare).await?;
    let rows = shop.fill(OLD, 200, 51).await?;
    let mut before = text(&mut connection, HANGING).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.undo(&plan).await?;
    let after = text(&mut connection, HANGING).await?;
    ensure!(
        before == after,
        "before:\n{before}\nafter the undo:\n{after}"
    );
    shop.run(&plan, Phase::Swap).await?;
    shop.contract(&plan).await?;
    for column in ["above_id", "parent_id", "other_id"] {
        before = before.replace(column, &format!("{column}_key"));
    }
    for (old, new) in [
        ("(id)", "(id_key)"),
        ("column id ", "column id_key "),
        // Names of constraints stay.
        ("parent_id_key_not_null", "parent_id_not_null"),
    ] {
        before = before.replace(old, new);
    }
    let sorted = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    let after = text(&mut connection, HANGING).await?;
    let (before, after) = (sorted(&before), sorted(&after));
    ensure!(before == after, "before:\n{before}\nafter:\n{after}");
    let made = "SELECT count(*) FROM pg_proc WHERE proname LIKE 'rowkey\\_%' \
                AND pronamespace = current_schema()::regnamespace";
    ensure!(
        number(&mut connection, made).await? == 0,
        "functions are left"
    );
    shop.expect(&rows, NEW, Names::New).await
}

/// Privileges on columns, also those that are given and taken after the swap.
async fn privileges(shop: Shop) -> Result<()> {
    rekeyed::create(&shop).await?;
    let mut connection = shop.connect().await?;
    let given = "GRANT SELECT (id), INSERT (id), REFERENCES (id) ON ticket TO PUBLIC; \
                 GRANT UPDATE (ticket_id) ON reply TO pg_monitor WITH GRANT OPTION; \
                 DO $$BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO pg_monitor', \
                   current_schema()); END$$";
    connection.execute("privileges", given).await?;
    let plan = rekeyed::plan(&shop).await?;
    shop.run(&plan, Phase::Swap).await?;
    let expect = async |connection: &mut Connection, expected: [(&str, &str, &str); 2]| {
        for (table, column, expected) in expected {
            let query = format!(
                "SELECT string_agg(split_part(one::text, '/', 1), ',' ORDER BY one::text) \
                 FROM pg_attribute, unnest(attacl) one \
                 WHERE attrelid = '{table}'::regclass AND attname = '{column}'"
            );
            let found = text(connection, &query).await?;
            ensure!(found == expected, "{table}.{column}: {found}");
        }
        Ok(())
    };
    let after_swap = [
        ("ticket", "id_key", "=arx"),
        ("reply", "ticket_id_key", "pg_monitor=w*"),
    ];
    expect(&mut connection, after_swap).await?;
    let last = "GRANT UPDATE (id_key) ON ticket TO PUBLIC; \
                REVOKE INSERT (id_key) ON ticket FROM PUBLIC; \
                SET ROLE pg_monitor; GRANT UPDATE (ticket_id_key) ON reply TO PUBLIC; RESET ROLE";
    connection.execute("other privileges", last).await?;
    shop.undo(&plan).await?;
    let after_undo = [
        ("ticket", "id", "=rwx"),
        ("reply", "ticket_id", "=w,pg_monitor=w*"),
    ];
    expect(&mut connection, after_undo).await
}

async fn hindrances(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let mut connection = shop.connect().await?;
    let prepare = "
        CREATE VIEW seen AS SELECT id FROM parent;
        CREATE MATERIALIZED VIEW stored AS SELECT parent_id FROM child;
        CREATE VIEW unconcerned AS SELECT title FROM parent;
        CREATE RULE quiet AS ON DELETE TO parent WHERE OLD.id IS NULL DO INSTEAD NOTHING;
        CREATE POLICY own ON child USING (parent_id IS NOT NULL);
        CREATE STATISTICS both_columns ON id, title FROM parent;
        CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN NEW.title := NEW.title || NEW.id::text; RETURN NEW; END';
        CREATE TRIGGER touch BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION touched();
        CREATE FUNCTION plain() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
        CREATE TRIGGER zzz_last BEFORE INSERT ON loose FOR EACH ROW EXECUTE FUNCTION plain();
        CREATE TRIGGER every_update BEFORE UPDATE ON loose
          FOR EACH ROW EXECUTE FUNCTION plain();
        CREATE TRIGGER unconcerned_update BEFORE UPDATE OF number ON loose
          FOR EACH ROW EXECUTE FUNCTION plain();
        CREATE RULE no_update AS ON UPDATE TO part DO INSTEAD NOTHING;
        CREATE TRIGGER unconcerned BEFORE INSERT ON loose FOR EACH ROW EXECUTE FUNCTION plain();
        CREATE FUNCTION whole() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN INSERT INTO history SELECT ( New ).*; RETURN NEW; END';
        CREATE TRIGGER audit AFTER INSERT ON loose FOR EACH ROW EXECUTE FUNCTION whole();
        CREATE FUNCTION known() RETURNS SETOF uuid LANGUAGE sql
          BEGIN ATOMIC SELECT id FROM parent; END;
        ALTER TABLE child ADD CONSTRAINT odd CHECK (parent_id <> other_id);
        ALTER TABLE line ADD copied text GENERATED ALWAYS AS (parent_id::text) STORED;
        CREATE FUNCTION of_row(part) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
        CREATE INDEX of_rows ON part (of_row(part));
        ALTER TABLE part ADD CONSTRAINT whole_row CHECK (of_row(part) > 0);
        CREATE INDEX computed ON part ((parent_id::text));
        CREATE INDEX somewhat ON part (n) WHERE parent_id > '00000000-0000-0000-0000-000000000000';
        ALTER TABLE loose ALTER parent_id SET DEFAULT gen_random_uuid();
        CREATE UNIQUE INDEX told ON loose (number, parent_id);
        ALTER TABLE loose ADD CONSTRAINT with_more UNIQUE (parent_id) INCLUDE (number);
        ALTER TABLE loose ADD CONSTRAINT one_null UNIQUE NULLS NOT DISTINCT (parent_id, number);
        CREATE TABLE heir () INHERITS (loose);
        CREATE DOMAIN some_parts AS part[]; CREATE TABLE archive (kept some_parts);
        CREATE POLICY of_whole ON part USING (of_row(part) > 0);
        CREATE VIEW as_value AS SELECT part FROM part;
        CREATE VIEW counted AS SELECT count(*) FROM part";
    connection.execute("what hangs on it", prepare).await?;
    let publication = format!("rowkey_{}", std::process::id());
    let publish = format!("CREATE PUBLICATION {publication} FOR TABLE line");
    connection.execute("a publication", &publish).await?;
    let plan = shop.plan(OLD, NEW).await?;
    let outcome = shop.run(&plan, Phase::Swap).await;
    let drop = format!("DROP PUBLICATION {publication}");
    connection.execute("the publication", &drop).await?;
    let expected = [
        "the view ",
        "seen",
        "stored",
        "quiet",
        "own on",
        "both_columns",
        "the trigger touch",
        "zzz_last",
        "the trigger audit of loose: its function whole() takes all columns",
        "the trigger every_update of loose: it runs for every update",
        "the rule no_update of part: it runs for every update",
        "known()",
        "the check odd",
        "the generated-column copied",
        "the index computed",
        "the index somewhat",
        "the index of_rows, for part: it takes all columns",
        "the check whole_row, for part: it takes all columns",
        "the column kept of archive, for part: it takes all columns",
        "the policy of_whole, for part: it takes all columns",
        "the view as_value, for part: it takes all columns",
        "gen_random_uuid()",
        "the key with_more of loose: INCLUDE ( is not carried",
        "the key one_null of loose: NULLS NOT DISTINCT is not carried",
        "inherited by heir",
        &publication,
    ];
    let why = refused(outcome, &expected)?;
    for name in ["unconcerned", "counted"] {
        ensure!(!why.contains(name), "{why}");
    }
    let left = "SELECT count(*) FROM pg_attribute WHERE attname = 'id_key' \
                AND attrelid = 'parent'::regclass";
    ensure!(number(&mut connection, left).await? == 0);
    Ok(())
}

async fn added_later(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 100, 52).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Swap).await?;
    let mut connection = shop.connect().await?;
    let add = "CREATE VIEW seen AS SELECT id_key FROM parent; \
               CREATE TABLE late (parent_id uuid REFERENCES parent); \
               CREATE INDEX later ON loose (parent_id_key, number); \
               ALTER TABLE line ADD COLUMN remark text";
    connection.execute("new programs", add).await?;
    refused(shop.undo(&plan).await, &["seen", "late", "later"])?;
    let drop = "DROP VIEW seen; DROP TABLE late; DROP INDEX later";
    connection.execute("new programs", drop).await?;
    let rename = "ALTER TABLE loose RENAME TO free";
    connection.execute("another name", rename).await?;
    refused(shop.undo(&plan).await, &["the table free"])?;
    let back = "ALTER TABLE free RENAME TO loose";
    connection.execute("its name", back).await?;
    shop.undo(&plan).await?;
    shop.expect(&rows, OLD, Names::Old).await?;
    // What does not depend on the key stays.
    number(&mut connection, "SELECT count(remark) FROM line").await?;
    Ok(())
}

/// A process that is killed in the middle of `CREATE INDEX CONCURRENTLY` leaves an invalid index.
async fn half_built(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 100, 53).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Check).await?;
    let mut connection = shop.connect().await?;
    // Only the state knows that a phase was not finished, and the catalogue that an index is not.
    let index = "SELECT indexrelid::regclass::text FROM pg_index \
                 WHERE indrelid = 'parent'::regclass AND indexrelid::regclass::text LIKE 'rowkey%key0'";
    let index = text(&mut connection, index).await?;
    let break_it = format!(
        "UPDATE rowkey_relayout SET is_done = 0; \
         UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{index}'::regclass"
    );
    connection.execute("an interruption", &break_it).await?;
    shop.run(&plan, Phase::Swap).await?;
    let invalid = "SELECT count(*) FROM pg_index WHERE NOT indisvalid \
                   AND indrelid = 'parent'::regclass";
    ensure!(number(&mut connection, invalid).await? == 0);
    shop.expect(&rows, NEW, Names::New).await
}

async fn no_lock(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 54).await?;
    let mut request = shop.request(OLD, NEW);
    (request.policy.lock_timeout_ms, request.policy.lock_attempts) = (20, 2);
    let plan = shop.plan_for(&request).await?;
    let mut reader = shop.connect().await?;
    reader.execute("a long transaction", "BEGIN").await?;
    number(&mut reader, "SELECT count(*) FROM parent").await?;
    refused(shop.run(&plan, Phase::Swap).await, &["pg_stat_activity"])?;
    reader.execute("the end", "COMMIT").await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.expect(&rows, NEW, Names::New).await
}

/// A reference may be written before the row that it refers to, and gets the same new id.
async fn deferred(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = "
        CREATE TABLE ticket (id text PRIMARY KEY, created_at timestamptz);
        CREATE TABLE reply (ticket_id text REFERENCES ticket DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO ticket VALUES ('a''b', '2024-01-01 00:00:00Z'), ('c', NULL);
        INSERT INTO reply VALUES ('a''b')";
    connection.execute("the tables", create).await?;
    let request = rowkey_relayout::plan::Request {
        table: "ticket".into(),
        format: rowkey_core::format::FormatKind::PrefixComb,
        from: None,
        to: "uuid".into(),
        created: Some("created_at".into()),
        unasserted: Vec::new(),
        ..shop.request(OLD, NEW)
    };
    let plan = shop.plan_for(&request).await?;
    shop.run(&plan, Phase::Expand).await?;
    let write = [
        "INSERT INTO reply VALUES ('d')".to_owned(),
        "INSERT INTO ticket VALUES ('d', '2025-01-01 00:00:00Z')".to_owned(),
        "INSERT INTO reply VALUES ('a''b')".to_owned(),
    ];
    shop.transaction(&mut connection, &write).await?;
    shop.run(&plan, Phase::Swap).await?;
    let joined = "SELECT count(*) FROM reply JOIN ticket ON id_key = ticket_id_key \
                  AND id_before = ticket_id_before";
    ensure!(number(&mut connection, joined).await? == 3);
    let time = "SELECT left(id_key::text, 13) FROM ticket WHERE id_before = 'a''b'";
    let expected = format!("{:012x}", 1_704_067_200_000_u64);
    ensure!(text(&mut connection, time).await?.replace('-', "") == expected);
    // Nothing makes old ids, so that new rows have none, and an undo would lose them.
    let new = "INSERT INTO ticket (id_key) VALUES ('018e5f3b-ff48-4bff-8000-0123456789ab')";
    connection.execute("a new program", new).await?;
    match shop.undo(&plan).await {
        Err(Error::Refused { why, .. }) => ensure!(why.starts_with("1 row"), "{why}"),
        other => bail!("{other:?}"),
    }
    // It was refused, and not begun.
    shop.run(&plan, Phase::Swap).await?;
    let drop = "DELETE FROM ticket WHERE id_before IS NULL";
    connection.execute("a new program", drop).await?;
    shop.undo(&plan).await?;
    ensure!(
        number(
            &mut connection,
            "SELECT count(*) FROM ticket WHERE id IS NOT NULL"
        )
        .await?
            == 3
    );
    Ok(())
}

/// Sequences and functions by names that only the session's search path finds.
async fn defaults(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = "
        CREATE SEQUENCE shared START 1000;
        CREATE FUNCTION next_one(step bigint) RETURNS bigint LANGUAGE sql
          SET search_path FROM CURRENT AS 'SELECT nextval(''shared'') * $1';
        CREATE FUNCTION lost_one() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''shared'')';
        CREATE TABLE lost (id bigint PRIMARY KEY DEFAULT lost_one(), n int);
        CREATE TABLE counted (id bigserial PRIMARY KEY, n int);
        CREATE TABLE sharing (id bigint PRIMARY KEY DEFAULT nextval('shared'), n int);
        CREATE TABLE \"Called\" (\"i\"\"d\" bigint PRIMARY KEY DEFAULT next_one(3), n int)";
    connection.execute("the tables", create).await?;
    let request = |table: &str, column: &str| rowkey_relayout::plan::Request {
        table: table.into(),
        column: column.into(),
        format: rowkey_core::format::FormatKind::UuidV7,
        from: None,
        to: "uuid".into(),
        created: None,
        unasserted: Vec::new(),
        ..shop.request(OLD, NEW)
    };
    let lost = shop.plan_for(&request("lost", "id")).await?;
    refused(shop.run(&lost, Phase::Expand).await, &["search path"])?;
    for (table, column) in [("counted", "id"), ("sharing", "id"), ("Called", "i\"d")] {
        let quoted = format!("\"{table}\"");
        let fill = format!("INSERT INTO {quoted} (n) SELECT generate_series(1, 5)");
        connection.execute("the rows", &fill).await?;
        let plan = shop.plan_for(&request(table, column)).await?;
        shop.run(&plan, Phase::Swap).await?;
        let quote = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let (new, kept) = (quote(&plan.key.becomes), quote(&format!("{column}_before")));
        let insert = format!(
            "INSERT INTO {quoted} ({new}, n) VALUES ('018e5f3b-ff48-7bff-8000-0123456789ab', 6)"
        );
        connection.execute("a new program", &insert).await?;
        let old = format!("SELECT count(DISTINCT {kept}) FROM {quoted}");
        ensure!(number(&mut connection, &old).await? == 6, "{table}");
        shop.undo(&plan).await?;
        let rows = format!("SELECT count({}) FROM {quoted}", quote(column));
        ensure!(number(&mut connection, &rows).await? == 6, "{table}");
    }
    Ok(())
}

/// Indexes for LIKE, and with a collation, on text that becomes another type.
async fn unfit_indexes(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = "
        CREATE TABLE offer (id text PRIMARY KEY, n int);
        CREATE TABLE \"line\" (number int PRIMARY KEY, \"of \"\"it\" text REFERENCES offer (id));
        INSERT INTO offer VALUES ('6e63ddf5-b59a-4a6e-89b3-4bb3d1f0b0a1', 1);
        INSERT INTO line VALUES (1, '6e63ddf5-b59a-4a6e-89b3-4bb3d1f0b0a1');
        CREATE INDEX offer_like ON offer (id text_pattern_ops);
        CREATE INDEX line_c ON line (\"of \"\"it\" COLLATE \"C\", number);
        CREATE UNIQUE INDEX line_both ON line (number, \"of \"\"it\" DESC)";
    connection.execute("the tables", create).await?;
    let request = rowkey_relayout::plan::Request {
        table: "offer".into(),
        format: rowkey_core::format::FormatKind::UuidV4,
        from: Some("text".into()),
        to: "uuid".into(),
        created: None,
        unasserted: Vec::new(),
        ..shop.request(OLD, NEW)
    };
    let plan = shop.plan_for(&request).await?;
    let before = shop.catalog().await?;
    let refused = shop.run(&plan, Phase::Swap).await.err();
    let refused = refused.context("it was not refused")?.to_string();
    for part in ["offer_like", "text_pattern_ops", "line_c", "collations"] {
        ensure!(refused.contains(part), "{part}: {refused}");
    }
    ensure!(!refused.contains("line_both"), "{refused}");
    ensure!(shop.catalog().await? == before);
    let drop = "DROP INDEX offer_like, line_c; CLUSTER line USING line_both";
    connection.execute("the indexes", drop).await?;
    let plan = shop.plan_for(&request).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.contract(&plan).await?;
    let left = "SELECT pg_get_indexdef(indexrelid) || indisclustered FROM pg_index \
                WHERE indexrelid = 'line_both'::regclass AND indisunique";
    let left = text(&mut connection, left).await?;
    let expected = "(number, \"of \"\"it_key\" DESC)true";
    ensure!(left.ends_with(expected), "{left}");
    Ok(())
}

/// One statement for all rows would double the table, and more than that. A transaction of another
/// test may keep the old versions, so that it takes more than one attempt.
async fn room(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    shop.fill(OLD, 4_000, 59).await?;
    let mut connection = shop.connect().await?;
    let size = "SELECT pg_relation_size('room')";
    let mut growths = Vec::new();
    for _ in 0..40 {
        let create = format!(
            "CREATE TABLE room (id {} PRIMARY KEY, title text NOT NULL); \
             INSERT INTO room SELECT id, title FROM parent",
            shop.dialect.form(OLD)?.sql_type()
        );
        connection.execute("a table", &create).await?;
        let before = number(&mut connection, size).await?;
        let mut request = shop.request(OLD, NEW);
        (request.table, request.unasserted) = ("room".into(), Vec::new());
        let mut plan = shop.plan_for(&request).await?;
        // The shop has the same ids.
        for (table, column) in [("parent", "id"), ("loose", "parent_id")] {
            let (table, column) = (table.into(), column.into());
            plan.left_out.push(LeftOut { table, column });
        }
        shop.run(&plan, Phase::Backfill).await?;
        let after = number(&mut connection, size).await?;
        shop.undo(&plan).await?;
        connection.execute("the end", "DROP TABLE room").await?;
        if after * 10 < before * 18 {
            return Ok(());
        }
        growths.push((before, after));
    }
    bail!("{growths:?}");
}

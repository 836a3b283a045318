//! Definitions.

use crate::program::rowkey;
use crate::vectors::text;

#[test]
fn columns_are_those_of_the_plan() {
    for (arguments, expected) in [
        (
            "--backend postgres --format uuid-v7",
            "\"id\" uuid NOT NULL\n",
        ),
        (
            "--backend mysql --format distributed-id --column invoice --nullable",
            "`invoice` DECIMAL(28,0) NULL\n",
        ),
        (
            "--backend sqlserver --format uuid-v4 --storage text-upper",
            "[id] char(36) COLLATE Latin1_General_100_BIN2 NOT NULL CHECK (len([id]) = 36 AND [id] = \
             upper([id]))\n",
        ),
    ] {
        assert_eq!(rowkey(&format!("ddl {arguments}")).run().ok(), expected);
    }
}

#[test]
fn a_default_makes_the_ids() {
    let column = |arguments: &str| rowkey(&format!("ddl --default {arguments}")).run().ok();
    insta::assert_snapshot!(column("--backend postgres --format uuid-v4"), @r#""id" uuid NOT NULL DEFAULT (gen_random_uuid())"#);
    insta::assert_snapshot!(column("--backend mariadb --format prefix-comb"), @"`id` BINARY(16) NOT NULL DEFAULT (CONCAT(UNHEX(LPAD(HEX((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)), 12, '0')), CHAR((ASCII(RANDOM_BYTES(1)) & 15) | 64), RANDOM_BYTES(1), CHAR((ASCII(RANDOM_BYTES(1)) & 63) | 128), RANDOM_BYTES(7)))");
    let short = "--backend sqlite --format short-prefix-comb --storage text-upper --interval 30s";
    insta::assert_snapshot!(column(short), @r#"`id` TEXT COLLATE BINARY NOT NULL DEFAULT (upper(printf('%04X', ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) / 30000) & 65535)) || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || printf('%02X', (random() & 15) | 64) || hex(randomblob(1)) || '-' || printf('%02X', (random() & 63) | 128) || hex(randomblob(1)) || '-' || hex(randomblob(6)))) CHECK (length(`id`) = 36 AND `id` = upper(`id`))"#);
    for (backend, expected) in [
        (
            "postgres",
            "\"id\" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY\n",
        ),
        ("mysql", "`id` BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY\n"),
        ("sqlite", "`id` INTEGER PRIMARY KEY AUTOINCREMENT\n"),
    ] {
        let counted = format!("--format database-number --backend {backend}");
        assert_eq!(column(&counted), expected);
    }
}

#[test]
fn a_trigger_follows_its_column() {
    let ddl = "ddl --backend mysql --format distributed-id --trigger offer";
    insta::assert_snapshot!(rowkey(ddl).run().ok(), @"
    `id` DECIMAL(28,0) NOT NULL DEFAULT 0
    CREATE TRIGGER `offer_id` BEFORE INSERT ON `offer` FOR EACH ROW SET NEW.`id` = CASE WHEN NEW.`id` = 0 THEN CAST((CAST(((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000) - 1000 + 2208988800000) AS DECIMAL(20,0)) * 281474976710656 + CAST(CONV(HEX(RANDOM_BYTES(6)), 16, 10) AS DECIMAL(20,0))) AS DECIMAL(28,0)) ELSE NEW.`id` END;
    ");
}

#[test]
fn partitions_follow_the_column() {
    let ddl = "ddl --format uuid-v7 --table offer --from 2026-01 --months 2 --backend";
    insta::assert_snapshot!(rowkey(&format!("{ddl} postgres")).run().ok(), @r#"
    "id" uuid NOT NULL
    PARTITION BY RANGE ("id")
    CREATE TABLE "offer_20260101" PARTITION OF "offer" FOR VALUES FROM ('019b76da-a800-7000-8000-000000000000') TO ('019c167f-cc00-7000-8000-000000000000');
    CREATE TABLE "offer_20260201" PARTITION OF "offer" FOR VALUES FROM ('019c167f-cc00-7000-8000-000000000000') TO ('019ca6b1-dc00-7000-8000-000000000000');
    "#);
    insta::assert_snapshot!(rowkey(&format!("{ddl} mysql")).run().ok(), @r#"
    `id` BINARY(16) NOT NULL
    PARTITION BY RANGE COLUMNS (`id`) (PARTITION `p20260101` VALUES LESS THAN (X'019c167fcc0070008000000000000000'), PARTITION `p20260201` VALUES LESS THAN (X'019ca6b1dc0070008000000000000000'))
    "#);
    insta::assert_snapshot!(rowkey(&format!("{ddl} sql-server")).run().ok(), @r#"
    CREATE PARTITION FUNCTION [offer_id] (uniqueidentifier) AS RANGE RIGHT FOR VALUES ('00000000-0000-0080-7000-019b76daa800', '00000000-0000-0080-7000-019c167fcc00', '00000000-0000-0080-7000-019ca6b1dc00');
    GO
    CREATE PARTITION SCHEME [offer_id] AS PARTITION [offer_id] ALL TO ([PRIMARY]);
    GO
    [id] uniqueidentifier NOT NULL
    ON [offer_id] ([id])
    "#);
}

#[test]
fn tables_of_stores_are_statements() {
    for backend in ["postgres", "mysql", "mariadb", "sqlite", "sql-server"] {
        let ddl = format!("ddl --stores --backend {backend}");
        let tables = rowkey(&ddl).run().ok();
        for table in ["creation_identifiers", "key_blocks"] {
            assert!(
                tables.contains(&format!("CREATE TABLE {table} (")),
                "{tables}"
            );
        }
        let statements = rowkey(&format!("{ddl} --json")).run().json();
        let is_statement = |statement: &serde_json::Value| {
            text(statement, "sql").starts_with("CREATE ") && !text(statement, "sql").ends_with(';')
        };
        assert!(statements.len() >= 2 && statements.iter().all(is_statement));
    }
}

#[test]
fn what_cannot_be_defined_is_refused_with_the_reason() {
    for (arguments, reason) in [
        ("--backend postgres", "--stores"),
        (
            "--backend postgres --stores --format uuid-v7",
            "cannot be used with",
        ),
        (
            "--backend postgres --format uuid-v4 --storage decimal",
            "39",
        ),
        (
            "--backend postgres --format luuid --default",
            "a number that is given out once",
        ),
        (
            "--backend sqlite --format distributed-id --default",
            "store them as `binary`",
        ),
        (
            "--backend postgres --format uuid-v7 --default --interval 30s",
            "only short COMBs",
        ),
        (
            "--backend postgres --format database-number --default --interval 30s",
            "counts these numbers",
        ),
        (
            "--backend postgres --format short-prefix-comb --interval 30s",
            "--default",
        ),
        (
            "--backend postgres --format uuid-v7 --trigger offer",
            "only MySQL needs a trigger",
        ),
        (
            "--backend mysql --format uuid-v7 --trigger offer --default",
            "cannot be used with",
        ),
        (
            "--backend mysql --format uuid-v7 --nullable --default",
            "cannot be used with",
        ),
        ("--backend mysql --stores --default", "cannot be used with"),
        ("--backend postgres --format uuid-v7 --table t", "--months"),
        (
            "--backend postgres --format uuid-v7 --from 2026-01 --months 2",
            "--table",
        ),
        (
            "--backend postgres --format uuid-v7 --table t --from 2026-13 --months 2",
            "2026-01",
        ),
        (
            "--backend postgres --format uuid-v4 --table t --from 2026-01 --months 2",
            "without --table",
        ),
        (
            "--backend sqlite --format uuid-v7 --table t --from 2026-01 --months 2",
            "without --table",
        ),
    ] {
        let finished = rowkey(&format!("ddl {arguments}")).run();
        let error = finished.wrong_usage();
        assert!(error.contains(reason), "{arguments}: {error}");
    }
}

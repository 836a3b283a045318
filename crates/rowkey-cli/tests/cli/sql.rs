//! Conversions, conditions and times in SQL.

use crate::program::rowkey;
use crate::vectors::text;

const SWAP: &str =
    "sql --format short-suffix-comb --backend postgres --from uuid:public --to uuid:prefix";

#[test]
fn an_expression_is_one_line() {
    let expression = rowkey(SWAP).run().ok();
    insta::assert_snapshot!(expression, @r#"encode(substr(uuid_send("id"), 11, 2) || substr(uuid_send("id"), 3, 8) || substr(uuid_send("id"), 1, 2) || substr(uuid_send("id"), 13, 4), 'hex')::uuid"#);
    let [answer] = &rowkey(&format!("{SWAP} --json")).run().json()[..] else {
        panic!()
    };
    assert_eq!(text(answer, "sql"), expression.trim_end());
    assert_eq!(
        rowkey(SWAP).arg("--column").arg("a\"b").run().ok(),
        expression.replace("\"id\"", "\"a\"\"b\"")
    );
}

#[test]
fn swaps_of_every_backend() {
    let mut expressions = String::new();
    for backend in ["postgres", "mysql", "mariadb", "sqlite", "sql-server"] {
        for forms in [
            "--from uuid --to text:public",
            "--from text:public --to uuid",
            "--from uuid:sql-server --to uuid",
        ] {
            let sql = format!("sql --format suffix-comb --backend {backend} {forms}");
            let expression = rowkey(&sql).run().ok();
            expressions.push_str(&format!("{backend} {forms}\n{expression}"));
        }
    }
    insta::assert_snapshot!(expressions);
}

#[test]
fn a_function_comes_with_its_reverse() {
    for backend in ["postgres", "mysql", "mariadb"] {
        let sql = format!(
            "sql --format any-uuid --backend {backend} --from text --to binary --as function"
        );
        let functions = rowkey(&sql).run().lines();
        let [there, back] = &functions[..] else {
            panic!("{functions:?}")
        };
        assert!(
            there.contains("rowkey_text_public_to_binary_public"),
            "{there}"
        );
        assert!(
            back.contains("rowkey_binary_public_to_text_public"),
            "{back}"
        );
    }
    let sql = "sql --format any-uuid --from text --to binary --as function --backend";
    let functions = rowkey(&format!("{sql} sql-server")).run().lines();
    assert_eq!((functions.len(), functions[1].as_str()), (4, "GO"));
    let error = rowkey(&format!("{sql} sqlite")).run();
    assert!(error.wrong_usage().contains("SQLite has no functions"));
}

#[test]
fn a_view_has_the_public_form_beside_the_columns() {
    let sql = "sql --format uuid-v7 --backend mysql --from uuid --as view --table offer";
    let view = rowkey(sql).run().ok();
    insta::assert_snapshot!(view, @"CREATE VIEW `offer_public` AS SELECT `offer`.*, CASE WHEN LENGTH(`id`) = 16 THEN CONVERT(LOWER(INSERT(INSERT(INSERT(INSERT(HEX(`id`), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) USING ascii) END AS `id_public` FROM `offer`;");
}

#[test]
fn a_view_shows_numbers_as_convert_prints_them() {
    let sql = "sql --format distributed-id --backend sqlite --from text --as view --table offer";
    let view = rowkey(sql).run().ok();
    insta::assert_snapshot!(view, @"CREATE VIEW `offer_public` AS SELECT `offer`.*, CASE WHEN typeof(`id`) = 'text' AND length(CAST(`id` AS BLOB)) = 28 AND `id` NOT GLOB '*[^0-9]*' THEN ltrim(substr(`id`, 1, 27), '0') || substr(`id`, 28) END AS `id_public` FROM `offer`;");
    let sql =
        "sql --format database-number --backend postgres --from bigint --as view --table offer";
    let view = rowkey(sql).run().ok();
    insta::assert_snapshot!(view, @r#"CREATE VIEW "offer_public" AS SELECT "offer".*, "id"::text AS "id_public" FROM "offer";"#);
}

#[test]
fn conditions_and_times_need_no_target() {
    let sql = "sql --format uuid-v7 --backend sqlite --from uuid --as";
    let condition = rowkey(&format!("{sql} condition")).run().ok();
    assert!(
        condition.starts_with("CASE WHEN `id` IS NULL THEN NULL"),
        "{condition}"
    );
    let time = rowkey(&format!("{sql} time")).run().ok();
    assert!(
        time.starts_with("CASE WHEN typeof(`id`) = 'blob'"),
        "{time}"
    );
}

#[test]
fn what_cannot_be_written_is_refused_with_the_reason() {
    for (arguments, reason) in [
        ("--backend postgres --from uuid", "--to"),
        (
            "--backend postgres --from guid --to uuid",
            "no such storage",
        ),
        (
            "--backend postgres --from uuid:prefix --to uuid",
            "suffix COMBs only",
        ),
        (
            "--backend mysql --from native-uuid --to uuid",
            "MariaDB's own type",
        ),
        (
            "--backend postgres --from uuid --to text --as condition",
            "--to belongs",
        ),
        (
            "--backend postgres --from uuid --to text --as view",
            "--table",
        ),
        (
            "--backend postgres --from uuid --to text --as function --table offer",
            "without --table",
        ),
        (
            "--backend postgres --from uuid --to text --column offer.id",
            "--table offer --column id",
        ),
        ("--backend oracle --from uuid --to text", "possible values"),
    ] {
        let finished = rowkey(&format!("sql --format uuid-v7 {arguments}")).run();
        let error = finished.wrong_usage();
        assert!(error.contains(reason), "{arguments}: {error}");
    }
    let time = rowkey("sql --format uuid-v4 --backend mysql --from uuid --as time").run();
    assert!(time.wrong_usage().contains("carry no instant"));
    let name = rowkey(SWAP).arg("--column").arg("").run();
    assert!(name.bad_input().contains("the name is empty"));
}

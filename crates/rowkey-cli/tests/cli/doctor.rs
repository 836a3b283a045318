//! What a column of a database holds.

use std::fs;
use std::path::PathBuf;

use rowkey_tables::{Address, Connection, Error};

use crate::program::{Rowkey, rowkey};
use crate::vectors::text;

/// An SQLite file, which is removed with this value.
struct File(PathBuf);

impl File {
    fn with(name: &str, statements: &str) -> Self {
        let name = format!("rowkey_doctor_{}_{name}.sqlite", std::process::id());
        let file = Self(std::env::temp_dir().join(name));
        let address: Address = format!("{}?mode=rwc", file.url()).parse().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let filled = runtime.block_on(async {
            let mut connection = Connection::open(&address).await?;
            connection.execute("filling the file", statements).await?;
            Ok::<(), Error>(())
        });
        filled.unwrap();
        file
    }

    fn url(&self) -> String {
        format!("sqlite://{}", self.0.display())
    }

    fn doctor(&self, arguments: &str) -> Rowkey {
        rowkey(&format!("doctor --url {} {arguments}", self.url()))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A table with random UUIDs as blobs.
fn offers(name: &str) -> File {
    let bytes = |range: std::ops::Range<u8>| -> String {
        range.map(|byte| format!("{byte:02x}")).collect()
    };
    let (version, variant) = (bytes(0x40..0x50), bytes(0x80..0xc0));
    let statements = format!(
        "CREATE TABLE offer (id BLOB PRIMARY KEY);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO offer SELECT CAST(randomblob(6) || substr(X'{version}', 1 + (random() & 15), 1)
            || randomblob(1) || substr(X'{variant}', 1 + (random() & 63), 1) || randomblob(7) AS BLOB) FROM n;"
    );
    File::with(name, &statements)
}

#[test]
fn the_answer_is_one_object_with_fixed_fields() {
    let file = offers("json");
    let answer = file.doctor("--table offer --column id --json").run().json();
    let [answer] = &answer[..] else {
        panic!("{answer:?}")
    };
    let fields: Vec<&str> = answer
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut expected = [
        "table",
        "column",
        "rows",
        "sampled",
        "format",
        "layout",
        "storage",
        "certainty",
        "candidates",
        "damaged",
        "declare",
        "next",
        "evidence",
    ];
    let mut fields = fields;
    fields.sort_unstable();
    expected.sort_unstable();
    assert_eq!(fields, expected);
    assert_eq!(
        (text(answer, "table"), text(answer, "column")),
        ("offer", "id")
    );
    assert_eq!(text(answer, "format"), "uuid-v4");
    assert_eq!(answer["rows"], 300);
    assert_eq!(answer["candidates"][0]["share"], 1.0);
    assert_eq!(
        text(answer, "declare"),
        "#[entity_key] struct OfferId(UuidV4);"
    );
}

#[test]
fn the_report_for_people_has_the_same_facts() {
    let file = offers("text");
    let report = file.doctor("--table offer --column id --full").run().ok();
    for part in [
        "offer.id: 300 rows, all looked at",
        "uuid-v4",
        "evidence",
        "declare",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn a_script_sees_that_nothing_is_told() {
    let file = File::with("told", "CREATE TABLE offer (id BLOB PRIMARY KEY)");
    let answer = file.doctor("--table offer --column id --json").run();
    assert_eq!((answer.code, answer.errors.as_str()), (1, ""));
    assert!(answer.output.contains(r#""certainty":"cannot-tell""#));
}

#[test]
fn what_cannot_be_read_is_refused() {
    let file = offers("refused");
    let missing = file.doctor("--table ofer --column id").run();
    assert!(
        missing
            .bad_input()
            .contains("the table ofer does not exist")
    );
    let missing = file.doctor("--table offer --column uid").run();
    assert!(missing.bad_input().contains("the column uid"));
    let witness = file.doctor("--table offer --column id --witness a=b").run();
    assert!(witness.wrong_usage().contains("--witness"));
    let nowhere = rowkey("doctor --table offer --column id").run();
    assert!(nowhere.wrong_usage().contains("no database is named"));
}

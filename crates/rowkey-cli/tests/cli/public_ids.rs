//! Public ids.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::rowkey;
use crate::vectors::{cases, column, text};

/// The types' names in the vectors and on the command line.
const TYPES: [(&str, &str); 5] = [
    ("i64", "i64"),
    ("u64", "u64"),
    ("decimal28", "distributed-id"),
    ("u128", "u128"),
    ("uuid", "uuid"),
];

/// Calls `check` with the cases of each key and type.
fn by_key_and_type(section: &str, mut check: impl FnMut(&str, &str, &[Value])) {
    let all = cases("public_ids", section);
    let mut keys = column(&all, "key_base64");
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        for (name, on_command_line) in TYPES {
            let cases: Vec<_> = all
                .iter()
                .filter(|case| case["key_base64"] == key && case["type"] == name)
                .cloned()
                .collect();
            check(key, on_command_line, &cases);
        }
    }
}

#[test]
fn values_are_encrypted_as_in_the_vectors() {
    by_key_and_type("encode", |key, name, cases| {
        for (representation, field) in [
            ("", "public_uuid"),
            ("--repr uuid", "public_uuid"),
            ("--repr alphanumeric", "public_alphanumeric"),
            ("--repr hex", "public_hexadecimal"),
        ] {
            let encode =
                format!("public-id encode --type {name} --key-env ROWKEY_KEY {representation}");
            let encoded = rowkey(&encode)
                .env("ROWKEY_KEY", key)
                .reading_lines(&column(cases, "value"))
                .lines();
            assert_eq!(encoded, column(cases, field));
            let decode = format!("public-id decode --type {name} --key-env ROWKEY_KEY");
            let decoded = rowkey(&decode)
                .env("ROWKEY_KEY", key)
                .reading_lines(&encoded)
                .lines();
            assert_eq!(decoded, column(cases, "value"));
        }
    });
}

#[test]
fn public_ids_are_decrypted_or_refused_as_in_the_vectors() {
    by_key_and_type("decode", |key, name, cases| {
        let decode = format!("public-id decode --type {name} --key-env ROWKEY_KEY --keep-going");
        let answers = rowkey(&decode)
            .env("ROWKEY_KEY", key)
            .reading_lines(&column(cases, "public_uuid"))
            .answers();
        for (case, answer) in cases.iter().zip(answers) {
            assert_eq!(answer.as_deref(), case["value"].as_str(), "{case}");
        }
    });
}

#[test]
fn values_out_of_range_are_refused() {
    let key = "AAAAAAAAAAAAAAAAAAAAAA==";
    for case in cases("public_ids", "encode_errors") {
        let name = TYPES
            .iter()
            .find(|(name, _)| case["type"] == *name)
            .unwrap()
            .1;
        let encode = format!("public-id encode --type {name} --key-env ROWKEY_KEY");
        rowkey(&encode)
            .env("ROWKEY_KEY", key)
            .arg(text(&case, "value"))
            .run()
            .bad_input();
    }
}

#[test]
fn calls_do_not_influence_each_other() {
    for case in cases("public_ids", "original_bug") {
        let steps = case["sequence"].as_array().unwrap();
        for (step, correct) in steps.iter().zip(case["correct"].as_array().unwrap()) {
            let name = TYPES
                .iter()
                .find(|(name, _)| step["type"] == *name)
                .unwrap()
                .1;
            let encoded = rowkey(&format!(
                "public-id encode --type {name} --key-env ROWKEY_KEY"
            ))
            .env("ROWKEY_KEY", text(&case, "key_base64"))
            .arg(text(step, "value"))
            .run()
            .ok();
            assert_eq!(Some(encoded.trim_end()), correct.as_str());
        }
    }
}

#[test]
fn keys_are_accepted_as_in_the_vectors_and_never_shown() {
    for case in cases("public_ids", "keys") {
        let key = text(&case, "key_base64");
        let file = key_file(&format!("vector-{}", key.len()), &format!("{key}\n"));
        let from_file = encode_with_files(&[&file]).arg("5").run();
        let from_env = rowkey("public-id encode --type u64 --key-env ROWKEY_KEY 5")
            .env("ROWKEY_KEY", key)
            .run();
        for finished in [from_file, from_env] {
            if case["accepted"] == true {
                finished.ok();
            } else {
                let error = finished.bad_input();
                assert!(error.contains("--key-"), "{error}");
                assert!(key.is_empty() || !error.contains(key), "{error}");
            }
        }
    }
}

#[test]
fn the_newest_key_encodes_and_every_key_decodes_in_the_order_of_the_options() {
    let older = "AAAAAAAAAAAAAAAAAAAAAA==";
    let newer = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";
    let (older_file, newer_file) = (key_file("older", older), key_file("newer", newer));
    let with_older = encode_with_files(&[&older_file]).arg("42").run().ok();
    let with_newer = encode_with_files(&[&newer_file]).arg("42").run().ok();
    assert_ne!(with_older, with_newer);
    assert_eq!(
        encode_with_files(&[&newer_file, &older_file])
            .arg("42")
            .run()
            .ok(),
        with_newer
    );

    // Mixed options count in the order in which they stand.
    let mixed = rowkey("public-id encode --type u64 --key-env ROWKEY_KEY --key-file")
        .arg(&newer_file)
        .env("ROWKEY_KEY", older)
        .arg("42")
        .run()
        .ok();
    assert_eq!(mixed, with_older);
    let mixed = rowkey("public-id encode --type u64 --key-file")
        .arg(&newer_file)
        .arg("--key-env=ROWKEY_KEY")
        .env("ROWKEY_KEY", older)
        .arg("42")
        .run()
        .ok();
    assert_eq!(mixed, with_newer);

    let decoded = rowkey("public-id decode --type u64 --key-file")
        .arg(&newer_file)
        .arg("--key-file")
        .arg(&older_file)
        .reading(format!("{with_older}{with_newer}").as_bytes())
        .ok();
    assert_eq!(decoded, "42\n42\n");
}

#[test]
fn the_examples_of_the_specification() {
    let encoded = rowkey("public-id encode --type distributed-id --key-env ROWKEY_KEY --json")
        .env("ROWKEY_KEY", "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=")
        .arg("1088824355131185736905670087")
        .run()
        .ok();
    insta::assert_snapshot!(encoded.trim_end(), @r#"{"id":"1088824355131185736905670087","public_id":"30322474-a954-ffa9-941c-6f038afe4ff1"}"#);
    for public_id in [
        "30322474-a954-ffa9-941c-6f038afe4ff1",
        "48XoooHHCe1CiOHrghM7Dl",
        "30322474A954FFA9941C6F038AFE4FF1",
    ] {
        let decoded = rowkey("public-id decode --type distributed-id --key-env ROWKEY_KEY")
            .env("ROWKEY_KEY", "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=")
            .arg(public_id)
            .run()
            .ok();
        assert_eq!(decoded, "1088824355131185736905670087\n");
    }
}

#[test]
fn a_u128_is_read_as_digits_or_as_a_uuid() {
    let encode = |id: &str| {
        rowkey("public-id encode --type u128 --key-env ROWKEY_KEY")
            .env("ROWKEY_KEY", "AAAAAAAAAAAAAAAAAAAAAA==")
            .arg(id)
            .run()
            .ok()
    };
    assert_eq!(encode("5"), encode("00000000-0000-0000-0000-000000000005"));
}

#[test]
fn bad_ids_and_missing_keys_are_told_apart() {
    let decode = |id: &str| {
        rowkey("public-id decode --type u64 --key-env ROWKEY_KEY")
            .env("ROWKEY_KEY", "AAAAAAAAAAAAAAAAAAAAAA==")
            .arg(id)
            .run()
    };
    assert!(decode("x").bad_input().contains("found 1 characters"));
    let error = decode("00000000-0000-0000-0000-000000000000");
    assert!(error.bad_input().contains("not a public id of type u64"));
    rowkey("public-id decode --type u64 x").run().wrong_usage();
    let error = rowkey("public-id decode --type u64 --key-env ROWKEY_NO_SUCH_KEY x").run();
    assert!(error.bad_input().contains("ROWKEY_NO_SUCH_KEY"));
    let error = rowkey("public-id decode --type u64 --key-file /no/such/file x").run();
    assert!(error.bad_input().contains("/no/such/file"));
}

#[test]
fn a_key_given_where_a_name_belongs_is_not_shown() {
    let key = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";
    let finished = rowkey("public-id decode --type u64 x --key-env")
        .arg(key)
        .run();
    assert!(!finished.wrong_usage().contains(key));
}

fn encode_with_files(files: &[&Path]) -> crate::program::Rowkey {
    files
        .iter()
        .fold(rowkey("public-id encode --type u64"), |run, file| {
            run.arg("--key-file").arg(file)
        })
}

/// A file of this test's own.
fn key_file(name: &str, content: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.key", std::process::id()));
    fs::write(&path, content).unwrap();
    path
}

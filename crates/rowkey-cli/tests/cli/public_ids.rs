//! Public ids.

use std::collections::BTreeSet;
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

    // Mixed options are used in their order on the command line.
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
fn bad_ids_and_missing_keys_give_different_errors() {
    let decode = |id: &str| {
        rowkey("public-id decode --type u64 --key-env ROWKEY_KEY")
            .env("ROWKEY_KEY", "AAAAAAAAAAAAAAAAAAAAAA==")
            .arg(id)
            .run()
    };
    assert!(decode("x").bad_input().contains("found 1 character "));
    let error = decode("00000000-0000-0000-0000-000000000000");
    assert!(error.bad_input().contains("not a public id of type u64"));
    rowkey("public-id decode --type u64 x").run().wrong_usage();
    let error = rowkey("public-id decode --type u64 --key-env ROWKEY_NO_SUCH_KEY x").run();
    assert!(
        error
            .bad_input()
            .contains("--key-env: the environment has no")
    );
    let error = rowkey("public-id decode --type u64 --key-file /no/such/file x").run();
    assert!(
        error
            .bad_input()
            .contains("--key-file: the file cannot be read")
    );
}

/// A key that is not base64 may look like the name of a variable, and any key like a path.
#[test]
fn a_key_given_in_place_of_a_name_is_not_shown() {
    let keys = [
        "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=",
        "93B7C10C97106A6D3686C07268E58F78FD82A9E0DE197BEB3D490401006D0057",
        "k7fBDJcQam02hsByaOWPePAA",
    ];
    for key in keys {
        for option in ["--key-env", "--key-file"] {
            // Without the space.
            let finished = rowkey("public-id decode --type u64 x").arg(format!("{option}{key}"));
            let finished = finished.run();
            let error = finished.wrong_usage();
            assert!(error.contains(option), "{error}");
            assert!(!error.contains(&key[..8]), "{error}");
            for label in ["", " --label order"] {
                let finished = rowkey(&format!("public-id decode --type u64 x{label} {option}"))
                    .arg(key)
                    .run();
                assert_ne!(finished.code, 0);
                let error = finished.errors;
                assert!(error.contains(option), "{error}");
                assert!(!error.contains(&key[..8]), "{error}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_or_write_is_refused() {
    let file = key_file("shared", "AAAAAAAAAAAAAAAAAAAAAA==");
    for mode in [0o600, 0o400, 0o700] {
        set_mode(&file, mode);
        encode_with_files(&[&file]).arg("5").run().ok();
    }
    for (mode, what) in [
        (0o640, "can read it"),
        (0o604, "can read it"),
        (0o644, "can read it"),
        (0o620, "can write it"),
        (0o602, "can write it"),
        (0o666, "can write it"),
        (0o1777, "can write it"),
    ] {
        set_mode(&file, mode);
        let finished = encode_with_files(&[&file]).arg("5").run();
        let error = finished.bad_input();
        assert!(error.contains(&format!("mode {mode:04o}")), "{error}");
        assert!(error.contains(what), "{error}");
        assert!(error.contains("chmod 600"), "{error}");
    }
}

/// The advice to change the mode of a shared directory or device would do harm.
#[cfg(unix)]
#[test]
fn directories_and_devices_are_no_key_files() {
    for path in ["/", "/dev/null", "/dev/zero"] {
        let finished = encode_with_files(&[Path::new(path)]).arg("5").run();
        let error = finished.bad_input();
        assert!(error.contains("neither a file nor a pipe"), "{error}");
        assert!(!error.contains("chmod"), "{error}");
    }
}

#[test]
fn large_key_files_are_not_read_completely() {
    let long = key_file("long", &"A".repeat(4097));
    let finished = encode_with_files(&[&long]).arg("5").run();
    let error = finished.bad_input();
    assert!(error.contains("more than 4096 bytes"), "{error}");
    let short = key_file("short", "AAAAAAAAAAAAAAAAAAAAAA==");
    let finished = encode_with_files(&[&short, &long]).arg("5").run();
    let error = finished.bad_input();
    assert!(error.contains("--key-file (key 2 of 2)"), "{error}");
    let padded = key_file("padded", &format!("{:4096}", "AAAAAAAAAAAAAAAAAAAAAA=="));
    encode_with_files(&[&padded]).arg("5").run().ok();
}

#[test]
fn labelled_ids_are_as_in_the_vectors() {
    let all = cases("labelled_public_ids", "encode");
    let fields = |case| ["secret_base64", "label", "type"].map(|field| text(case, field));
    let together: BTreeSet<_> = all.iter().map(fields).collect();
    for [secret, label, name] in together {
        let cases: Vec<_> = all
            .iter()
            .filter(|case| fields(case) == [secret, label, name])
            .cloned()
            .collect();
        let on_command_line = TYPES.iter().find(|(vector, _)| *vector == name).unwrap().1;
        let options = format!("--type {on_command_line} --key-env ROWKEY_KEY --label {label}");
        let run = |command: &str, lines: &[&str]| {
            rowkey(&format!("public-id {command} {options}"))
                .env("ROWKEY_KEY", secret)
                .reading_lines(lines)
                .lines()
        };
        let values = column(&cases, "value");
        assert_eq!(run("encode", &values), column(&cases, "public_id"));
        assert_eq!(run("encode --sealed", &values), column(&cases, "sealed"));
        for form in ["public_id", "sealed"] {
            assert_eq!(run("decode", &column(&cases, form)), values);
        }
    }
}

#[test]
fn ids_of_another_label_are_refused_by_name() {
    let run = |arguments: &str| {
        rowkey(&format!(
            "public-id {arguments} --type u64 --key-env ROWKEY_KEY"
        ))
        .env("ROWKEY_KEY", "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=")
        .run()
    };
    for form in ["", "--sealed"] {
        let order = run(&format!("encode --label order {form} 42")).ok();
        let order = order.trim_end();
        assert_eq!(run(&format!("decode --label order {order}")).ok(), "42\n");
        let finished = run(&format!("decode --label invoice {order}"));
        let error = finished.bad_input();
        assert!(error.contains("the label `invoice`"), "{error}");
    }
    run("encode --sealed 42").wrong_usage();
    run("encode --label order --sealed --repr hex 42").wrong_usage();
    let finished = run("encode --label Order 42");
    let error = finished.bad_input();
    assert!(error.contains("lower-case"), "{error}");
    let sealed = "0".repeat(44);
    assert!(
        run(&format!("decode {sealed}"))
            .wrong_usage()
            .contains("--label")
    );
    let finished = rowkey("public-id encode --type u64 --label order --key-env ROWKEY_KEY 42")
        .env("ROWKEY_KEY", "AAAAAAAAAAAAAAAAAAAAAA==")
        .run();
    let error = finished.bad_input();
    assert!(error.contains("32 bytes, this one has 16"), "{error}");
}

fn encode_with_files(files: &[&Path]) -> crate::program::Rowkey {
    files
        .iter()
        .fold(rowkey("public-id encode --type u64"), |run, file| {
            run.arg("--key-file").arg(file)
        })
}

/// A file for one test.
fn key_file(name: &str, content: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}.key", std::process::id()));
    fs::write(&path, content).unwrap();
    #[cfg(unix)]
    set_mode(&path, 0o600);
    path
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

//! Ids of keys that are declared with a prefix.

use serde_json::json;

use crate::program::rowkey;

const INVOICE: &str = "inv_3zfAkCP7ZtzfeQYp";
const NUMBER: &str = "1088824355131185736905670087";
const BOOKING: &str = "bkg_025VIzU6oo6FOGfX2bGzq9";
const UUID: &str = "006474fb-c7aa-40fa-b346-06fe279621e5";

#[test]
fn inspect_shows_the_prefix_and_the_id_after_it() {
    let bare = rowkey("inspect --format distributed-id").arg(NUMBER).run();
    let bare = bare.ok();
    for arguments in ["--format distributed-id", ""] {
        let shown = rowkey(&format!("inspect {arguments}")).arg(INVOICE).run();
        let shown = shown.ok();
        let fields = format!(
            "distributed-id\n  prefix           inv\n  key_text         {INVOICE}\n{}",
            bare.split_once('\n').unwrap().1
        );
        assert_eq!(shown, fields);
    }
    let printed = rowkey("inspect --format distributed-id --prefix inv");
    let printed = printed.arg(NUMBER).run().ok();
    assert_eq!(printed, rowkey("inspect").arg(INVOICE).run().ok());
    let shown = rowkey("inspect --json").arg(INVOICE).run().json().remove(0);
    assert_eq!(
        (&shown["prefix"], &shown["key_text"]),
        (&json!("inv"), &json!(INVOICE))
    );
    assert_eq!(shown["public"], NUMBER);
    let shown = rowkey("inspect --json").arg(NUMBER).run().json().remove(0);
    assert!(shown.get("prefix").is_none() && shown.get("key_text").is_none());
}

#[test]
fn the_length_after_a_prefix_distinguishes_the_formats() {
    let formats = |text: &str| -> Vec<String> {
        let shown = rowkey("inspect --json --all").arg(text).run().json();
        assert!(shown.iter().all(|shown| shown["key_text"] == text));
        let name = |shown: &serde_json::Value| shown["format"].as_str().unwrap().to_owned();
        shown.iter().map(name).collect()
    };
    assert_eq!(formats(INVOICE), ["distributed-id"]);
    let of_16_bytes = formats(BOOKING);
    for format in ["short-prefix-comb", "uuid-v4", "any-uuid"] {
        assert!(of_16_bytes.iter().any(|shown| shown == format), "{format}");
    }
    assert!(!of_16_bytes.iter().any(|shown| shown == "distributed-id"));
    // Digits after a prefix are not a decimal number.
    assert_eq!(formats("inv_0000000000000001"), ["distributed-id"]);
}

#[test]
fn streams_mix_ids_with_and_without_a_prefix() {
    let convert = "convert --format distributed-id --from public";
    let lines = [INVOICE, NUMBER, "ref_3zfAkCP7ZtzfeQYp"];
    let to = |to: &str| rowkey(&format!("{convert} --to {to}")).reading_lines(&lines);
    assert_eq!(to("public").lines(), [NUMBER; 3]);
    assert_eq!(to("hex").lines(), ["000384A786907DB2AD82883DC7"; 3]);
    let answers = to("public --json").json();
    assert_eq!(
        answers[0],
        json!({"id": INVOICE, "prefix": "inv", "result": NUMBER})
    );
    assert_eq!(answers[1], json!({"id": NUMBER, "result": NUMBER}));
    assert_eq!(answers[2]["prefix"], "ref");
    let validate = "validate --format short-prefix-comb --past 30d --future 30d";
    let lines = [BOOKING, UUID, "x_025VIzU6oo6FOGfX2bGzq9"];
    let valid = rowkey(validate).reading_lines(&lines).lines();
    assert_eq!(valid, ["valid"; 3]);
    let verdicts = rowkey(&format!("{validate} --json"))
        .reading_lines(&lines)
        .json();
    let prefixes: Vec<_> = verdicts
        .iter()
        .map(|verdict| verdict.get("prefix"))
        .collect();
    assert_eq!(prefixes, [Some(&json!("bkg")), None, Some(&json!("x"))]);
}

#[test]
fn ids_are_printed_with_a_prefix_but_never_with_a_different_one() {
    let convert = "convert --format distributed-id --to public --prefix inv";
    let printed = rowkey(&format!("{convert} --from public")).reading_lines(&[NUMBER, INVOICE]);
    assert_eq!(printed.lines(), [INVOICE; 2]);
    let printed = rowkey(&format!("{convert} --from hex 000384A786907DB2AD82883DC7")).run();
    assert_eq!(printed.ok(), format!("{INVOICE}\n"));
    for command in [
        "convert --format distributed-id --from public --to public",
        "inspect",
        "inspect --format distributed-id",
        "sort --backend postgres --format distributed-id",
    ] {
        let finished = rowkey(&format!("{command} --prefix ref"))
            .arg(INVOICE)
            .run();
        let error = finished.bad_input();
        assert!(
            error.contains("begins with `inv_`, not with `ref_`"),
            "{error}"
        );
    }
    for (format, length) in [("distributed-id", 16), ("uuid-v7", 22)] {
        let new = format!("new --format {format} --prefix inv");
        let id = rowkey(&new).run().ok();
        let body = id.trim_end().strip_prefix("inv_").unwrap();
        assert_eq!(body.len(), length);
        let json = rowkey(&format!("{new} --json")).run().json().remove(0);
        assert!(json["id"].as_str().unwrap().starts_with("inv_"), "{json}");
        let back = rowkey(&format!(
            "convert --format {format} --from public --to alphanumeric"
        ));
        assert_eq!(back.reading(id.as_bytes()).ok().trim_end(), body);
    }
}

#[test]
fn a_key_with_a_prefix_is_validated_as_its_server_does() {
    let validate = "validate --format short-prefix-comb --past 30d --future 30d --prefix bkg";
    assert_eq!(rowkey(validate).arg(BOOKING).run().ok(), "valid\n");
    for (id, found) in [(UUID, "006474fb"), ("x_025VIzU6oo6FOGfX2bGzq9", "x_")] {
        let finished = rowkey(&format!("{validate} --json")).arg(id).run();
        let error = finished.bad_input();
        let problem = format!("begins with `{found}`, not with `bkg_`");
        assert!(error.contains(&problem), "{error}");
        assert!(finished.output.contains(r#""reason":"malformed""#));
    }
    let json = rowkey(&format!("{validate} --json --keep-going"));
    let reasons = json.reading(b"\nbkg_\nbkg_00000000000\nbkg_8hMgxGtCxNP4Y7IeYTWNGI\n");
    let reasons: Vec<_> = reasons
        .output
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["reason"].clone())
        .collect();
    assert_eq!(
        reasons,
        ["missing", "malformed", "malformed", "not-random-v4"]
    );
}

#[test]
fn the_id_after_a_prefix_has_the_length_and_alphabet_of_the_format() {
    for (text, problem) in [
        ("inv_3zfAkCP7ZtzfeQY", "found 15 characters"),
        ("inv_3zfAkCP7ZtzfeQYp0", "found 17 characters"),
        ("inv_3zfAkCP7Ztzfe-Yp", "'-' at position 13"),
        ("inv_3zfAkCP7ZtzfeQYé", "'é' at position 15"),
        ("inv_", "the text is empty"),
        ("inv_zzzzzzzzzzzzzzzz", "out of range"),
        ("inv_1088824355131185736905670087", "found 28 characters"),
    ] {
        for command in [
            "convert --format distributed-id --from public --to hex",
            "inspect --format distributed-id",
            "inspect",
            "sort --backend postgres --format distributed-id",
        ] {
            let finished = rowkey(command).arg(text).run();
            let error = finished.bad_input();
            assert!(
                error.contains("after `inv_`: expected "),
                "{command}: {error}"
            );
            assert!(error.contains(problem), "{command}: {error}");
        }
    }
    // A body of another length is another format.
    let finished = rowkey("inspect --format uuid-v7").arg(INVOICE).run();
    assert!(finished.bad_input().contains("found 16 characters"));
}

#[test]
fn a_prefix_that_no_key_has_is_named() {
    for (text, problem) in [
        ("INV_3zfAkCP7ZtzfeQYp", "'I' at position 0"),
        ("in-v_3zfAkCP7ZtzfeQYp", "'-' at position 2"),
        ("_3zfAkCP7ZtzfeQYp", "the text is empty"),
        ("1nv_3zfAkCP7ZtzfeQYp", "'1' at position 0"),
        (
            "abcdefghijklmnopqrstuvwxy_3zfAkCP7ZtzfeQYp",
            "found 25 characters",
        ),
    ] {
        for command in [
            "convert --format distributed-id --from public --to hex",
            "inspect --format distributed-id",
            "inspect",
        ] {
            let finished = rowkey(command).arg(text).run();
            let error = finished.bad_input();
            assert!(error.contains("expected a prefix of 1 to 24"), "{error}");
            assert!(error.contains(problem), "{error}");
        }
    }
    for prefix in [
        "",
        "Inv",
        "inv_",
        "1nv",
        "größe",
        "abcdefghijklmnopqrstuvwxy",
    ] {
        let prefix = format!("--prefix={prefix}");
        let finished = rowkey("new --format uuid-v7").arg(prefix).run();
        assert!(finished.wrong_usage().contains("a prefix of 1 to 24"));
    }
}

#[test]
fn only_public_ids_of_formats_have_a_prefix() {
    for arguments in [
        "convert --format uuid-v7 --from public --to hex --prefix inv",
        "convert --format u64 --from public --to public --prefix inv",
        "new --format uuid-v7 --repr hex --prefix inv",
        "sort --backend postgres --prefix inv",
    ] {
        rowkey(arguments).run().wrong_usage();
    }
    let finished = rowkey("convert --format distributed-id --from hex --to public").arg(INVOICE);
    let finished = finished.run();
    assert!(
        finished.bad_input().contains("--from public"),
        "{finished:?}"
    );
    let finished = rowkey("sort --backend postgres").arg(INVOICE).run();
    assert!(finished.bad_input().contains("--format"), "{finished:?}");
}

#[test]
fn sort_orders_public_ids_as_the_column_of_their_format() {
    let mut ids = rowkey("new --format uuid-v7 -n 200").run().lines();
    ids.sort_unstable();
    let stored = rowkey("convert --format uuid-v7 --from public --to sql-server");
    let stored = stored.reading_lines(&ids).lines();
    for backend in ["postgres", "sql-server", "mariadb-uuid"] {
        // Every second one with a prefix, from the last to the first.
        let mixed: Vec<String> = ids
            .iter()
            .enumerate()
            .rev()
            .map(|(index, id)| match index % 2 {
                0 => id.clone(),
                _ => {
                    let convert = "convert --format uuid-v7 --from public --to public";
                    let run = rowkey(convert).arg("--prefix").arg("visit").arg(id).run();
                    run.ok().trim_end().to_owned()
                }
            })
            .collect();
        let sorted = rowkey(&format!("sort --format uuid-v7 --backend {backend}"));
        let sorted = sorted.reading_lines(&mixed).lines();
        let mut expected = mixed;
        expected.reverse();
        assert_eq!(sorted, expected, "{backend}");
    }
    // The stored values of SQL Server, in its order.
    let sorted = rowkey("sort --backend sql-server")
        .reading_lines(&stored)
        .lines();
    assert_eq!(sorted, stored);
    let sorted = rowkey("sort --backend postgres --format distributed-id --prefix inv");
    let sorted = sorted
        .reading_lines(&[NUMBER, "inv_0000000000000001"])
        .lines();
    assert_eq!(sorted, ["inv_0000000000000001", INVOICE]);
    rowkey("sort --backend mariadb-uuid --format distributed-id 5")
        .run()
        .wrong_usage();
}

#[test]
fn input_without_a_prefix_is_shown_without_one() {
    for (arguments, text) in [
        ("convert --format u64 --from public --to hex", "inv_5"),
        ("convert --format uuid --from public --to hex", BOOKING),
        (
            "convert --format distributed-id --from hex --to public",
            INVOICE,
        ),
        (
            "convert --format uuid-v7 --from sql-server --to public",
            BOOKING,
        ),
    ] {
        let finished = rowkey(arguments).arg(text).run();
        let error = finished.bad_input();
        assert!(error.starts_with("error: argument 1: expected "), "{error}");
        assert!(
            error.contains("position") || error.contains("found"),
            "{error}"
        );
    }
}

#[test]
fn public_ids_encode_and_decode_ids_with_a_prefix() {
    let key = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";
    let run = |arguments: &str, id: &str| {
        let run = rowkey(&format!("public-id {arguments} --key-env KEY"));
        run.env("KEY", key).arg(id).run()
    };
    for (id_type, id, bare, prefix) in [
        ("distributed-id", INVOICE, NUMBER, "inv"),
        ("uuid", BOOKING, UUID, "bkg"),
        (
            "u128",
            BOOKING,
            "521602393429638636812061484030239205",
            "bkg",
        ),
    ] {
        for label in ["", " --label order"] {
            let encode = format!("encode --type {id_type}{label}");
            let decode = format!("decode --type {id_type}{label}");
            let public_id = run(&encode, id).ok();
            assert_eq!(public_id, run(&encode, bare).ok());
            let public_id = public_id.trim_end();
            assert_eq!(run(&decode, public_id).ok(), format!("{bare}\n"));
            let printed = run(&format!("{decode} --prefix {prefix}"), public_id);
            assert_eq!(printed.ok(), format!("{id}\n"));
            let answer = run(&format!("{encode} --json"), id).json().remove(0);
            let expected = json!({"id": id, "prefix": prefix, "public_id": public_id});
            assert_eq!(answer, expected);
        }
    }
    let finished = run("encode --type distributed-id", "inv_3zfAkCP7ZtzfeQY");
    assert!(
        finished
            .bad_input()
            .contains("after `inv_`: expected 16 alphanumeric")
    );
    let finished = run("encode --type u64", "inv_5");
    assert!(
        finished
            .bad_input()
            .starts_with("error: argument 1: expected ")
    );
    let finished = run("decode --type u64 --prefix inv", UUID);
    assert!(finished.wrong_usage().contains("--prefix"));
}

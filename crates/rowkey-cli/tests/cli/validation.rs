//! Ids that clients made.

use serde_json::{Value, json};

use crate::program::{Finished, rowkey};
use crate::vectors::{cases, text};

fn validate(case: &Value, id: &str) -> Finished {
    let validate = format!(
        "validate --format short-prefix-comb --at {} --past {}m --future {}m",
        case["now_unix_ms"], case["past_minutes"], case["future_minutes"]
    );
    rowkey(&validate).arg(id).run()
}

#[test]
fn ids_are_validated_as_in_the_vectors() {
    for case in cases("comb_validation", "bounded") {
        let finished = validate(&case, text(&case, "uuid"));
        if case["valid"] == json!(true) {
            assert_eq!(finished.ok(), "valid\n", "{case}");
        } else {
            assert!(
                finished.bad_input().starts_with("error: argument 1: "),
                "{case}"
            );
            assert_eq!(finished.output, "", "{case}");
        }
    }
}

#[test]
fn the_original_bugs_are_not_repeated() {
    for case in cases("comb_validation", "quirks") {
        let finished = validate(&case, text(&case, "input"));
        match text(&case, "recommended") {
            "accept" | "accept_or_config_error" => assert_eq!(finished.ok(), "valid\n", "{case}"),
            "reject" => drop(finished.bad_input()),
            "config_error" => drop(finished.wrong_usage()),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn ten_intervals_either_way_are_the_default() {
    let at = |interval: &str, counter: &str| {
        rowkey(&format!(
            "validate --format short-prefix-comb --at 1647575040000 {interval}"
        ))
        .arg(format!("{counter}0000-0000-4000-8000-000000000000"))
        .run()
    };
    // At 1647575040 s the counter starts at 0 with an interval of 60 s and, being even, of 30 s.
    for interval in ["", "--interval 60s", "--interval 30s"] {
        for counter in ["0000", "000a", "fff6"] {
            assert_eq!(
                at(interval, counter).ok(),
                "valid\n",
                "{interval} {counter}"
            );
        }
        for counter in ["000b", "fff5", "8000"] {
            let finished = at(interval, counter);
            assert!(
                finished.bad_input().contains("counter"),
                "{interval} {counter}"
            );
        }
    }
}

#[test]
fn a_new_id_passes_now() {
    let id = rowkey("new --format short-prefix-comb -n 100").run().ok();
    let valid = rowkey("validate --format short-prefix-comb")
        .reading(id.as_bytes())
        .ok();
    assert_eq!(valid, "valid\n".repeat(100));
}

#[test]
fn json_names_the_rule_that_fails() {
    let ids = [
        "00000000-0000-4000-8000-000000000000",
        "",
        "  ",
        "00000000-0000-4000-8000-00000000000g",
        "00000000-0000-1000-8000-000000000000",
        "00000000-0000-4000-c000-000000000000",
        "000b0000-0000-4000-8000-000000000000",
    ];
    let finished =
        rowkey("validate --format short-prefix-comb --at 1647575040000 --json --keep-going")
            .reading_lines(&ids);
    assert_eq!(finished.code, 1);
    assert_eq!(finished.errors.lines().count(), 6);
    let verdicts: Vec<Value> = finished
        .output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        verdicts[0],
        json!({"id": ids[0], "valid": true, "counter": 0})
    );
    let reasons: Vec<_> = verdicts[1..]
        .iter()
        .map(|verdict| text(verdict, "reason"))
        .collect();
    assert_eq!(
        reasons,
        [
            "missing",
            "missing",
            "malformed",
            "not-random-v4",
            "not-random-v4",
            "outside-window"
        ]
    );
    for (verdict, id) in verdicts.iter().zip(ids) {
        assert_eq!(verdict["id"], id);
        assert_eq!(verdict["valid"], json!(id == ids[0]));
        assert_eq!(verdict.get("message").is_some(), id != ids[0]);
    }
    assert_eq!(verdicts[6]["counter"], 11);
}

#[test]
fn json_has_an_object_for_each_id_also_after_a_bad_one() {
    let finished = rowkey("validate --format short-prefix-comb --at 1647575040000 --json").reading(
        b"00000000-0000-4000-8000-000000000000\nx\n00000000-0000-4000-8000-000000000000\n",
    );
    assert_eq!(finished.code, 1);
    assert!(finished.errors.starts_with("error: line 2: "));
    let verdicts = finished.output.lines();
    let valid = verdicts.map(|line| serde_json::from_str::<Value>(line).unwrap()["valid"].clone());
    assert_eq!(valid.collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn without_json_bad_ids_leave_empty_lines() {
    let finished = rowkey("validate --format short-prefix-comb --at 1647575040000 --keep-going")
        .reading(b"x\n00000000-0000-4000-8000-000000000000\n\n");
    assert_eq!(finished.output, "\nvalid\n\n");
    assert_eq!(finished.code, 1);
    assert_eq!(finished.errors.lines().count(), 2);
    assert!(
        finished
            .errors
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("error: line 3: the id is missing")
    );
}

#[test]
fn only_short_prefix_combs_and_sensible_durations_are_accepted() {
    for arguments in [
        "validate x",
        "validate --format short-suffix-comb x",
        "validate --format short-prefix-comb --past -1s x",
        "validate --format short-prefix-comb --future=-1s x",
        "validate --format short-prefix-comb --past 10 x",
        "validate --format short-prefix-comb --interval 0s x",
        "validate --format short-prefix-comb --at noon x",
    ] {
        rowkey(arguments).run().wrong_usage();
    }
}

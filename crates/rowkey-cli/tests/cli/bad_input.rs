//! Every text form refuses any deviation, with the position and the expected form.

use crate::program::rowkey;

const UUID: &str = "006474fb-c7aa-40fa-b346-06fe279621e5";

/// One text per rule that it breaks, with the problem that the message names.
fn broken(representation: &str) -> Vec<(String, &'static str)> {
    let convert = format!("convert --format any-uuid --from public --to {representation}");
    let good = rowkey(&convert).arg(UUID).run().ok().trim_end().to_owned();
    let (first, rest) = good.split_at(1);
    let mut broken = vec![
        (String::new(), "the text is empty"),
        (format!(" {good}"), ""),
        (format!("{good} "), ""),
        (format!("{{{good}}}"), ""),
        (format!("{good}{good}"), ""),
        (rest.replacen(first, "", 1), ""),
        // The same number of characters: an invalid one, one that is not ASCII, a full-width digit.
        (format!("_{rest}"), "'_' at position 0"),
        (format!("{}é", &good[..good.len() - 1]), "'é' at position"),
        (format!("\u{ff10}{rest}"), "'\u{ff10}' at position 0"),
        (format!("+{rest}"), "'+' at position 0"),
    ];
    if representation == "decimal" {
        broken.extend([
            (
                "340282366920938463463374607431768211456".into(),
                "out of range",
            ),
            ("1.0".into(), "'.' at position 1"),
            ("-1".into(), "'-' at position 0"),
        ]);
        // Shorter numbers are valid.
        broken.retain(|(text, _)| *text != rest.replacen(first, "", 1));
    }
    if representation == "alphanumeric" {
        broken.push((
            "LygHa16AHYG00000000000".into(),
            "the number starting at position 0",
        ));
        broken.push((
            "00000000000LygHa16AHYG".into(),
            "the number starting at position 11",
        ));
    }
    broken
}

#[test]
fn every_rule_of_every_representation() {
    for representation in [
        "uuid",
        "hex",
        "alphanumeric",
        "decimal",
        "binary",
        "sql-server",
    ] {
        let convert =
            format!("convert --format any-uuid --from {representation} --to public --keep-going");
        let broken = broken(representation);
        let texts: Vec<_> = broken.iter().map(|(text, _)| text).collect();
        let finished = rowkey(&convert).reading_lines(&texts);
        assert_eq!(finished.code, 1);
        assert_eq!(
            finished.output,
            "\n".repeat(broken.len()),
            "{representation}"
        );
        let errors: Vec<_> = finished.errors.lines().collect();
        assert_eq!(errors.len(), broken.len());
        for (index, ((text, problem), error)) in broken.iter().zip(errors).enumerate() {
            let place = format!("error: line {}: expected ", index + 1);
            assert!(error.starts_with(&place), "{text:?}: {error}");
            assert!(error.contains(problem), "{text:?}: {error}");
            assert!(error.contains("position") || error.contains("found") || text.is_empty());
        }
    }
}

#[test]
fn ids_of_another_format_are_refused_with_the_bits_that_differ() {
    for (format, problem) in [
        (
            "uuid-v7",
            "the version (position 14 of the hyphenated text) is 4, expected 7",
        ),
        ("luuid", "is 4, expected 6"),
        ("iuid", "is 4, expected 8"),
    ] {
        for (command, from) in [("convert", "--from public --to hex"), ("inspect", "")] {
            let finished = rowkey(&format!("{command} --format {format} {from}"))
                .arg(UUID)
                .run();
            let error = finished.bad_input();
            assert!(error.contains(problem), "{error}");
        }
    }
}

#[test]
fn numbers_beyond_a_field_are_refused_not_masked() {
    for arguments in [
        "new --format luuid --group 0x1000 --short-key 1",
        "new --format luuid --group 0xfffff --short-key 1",
        "new --format iuid --country 256 --entity 1",
        "new --format iuid --country 1 --entity -1",
        "new --format hot-guid --shard 4294967296",
    ] {
        let finished = rowkey(arguments).run();
        assert_eq!(finished.output, "", "{arguments}");
        finished.bad_input();
    }
}

#[test]
fn short_keys_have_1_to_12_hexadecimal_digits() {
    for command in [
        "new --format luuid --group 0x1",
        "range --format luuid --backend postgres",
    ] {
        for (short_key, problem) in [
            ("1000000000000", "found 13 characters"),
            ("2O78", "'O' at position 1"),
            ("0x2078", "'x' at position 1"),
            ("-1", "'-' at position 0"),
            ("+1", "'+' at position 0"),
            ("", "the text is empty"),
        ] {
            let short_key = format!("--short-key={short_key}");
            let finished = rowkey(command).arg(short_key).run();
            let error = finished.wrong_usage();
            assert!(error.contains("1 to 12 hexadecimal digits"), "{error}");
            assert!(error.contains(problem), "{error}");
        }
    }
}

#[test]
fn clocks_outside_a_format_are_refused() {
    for (format, before, after) in [
        ("prefix-comb", "-1", "281474976710656"),
        ("suffix-comb", "-1", "281474976710656"),
        ("uuid-v7", "-1", "281474976710656"),
        // One second more than the embedded time.
        ("distributed-id", "-2208988799001", "32975383289832"),
        ("distributed-id128", "-8520336000001", "272954640710656"),
        ("hot-guid --shard 1", "-1", "4294967296000"),
        ("iuid --country 1 --entity 1", "-1", "281474976710656"),
    ] {
        for (at, step) in [(before, 1), (after, -1)] {
            let finished = rowkey(&format!("new --format {format} --at {at}")).run();
            assert!(
                finished.bad_input().contains("is outside the times of a"),
                "{format} {at}"
            );
            let inside = at.parse::<i64>().unwrap() + step;
            rowkey(&format!("new --format {format} --at {inside}"))
                .run()
                .ok();
        }
    }
}

#[test]
fn one_character_is_not_called_characters() {
    let finished = rowkey("inspect x").run();
    let error = finished.bad_input();
    assert!(error.contains("found 1 character ("), "{error}");
}

#[test]
fn bidirectional_control_characters_are_escaped() {
    let finished = rowkey("new --format uuid-v7")
        .arg("--prefix=in\u{202e}v")
        .run();
    let error = finished.wrong_usage();
    assert!(
        error.contains(r"in\u{202e}v") && !error.contains('\u{202e}'),
        "{error}"
    );
}

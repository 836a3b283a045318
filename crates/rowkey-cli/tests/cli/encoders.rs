//! The encoders of bare numbers, through `convert`.

use serde_json::Value;

use crate::program::rowkey;
use crate::vectors::{cases, column, text};

/// The names of types, which are the same in the vectors and on the command line.
const TYPES: [&str; 5] = ["i64", "u64", "decimal28", "uuid", "u128"];

/// Each encoding's name in `convert` and in the vectors.
const ENCODINGS: [(&str, &str); 3] = [
    ("alphanumeric", "alphanumeric"),
    ("hex", "hexadecimal"),
    ("binary", "binary"),
];

fn of_type(cases: &[Value], name: &str) -> Vec<Value> {
    cases
        .iter()
        .filter(|case| case["type"] == name)
        .cloned()
        .collect()
}

#[test]
fn values_convert_to_every_encoding_and_back() {
    let all = cases("encoders", "encode");
    for name in TYPES {
        let cases = of_type(&all, name);
        let values = column(&cases, "value");
        for (representation, field) in ENCODINGS {
            let encodings = column(&cases, field);
            let to = format!("convert --format {name} --from public --to {representation}");
            assert_eq!(
                rowkey(&to).reading_lines(&values).lines(),
                encodings,
                "{to}"
            );
            let from = format!("convert --format {name} --from {representation} --to public");
            assert_eq!(
                rowkey(&from).reading_lines(&encodings).lines(),
                values,
                "{from}"
            );
        }
    }
}

#[test]
fn values_out_of_range_are_refused() {
    for case in cases("encoders", "encode_errors") {
        for (representation, _) in ENCODINGS {
            let convert = format!(
                "convert --format {} --from public --to {representation}",
                text(&case, "type")
            );
            let finished = rowkey(&convert).arg(text(&case, "value")).run();
            assert!(
                finished.bad_input().contains("argument 1: expected "),
                "{case}"
            );
            assert_eq!(finished.output, "");
        }
    }
}

/// Decodes all inputs of one type and encoding in one run.
#[track_caller]
fn check_decoding(section: &str, expected: &str) {
    let all = cases("encoders", section);
    let mut checked = 0;
    for name in TYPES {
        for (representation, format) in ENCODINGS {
            let mut cases = of_type(&all, name);
            cases.retain(|case| case["format"] == format);
            let convert =
                format!("convert --format {name} --from {representation} --to public --keep-going");
            let answers = rowkey(&convert)
                .reading_lines(&column(&cases, "input"))
                .answers();
            for (case, answer) in cases.iter().zip(&answers) {
                assert_eq!(answer.as_deref(), case[expected].as_str(), "{case}");
            }
            checked += answers.len();
        }
    }
    assert_eq!(checked, all.len());
}

#[test]
fn input_is_decoded_or_refused() {
    check_decoding("decode", "value");
}

#[test]
fn input_that_the_original_accepts_by_accident_is_refused() {
    check_decoding("decode_quirks", "recommended_value");
}

#[test]
fn encodings_ascend_like_the_numbers() {
    for case in cases("encoders", "order") {
        let list = |field: &str| -> Vec<&str> {
            case[field]
                .as_array()
                .unwrap()
                .iter()
                .map(|value| value.as_str().unwrap())
                .collect()
        };
        for (representation, field) in &ENCODINGS[..2] {
            let convert = format!(
                "convert --format {} --from public --to {representation}",
                text(&case, "type")
            );
            let encoded = rowkey(&convert)
                .reading_lines(&list("values_ascending"))
                .lines();
            assert_eq!(encoded, list(field));
            assert!(encoded.is_sorted());
        }
    }
}

#[test]
fn numbers_of_128_bits_convert_to_uuids_and_smaller_ones_do_not() {
    let uuid = "00000000-0384-a786-907d-b2ad82883dc7";
    let decimal = "1088824355131185736905670087";
    for format in ["u128", "decimal28", "uuid"] {
        let convert = format!("convert --format {format} --from decimal --to uuid");
        assert_eq!(rowkey(&convert).arg(decimal).run().ok().trim_end(), uuid);
    }
    for format in ["i64", "u64"] {
        for direction in ["--from decimal --to uuid", "--from uuid --to decimal"] {
            let finished = rowkey(&format!("convert --format {format} {direction} 1")).run();
            assert!(finished.wrong_usage().contains("64 bits"));
        }
    }
}

#[test]
fn bare_numbers_have_no_stored_form() {
    for format in TYPES {
        for stored in ["sql-server", "mariadb-uuid"] {
            let finished = rowkey(&format!(
                "convert --format {format} --from public --to {stored} 1"
            ))
            .run();
            assert!(finished.wrong_usage().contains("depends on the format"));
        }
    }
}

#[test]
fn a_wrong_representation_is_named_in_the_hint() {
    let finished = rowkey("convert --format u64 --from alphanumeric --to decimal")
        .arg("0DE0B6B3A763FFFF")
        .run();
    assert!(
        finished
            .bad_input()
            .ends_with("(hint: the id can be read with --from hex)")
    );
}

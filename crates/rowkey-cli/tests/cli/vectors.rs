//! The vector files.

use std::path::Path;

use serde_json::Value;

/// The cases of one section of one file.
pub(crate) fn cases(file: &str, section: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/vectors")
        .join(file)
        .with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let cases = file["cases"][section].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

/// A field's string.
#[track_caller]
pub(crate) fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} in {case}"))
}

/// A field's number, whether it is a JSON number or a string of digits.
#[track_caller]
pub(crate) fn number(case: &Value, field: &str) -> i128 {
    match &case[field] {
        Value::String(digits) => digits.parse().unwrap(),
        Value::Number(number) => number.to_string().parse().unwrap(),
        other => panic!("{field} in {case} is {other}"),
    }
}

/// One field's string of every case.
pub(crate) fn column<'a>(cases: &'a [Value], field: &str) -> Vec<&'a str> {
    cases.iter().map(|case| text(case, field)).collect()
}

//! Reads the test vectors of the original programs.

use std::path::Path;

use serde_json::Value;

/// The cases of one section of a vector file; at least `at_least`, so that no test passes empty.
pub(crate) fn section(file: &str, section: &str, at_least: usize) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/vectors")
        .join(file);
    let text = std::fs::read_to_string(&path).expect("the fixture is readable");
    let file: Value = serde_json::from_str(&text).expect("the fixture is JSON");
    let cases = file["cases"][section]
        .as_array()
        .expect("the section is a list")
        .clone();
    assert!(
        cases.len() >= at_least,
        "{section}: only {} cases",
        cases.len()
    );
    cases
}

/// A string field.
pub(crate) fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field]
        .as_str()
        .unwrap_or_else(|| panic!("{field} is a string in {case}"))
}

/// An integer field.
pub(crate) fn int(case: &Value, field: &str) -> i64 {
    case[field]
        .as_i64()
        .unwrap_or_else(|| panic!("{field} is an integer in {case}"))
}

/// A field of hexadecimal digits, as bytes.
pub(crate) fn hex<const N: usize>(case: &Value, field: &str) -> [u8; N] {
    let digits = text(case, field);
    assert_eq!(digits.len(), 2 * N, "{field} in {case}");
    std::array::from_fn(|index| u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).unwrap())
}

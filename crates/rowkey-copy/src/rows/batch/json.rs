//! JSON in a form that is the same wherever it is stored: databases that keep it as a tree drop
//! spaces, repeated names and the order of names, and write numbers in their own way.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// Appends the canonical form of a JSON text; nothing of it for a text that isn't JSON.
pub(super) fn append(bytes: &mut Vec<u8>, text: &str) -> Result<(), serde_json::Error> {
    if depth(text) > DEEPEST {
        return Err(serde::de::Error::custom("it is nested too deep"));
    }
    let value: &RawValue = serde_json::from_str(text)?;
    let start = bytes.len();
    append_value(bytes, value.get()).inspect_err(|_| bytes.truncate(start))
}

fn append_value(bytes: &mut Vec<u8>, text: &str) -> Result<(), serde_json::Error> {
    match text.as_bytes().first() {
        Some(b'{') => {
            // The last of repeated names counts, as it does in databases.
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            bytes.push(b'{');
            for (name, value) in members {
                serde_json::to_writer(&mut *bytes, &name)?;
                append_value(bytes, value.get())?;
                bytes.push(b',');
            }
            bytes.push(b'}');
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text)?;
            bytes.push(b'[');
            for element in elements {
                append_value(bytes, element.get())?;
                bytes.push(b',');
            }
            bytes.push(b']');
        }
        Some(b'"') => {
            let string: String = serde_json::from_str(text)?;
            serde_json::to_writer(bytes, &string)?;
        }
        Some(b'-' | b'0'..=b'9') => bytes.extend(number(text).as_bytes()),
        _ => bytes.extend(text.as_bytes()),
    }
    Ok(())
}

/// A number as its digits without zeros around them, and a power of ten.
fn number(text: &str) -> String {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let zeros = (digits.len() - significant.len()) as i128;
    let significant = significant.trim_start_matches('0');
    // A power that does not fit has more digits than any database reads.
    let Ok(power) = power.parse::<i64>() else {
        return text.to_owned();
    };
    match significant {
        "" => "0".to_owned(),
        _ => {
            let power = i128::from(power) + zeros - fraction.len() as i128;
            format!("{sign}{significant}e{power}")
        }
    }
}

/// How many arrays and objects may be inside each other. Each has a place on the stack.
pub(crate) const DEEPEST: usize = 1_000;

/// How many arrays and objects of a JSON text are inside each other.
pub(crate) fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut is_string, mut is_escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Whether a text is JSON whose strings are Unicode.
pub(crate) fn is_unicode(text: &str) -> bool {
    append(&mut Vec::new(), text).is_ok()
}

/// Whether a text is JSON of whose numbers nothing is lost where they are integers of 64 bits or
/// double precision numbers.
pub(crate) fn has_only_doubles(text: &str) -> bool {
    fn holds(text: &str) -> bool {
        match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str::<BTreeMap<String, &RawValue>>(text)
                .is_ok_and(|members| members.values().all(|value| holds(value.get()))),
            Some(b'[') => serde_json::from_str::<Vec<&RawValue>>(text)
                .is_ok_and(|elements| elements.iter().all(|value| holds(value.get()))),
            Some(b'-' | b'0'..=b'9') => {
                let is_integer = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
                is_integer
                    || text
                        .parse::<f64>()
                        .is_ok_and(|double| number(&format!("{double:e}")) == number(text))
            }
            _ => true,
        }
    }
    serde_json::from_str::<&RawValue>(text).is_ok_and(|value| holds(value.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Option<String> {
        let mut bytes = Vec::new();
        append(&mut bytes, text).ok()?;
        Some(String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn what_a_database_may_write_in_another_way_is_the_same() {
        for (one, other) in [
            (r#"{"b": 1, "a": [1, 2.50]}"#, r#"{"a":[1,2.5],"b":1}"#),
            (r#"{"a": 1, "a": 2}"#, r#"{"a":2}"#),
            (r#""\u00fc\/""#, r#""ü/""#),
            ("1e2", "100"),
            ("-0.0", "0"),
            ("12.50e-1", "1.25"),
            (
                "100000000000000000000000000001",
                "100000000000000000000000000001.0",
            ),
        ] {
            assert_eq!(canonical(one), canonical(other), "{one}");
            assert!(canonical(one).is_some());
        }
        for (one, other) in [
            (r#"{"a": 1}"#, r#"{"a": "1"}"#),
            ("[1, 2]", "[2, 1]"),
            ("[[1], 2]", "[[1, 2]]"),
            (
                "100000000000000000000000000001",
                "100000000000000000000000000002",
            ),
            (r#"{"ab": 1}"#, r#"{"a": 1}"#),
            ("null", "false"),
        ] {
            assert_ne!(canonical(one), canonical(other), "{one}");
        }
        for wrong in ["", "{", "[1,]", "nul", r#""\ud800""#, "01"] {
            assert_eq!(canonical(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_that_doubles_lose_are_found() {
        for (text, expected) in [
            ("[0.1, 1e300, 18446744073709551615]", true),
            ("18446744073709551616", false),
            ("1.8446744073709552e19", true),
            ("18446744073709551617", false),
            (r#"{"a": 0.10000000000000000555}"#, false),
            ("1e400", false),
        ] {
            assert_eq!(has_only_doubles(text), expected, "{text}");
        }
    }
}

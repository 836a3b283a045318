//! JSON in a form that is the same wherever it is stored. Databases that keep it as a tree drop
//! spaces and the order of names, and write numbers in their own way. What else they would lose is
//! found before it is written.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Appends the canonical form of a JSON text; nothing of it for a text that isn't JSON.
pub(crate) fn append(bytes: &mut Vec<u8>, text: &str) -> Result<(), serde_json::Error> {
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
            let Members(mut members) = serde_json::from_str(text)?;
            // Those of a repeated name stay in their order, of which readers take one.
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
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

/// The names and values of an object, with repeated names.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'t> Visitor<'t> for Each {
            type Value = Members<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

/// A number as its digits without zeros around them, and a power of ten. The sign of zero counts,
/// as it does in floating-point numbers.
fn number(text: &str) -> String {
    let (sign, significant, power) = match parts(text) {
        // A power that does not fit has more digits than any database reads.
        None => return text.to_owned(),
        Some(parts) => (parts.sign, parts.significant, parts.power),
    };
    match significant.as_str() {
        "" => format!("{sign}0"),
        _ => format!("{sign}{significant}e{power}"),
    }
}

struct Parts {
    sign: &'static str,
    /// Without zeros around them.
    significant: String,
    /// That of the last of these digits.
    power: i128,
    /// How many digits are written after the point, when the power is gone.
    scale: i128,
}

fn parts(text: &str) -> Option<Parts> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let zeros = (digits.len() - significant.len()) as i128;
    let scale = fraction.len() as i128 - i128::from(power.parse::<i64>().ok()?);
    Some(Parts {
        sign,
        significant: significant.trim_start_matches('0').to_owned(),
        power: zeros - scale,
        scale,
    })
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

/// What a tree of JSON does not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The values of a name that an object has again.
    Repeated(String),
    /// The name, which is too long.
    Name(String),
    Number(String),
}

/// What the trees of a database keep.
#[derive(Clone, Copy)]
pub(crate) struct Tree {
    /// How many arrays and objects may be inside each other.
    pub(crate) deepest: usize,
    /// Whether strings may have U+0000.
    pub(crate) has_zero_character: bool,
    pub(crate) keeps_number: fn(&str) -> bool,
    /// How many bytes a name may have.
    pub(crate) longest_name: usize,
}

impl Tree {
    /// What is lost of a JSON text first. It has to be one, and not nested too deep.
    pub(crate) fn lost(&self, text: &str) -> Result<Option<Lost>, serde_json::Error> {
        let value: &RawValue = serde_json::from_str(text)?;
        self.lost_in(value.get())
    }

    fn lost_in(&self, text: &str) -> Result<Option<Lost>, serde_json::Error> {
        let elements: Vec<&RawValue> = match text.as_bytes().first() {
            Some(b'{') => {
                let Members(mut members) = serde_json::from_str(text)?;
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                let mut pairs = members.windows(2);
                if let Some([(name, _), _]) = pairs.find(|pair| pair[0].0 == pair[1].0) {
                    return Ok(Some(Lost::Repeated(name.clone())));
                }
                let mut names = members.iter().map(|(name, _)| name);
                if let Some(name) = names.find(|name| name.len() > self.longest_name) {
                    return Ok(Some(Lost::Name(name.clone())));
                }
                members.into_iter().map(|(_, value)| value).collect()
            }
            Some(b'[') => serde_json::from_str(text)?,
            Some(b'-' | b'0'..=b'9') if !(self.keeps_number)(text) => {
                return Ok(Some(Lost::Number(text.to_owned())));
            }
            _ => return Ok(None),
        };
        for element in elements {
            let lost = self.lost_in(element.get())?;
            if lost.is_some() {
                return Ok(lost);
            }
        }
        Ok(None)
    }
}

/// Whether a number stays what it is as an integer of 64 bits, if it is written as one, or as a
/// double precision number.
pub(crate) fn is_double(text: &str) -> bool {
    let is_integer = text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    match is_integer {
        true => text != "-0",
        false => text
            .parse::<f64>()
            .is_ok_and(|double| number(&format!("{double:e}")) == number(text)),
    }
}

/// Whether PostgreSQL's `numeric` has the number, which has no sign of zero.
pub(crate) fn is_numeric(text: &str) -> bool {
    const WHOLE: i128 = 131_072;
    const FRACTION: i128 = 16_383;
    const POWER: i128 = i32::MAX as i128 / 2;
    parts(text).is_some_and(|parts| match parts.significant.len() as i128 {
        0 => parts.sign.is_empty() && (-POWER..=FRACTION).contains(&parts.scale),
        digits => parts.scale <= FRACTION && digits + parts.power <= WHOLE,
    })
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
            (r#"{"b": 0, "a": 1, "\u0061": 2}"#, r#"{"a":1,"a":2,"b":0}"#),
            (r#""\u00fc\/""#, r#""ü/""#),
            ("1e2", "100"),
            ("-0.0", "-0"),
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
            (r#"{"a": 1, "a": 2}"#, r#"{"a": 2}"#),
            (r#"{"a": 1, "a": 2}"#, r#"{"a": 2, "a": 1}"#),
            ("-0.0", "0"),
            ("null", "false"),
        ] {
            assert_ne!(canonical(one), canonical(other), "{one}");
        }
        for wrong in ["", "{", "[1,]", "nul", r#""\ud800""#, "01"] {
            assert_eq!(canonical(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_a_tree_loses_is_found() {
        let tree = Tree {
            deepest: DEEPEST,
            has_zero_character: true,
            keeps_number: is_double,
            longest_name: 3,
        };
        let repeated = |name: &str| Some(Lost::Repeated(name.into()));
        for (text, expected) in [
            (r#"{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}"#, None),
            (r#"{"a": 1, "b": 2, "\u0061": 1}"#, repeated("a")),
            (r#"[{"b": {"x": 1, "": 2, "": 3}}]"#, repeated("")),
            (r#"{"äa": 1}"#, None),
            (r#"{"abcd": 1}"#, Some(Lost::Name("abcd".into()))),
            (r#"{"a": [1, 1e400]}"#, Some(Lost::Number("1e400".into()))),
            (r#""{\"a\":1,\"a\":2}""#, None),
        ] {
            assert_eq!(tree.lost(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn numbers_that_are_lost_are_found() {
        for (text, has_double, has_numeric) in [
            ("0.1", true, true),
            ("1e300", true, true),
            ("18446744073709551615", true, true),
            ("18446744073709551616", false, true),
            ("1.8446744073709552e19", true, true),
            ("0.10000000000000000555", false, true),
            ("1e400", false, true),
            ("1e-400", false, true),
            ("-0.0", true, false),
            ("-0", false, false),
            ("0", true, true),
            ("0e131073", true, true),
            ("1e131071", false, true),
            ("10e131071", false, false),
            ("0.1e-16382", false, true),
            ("0.10e-16382", false, false),
            ("0e2147483648", true, false),
            ("1e99999999999999999999", false, false),
        ] {
            assert_eq!(is_double(text), has_double, "{text}");
            assert_eq!(is_numeric(text), has_numeric, "{text}");
        }
    }
}

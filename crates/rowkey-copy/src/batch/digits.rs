//! Decimal numbers as text, whatever their number of digits.

/// A whole number as text, with a point before its last digits.
#[cfg(any(feature = "parquet", feature = "sqlserver"))]
pub(crate) fn pointed(unscaled: &str, scale: usize) -> String {
    let (sign, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unscaled),
    };
    // A digit before the point.
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

/// The parts of a number that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Normal<'t> {
    /// `NaN`, `Infinity` or `-Infinity`.
    Special(&'t str),
    /// A number without the zeros that say nothing.
    Number {
        is_negative: bool,
        whole: &'t str,
        fraction: &'t str,
    },
}

/// The normal form of a number; nothing for other text.
pub(crate) fn normal(text: &str) -> Option<Normal<'_>> {
    if matches!(text, "NaN" | "Infinity" | "-Infinity") {
        return Some(Normal::Special(text));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let (whole, fraction) = (
        whole.trim_start_matches('0'),
        fraction.trim_end_matches('0'),
    );
    Some(Normal::Number {
        is_negative: sign && !(whole.is_empty() && fraction.is_empty()),
        whole,
        fraction,
    })
}

/// The floating-point number that is shown with the same digits, if there is one.
pub(crate) fn as_double(digits: &str) -> Option<f64> {
    let number: f64 = digits.parse().ok()?;
    (normal(&number.to_string()) == normal(digits)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_one_form() {
        for group in [
            &["0", "-0", "0.00", "000", "+0.", ".0"][..],
            &["12.5", "012.50", "+12.5"],
            &["-0.001", "-.00100"],
        ] {
            for text in group {
                assert_eq!(normal(text), normal(group[0]), "{text}");
                assert!(normal(text).is_some(), "{text}");
            }
        }
        assert_ne!(normal("1"), normal("-1"));
        assert_ne!(normal("1.5"), normal("15"));
        for text in ["", "-", ".", "1e5", "1,5", "nan", "--1", "1.2.3", "１"] {
            assert_eq!(normal(text), None, "{text}");
        }
    }
}

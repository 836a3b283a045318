//! Instants and durations on the command line.

use jiff::civil::{Date, DateTime, date};
use jiff::fmt::temporal::Pieces;
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp, Unit};
use rowkey_core::UnixMillis;
use rowkey_core::format::{FieldKind, FormatKind};
use std::time::Duration;

/// The largest number of decimals read from RFC 3339 times; more are cut off.
const NANOSECOND_DIGITS: usize = 9;

/// Reads an instant: RFC 3339, or a whole number of milliseconds since 1970.
///
/// Fractions of a millisecond are rounded down.
pub(crate) fn parse_instant(text: &str) -> Result<UnixMillis, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse() {
            Ok(millis) => Ok(UnixMillis::new(millis)),
            Err(_) => Err("the number of milliseconds is too large".into()),
        };
    }
    parse_rfc3339(text).map_err(|reason| {
        format!(
            "{reason}; a time is RFC 3339, such as 2026-01-31T12:00:00Z, or a number of \
             milliseconds since 1970"
        )
    })
}

fn parse_rfc3339(text: &str) -> Result<UnixMillis, String> {
    let text = &cut_decimals(text);
    let pieces = Pieces::parse(text).map_err(|error| error.to_string())?;
    if pieces.time_zone_annotation().is_some() {
        return Err("a time zone in brackets is not supported".into());
    }
    let Some(time) = pieces.time() else {
        return Err("the time of day is missing".into());
    };
    let Some(offset) = pieces.to_numeric_offset() else {
        return Err("the offset is missing: end with Z, or an offset such as +02:00".into());
    };
    if !has_rfc3339_shape(text) {
        return Err("expected a date, a time with seconds and an offset".into());
    }
    let local = DateTime::from_parts(pieces.date(), time);
    let millis = millis_since_1970(local).map_err(|error| error.to_string())?;
    Ok(UnixMillis::new(
        millis - i64::from(offset.seconds()) * 1_000,
    ))
}

/// Whether a text begins like `2026-01-31T12:00:00` and ends with `Z` or an offset of hours and
/// minutes. The parser also accepts shorter ISO 8601 forms, which are likely to be mistakes.
fn has_rfc3339_shape(text: &str) -> bool {
    let bytes = text.as_bytes();
    let separators = [(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")];
    let offset = match bytes.len().checked_sub(6).map(|start| &bytes[start..]) {
        Some([b'+' | b'-', hours @ .., b':', _, _]) => *hours < b"24"[..],
        _ => text.ends_with(['Z', 'z']),
    };
    offset
        && separators.into_iter().all(|(position, expected)| {
            bytes
                .get(position)
                .is_some_and(|byte| expected.as_bytes().contains(byte))
        })
}

/// [`Timestamp`] does not cover the last day of the year 9999; this does.
fn millis_since_1970(local: DateTime) -> Result<i64, jiff::Error> {
    const EPOCH: Date = date(1970, 1, 1);
    let days = i64::from(local.date().since((Unit::Day, EPOCH))?.get_days());
    let midnight = local.date().to_datetime(jiff::civil::Time::midnight());
    let since_midnight = local.duration_since(midnight).as_millis() as i64;
    Ok(days * 86_400_000 + since_midnight)
}

/// The text without the digits of its fraction that are finer than a nanosecond.
fn cut_decimals(text: &str) -> String {
    let Some((whole, rest)) = text.split_once('.') else {
        return text.to_owned();
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (fraction, offset) = rest.split_at(digits);
    format!(
        "{whole}.{}{offset}",
        &fraction[..digits.min(NANOSECOND_DIGITS)]
    )
}

/// An instant as RFC 3339 to the millisecond; `None` outside the years -9999 to 9999.
pub(crate) fn to_rfc3339(time: UnixMillis) -> Option<String> {
    Timestamp::from_millisecond(time.get())
        .ok()
        .map(|timestamp| format!("{timestamp:.3}"))
}

/// Reads a tolerance, such as `10m`, `90s` or `1h30m`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "a duration is a number with a unit, such as 60s, 10m, 1h30m or 500ms";
    if text.parse::<i128>().is_ok() || text.parse::<f64>().is_ok() {
        return Err(format!("the unit is missing; {EXPECTED}"));
    }
    let duration = text
        .parse::<Span>()
        .and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()))
        .map_err(|error| format!("{error}; {EXPECTED}"))?;
    if duration < SignedDuration::ZERO {
        return Err("a duration cannot be negative".into());
    }
    Ok(duration.unsigned_abs())
}

/// Reads the interval of a short COMB: a whole number of milliseconds, at least one.
pub(crate) fn parse_interval(text: &str) -> Result<Interval, String> {
    let duration = parse_duration(text)?;
    if duration.is_zero() {
        return Err("an interval is at least one millisecond".into());
    }
    if duration.subsec_nanos() % 1_000_000 != 0 {
        return Err("an interval is a whole number of milliseconds".into());
    }
    let millis = u64::try_from(duration.as_millis()).map_err(|error| error.to_string())?;
    Ok(Interval { millis })
}

/// The interval of a short COMB's counter, in milliseconds and never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    millis: u64,
}

impl Interval {
    pub(crate) fn millis(self) -> u64 {
        self.millis
    }

    /// Whether the ids of a format count intervals.
    pub(crate) fn belongs_to(format: FormatKind) -> bool {
        format
            .fields()
            .iter()
            .any(|field| field.kind == FieldKind::Interval)
    }
}

/// One minute, the interval of the library's short COMBs.
impl Default for Interval {
    fn default() -> Self {
        Self {
            millis: rowkey_core::ShortPrefixComb::<60_000>::INTERVAL_MS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_floored_to_milliseconds() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01t00:00:00.001999999999z", 1),
            ("1969-12-31T23:59:59.9999Z", -1),
            ("2022-03-18T04:44:00+01:00", 1_647_575_040_000),
            ("2022-03-18 03:44:00-00:00", 1_647_575_040_000),
            ("1900-01-01T00:00:00Z", -2_208_988_800_000),
            ("1700-01-01T00:00:00Z", -8_520_336_000_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("1647575040000", 1_647_575_040_000),
            ("-1", -1),
        ] {
            assert_eq!(parse_instant(text), Ok(UnixMillis::new(millis)), "{text}");
        }
    }

    #[test]
    fn instants_without_a_time_or_an_offset_are_refused() {
        for (text, reason) in [
            ("2022-03-18", "time of day"),
            ("2022-03-18T03:44:00", "offset"),
            ("2022-03-18T03:44:00Z[UTC]", "brackets"),
            ("2022-02-30T00:00:00Z", "2026-01-31T12:00:00Z"),
            ("yesterday", "milliseconds since 1970"),
            ("", "milliseconds since 1970"),
            (" 1", "milliseconds since 1970"),
            ("-", "milliseconds since 1970"),
            ("99999999999999999999", "too large"),
        ] {
            let error = parse_instant(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn durations_need_a_unit_and_a_direction() {
        for (text, millis) in [
            ("60s", 60_000),
            ("10m", 600_000),
            ("1h30m", 5_400_000),
            ("500ms", 500),
            ("0s", 0),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_millis(millis)),
                "{text}"
            );
        }
        assert_eq!(parse_duration("1d"), Ok(Duration::from_secs(86_400)));
        for (text, reason) in [
            ("60", "unit is missing"),
            ("1.5", "unit is missing"),
            ("-5m", "negative"),
            ("", "60s"),
            ("soon", "60s"),
        ] {
            let error = parse_duration(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!(parse_interval("0s").is_err());
        assert!(parse_interval("1500us").is_err());
        assert_eq!(parse_interval("30s").map(Interval::millis), Ok(30_000));
    }

    #[test]
    fn instants_are_shown_in_utc() {
        let show = |millis| to_rfc3339(UnixMillis::new(millis));
        assert_eq!(show(1_647_575_040_007).unwrap(), "2022-03-18T03:44:00.007Z");
        assert_eq!(show((1 << 48) - 1), None);
    }
}

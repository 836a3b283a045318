//! Dates and times as text, between the years 1 and 9999.

use std::borrow::Cow;
use std::fmt::Write as _;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time, date};

/// From which times count.
const EPOCH: Date = date(2000, 1, 1);
/// A day.
pub const DAY: i64 = 86_400_000_000;
const SECOND: i64 = 1_000_000;

/// Why a time is not written as text.
pub const OUTSIDE: &str = "it is infinite, or its year is not between 1 and 9999";

pub fn days_of(date: Date) -> i32 {
    (date.duration_since(EPOCH).as_hours() / 24) as i32
}

/// `2024-01-31`.
pub fn date_text(days: i32) -> Result<String, &'static str> {
    let date = EPOCH.checked_add(SignedDuration::from_hours(i64::from(days) * 24));
    match date {
        Ok(date) if date.year() > 0 => Ok(date.to_string()),
        _ => Err(OUTSIDE),
    }
}

/// `2024-01-31 23:59:59.000000`.
pub fn timestamp_text(micros: i64) -> Result<String, &'static str> {
    let (days, rest) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
    let days = i32::try_from(days).map_err(|_| OUTSIDE)?;
    let mut text = date_text(days)?;
    text.push(' ');
    push_time(&mut text, rest);
    Ok(text)
}

/// `23:59:59.000000`, with a sign and more hours than a day has, if need be.
pub fn time_text(micros: i64) -> String {
    let mut text = String::new();
    push_time(&mut text, micros);
    text
}

fn push_time(text: &mut String, micros: i64) {
    let sign = if micros < 0 { "-" } else { "" };
    let micros = micros.unsigned_abs();
    let (seconds, fraction) = (micros / SECOND as u64, micros % SECOND as u64);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    // Writing to a text does not fail.
    let _ = write!(
        text,
        "{sign}{hours:02}:{minutes:02}:{seconds:02}.{fraction:06}"
    );
}

/// `2024-01-31`, with midnight as some frameworks and drivers write it, maybe of UTC.
pub fn read_date(text: &str) -> Option<i32> {
    let is_midnight = |time: &str| {
        let mut zones = ["+00:00", "Z", " +0000 UTC"].into_iter();
        let time = zones
            .find_map(|zone| time.strip_suffix(zone))
            .unwrap_or(time);
        time.bytes().all(|byte| matches!(byte, b'0' | b':' | b'.')) && read_time(time) == Some(0)
    };
    let date = match text.split_once([' ', 'T']) {
        Some((date, time)) if is_midnight(time) => date,
        Some(_) => return None,
        None => text,
    };
    // Something after it would be ignored.
    if date.len() != "2024-01-31".len() {
        return None;
    }
    date.parse().ok().map(days_of)
}

/// `HH:MM:SS`, with up to six digits after the point; up to 24:00:00, which PostgreSQL has. Before
/// it, there may be the day that Rails writes.
pub fn read_time(text: &str) -> Option<i64> {
    let text = text.strip_prefix("2000-01-01 ").unwrap_or(text);
    // Another day, or an offset, would be ignored.
    let is_in_time = |byte: u8| byte.is_ascii_digit() || matches!(byte, b':' | b'.');
    if !text.bytes().all(is_in_time) {
        return None;
    }
    let is_end = |fraction: &str| fraction.bytes().all(|byte| matches!(byte, b'.' | b'0'));
    if text.strip_prefix("24:00:00").is_some_and(is_end) {
        return Some(DAY);
    }
    if has_leap_second(text) {
        return None;
    }
    let time: Time = text.parse().ok()?;
    let since = time.duration_since(Time::midnight());
    exact_micros(since)
}

/// A time as MySQL has it, too: negative, or of many hours.
pub fn read_span(text: &str) -> Option<i64> {
    let (sign, span) = match text.strip_prefix('-') {
        Some(span) => (-1, span),
        None => (1, text),
    };
    let (hours, rest) = span.split_once(':')?;
    let is_number = hours.bytes().all(|byte| byte.is_ascii_digit());
    let is_long = matches!(hours.len(), 2 | 3) && is_number;
    let hours: i64 = is_long.then(|| hours.parse().ok())??;
    Some(sign * (hours * 3_600 * SECOND + read_time(&format!("00:{rest}"))?))
}

/// Whether a text ends with an offset that is not UTC's.
pub fn has_other_offset(text: &str) -> bool {
    let is_utc = ["Z", "+00:00", "-00:00"]
        .iter()
        .any(|utc| text.ends_with(utc));
    !is_utc && text.rfind(['+', '-']).is_some_and(|place| place > 10)
}

/// The time in UTC; a time without an offset counts as UTC.
pub fn read_timestamp(text: &str) -> Option<i64> {
    // The name of a zone, in brackets, would be ignored.
    if text.contains('[') || has_leap_second(text) {
        return None;
    }
    let joined = with_joined_offset(text);
    let text: &str = &joined;
    let plain = text
        .strip_suffix("+00:00")
        .or_else(|| text.strip_suffix('Z'))
        .unwrap_or(text);
    if has_other_offset(plain) {
        let moment: jiff::Timestamp = plain.parse().ok()?;
        return read_timestamp(&jiff::tz::Offset::UTC.to_datetime(moment).to_string());
    }
    let time: DateTime = plain.parse().ok()?;
    exact_micros(time.duration_since(EPOCH.to_datetime(Time::midnight())))
}

/// A time without the space before its offset, which Sequelize writes.
fn with_joined_offset(text: &str) -> Cow<'_, str> {
    match text.rsplit_once(' ') {
        Some((time, offset)) if time.contains(':') && offset.starts_with(['+', '-']) => {
            Cow::Owned(format!("{time}{offset}"))
        }
        _ => Cow::Borrowed(text),
    }
}

/// A text without its digits after the sixth behind the point; nothing if it has no more.
pub fn without_nanos(text: &str) -> Option<String> {
    let point = text.find('.')?;
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let digits = text.bytes().skip(point + 1).take_while(is_digit).count();
    (digits > 6).then(|| format!("{}{}", &text[..point + 7], &text[point + 1 + digits..]))
}

/// Whether a time has the 61st second of a minute, which would be read as the one before.
fn has_leap_second(text: &str) -> bool {
    text.contains(":60")
}

/// Nothing if it has nanoseconds.
fn exact_micros(duration: SignedDuration) -> Option<i64> {
    let is_exact = duration.subsec_nanos() % 1_000 == 0;
    is_exact.then(|| i64::try_from(duration.as_micros()).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read() {
        for text in [
            "0001-01-01 00:00:00.000000",
            "1582-10-10 12:00:00.000001",
            "1999-12-31 23:59:59.999999",
            "2000-01-01 00:00:00.000000",
            "9999-12-31 23:59:59.999999",
        ] {
            let micros = read_timestamp(text).unwrap();
            assert_eq!(timestamp_text(micros).as_deref(), Ok(text));
            assert_eq!(read_timestamp(&format!("{text}+00:00")), Some(micros));
            let days = read_date(&text[..10]).unwrap();
            assert_eq!(i64::from(days), micros.div_euclid(DAY));
            assert_eq!(date_text(days).as_deref(), Ok(&text[..10]));
            let time = read_time(&text[11..]).unwrap();
            assert_eq!(time_text(time), &text[11..]);
        }
        assert_eq!(
            read_timestamp("2024-05-01T10:00:00Z"),
            read_timestamp("2024-05-01 10:00:00")
        );
        for text in [
            "2024-05-01T12:00:00+02:00",
            "2024-05-01 12:00:00.000 +02:00",
            "2024-05-01 10:00:00.000 +00:00",
        ] {
            let time = read_timestamp("2024-05-01 10:00:00");
            assert_eq!(read_timestamp(text), time, "{text}");
        }
        assert_eq!(read_timestamp("2016-12-31 23:59:60"), None);
        assert_eq!(read_timestamp("2017-01-01T00:59:60+01:00"), None);
        assert_eq!(read_time("23:59:60"), None);
        assert_eq!(read_time("24:00:00.000000"), Some(DAY));
        assert_eq!(time_text(-838 * 3_600 * SECOND), "-838:00:00.000000");
        for days in [i32::MIN, i32::MAX, -730_486, 2_921_940] {
            assert_eq!(date_text(days), Err(OUTSIDE), "{days}");
        }
        for text in [
            "",
            "2024-02-30",
            "2024-01-01 00:00:01",
            "2024-01-01 ",
            "2024-01-01 24:00:00",
            "2024-01-01 00:00:00+02:00",
            "2024-01-01Z",
            "2024-01-01 Z",
            "0000-00-00",
        ] {
            assert_eq!(read_date(text), None, "{text}");
        }
        for text in [
            "2024-01-31 00:00:00",
            "2024-01-31T00:00:00.000",
            "2024-01-31 00:00:00+00:00",
            "2024-01-31T00:00:00Z",
            "2024-01-31 00:00:00 +0000 UTC",
        ] {
            assert_eq!(read_date(text), read_date("2024-01-31"), "{text}");
        }
        assert_eq!(read_time("2000-01-01 08:30:00"), read_time("08:30:00"));
        for text in ["2024-05-05 10:00:00", "10:00:00+02:00", "10:00:00Z"] {
            assert_eq!(read_time(text), None, "{text}");
        }
        assert_eq!(read_timestamp("2024-01-01 00:00:00.0000001"), None);
        for zone in ["", "Z", "-05:00"] {
            let text = format!("2024-06-19T15:22:45{zone}[America/New_York]");
            assert_eq!(read_timestamp(&text), None, "{text}");
        }
        assert_eq!(read_time("24:00:00.000001"), None);
        for (text, cut) in [
            (
                "2024-01-01 00:00:00.123456789",
                Some("2024-01-01 00:00:00.123456"),
            ),
            ("00:00:00.1234567+02:00", Some("00:00:00.123456+02:00")),
            ("00:00:00.123456Z", None),
            ("2024-01-01", None),
        ] {
            assert_eq!(without_nanos(text).as_deref(), cut, "{text}");
        }
    }
}

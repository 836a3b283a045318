//! PostgreSQL's intervals: months, days and microseconds, none of which is a number of the others.

use std::fmt::Write as _;

use super::clock;

const SECOND: u64 = 1_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// In microseconds since 2000.
const YEAR_1970: i64 = -10_957 * clock::DAY;

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub months: i32,
    pub days: i32,
    pub micros: i64,
}

impl Interval {
    /// Microseconds, days and months, as the server sends them.
    pub fn of_binary(bytes: &[u8]) -> Option<Self> {
        let (micros, rest) = bytes.split_first_chunk()?;
        let (days, rest) = rest.split_first_chunk()?;
        Some(Self {
            months: i32::from_be_bytes(rest.try_into().ok()?),
            days: i32::from_be_bytes(*days),
            micros: i64::from_be_bytes(*micros),
        })
    }

    pub fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.micros.to_be_bytes());
        bytes.extend(self.days.to_be_bytes());
        bytes.extend(self.months.to_be_bytes());
    }

    /// The infinite intervals of PostgreSQL 17 and later.
    pub const INFINITE: [Self; 2] = [
        Self {
            months: i32::MIN,
            days: i32::MIN,
            micros: i64::MIN,
        },
        Self {
            months: i32::MAX,
            days: i32::MAX,
            micros: i64::MAX,
        },
    ];

    /// The infinite moment that an infinite interval ends at, since whenever.
    pub fn infinity(self) -> Option<i64> {
        let is_infinite = Self::INFINITE.contains(&self);
        is_infinite.then_some(self.micros)
    }

    /// The time since 1970, of a moment in microseconds since 2000.
    pub fn since_1970(moment: i64) -> Option<Self> {
        let mut infinite = Self::INFINITE.into_iter();
        if let Some(infinite) = infinite.find(|infinite| infinite.micros == moment) {
            return Some(infinite);
        }
        moment.checked_sub(YEAR_1970).map(Self::of_micros)
    }

    /// The moment in microseconds since 2000, at this time since 1970.
    pub fn after_1970(self) -> Option<i64> {
        self.as_micros()?.checked_add(YEAR_1970)
    }

    /// Days of 24 hours, and microseconds.
    pub fn of_micros(micros: i64) -> Self {
        Self {
            months: 0,
            days: (micros / clock::DAY) as i32,
            micros: micros % clock::DAY,
        }
    }

    /// With days of 24 hours; nothing if it has months, or is too long.
    pub fn as_micros(self) -> Option<i64> {
        let days = i64::from(self.days).checked_mul(clock::DAY)?;
        match self.months {
            0 => self.micros.checked_add(days),
            _ => None,
        }
    }

    /// `P1Y2M3DT-4H5M6.000007S`, of ISO 8601, which PostgreSQL reads too. Hours are not made into
    /// days.
    pub fn text(self) -> String {
        let mut text = String::from("P");
        let part = |text: &mut String, number: i128, unit: char| {
            if number != 0 {
                // Writing to a text does not fail.
                let _ = write!(text, "{number}{unit}");
            }
        };
        part(&mut text, (self.months / 12).into(), 'Y');
        part(&mut text, (self.months % 12).into(), 'M');
        part(&mut text, self.days.into(), 'D');
        let all = self.micros.unsigned_abs();
        let sign = if self.micros < 0 { -1 } else { 1 };
        if all != 0 || text == "P" {
            text.push('T');
            part(&mut text, sign * i128::from(all / HOUR), 'H');
            part(&mut text, sign * i128::from(all % HOUR / MINUTE), 'M');
            let (seconds, fraction) = (all % MINUTE / SECOND, all % SECOND);
            if seconds != 0 || fraction != 0 || all == 0 {
                let sign = if sign < 0 { "-" } else { "" };
                let _ = write!(text, "{sign}{seconds}.{fraction:06}S");
            }
        }
        text
    }

    /// What [`text`](Self::text) writes; nothing for other text.
    pub fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('P')?;
        let (date, time) = rest.split_once('T').unwrap_or((rest, ""));
        let (mut months, mut days, mut micros) = (0_i64, 0_i64, 0_i128);
        for (number, unit) in parts(date)? {
            let number: i64 = number.parse().ok()?;
            match unit {
                'Y' => months = months.checked_add(number.checked_mul(12)?)?,
                'M' => months = months.checked_add(number)?,
                'D' => days = days.checked_add(number)?,
                _ => return None,
            }
        }
        for (number, unit) in parts(time)? {
            micros += match unit {
                'H' => i128::from(number.parse::<i64>().ok()?) * i128::from(HOUR),
                'M' => i128::from(number.parse::<i64>().ok()?) * i128::from(MINUTE),
                'S' => seconds(number)?,
                _ => return None,
            };
        }
        let interval = Self {
            months: months.try_into().ok()?,
            days: days.try_into().ok()?,
            micros: micros.try_into().ok()?,
        };
        // Another form of the same would be compared as another text.
        (interval.text() == text).then_some(interval)
    }
}

/// Numbers with the letters behind them.
fn parts(text: &str) -> Option<Vec<(&str, char)>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let place = rest.find(|letter: char| letter.is_ascii_alphabetic())?;
        let (number, after) = rest.split_at(place);
        let unit = after.chars().next()?;
        parts.push((number, unit));
        rest = after.get(1..)?;
    }
    Some(parts)
}

/// Seconds with six digits behind the point.
fn seconds(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let whole: i128 = digits.parse().ok()?;
    let micros = whole.checked_mul(SECOND.into())?;
    let micros = micros.checked_add(fraction.parse().ok()?)?;
    Some(if text.starts_with('-') {
        -micros
    } else {
        micros
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_written_and_read() {
        for (months, days, micros, expected) in [
            (0, 0, 0, "PT0.000000S"),
            (14, 3, 14_706_000_007, "P1Y2M3DT4H5M6.000007S"),
            (-14, 3, -1, "P-1Y-2M3DT-0.000001S"),
            (0, 1, 0, "P1D"),
            (0, 0, 90_000_000_000, "PT25H"),
            (
                i32::MIN,
                i32::MAX,
                i64::MIN,
                "P-178956970Y-8M2147483647DT-2562047788H-54.775808S",
            ),
        ] {
            let interval = Interval {
                months,
                days,
                micros,
            };
            assert_eq!(interval.text(), expected);
            assert_eq!(Interval::read(expected), Some(interval));
            let mut bytes = Vec::new();
            interval.append(&mut bytes);
            assert_eq!(Interval::of_binary(&bytes), Some(interval));
        }
        for wrong in ["", "P", "1 day", "P1W", "PT1S", "P14M", "PT1.5S", "P1DT"] {
            assert_eq!(Interval::read(wrong), None, "{wrong}");
        }
        let long = format!("PT{}.000000S", "9".repeat(36));
        assert_eq!(Interval::read(&long), None);
        let time = |months, days, micros| {
            Interval {
                months,
                days,
                micros,
            }
            .as_micros()
        };
        assert_eq!(time(0, 1, 1), Some(clock::DAY + 1));
        assert_eq!(time(1, 0, 0), None);
        for infinite in Interval::INFINITE {
            let moment = infinite.infinity().unwrap();
            assert_eq!(Interval::since_1970(moment), Some(infinite));
        }
        assert_eq!(Interval::of_micros(0).infinity(), None);
    }
}

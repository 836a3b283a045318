//! Days and months in UTC, for the edges of partitions.

use alloc::format;
use alloc::string::String;

use rowkey_core::UnixMillis;

const DAY_MS: i64 = 86_400_000;

/// Days from 1970-01-01 to the first day of a month counted from January of year 0, in the
/// proleptic Gregorian calendar.
const fn first_day_of_month(month: i64) -> i64 {
    // With March as the first month, the leap day is the last day of a year, and the lengths of
    // months repeat every five.
    let since_march = month - 2;
    let (year, month) = (since_march.div_euclid(12), since_march.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 - 719_468
}

/// The year, month (1 to 12) and day (1 to 31) of a number of days since 1970-01-01.
const fn date_of(days: i64) -> (i64, i64, i64) {
    // At most two months later, so the search is short.
    let mut month = (days + 719_528) * 4_800 / 146_097 + 1;
    while first_day_of_month(month) > days {
        month -= 1;
    }
    (
        month.div_euclid(12),
        month.rem_euclid(12) + 1,
        days - first_day_of_month(month) + 1,
    )
}

/// The first instants of consecutive months in UTC, from `month` (1 to 12) of `year` on, without
/// end. The iterator is empty for any other `month`.
///
/// ```
/// use rowkey_sql::month_starts;
///
/// let first_quarter: Vec<i64> = month_starts(2026, 1).take(4).map(|start| start.get()).collect();
/// assert_eq!(first_quarter[0], 1_767_225_600_000); // 2026-01-01T00:00:00Z
/// assert_eq!(first_quarter[3], 1_775_001_600_000); // 2026-04-01T00:00:00Z
/// ```
pub fn month_starts(year: u16, month: u8) -> impl Iterator<Item = UnixMillis> + Clone {
    let first = i64::from(year) * 12 + i64::from(month) - 1;
    let last = if (1..=12).contains(&month) {
        i64::MAX / (32 * DAY_MS)
    } else {
        first - 1
    };
    (first..=last).map(|month| UnixMillis::new(first_day_of_month(month) * DAY_MS))
}

/// The first instants of consecutive days in UTC, from the day of an instant on, without end.
pub fn day_starts(time: UnixMillis) -> impl Iterator<Item = UnixMillis> + Clone {
    let first = time.get().div_euclid(DAY_MS);
    (first..=i64::MAX / DAY_MS).map(|day| UnixMillis::new(day * DAY_MS))
}

/// An instant in UTC as part of a name, in the shortest exact form: `20260131`, `20260131_235959`
/// or `20260131_235959_999`.
pub(crate) fn stamp(time: UnixMillis) -> String {
    let (days, ms) = (time.get().div_euclid(DAY_MS), time.get().rem_euclid(DAY_MS));
    let (year, month, day) = date_of(days);
    let mut stamp = format!("{year:04}{month:02}{day:02}");
    if ms != 0 {
        let seconds = ms / 1_000;
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        stamp += &format!("_{hour:02}{minute:02}{second:02}");
    }
    if ms % 1_000 != 0 {
        stamp += &format!("_{:03}", ms % 1_000);
    }
    stamp
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn days_and_months_follow_each_other_for_thousands_of_years() {
        let mut days = first_day_of_month(0);
        assert_eq!(days, -719_528, "0000-01-01");
        for year in 0_i64..4_000 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                assert_eq!(first_day_of_month(year * 12 + month - 1), days);
                assert_eq!(date_of(days), (year, month, 1));
                assert_eq!(date_of(days + length - 1), (year, month, length));
                days += length;
            }
        }
    }

    #[test]
    fn stamps_are_as_short_as_they_are_exact() {
        for (time, expected) in [
            (0, "19700101"),
            (-1, "19691231_235959_999"),
            (1_709_164_800_000, "20240229"),
            (1_709_164_801_000, "20240229_000001"),
            (1_709_251_199_007, "20240229_235959_007"),
            (-59_011_459_200_000, "01000101"),
        ] {
            assert_eq!(stamp(UnixMillis::new(time)), expected);
        }
    }

    #[test]
    fn months_and_days_start_at_midnight() {
        let starts: Vec<_> = month_starts(2024, 12).take(3).collect();
        let stamps: Vec<_> = starts.into_iter().map(stamp).collect();
        assert_eq!(stamps, ["20241201", "20250101", "20250201"]);
        for wrong in [0, 13, 255] {
            assert_eq!(month_starts(2024, wrong).next(), None);
        }
        let days: Vec<_> = day_starts(UnixMillis::new(-1)).take(2).collect();
        assert_eq!(days, [UnixMillis::new(-DAY_MS), UnixMillis::EPOCH]);
        assert_eq!(day_starts(UnixMillis::new(i64::MAX)).count(), 1);
    }
}

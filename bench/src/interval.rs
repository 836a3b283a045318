//! Medians of what varies from one time to the next, with the interval that they lie in.

/// A median, and the interval that the true one lies in with a probability of 95 %.
///
/// Of fewer than six values, not even all of them are enough for that: then the interval is that of
/// the lowest and the highest.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// The middle of the values.
    pub median: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Of at least one value.
    ///
    /// How many of `n` values are below the true median is a matter of tossing `n` coins, whatever
    /// the values are distributed like. So the interval is that between two of the sorted values:
    /// 1.96 standard deviations, of `sqrt(n) / 2` each, to either side of the middle.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len();
        let middle = count as f64 / 2.0;
        let below = (middle - 0.98 * (count as f64).sqrt()).floor() as usize;
        let low = below.saturating_sub(1);
        Self {
            median: (values[(count - 1) / 2] + values[count / 2]) / 2.0,
            low: values[low],
            high: values[count - 1 - low],
        }
    }

    /// As text with so many decimals, the interval in brackets.
    pub fn to_text(self, decimals: usize) -> String {
        let Self { median, low, high } = self;
        format!("{median:.decimals$} ({low:.decimals$} to {high:.decimals$})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_sign_test() {
        // For 100 values, tables have the 40th and the 61st; the approximation is at most one
        // wider.
        let interval = Interval::of((1..=100).rev().map(f64::from));
        assert_eq!(interval.median, 50.5);
        assert_eq!((interval.low, interval.high), (40.0, 61.0));
        // Of few values, not even all of them are enough.
        for few in [vec![2.0, 1.0, 3.0], vec![2.5, 1.0, 2.0, 3.0, 1.5]] {
            assert_eq!(Interval::of(few).to_text(1), "2.0 (1.0 to 3.0)");
        }
    }
}

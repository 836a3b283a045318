//! Where the ranges of a sorted stream of keys begin.

/// How many keys are kept for each range. A range begins at one of them, so that it misses its
/// place by less than a 64th of a range.
const KEPT: u64 = 64;

/// Keys at about equal distances in a stream of unknown length, in little memory.
#[derive(Debug)]
pub(super) struct Bounds<K> {
    ranges: u64,
    /// How many rows there are before each kept key.
    kept: Vec<(u64, K)>,
    /// How many rows there are at least between kept keys.
    distance: u64,
    rows: u64,
}

impl<K> Bounds<K> {
    pub(super) fn new(ranges: u64) -> Self {
        Self {
            ranges,
            kept: Vec::new(),
            distance: 0,
            rows: 0,
        }
    }

    /// Takes the next key, which is larger than all before it, and how many rows have it.
    pub(super) fn add(&mut self, key: K, rows: u64) {
        let is_due = |(before, _): &(u64, K)| before + self.distance <= self.rows;
        if self.kept.last().is_none_or(is_due) {
            self.kept.push((self.rows, key));
        }
        self.rows += rows;
        if self.kept.len() as u64 > 2 * KEPT * self.ranges {
            self.thin_out();
        }
    }

    /// Keeps about half of the keys.
    fn thin_out(&mut self) {
        self.distance = (self.rows / (KEPT * self.ranges)).max(1);
        let (distance, mut due) = (self.distance, 0);
        self.kept.retain(|(before, _)| {
            let is_kept = *before >= due;
            if is_kept {
                due = before + distance;
            }
            is_kept
        });
    }

    /// The first keys of all ranges but the first one. There are fewer ranges than were asked for
    /// if there are fewer keys.
    pub(super) fn firsts(self) -> Vec<K> {
        let mut firsts = Vec::new();
        let mut wanted = 1;
        let mut kept = self.kept.into_iter().peekable();
        while let Some((before, key)) = kept.next() {
            let target = self.rows * wanted / self.ranges;
            let next = kept.peek().map(|(before, _)| *before);
            let is_nearest =
                next.is_none_or(|next| next.abs_diff(target) >= before.abs_diff(target));
            if wanted < self.ranges && before > 0 && is_nearest {
                firsts.push(key);
                // The end of a key that fills several ranges.
                let end = next.unwrap_or(self.rows);
                wanted = (wanted + 1).max(end * self.ranges / self.rows.max(1));
            }
        }
        firsts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the ranges of keys that have these numbers of rows.
    fn sizes(ranges: u64, rows: &[u64]) -> Vec<u64> {
        let mut bounds = Bounds::new(ranges);
        for (key, rows) in rows.iter().enumerate() {
            bounds.add(key, *rows);
        }
        let mut edges = vec![0];
        edges.extend(bounds.firsts());
        edges.push(rows.len());
        let between = edges.windows(2);
        between
            .map(|edge| rows[edge[0]..edge[1]].iter().sum())
            .collect()
    }

    #[test]
    fn ranges_of_different_keys_are_equal() {
        assert_eq!(sizes(4, &[1; 8]), [2, 2, 2, 2]);
        assert_eq!(sizes(3, &[1; 10]), [3, 3, 4]);
        assert_eq!(sizes(1, &[1; 10]), [10]);
        assert_eq!(sizes(5, &[1; 2]), [1, 1]);
        assert_eq!(sizes(5, &[1]), [1]);
        assert_eq!(sizes(5, &[]), [0]);
    }

    #[test]
    fn a_key_is_in_one_range_however_many_rows_have_it() {
        assert_eq!(sizes(4, &[100]), [100]);
        assert_eq!(sizes(4, &[1, 97, 1, 1]).iter().sum::<u64>(), 100);
        assert_eq!(sizes(4, &[50, 50]), [50, 50]);
        assert_eq!(sizes(2, &[90, 5, 5]), [90, 10]);
        assert_eq!(sizes(4, &[10, 10, 60, 10, 10]).iter().max(), Some(&60));
    }

    #[test]
    fn a_long_stream_takes_little_memory() {
        for keys in [1_000_usize, 12_345, 1_000_000] {
            let rows = vec![1; keys];
            let mut bounds = Bounds::new(7);
            for key in 0..keys {
                bounds.add(key, 1);
                assert!(bounds.kept.len() as u64 <= 2 * KEPT * 7);
            }
            let mean = keys as u64 / 7;
            for size in sizes(7, &rows) {
                assert!(size.abs_diff(mean) <= mean / 16, "{size} of {keys}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn no_range_is_larger_than_a_mean_range_and_a_key(
            rows in proptest::collection::vec(1_u64..50, 0..500),
            ranges in 1_u64..20,
        ) {
            let sizes = sizes(ranges, &rows);
            let total: u64 = rows.iter().sum();
            assert_eq!(sizes.iter().sum::<u64>(), total);
            assert!(sizes.len() as u64 <= ranges);
            assert!(rows.is_empty() || sizes.iter().all(|size| *size > 0));
            let largest = rows.iter().max().copied().unwrap_or(0);
            for size in &sizes {
                assert!(*size <= total / ranges + 2 * largest + 2, "{size}: {sizes:?}");
            }
        }
    }
}

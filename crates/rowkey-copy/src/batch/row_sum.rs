//! What tells that some rows are the same, in any order.

/// The number of rows, and the sum of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSum {
    pub(crate) rows: u64,
    pub(crate) hash: u128,
}

impl RowSum {
    pub(crate) fn add(&mut self, hash: u128) {
        self.append(Self { rows: 1, hash });
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.rows += other.rows;
        self.hash = self.hash.wrapping_add(other.hash);
    }

    pub(crate) fn hash_text(self) -> String {
        format!("{:032x}", self.hash)
    }
}

//! Sums of the hashes of rows, in parts by their keys.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::connection::{Row, Value};

/// How many parts there are: one for each first byte of a key's hash.
const PARTS: usize = 256;

/// How many rows are compared one by one, unless one part has more.
const AT_ONCE: u64 = 100_000;

/// How many keys are named.
const NAMED: usize = 3;

/// The number and the sum of the hashes of the rows in each part. The order of rows does not
/// matter.
pub struct Digest {
    parts: Vec<(u64, u128)>,
}

impl Default for Digest {
    fn default() -> Self {
        Self {
            parts: vec![(0, 0); PARTS],
        }
    }
}

impl Digest {
    /// Adds a row whose first values are its key.
    pub fn add(&mut self, row: &Row, keys: usize) {
        self.add_hashes(hash(&row.0[..keys]), hash(&row.0));
    }

    /// Adds a row by the hashes of its key and of all of it.
    pub fn add_hashes(&mut self, key: u128, hash: u128) {
        let (rows, sum) = &mut self.parts[part_of_hash(key)];
        *rows += 1;
        *sum = sum.wrapping_add(hash);
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.parts.iter().map(|(rows, _)| rows).sum()
    }

    /// The first part that is not the same in the other.
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        let mut pairs = self.parts.iter().zip(&other.parts);
        pairs.position(|(one, other)| one != other)
    }

    /// Parts that are not the same in the other: at least the first one, and those that follow
    /// while they have few rows together.
    pub fn some_differences(&self, other: &Self) -> Vec<usize> {
        let mut rows = 0;
        let pairs = self.parts.iter().zip(&other.parts).enumerate();
        let different = pairs.filter(|(_, (one, other))| one != other);
        let fitting = different.take_while(|(_, (one, other))| {
            let is_first = rows == 0;
            rows += one.0.max(other.0);
            is_first || rows <= AT_ONCE
        });
        fitting.map(|(part, _)| part).collect()
    }

    /// How many parts are not the same in the other.
    pub fn differences(&self, other: &Self) -> usize {
        let pairs = self.parts.iter().zip(&other.parts);
        pairs.filter(|(one, other)| one != other).count()
    }
}

/// The rows of one part on both sides.
#[derive(Default)]
pub struct Rows {
    /// By their keys: the sums of the old and of the new ones.
    hashes: BTreeMap<String, (u128, u128)>,
}

impl Rows {
    /// Adds a row, if it is of the part.
    pub fn add(&mut self, row: &Row, keys: usize, part: usize, is_old: bool) {
        if part_of(row, keys) != part {
            return;
        }
        self.add_hash(key(row, keys), hash(&row.0), is_old);
    }

    /// Adds a row of the part by its key and its hash.
    pub fn add_hash(&mut self, key: String, hash: u128, is_old: bool) {
        let sums = self.hashes.entry(key).or_default();
        let sum = match is_old {
            true => &mut sums.0,
            false => &mut sums.1,
        };
        *sum = sum.wrapping_add(hash);
    }

    /// The first keys whose rows are not the same.
    pub fn first_differences(&self) -> Vec<String> {
        let different = self.hashes.iter().filter(|(_, (old, new))| old != new);
        let keys = different.map(|(key, _)| key.clone());
        keys.take(NAMED).collect()
    }
}

fn part_of(row: &Row, keys: usize) -> usize {
    part_of_hash(hash(&row.0[..keys]))
}

/// The part of a key with a hash.
pub fn part_of_hash(key: u128) -> usize {
    (key % PARTS as u128) as usize
}

fn hash(values: &[Value]) -> u128 {
    let mut hash = Sha256::new();
    for value in values {
        let (kind, bytes) = match value {
            Value::Null => (0_u8, Vec::new()),
            Value::Integer(number) => (1, number.to_be_bytes().to_vec()),
            Value::Text(text) => (2, text.as_bytes().to_vec()),
            Value::Bytes(bytes) => (3, bytes.clone()),
        };
        hash.update([kind]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    let hash = hash.finalize();
    let first = hash.first_chunk().expect("a hash has 32 bytes");
    u128::from_be_bytes(*first)
}

/// A key for people.
fn key(row: &Row, keys: usize) -> String {
    let values = row.0[..keys].iter();
    let text = |value: &Value| match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if text.chars().all(|character| !character.is_control()) => text.to_owned(),
            _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        },
    };
    values.map(text).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: i64, text: &str) -> Row {
        Row(vec![key.into(), text.into()])
    }

    fn digest(rows: &[Row]) -> Digest {
        let mut digest = Digest::default();
        for row in rows {
            digest.add(row, 1);
        }
        digest
    }

    #[test]
    fn the_order_of_rows_does_not_matter_but_everything_else_does() {
        let rows: Vec<Row> = (0..1_000).map(|key| row(key, "text")).collect();
        let all = digest(&rows);
        assert_eq!(all.rows(), 1_000);
        let mut others = rows.clone();
        others.reverse();
        assert_eq!(all.first_difference(&digest(&others)), None);
        others[17] = row(982, "other");
        let changed = digest(&others);
        assert_eq!(all.differences(&changed), 1);
        others.pop();
        assert!(all.first_difference(&digest(&others)).is_some());
        assert_ne!(
            hash(&["ab".into(), "c".into()]),
            hash(&["a".into(), "bc".into()])
        );
    }

    #[test]
    fn keys_that_differ_are_named() {
        let (old, new) = (
            [row(1, "a"), row(2, "b"), row(3, "c")],
            [row(1, "a"), row(2, "x"), row(4, "c")],
        );
        let mut named = Vec::new();
        for part in 0..PARTS {
            let mut rows = Rows::default();
            for row in &old {
                rows.add(row, 1, part, true);
            }
            for row in &new {
                rows.add(row, 1, part, false);
            }
            named.extend(rows.first_differences());
        }
        named.sort();
        assert_eq!(named, ["2", "3", "4"]);
    }
}

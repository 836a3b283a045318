//! Compares rows by the sums of their hashes, in parts by their keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::connection::{Row, Value};
use crate::error::Error;

/// How many parts there are: one for each first byte of a key's hash.
const PARTS: usize = 256;

/// How many rows are compared one by one, unless one part has more.
const AT_ONCE: u64 = 100_000;

/// How many keys are named.
const NAMED: usize = 3;

/// A row of one side.
pub struct HashedRow<'r> {
    /// The hash of its key.
    pub key: u128,
    /// The hash of all of it.
    pub row: u128,
    /// Its key for people.
    pub name: &'r dyn Fn() -> String,
}

/// Takes a row of a query whose first values are its key.
pub fn take_row(row: &Row, keys: usize, take: &mut impl FnMut(HashedRow<'_>)) {
    take(HashedRow {
        key: hash(&row.0[..keys]),
        row: hash(&row.0),
        name: &|| key(row, keys),
    });
}

/// The rows of both sides, which can be read again.
pub trait TwoSides {
    /// Reads all rows of both, in any order.
    fn each(
        &mut self,
        old: impl FnMut(HashedRow<'_>) + Send,
        new: impl FnMut(HashedRow<'_>) + Send,
    ) -> impl Future<Output = Result<(), Error>> + Send;
}

/// What a comparison of the rows of two sides has found.
pub struct Compared {
    /// How many rows the first side has.
    pub old_rows: u64,
    /// How many rows the other side has.
    pub new_rows: u64,
    /// What is not the same.
    pub difference: Option<RowDifference>,
}

/// How the rows of two sides differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowDifference {
    /// How many of 256 parts of the rows differ.
    pub parts: usize,
    /// Keys of rows that differ, from the first parts that do.
    pub keys: Vec<String>,
}

impl fmt::Display for RowDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.keys.join(", ");
        write!(
            f,
            "{} of {PARTS} parts differ, such as the keys {keys}",
            self.parts
        )
    }
}

/// Compares the rows of two sides, in whichever order they come. They are read once, and once more
/// if they differ, for the keys.
///
/// # Errors
///
/// Those of reading.
pub async fn compare(sides: &mut impl TwoSides) -> Result<Compared, Error> {
    let (mut old, mut new) = (Digest::default(), Digest::default());
    sides.each(|row| old.add(&row), |row| new.add(&row)).await?;
    let parts = old.some_differences(&new);
    let difference = match parts.as_slice() {
        [] => None,
        some => {
            let (mut of_old, mut of_new) = (BTreeMap::new(), BTreeMap::new());
            let take = |row: HashedRow<'_>, sums: &mut BTreeMap<String, u128>| {
                if some.contains(&part_of(row.key)) {
                    let sum = sums.entry((row.name)()).or_default();
                    *sum = sum.wrapping_add(row.row);
                }
            };
            sides
                .each(|row| take(row, &mut of_old), |row| take(row, &mut of_new))
                .await?;
            Some(RowDifference {
                parts: old.differences(&new),
                keys: first_differences(&of_old, &of_new),
            })
        }
    };
    Ok(Compared {
        old_rows: old.rows(),
        new_rows: new.rows(),
        difference,
    })
}

/// The number and the sum of the hashes of the rows in each part. The order of rows does not
/// matter.
struct Digest {
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
    fn add(&mut self, row: &HashedRow<'_>) {
        let (rows, sum) = &mut self.parts[part_of(row.key)];
        *rows += 1;
        *sum = sum.wrapping_add(row.row);
    }

    fn rows(&self) -> u64 {
        self.parts.iter().map(|(rows, _)| rows).sum()
    }

    /// Parts that are not the same in the other: at least the first one, and those that follow
    /// while they have few rows together.
    fn some_differences(&self, other: &Self) -> Vec<usize> {
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
    fn differences(&self, other: &Self) -> usize {
        let pairs = self.parts.iter().zip(&other.parts);
        pairs.filter(|(one, other)| one != other).count()
    }
}

/// The first keys whose rows are not the same, from their sums on both sides.
fn first_differences(old: &BTreeMap<String, u128>, new: &BTreeMap<String, u128>) -> Vec<String> {
    let all: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let different = all.into_iter().filter(|key| old.get(*key) != new.get(*key));
    different.take(NAMED).cloned().collect()
}

/// The part of a key with a hash.
fn part_of(key: u128) -> usize {
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
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if text.chars().all(|character| !character.is_control()) => text.to_owned(),
            _ => value.to_string(),
        },
        other => other.to_string(),
    };
    values.map(text).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows whose first value is their key.
    struct Lists([Vec<Row>; 2]);

    impl TwoSides for Lists {
        async fn each(
            &mut self,
            mut old: impl FnMut(HashedRow<'_>) + Send,
            mut new: impl FnMut(HashedRow<'_>) + Send,
        ) -> Result<(), Error> {
            self.0[0].iter().for_each(|row| take_row(row, 1, &mut old));
            self.0[1].iter().for_each(|row| take_row(row, 1, &mut new));
            Ok(())
        }
    }

    fn row(key: i64, text: &str) -> Row {
        Row(vec![key.into(), text.into()])
    }

    async fn compared(old: &[Row], new: &[Row]) -> Compared {
        let mut lists = Lists([old, new].map(<[Row]>::to_vec));
        compare(&mut lists).await.unwrap()
    }

    #[tokio::test]
    async fn the_order_of_rows_does_not_matter_but_everything_else_does() {
        let rows: Vec<Row> = (0..1_000).map(|key| row(key, "text")).collect();
        let mut others = rows.clone();
        others.reverse();
        let same = compared(&rows, &others).await;
        assert_eq!((same.old_rows, same.new_rows), (1_000, 1_000));
        assert_eq!(same.difference, None);
        others[17] = row(982, "other");
        let changed = compared(&rows, &others).await.difference.unwrap();
        assert_eq!((changed.parts, changed.keys), (1, vec!["982".to_owned()]));
        others[17] = row(982, "text");
        others.pop();
        let fewer = compared(&rows, &others).await;
        assert_eq!(fewer.new_rows, 999);
        assert_eq!(fewer.difference.unwrap().keys, ["0"]);
        assert_ne!(
            hash(&["ab".into(), "c".into()]),
            hash(&["a".into(), "bc".into()])
        );
    }

    #[tokio::test]
    async fn keys_that_differ_are_named() {
        let old = [row(1, "a"), row(2, "b"), row(3, "c")];
        let new = [row(1, "a"), row(2, "x"), row(4, "c")];
        let difference = compared(&old, &new).await.difference.unwrap();
        assert_eq!(difference.keys, ["2", "3", "4"]);
    }
}

//! The rows that a shop has to have, whatever form its ids are stored in.

use std::collections::BTreeMap;

use rowkey_core::UnixMillis;
use rowkey_core::format::{FormatKind, PrefixComb};
use rowkey_core::storage::Stored;
use rowkey_sql::StoredForm;
use rowkey_tables::Value;

/// The rows of the shop's tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) parents: BTreeMap<u128, Parent>,
    /// By their numbers.
    pub(crate) children: BTreeMap<i64, Child>,
    /// The lines of parents, and the parts of lines, with a quantity.
    pub(crate) lines: BTreeMap<(u128, i64), i64>,
    pub(crate) parts: BTreeMap<(u128, i64, i64), i64>,
    /// References without a constraint.
    pub(crate) loose: BTreeMap<i64, Option<u128>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parent {
    pub(crate) title: String,
    /// Another parent.
    pub(crate) above: Option<u128>,
    pub(crate) created: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child {
    pub(crate) parent: u128,
    pub(crate) other: Option<u128>,
}

impl Rows {
    /// What a table contains, in the order of [`SELECTS`](super::shop::SELECTS), unsorted.
    pub(crate) fn expected(&self, table: &str, form: StoredForm) -> Vec<Vec<Value>> {
        let id = |id: &u128| value(form, *id);
        let optional = |one: &Option<u128>| one.map_or(Value::Null, |one| value(form, one));
        let number = |number: &i64| Value::Integer(*number);
        match table {
            "parent" => self
                .parents
                .iter()
                .map(|(key, row)| vec![id(key), row.title.as_str().into(), optional(&row.above)])
                .collect(),
            "child" => self
                .children
                .iter()
                .map(|(key, row)| vec![number(key), id(&row.parent), optional(&row.other)])
                .collect(),
            "line" => self
                .lines
                .iter()
                .map(|((key, n), quantity)| vec![id(key), number(n), number(quantity)])
                .collect(),
            "part" => self
                .parts
                .iter()
                .map(|((key, n, k), quantity)| {
                    vec![id(key), number(n), number(k), number(quantity)]
                })
                .collect(),
            _ => self
                .loose
                .iter()
                .map(|(key, parent)| vec![number(key), optional(parent)])
                .collect(),
        }
    }

    /// The rows of both.
    pub(crate) fn extend(&mut self, other: Self) {
        self.parents.extend(other.parents);
        self.children.extend(other.children);
        self.lines.extend(other.lines);
        self.parts.extend(other.parts);
        self.loose.extend(other.loose);
    }

    /// Gives the rows other ids, and every reference to them.
    pub(crate) fn rekey(&mut self, new_id: impl Fn(u128) -> u128) {
        let parents = std::mem::take(&mut self.parents).into_iter();
        self.parents = parents
            .map(|(key, mut row)| {
                row.above = row.above.map(&new_id);
                (new_id(key), row)
            })
            .collect();
        for child in self.children.values_mut() {
            child.parent = new_id(child.parent);
            child.other = child.other.map(&new_id);
        }
        let lines = std::mem::take(&mut self.lines).into_iter();
        self.lines = lines
            .map(|((key, n), quantity)| ((new_id(key), n), quantity))
            .collect();
        let parts = std::mem::take(&mut self.parts).into_iter();
        self.parts = parts
            .map(|((key, n, k), quantity)| ((new_id(key), n, k), quantity))
            .collect();
        for parent in self.loose.values_mut() {
            *parent = parent.map(&new_id);
        }
    }

    /// What `ON DELETE` does in the tables. References without a constraint stay.
    pub(crate) fn delete(&mut self, parent: u128) {
        self.parents.remove(&parent);
        self.lines.retain(|(key, _), _| *key != parent);
        self.parts.retain(|(key, _, _), _| *key != parent);
        self.children.retain(|_, child| child.parent != parent);
        for child in self.children.values_mut() {
            child.other = child.other.filter(|other| *other != parent);
        }
        for row in self.parents.values_mut() {
            row.above = row.above.filter(|above| *above != parent);
        }
    }

    /// What `ON UPDATE CASCADE` does in the tables. Nothing may be below the parent.
    pub(crate) fn rename(&mut self, old: u128, new: u128) {
        if let Some(row) = self.parents.remove(&old) {
            self.parents.insert(new, row);
        }
        let renamed = |key: u128| if key == old { new } else { key };
        self.lines = std::mem::take(&mut self.lines)
            .into_iter()
            .map(|((key, n), quantity)| ((renamed(key), n), quantity))
            .collect();
        self.parts = std::mem::take(&mut self.parts)
            .into_iter()
            .map(|((key, n, k), quantity)| ((renamed(key), n, k), quantity))
            .collect();
        for child in self.children.values_mut() {
            child.parent = renamed(child.parent);
            child.other = child.other.map(renamed);
        }
    }
}

/// What a connection reads for an id in a form.
pub(crate) fn value(form: StoredForm, id: u128) -> Value {
    match form.encode(id) {
        Stored::Uuid(bytes) => Value::Bytes(bytes.to_vec()),
        Stored::Bytes(bytes) => Value::Bytes(bytes.as_slice().to_vec()),
        Stored::Text(text) => Value::Text(text.as_str().to_owned()),
        Stored::Decimal(number) => Value::Text(number.to_string()),
        Stored::Integer(number) => Value::Integer(number),
    }
}

/// A generator of the same numbers every time.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number of the sequence SplitMix64.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// An id of a format: one of the shop, or a number that is counted, larger than any counter.
    pub(crate) fn id_of(&mut self, format: FormatKind) -> u128 {
        match format {
            FormatKind::DatabaseNumber => 1 << 52 | u128::from(self.next() >> 12),
            _ => self.id(),
        }
    }

    /// An id of the shop, made in the year 2026.
    pub(crate) fn id(&mut self) -> u128 {
        let time = UnixMillis::new(1_767_225_600_000 + self.below(31_536_000_000) as i64);
        let mut random = [0; 10];
        random[..8].copy_from_slice(&self.next().to_be_bytes());
        random[8..].copy_from_slice(&self.next().to_be_bytes()[..2]);
        PrefixComb::from_parts(time, random)
            .expect("2026 is in the format's range")
            .to_u128()
    }
}

//! Takes the rows of a column one by one, in bounded memory.

use std::hash::{Hash, Hasher};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use rowkey_core::UnixMillis;
use rowkey_core::storage::{Backend, Wire};

use super::damage::{DamageKind, Damages, EXAMPLES};
use super::even::Even;
use super::home::Home;
use super::hypothesis::{Era, Hypothesis, hypotheses};
use super::observation::{Observation, StoredValue};
use super::reading::{Reader, Reading, show, show_stored};
use super::window::{Kept, Windows};

/// Zero bits at the end of sixteen bytes that a random id never has.
const ZERO_BITS: u32 = 32;

/// How many values are remembered, so that a repetition does not count twice: a reference repeats the bits of
/// its target, which says nothing new about them.
const DISTINCT: usize = 65_536;

/// What is known of the rows of a column so far. Its size does not depend on their number.
#[derive(Clone, Debug)]
pub struct Survey {
    reader: Reader,
    pub(super) era: Era,
    pub(super) rows: u64,
    pub(super) nulls: u64,
    /// Rows with a value that was there before.
    pub(super) repeated: u64,
    pub(super) damages: Damages,
    pub(super) shapes: Vec<Shape>,
}

/// The rows whose values have the same shape, such as hyphenated text in lower case.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) wire: Wire,
    pub(super) count: u64,
    pub(super) hypotheses: Vec<Hypothesis>,
    told: Vec<Told>,
    pub(super) tallies: HashMap<Signature, Tally>,
    pub(super) windows: Windows,
    pub(super) even: Even,
    /// None after many values without a repetition: they are no references.
    distinct: Option<HashSet<u128>>,
    has_repeated: bool,
}

/// Hypotheses that values speak for, and the bits that those have in common: most values are of another
/// format, which these bits tell at once.
#[derive(Clone, Debug)]
struct Told {
    mask: u128,
    bits: u128,
    indices: Vec<usize>,
}

/// What a single value says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// The version in each [`Home`].
    pub(super) versions: [u8; Home::ALL.len()],
    /// One bit for each hypothesis that the value speaks for.
    pub(super) admitted: u64,
    pub(super) ends_in_zeros: bool,
}

/// As one number: that takes less time than its parts.
impl Hash for Signature {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [text, sql_server, dot_net] = self.versions.map(u128::from);
        let rest = text << 16 | sql_server << 8 | dot_net | u128::from(self.ends_in_zeros) << 24;
        state.write_u128(rest << 64 | u128::from(self.admitted));
    }
}

/// Rows with the same signature.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) examples: Vec<u128>,
}

impl Survey {
    /// Of a column on a backend. `is_uuid` is whether it has the database's own type of UUIDs, which is
    /// PostgreSQL's `uuid`, MariaDB's `UUID` and SQL Server's `uniqueidentifier`.
    ///
    /// Ids with a time more than a day after `now` count as implausible.
    pub fn new(backend: Backend, is_uuid: bool, now: UnixMillis) -> Self {
        Self {
            reader: Reader::new(backend, is_uuid),
            era: Era::until(now),
            rows: 0,
            nulls: 0,
            repeated: 0,
            damages: Damages::default(),
            shapes: Vec::new(),
        }
    }

    /// The backend.
    pub fn backend(&self) -> Backend {
        self.reader.backend()
    }

    /// How many rows were observed.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes the next row.
    pub fn take(&mut self, row: Observation<'_>) {
        self.rows += 1;
        if row.value == StoredValue::Null {
            self.nulls += 1;
            return;
        }
        match self.reader.read(row.value) {
            Ok(reading) => self.count(reading, row),
            Err(damage) => self.damages.add(damage, || show(row.value)),
        }
    }

    fn count(&mut self, reading: Reading, row: Observation<'_>) {
        let Reading { wire, stored } = reading;
        let index = match self.shapes.iter().position(|shape| shape.wire == wire) {
            Some(index) => index,
            None => {
                let backend = self.backend();
                self.shapes.push(Shape::new(backend, wire, self.era));
                self.shapes.len() - 1
            }
        };
        let era = self.era;
        let shape = &mut self.shapes[index];
        if !shape.is_new(stored) {
            self.repeated += 1;
            return;
        }
        shape.count += 1;
        let signature = shape.signature(stored, era);
        let tally = shape.tallies.entry(signature).or_default();
        tally.count += 1;
        if tally.examples.len() < EXAMPLES {
            tally.examples.push(stored);
        }
        let kept = Kept {
            stored,
            created: row.created.map(UnixMillis::get),
            follows: row.follows,
        };
        shape.windows.add(kept);
        shape.even.add(kept);
    }

    /// The shape that most values have; the others are damage.
    pub(super) fn take_main_shape(&mut self) -> Option<Shape> {
        let mut shapes = std::mem::take(&mut self.shapes);
        shapes.sort_by_key(|shape| std::cmp::Reverse(shape.count));
        let mut shapes = shapes.into_iter();
        let main = shapes.next()?;
        for other in shapes {
            let kind = difference(main.wire, other.wire);
            let examples = other.examples();
            self.damages.add_all(kind, other.count, examples);
        }
        Some(main)
    }
}

/// What is wrong with a value of a shape in a column of another.
fn difference(main: Wire, other: Wire) -> DamageKind {
    match (main, other) {
        (Wire::Text(main), Wire::Text(other)) if main.width() == other.width() => {
            DamageKind::WrongCase
        }
        (Wire::Text(_), Wire::Text(_)) => DamageKind::WrongForm,
        (Wire::Bytes(_), Wire::Bytes(_)) => DamageKind::WrongLength,
        (Wire::Decimal(_), Wire::Decimal(_)) => DamageKind::OutOfRange,
        _ => DamageKind::WrongType,
    }
}

impl Shape {
    /// Whether a value was not there before, as far as it is known.
    fn is_new(&mut self, stored: u128) -> bool {
        let Some(distinct) = &mut self.distinct else {
            return true;
        };
        if distinct.len() < DISTINCT {
            let is_new = distinct.insert(stored);
            self.has_repeated |= !is_new;
            return is_new;
        }
        if !self.has_repeated {
            self.distinct = None;
            return true;
        }
        !distinct.contains(&stored)
    }

    fn new(backend: Backend, wire: Wire, era: Era) -> Self {
        let hypotheses = hypotheses(backend, wire, era);
        let mut told: Vec<Told> = Vec::new();
        for (index, hypothesis) in hypotheses.iter().enumerate() {
            if !hypothesis.is_told_by_values() {
                continue;
            }
            let (mask, bits) = hypothesis.marks();
            match told
                .iter_mut()
                .find(|told| (told.mask, told.bits) == (mask, bits))
            {
                Some(told) => told.indices.push(index),
                None => told.push(Told {
                    mask,
                    bits,
                    indices: vec![index],
                }),
            }
        }
        Self {
            wire,
            count: 0,
            told,
            hypotheses,
            tallies: HashMap::new(),
            windows: Windows::new(),
            even: Even::new(),
            distinct: Some(HashSet::new()),
            has_repeated: false,
        }
    }

    fn signature(&self, stored: u128, era: Era) -> Signature {
        let mut admitted = 0;
        for Told {
            mask,
            bits,
            indices,
        } in &self.told
        {
            if stored & mask != *bits {
                continue;
            }
            for &index in indices {
                admitted |= u64::from(self.hypotheses[index].admits(stored, era)) << index;
            }
        }
        Signature {
            versions: Home::ALL.map(|home| home.version(stored)),
            admitted,
            ends_in_zeros: stored.trailing_zeros() >= ZERO_BITS,
        }
    }

    /// Some of the values, as the database shows them.
    fn examples(&self) -> Vec<String> {
        let tallies = self.tallies.values();
        let mut values: Vec<u128> = tallies
            .flat_map(|tally| tally.examples.iter().copied())
            .collect();
        values.sort_unstable();
        let shown = values.into_iter().take(EXAMPLES);
        shown.map(|stored| show_stored(self.wire, stored)).collect()
    }
}

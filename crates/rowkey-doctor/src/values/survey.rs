//! Takes the rows of a column one by one, in bounded memory.

use foldhash::{HashSet, HashSetExt};
use rowkey_core::UnixMillis;
use rowkey_core::storage::{Backend, Wire};

use crate::values::damage::{DamageKind, Damages, EXAMPLES};
use crate::values::hypothesis::{Era, Hypothesis, hypotheses};
use crate::values::look::Looks;
use crate::values::observation::{Observation, StoredValue};
use crate::values::reading::{Reader, Reading, show, show_stored};
use crate::values::reservoir::Reservoir;
use crate::values::tallies::Tallies;
use crate::values::window::{Kept, Windows};

/// How many values are remembered, so that a repetition does not count twice: a reference repeats
/// the bits of its target, which says nothing new about them.
const DISTINCT: usize = 65_536;

/// What is known of the rows of a column so far. Its size does not depend on their number.
#[derive(Clone, Debug)]
pub struct Survey {
    reader: Reader,
    pub(crate) era: Era,
    pub(crate) rows: u64,
    pub(crate) nulls: u64,
    /// Rows with a value that was there before.
    pub(crate) repeated: u64,
    /// Ids whose row has a plausible time.
    dated: u64,
    pub(crate) damages: Damages,
    /// What the values look like that have no form of an id.
    pub(crate) looks: Looks,
    pub(crate) shapes: Vec<Shape>,
}

/// The rows whose values have the same shape, such as hyphenated text in lower case.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) wire: Wire,
    pub(crate) count: u64,
    pub(crate) hypotheses: Vec<Hypothesis>,
    pub(crate) tallies: Tallies,
    pub(crate) windows: Windows,
    pub(crate) spread: Reservoir,
    /// None after many values without a repetition: they aren't references.
    distinct: Option<HashSet<u128>>,
    has_repeated: bool,
}

impl Survey {
    /// Of a column on a backend. `is_uuid` is whether it has the database's own type of UUIDs,
    /// which is PostgreSQL's `uuid`, MariaDB's `UUID` and SQL Server's `uniqueidentifier`.
    ///
    /// Ids with a time more than a day after `now` count as implausible.
    pub fn new(backend: Backend, is_uuid: bool, now: UnixMillis) -> Self {
        Self {
            reader: Reader::new(backend, is_uuid),
            era: Era::until(now),
            rows: 0,
            nulls: 0,
            repeated: 0,
            dated: 0,
            damages: Damages::default(),
            looks: Looks::default(),
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

    /// Whether there are ids, none of which has a plausible time in its row.
    pub(crate) fn has_only_undated_ids(&self) -> bool {
        self.dated == 0 && !self.shapes.is_empty()
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
            Err(damage) => {
                self.damages.add(damage, || show(row.value));
                self.looks.add(row.value, self.era);
            }
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
        shape.tallies.add(stored, &shape.hypotheses, era);
        // A column may count rows: read as times, such numbers lie long before the era.
        let created = row.created.filter(|time| era.contains(*time));
        self.dated += u64::from(created.is_some());
        let kept = Kept {
            stored,
            created: created.map(UnixMillis::get),
            follows: row.follows,
        };
        shape.windows.add(kept);
        shape.spread.add(kept);
    }

    /// The shape that most values have; the others are damage.
    pub(crate) fn take_main_shape(&mut self) -> Option<Shape> {
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
        Self {
            wire,
            count: 0,
            hypotheses,
            tallies: Tallies::new(),
            windows: Windows::new(),
            spread: Reservoir::new(),
            distinct: Some(HashSet::new()),
            has_repeated: false,
        }
    }

    /// Some of the values, as the database shows them.
    fn examples(&self) -> Vec<String> {
        let tallies = self.tallies.iter();
        let mut values: Vec<u128> = tallies
            .flat_map(|tally| tally.examples.iter().copied())
            .collect();
        values.sort_unstable();
        let shown = values.into_iter().take(EXAMPLES);
        shown.map(|stored| show_stored(self.wire, stored)).collect()
    }
}

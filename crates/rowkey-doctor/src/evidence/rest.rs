//! What is left to explain of a column of sixteen bytes, and what was found so far.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;

use crate::values::damage::DamageKind;
use crate::values::hypothesis::{Era, Hypothesis};
use crate::values::part::Part;
use crate::values::reading::show_stored;
use crate::values::reservoir;
use crate::values::survey::Shape;
use crate::values::tallies::{Signature, Tally};
use crate::values::version_bits::VersionBits;

/// What an examination of values found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) parts: Vec<Part>,
    pub(crate) evidence: Vec<String>,
    pub(crate) damages: Vec<(DamageKind, u64, Vec<String>)>,
}

/// The values that no format has explained so far.
pub(crate) struct Rest<'s> {
    pub(crate) shape: &'s Shape,
    pub(crate) era: Era,
    tallies: Vec<&'s Tally>,
}

impl<'s> Rest<'s> {
    pub(crate) fn new(shape: &'s Shape, era: Era) -> Self {
        Self {
            shape,
            era,
            tallies: shape.tallies.iter().collect(),
        }
    }

    pub(crate) fn count(&self, is_meant: impl Fn(&Signature) -> bool) -> u64 {
        let tallies = self.tallies.iter();
        let meant = tallies.filter(|tally| is_meant(&tally.signature));
        meant.map(|tally| tally.count).sum()
    }

    /// How many values a condition is true for, and some of them.
    pub(crate) fn look(&self, is_meant: impl Fn(&Signature) -> bool) -> (u64, Vec<u128>) {
        let (mut count, mut examples) = (0, Vec::new());
        for tally in &self.tallies {
            if is_meant(&tally.signature) {
                count += tally.count;
                examples.extend_from_slice(&tally.examples);
            }
        }
        examples.sort_unstable();
        (count, examples)
    }

    /// Takes the values that a condition is true for away; returns how many they are and some of
    /// them.
    pub(crate) fn take(&mut self, is_meant: impl Fn(&Signature) -> bool) -> (u64, Vec<u128>) {
        let taken = self.look(&is_meant);
        self.tallies.retain(|tally| !is_meant(&tally.signature));
        taken
    }

    pub(crate) fn hypothesis(
        &self,
        format: FormatKind,
        version_bits: VersionBits,
    ) -> Option<(usize, &'s Hypothesis)> {
        let mut known = self.shape.hypotheses.iter().enumerate();
        known.find(|(_, known)| known.format == format && known.version_bits() == version_bits)
    }

    /// Values that do not depend on each other: of each part of the table that is in the order of
    /// an index, one.
    pub(crate) fn independent(&self) -> Vec<u128> {
        let rows = reservoir::independent_in_any_order(&self.shape.spread.rows());
        rows.iter().map(|row| row.stored).collect()
    }

    pub(crate) fn show(&self, values: &[u128]) -> Vec<String> {
        let shown = values
            .iter()
            .map(|stored| show_stored(self.shape.wire, *stored));
        shown.collect()
    }
}

/// Whether a value speaks for the hypothesis of an index.
pub(crate) fn admits(signature: &Signature, index: usize) -> bool {
    signature.admitted >> index & 1 == 1
}

/// The values with one version in one of its places.
pub(crate) struct Group<'t> {
    pub(crate) place: usize,
    pub(crate) version_bits: VersionBits,
    pub(crate) version: u8,
    pub(crate) count: u64,
    pub(crate) total: u64,
    /// The groups that were taken away before.
    pub(crate) earlier: &'t [(VersionBits, u8)],
}

impl Group<'_> {
    pub(crate) fn has(&self, signature: &Signature) -> bool {
        signature.versions[self.place] == self.version
    }

    /// Whether a kept row belongs to the group.
    pub(crate) fn contains(&self, stored: u128) -> bool {
        let is_of =
            |(version_bits, version): &(VersionBits, u8)| version_bits.version(stored) == *version;
        self.version_bits.version(stored) == self.version && !self.earlier.iter().any(is_of)
    }
}

/// The order of the bytes, as a part of a sentence.
pub(crate) fn place(layout: Layout) -> String {
    match layout {
        Layout::Public => String::new(),
        layout => format!(", in the order of the `{layout}` layout"),
    }
}

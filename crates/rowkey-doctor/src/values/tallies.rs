//! The values of a column by what each of them says about itself.

use crate::values::damage::EXAMPLES;
use crate::values::hypothesis::{Era, Hypothesis, Times};
use crate::values::version_bits::{NO_VERSION, VersionBits};

/// Zero bits at the end of sixteen bytes that a random id never has.
const ZERO_BITS: u32 = 32;

/// The versions that a place of them may have, and none.
const VERSIONS: usize = NO_VERSION as usize + 1;

/// What a single value says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// The version in each [`VersionBits`].
    pub(crate) versions: [u8; VersionBits::ALL.len()],
    /// One bit for each hypothesis that the value speaks for.
    pub(crate) admitted: u64,
    pub(crate) ends_in_zeros: bool,
}

/// Rows with the same signature.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) signature: Signature,
    pub(crate) count: u64,
    pub(crate) examples: Vec<u128>,
}

/// All tallies of a shape. Their number depends on the hypotheses, not on the rows.
#[derive(Clone, Debug)]
pub(crate) struct Tallies {
    /// Of each combination of versions, the place of its group, or [`u16::MAX`] if there is none
    /// yet.
    places: Box<[u16]>,
    groups: Vec<Group>,
}

/// Values with the same versions.
#[derive(Clone, Debug)]
struct Group {
    candidates: Vec<Candidate>,
    tallies: Vec<Tally>,
}

/// A hypothesis that single values with these versions may speak for: of most ids, there are few or
/// none.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    index: usize,
    times: Option<Times>,
}

impl Tallies {
    pub(crate) fn new() -> Self {
        Self {
            places: vec![u16::MAX; VERSIONS.pow(VersionBits::ALL.len() as u32)].into(),
            groups: Vec::new(),
        }
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, stored: u128, hypotheses: &[Hypothesis], era: Era) {
        let versions = VersionBits::ALL.map(|version_bits| version_bits.version(stored));
        let place = versions
            .iter()
            .fold(0, |place, version| place * VERSIONS + usize::from(*version));
        if self.places[place] == u16::MAX {
            self.places[place] = self.groups.len() as u16;
            self.groups.push(Group::of(versions, hypotheses));
        }
        let group = &mut self.groups[usize::from(self.places[place])];
        let mut admitted = 0;
        for Candidate { index, times } in &group.candidates {
            if times.is_none_or(|times| times.contain(stored)) {
                admitted |= u64::from(hypotheses[*index].admits(stored, era)) << index;
            }
        }
        let signature = Signature {
            versions,
            admitted,
            ends_in_zeros: stored.trailing_zeros() >= ZERO_BITS,
        };
        let tally = group.tally(signature);
        tally.count += 1;
        if tally.examples.len() < EXAMPLES {
            tally.examples.push(stored);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Tally> {
        self.groups.iter().flat_map(|group| &group.tallies)
    }
}

impl Group {
    fn of(versions: [u8; VersionBits::ALL.len()], hypotheses: &[Hypothesis]) -> Self {
        let may_admit = |hypothesis: &Hypothesis| {
            let mut all = VersionBits::ALL.iter().zip(versions);
            hypothesis.is_told_by_values()
                && all.all(|(version_bits, version)| {
                    version_bits.may_have(hypothesis.marks(), version)
                })
        };
        let candidates = hypotheses.iter().enumerate();
        let candidates = candidates.filter(|(_, hypothesis)| may_admit(hypothesis));
        let candidates = candidates.map(|(index, hypothesis)| Candidate {
            index,
            times: hypothesis.times(),
        });
        Self {
            candidates: candidates.collect(),
            tallies: Vec::new(),
        }
    }

    fn tally(&mut self, signature: Signature) -> &mut Tally {
        let mut tallies = self.tallies.iter();
        let place = tallies.position(|tally| {
            let Signature {
                admitted,
                ends_in_zeros,
                ..
            } = tally.signature;
            admitted == signature.admitted && ends_in_zeros == signature.ends_in_zeros
        });
        let place = place.unwrap_or_else(|| {
            self.tallies.push(Tally {
                signature,
                count: 0,
                examples: Vec::new(),
            });
            self.tallies.len() - 1
        });
        &mut self.tallies[place]
    }
}

#[cfg(test)]
mod tests {
    use rowkey_core::UnixMillis;
    use rowkey_core::storage::{Backend, Wire};

    use super::*;
    use crate::values::chance::Draws;
    use crate::values::hypothesis::hypotheses;

    #[test]
    fn no_hypothesis_that_admits_a_value_is_passed_over() {
        let era = Era::until(UnixMillis::new(1_795_000_000_000));
        let hypotheses = hypotheses(Backend::Postgres, Wire::Uuid, era);
        let mut draws = Draws::new(9);
        let mut half = || u128::from(draws.below(u64::MAX));
        let mut found = vec![0; hypotheses.len()];
        for number in 0..200_000 {
            let known = &hypotheses[number % hypotheses.len()];
            let (mask, bits) = known.marks();
            let stored = (half() << 64 | half()) & !mask | bits;
            let mut tallies = Tallies::new();
            tallies.add(stored, &hypotheses, era);
            let tally = tallies.iter().next().unwrap();
            assert_eq!((tally.count, &tally.examples), (1, &vec![stored]));
            for (index, hypothesis) in hypotheses.iter().enumerate() {
                let admits = hypothesis.is_told_by_values() && hypothesis.admits(stored, era);
                assert_eq!(tally.signature.admitted >> index & 1 == 1, admits);
                found[index] += u32::from(admits);
            }
        }
        let told = hypotheses.iter().zip(&found);
        for (hypothesis, found) in told.filter(|(known, _)| known.is_told_by_values()) {
            assert!(*found > 0, "{hypothesis:?}");
        }
    }
}

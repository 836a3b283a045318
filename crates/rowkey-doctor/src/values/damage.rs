//! Values that aren't ids, or aren't the ids that the program that reads the column expects.

use serde::Serialize;

/// Examples that are kept of each kind.
pub(crate) const EXAMPLES: usize = 5;

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DamageKind {
    /// Bytes or text of another length than ids have.
    WrongLength,
    /// Text in the other letter case than most of the column.
    WrongCase,
    /// Text with letters of both cases.
    MixedCase,
    /// Text in another form than most of the column, such as without hyphens.
    WrongForm,
    /// Text in braces, as some programs of Windows write it.
    Braces,
    /// Text with blanks around it.
    Blanks,
    /// Text with characters that ids do not have.
    WrongCharacters,
    /// A value of another type than most of the column, such as text among bytes.
    WrongType,
    /// The first sixteen characters of the text of an id, cut off by a column of sixteen bytes.
    TextCutOff,
    /// Sixteen bytes that end in zeros, as a column of sixteen bytes pads a shorter value.
    ZeroPadded,
    /// Digits that a numeric column made a floating-point number.
    FloatingPoint,
    /// A negative number, one with a fraction, or one that is too large.
    OutOfRange,
    /// A UUID whose five groups MariaDB's `UUID` type gives back in reverse.
    SegmentsReversed,
    /// The UUID of zeros only.
    Nil,
    /// The UUID of ones only.
    Max,
    /// A UUID whose version or variant no generator makes, among those that have one.
    ImpossibleVersion,
    /// A time before 2000 or in the future, in a format that has a time.
    ImplausibleTime,
}

impl DamageKind {
    /// The name in reports, such as `wrong-length`.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongLength => "wrong-length",
            Self::WrongCase => "wrong-case",
            Self::MixedCase => "mixed-case",
            Self::WrongForm => "wrong-form",
            Self::Braces => "braces",
            Self::Blanks => "blanks",
            Self::WrongCharacters => "wrong-characters",
            Self::WrongType => "wrong-type",
            Self::TextCutOff => "text-cut-off",
            Self::ZeroPadded => "zero-padded",
            Self::FloatingPoint => "floating-point",
            Self::OutOfRange => "out-of-range",
            Self::SegmentsReversed => "segments-reversed",
            Self::Nil => "nil",
            Self::Max => "max",
            Self::ImpossibleVersion => "impossible-version",
            Self::ImplausibleTime => "implausible-time",
        }
    }
}

/// The values of a column with the same damage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// What is wrong with them.
    pub kind: DamageKind,
    /// How many rows have it.
    pub count: u64,
    /// Up to five of them, as the database shows them.
    pub examples: Vec<String>,
}

/// Counts damage by its kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damages(Vec<Damage>);

impl Damages {
    /// Counts one value.
    pub(crate) fn add(&mut self, kind: DamageKind, example: impl FnOnce() -> String) {
        let damage = self.of(kind);
        damage.count += 1;
        if damage.examples.len() < EXAMPLES {
            damage.examples.push(example());
        }
    }

    /// Counts many values, of which some are known.
    pub(crate) fn add_all(
        &mut self,
        kind: DamageKind,
        count: u64,
        examples: impl IntoIterator<Item = String>,
    ) {
        if count == 0 {
            return;
        }
        let damage = self.of(kind);
        damage.count += count;
        let free = EXAMPLES.saturating_sub(damage.examples.len());
        damage.examples.extend(examples.into_iter().take(free));
    }

    /// How many values may be no ids at all, unlike those that something has happened to.
    pub(crate) fn count_of_others(&self) -> u64 {
        use DamageKind::{
            ImplausibleTime, OutOfRange, WrongCharacters, WrongForm, WrongLength, WrongType,
        };
        let others = self.0.iter().filter(|damage| {
            matches!(
                damage.kind,
                ImplausibleTime
                    | OutOfRange
                    | WrongCharacters
                    | WrongForm
                    | WrongLength
                    | WrongType
            )
        });
        others.map(|damage| damage.count).sum()
    }

    fn of(&mut self, kind: DamageKind) -> &mut Damage {
        let index = match self.0.iter().position(|damage| damage.kind == kind) {
            Some(index) => index,
            None => {
                self.0.push(Damage {
                    kind,
                    count: 0,
                    examples: Vec::new(),
                });
                self.0.len() - 1
            }
        };
        &mut self.0[index]
    }

    /// All kinds, the most frequent first.
    pub(crate) fn into_list(mut self) -> Vec<Damage> {
        self.0
            .sort_by_key(|damage| (std::cmp::Reverse(damage.count), damage.kind));
        self.0
    }
}

//! What a column holds, as far as its rows tell.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Layout, Storage, TextForm, Wire};

use crate::answers::witness::{self, Witness};
use crate::evidence::numbers;
use crate::evidence::uuids;
use crate::values::damage::Damage;
use crate::values::hypothesis::storage;
use crate::values::part::{Certainty, Part, number_of};
use crate::values::survey::Survey;

/// A format that some or all of the ids have.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The format.
    pub format: FormatKind,
    /// The order of the bytes, if it can be told.
    pub layout: Option<Layout>,
    /// The share of the ids that have it, from 0 to 1.
    pub share: f64,
}

/// What a column holds.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The format that reads all ids of the column; `None` if nothing tells it, or none does.
    pub format: Option<FormatKind>,
    /// The order of the bytes, if it can be told.
    pub layout: Option<Layout>,
    /// How the values are stored, if there are any.
    pub storage: Option<Storage>,
    /// How sure the answer is.
    pub certainty: Certainty,
    /// The formats of the ids, the most frequent first: several in a mixture.
    pub candidates: Vec<Candidate>,
    /// Values that aren't ids, or impossible ones.
    pub damaged: Vec<Damage>,
    /// Why, the strongest reason first, as sentences.
    pub evidence: Vec<String>,
    /// The interval of a short COMB's counter in milliseconds, if times told it.
    pub interval_ms: Option<u64>,
    /// How many rows were looked at.
    pub sampled: u64,
}

impl Survey {
    /// What the column holds, as far as the rows tell.
    ///
    /// Each witness is an id whose stored and public forms somebody knows: it tells the order of
    /// the bytes where nothing in the column does.
    pub fn conclude(mut self, witnesses: &[Witness]) -> Diagnosis {
        let mut evidence = Vec::new();
        if self.repeated > 0 {
            let rows = number_of(self.repeated, "row");
            let repeat = if self.repeated == 1 {
                "repeats"
            } else {
                "repeat"
            };
            evidence.push(format!("{rows} {repeat} a value, which counts once."));
        }
        if self.nulls > 0 {
            let rows = number_of(self.nulls, "row");
            let have = if self.nulls == 1 { "has" } else { "have" };
            evidence.push(format!("{rows} {have} no value."));
        }
        let looks: Vec<String> = self.looks.sentences().collect();
        let Some(shape) = self.take_main_shape() else {
            let values = self.rows - self.nulls;
            evidence.push(match values {
                0 => "There is no value to look at.".to_owned(),
                1 => "The only value has no form that a key of rowkey has.".to_owned(),
                _ => format!(
                    "None of {} has a form that a key of rowkey has.",
                    number_of(values, "value")
                ),
            });
            evidence.extend(looks);
            return Diagnosis {
                format: None,
                layout: None,
                storage: None,
                certainty: Certainty::CannotTell,
                candidates: Vec::new(),
                damaged: self.damages.into_list(),
                evidence,
                interval_ms: None,
                sampled: self.rows,
            };
        };
        let mut findings = match shape.wire {
            Wire::Uuid | Wire::NativeUuid => uuids::examine(&shape, self.era),
            _ if uuids::are_uuids(&shape) => uuids::examine(&shape, self.era),
            _ => numbers::examine(&shape),
        };
        for (kind, count, examples) in findings.damages {
            self.damages.add_all(kind, count, examples);
        }
        findings.evidence.append(&mut evidence);
        findings.evidence.extend(looks);
        let unfit = self.damages.count_of_others();
        let ids: f64 = findings.parts.iter().map(|part| part.rows).sum();
        if is_told_by_few(shape.wire) && unfit as f64 > ids {
            findings.parts.clear();
            findings.evidence.insert(
                0,
                format!(
                    "{} have another form or an impossible value, more than look like ids of a format: \
                     these may look so by chance.",
                    number_of(unfit, "value")
                ),
            );
        }
        witness::judge(
            &shape,
            witnesses,
            &mut findings.parts,
            &mut findings.evidence,
        );
        let backend = self.backend();
        let damaged = self.damages.into_list();
        let mut diagnosis = summary(findings.parts, findings.evidence, damaged);
        diagnosis.sampled = self.rows;
        let format = diagnosis
            .format
            .or_else(|| Some(diagnosis.candidates.first()?.format));
        diagnosis.storage = format
            .and_then(|format| storage(format, backend, shape.wire))
            .or_else(|| storage(FormatKind::UuidV4, backend, shape.wire));
        diagnosis
    }
}

/// Whether much that isn't an id has the shape as well: texts without hyphens that are long enough.
fn is_told_by_few(wire: Wire) -> bool {
    use TextForm::{Compact16, Compact22, Digits28, Digits38};
    matches!(
        wire,
        Wire::Text(Compact16 | Compact22 | Digits28 | Digits38)
    )
}

/// A part that is smaller than one of so many rows says little of the column.
const RARE: f64 = 100.0;

/// The answer of the parts of a column.
fn summary(mut parts: Vec<Part>, evidence: Vec<String>, damaged: Vec<Damage>) -> Diagnosis {
    parts.sort_by(|a, b| b.rows.total_cmp(&a.rows));
    let rows: f64 = parts.iter().map(|part| part.rows).sum();
    // A few of another kind do not make the rest doubtful.
    let large = parts.iter().filter(|part| part.rows * RARE >= rows);
    let certainty = large.map(|part| part.certainty).min();
    let certainty = certainty.unwrap_or(Certainty::CannotTell);
    let (format, layout, interval_ms) = match &parts[..] {
        [] => (None, None, None),
        parts if parts.iter().any(|part| !part.is_readable) => (None, None, None),
        [only] if certainty == Certainty::CannotTell => (None, only.layout, None),
        [only] => (Some(only.format), only.layout, only.interval_ms),
        mixed if mixed.iter().all(Part::is_v4) => (Some(FormatKind::UuidV4), None, None),
        _ => (Some(FormatKind::AnyUuid), None, None),
    };
    let candidates = parts.iter().map(|part| Candidate {
        format: part.format,
        layout: part.layout,
        share: part.rows / rows.max(1.0),
    });
    Diagnosis {
        format,
        layout,
        storage: None,
        certainty,
        candidates: candidates.collect(),
        damaged,
        evidence,
        interval_ms,
        sampled: 0,
    }
}

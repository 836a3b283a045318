//! MariaDB's `UUID`, which has no layout for prefix COMBs as programs show them.

use rowkey_core::format::FormatKind;
use rowkey_core::{Backend, UnixMillis};
use rowkey_doctor::{Certainty, Diagnosis, Observation, StoredValue, Survey};

use crate::tables::{NOW, Random, Rate, id, times};

const MINUTE: f64 = 60_000.0;

fn diagnose(
    rate: Rate,
    rows: usize,
    follows: bool,
    mut id: impl FnMut(&mut Random, i64) -> u128,
) -> Diagnosis {
    let mut random = Random(9);
    let mut survey = Survey::new(Backend::MariaDb, true, NOW);
    for time in times(&mut random, rate, rows, 1.0) {
        survey.take(Observation {
            value: StoredValue::Bytes(&id(&mut random, time).to_be_bytes()),
            follows,
            created: Some(UnixMillis::new(time / 1_000 * 1_000)),
        });
    }
    survey.conclude(&[])
}

#[test]
fn prefix_combs_are_told_without_a_layout() {
    for format in [FormatKind::ShortPrefixComb, FormatKind::PrefixComb] {
        for (minutes, rows) in [(239.0, 600), (5.0, 15_000), (0.8, 600)] {
            for follows in [false, true] {
                let rate = Rate::Steady(minutes * MINUTE);
                let found = diagnose(rate, rows, follows, |random, time| {
                    id(format, random, time, 0)
                });
                let what = format!("{format:?} {minutes} {follows}: {found:#?}");
                assert_eq!((found.format, found.layout), (Some(format), None), "{what}");
                assert_eq!(found.certainty, Certainty::Certain, "{what}");
            }
        }
    }
}

#[test]
fn random_ids_among_them_are_read_with_them() {
    let rate = Rate::Random(239.0 * MINUTE);
    let found = diagnose(rate, 3_000, true, |random, time| {
        match random.unit() < 0.5 {
            true => id(FormatKind::ShortPrefixComb, random, time, 0),
            false => random.v4(),
        }
    });
    assert_eq!(found.format, Some(FormatKind::UuidV4), "{found:#?}");
    assert_eq!(found.candidates.len(), 2, "{found:#?}");
}

#[test]
fn random_ids_are_random() {
    let found = diagnose(Rate::Steady(239.0 * MINUTE), 600, true, |random, _| {
        random.v4()
    });
    assert_eq!(found.format, Some(FormatKind::UuidV4), "{found:#?}");
    assert_eq!(found.certainty, Certainty::Certain, "{found:#?}");
}

//! Columns that refer to ids, so that values come back.

use rowkey_core::format::FormatKind;

use crate::tables::{NOTHING, ORDER, Random, Rate, diagnose_bytes, id, times};

/// Each id several times, one after the other or all over the table.
fn repeated(ids: &[(u128, i64)], times: usize, is_together: bool) -> Vec<(u128, i64)> {
    match is_together {
        true => ids.iter().flat_map(|id| vec![*id; times]).collect(),
        false => (0..times).flat_map(|_| ids.iter().copied()).collect(),
    }
}

#[test]
fn references_to_random_uuids_are_not_called_anything_else() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let rows = 1 + random.below(60) as usize;
        let ids: Vec<(u128, i64)> = (0..rows).map(|_| (random.v4(), 0)).collect();
        for is_together in [true, false] {
            for known in [ORDER, NOTHING] {
                let found = diagnose_bytes(&repeated(&ids, 40, is_together), known);
                let is_right = matches!(found.format, Some(FormatKind::UuidV4) | None);
                assert!(is_right, "{seed} {is_together}: {found:?}");
            }
        }
    }
}

#[test]
fn references_have_the_format_of_their_targets() {
    let mut random = Random(7);
    let created = times(&mut random, Rate::Random(60_000.0), 400, 30.0);
    let ids: Vec<(u128, i64)> = created
        .iter()
        .map(|time| (id(FormatKind::UuidV7, &mut random, *time, 0), *time))
        .collect();
    for is_together in [true, false] {
        let found = diagnose_bytes(&repeated(&ids, 3, is_together), ORDER);
        assert_eq!(found.format, Some(FormatKind::UuidV7), "{found:?}");
        assert_eq!(found.candidates.len(), 1, "{found:?}");
        let repetition = "800 rows repeat a value, which counts once.";
        assert!(
            found.evidence.iter().any(|sentence| sentence == repetition),
            "{found:?}"
        );
    }
}

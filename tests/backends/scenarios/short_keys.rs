//! LUUID keys are found by their group and number, without the random rest.

use anyhow::{Result, ensure};
use rowkey::Backend;
use rowkey::format::FormatKind;
use rowkey::storage::Storage;

use crate::cases::Cases;
use crate::driver::{Assumption, Session};
use crate::samples::{position, samples};
use crate::scenario::Scenario;
use crate::table::{Record, Table, distinct_cases_of};

/// The storages that LUUIDs can have.
const STORAGES: [Storage; 8] = [
    Storage::Uuid,
    Storage::NativeUuid,
    Storage::Binary,
    Storage::Text,
    Storage::TextUpper,
    Storage::TextHex,
    Storage::TextHexUpper,
    Storage::TextCompact,
];

pub(crate) fn scenarios<D: Cases>(backend: Backend) -> Vec<Scenario<D>> {
    let storages = STORAGES
        .into_iter()
        .filter(|storage| *storage != Storage::NativeUuid || backend == Backend::MariaDb);
    storages
        .map(|storage| {
            let name = format!("short_keys_of_{}", storage.name().replace('-', "_"));
            Scenario::new(name, move |session| {
                Box::pin(short_keys_of(session, storage))
            })
            .assuming(Assumption::OrderOf(storage))
        })
        .collect()
}

/// A short key finds the rows of its number: none, one, or all if two processes have used
/// the same.
async fn short_keys_of<D: Cases>(session: &mut Session<D>, storage: Storage) -> Result<()> {
    let mut count = 0;
    for (case, _) in distinct_cases_of(session, storage) {
        let Some(push_short_key) = case.push_short_key else {
            continue;
        };
        count += 1;
        let table = Table::create(session, &case).await?;
        let number_of = |id| position(FormatKind::Luuid, id).map(|number| number as u64);
        let mut ids = samples(FormatKind::Luuid);
        // Neighbours, of which two have one number.
        let base = ids[0] & !((1 << 60) - 1);
        let next = 1 << 80;
        ids.extend([
            base,
            base + 1,
            base + next,
            base + next + 1,
            base + 2 * next,
        ]);
        ids.sort_unstable();
        ids.dedup();
        let records = Record::numbered(ids.iter().copied());
        table.insert(session, &records).await?;

        let stored = records.iter().filter_map(|record| number_of(record.id));
        let (first, last) = (0, (1 << 48) - 1);
        let mut numbers: Vec<u64> = [first, first + 1, last - 1, last].into_iter().collect();
        numbers.extend(stored.step_by(40));
        let [near, absent] = [number_of(base), number_of(base + 3 * next)];
        numbers.extend(near.into_iter().flat_map(|near| near..near + 3));
        numbers.extend(absent);
        for number in numbers {
            let expected: Vec<i64> = records
                .iter()
                .filter(|record| number_of(record.id) == Some(number))
                .map(|record| record.n)
                .collect();
            let found = table
                .numbers_where(session, |query| push_short_key(query, "id", number))
                .await?;
            ensure!(
                found == expected,
                "{number:x} finds {found:?} instead of {expected:?}"
            );
        }
    }
    ensure!(count > 0, "no key over LUUIDs is stored so");
    Ok(())
}

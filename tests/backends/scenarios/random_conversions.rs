//! As `conversions`, with other values and other pairs of forms in every run.

use std::hash::{BuildHasher, RandomState};

use anyhow::{Context, Result, ensure};
use rowkey::format::{FieldKind, FormatKind};
use rowkey::sql::Conversion;

use super::conversions::{check_predicates, create_table, forms, integer, mismatch, numbers};
use crate::driver::{Driver, Session};
use crate::samples::Random;
use crate::scenario::Scenario;

/// As many values of each format.
const RANDOM_VALUES: usize = 150;

/// As many pairs of its forms.
const RANDOM_PAIRS: usize = 24;

pub(crate) fn scenario<D: Driver>() -> Scenario<D> {
    Scenario::new(
        "random_values_are_converted_between_random_forms",
        |session| Box::pin(random_values_are_converted_between_random_forms(session)),
    )
}

/// The error names the seed of the run.
async fn random_values_are_converted_between_random_forms<D: Driver>(
    session: &mut Session<D>,
) -> Result<()> {
    let seed = RandomState::new().hash_one(0);
    let mut random = Random::Seeded(seed);
    for format in FormatKind::ALL {
        convert_at_random(session, format, &mut random)
            .await
            .with_context(|| format!("{format} with Random::Seeded({seed:#x})"))?;
    }
    Ok(())
}

async fn convert_at_random<D: Driver>(
    session: &mut Session<D>,
    format: FormatKind,
    random: &mut Random,
) -> Result<()> {
    let backend = session.backend();
    let forms = forms(backend, format);
    if forms.len() < 2 {
        return Ok(());
    }
    let mut values: Vec<u128> = (0..RANDOM_VALUES)
        .map(|_| random_value(format, random))
        .collect();
    values.sort_unstable();
    values.dedup();
    create_table(session, &forms, &values).await?;
    let out_of_range = values.partition_point(|value| *value <= format.width().max());

    let indices = 0..forms.len();
    let pairs = indices
        .clone()
        .flat_map(|from| indices.clone().map(move |to| (from, to)));
    let mut mismatches = Vec::new();
    for (from, to) in pairs {
        let conversion = Conversion::new(forms[from], forms[to])?;
        let (source, target) = (format!("c{from}"), format!("c{to}"));
        let columns = [source.as_str(), target.as_str()];
        if let Some(mismatch) = mismatch(conversion, forms[from], columns, out_of_range)? {
            mismatches.push(([forms[from], forms[to]], mismatch));
        }
    }
    let mut mismatches = random.shuffled(&mismatches);
    mismatches.truncate(RANDOM_PAIRS);
    ensure!(!mismatches.is_empty(), "no forms are converted");
    for several in mismatches.chunks(8) {
        let selects = several.iter().enumerate().map(|(index, (_, mismatch))| {
            let n = integer(backend, index);
            format!("SELECT {n} AS n FROM ids WHERE {mismatch}")
        });
        let selects: Vec<String> = selects.collect();
        let wrong = numbers(session, &selects.join(" UNION ALL ")).await?;
        let pair = wrong.first().map(|index| several[*index as usize].0);
        ensure!(
            wrong.is_empty(),
            "{} other ids, the first of {pair:?}",
            wrong.len()
        );
    }
    let index = (random.next() % forms.len() as u64) as usize;
    check_predicates(session, forms[index], &format!("c{index}"), &values)
        .await
        .with_context(|| format!("{:?}", forms[index]))?;
    session.execute("DROP TABLE ids").await
}

/// Any value, an id of the format, a short number, one beside a power of two or ten, or one of
/// equal bytes.
fn random_value(format: FormatKind, random: &mut Random) -> u128 {
    let any = random.next_u128();
    let draw = random.next();
    let near = |power: u128| {
        power
            .wrapping_add(u128::from(draw >> 8 & 7))
            .wrapping_sub(4)
    };
    match draw % 6 {
        0 => any,
        1 => format.fields().iter().fold(any, |value, field| {
            let (FieldKind::Version(fixed) | FieldKind::Variant(fixed)) = field.kind else {
                return value;
            };
            let shift = 128 - field.first_bit - field.width;
            let mask = u128::MAX >> (128 - field.width) << shift;
            value & !mask | u128::from(fixed) << shift
        }),
        2 => any >> (draw >> 16 & 127),
        3 => near(1 << (draw >> 16 & 127)),
        4 => near(10_u128.pow((draw >> 16) as u32 % 39)),
        _ => (0..16).fold(0, |value, byte| {
            let is_set = draw >> (16 + byte) & 1;
            value << 8 | u128::from([0x00_u8, 0xff][is_set as usize])
        }),
    }
}

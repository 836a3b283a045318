//! Tables of ids in memory, the same in every run.

use rowkey_core::format::{FormatKind, IuidContext, LuuidGroup};
use rowkey_core::storage::{Layout, Permutation, Stored};
use rowkey_core::{
    Backend, DistributedId, DistributedId128, HotGuid, Iuid, Luuid, PrefixComb, ShortPrefixComb,
    ShortSuffixComb, SuffixComb, UnixMillis, UuidV4, UuidV7,
};
use rowkey_doctor::{Diagnosis, Observation, StoredValue, Survey, Witness};
use rowkey_sql::StoredForm;

/// The time of every test.
pub(crate) const NOW: UnixMillis = UnixMillis::new(1_795_000_000_000);

/// SplitMix64.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }

    pub(crate) fn v4(&mut self) -> u128 {
        UuidV4::from_random(self.bytes()).to_uuid().as_u128()
    }
}

/// A row of a table in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// The public value.
    pub(crate) id: u128,
    pub(crate) time: i64,
}

/// How rows come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rate {
    /// At the same distance, in milliseconds.
    Steady(f64),
    /// At random distances with this mean one.
    Random(f64),
}

/// The times of rows at a rate, the last one just before an age in days.
pub(crate) fn times(random: &mut Random, rate: Rate, rows: usize, age_days: f64) -> Vec<i64> {
    let mut time = 0.0;
    let mut times: Vec<f64> = (0..rows)
        .map(|_| {
            time += match rate {
                Rate::Steady(step) => step,
                Rate::Random(mean) => -mean * (1.0 - random.unit()).ln(),
            };
            time
        })
        .collect();
    let end = NOW.get() as f64 - age_days * 86_400_000.0;
    let last = times.last().copied().unwrap_or(0.0);
    for time in &mut times {
        *time += end - last;
    }
    times.into_iter().map(|time| time as i64).collect()
}

/// An id of a format with a time, as its generator makes it.
pub(crate) fn id(format: FormatKind, random: &mut Random, time: i64, number: u64) -> u128 {
    let at = UnixMillis::new(time);
    match format {
        FormatKind::ShortPrefixComb => {
            let counter = <ShortPrefixComb>::counter_at(at);
            <ShortPrefixComb>::from_parts(counter, random.bytes())
                .to_uuid()
                .as_u128()
        }
        FormatKind::ShortSuffixComb => {
            let counter = <ShortSuffixComb>::counter_at(at);
            <ShortSuffixComb>::from_parts(counter, random.bytes())
                .to_uuid()
                .as_u128()
        }
        FormatKind::PrefixComb => PrefixComb::from_parts(at, random.bytes())
            .unwrap()
            .to_uuid()
            .as_u128(),
        FormatKind::SuffixComb => SuffixComb::from_parts(at, random.bytes())
            .unwrap()
            .to_uuid()
            .as_u128(),
        FormatKind::DistributedId => {
            let part = random.next() >> 16 | 1;
            DistributedId::from_parts(at, part)
                .unwrap()
                .to_uuid()
                .as_u128()
        }
        FormatKind::DistributedId128 => {
            let part = (u128::from(random.next()) << 64 | u128::from(random.next())) >> 53;
            DistributedId128::from_parts(at, part | 1)
                .unwrap()
                .to_uuid()
                .as_u128()
        }
        FormatKind::Luuid => {
            let group = LuuidGroup::of("com.example.Offer");
            Luuid::from_parts(group, number + 1, random.next() >> 4)
                .unwrap()
                .to_uuid()
                .as_u128()
        }
        FormatKind::Iuid => {
            let context = IuidContext {
                country: 49,
                service_entity: 7,
            };
            Iuid::from_parts(at, context, random.next() >> 10)
                .unwrap()
                .to_uuid()
                .as_u128()
        }
        FormatKind::HotGuid => {
            let machine = [3, 200, (number % 3) as u8, 77, 9];
            let counter = (number & 0xff_ffff) as u32;
            let seconds = u32::try_from(time / 1_000).unwrap();
            HotGuid::from_parts(seconds, machine, counter, 12)
                .unwrap()
                .to_uuid()
                .as_u128()
        }
        FormatKind::UuidV4 => random.v4(),
        FormatKind::UuidV7 => UuidV7::from_parts(at, random.bytes())
            .unwrap()
            .to_uuid()
            .as_u128(),
        FormatKind::AnyUuid => u128::from_be_bytes(random.bytes()),
        FormatKind::DatabaseNumber => (number + 1).into(),
    }
}

/// The rows of a table of a format, in the order of insertion.
pub(crate) fn table(
    format: FormatKind,
    random: &mut Random,
    rate: Rate,
    rows: usize,
    age_days: f64,
) -> Vec<Row> {
    let times = times(random, rate, rows, age_days);
    let rows = times.into_iter().enumerate();
    rows.map(|(number, time)| Row {
        id: id(format, random, time, number as u64),
        time,
    })
    .collect()
}

/// What the doctor may know besides the ids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) order: bool,
    /// A column of times, ahead of UTC by so many milliseconds.
    pub(crate) created: Option<i64>,
}

pub(crate) const ORDER: Known = Known {
    order: true,
    created: None,
};
pub(crate) const NOTHING: Known = Known {
    order: false,
    created: None,
};

/// Takes rows of public values into a survey, through the form in which a column stores them.
pub(crate) fn observe(survey: &mut Survey, form: StoredForm, rows: &[Row], known: Known) {
    for row in rows {
        observe_stored(survey, form.encode(row.id), row.time, known);
    }
}

pub(crate) fn observe_stored(survey: &mut Survey, stored: Stored, time: i64, known: Known) {
    let digits;
    let value = match &stored {
        Stored::Uuid(bytes) => StoredValue::Bytes(bytes),
        Stored::Bytes(bytes) => StoredValue::Bytes(bytes.as_slice()),
        Stored::Text(text) => StoredValue::Text(text),
        Stored::Integer(number) => StoredValue::Integer(*number),
        Stored::Decimal(number) => {
            digits = number.to_string();
            StoredValue::Decimal(&digits)
        }
    };
    let row = Observation {
        value,
        follows: known.order,
        created: known.created.map(|ahead| UnixMillis::new(time + ahead)),
    };
    survey.take(row);
}

/// Takes stored bytes of PostgreSQL's `uuid`.
pub(crate) fn diagnose_bytes(stored: &[(u128, i64)], known: Known) -> Diagnosis {
    let mut survey = Survey::new(Backend::Postgres, true, NOW);
    for (stored, time) in stored {
        observe_stored(
            &mut survey,
            Stored::Uuid(stored.to_be_bytes()),
            *time,
            known,
        );
    }
    survey.conclude(&[])
}

/// What the doctor says of a table of PostgreSQL's `uuid` in a layout.
pub(crate) fn diagnose(
    format: FormatKind,
    layout: Layout,
    rows: &[Row],
    known: Known,
    witnesses: &[Witness],
) -> Diagnosis {
    let form = StoredForm::named(format, Backend::Postgres, &format!("uuid:{layout}")).unwrap();
    let mut survey = Survey::new(Backend::Postgres, true, NOW);
    observe(&mut survey, form, rows, known);
    survey.conclude(witnesses)
}

/// A stored value of the `sql-server` layout.
pub(crate) fn in_sql_server_order(id: u128) -> u128 {
    Permutation::SqlServer.apply(id)
}

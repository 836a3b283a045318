//! Random UUIDs are never called anything else.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Stored;
use rowkey_doctor::{Certainty, Survey};

use crate::tables::{Known, NOW, Random, Rate, in_sql_server_order, observe_stored, times};

/// Tables of each test. The tests run side by side.
const TABLES: u64 = 1_000;

/// More rows than the doctor keeps.
const LARGE: u64 = 10_241;

const ORDERS: [Order; 9] = [
    Order::Unknown,
    Order::Insertion,
    Order::Ascending,
    Order::Descending,
    Order::AsSqlServer,
    Order::SortedRuns(2),
    Order::SortedRuns(7),
    Order::SortedTail,
    Order::DescendingTail,
];

/// The orders in which the rows of a table may come.
#[derive(Clone, Copy, Debug)]
enum Order {
    Unknown,
    Insertion,
    Ascending,
    Descending,
    AsSqlServer,
    /// Several loads, each sorted.
    SortedRuns(usize),
    /// Random ones, then a sorted load.
    SortedTail,
    /// The same, in descending order.
    DescendingTail,
}

fn arrange(ids: &mut [u128], order: Order) {
    match order {
        Order::Unknown | Order::Insertion => {}
        Order::Ascending => ids.sort_unstable(),
        Order::Descending => {
            ids.sort_unstable();
            ids.reverse();
        }
        Order::AsSqlServer => {
            ids.sort_unstable_by_key(|id| rowkey_core::storage::Permutation::SqlServer.invert(*id));
        }
        Order::SortedRuns(runs) => {
            let length = ids.len().div_ceil(runs);
            ids.chunks_mut(length).for_each(<[u128]>::sort_unstable);
        }
        Order::SortedTail => {
            let middle = ids.len() / 2;
            ids[middle..].sort_unstable();
        }
        Order::DescendingTail => {
            let middle = ids.len() * 3 / 4;
            ids[middle..].sort_unstable_by_key(|id| !id);
        }
    }
}

#[test]
fn random_uuids_are_never_called_anything_else() {
    examine(0);
}

#[test]
fn random_uuids_are_never_called_anything_else_either() {
    examine(1);
}

#[test]
fn random_uuids_are_never_called_anything_else_again() {
    examine(2);
}

#[test]
fn random_uuids_are_never_called_anything_else_at_all() {
    examine(3);
}

/// How the doctor reads a table that is larger than what it keeps.
#[derive(Clone, Copy, Debug)]
enum Way {
    Full,
    /// Forty windows of neighbours.
    Windows,
    /// A row in so many.
    Thinned(usize),
}

#[test]
fn random_uuids_of_large_tables_are_never_called_anything_else() {
    for (seed, order) in (0..9).flat_map(|seed| ORDERS.map(|order| (seed, order))) {
        let mut random = Random(seed);
        let rows = (LARGE + random.below(40_000)) as usize;
        let mut ids: Vec<u128> = (0..rows).map(|_| random.v4()).collect();
        arrange(&mut ids, order);
        let known = Known {
            order: !matches!(order, Order::Unknown) && seed % 3 != 0,
            created: (seed % 2 == 0).then_some(0),
        };
        let rate = match seed / 3 {
            0 => Rate::Steady(0.0),
            _ => Rate::Random(30_000.0),
        };
        let times = times(&mut random, rate, rows, 1.0);
        for way in [Way::Full, Way::Windows, Way::Thinned(3)] {
            let mut survey = Survey::new(Backend::Postgres, true, NOW);
            for (place, (id, time)) in ids.iter().zip(&times).enumerate() {
                let in_window = place * 40 % rows / 40;
                let (is_read, follows) = match way {
                    Way::Full => (true, known.order),
                    Way::Windows => (in_window < 250, in_window > 0),
                    Way::Thinned(every) => (random.below(every as u64) == 0, false),
                };
                let known = Known {
                    order: follows,
                    ..known
                };
                if is_read {
                    let stored = Stored::Uuid(id.to_be_bytes());
                    observe_stored(&mut survey, stored, *time, known);
                }
            }
            let diagnosis = survey.conclude(&[]);
            let what = format!("{seed} {order:?} {way:?} {rows} {known:?}: {diagnosis:#?}");
            for candidate in &diagnosis.candidates {
                assert_eq!(candidate.format, FormatKind::UuidV4, "{what}");
            }
            assert!(diagnosis.damaged.is_empty(), "{what}");
            let is_slandered = diagnosis
                .evidence
                .iter()
                .any(|said| said.contains("not drawn"));
            assert!(!is_slandered, "{what}");
        }
    }
}

fn examine(part: u64) {
    let mut by_certainty = [0; 3];
    for seed in part * TABLES..(part + 1) * TABLES {
        let mut random = Random(seed);
        let rows = 10_000_f64.powf(random.unit().powf(2.0)).round() as usize;
        let order = ORDERS[(seed % 9) as usize];
        let created = match seed / 9 % 4 {
            0 => Some(0),
            1 => Some(7_200_000),
            _ => None,
        };
        let known = Known {
            order: !matches!(order, Order::Unknown),
            created,
        };
        let rate = match seed / 36 % 3 {
            0 => Rate::Steady(60_000.0 * 65_536.0 / rows as f64),
            1 => Rate::Random(1_000.0),
            _ => Rate::Steady(0.0),
        };
        let is_swapped = seed / 108 % 4 == 0;
        let mut ids: Vec<u128> = (0..rows).map(|_| random.v4()).collect();
        if is_swapped {
            ids.iter_mut().for_each(|id| *id = in_sql_server_order(*id));
        }
        arrange(&mut ids, order);
        let times = times(&mut random, rate, rows, 30.0);
        let backend = Backend::ALL[(seed % 5) as usize];
        let mut survey = Survey::new(backend, false, NOW);
        for (id, time) in ids.iter().zip(times) {
            observe_stored(&mut survey, Stored::Uuid(id.to_be_bytes()), time, known);
        }
        let diagnosis = survey.conclude(&[]);
        let what = format!("seed {seed}, {rows} rows, {order:?}, {known:?}: {diagnosis:#?}");
        let format = diagnosis.format;
        // Too few rows do not tell where the version is.
        let is_small_and_swapped = is_swapped && rows < 6;
        if !is_small_and_swapped {
            assert!(
                format.is_none_or(|format| format == FormatKind::UuidV4),
                "{what}"
            );
            for candidate in &diagnosis.candidates {
                assert_eq!(candidate.format, FormatKind::UuidV4, "{what}");
            }
            assert!(diagnosis.damaged.is_empty(), "{what}");
        } else {
            let by_chance = diagnosis.certainty == Certainty::Certain;
            assert!(
                by_chance || diagnosis.certainty == Certainty::CannotTell,
                "{what}"
            );
        }
        if !is_swapped {
            assert_eq!(diagnosis.layout, None, "{what}");
        }
        by_certainty[match diagnosis.certainty {
            Certainty::CannotTell => 0,
            Certainty::Likely => 1,
            Certainty::Certain => 2,
        }] += 1;
    }
    // Each answer is one that is given.
    assert!(
        by_certainty.iter().all(|count| *count > 25),
        "{by_certainty:?}"
    );
}

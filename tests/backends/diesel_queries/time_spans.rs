//! The condition of a time span selects the keys that were made in it, and no others.

macro_rules! time_spans {
    ($module:ident, $Connection:ty) => {
        pub(crate) mod $module {
            use anyhow::{Context, Result, bail, ensure};
            use diesel::prelude::*;
            use rowkey::driver::diesel::{KeyColumnMethods, ToParam};
            use rowkey::storage::Nullability;
            use rowkey::{
                DistributedId, EntityKey, ShortPrefixComb, ShortSuffixComb, SuffixComb, UnixMillis,
            };
            use rowkey_testkit::TestDatabase;

            use super::{MINUTE, WRAP, instants, spans};
            use crate::diesel_queries::connection::{column, connect, execute};
            use crate::diesel_queries::keys::{InvoiceId, OfferId, StopId, VisitId};

            pub(crate) fn run(database: &TestDatabase) -> Result<()> {
                let db = &mut connect::<$Connection>(database)?;
                let counter = ShortPrefixComb::<60_000>::counter_at;
                time_spans!(@of OfferId, db, database, |time| {
                    ShortPrefixComb::<60_000>::from_parts(counter(time), [7; 14])
                });
                time_spans!(@of StopId, db, database, |time| {
                    ShortSuffixComb::<60_000>::from_parts(counter(time), [7; 14])
                });
                time_spans!(@of VisitId, db, database, |time| {
                    SuffixComb::from_parts(time, [7; 10]).expect("48 bits")
                });
                time_spans!(@of InvoiceId, db, database, |time| {
                    DistributedId::from_parts(time, 7).expect("in range")
                });
                Ok(())
            }
        }
    };
    (@of $Key:ident, $db:ident, $database:ident, $make:expr) => {{
        diesel::table! {
            use super::$Key;
            use diesel::sql_types::{BigInt, Nullable};
            use rowkey::driver::diesel::Key;

            made { id -> Key<$Key>, again -> Nullable<Key<$Key>>, time -> BigInt, }
        }
        let backend = $database.backend();
        let id = column::<$Key>(backend, "id", Nullability::NotNull)?;
        let again = column::<$Key>(backend, "again", Nullability::Nullable)?;
        execute(
            $db,
            &format!("CREATE TABLE made ({id}, {again}, time BIGINT NOT NULL, PRIMARY KEY (id))"),
        )?;
        let make = $make;
        for time in instants() {
            let id = $Key::from_format(make(UnixMillis::new(time)))?;
            diesel::insert_into(made::table)
                .values((made::id.eq(id), made::again.eq(id), made::time.eq(time)))
                .execute($db)?;
        }
        for (from, to) in spans() {
            let [from, to] = [from, to].map(UnixMillis::new);
            let bounds = $Key::bounds(from..to);
            let expected: Vec<i64> = instants()
                .into_iter()
                .filter(|time| (from.get()..to.get()).contains(time))
                .collect();
            let found: Vec<i64> = made::table
                .filter(made::id.within(bounds))
                .order(made::time)
                .select(made::time)
                .load($db)?;
            ensure!(found == expected, "{}: {from}..{to} finds {found:?}", $Key::NAME);

            // As a part of a larger condition, on a column that may be NULL.
            let found: Vec<i64> = made::table
                .filter(made::time.ne(WRAP).and(diesel::dsl::not(made::again.within(bounds))))
                .order(made::time)
                .select(made::time)
                .load($db)?;
            let others: Vec<i64> = instants()
                .into_iter()
                .filter(|time| *time != WRAP && !expected.contains(time))
                .collect();
            ensure!(found == others, "{}: not {from}..{to} finds {found:?}", $Key::NAME);
        }
        let all: i64 = made::table
            .filter(made::id.within($Key::bounds(..)))
            .count()
            .get_result($db)?;
        ensure!(all == instants().len() as i64);
        let selected: Option<bool> = made::table
            .select(made::again.within($Key::bounds(..)))
            .first($db)?;
        ensure!(selected == Some(true));

        // The edges alone, of a span of the second and the third minute since the ring's end.
        let span = UnixMillis::new(WRAP + MINUTE)..UnixMillis::new(WRAP + 3 * MINUTE);
        let [range] = $Key::bounds(span)[..] else {
            bail!("{}: the span is no single interval", $Key::NAME);
        };
        let edges = range.lower.zip(range.upper);
        let (lower, upper) = edges.context("the span has a beginning and an end")?;
        let [lower, upper] = [lower.to_param(), upper.to_param()];
        macro_rules! by {
            ($condition:expr, $minutes:expr) => {
                let found: Vec<i64> = made::table
                    .filter($condition)
                    .filter(made::time.ge(WRAP))
                    .order(made::time)
                    .select(made::time)
                    .load($db)?;
                let condition = stringify!($condition);
                let expected = $minutes.map(|minute| WRAP + minute * MINUTE);
                ensure!(found == expected, "{}: {condition} finds {found:?}", $Key::NAME);
            };
        }
        by!(made::id.ge(lower), [1, 2, 3, 4, 5]);
        by!(made::id.gt(lower), [1, 2, 3, 4, 5]);
        by!(made::id.lt(upper), [0, 1, 2]);
        by!(made::id.le(upper), [0, 1, 2]);
        by!(made::id.between(lower, upper), [1, 2]);
        by!(made::id.not_between(lower, upper), [0, 3, 4, 5]);
        by!(made::again.gt(lower), [1, 2, 3, 4, 5]);
        by!(made::again.lt(upper), [0, 1, 2]);
        by!(made::again.between(lower, upper), [1, 2]);
        execute($db, "DROP TABLE made")?;
    }};
}

/// 2022-03-18T03:44:00Z, where the ring counter of the short COMBs returns to 0.
const WRAP: i64 = 1_647_575_040_000;
const MINUTE: i64 = 60_000;

/// A key is made at each: minutes around the ring's end.
fn instants() -> Vec<i64> {
    (-5..=5).map(|minutes| WRAP + minutes * MINUTE).collect()
}

/// Spans before, across and after the ring's end, empty and reversed ones.
fn spans() -> Vec<(i64, i64)> {
    [
        (-4, -2),
        (-5, 0),
        (0, 5),
        (-2, 3),
        (-9, 9),
        (1, 2),
        (2, 2),
        (3, -3),
        (7, 9),
    ]
    .map(|(from, to)| (WRAP + from * MINUTE, WRAP + to * MINUTE))
    .to_vec()
}

#[cfg(feature = "diesel-postgres")]
time_spans!(postgres, diesel::PgConnection);
#[cfg(feature = "diesel-mysql")]
time_spans!(mysql, diesel::MysqlConnection);
time_spans!(sqlite, diesel::SqliteConnection);

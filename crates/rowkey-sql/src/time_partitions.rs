//! Partitions by the time in a key.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rowkey_core::__sql::{TimeField, TimeUnit};
use rowkey_core::storage::{OrderPromise, StoragePlan, Wire};
use rowkey_core::{Backend, Error, UnixMillis};

use crate::calendar;
use crate::partitioned_table::{Dialect, Partition, Values};
use crate::refused::refused;

/// The partitions between the edges of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    plan: StoragePlan,
    field: TimeField,
    /// Ascending, at least two, each the start of an instant that ids can carry.
    edges: Vec<UnixMillis>,
}

impl Times {
    pub(crate) fn new(
        plan: StoragePlan,
        edges: impl IntoIterator<Item = UnixMillis>,
    ) -> Result<Self, Error> {
        let edges: Vec<UnixMillis> = edges.into_iter().take(MAX_EDGES + 1).collect();
        let time = plan.column(Backend::Sqlite).format().spec().time;
        let (field, range, unit_ms) = match time.map(|field| (field, field.unit)) {
            Some((field, TimeUnit::Instant { range, unit_ms })) => {
                (field, range, i64::from(unit_ms))
            }
            Some((_, TimeUnit::Interval)) => {
                return Err(refused(
                    "the counter of a short COMB returns to 0 every 65,536 intervals, so that a \
                     partition would get rows of any number of years; partition by a column of \
                     time, or declare the key over PrefixComb, UuidV7 or another format that tells \
                     its instant",
                ));
            }
            None => {
                return Err(refused(
                    "ids of this format carry no time; partition by a timestamp column",
                ));
            }
        };
        if edges.len() < 2 {
            return Err(refused(
                "a partition is between two edges; give at least two instants",
            ));
        }
        if edges.len() > MAX_EDGES {
            return Err(refused(
                "a table has at most 8192 partitions, the rest among them; give at most 8192 edges",
            ));
        }
        let mut previous = None;
        for (index, &time) in edges.iter().enumerate() {
            let problem = if previous.is_some_and(|previous| previous >= time) {
                "it is not after the previous edge"
            } else if time < range.min || time > range.max {
                "this instant is outside the range of the format"
            } else if time.get().rem_euclid(unit_ms) != 0 {
                "ids of this format carry whole seconds only"
            } else if field.smallest_at(time.get()) > plan.max_value() {
                "ids of this instant do not fit the key's plan"
            } else {
                previous = Some(time);
                continue;
            };
            return Err(refused(format!(
                "edge {index} of the partitions, {time}: {problem}"
            )));
        }
        Ok(Self { plan, field, edges })
    }

    /// How the backend divides the table, the type of the column, and the partitions.
    pub(crate) fn on(&self, backend: Backend) -> Result<(Dialect, String, Vec<Partition>), Error> {
        let dialect = self.dialect(backend)?;
        let literal = |edge: UnixMillis| {
            let edge = self.field.smallest_at(edge.get());
            self.plan.column(backend).literal(edge)
        };
        let partition = |span: &[UnixMillis]| {
            let stamp = calendar::stamp(span[0]);
            Partition {
                name: format!("p{stamp}"),
                suffix: stamp,
                values: Values::Range {
                    from: literal(span[0]),
                    below: literal(span[1]),
                },
            }
        };
        let partitions = self.edges.windows(2).map(partition).collect();
        Ok((dialect, self.plan.column_type(backend)?, partitions))
    }

    fn dialect(&self, backend: Backend) -> Result<Dialect, Error> {
        let column = self.plan.column(backend);
        match (backend, column.wire()) {
            (Backend::Postgres, ..) => Ok(Dialect::Postgres),
            (Backend::MySql | Backend::MariaDb, Wire::Decimal(_)) => Err(refused(
                "MySQL and MariaDB do not partition by ranges of DECIMAL; store the key as `uuid` \
                 (BINARY(16)), `binary` or `text`",
            )),
            (Backend::MySql | Backend::MariaDb, ..) => Ok(Dialect::MySql(backend)),
            (Backend::Sqlite, ..) => Err(refused("SQLite has no partitioned tables")),
            (Backend::SqlServer, Wire::Text(_)) => Err(refused(
                "a partition function of SQL Server compares text by the rules of the database, not \
                 bytewise as the column of a key; store the key as `uuid`, `binary` or `decimal`",
            )),
            (Backend::SqlServer, ..) if column.order_promise() == OrderPromise::Unordered => {
                Err(refused(
                    "the `public-unordered` layout has no order of time in SQL Server, so that a \
                     partition would get rows of any time; partition by a column of time",
                ))
            }
            (Backend::SqlServer, ..) => Ok(Dialect::SqlServer),
        }
    }
}

/// The maximum of MySQL and MariaDB, including the rest. It is ample for PostgreSQL, and stops an
/// endless iterator of edges before it fills memory.
const MAX_EDGES: usize = 8192;

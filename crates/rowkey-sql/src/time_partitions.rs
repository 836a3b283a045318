//! Partitions of a table by the time in its keys.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::calendar;
use crate::partitioned_table::{Dialect, Partition, PartitionedTable, Values};
use crate::refused::refused;
use rowkey_core::__sql::{TimeField, TimeUnit};
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::UnixMillis;
use rowkey_core::storage::{OrderPromise, StoragePlan, TableName, Wire};

/// The partitions of a table by the time in its keys, as SQL for PostgreSQL, MySQL, MariaDB and
/// SQL Server.
///
/// Neighbouring instants of a list are the edges of a partition, so there are no gaps between the
/// first and the last. The key's plan encodes an edge like the bound of a query: as the smallest
/// valid id of its instant, in the column's layout. A query with the
/// [bounds](rowkey_core::EntityKey::bounds) of a time span reads only the partitions of that span.
///
/// A partition is named after its first instant in UTC: `offer_20260131` in PostgreSQL, where it is
/// a table in the schema of the partitioned table, and `p20260131` in MySQL and MariaDB. `_235959`
/// and `_999` are appended if needed.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_core::storage::StoragePlan;
/// use rowkey_core::Backend;
/// use rowkey_sql::{TimePartitions, month_starts};
///
/// // OrderId::PLAN of a key that is declared with #[entity_key].
/// let plan = StoragePlan::default_for(FormatKind::UuidV7);
/// let months = month_starts(2026, 1).take(13);
/// let partitions = TimePartitions::new(plan, "order", "id", months)?.with_rest();
///
/// let clause = partitions.partition_by(Backend::Postgres)?;
/// assert_eq!(clause, "PARTITION BY RANGE (\"id\")");
/// let statements = partitions.after_create(Backend::Postgres)?;
/// assert_eq!(
///     statements[0],
///     "CREATE TABLE \"order_20260101\" PARTITION OF \"order\" FOR VALUES \
///      FROM ('019b76da-a800-7000-8000-000000000000') TO ('019c167f-cc00-7000-8000-000000000000')",
/// );
/// # Ok::<(), rowkey_core::Error>(())
/// ```
///
/// # Which rows are in which partition
///
/// Partitions go by the time in the id. For a DistributedId this is up to a second before the id
/// was made. Rows before the first or after the last edge:
///
/// | row | PostgreSQL | MySQL, MariaDB | SQL Server |
/// |---|---|---|---|
/// | before the first edge | refused, or in the rest | in the first partition | in a partition |
/// | after the last edge | refused, or in the rest | refused, or in the rest | in a partition |
///
/// [`with_rest`](Self::with_rest) makes a partition for the rest.
///
/// The primary key and the unique indexes of a partitioned table must include the partitioned
/// column, which is the key. In PostgreSQL the rest must not contain rows of a partition that is
/// added later.
///
/// # Which keys
///
/// Keys whose format carries an instant. The counter of the short COMBs returns to 0 every 65,536
/// intervals, so their ranges do not stay in the past; other formats have no time. In MySQL and
/// MariaDB the column must store bytes, text or MariaDB's `UUID`, whose ranges follow its own
/// order; these servers do not partition by ranges of `DECIMAL`. In SQL Server it must not store
/// text, nor have the `public-unordered` layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimePartitions {
    plan: StoragePlan,
    field: TimeField,
    /// In MySQL and MariaDB a database.
    schema: Option<String>,
    table: String,
    column: String,
    /// Ascending, at least two, each the start of an instant that ids can carry.
    edges: Vec<UnixMillis>,
    has_rest: bool,
}

impl TimePartitions {
    /// Partitions of a table by its key column, between the edges. The table is `"offer"`, or
    /// `("sales", "offer")` where it is in a schema of PostgreSQL or in another database of MySQL
    /// or MariaDB.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a format without instants; for fewer than two edges or more
    /// than 8192 (of an endless iterator such as [`month_starts`](crate::month_starts), `take`
    /// some); and for an edge that is not after the previous one, that ids of the format cannot
    /// carry, or that does not fit a column of the plan.
    pub fn new<'t>(
        plan: StoragePlan,
        table: impl Into<TableName<'t>>,
        column: &str,
        edges: impl IntoIterator<Item = UnixMillis>,
    ) -> Result<Self, Error> {
        let table = table.into();
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
        Ok(Self {
            plan,
            field,
            schema: table.schema.map(Into::into),
            table: table.table.into(),
            column: column.into(),
            edges,
            has_rest: false,
        })
    }

    /// These partitions and one for all other rows, named `offer_rest` in PostgreSQL and `rest` in
    /// MySQL and MariaDB. SQL Server always has a partition before the first edge and one after the
    /// last.
    #[must_use]
    pub fn with_rest(self) -> Self {
        Self {
            has_rest: true,
            ..self
        }
    }

    /// The statements before `CREATE TABLE`: in SQL Server the partition function and the partition
    /// scheme, none elsewhere.
    ///
    /// Both are called after the table and the column, `offer_id`, and the scheme keeps all
    /// partitions in the primary filegroup. The boundaries are ascending in SQL Server's order and
    /// begin their partition (`RANGE RIGHT`), so a row of an edge is in the partition after it.
    ///
    /// # Errors
    ///
    /// As [`partition_by`](Self::partition_by).
    pub fn before_create(&self, backend: Backend) -> Result<Vec<String>, Error> {
        self.on(backend)?.before_create()
    }

    /// The clause after the parentheses of `CREATE TABLE`. In MySQL and MariaDB the clause contains
    /// the partitions. In PostgreSQL, [`after_create`](Self::after_create) creates them. In SQL
    /// Server, the clause refers to the scheme of [`before_create`](Self::before_create).
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` if the backend does not partition such a column, and
    /// `ErrorKind::Name` for a name that is not valid on the backend, including those of the table
    /// and its partitions.
    pub fn partition_by(&self, backend: Backend) -> Result<String, Error> {
        self.on(backend)?.partition_by()
    }

    /// The statements that follow `CREATE TABLE`: one for each partition in PostgreSQL, none
    /// elsewhere.
    ///
    /// # Errors
    ///
    /// As [`partition_by`](Self::partition_by).
    pub fn after_create(&self, backend: Backend) -> Result<Vec<String>, Error> {
        self.on(backend)?.after_create()
    }

    /// The statements that add these partitions after the existing ones of a table. If the table
    /// has a rest, call [`with_rest`](Self::with_rest) here as well: MySQL and MariaDB then move
    /// the rows that belong to the new partitions. SQL Server always moves such rows. The first
    /// edge has to be the last of the existing partitions.
    ///
    /// # Errors
    ///
    /// As [`partition_by`](Self::partition_by).
    pub fn additions(&self, backend: Backend) -> Result<Vec<String>, Error> {
        self.on(backend)?.additions()
    }

    /// The table on a backend, which has to be able to partition it.
    fn on(&self, backend: Backend) -> Result<PartitionedTable<'_>, Error> {
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
        Ok(PartitionedTable {
            dialect,
            table: TableName {
                schema: self.schema.as_deref(),
                table: &self.table,
            },
            column: &self.column,
            column_type: self.plan.column_type(backend)?,
            partitions: self.edges.windows(2).map(partition).collect(),
            has_rest: self.has_rest,
        })
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

//! Partitions of a table by the time in its keys.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Error;
use crate::format::{TimeField, TimeUnit};
use crate::storage::Backend;
use crate::storage::{StoragePlan, TableName, Wire, quote_identifier};
use crate::time::UnixMillis;

/// The partitions of a table by the time in its keys, as SQL for PostgreSQL, MySQL and MariaDB.
///
/// Neighbouring instants of a list are the edges of a partition, so there are no gaps between the
/// first and the last. An edge goes through the key's plan as a bound of a query does: the smallest
/// valid id of its instant, in the column's layout. A query with the
/// [bounds](crate::EntityKey::bounds) of a time span is run on the partitions of that span alone.
///
/// A partition is called by its first instant in UTC: `offer_20260131` in PostgreSQL, where it is a
/// table in the schema of the whole one, and `p20260131` in MySQL and MariaDB; with `_235959` and
/// `_999` behind it if it needs them.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_core::storage::StoragePlan;
/// use rowkey_core::time_range::TimePartitions;
/// use rowkey_core::{Backend, UnixMillis};
///
/// // OrderId::PLAN of a key that is declared with #[entity_key].
/// let plan = StoragePlan::default_for(FormatKind::UuidV7);
/// let months = UnixMillis::month_starts(2026, 1).take(13);
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
/// # What is where
///
/// Partitions are of the time that an id tells, which for a DistributedId is up to a second before
/// it was made. What is before the first or after the last edge:
///
/// | | PostgreSQL | MySQL, MariaDB |
/// |---|---|---|
/// | before the first edge | is refused; with [`with_rest`](Self::with_rest), in the rest | in the first partition |
/// | after the last edge | is refused; with `with_rest`, in the rest | is refused; with `with_rest`, in the rest |
///
/// A partitioned table has its primary key and its unique indexes on columns among which the
/// partitioned one is, which the key is. In PostgreSQL the rest cannot hold rows of a partition that
/// is added later.
///
/// # Which keys
///
/// Those whose format tells an instant. The counter of the short COMBs returns to 0 every 65,536
/// intervals, so their ranges do not stay in the past; other formats have no time. In MySQL and
/// MariaDB the column is of bytes, of text or of MariaDB's `UUID`, whose ranges are those of its own
/// order; ranges of `DECIMAL` are not partitioned there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimePartitions {
    plan: StoragePlan,
    field: TimeField,
    /// In MySQL and MariaDB a database.
    schema: Option<String>,
    table: String,
    column: String,
    /// Ascending, at least two, each the start of an instant that ids can tell.
    edges: Vec<UnixMillis>,
    has_rest: bool,
}

impl TimePartitions {
    /// Partitions of a table by its key column, between the edges. The table is `"offer"`, or
    /// `("sales", "offer")` where it is in a schema of PostgreSQL or in another database of MySQL or
    /// MariaDB.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] for a format without instants, fewer than two edges or more than 8192
    /// (of endless ones, such as those of [`UnixMillis::month_starts`], `take` some),
    /// [`Error::PartitionEdge`] for an edge that does not come after the one before it, that ids of
    /// the format cannot tell, or for which a column of the plan has no room.
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
                return Err(Error::Refused(
                    "the counter of a short COMB returns to 0 every 65,536 intervals, so that a \
                     partition would get rows of any number of years; partition by a column of \
                     time, or declare the key over PrefixComb, UuidV7 or another format that tells \
                     its instant",
                ));
            }
            None => {
                return Err(Error::Refused(
                    "ids of this format carry no time; partition by a timestamp column",
                ));
            }
        };
        if edges.len() < 2 {
            return Err(Error::Refused(
                "a partition is between two edges; give at least two instants",
            ));
        }
        if edges.len() > MAX_EDGES {
            return Err(Error::Refused(
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
            return Err(Error::PartitionEdge {
                index,
                time,
                problem,
            });
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

    /// The same with a partition for what no other takes, called `offer_rest` in PostgreSQL and
    /// `rest` in MySQL and MariaDB.
    #[must_use]
    pub fn with_rest(self) -> Self {
        Self {
            has_rest: true,
            ..self
        }
    }

    /// What stands behind the parentheses of `CREATE TABLE`. In MySQL and MariaDB it has the
    /// partitions in it; in PostgreSQL [`after_create`](Self::after_create) makes them.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] where the backend does not partition such a column, and
    /// [`Error::Identifier`] for a name that it cannot take, that of the table or of a partition
    /// among them.
    pub fn partition_by(&self, backend: Backend) -> Result<String, Error> {
        let column = quote_identifier(backend, &self.column)?;
        let dialect = self.dialect(backend)?;
        self.quoted_table(backend)?;
        Ok(match dialect {
            Dialect::Postgres => {
                // What cannot follow is said before there is a table.
                self.after_create(backend)?;
                format!("PARTITION BY RANGE ({column})")
            }
            Dialect::MySql => {
                let partitions = self.less_than(backend)?;
                format!("PARTITION BY RANGE COLUMNS ({column}) ({partitions})")
            }
        })
    }

    /// The statements that follow `CREATE TABLE`: one for each partition in PostgreSQL, none in
    /// MySQL and MariaDB.
    ///
    /// # Errors
    ///
    /// As [`partition_by`](Self::partition_by).
    pub fn after_create(&self, backend: Backend) -> Result<Vec<String>, Error> {
        match self.dialect(backend)? {
            Dialect::Postgres => {
                let mut statements = self.create_partitions(backend)?;
                if self.has_rest {
                    let table = self.quoted_table(backend)?;
                    let rest = self.quoted_partition(backend, "rest")?;
                    statements.push(format!("CREATE TABLE {rest} PARTITION OF {table} DEFAULT"));
                }
                Ok(statements)
            }
            Dialect::MySql => Ok(Vec::new()),
        }
    }

    /// The statements that add these partitions to a table that has others before them. Where the
    /// table has a rest, these are to be [`with_rest`](Self::with_rest) as well: MySQL and MariaDB
    /// then move the rows that belong to the new ones.
    ///
    /// # Errors
    ///
    /// As [`partition_by`](Self::partition_by).
    pub fn additions(&self, backend: Backend) -> Result<Vec<String>, Error> {
        match self.dialect(backend)? {
            Dialect::Postgres => self.create_partitions(backend),
            Dialect::MySql => {
                let table = self.quoted_table(backend)?;
                let partitions = self.less_than(backend)?;
                Ok(Vec::from([if self.has_rest {
                    // Nothing can be added behind a partition without an end.
                    let rest = quote_identifier(backend, "rest")?;
                    format!("ALTER TABLE {table} REORGANIZE PARTITION {rest} INTO ({partitions})")
                } else {
                    format!("ALTER TABLE {table} ADD PARTITION ({partitions})")
                }]))
            }
        }
    }

    /// How a backend partitions the key's column.
    fn dialect(&self, backend: Backend) -> Result<Dialect, Error> {
        let column = self.plan.column(backend);
        // Says that MySQL has no such type.
        self.plan.column_type(backend)?;
        match (backend, column.wire()) {
            (Backend::Postgres, ..) => Ok(Dialect::Postgres),
            (Backend::MySql | Backend::MariaDb, Wire::Decimal(_)) => Err(Error::Refused(
                "MySQL and MariaDB do not partition by ranges of DECIMAL; store the key as `uuid` \
                 (BINARY(16)), `binary` or `text`",
            )),
            (Backend::MySql | Backend::MariaDb, ..) => Ok(Dialect::MySql),
            (Backend::Sqlite, ..) => Err(Error::Refused("SQLite has no partitioned tables")),
            (Backend::SqlServer, ..) => Err(Error::Refused(
                "partitions of SQL Server are functions and schemes of a database, which rowkey \
                 does not write",
            )),
        }
    }

    /// PostgreSQL's statements for the partitions between the edges.
    fn create_partitions(&self, backend: Backend) -> Result<Vec<String>, Error> {
        let table = self.quoted_table(backend)?;
        let spans = self.edges.windows(2).map(|span| {
            let name = self.quoted_partition(backend, &span[0].stamp())?;
            let [from, to] = [span[0], span[1]].map(|edge| self.literal(backend, edge));
            Ok(format!(
                "CREATE TABLE {name} PARTITION OF {table} FOR VALUES FROM ({from}) TO ({to})"
            ))
        });
        spans.collect()
    }

    /// The partitions as MySQL and MariaDB list them.
    fn less_than(&self, backend: Backend) -> Result<String, Error> {
        let mut list = String::new();
        for span in self.edges.windows(2) {
            let name = quote_identifier(backend, &format!("p{}", span[0].stamp()))?;
            let end = self.literal(backend, span[1]);
            let separator = if list.is_empty() { "" } else { ", " };
            list += &format!("{separator}PARTITION {name} VALUES LESS THAN ({end})");
        }
        if self.has_rest {
            let rest = quote_identifier(backend, "rest")?;
            list += &format!(", PARTITION {rest} VALUES LESS THAN (MAXVALUE)");
        }
        Ok(list)
    }

    fn quoted_table(&self, backend: Backend) -> Result<String, Error> {
        self.table(&self.table).quoted(backend)
    }

    /// The name of a partition that is a table.
    fn quoted_partition(&self, backend: Backend, suffix: &str) -> Result<String, Error> {
        self.table(&format!("{}_{suffix}", self.table))
            .quoted(backend)
    }

    /// A table where the partitioned one is.
    fn table<'a>(&'a self, table: &'a str) -> TableName<'a> {
        TableName {
            schema: self.schema.as_deref(),
            table,
        }
    }

    fn literal(&self, backend: Backend, edge: UnixMillis) -> String {
        let column = self.plan.column(backend);
        column.literal(self.field.smallest_at(edge.get()))
    }
}

/// As many partitions as MySQL and MariaDB take, and the rest. Nobody has so many in PostgreSQL, and
/// edges without an end are noticed before they are in memory.
const MAX_EDGES: usize = 8192;

/// How partitions are written.
#[derive(Clone, Copy)]
enum Dialect {
    /// Each is a table with two edges.
    Postgres,
    /// Each goes up to its upper edge.
    MySql,
}

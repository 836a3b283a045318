//! A table that is divided by the time or a number in its keys.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use rowkey_core::routing::{RoutingColumn, RoutingPart};
use rowkey_core::storage::{StoragePlan, TableName};
use rowkey_core::{Backend, EntityKey, Error, UnixMillis};

use crate::partitioned_table::PartitionedTable;
use crate::routed_partitions::Numbers;
use crate::time_partitions::Times;

/// The partitions of a table, as SQL for PostgreSQL, MySQL, MariaDB and SQL Server.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_core::storage::StoragePlan;
/// use rowkey_core::Backend;
/// use rowkey_sql::{Partitions, month_starts};
///
/// // OrderId::PLAN of a key that is declared with #[entity_key].
/// let plan = StoragePlan::default_for(FormatKind::UuidV7);
/// let months = month_starts(2026, 1).take(13);
/// let partitions = Partitions::by_time(plan, "order", "id", months)?.with_rest();
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
/// In PostgreSQL each partition is a table in the schema of the partitioned one, named after both:
/// `offer_20260131`. In SQL Server, partitions have no names.
///
/// # Which rows are in which partition
///
/// | rows | PostgreSQL | MySQL, MariaDB | SQL Server |
/// |---|---|---|---|
/// | below the first range | refused, or in the rest | in the first partition | in a partition |
/// | above the last range | refused, or in the rest | refused, or in the rest | in a partition |
/// | in no list | refused, or in the rest | refused, or in the rest | in a partition |
///
/// [`with_rest`](Self::with_rest) makes a partition for the rest. SQL Server has no lists: each run
/// of neighbouring numbers of a list is a partition, and each gap.
///
/// The primary key and the unique indexes of a partitioned table must include the partitioned
/// column. In PostgreSQL the rest must not contain rows of a partition that is added later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitions {
    /// In MySQL and MariaDB a database.
    schema: Option<String>,
    table: String,
    column: String,
    division: Division,
    has_rest: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Division {
    Times(Times),
    Numbers(Numbers),
}

impl Partitions {
    /// Partitions by the time in the key, between the edges. The table is `"offer"`, or
    /// `("sales", "offer")` where it is in a schema of PostgreSQL or in another database of MySQL
    /// or MariaDB.
    ///
    /// Neighbouring instants of the list are the edges of a partition, so there are no gaps between
    /// the first and the last. The key's plan encodes an edge like the bound of a query: as the
    /// smallest generated id of its instant, in the column's layout. A query with the
    /// [bounds](rowkey_core::EntityKey::bounds) of a time span reads only the partitions of that
    /// span. For a DistributedId, the time in the id is up to a second before the id was made.
    ///
    /// A partition is named after its first instant in UTC: `offer_20260131` in PostgreSQL, and
    /// `p20260131` in MySQL and MariaDB. `_235959` and `_999` are appended if needed.
    ///
    /// The key's format has to carry an instant. The counter of the short COMBs returns to 0 every
    /// 65,536 intervals, so their ranges do not stay in the past; other formats have no time. In
    /// MySQL and MariaDB the column must store bytes, text or MariaDB's `UUID`, whose ranges follow
    /// its own order; these servers do not partition by ranges of `DECIMAL`. In SQL Server it must
    /// not store text, nor have the `public-unordered` layout.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a format without instants; for fewer than two edges or more
    /// than 8192 (of an endless iterator such as [`month_starts`](crate::month_starts), `take`
    /// some); and for an edge that is not after the previous one, that ids of the format cannot
    /// carry, or that does not fit a column of the plan.
    pub fn by_time<'t>(
        plan: StoragePlan,
        table: impl Into<TableName<'t>>,
        column: &str,
        edges: impl IntoIterator<Item = UnixMillis>,
    ) -> Result<Self, Error> {
        let times = Times::new(plan, edges)?;
        Ok(Self::new(table.into(), column, Division::Times(times)))
    }

    /// Partitions by a [`RoutingColumn`], one for each list of numbers, such as the countries of a
    /// continent. A list has to contain every number of its partition: a number in no list has no
    /// partition. A partition called `europe` is `europe` in MySQL and MariaDB, and the table
    /// `mission_europe` in PostgreSQL.
    ///
    /// ```
    /// use rowkey_core::routing::{RoutingColumn, ServiceEntity};
    /// use rowkey_core::{Backend, EntityKey, Error, Iuid};
    /// use rowkey_sql::Partitions;
    ///
    /// fn clause<K: EntityKey<Format = Iuid>>() -> Result<String, Error> {
    ///     let entity = RoutingColumn::<K, ServiceEntity>::new("id", "service_entity");
    ///     let of_entities = [("orders", vec![10, 12]), ("rides", vec![11])];
    ///     let partitions = Partitions::by_lists(entity, "visit", of_entities)?;
    ///     partitions.partition_by(Backend::Postgres) // PARTITION BY LIST ("service_entity")
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a list without numbers, for a number that is listed twice, for
    /// a name that is empty or used twice (in any case), and if there are no partitions or more
    /// than 8192.
    pub fn by_lists<'t, K, P, N, L>(
        column: RoutingColumn<K, P>,
        table: impl Into<TableName<'t>>,
        lists: impl IntoIterator<Item = (N, L)>,
    ) -> Result<Self, Error>
    where
        P: RoutingPart,
        K: EntityKey<Format = P::Format>,
        N: Into<String>,
        L: IntoIterator<Item = P::Number>,
    {
        let numbers = Numbers::lists::<P, _, _>(lists)?;
        let column = column.plain_names()[1];
        Ok(Self::new(table.into(), column, Division::Numbers(numbers)))
    }

    /// Partitions by a [`RoutingColumn`], one for each range of numbers, such as the shard keys of
    /// a region, in ascending order and without gaps, which MySQL and MariaDB do not have. The
    /// names are those of [`by_lists`](Self::by_lists).
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a range that is empty or does not begin after the end of the
    /// previous one, for a name that is empty or used twice (in any case), and if there are no
    /// partitions or more than 8192.
    pub fn by_ranges<'t, K, P, N>(
        column: RoutingColumn<K, P>,
        table: impl Into<TableName<'t>>,
        ranges: impl IntoIterator<Item = (N, RangeInclusive<P::Number>)>,
    ) -> Result<Self, Error>
    where
        P: RoutingPart,
        K: EntityKey<Format = P::Format>,
        N: Into<String>,
    {
        let numbers = Numbers::ranges::<P, _>(ranges)?;
        let column = column.plain_names()[1];
        Ok(Self::new(table.into(), column, Division::Numbers(numbers)))
    }

    fn new(table: TableName<'_>, column: &str, division: Division) -> Self {
        Self {
            schema: table.schema.map(Into::into),
            table: table.table.into(),
            column: column.into(),
            division,
            has_rest: false,
        }
    }

    /// These partitions and one for all other rows, named `offer_rest` in PostgreSQL and `rest` in
    /// MySQL and MariaDB. SQL Server has partitions for all rows anyway; in MySQL, lists have no
    /// rest.
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
    /// `ErrorKind::Declaration` if the backend does not partition such a column, for lists with a
    /// rest in MySQL, for more than 8192 partitions with the rest, and for a partition that is
    /// called like the rest. `ErrorKind::Name` for a name that is not valid on the backend,
    /// including those of the table and its partitions.
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

    /// The statements that add these partitions to a table. Ranges follow the existing ones: the
    /// first edge in time has to be the last of the existing partitions. If the table has a rest,
    /// call [`with_rest`](Self::with_rest) here as well: MySQL and MariaDB then move the rows that
    /// belong to the new partitions.
    ///
    /// SQL Server moves rows, too, and splits a partition at each new boundary. For lists, that
    /// fails at a number next to the numbers of an existing list, because the boundary exists
    /// already; add such partitions by hand.
    ///
    /// # Errors
    ///
    /// As [`partition_by`](Self::partition_by).
    pub fn additions(&self, backend: Backend) -> Result<Vec<String>, Error> {
        self.on(backend)?.additions()
    }

    /// The table on a backend, which has to be able to partition it.
    fn on(&self, backend: Backend) -> Result<PartitionedTable<'_>, Error> {
        let (dialect, column_type, partitions) = match &self.division {
            Division::Times(times) => times.on(backend)?,
            Division::Numbers(numbers) => numbers.on(backend, self.has_rest)?,
        };
        Ok(PartitionedTable {
            dialect,
            table: TableName {
                schema: self.schema.as_deref(),
                table: &self.table,
            },
            column: &self.column,
            column_type,
            partitions,
            has_rest: self.has_rest,
        })
    }
}

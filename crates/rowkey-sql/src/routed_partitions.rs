//! Partitions of a table by a number in its keys.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::partitioned_table::{Dialect, Partition, PartitionedTable, Values};
use crate::refused::refused;
use rowkey_core::__sql::NumberSize;
use rowkey_core::Backend;
use rowkey_core::EntityKey;
use rowkey_core::Error;
use rowkey_core::routing::{RoutingColumn, RoutingPart};
use rowkey_core::storage::TableName;

/// The partitions of a table by the column of a [`RoutingColumn`], as SQL for PostgreSQL, MySQL,
/// MariaDB and SQL Server.
///
/// A partition called `europe` is `europe` in MySQL and MariaDB, and the table `mission_europe` in
/// PostgreSQL, in the schema of the partitioned table. In SQL Server, partitions have no names.
///
/// ```
/// use rowkey_core::routing::{RoutingColumn, ServiceEntity};
/// use rowkey_core::{Backend, EntityKey, Error, Iuid};
/// use rowkey_sql::RoutedPartitions;
///
/// fn clause<K: EntityKey<Format = Iuid>>() -> Result<String, Error> {
///     let entity = RoutingColumn::<K, ServiceEntity>::new("id", "service_entity");
///     let of_entities = [("orders", vec![10, 12]), ("rides", vec![11])];
///     let partitions = RoutedPartitions::lists(entity, "visit", of_entities)?;
///     partitions.partition_by(Backend::Postgres) // PARTITION BY LIST ("service_entity")
/// }
/// ```
///
/// # Which rows are in which partition
///
/// | rows | PostgreSQL | MySQL, MariaDB | SQL Server |
/// |---|---|---|---|
/// | below the first range | refused, or in the rest | in the first partition | in a partition |
/// | above the last range | refused, or in the rest | refused, or in the rest | in a partition |
/// | in no list | refused, or in the rest | refused, or in the rest | in a partition |
///
/// SQL Server has no lists: each run of neighbouring numbers of a list is a partition, and each
/// gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutedPartitions {
    /// In MySQL and MariaDB a database.
    schema: Option<String>,
    table: String,
    column: String,
    size: NumberSize,
    partitions: Numbers,
    has_rest: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Numbers {
    Lists(Vec<(String, Vec<u32>)>),
    /// Each range follows the one before it.
    Ranges(Vec<(String, RangeInclusive<u32>)>),
}

impl Numbers {
    fn names(&self) -> impl Iterator<Item = &String> {
        let (lists, ranges) = match self {
            Self::Lists(lists) => (&lists[..], &[][..]),
            Self::Ranges(ranges) => (&[][..], &ranges[..]),
        };
        let lists = lists.iter().map(|(name, _)| name);
        lists.chain(ranges.iter().map(|(name, _)| name))
    }
}

impl RoutedPartitions {
    /// A partition for each list of numbers, such as the countries of a continent. A list has to
    /// contain every number of its partition: a number in no list has no partition.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a list without numbers, for a number that is listed twice, for
    /// a name that is empty or used twice (in any case), and if there are no partitions or more
    /// than 8192.
    pub fn lists<'t, K, P, N, L>(
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
        let mut known = BTreeSet::new();
        let list = |(name, numbers): (N, L)| {
            let name = name.into();
            let mut list = Vec::new();
            for number in numbers {
                if !known.insert(number) {
                    return Err(problem(name, "one of its numbers is listed before"));
                }
                list.push(number.into());
            }
            if list.is_empty() {
                return Err(problem(name, "it has no numbers"));
            }
            Ok((name, list))
        };
        let lists = lists.into_iter().take(TOO_MANY_PARTITIONS);
        let lists = lists.map(list).collect::<Result<Vec<_>, _>>()?;
        Self::new(column, table.into(), Numbers::Lists(lists))
    }

    /// A partition for each range of numbers, such as the shard keys of a region, in ascending
    /// order and without gaps, which MySQL and MariaDB do not have.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Declaration` for a range that is empty or does not begin after the end of the
    /// previous one, for a name that is empty or used twice (in any case), and if there are no
    /// partitions or more than 8192.
    pub fn ranges<'t, K, P, N>(
        column: RoutingColumn<K, P>,
        table: impl Into<TableName<'t>>,
        ranges: impl IntoIterator<Item = (N, RangeInclusive<P::Number>)>,
    ) -> Result<Self, Error>
    where
        P: RoutingPart,
        K: EntityKey<Format = P::Format>,
        N: Into<String>,
    {
        let mut end = None;
        let range = |(name, range): (N, RangeInclusive<P::Number>)| {
            let (first, last) = range.into_inner();
            let (name, first, last): (_, u32, u32) = (name.into(), first.into(), last.into());
            if first > last {
                return Err(problem(name, "its range is empty"));
            }
            if end.is_some_and(|end: u32| end.checked_add(1) != Some(first)) {
                return Err(problem(
                    name,
                    "it does not begin with the number after the previous partition",
                ));
            }
            end = Some(last);
            Ok((name, first..=last))
        };
        let ranges = ranges.into_iter().take(TOO_MANY_PARTITIONS);
        let ranges = ranges.map(range).collect::<Result<Vec<_>, _>>()?;
        Self::new(column, table.into(), Numbers::Ranges(ranges))
    }

    fn new<K, P>(
        column: RoutingColumn<K, P>,
        table: TableName<'_>,
        partitions: Numbers,
    ) -> Result<Self, Error>
    where
        P: RoutingPart,
        K: EntityKey<Format = P::Format>,
    {
        let names: Vec<&String> = partitions.names().collect();
        if let Some(name) = names.iter().find(|name| name.is_empty()) {
            return Err(problem((*name).clone(), "it has no name"));
        }
        let mut known = BTreeSet::new();
        if let Some(name) = names.iter().find(|name| !known.insert(name.to_lowercase())) {
            return Err(problem(
                (*name).clone(),
                "there is another one of this name; MySQL and MariaDB ignore its case",
            ));
        }
        match names.len() {
            0 => {
                return Err(refused("a table has at least one partition; name one"));
            }
            TOO_MANY_PARTITIONS.. => return Err(too_many()),
            _ => {}
        }
        Ok(Self {
            schema: table.schema.map(Into::into),
            table: table.table.into(),
            column: column.plain_names()[1].into(),
            size: P::SIZE,
            partitions,
            has_rest: false,
        })
    }

    /// These partitions and one for all other rows, named `mission_rest` in PostgreSQL and `rest`
    /// in MySQL and MariaDB. SQL Server has partitions for all numbers anyway; in MySQL, lists have
    /// no rest.
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
    /// Both are called after the table and the column, `mission_shard`, and the scheme keeps all
    /// partitions in the primary filegroup. A boundary begins its partition (`RANGE RIGHT`).
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
    /// `ErrorKind::Declaration` for SQLite, which has no partitioned tables, for lists with a rest
    /// in MySQL, for more than 8192 partitions with the rest, and for a partition that is called
    /// like the rest. `ErrorKind::Name` for a name that is not valid on the backend, including
    /// those of the table and its partitions.
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

    /// The statements that add these partitions to a table, ranges after the existing ones. If the
    /// table has a rest, call [`with_rest`](Self::with_rest) here as well: MySQL and MariaDB then
    /// move the rows that belong to the new partitions. In PostgreSQL the rest must not contain
    /// such rows.
    ///
    /// SQL Server splits a partition at each new boundary. For lists, that fails at a number next
    /// to the numbers of an existing list, because the boundary exists already; add such partitions
    /// by hand.
    ///
    /// # Errors
    ///
    /// As [`partition_by`](Self::partition_by).
    pub fn additions(&self, backend: Backend) -> Result<Vec<String>, Error> {
        self.on(backend)?.additions()
    }

    fn check_rest(&self) -> Result<(), Error> {
        let names: Vec<&String> = self.partitions.names().collect();
        if let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case("rest")) {
            return Err(problem(
                (*name).clone(),
                "this is the name of the partition for all other rows",
            ));
        }
        if names.len() + 1 >= TOO_MANY_PARTITIONS {
            return Err(too_many());
        }
        Ok(())
    }

    fn on(&self, backend: Backend) -> Result<PartitionedTable<'_>, Error> {
        if self.has_rest {
            self.check_rest()?;
        }
        let dialect = match backend {
            Backend::Postgres => Dialect::Postgres,
            Backend::MySql | Backend::MariaDb => Dialect::MySql(backend),
            Backend::SqlServer => Dialect::SqlServer,
            Backend::Sqlite => {
                return Err(refused("SQLite has no partitioned tables"));
            }
        };
        let partition = |name: &String, values| Partition {
            name: name.clone(),
            suffix: name.clone(),
            values,
        };
        let partitions = match &self.partitions {
            Numbers::Lists(lists) => lists
                .iter()
                .map(|(name, numbers)| partition(name, Values::List(numbers.clone())))
                .collect(),
            Numbers::Ranges(ranges) => ranges
                .iter()
                .map(|(name, range)| {
                    let values = Values::Range {
                        from: alloc::format!("{}", range.start()),
                        below: alloc::format!("{}", u64::from(*range.end()) + 1),
                    };
                    partition(name, values)
                })
                .collect(),
        };
        Ok(PartitionedTable {
            dialect,
            table: TableName {
                schema: self.schema.as_deref(),
                table: &self.table,
            },
            column: &self.column,
            column_type: self.size.sql_type(backend).into(),
            partitions,
            has_rest: self.has_rest,
        })
    }
}

#[cold]
fn too_many() -> Error {
    refused("a table has at most 8192 partitions, including the rest")
}

/// The maximum of MySQL and MariaDB plus one. It is ample for the others, and stops an endless
/// iterator before it fills memory.
const TOO_MANY_PARTITIONS: usize = 8193;

#[cold]
fn problem(name: String, problem: &'static str) -> Error {
    refused(format!("the partition `{name}`: {problem}"))
}

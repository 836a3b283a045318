//! The SQL of partitioned tables.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::refused::refused;
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::storage::{TableName, quote_identifier};

/// A table that is divided by one of its columns, on one backend.
pub(crate) struct PartitionedTable<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) table: TableName<'a>,
    pub(crate) column: &'a str,
    pub(crate) column_type: String,
    pub(crate) partitions: Vec<Partition>,
    pub(crate) has_rest: bool,
}

/// How a backend defines partitions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Each partition is a table.
    Postgres,
    /// The partitions are listed with the table.
    MySql(Backend),
    /// The partitions are the spans between the boundaries of a function.
    SqlServer,
}

/// A partition, with SQL literals.
pub(crate) struct Partition {
    /// The name in MySQL and MariaDB.
    pub(crate) name: String,
    /// What is appended to the name of the table in PostgreSQL.
    pub(crate) suffix: String,
    pub(crate) values: Values,
}

pub(crate) enum Values {
    /// From a value on, up to below another.
    Range { from: String, below: String },
    /// Some numbers.
    List(Vec<u32>),
}

impl Dialect {
    const fn backend(self) -> Backend {
        match self {
            Self::Postgres => Backend::Postgres,
            Self::MySql(backend) => backend,
            Self::SqlServer => Backend::SqlServer,
        }
    }
}

impl PartitionedTable<'_> {
    /// The statements before `CREATE TABLE`: the function and the scheme of SQL Server.
    pub(crate) fn before_create(&self) -> Result<Vec<String>, Error> {
        if self.dialect != Dialect::SqlServer {
            return Ok(Vec::new());
        }
        let (function, column_type) = (self.function()?, &self.column_type);
        let boundaries = self.boundaries().join(", ");
        Ok(Vec::from([
            format!(
                "CREATE PARTITION FUNCTION {function} ({column_type}) AS RANGE RIGHT FOR VALUES \
                 ({boundaries})"
            ),
            format!(
                "CREATE PARTITION SCHEME {function} AS PARTITION {function} ALL TO ([PRIMARY])"
            ),
        ]))
    }

    /// The clause after the columns of `CREATE TABLE`.
    pub(crate) fn partition_by(&self) -> Result<String, Error> {
        let column = self.quoted(self.column)?;
        self.quoted_table()?;
        let division = if self.is_list() { "LIST" } else { "RANGE" };
        Ok(match self.dialect {
            Dialect::Postgres => {
                // Report what cannot follow before the table is created.
                self.after_create()?;
                format!("PARTITION BY {division} ({column})")
            }
            Dialect::MySql(_) => {
                let partitions = self.listed()?;
                format!("PARTITION BY {division} COLUMNS ({column}) ({partitions})")
            }
            Dialect::SqlServer => format!("ON {} ({column})", self.function()?),
        })
    }

    pub(crate) fn after_create(&self) -> Result<Vec<String>, Error> {
        if self.dialect != Dialect::Postgres {
            return Ok(Vec::new());
        }
        let mut statements = self.tables()?;
        if self.has_rest {
            let (table, rest) = (self.quoted_table()?, self.quoted_partition("rest")?);
            statements.push(format!("CREATE TABLE {rest} PARTITION OF {table} DEFAULT"));
        }
        Ok(statements)
    }

    /// The statements that add the partitions to a table that has other partitions.
    pub(crate) fn additions(&self) -> Result<Vec<String>, Error> {
        match self.dialect {
            Dialect::Postgres => self.tables(),
            Dialect::MySql(_) => {
                let (table, partitions) = (self.quoted_table()?, self.listed()?);
                Ok(Vec::from([if self.has_rest {
                    // MySQL adds no partition after one without an end. MariaDB adds one beside a
                    // default, but leaves the rows of the new partition there, where no query finds
                    // them.
                    let rest = self.quoted("rest")?;
                    format!("ALTER TABLE {table} REORGANIZE PARTITION {rest} INTO ({partitions})")
                } else {
                    format!("ALTER TABLE {table} ADD PARTITION ({partitions})")
                }]))
            }
            Dialect::SqlServer => {
                let function = self.function()?;
                let is_range =
                    |partition: &Partition| matches!(partition.values, Values::Range { .. });
                // A range begins where the one before it ends.
                let known = usize::from(self.partitions.iter().any(is_range));
                let boundaries = self.boundaries();
                let splits = boundaries.iter().skip(known).flat_map(|boundary| {
                    [
                        format!("ALTER PARTITION SCHEME {function} NEXT USED [PRIMARY]"),
                        format!("ALTER PARTITION FUNCTION {function}() SPLIT RANGE ({boundary})"),
                    ]
                });
                Ok(splits.collect())
            }
        }
    }

    /// Whether the partitions are lists; all are, or none is.
    fn is_list(&self) -> bool {
        let is_list = |partition: &Partition| matches!(partition.values, Values::List(_));
        self.partitions.first().is_some_and(is_list)
    }

    fn tables(&self) -> Result<Vec<String>, Error> {
        let table = self.quoted_table()?;
        let statement = |partition: &Partition| {
            let name = self.quoted_partition(&partition.suffix)?;
            let values = match &partition.values {
                Values::Range { from, below } => format!("FROM ({from}) TO ({below})"),
                Values::List(numbers) => format!("IN ({})", joined(numbers)),
            };
            Ok(format!(
                "CREATE TABLE {name} PARTITION OF {table} FOR VALUES {values}"
            ))
        };
        self.partitions.iter().map(statement).collect()
    }

    /// The partitions as MySQL and MariaDB list them.
    fn listed(&self) -> Result<String, Error> {
        let mut list = Vec::with_capacity(self.partitions.len() + 1);
        let is_list = self.is_list();
        let rest = if is_list {
            "DEFAULT"
        } else {
            "VALUES LESS THAN (MAXVALUE)"
        };
        for partition in &self.partitions {
            let name = self.quoted(&partition.name)?;
            list.push(match &partition.values {
                Values::Range { below, .. } => {
                    format!("PARTITION {name} VALUES LESS THAN ({below})")
                }
                Values::List(numbers) => {
                    format!("PARTITION {name} VALUES IN ({})", joined(numbers))
                }
            });
        }
        if self.has_rest {
            let partition = format!("PARTITION {} {rest}", self.quoted("rest")?);
            if !is_list {
                list.push(partition);
            } else if self.dialect == Dialect::MySql(Backend::MySql) {
                return Err(refused(
                    "lists of MySQL have no partition for the rest: list every number, or \
                     partition by ranges",
                ));
            } else {
                // MariaDB (10.11) moves the rows of the rest to the first partition of a
                // REORGANIZE, whichever that is, and does not find them in another one again.
                list.insert(0, partition);
            }
        }
        Ok(list.join(", "))
    }

    /// The values with which partitions of SQL Server begin, ascending. There is one partition
    /// more: the first has no beginning.
    fn boundaries(&self) -> Vec<String> {
        let mut boundaries = Vec::new();
        let mut listed = Vec::new();
        for (index, partition) in self.partitions.iter().enumerate() {
            match &partition.values {
                Values::Range { from, below } => {
                    if index == 0 {
                        boundaries.push(from.clone());
                    }
                    boundaries.push(below.clone());
                }
                Values::List(numbers) => {
                    listed.extend(numbers.iter().map(|number| (u64::from(*number), index)));
                }
            }
        }
        // Neighbouring numbers of one list are in one partition.
        listed.sort_unstable();
        let mut previous = None;
        for (number, list) in listed {
            match previous {
                Some((before, same)) if before + 1 == number && same == list => {}
                Some((before, _)) if before + 1 < number => {
                    boundaries.extend([format!("{}", before + 1), format!("{number}")]);
                }
                _ => boundaries.push(format!("{number}")),
            }
            previous = Some((number, list));
        }
        boundaries.extend(previous.map(|(last, _)| format!("{}", last + 1)));
        boundaries
    }

    /// The name of SQL Server's function and scheme, which are in no schema.
    fn function(&self) -> Result<String, Error> {
        let TableName { schema, table } = self.table;
        self.quoted_table()?;
        let column = self.column;
        self.quoted(&match schema {
            Some(schema) => format!("{schema}_{table}_{column}"),
            None => format!("{table}_{column}"),
        })
    }

    fn quoted(&self, name: &str) -> Result<String, Error> {
        quote_identifier(self.dialect.backend(), name)
    }

    fn quoted_table(&self) -> Result<String, Error> {
        self.table.quoted(self.dialect.backend())
    }

    /// The name of a partition that is a table, in the schema of the partitioned one.
    fn quoted_partition(&self, suffix: &str) -> Result<String, Error> {
        let name = format!("{}_{suffix}", self.table.table);
        let name = TableName {
            schema: self.table.schema,
            table: &name,
        };
        name.quoted(self.dialect.backend())
    }
}

fn joined(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number}")).collect();
    numbers.join(", ")
}

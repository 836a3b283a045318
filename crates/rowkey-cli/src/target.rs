//! The databases on the command line, and how their columns store ids.

use clap::ValueEnum;
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{
    Column, ColumnName, MariaDbUuidOrd, SqlServerOrd, Storage, StoragePlan,
};
use uuid::Uuid;

use crate::failure::Failure;

/// Where ids are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// PostgreSQL
    #[value(alias = "postgresql")]
    Postgres,
    /// MySQL
    Mysql,
    /// MariaDB, in the column type that MySQL also has
    Mariadb,
    /// MariaDB, in its own UUID type
    MariadbUuid,
    /// SQLite
    Sqlite,
    /// SQL Server
    #[value(alias = "sqlserver")]
    SqlServer,
}

impl Target {
    pub(crate) fn backend(self) -> Backend {
        match self {
            Self::Postgres => Backend::Postgres,
            Self::Mysql => Backend::MySql,
            Self::Mariadb | Self::MariadbUuid => Backend::MariaDb,
            Self::Sqlite => Backend::Sqlite,
            Self::SqlServer => Backend::SqlServer,
        }
    }

    /// The column of a format, with the default storage or another one.
    pub(crate) fn column(
        self,
        format: FormatKind,
        storage: Option<&str>,
    ) -> Result<Column, Failure> {
        match (self, storage) {
            (Self::MariadbUuid, Some(_)) => Err(Failure::wrong_usage(
                "--backend mariadb-uuid already says how the ids are stored",
                "leave out --storage, or write --backend mariadb",
            )),
            (Self::MariadbUuid, None) => {
                Column::new(format, Backend::MariaDb, Storage::NativeUuid, None).map_err(|reason| {
                    Failure::wrong_usage(
                        format_args!("{}: {reason}", format.name()),
                        "write --backend mariadb",
                    )
                })
            }
            (_, storage) => {
                let backend = self.backend();
                let plan = plan(format, storage.map(|storage| (backend, storage)))?;
                Ok(plan.column(backend))
            }
        }
    }
}

/// The default plan of a format with other columns on some backends.
pub(crate) fn plan<'a>(
    format: FormatKind,
    columns: impl IntoIterator<Item = (Backend, &'a str)>,
) -> Result<StoragePlan, Failure> {
    columns.into_iter().try_fold(
        StoragePlan::default_for(format),
        |plan, (backend, storage)| {
            plan.try_with(backend, storage).map_err(|reason| {
                Failure::wrong_usage(
                    format_args!(
                        "--storage {storage} for {} on {backend}: {reason}",
                        format.name()
                    ),
                    "without --storage the default column is used",
                )
            })
        },
    )
}

/// The backend in whose order stored uuids are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortOrder {
    /// SQL Server's uniqueidentifier
    #[value(alias = "sqlserver")]
    SqlServer,
    /// PostgreSQL's uuid; also that of sixteen bytes elsewhere
    #[value(alias = "postgresql")]
    Postgres,
    /// MariaDB's UUID type
    MariadbUuid,
}

impl SortOrder {
    /// The default column of a format there.
    pub(crate) fn column(self, format: FormatKind) -> Result<Column, Failure> {
        let backend = match self {
            Self::SqlServer => Backend::SqlServer,
            Self::Postgres => Backend::Postgres,
            Self::MariadbUuid => {
                let column = Column::new(format, Backend::MariaDb, Storage::NativeUuid, None);
                return column.map_err(|reason| {
                    Failure::wrong_usage(
                        format_args!("{}: {reason}", format.name()),
                        "its columns in MariaDB are sorted like those in PostgreSQL",
                    )
                });
            }
        };
        Ok(StoragePlan::default_for(format).column(backend))
    }

    /// Sorts stored uuids as the backend sorts its column.
    pub(crate) fn sort(self, uuids: &mut [Uuid]) {
        match self {
            Self::SqlServer => uuids.sort_by_key(|uuid| SqlServerOrd(*uuid)),
            Self::Postgres => uuids.sort(),
            Self::MariadbUuid => uuids.sort_by_key(|uuid| MariaDbUuidOrd(*uuid)),
        }
    }
}

/// The column that `--column` and `--table` name.
pub(crate) fn column_name<'a>(
    table: Option<&'a str>,
    column: &'a str,
) -> Result<ColumnName<'a>, Failure> {
    match column.rsplit_once('.') {
        Some((table, name)) => Err(Failure::wrong_usage(
            format_args!("--column {column} is one name with a dot in it"),
            format!("write --table {table} --column {name}"),
        )),
        None => Ok(ColumnName::new(table, column)),
    }
}

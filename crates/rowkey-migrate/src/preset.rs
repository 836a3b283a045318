//! How frameworks store UUIDs, for plans of tables that they made.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;

use crate::catalog::{Column, Table};

/// A framework, as its versions since 2023 declare UUID keys without further configuration.
///
/// Sources: Django's `UUIDField`, Laravel's `HasUuids` and `Blueprint::uuid`, Rails' `id: :uuid`,
/// EF Core's providers (Npgsql, Pomelo, SQLite, SQL Server), Hibernate's `UUIDJavaType` and
/// dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Django.
    Django,
    /// Laravel.
    Laravel,
    /// Rails.
    Rails,
    /// EF Core.
    EfCore,
    /// Hibernate.
    Hibernate,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 5] = [
        Self::Django,
        Self::Laravel,
        Self::Rails,
        Self::EfCore,
        Self::Hibernate,
    ];

    /// The name on the command line: `django`, `laravel`, `rails`, `efcore` or `hibernate`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Django => "django",
            Self::Laravel => "laravel",
            Self::Rails => "rails",
            Self::EfCore => "efcore",
            Self::Hibernate => "hibernate",
        }
    }

    /// The format of the ids that the framework makes, where that has not changed over its
    /// versions.
    ///
    /// Laravel made COMB-like UUIDs before version 12 and makes version 7 since; EF Core's ids
    /// differ from provider to provider. Those are for `rowkey doctor` to tell.
    pub const fn format(self) -> Option<FormatKind> {
        match self {
            Self::Django | Self::Rails | Self::Hibernate => Some(FormatKind::UuidV4),
            Self::Laravel | Self::EfCore => None,
        }
    }

    /// How a column of the framework stores UUIDs, as `STORAGE:LAYOUT`; nothing if the framework
    /// has no such column there, or if the column has another type.
    pub fn from(self, backend: Backend, column: &Column) -> Option<&'static str> {
        let sql_type = column.sql_type.to_ascii_lowercase();
        let is = |name: &str| sql_type == name;
        Some(match backend {
            Backend::Postgres if is("uuid") => "uuid:public",
            Backend::MariaDb if is("uuid") => "native-uuid:public",
            Backend::MySql | Backend::MariaDb if is("char(32)") => "text-hex:public",
            Backend::MySql | Backend::MariaDb if is("char(36)") || is("varchar(36)") => {
                "text:public"
            }
            Backend::MySql | Backend::MariaDb if is("binary(16)") => "uuid:public",
            // SQLite has no UUID: the framework decides.
            Backend::Sqlite => match self {
                Self::Django => "text-hex:public",
                Self::EfCore => "text-upper:public",
                Self::Laravel | Self::Rails => "text:public",
                Self::Hibernate => return None,
            },
            Backend::SqlServer if is("uniqueidentifier") => "uuid:public-unordered",
            _ => return None,
        })
    }

    /// The column with the time at which a row was created, if the table has the framework's.
    pub fn created(self, table: &Table) -> Option<&str> {
        let names: &[&str] = match self {
            Self::Laravel | Self::Rails => &["created_at"],
            Self::Django => &["created_at", "created", "date_created", "created_on"],
            Self::EfCore => &["CreatedAt", "CreatedOn", "Created", "CreatedDate"],
            Self::Hibernate => &["created_at", "created", "created_date", "createdAt"],
        };
        let column = |name: &&str| table.column(name).map(|column| column.name.as_str());
        names.iter().find_map(column)
    }

    /// What the framework's own bookkeeping needs after a change, as sentences.
    pub fn bookkeeping(self) -> &'static [&'static str] {
        match self {
            Self::Django => &[
                "put the change of the fields into a migration with SeparateDatabaseAndState, so that \
                 Django's state agrees; let it change the database only where that is new",
                "set db_column to the new name of each column",
            ],
            Self::Rails => &[
                "write a migration that returns if the new column is there, and dump the schema again: \
                 bin/rails db:schema:dump",
                "set self.primary_key and foreign_key: to the new names",
            ],
            Self::Laravel => &[
                "write a migration that returns if the new column is there, or squash them with \
                 schema:dump",
                "set $primaryKey in the model, and the names of keys in its relations",
            ],
            Self::EfCore => &[
                "add a migration, empty its Up and Down, and keep its snapshot; change new databases \
                 with rowkey, too",
                "map the properties with HasColumnName",
            ],
            Self::Hibernate => &[
                "set @Column(name = …) and @JoinColumn(name = …) to the new names",
                "record the change in Flyway or Liquibase by a migration that selects the new column",
            ],
        }
    }
}

//! What the engines differ in where a change has the same steps on all of them.

pub(super) mod old_id;

use rowkey_core::Backend;
use rowkey_sql::StoredForm;
use rowkey_tables::text_literal::text_literal;

use crate::work::Form;

/// Whether changes run, and are not printed only.
pub(super) fn runs_changes(backend: Backend) -> bool {
    backend != Backend::SqlServer
}

/// How the map of ids is made.
pub(super) struct MapDefinition {
    /// The words before its name.
    pub(super) create: String,
    /// The types of a table's name, of an old id and of a new one.
    pub(super) types: [String; 3],
    /// The words before the columns that tell new ids apart.
    pub(super) unique: &'static str,
    /// What follows the columns.
    pub(super) options: &'static str,
}

/// How a map of this name is made. `text` is the form of the new ids in it.
pub(super) fn map_definition(table: &str, text: StoredForm) -> MapDefinition {
    let (create, types, unique, options) = match text.backend() {
        Backend::Postgres => (
            "CREATE TABLE IF NOT EXISTS".into(),
            ["text", "text", "text"].map(String::from),
            "UNIQUE",
            "",
        ),
        Backend::Sqlite => (
            "CREATE TABLE".into(),
            ["TEXT", "TEXT", "TEXT"].map(String::from),
            "UNIQUE",
            "",
        ),
        Backend::MySql | Backend::MariaDb => (
            "CREATE TABLE".into(),
            [
                "VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                "VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
                "VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin",
            ]
            .map(String::from),
            "UNIQUE KEY new",
            " ENGINE=InnoDB",
        ),
        backend @ Backend::SqlServer => (
            format!(
                "IF OBJECT_ID({}, N'U') IS NULL CREATE TABLE",
                text_literal(backend, table)
            ),
            [
                "nvarchar(257)".into(),
                "nvarchar(100) COLLATE Latin1_General_100_BIN2".into(),
                text.sql_type(),
            ],
            "UNIQUE",
            "",
        ),
    };
    MapDefinition {
        create,
        types,
        unique,
        options,
    }
}

/// A name in SQL, for names that need quotes in SQL Server only.
pub(super) fn map_name(backend: Backend, name: &str) -> String {
    match backend {
        Backend::SqlServer => format!("[{name}]"),
        Backend::Postgres | Backend::MySql | Backend::MariaDb | Backend::Sqlite => name.into(),
    }
}

/// The map as `m` in a query that finds its rows by one of the ids.
pub(super) fn map_by(backend: Backend, table: &str, by: Form) -> String {
    match (backend, by) {
        // The server may still take the map for an empty table, and would read all of it.
        (Backend::MySql | Backend::MariaDb, Form::Old) => {
            format!("{table} m FORCE INDEX (PRIMARY)")
        }
        (Backend::MySql | Backend::MariaDb, Form::New) => format!("{table} m FORCE INDEX (new)"),
        (Backend::Postgres, _) => format!("{table} m"),
        (Backend::Sqlite | Backend::SqlServer, _) => format!("{table} AS m"),
    }
}

/// A text with words before it, or NULL.
pub(super) fn labelled(backend: Backend, label: &str, text: &str) -> String {
    let label = text_literal(backend, label);
    match backend {
        Backend::Postgres | Backend::Sqlite => format!("({label} || {text})"),
        Backend::MySql | Backend::MariaDb => format!("CONCAT({label}, {text})"),
        Backend::SqlServer => format!("({label} + {text})"),
    }
}

/// What a session says that writes after the swap, where columns keep their names.
pub(super) fn marking(backend: Backend, mark: &str) -> String {
    match backend {
        Backend::MySql | Backend::MariaDb => format!("SET @rowkey_layout = '{mark}'"),
        Backend::Postgres | Backend::Sqlite | Backend::SqlServer => {
            format!("SET rowkey.layout = '{mark}'")
        }
    }
}

/// What takes locks, as sentences.
pub(super) fn locks(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Postgres => &[
            "expand: an exclusive lock on each table for the moment in which columns and triggers are added, \
             given up after the lock timeout and tried again",
            "backfill: row locks of one batch, of about a quarter of a second",
            "check: indexes are made concurrently and constraints validated without blocking writers; a \
             SHARE UPDATE EXCLUSIVE lock keeps other definitions away",
            "swap: an exclusive lock on all tables of the plan, for renaming only",
        ],
        Backend::MySql | Backend::MariaDb => &[
            "expand: a metadata lock on each table for the moment in which triggers are added",
            "backfill: shared row locks of one batch, of about a quarter of a second",
            "check: none",
            "swap: write locks on all tables of the plan, for their exchange only",
        ],
        Backend::Sqlite => &[
            "everything is one transaction with the write lock of the file: writers wait for its end, or are \
             told that the database is busy",
        ],
        Backend::SqlServer => &[
            "expand: a schema modification lock on each table for the moment in which columns and triggers \
             are added",
            "backfill: row locks of one batch",
            "swap: exclusive locks on all tables of the plan, while they are compared, renamed, and their \
             keys, indexes and references are built again: that takes as long as reading them",
        ],
    }
}

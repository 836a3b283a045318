//! What a database says about its tables.

#[doc(hidden)]
pub mod creation_time;
mod declared;
mod dependent;
mod model;
#[cfg(feature = "mysql")]
#[doc(hidden)]
pub mod mysql;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
#[doc(hidden)]
pub mod sqlite;
#[cfg(feature = "sqlserver")]
mod sqlserver;

use rowkey_core::Backend;

pub use self::declared::{
    Generated, KeyDefinition, ReferenceAttribute, ReferenceAttributes, ReferentialAction,
    TableOptions,
};
pub use self::dependent::{Dependent, DependentKind, TriggerEvent};
pub use self::model::{Catalog, Column, ForeignKey, Index, IndexTerm, Key, QualifiedName, Table};
#[cfg(feature = "postgres")]
#[doc(hidden)]
pub use self::postgres::postgres_row_types;
use crate::connection::Connection;
use crate::error::Error;
use crate::types::layout::Layout;

/// The numbers of the sequences that the defaults `v` count with. A default may also name one in a
/// text.
macro_rules! sequences_of_defaults {
    () => {
        r"
  SELECT COALESCE(q.oid, to_regclass(replace(substring(pg_get_expr(v.adbin, v.adrelid)
    FROM '^nextval\(\(?''((?:[^'']|'''')+)''::text'), '''''', ''''))::oid) AS number
  FROM pg_attrdef v
  LEFT JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = v.oid
    AND d.refclassid = 'pg_class'::regclass
  LEFT JOIN pg_class q ON q.oid = d.refobjid AND q.relkind = 'S'"
    };
}

/// Finds the sequence that counts the column `$2::text` of the table `$1::text` in PostgreSQL. The
/// sequence in the column's default, which may name it as text, wins over one that the column owns.
/// `last` of a sequence that has not counted yet is a step before its start; it is NULL if the
/// account may not read the sequence.
#[doc(hidden)]
pub const POSTGRES_SEQUENCE: &str = concat!(
    r"
SELECT CASE WHEN has_sequence_privilege(s.seqrelid, 'SELECT, USAGE') THEN
    COALESCE(pg_sequence_last_value(s.seqrelid::regclass), GREATEST(LEAST(
    s.seqstart::numeric - s.seqincrement, 9223372036854775807), -9223372036854775808)::bigint) END AS last,
  s.seqincrement AS step, s.seqrelid::bigint AS number, s.seqmin AS least, s.seqmax AS most,
  s.seqcycle AS cycles
FROM pg_sequence s WHERE s.seqrelid = COALESCE((",
    sequences_of_defaults!(),
    r"
  JOIN pg_attribute a ON a.attrelid = v.adrelid AND a.attnum = v.adnum
  WHERE v.adrelid = $1::text::regclass AND a.attname = $2::text ORDER BY q.oid LIMIT 1
), pg_get_serial_sequence($1::text, $2::text)::regclass::oid)"
);

/// The sequences of the schema: their names, whether anything counts with them, and the column that
/// owns them. Those of identities and extensions come with them.
#[doc(hidden)]
pub const POSTGRES_SEQUENCES: &str = concat!(
    r"
WITH counting AS (",
    sequences_of_defaults!(),
    r"
  WHERE pg_get_expr(v.adbin, v.adrelid) LIKE 'nextval(%'
  UNION ALL SELECT objid FROM pg_depend
  WHERE classid = 'pg_class'::regclass AND deptype IN ('i', 'e')
)
SELECT c.relname::text, EXISTS (SELECT FROM counting WHERE number = c.oid)::int,
  (SELECT o.relname::text FROM pg_class o WHERE o.oid = owned.refobjid),
  (SELECT a.attname::text FROM pg_attribute a
    WHERE a.attrelid = owned.refobjid AND a.attnum = owned.refobjsubid)
FROM pg_class c
LEFT JOIN pg_depend owned ON owned.classid = 'pg_class'::regclass AND owned.objid = c.oid
  AND owned.deptype = 'a' AND owned.refobjsubid > 0
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND n.nspname = current_schema() ORDER BY 1"
);

impl Catalog {
    /// Reads the tables of the connection's default schema or database, and those of other schemas
    /// that refer to them or that they refer to.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if a query on the catalogue fails.
    pub async fn read(connection: &mut Connection) -> Result<Self, Error> {
        match connection.backend() {
            #[cfg(feature = "postgres")]
            Backend::Postgres => postgres::read(connection).await,
            #[cfg(feature = "mysql")]
            Backend::MySql | Backend::MariaDb => mysql::read(connection).await,
            #[cfg(feature = "sqlite")]
            Backend::Sqlite => sqlite::read(connection).await,
            #[cfg(feature = "sqlserver")]
            Backend::SqlServer => sqlserver::read(connection).await,
            #[allow(unreachable_patterns, reason = "with all drivers, none is missing")]
            backend => Err(Error::NoDriver(backend)),
        }
    }
}

/// What the values of a user's type consist of, by its name in PostgreSQL; nothing for other types
/// and in other databases.
///
/// # Errors
///
/// [`Error::Database`] if a query on the catalogue fails.
pub async fn layout_of(
    connection: &mut Connection,
    type_name: &str,
) -> Result<Option<Layout>, Error> {
    match connection.backend() {
        #[cfg(feature = "postgres")]
        Backend::Postgres => postgres::layout(connection, type_name).await,
        _ => {
            let _ = type_name;
            Ok(None)
        }
    }
}

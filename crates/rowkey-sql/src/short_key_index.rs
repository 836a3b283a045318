//! The unique index on the short keys of LUUIDs.
//!
//! Number and group are the first 64 bits of a LUUID. Where they are in the stored form:
//!
//! ```text
//! uuid, binary           bytes 0 .. 8
//! uuid in SQL Server     bytes 8 .. 16, by the sql-server layout; 0 .. 8 as public-unordered
//! text, text-upper       characters 0 .. 18   pppppppp-pppp-6ggg
//! text-hex, -upper       characters 0 .. 16   pppppppppppp6ggg
//! text-compact           characters 0 .. 11   the first block of eight bytes
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::refused::refused;
use rowkey_core::Backend;
use rowkey_core::Error;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;
use rowkey_core::storage::StoragePlan;
use rowkey_core::storage::Wire;
use rowkey_core::storage::quote_identifier;

/// The statements that create a unique index on the group and number in a LUUID key's column, so
/// that no two entities have the same short key. A second insert fails like one with a duplicate
/// key.
///
/// Run the statements once, after `CREATE TABLE` or in a separate migration. They fail if two rows
/// already have the same number. In PostgreSQL and SQLite this is an expression index, in MySQL and
/// MariaDB an index on a prefix of the column. SQL Server, and MariaDB for its own `UUID` type,
/// need a computed column, which has the name of the index: there are then two statements, and
/// `SELECT *` shows that column.
///
/// The index only enforces uniqueness. To find a row by its number, use the
/// [bounds](rowkey_core::luuid::ShortKey::bounds) of the short key, which use the primary key.
///
/// # Errors
///
/// `ErrorKind::Name` for a name that is not valid on the backend, `ErrorKind::Declaration` if the
/// plan is not that of a LUUID key, or uses MariaDB's own `UUID` type and the backend is MySQL.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_core::storage::StoragePlan;
/// use rowkey_core::Backend;
/// use rowkey_sql::short_key_index;
///
/// let plan = StoragePlan::default_for(FormatKind::Luuid);
/// let index = short_key_index(&plan, Backend::MariaDb, "customers", "id", "by_number")?;
/// assert_eq!(index, ["CREATE UNIQUE INDEX `by_number` ON `customers` (`id`(8))"]);
/// # Ok::<(), rowkey_core::Error>(())
/// ```
pub fn short_key_index(
    plan: &StoragePlan,
    backend: Backend,
    table: &str,
    column: &str,
    index: &str,
) -> Result<Vec<String>, Error> {
    let wire = plan.column(backend).wire();
    if !matches!(plan.column(backend).format(), FormatKind::Luuid) {
        return Err(refused("only keys over Luuid have short keys"));
    }
    // Rejects a type that MySQL does not have.
    plan.column_type(backend)?;
    let [table, column, index] = [
        quote_identifier(backend, table)?,
        quote_identifier(backend, column)?,
        quote_identifier(backend, index)?,
    ];
    let width = match wire {
        Wire::Text(form) => form.first_half(),
        Wire::NativeUuid => 18,
        Wire::Uuid | Wire::Bytes(_) | Wire::Decimal(_) | Wire::Integer => 8,
    };
    let indexed = match (backend, wire) {
        (Backend::Postgres, Wire::Uuid) => format!("substring(uuid_send({column}), 1, 8)"),
        (Backend::Postgres, _) => format!("substring({column}, 1, {width})"),
        (Backend::Sqlite, _) => format!("substr({column}, 1, {width})"),
        (Backend::MySql | Backend::MariaDb, Wire::NativeUuid) => {
            let definition = format!("CHAR(18) AS (LEFT({column}, 18)) PERSISTENT");
            return Ok(on_computed_column(&table, &index, &definition));
        }
        (Backend::MySql | Backend::MariaDb, _) => format!("{column}({width})"),
        (Backend::SqlServer, wire) => {
            let part = match wire {
                // Reverses bytes 0 to 7 in groups and keeps the others.
                Wire::Uuid => {
                    let start = match plan.column(backend).layout() {
                        Layout::SqlServer => 9,
                        _ => 1,
                    };
                    format!("SUBSTRING(CONVERT(binary(16), {column}), {start}, 8)")
                }
                _ => format!("SUBSTRING({column}, 1, {width})"),
            };
            return Ok(on_computed_column(
                &table,
                &index,
                &format!("AS {part} PERSISTED"),
            ));
        }
    };
    Ok(vec![format!(
        "CREATE UNIQUE INDEX {index} ON {table} ({indexed})"
    )])
}

fn on_computed_column(table: &str, name: &str, definition: &str) -> Vec<String> {
    vec![
        format!("ALTER TABLE {table} ADD {name} {definition}"),
        format!("CREATE UNIQUE INDEX {name} ON {table} ({name})"),
    ]
}

#[cfg(test)]
mod tests {
    use rowkey_core::error::ErrorKind;

    use super::*;

    #[test]
    fn only_luuids_have_short_keys() {
        let plan = StoragePlan::default_for(FormatKind::UuidV7);
        let refused = short_key_index(&plan, Backend::Postgres, "visits", "id", "by_number");
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Declaration);
    }

    #[test]
    fn mysql_has_no_uuids_of_its_own() {
        let plan =
            StoragePlan::default_for(FormatKind::Luuid).with(Backend::MariaDb, "native-uuid");
        let index = |backend| short_key_index(&plan, backend, "visits", "id", "by_number");
        assert!(index(Backend::MariaDb).is_ok());
        assert_eq!(
            index(Backend::MySql).unwrap_err().kind(),
            ErrorKind::Declaration
        );
    }

    /// Number and group are bytes 0 to 7 there, which the conversion only reorders.
    #[test]
    fn guids_as_they_are_have_the_number_in_front() {
        let plan = StoragePlan::default_for(FormatKind::Luuid);
        let index = |plan: StoragePlan| short_key_index(&plan, Backend::SqlServer, "t", "id", "by");
        let part = |start| {
            format!(
                "ALTER TABLE [t] ADD [by] AS SUBSTRING(CONVERT(binary(16), [id]), {start}, 8) \
                 PERSISTED"
            )
        };
        assert_eq!(index(plan).unwrap()[0], part(9));
        let plan = plan.with(Backend::SqlServer, "uuid:public-unordered");
        assert_eq!(index(plan).unwrap()[0], part(1));
    }

    #[test]
    fn names_are_quoted() {
        let plan = StoragePlan::default_for(FormatKind::Luuid);
        let index = short_key_index(&plan, Backend::Postgres, "a\"b", "c", "d");
        let sql = "CREATE UNIQUE INDEX \"d\" ON \"a\"\"b\" (substring(uuid_send(\"c\"), 1, 8))";
        assert_eq!(index, Ok(vec![sql.into()]));
        let unnamed = short_key_index(&plan, Backend::Postgres, "a", "c", "");
        assert_eq!(unnamed.unwrap_err().kind(), ErrorKind::Name);
    }
}

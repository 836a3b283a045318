//! Which types of PostgreSQL hold the rows of tables: the catalogue asks for its routines, and a
//! change for its columns.

/// The types of PostgreSQL that hold rows of tables: of each table, that of its rows, and whatever is
/// made of it, as arrays, domains and composite types.
#[must_use]
pub fn postgres_row_types(tables: &str) -> String {
    format!(
        "WITH RECURSIVE rows (relation, type) AS (
  SELECT oid, reltype FROM pg_class WHERE oid = {tables}
  UNION
  SELECT rows.relation, t.oid FROM rows JOIN pg_type t ON rows.type IN (t.typelem, t.typbasetype)
    OR EXISTS (SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.oid = t.typrelid AND c.relkind = 'c' AND a.atttypid = rows.type)
)"
    )
}

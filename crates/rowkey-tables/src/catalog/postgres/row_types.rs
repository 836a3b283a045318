//! Which types of PostgreSQL hold the rows of tables: the catalogue asks for its routines, and a
//! change for its columns.

/// The types of PostgreSQL that hold rows of tables: of each table, that of its rows, and whatever is
/// made of it, as arrays, domains and composite types. These depend on each other, which has an index,
/// so that the server does not compile the query.
#[must_use]
pub fn postgres_row_types(tables: &str) -> String {
    format!(
        "WITH RECURSIVE rows (relation, type) AS (
  SELECT oid, reltype FROM pg_class WHERE oid = {tables}
  UNION
  SELECT rows.relation, COALESCE(c.reltype, d.objid) FROM rows
  JOIN pg_depend d ON d.refclassid = 'pg_type'::regclass AND d.refobjid = rows.type
  LEFT JOIN pg_class c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind = 'c'
  WHERE d.classid = 'pg_type'::regclass OR c.oid IS NOT NULL
)"
    )
}

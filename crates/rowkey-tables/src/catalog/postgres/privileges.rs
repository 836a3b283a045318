//! Tables of which PostgreSQL shows the account the definition, but not the rows.

use super::rows::Numbered;
use crate::connection::{Connection, Row, Value};
use crate::error::Error;

/// Tables of which the account may not see some rows or columns: whether it may use the schema,
/// read the whole table, the columns that it may not read, and whether policies hide rows from it.
const UNSEEN: &str = "
SELECT c.oid::bigint, has_schema_privilege(n.oid, 'USAGE'), names.readable,
  COALESCE(names.list, ''), row_security_active(c.oid), n.nspname::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
  SELECT string_agg(a.attname, ', ' ORDER BY a.attnum)
      FILTER (WHERE NOT has_column_privilege(c.oid, a.attnum, 'SELECT')) AS list,
    COALESCE(bool_or(has_column_privilege(c.oid, a.attnum, 'SELECT')), false) AS readable
  FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
) AS names
WHERE c.oid = ANY ($1::text::oid[]) ORDER BY 1";

/// What the account may not see, as sentences.
pub(super) async fn unseen(
    connection: &mut Connection,
    numbers: &Value,
    tables: &Numbered,
) -> Result<Vec<String>, Error> {
    let mut unseen = Vec::new();
    let doing = "the privileges of the account";
    let query = "SELECT current_schema() IS NULL";
    if connection.is(doing, query, &[]).await? {
        unseen.push(
            "every table: the search path has no schema that exists and that the account may use"
                .into(),
        );
    }
    let numbers = std::slice::from_ref(numbers);
    for row in connection.query(doing, UNSEEN, numbers).await? {
        if let Some(table) = tables.get(&row.integer(0)?) {
            unseen.extend(unseen_of(&table.name.to_string(), &row)?);
        }
    }
    Ok(unseen)
}

fn unseen_of(table: &str, row: &Row) -> Result<Option<String>, Error> {
    let (may_use, is_readable, columns) = (row.is(1)?, row.is(2)?, row.text(3)?);
    Ok(if !may_use {
        let schema = row.text(5)?;
        Some(format!(
            "the rows of {table}: the account has no USAGE on the schema {schema}"
        ))
    } else if !is_readable && !columns.is_empty() {
        Some(format!(
            "the rows of {table}: the account has no SELECT on the table"
        ))
    } else if !columns.is_empty() {
        Some(format!(
            "the values of {table}.({columns}): the account has SELECT on other columns only"
        ))
    } else if row.is(4)? {
        Some(format!(
            "some rows of {table}, perhaps: its policies of row-level security apply to the account"
        ))
    } else {
        None
    })
}

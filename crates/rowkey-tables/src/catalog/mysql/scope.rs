//! Which tables of MySQL and MariaDB the catalogue has.

use std::collections::{BTreeMap, BTreeSet};

use rowkey_core::Backend;

use crate::catalog::{QualifiedName, Table};
use crate::connection::{Connection, Row, Value};
use crate::error::Error;

pub(super) type Tables = BTreeMap<QualifiedName, Table>;

/// Which tables are read.
pub(super) struct Scope {
    /// The connection's database.
    pub(super) own: String,
    /// The others, as values for `?`.
    pub(super) others: Vec<Value>,
    /// The tables of other databases that belong to it.
    pub(super) related: BTreeSet<QualifiedName>,
}

/// The tables of other databases that this one refers to.
const REFERRED: &str = "SELECT referenced_table_schema, referenced_table_name \
                        FROM information_schema.key_column_usage \
                        WHERE table_schema = DATABASE() AND referenced_table_schema <> DATABASE()";

/// Those that refer to this one.
const REFERRING: &str = "SELECT table_schema, table_name FROM information_schema.key_column_usage \
                         WHERE referenced_table_schema = DATABASE() AND table_schema <> DATABASE()";

/// The same from InnoDB's own list, and whether a name of the list is cut off.
const REFERRING_IN_INNODB: &str = "
SELECT f.name_schema, f.name_table, f.is_cut FROM (
  SELECT CONVERT(CONVERT(CAST(SUBSTRING_INDEX(for_name, '/', 1) AS BINARY) USING filename) USING utf8mb4)
      AS name_schema,
    CONVERT(CONVERT(CAST(SUBSTRING_INDEX(for_name, '/', -1) AS BINARY) USING filename) USING utf8mb4)
      AS name_table,
    CONVERT(CONVERT(CAST(SUBSTRING_INDEX(ref_name, '/', 1) AS BINARY) USING filename) USING utf8mb4)
      AS target_schema,
    GREATEST(CHAR_LENGTH(for_name), CHAR_LENGTH(ref_name)) > 192 AS is_cut
  FROM information_schema.innodb_sys_foreign) f
WHERE f.is_cut OR f.target_schema = DATABASE() AND f.name_schema <> DATABASE()";

/// The tables of other databases that refer to this one. MariaDB opens every table of the server
/// for its answer; 11.8.9 crashed in it while others made and dropped databases. So where the
/// account may read it (PROCESS), InnoDB's list answers.
async fn referring(connection: &mut Connection) -> Result<Vec<Row>, Error> {
    let doing = "references of other databases";
    if connection.backend() == Backend::MariaDb {
        match connection.query(doing, REFERRING_IN_INNODB, &[]).await {
            Err(error) if error.is_denied() => {}
            rows => {
                let rows = rows?;
                let mut are_cut = rows.iter().map(|row| row.is(2));
                if !are_cut.any(|is_cut| !matches!(is_cut, Ok(false))) {
                    return Ok(rows);
                }
            }
        }
    }
    connection.query(doing, REFERRING, &[]).await
}

impl Scope {
    pub(super) async fn read(connection: &mut Connection) -> Result<Self, Error> {
        let doing = "the database of the connection";
        let row = connection.one_row(doing, "SELECT DATABASE()", &[]).await?;
        let Some(own) = row.optional_text(0)?.map(ToOwned::to_owned) else {
            return Err(Error::refused(
                "the address of the database",
                "it names a server, but no database",
                "add the name: mysql://user@host:3306/database",
            ));
        };
        let mut scope = Self {
            own,
            others: Vec::new(),
            related: BTreeSet::new(),
        };
        let doing = "references to other databases";
        let mut rows = connection.query(doing, REFERRED, &[]).await?;
        rows.extend(referring(connection).await?);
        for row in rows {
            let name = scope.name(&row, 0, 1)?;
            let schema = Value::Text(row.text(0)?.to_owned());
            if !scope.others.contains(&schema) {
                scope.others.push(schema);
            }
            scope.related.insert(name);
        }
        Ok(scope)
    }

    /// The name in two columns of a row.
    pub(super) fn name(
        &self,
        row: &Row,
        schema: usize,
        name: usize,
    ) -> Result<QualifiedName, Error> {
        let schema = row.text(schema)?;
        Ok(QualifiedName {
            schema: (schema != self.own).then(|| schema.to_owned()),
            name: row.text(name)?.to_owned(),
        })
    }

    /// The databases as a list in SQL, with placeholders for the others.
    pub(super) fn schemas(&self) -> String {
        format!("DATABASE(){}", ", ?".repeat(self.others.len()))
    }

    /// The rows of a query that has the list in it.
    pub(super) async fn rows(
        &self,
        connection: &mut Connection,
        doing: &str,
        query: &str,
    ) -> Result<Vec<Row>, Error> {
        connection.query(doing, query, &self.others).await
    }
}

//! Which tables of MySQL and MariaDB the catalogue has.

use std::collections::{BTreeMap, BTreeSet};

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

impl Scope {
    pub(super) async fn read(connection: &mut Connection) -> Result<Self, Error> {
        let doing = "the database of the connection";
        let rows = connection.query(doing, "SELECT DATABASE()", &[]).await?;
        let own = rows.first().map(|row| row.optional_text(0)).transpose()?;
        let Some(own) = own.flatten().map(ToOwned::to_owned) else {
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
        let query = "SELECT table_schema, table_name FROM information_schema.key_column_usage \
                     WHERE referenced_table_schema = DATABASE() AND table_schema <> DATABASE() \
                     UNION \
                     SELECT referenced_table_schema, referenced_table_name \
                     FROM information_schema.key_column_usage \
                     WHERE table_schema = DATABASE() AND referenced_table_schema <> DATABASE()";
        for row in connection
            .query("references to other databases", query, &[])
            .await?
        {
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

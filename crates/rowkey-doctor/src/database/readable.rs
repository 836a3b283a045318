//! Which columns of a table the account may read.

use rowkey_tables::Error;
use rowkey_tables::catalog::{QualifiedName, Table};
use rowkey_tables::connection::{Connection, Value};
use rowkey_tables::dialect::Dialect;

/// Which columns of a table the account may read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readable {
    denied: Vec<String>,
    /// Whether there are others that the database does not even name.
    are_some_hidden: bool,
}

impl Readable {
    /// Asks the database; adds to `notes` what the account may not read.
    pub(crate) async fn of(
        connection: &mut Connection,
        table: &Table,
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let backend = connection.backend();
        let name = table.name.quoted(backend)?;
        let Some(denied) = backend.denied_columns() else {
            return Ok(Self::default());
        };
        let key = match denied.takes_quoted_name {
            true => &name,
            false => &table.name.name,
        };
        let doing = "the privileges of the account";
        let values = [Value::from(key.as_str())];
        let rows = connection.query(doing, denied.query, &values).await?;
        let names = rows.iter().map(|row| Ok(row.text(0)?.to_owned()));
        let mut readable = Self {
            denied: names.collect::<Result<_, Error>>()?,
            are_some_hidden: false,
        };
        if readable.denied.is_empty() && denied.leaves_some_out {
            readable.are_some_hidden = hides_columns(connection, &name).await?;
        }
        notes.extend(readable.note());
        Ok(readable)
    }

    pub(crate) fn has(&self, column: &str) -> bool {
        !self.denied.iter().any(|denied| denied == column)
    }

    /// Fails for a column that the account may not read.
    pub(crate) fn require(&self, table: &QualifiedName, column: &str) -> Result<(), Error> {
        match self.has(column) {
            true => Ok(()),
            false => Err(Error::refused(
                format!("{table}.{column}"),
                "the account may not read it",
                "grant it SELECT on the table or on the column",
            )),
        }
    }

    /// Whether the account may read the table, and not only some of its columns.
    pub(crate) fn is_everything(&self) -> bool {
        self.denied.is_empty() && !self.are_some_hidden
    }

    fn note(&self) -> Option<String> {
        let unseen = match &self.denied[..] {
            [] if self.are_some_hidden => "some columns of the table".to_owned(),
            [] => return None,
            [only] => format!("the column {only}"),
            denied => format!("the columns {}", denied.join(", ")),
        };
        Some(format!(
            "The account was not allowed to see {unseen}, and needs SELECT on the whole table to find \
             the order of insertion and the times of rows."
        ))
    }
}

/// MySQL and MariaDB do not name columns without any privilege, but refuse to give all of them.
async fn hides_columns(connection: &mut Connection, table: &str) -> Result<bool, Error> {
    let query = format!("SELECT * FROM {table} LIMIT 0");
    let doing = "the columns of the table";
    match connection.execute(doing, &query).await {
        Err(error) if error.is_denied() => Ok(true),
        outcome => outcome.map(|_| false),
    }
}

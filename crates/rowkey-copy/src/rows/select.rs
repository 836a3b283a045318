//! Queries for the rows of a table, or for some of them by their keys.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_tables::Error;
use rowkey_tables::dialect::{Dialect, compared};
use rowkey_tables::types::Charset;

use crate::batch::Batch;
use crate::engine::engine;
use crate::rows::write::literal;
use crate::tables::table_side::{ColumnSide, TableSide};

/// Rows by their keys, each of which is a batch with the cells of one key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyRange<'k> {
    /// The key behind which it begins.
    pub(crate) after: Option<&'k Batch>,
    /// The last key of the range.
    pub(crate) until: Option<&'k Batch>,
}

impl KeyRange<'_> {
    /// All rows.
    pub(crate) const ALL: Self = Self {
        after: None,
        until: None,
    };
}

impl TableSide {
    /// The rows of a range, in the order of the key if there is one and it is asked for.
    pub(crate) fn select(&self, range: KeyRange<'_>, in_order: bool) -> Result<String, Error> {
        let mut query = self.select_all()?;
        let conditions = [
            range.after.map(|key| self.compared(key, [">", ">"])),
            range.until.map(|key| self.compared(key, ["<", "<="])),
        ];
        let conditions: Vec<String> = conditions.into_iter().flatten().collect::<Result<_, _>>()?;
        if !conditions.is_empty() {
            query += " WHERE ";
            query += &conditions.join(" AND ");
        }
        if in_order && !self.key.is_empty() {
            query += " ORDER BY ";
            query += &self.quoted_key()?.join(", ");
        }
        Ok(query)
    }

    /// The first row that fulfils a condition.
    pub(crate) fn select_first(&self, condition: &str) -> Result<String, Error> {
        Ok(first(
            self.backend,
            1,
            &format!(
                "{} WHERE {condition} ORDER BY {}",
                self.select_all()?,
                self.quoted_key()?.join(", ")
            ),
        ))
    }

    /// The columns as a query selects them: types that only PostgreSQL understands as text, unless
    /// the other side is PostgreSQL; and what the driver of SQL Server does not read exactly as
    /// another type. These have other names, so that they are not what the rows are sorted by.
    fn selected(&self) -> Result<String, Error> {
        let selected = engine(self.backend).rows.selected;
        let columns = self.columns.iter().enumerate().map(|(place, column)| {
            let name = quote_identifier(self.backend, &column.name)?;
            Ok(selected(column, &name, place))
        });
        let columns: Vec<String> = columns.collect::<Result<_, Error>>()?;
        Ok(columns.join(", "))
    }

    /// The table, as it follows FROM. The rows of tables that inherit from it are copied with
    /// these; those of its partitions are its own.
    pub(crate) fn rows(&self) -> Result<String, Error> {
        let only = match self.is_partitioned {
            true => "",
            false => engine(self.backend).rows.only,
        };
        Ok(format!("{only}{}", self.quoted()?))
    }

    fn select_all(&self) -> Result<String, Error> {
        Ok(format!("SELECT {} FROM {}", self.selected()?, self.rows()?))
    }

    pub(crate) fn key_columns(&self) -> impl Iterator<Item = &ColumnSide> {
        self.key.iter().map(|place| &self.columns[*place])
    }

    fn quoted_key(&self) -> Result<Vec<String>, Error> {
        let key = self.key_columns();
        let quoted = key.map(|column| quote_identifier(self.backend, &column.name));
        Ok(quoted.collect::<Result<_, _>>()?)
    }

    /// The condition that the key of a row is on a side of another one.
    fn compared(&self, key: &Batch, operators: [&str; 2]) -> Result<String, Error> {
        let cells = key.rows().next().expect("a key is a row");
        let values = self.key_columns().zip(cells).map(|(column, cell)| {
            // It is compared and not written, so that the column need not hold all characters.
            let compared = ColumnSide {
                charset: Charset::All,
                ..column.clone()
            };
            let literal = literal::text(self.backend, &compared, key, *cell);
            literal.map_err(|why| self.wrong(column, &why))
        });
        let values: Vec<String> = values.collect::<Result<_, _>>()?;
        Ok(compared(&self.quoted_key()?, &values, operators))
    }
}

/// The first rows of a query.
pub(crate) fn first(backend: Backend, rows: usize, query: &str) -> String {
    let (before, after) = backend.first_rows(rows);
    let rest = query.strip_prefix("SELECT ").unwrap_or(query);
    format!("SELECT {before}{rest}{after}")
}

//! A table as one of the two databases has it.

use rowkey_core::Backend;
use rowkey_core::storage::{StoredForm, quote_identifier};

use crate::batch::Batch;
use crate::catalog::QualifiedName;
use crate::error::Error;
use crate::types::{Kind, Type};
use crate::write::literal;

/// A table and its columns, in the order of the cells of a row.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) backend: Backend,
    pub(crate) name: QualifiedName,
    pub(crate) columns: Vec<SideColumn>,
    /// The places of the columns of the key; none if there is no key.
    pub(crate) key: Vec<usize>,
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct SideColumn {
    pub(crate) name: String,
    /// Its type in the words of the database, and what they mean.
    pub(crate) sql_type: String,
    pub(crate) own: Type,
    pub(crate) content: Content,
}

/// What a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Values, as both sides see them.
    Values(Kind),
    /// Ids in the form of this side. Both sides see the public value.
    Ids(StoredForm),
}

impl Side {
    pub(crate) fn quoted(&self) -> Result<String, Error> {
        self.name.quoted(self.backend)
    }

    /// The quoted names of the columns, as a list in SQL.
    pub(crate) fn column_list(&self) -> Result<String, Error> {
        let names = self.columns.iter();
        let names: Result<Vec<String>, _> = names
            .map(|column| quote_identifier(self.backend, &column.name))
            .collect();
        Ok(names?.join(", "))
    }

    /// All rows behind a key, which is a batch with the cells of one key. They are in the order of the
    /// key, if there is one and it is asked for.
    pub(crate) fn select(&self, after: Option<&Batch>, in_order: bool) -> Result<String, Error> {
        // The rows of tables that inherit from it are copied with these.
        let only = match self.backend {
            Backend::Postgres => "ONLY ",
            _ => "",
        };
        let mut query = format!(
            "SELECT {} FROM {only}{}",
            self.column_list()?,
            self.quoted()?
        );
        let key = self.key.iter().filter_map(|place| self.columns.get(*place));
        let key: Vec<&SideColumn> = key.collect();
        let quoted = key
            .iter()
            .map(|column| quote_identifier(self.backend, &column.name));
        let quoted: Vec<String> = quoted.collect::<Result<_, _>>()?;
        if let Some(batch) = after {
            let cells = batch.rows().next().unwrap_or_default();
            let values = key.iter().zip(cells).map(|(column, cell)| {
                literal::text(self.backend, column, batch, *cell)
                    .map_err(|why| self.wrong(column, &why))
            });
            let values: Vec<String> = values.collect::<Result<_, _>>()?;
            query += " WHERE ";
            query += &behind(&quoted, &values);
        }
        if in_order && !quoted.is_empty() {
            query += " ORDER BY ";
            query += &quoted.join(", ");
        }
        Ok(query)
    }

    /// The error for a value that has no place.
    pub(crate) fn wrong(&self, column: &SideColumn, why: &str) -> Error {
        Error::refused(
            format!("{}.{}", self.name, column.name),
            why,
            "change the value, or give the column another type in the plan, or leave it out",
        )
    }
}

/// The condition that a key is behind another one. Comparisons of rows would be shorter, but MySQL and
/// MariaDB do not use an index for them.
fn behind(columns: &[String], values: &[String]) -> String {
    let mut alternatives = Vec::new();
    for (place, (column, value)) in columns.iter().zip(values).enumerate() {
        let equal = columns.iter().zip(values).take(place);
        let mut conditions: Vec<String> = equal.map(|(c, v)| format!("{c} = {v}")).collect();
        conditions.push(format!("{column} > {value}"));
        alternatives.push(format!("({})", conditions.join(" AND ")));
    }
    alternatives.join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_several_columns_is_compared_from_the_left() {
        let columns = ["a", "b"].map(String::from);
        let values = ["1", "2"].map(String::from);
        assert_eq!(behind(&columns, &values), "(a > 1) OR (a = 1 AND b > 2)");
        assert_eq!(behind(&columns[..1], &values[..1]), "(a > 1)");
    }
}

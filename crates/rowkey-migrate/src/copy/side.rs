//! A table as one of the two databases has it.

use rowkey_core::Backend;
use rowkey_core::storage::{StoredForm, quote_identifier};

use crate::batch::Batch;
use crate::catalog::QualifiedName;
use crate::copy::instead::Instead;
use crate::error::Error;
use crate::types::{self, Charset, Kind, Type};
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
    /// How many bytes a value has at most, if its type says no more than that.
    pub(crate) most_bytes: Option<u64>,
    pub(crate) charset: Charset,
    /// The words of an `enum` or a `set`.
    pub(crate) members: Vec<String>,
    /// In MySQL and MariaDB, how text is compared, if that is known.
    pub(crate) collation: Option<String>,
    /// What a reader puts in the place of some values.
    pub(crate) instead: Instead,
    /// Whether a reader goes on behind a value that it refuses.
    pub(crate) keeps_refused: bool,
}

impl SideColumn {
    /// A column of which nothing is replaced.
    pub(crate) fn new(
        backend: Backend,
        name: &str,
        sql_type: &str,
        own: Type,
        content: Content,
    ) -> Self {
        Self {
            name: name.to_owned(),
            sql_type: sql_type.to_owned(),
            own,
            content,
            most_bytes: types::most_bytes(backend, sql_type),
            charset: Charset::of(backend, sql_type),
            members: types::members(sql_type),
            collation: types::collation_of(sql_type).map(ToOwned::to_owned),
            instead: Instead::default(),
            keeps_refused: false,
        }
    }

    /// Whether the literal of each value is what the source has, so that a copy goes on behind it. Times and
    /// UUIDs in text have several forms.
    pub(crate) fn keeps_order(&self, source: Backend) -> bool {
        let is_sqlite = source == Backend::Sqlite;
        match self.content {
            // MySQL sorts them by the places of their words, and compares them as text.
            _ if matches!(self.own, Type::Enum | Type::Set) => false,
            Content::Values(_) if self.own == Type::Own => is_sqlite,
            Content::Values(Kind::Text) if matches!(self.own, Type::Loose(_)) => false,
            Content::Values(Kind::Decimal) if matches!(self.own, Type::Loose(_)) => false,
            Content::Values(Kind::Time | Kind::Timestamp) => !is_sqlite,
            Content::Values(Kind::Uuid) => !matches!(self.own, Type::Text(_) | Type::PaddedText(_)),
            _ => true,
        }
    }

    /// The same column with the collation that the catalogue of MySQL and MariaDB names.
    pub(crate) fn collated(mut self, backend: Backend, collation: Option<&String>) -> Self {
        if let (Some(collation), Backend::MySql | Backend::MariaDb) = (collation, backend) {
            let words = types::with_collation(&self.sql_type, collation);
            self.charset = Charset::of(backend, &words);
            self.collation = Some(collation.clone());
        }
        self
    }
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
        let mut query = self.select_all()?;
        if let Some(key) = after {
            query += " WHERE ";
            query += &self.behind(key)?;
        }
        let key = self.quoted_key()?;
        if in_order && !key.is_empty() {
            query += " ORDER BY ";
            query += &key.join(", ");
        }
        Ok(query)
    }

    /// All other rows: a key has no NULL, so each row is in one of both.
    pub(crate) fn select_up_to(&self, last: &Batch) -> Result<String, Error> {
        Ok(format!(
            "{} WHERE NOT ({})",
            self.select_all()?,
            self.behind(last)?
        ))
    }

    /// The columns as a query selects them: types that only PostgreSQL understands as text, unless the other
    /// side is PostgreSQL.
    fn selected(&self) -> Result<String, Error> {
        let mut columns = Vec::new();
        for column in &self.columns {
            let name = quote_identifier(self.backend, &column.name)?;
            let is_text = column.content == Content::Values(Kind::Text);
            let is_cast = self.backend == Backend::Postgres && column.own == Type::Own && is_text;
            columns.push(match is_cast {
                true => format!("CAST({name} AS text)"),
                false => name,
            });
        }
        Ok(columns.join(", "))
    }

    /// The table, as it follows FROM. The rows of tables that inherit from it are copied with these.
    pub(crate) fn rows(&self) -> Result<String, Error> {
        let only = match self.backend {
            Backend::Postgres => "ONLY ",
            _ => "",
        };
        Ok(format!("{only}{}", self.quoted()?))
    }

    fn select_all(&self) -> Result<String, Error> {
        Ok(format!("SELECT {} FROM {}", self.selected()?, self.rows()?))
    }

    fn key_columns(&self) -> impl Iterator<Item = &SideColumn> {
        self.key.iter().filter_map(|place| self.columns.get(*place))
    }

    fn quoted_key(&self) -> Result<Vec<String>, Error> {
        let key = self.key_columns();
        let quoted = key.map(|column| quote_identifier(self.backend, &column.name));
        Ok(quoted.collect::<Result<_, _>>()?)
    }

    /// The condition that a row is behind a key.
    fn behind(&self, key: &Batch) -> Result<String, Error> {
        let cells = key.rows().next().unwrap_or_default();
        let values = self.key_columns().zip(cells).map(|(column, cell)| {
            literal::text(self.backend, column, key, *cell).map_err(|why| self.wrong(column, &why))
        });
        let values: Vec<String> = values.collect::<Result<_, _>>()?;
        Ok(behind(&self.quoted_key()?, &values))
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

//! A table as one of the two databases has it.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_sql::StoredForm;

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

/// Rows by their keys, each of which is a batch with the cells of one key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyRange<'k> {
    /// The key behind which it begins.
    pub(crate) behind: Option<&'k Batch>,
    /// Its last key.
    pub(crate) until: Option<&'k Batch>,
}

impl KeyRange<'_> {
    /// All rows.
    pub(crate) const ALL: Self = Self {
        behind: None,
        until: None,
    };
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
    /// In MySQL, MariaDB and SQL Server, how text is compared, if that is known.
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

    /// Whether the literal of each value is what the source has, so that a copy goes on behind it.
    /// Times and UUIDs in text have several forms.
    pub(crate) fn keeps_order(&self, source: Backend) -> bool {
        let is_sqlite = source == Backend::Sqlite;
        match self.content {
            // MySQL sorts them by the places of their words, and compares them as text.
            _ if matches!(self.own, Type::Enum | Type::Set) => false,
            Content::Values(_) if self.own == Type::Own => is_sqlite,
            Content::Values(Kind::Text) if matches!(self.own, Type::Loose(_)) => false,
            Content::Values(Kind::Decimal) if matches!(self.own, Type::Loose(_)) => false,
            Content::Values(Kind::Time | Kind::Timestamp) => !is_sqlite,
            // How exactly it reads their digits is not known.
            Content::Values(Kind::Single | Kind::Double) => source != Backend::SqlServer,
            Content::Values(Kind::Uuid) => !matches!(self.own, Type::Text(_) | Type::PaddedText(_)),
            _ => true,
        }
    }

    /// The same column with the collation that the catalogue of MySQL, MariaDB or SQL Server names.
    pub(crate) fn collated(mut self, backend: Backend, collation: Option<&String>) -> Self {
        let Some(collation) = collation else {
            return self;
        };
        match backend {
            Backend::MySql | Backend::MariaDb => {
                let words = types::with_collation(backend, &self.sql_type, collation);
                self.charset = Charset::of(backend, &words);
                self.collation = Some(collation.clone());
            }
            Backend::SqlServer => self.collation = Some(collation.clone()),
            _ => {}
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

    /// The rows of a range, in the order of the key if there is one and it is asked for.
    pub(crate) fn select(&self, range: KeyRange<'_>, in_order: bool) -> Result<String, Error> {
        let mut query = self.select_all()?;
        let conditions = [
            range.behind.map(|key| self.compared(key, ">", ">")),
            range.until.map(|key| self.compared(key, "<", "<=")),
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
        let mut columns = Vec::new();
        for (place, column) in self.columns.iter().enumerate() {
            let name = quote_identifier(self.backend, &column.name)?;
            if self.backend == Backend::SqlServer {
                columns.push(
                    match types::sqlserver::read_as(&column.sql_type, column.own) {
                        Some(other) => format!("CONVERT({other}, {name}) AS rowkey_value_{place}"),
                        None => name,
                    },
                );
                continue;
            }
            let is_text = column.content == Content::Values(Kind::Text);
            let is_cast = self.backend == Backend::Postgres && column.own == Type::Own && is_text;
            columns.push(match is_cast {
                true => format!("CAST({name} AS text)"),
                false => name,
            });
        }
        Ok(columns.join(", "))
    }

    /// The table, as it follows FROM. The rows of tables that inherit from it are copied with
    /// these.
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

    /// The condition that the key of a row is on a side of another one.
    fn compared(&self, key: &Batch, operator: &str, last: &str) -> Result<String, Error> {
        let cells = key.rows().next().unwrap_or_default();
        let values = self.key_columns().zip(cells).map(|(column, cell)| {
            // It is compared and not written, so that the column need not hold all characters.
            let compared = SideColumn {
                charset: Charset::All,
                ..column.clone()
            };
            let literal = literal::text(self.backend, &compared, key, *cell);
            literal.map_err(|why| self.wrong(column, &why))
        });
        let values: Vec<String> = values.collect::<Result<_, _>>()?;
        Ok(compared(&self.quoted_key()?, &values, operator, last))
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

/// The first rows of a query.
pub(crate) fn first(backend: Backend, rows: usize, query: &str) -> String {
    match (backend, query.strip_prefix("SELECT ")) {
        (Backend::SqlServer, Some(rest)) => format!("SELECT TOP ({rows}) {rest}"),
        _ => format!("{query} LIMIT {rows}"),
    }
}

/// The comparison of a key with another one; `last` is the operator of its last column. Comparisons
/// of rows would be shorter, but MySQL and MariaDB do not use an index for them.
fn compared(columns: &[String], values: &[String], operator: &str, last: &str) -> String {
    let mut alternatives = Vec::new();
    for (place, (column, value)) in columns.iter().zip(values).enumerate() {
        let equal = columns.iter().zip(values).take(place);
        let mut conditions: Vec<String> = equal.map(|(c, v)| format!("{c} = {v}")).collect();
        let operator = match place + 1 == columns.len() {
            true => last,
            false => operator,
        };
        conditions.push(format!("{column} {operator} {value}"));
        alternatives.push(format!("({})", conditions.join(" AND ")));
    }
    match alternatives.len() {
        1 => alternatives.concat(),
        _ => format!("({})", alternatives.join(" OR ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_several_columns_is_compared_from_the_left() {
        let columns = ["a", "b"].map(String::from);
        let values = ["1", "2"].map(String::from);
        assert_eq!(
            compared(&columns, &values, ">", ">"),
            "((a > 1) OR (a = 1 AND b > 2))"
        );
        assert_eq!(
            compared(&columns, &values, "<", "<="),
            "((a < 1) OR (a = 1 AND b <= 2))"
        );
        assert_eq!(compared(&columns[..1], &values[..1], "<", "<="), "(a <= 1)");
    }
}

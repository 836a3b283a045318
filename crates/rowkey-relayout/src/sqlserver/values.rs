//! Where the values of a changed column come from: a conversion, or the map of a key that gets new
//! ids.

use rowkey_core::Backend;
use rowkey_sql::{Conversion, NewId};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, Generated, creation_time};
use rowkey_tables::text_literal::text_literal;

use super::names::quoted;
use crate::plan::public_text;
use crate::work::{ChangedColumn, ChangedTable, Source, Work};

const MAP: &str = "[rowkey_id_map]";

/// The SQL of values in either form.
pub(super) enum Values<'w> {
    /// The ids stay, in another form.
    Converted(Conversion),
    /// Rows get new ids.
    Mapped(Map<'w>),
}

/// The map from a key's old ids to its new ones, both as text.
pub(super) struct Map<'w> {
    work: &'w Work,
    key_table: &'w ChangedTable,
    key: &'w ChangedColumn,
    /// From the public text in the map to the new form.
    to_form: Conversion,
    new_id: NewId,
}

impl<'w> Values<'w> {
    pub(super) fn of(work: &'w Work) -> Result<Self, Error> {
        if let Source::Converted(conversion) = work.source {
            return Ok(Self::Converted(conversion));
        }
        let (key_table, key) = work.key()?;
        let text = public_text(work.to.format(), work.backend)?;
        Ok(Self::Mapped(Map {
            work,
            key_table,
            key,
            to_form: Conversion::new(text, work.to)?,
            new_id: NewId::new(text)?,
        }))
    }

    /// The SQL of a new value, from that of an old one.
    pub(super) fn new_value(&self, column: &ChangedColumn, old: &str) -> Result<String, Error> {
        match self {
            Self::Converted(conversion) => Ok(conversion.of(old)?),
            Self::Mapped(map) => map.lookup(
                &map.to_form.of("m.new")?,
                "old",
                &text_of(&column.column, old)?,
            ),
        }
    }

    /// The SQL of an old value, from that of a new one.
    pub(super) fn old_value(&self, column: &ChangedColumn, new: &str) -> Result<String, Error> {
        match self {
            Self::Converted(conversion) => Ok(conversion.reversed().of(new)?),
            Self::Mapped(map) => {
                let text = map.to_form.reversed().of(new)?;
                map.lookup(&from_text(&column.column, "m.old")?, "new", &text)
            }
        }
    }

    /// The statement that makes the map, if there is to be one.
    pub(super) fn prepare(&self) -> Option<String> {
        let Self::Mapped(map) = self else {
            return None;
        };
        let text = "nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL";
        let new = map.new_id.form().sql_type();
        Some(format!(
            "IF OBJECT_ID({}, N'U') IS NULL CREATE TABLE {MAP} (table_name nvarchar(257) NOT NULL, \
             old {text}, new {new} NOT NULL, PRIMARY KEY (table_name, old), UNIQUE (table_name, new))",
            text_literal(Backend::SqlServer, MAP)
        ))
    }

    /// The statement that adds new ids for the old ones in some rows, unless the map has them.
    pub(super) fn add_new(
        &self,
        column: &ChangedColumn,
        rows: &str,
        condition: &str,
    ) -> Result<Option<String>, Error> {
        let Self::Mapped(map) = self else {
            return Ok(None);
        };
        let name = quoted(&column.column.name)?;
        let (key_table, key) = (
            map.key_table.name().quoted(Backend::SqlServer)?,
            quoted(&map.key.column.name)?,
        );
        let now = map.new_id.expression()?;
        let made = match &map.work.created {
            None => now,
            Some(created) => {
                let table = &map.key_table.table;
                let millis = creation_time::unix_millis(Backend::SqlServer, table, created, "k.")?;
                match map.new_id.expression_at(&millis) {
                    Ok(at) => format!("COALESCE({at}, {now})"),
                    // Ids of this format carry no time.
                    Err(_) => now,
                }
            }
        };
        let text = text_of(&column.column, "o.id")?;
        Ok(Some(format!(
            "INSERT INTO {MAP} (table_name, old, new) SELECT {0}, {text}, {made} \
             FROM (SELECT DISTINCT {name} AS id FROM {rows} WHERE {condition} AND {name} IS NOT NULL) \
             AS o LEFT JOIN {key_table} AS k ON k.{key} = o.id WHERE NOT EXISTS (SELECT 1 FROM {MAP} \
             AS m WITH (UPDLOCK, HOLDLOCK) WHERE m.table_name = {0} AND m.old = {text})",
            map.name(),
        )))
    }

    /// The statements of a trigger that keep the map complete after the swap, for the rows that new
    /// programs have written to the key's table.
    pub(super) fn add_old(&self, column: &ChangedColumn) -> Result<Vec<String>, Error> {
        let Self::Mapped(map) = self else {
            return Ok(Vec::new());
        };
        if !column.is_key || !counts(&column.column) {
            return Ok(Vec::new());
        }
        let (kept, new) = (quoted(&column.kept)?, quoted(&column.becomes)?);
        let old = text_of(&column.column, &format!("i.{kept}"))?;
        let new = map.to_form.reversed().of(&format!("i.{new}"))?;
        let name = map.name();
        Ok(vec![
            // The number of a row stays when its id is changed.
            format!(
                "UPDATE m SET m.new = {new} FROM {MAP} AS m JOIN inserted AS i ON m.old = {old} \
                 WHERE m.table_name = {name} AND m.new <> {new}"
            ),
            format!(
                "INSERT INTO {MAP} (table_name, old, new) SELECT {name}, {old}, {new} FROM inserted AS i \
                 WHERE NOT EXISTS (SELECT 1 FROM {MAP} AS m WITH (UPDLOCK, HOLDLOCK) \
                 WHERE m.table_name = {name} AND m.old = {old})"
            ),
        ])
    }

    /// Whether a column keeps what the database gives it, so that no trigger fills it.
    pub(super) fn keeps_itself(&self, column: &ChangedColumn) -> bool {
        matches!(self, Self::Mapped(_)) && counts(&column.column)
    }

    /// Fails for keys whose old ids have no text, or which nothing would make for new rows.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Self::Mapped(map) = self else {
            return Ok(());
        };
        for column in map.work.tables.iter().flat_map(|table| &table.columns) {
            text_of(&column.column, "")?;
            from_text(&column.column, "")?;
            self.add_new(column, "", "")?;
        }
        if counts(&map.key.column) {
            return Ok(());
        }
        Err(Error::refused(
            format!("{}.{}", map.key_table.name(), map.key.column.name),
            "it is no IDENTITY, so that nothing would make its old ids for the rows of new programs, \
             and without them the swap could not be undone",
            "make it an IDENTITY first",
        ))
    }
}

/// Whether the database counts a column by itself.
fn counts(column: &Column) -> bool {
    column.generated == Generated::Identity
}

impl Map<'_> {
    /// The name of the key's table in the map.
    fn name(&self) -> String {
        text_literal(Backend::SqlServer, &self.key_table.name().to_string())
    }

    /// A part of the map's row that is found by one of its columns, as a subquery.
    fn lookup(&self, part: &str, by: &str, value: &str) -> Result<String, Error> {
        let name = self.name();
        Ok(format!(
            "(SELECT {part} FROM {MAP} AS m WHERE m.table_name = {name} AND m.{by} = {value})"
        ))
    }
}

/// An old id as the text in the map.
fn text_of(column: &Column, sql: &str) -> Result<String, Error> {
    match is_number(column) {
        true => Ok(format!("CONVERT(nvarchar(100), {sql})")),
        false => Err(no_number(column)),
    }
}

/// An old id, from the text in the map.
fn from_text(column: &Column, text: &str) -> Result<String, Error> {
    match is_number(column) {
        true => Ok(format!("CONVERT({}, {text})", column.sql_type)),
        false => Err(no_number(column)),
    }
}

fn is_number(column: &Column) -> bool {
    let name = column.sql_type.split('(').next().unwrap_or_default();
    let numbers = ["tinyint", "smallint", "int", "bigint", "decimal", "numeric"];
    numbers.contains(&name)
}

fn no_number(column: &Column) -> Error {
    Error::refused(
        &column.name,
        format!(
            "its type is {}, and only numbers get new ids on SQL Server",
            column.sql_type
        ),
        "change the form of the ids with `rowkey relayout`, or take an IDENTITY",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_text() {
        let column = Column::of_type;
        let bigint = column("bigint");
        let texts = (text_of(&bigint, "x"), from_text(&bigint, "m.old"));
        assert_eq!(texts.0.unwrap(), "CONVERT(nvarchar(100), x)");
        assert_eq!(texts.1.unwrap(), "CONVERT(bigint, m.old)");
        assert!(is_number(&column("decimal(19,0)")));
        assert!(text_of(&column("uniqueidentifier"), "x").is_err());
        assert!(text_of(&column("datetime2(7)"), "x").is_err());
    }
}

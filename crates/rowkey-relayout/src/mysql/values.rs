//! Where the values of a changed column come from: a conversion, or the map of a key that gets new
//! ids.

use rowkey_core::Backend;
use rowkey_sql::{Conversion, NewId};
use rowkey_tables::Error;
use rowkey_tables::catalog::{Column, creation_time};
use rowkey_tables::text_literal::text_literal;

use super::names::{OLD_IDS, quoted};
use crate::plan::public_text;
use crate::work::{ChangedColumn, ChangedTable, Form, MAP, Source, Work};

/// The SQL of values in either form.
#[derive(Debug)]
pub(super) enum Values<'w> {
    /// The ids stay, in another form.
    Converted(Conversion),
    /// Rows get new ids.
    Mapped(Map<'w>),
}

/// The map from a key's old ids to its new ones.
#[derive(Debug)]
pub(super) struct Map<'w> {
    work: &'w Work,
    key_table: &'w ChangedTable,
    key: &'w ChangedColumn,
    /// From the public text in the map to the new form.
    to_form: Conversion,
    new_id: NewId,
}

/// How a statement reads the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it is now, which a statement that writes needs: the map may be newer than its snapshot.
    Current,
    /// As it was when the query began.
    Snapshot,
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

    /// What a column has in a form, from the SQL of the other form's value.
    pub(super) fn value(
        &self,
        column: &Column,
        form: Form,
        from: &str,
        reading: Reading,
    ) -> Result<String, Error> {
        match (self, form) {
            (Self::Converted(conversion), Form::New) => Ok(conversion.of(from)?),
            (Self::Converted(conversion), Form::Old) => Ok(conversion.reversed().of(from)?),
            (Self::Mapped(map), Form::New) => map.lookup(
                &map.to_form.of("m.new")?,
                "old",
                &text_of(column, from)?,
                reading,
            ),
            (Self::Mapped(map), Form::Old) => {
                let text = map.to_form.reversed().of(from)?;
                map.lookup(&from_text(column, "m.old")?, "new", &text, reading)
            }
        }
    }

    /// The statements of a trigger that make sure that the map has the value of a column in the row
    /// `NEW`, from which a form's value is to be found.
    pub(super) fn ensure(
        &self,
        column: &ChangedColumn,
        form: Form,
        name: &str,
    ) -> Result<String, Error> {
        let Self::Mapped(map) = self else {
            return Ok(String::new());
        };
        let value = format!("NEW.{}", quoted(name)?);
        let (by, text, add) = match form {
            Form::New => {
                let text = text_of(&column.column, &value)?;
                let made = map.made(column, &value, "NEW.")?;
                ("old", text.clone(), map.add(&text, &made)?)
            }
            Form::Old => {
                let text = map.to_form.reversed().of(&value)?;
                ("new", text.clone(), map.add_old(&text)?)
            }
        };
        let found = map.lookup("1", by, &text, Reading::Snapshot)?;
        Ok(format!(
            "IF {value} IS NOT NULL AND {found} IS NULL THEN {add}END IF; "
        ))
    }

    /// The statement that adds the values of a column to the map, for some rows `o` of the old
    /// table. None if the map has them all.
    pub(super) fn fill(
        &self,
        table: &ChangedTable,
        column: &ChangedColumn,
        condition: &str,
    ) -> Result<Option<String>, Error> {
        let Self::Mapped(map) = self else {
            return Ok(None);
        };
        // The key's table is filled first, and a reference within it may come before its target.
        let is_known = column.is_asserted && table.name() != map.key_table.name();
        if is_known {
            return Ok(None);
        }
        let value = format!("o.{}", quoted(&column.column.name)?);
        Ok(Some(format!(
            "INSERT INTO {MAP} (table_name, old, new) SELECT {}, {}, {} FROM {} o FORCE INDEX (PRIMARY) \
             WHERE ({condition}) AND {value} IS NOT NULL LOCK IN SHARE MODE \
             ON DUPLICATE KEY UPDATE {MAP}.old = {MAP}.old",
            map.name(),
            text_of(&column.column, &value)?,
            map.made(column, &value, "o.")?,
            quoted(&table.name().name)?
        )))
    }

    /// The map, if rows get new ids.
    pub(super) fn map(&self) -> Option<&Map<'w>> {
        match self {
            Self::Converted(_) => None,
            Self::Mapped(map) => Some(map),
        }
    }
}

impl Map<'_> {
    /// The name of the key's table in the map.
    fn name(&self) -> String {
        text_literal(Backend::MySql, &self.key_table.name().to_string())
    }

    /// A part of the map's row that is found by one of its columns, as a subquery.
    fn lookup(&self, part: &str, by: &str, value: &str, reading: Reading) -> Result<String, Error> {
        let lock = match reading {
            Reading::Current => " LOCK IN SHARE MODE",
            Reading::Snapshot => "",
        };
        let name = self.name();
        // The server may still take the map for an empty table, and would read all of it.
        let index = match by {
            "old" => "PRIMARY",
            by => by,
        };
        Ok(format!(
            "(SELECT {part} FROM {MAP} m FORCE INDEX ({index}) \
             WHERE m.table_name = {name} AND m.{by} = {value}{lock})"
        ))
    }

    /// A new id as public text. The key's own row says when it was created; a reference has to look
    /// there.
    fn made(&self, column: &ChangedColumn, value: &str, qualifier: &str) -> Result<String, Error> {
        let now = self.new_id.expression()?;
        let Some(created) = &self.work.created else {
            return Ok(now);
        };
        let millis = |qualifier| {
            let table = &self.key_table.table;
            creation_time::unix_millis(self.work.backend, table, created, qualifier)
        };
        let millis = match column.is_key {
            true => millis(qualifier)?,
            false => format!(
                "(SELECT {} FROM {} k WHERE k.{} = {value})",
                millis("k.")?,
                quoted(&self.key_table.name().name)?,
                quoted(&self.key.column.name)?
            ),
        };
        Ok(match self.new_id.expression_at(&millis) {
            Ok(at) => format!("COALESCE({at}, {now})"),
            // Ids of this format carry no time.
            Err(_) => now,
        })
    }

    fn add(&self, old: &str, new: &str) -> Result<String, Error> {
        Ok(format!(
            "INSERT INTO {MAP} (table_name, old, new) VALUES ({}, {old}, {new}) \
             ON DUPLICATE KEY UPDATE {MAP}.old = {MAP}.old; ",
            self.name()
        ))
    }

    /// Adds an old id for a new one that a new program has made. Numbers that old programs have
    /// used since the counter was made are left out.
    fn add_old(&self, new: &str) -> Result<String, Error> {
        match made_old(&self.key.column) {
            Some(MadeOld::Counted) => {
                let text = as_text("LAST_INSERT_ID()");
                let used = self.lookup("1", "old", &text, Reading::Snapshot)?;
                Ok(format!(
                    "REPEAT INSERT INTO {OLD_IDS} VALUES (NULL); UNTIL {used} IS NULL END REPEAT; {}",
                    self.add(&text, new)?
                ))
            }
            Some(MadeOld::Random(sql)) => self.add(&text_of(&self.key.column, sql)?, new),
            None => Err(self.no_old_ids()),
        }
    }

    /// Fails for keys whose old ids nothing makes.
    pub(super) fn check(&self) -> Result<(), Error> {
        for table in &self.work.tables {
            for changed in &table.columns {
                text_of(&changed.column, "")?;
                self.made(changed, "", "")?;
            }
        }
        made_old(&self.key.column)
            .map(|_| ())
            .ok_or_else(|| self.no_old_ids())
    }

    fn no_old_ids(&self) -> Error {
        let column = &self.key.column;
        Error::refused(
            format!("{}.{}", self.key_table.name(), column.name),
            format!(
                "nothing makes old ids of the type {} for rows that new programs write, and without \
                 them the swap could not be undone",
                column.sql_type
            ),
            "change it to a number or a UUID first",
        )
    }

    /// The first number of the counter, if old ids are counted: a query.
    pub(super) fn first_counted(&self) -> Result<Option<String>, Error> {
        let Some(MadeOld::Counted) = made_old(&self.key.column) else {
            return Ok(None);
        };
        let table = &self.key_table.name().name;
        // The numbers of the last rows may have been deleted.
        Ok(Some(format!(
            "SELECT CAST(GREATEST(COALESCE(MAX({}), 0) + 1, COALESCE((SELECT auto_increment FROM \
             information_schema.tables WHERE table_schema = DATABASE() AND table_name = {}), 1)) AS UNSIGNED) \
             FROM {}",
            quoted(&self.key.column.name)?,
            text_literal(Backend::MySql, table),
            quoted(table)?
        )))
    }

    /// The table of the key, if the database counts its old ids.
    pub(super) fn counted_table(&self) -> Option<&str> {
        let is_counted = self.key.column.generated.is_counted();
        is_counted.then_some(self.key_table.name().name.as_str())
    }

    /// A query for a new id, which fails on servers that cannot make one.
    pub(super) fn trial(&self) -> Result<String, Error> {
        Ok(format!("SELECT {}", self.new_id.expression()?))
    }
}

/// How the old ids of new rows are made.
enum MadeOld {
    Counted,
    /// By an expression.
    Random(&'static str),
}

fn made_old(column: &Column) -> Option<MadeOld> {
    let sql_type = column.sql_type.as_str();
    match Kind::of(sql_type) {
        Some(Kind::Signed | Kind::Unsigned | Kind::Decimal) => Some(MadeOld::Counted),
        Some(Kind::Uuid) => Some(MadeOld::Random("UUID()")),
        Some(Kind::Bytes) if sql_type.ends_with("(16)") => {
            Some(MadeOld::Random("UNHEX(REPLACE(UUID(), '-', ''))"))
        }
        Some(Kind::Text) if sql_type.ends_with("(36)") => Some(MadeOld::Random("UUID()")),
        _ => None,
    }
}

/// The types of keys that have an exact text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Decimal,
    Bytes,
    Text,
    Uuid,
}

impl Kind {
    fn of(sql_type: &str) -> Option<Self> {
        let name = sql_type.split(['(', ' ']).next().unwrap_or_default();
        Some(match name {
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" => {
                match sql_type.contains("unsigned") {
                    true => Self::Unsigned,
                    false => Self::Signed,
                }
            }
            "decimal" => Self::Decimal,
            "binary" | "varbinary" => Self::Bytes,
            "char" | "varchar" => Self::Text,
            "uuid" => Self::Uuid,
            _ => return None,
        })
    }
}

/// An old id as the text in the map.
fn text_of(column: &Column, sql: &str) -> Result<String, Error> {
    Ok(match kind_of(column)? {
        // The text of a number with `zerofill` has zeros before it.
        Kind::Signed | Kind::Unsigned => as_text(&format!("({sql} + 0)")),
        Kind::Decimal | Kind::Text => as_text(sql),
        Kind::Bytes => as_text(&format!("LOWER(HEX({sql}))")),
        Kind::Uuid => as_text(&format!("CAST({sql} AS CHAR)")),
    })
}

fn as_text(sql: &str) -> String {
    format!("CONVERT({sql} USING utf8mb4) COLLATE utf8mb4_bin")
}

/// An old id from the text in the map, of the column's type, so that an index finds it.
fn from_text(column: &Column, sql: &str) -> Result<String, Error> {
    Ok(match kind_of(column)? {
        Kind::Signed => format!("CAST({sql} AS SIGNED)"),
        Kind::Unsigned => format!("CAST({sql} AS UNSIGNED)"),
        Kind::Decimal => {
            let digits = column.sql_type.trim_start_matches("decimal");
            let digits = digits.split(' ').next().unwrap_or_default();
            format!("CAST({sql} AS DECIMAL{digits})")
        }
        Kind::Bytes => format!("UNHEX({sql})"),
        Kind::Text => match column.collation.as_deref() {
            Some(collation) => {
                let charset = collation.split('_').next().unwrap_or(collation);
                format!(
                    "CONVERT({sql} USING {}) COLLATE {}",
                    quoted(charset)?,
                    quoted(collation)?
                )
            }
            None => sql.into(),
        },
        Kind::Uuid => format!("CAST({sql} AS UUID)"),
    })
}

fn kind_of(column: &Column) -> Result<Kind, Error> {
    Kind::of(&column.sql_type).ok_or_else(|| {
        Error::refused(
            format!("the column {}", column.name),
            format!("ids of the type {} have no exact text", column.sql_type),
            "change it to a number, to text or to bytes first",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_ids_are_made_for_numbers_and_uuids_only() {
        for (sql_type, kind) in [
            ("bigint(20) unsigned zerofill", Some(Kind::Unsigned)),
            ("int", Some(Kind::Signed)),
            ("decimal(20,0)", Some(Kind::Decimal)),
            ("binary(16)", Some(Kind::Bytes)),
            ("varchar(36)", Some(Kind::Text)),
            ("uuid", Some(Kind::Uuid)),
            ("datetime", None),
            ("enum('int')", None),
        ] {
            assert_eq!(Kind::of(sql_type), kind, "{sql_type}");
        }
    }
}

//! The table that maps old ids to new ones, and the statements on it.
//!
//! The table has both as text, so that people and other programs can read it: the old id as it is,
//! or in hexadecimal if it is bytes, and the public text of the new one. It stays when a change is
//! contracted or undone.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
use rowkey_sql::{Conversion, NewId, StoredForm};
use rowkey_tables::catalog::{Column, QualifiedName, Table, creation_time};
use rowkey_tables::dialect::Dialect;
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::{Connection, Error};

use crate::engine::{self, MapDefinition, old_id};
use crate::plan::public_text;
use crate::work::{ChangedColumn, ChangedTable, Form, Source, Work};

/// The name of the table.
pub(super) const TABLE: &str = "rowkey_id_map";

/// The ids of one key in the map.
#[derive(Clone, Debug)]
pub(super) struct IdMap {
    /// The map in SQL.
    pub(super) table: String,
    /// The name of the key's table in the map, in SQL.
    pub(super) table_name: String,
    /// From the public text in the map to the new form.
    pub(super) to_form: Conversion,
}

/// The column of the map's row `m` with the ids of a form.
pub(super) fn map_column(form: Form) -> &'static str {
    match form {
        Form::Old => "m.old",
        Form::New => "m.new",
    }
}

/// How a statement reads the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it is now, which a statement of MySQL that writes needs: the map may be newer than its
    /// snapshot.
    Current,
    /// As it was when the query began.
    Snapshot,
}

impl IdMap {
    pub(super) fn new(key_table: &QualifiedName, to: StoredForm) -> Result<Self, Error> {
        let backend = to.backend();
        Ok(Self {
            table: engine::map_name(backend, TABLE),
            table_name: text_literal(backend, &key_table.to_string()),
            to_form: Conversion::new(public_text(to.format(), backend)?, to)?,
        })
    }

    fn backend(&self) -> Backend {
        self.to_form.to().backend()
    }

    /// The statement that makes the table.
    pub(super) fn create(&self) -> String {
        let Self { table, .. } = self;
        let MapDefinition {
            create,
            types: [name, old, new],
            unique,
            options,
        } = engine::map_definition(table, self.text_form());
        format!(
            "{create} {table} (table_name {name} NOT NULL, old {old} NOT NULL, new {new} NOT NULL, \
             PRIMARY KEY (table_name, old), {unique} (table_name, new)){options}"
        )
    }

    /// The type of the texts of a form.
    pub(super) fn text_type(&self, form: Form) -> String {
        let [_, old, new] = engine::map_definition(&self.table, self.text_form()).types;
        match form {
            Form::Old => old,
            Form::New => new,
        }
    }

    /// The form of the texts of new ids.
    fn text_form(&self) -> StoredForm {
        self.to_form.reversed().to()
    }

    /// The beginning of a statement that adds rows.
    pub(super) fn insert(&self) -> String {
        format!("INSERT INTO {} (table_name, old, new)", self.table)
    }

    /// The query for a part of the map's row `m` that is found by the text of an id.
    pub(super) fn query(&self, part: &str, by: Form, text: &str) -> String {
        let Self {
            table, table_name, ..
        } = self;
        let map = engine::map_by(self.backend(), table, by);
        let by = map_column(by);
        format!("SELECT {part} FROM {map} WHERE m.table_name = {table_name} AND {by} = {text}")
    }

    /// The same as a subquery.
    pub(super) fn lookup(&self, part: &str, by: Form, text: &str, reading: Reading) -> String {
        let lock = match reading {
            Reading::Current => " LOCK IN SHARE MODE",
            Reading::Snapshot => "",
        };
        format!("({}{lock})", self.query(part, by, text))
    }

    /// The text by which the map finds an id, from the SQL of its value in the other form.
    pub(super) fn text_of_other(
        &self,
        column: &Column,
        form: Form,
        from: &str,
    ) -> Result<String, Error> {
        match form {
            Form::New => old_id::text_of(self.backend(), column, from),
            Form::Old => self.text_of_new(from),
        }
    }

    /// An id in a form, from its text in the map.
    pub(super) fn value_of_text(
        &self,
        column: &Column,
        form: Form,
        text: &str,
    ) -> Result<String, Error> {
        match form {
            Form::New => Ok(self.to_form.of(text)?),
            Form::Old => old_id::from_text(self.backend(), column, text),
        }
    }

    /// The public text of a new id.
    pub(super) fn text_of_new(&self, new: &str) -> Result<String, Error> {
        Ok(self.to_form.reversed().of(new)?)
    }
}

/// Where the values of a column come from.
#[derive(Debug)]
pub(super) enum Values {
    /// The ids stay, in another form.
    Converted(Conversion),
    /// Rows get new ids.
    Mapped(IdMap),
}

impl Values {
    pub(super) fn of(work: &Work) -> Result<Self, Error> {
        match work.source {
            Source::Converted(conversion) => Ok(Self::Converted(conversion)),
            Source::Mapped => Ok(Self::Mapped(IdMap::new(work.key()?.0.name(), work.to)?)),
        }
    }

    /// What a column has in a form, from the SQL of its value in the other one.
    pub(super) fn value(
        &self,
        column: &Column,
        form: Form,
        from: &str,
        reading: Reading,
    ) -> Result<String, Error> {
        let map = match (self, form) {
            (Self::Converted(conversion), Form::New) => return Ok(conversion.of(from)?),
            (Self::Converted(conversion), Form::Old) => {
                return Ok(conversion.reversed().of(from)?);
            }
            (Self::Mapped(map), _) => map,
        };
        let value = map.value_of_text(column, form, map_column(form))?;
        let text = map.text_of_other(column, form, from)?;
        Ok(map.lookup(&value, form.other(), &text, reading))
    }
}

/// What makes new ids for the rows of a key.
#[derive(Debug)]
pub(super) struct NewIds<'w> {
    pub(super) work: &'w Work,
    pub(super) key_table: &'w ChangedTable,
    pub(super) key: &'w ChangedColumn,
    pub(super) map: IdMap,
    /// New ids as public text.
    pub(super) new_id: NewId,
}

impl<'w> NewIds<'w> {
    pub(super) fn new(work: &'w Work) -> Result<Self, Error> {
        let (key_table, key) = work.key()?;
        Ok(Self {
            work,
            key_table,
            key,
            map: IdMap::new(key_table.name(), work.to)?,
            new_id: NewId::new(public_text(work.to.format(), work.backend)?)?,
        })
    }

    /// Nothing if the ids stay.
    pub(super) fn of(work: &'w Work) -> Result<Option<Self>, Error> {
        match work.source {
            Source::Converted(_) => Ok(None),
            Source::Mapped => Self::new(work).map(Some),
        }
    }

    /// When a row of the key's table was created, in milliseconds. `qualifier` comes before the
    /// name of the column, such as `NEW.`; nothing if the plan names no column.
    pub(super) fn created(&self, qualifier: &str) -> Result<Option<String>, Error> {
        let created = self.work.created.as_deref();
        let table = &self.key_table.table;
        created
            .map(|column| creation_time::unix_millis(self.work.backend, table, column, qualifier))
            .transpose()
    }
}

/// Takes the ids of another format out of the map when a change is undone. New programs had made
/// them, and no row has them any more; with them, another attempt would be refused.
pub(super) async fn forget_ids_of_another_format(
    connection: &mut Connection,
    work: &Work,
) -> Result<(), Error> {
    let Source::Mapped = work.source else {
        return Ok(());
    };
    let exists = work.backend.has_table(TABLE);
    if !connection.is("the map of ids", &exists, &[]).await? {
        return Ok(());
    }
    let delete = format!("DELETE FROM {TABLE} WHERE {}", is_of_another_format(work)?);
    connection
        .execute("the ids of another format", &delete)
        .await
        .map(|_| ())
}

/// The condition that a row of the map has an id of the key's table, and of another format.
pub(super) fn is_of_another_format(work: &Work) -> Result<String, Error> {
    let (table, _) = work.key()?;
    Ok(format!(
        "table_name = {} AND NOT ({})",
        text_literal(work.backend, &table.name().to_string()),
        public_text(work.to.format(), work.backend)?.condition("new")?
    ))
}

/// The SQL of a new id with an instant, or with that of now for rows that have none.
pub(super) fn new_id_at(new_id: NewId, millis: &str) -> Result<String, Error> {
    let now = new_id.expression()?;
    Ok(match new_id.expression_at(millis) {
        Ok(at) => format!("COALESCE({at}, {now})"),
        // Ids of this format carry no time.
        Err(_) => now,
    })
}

/// A new id for a row, as public text in SQL: with the instant in a creation column, or with that
/// of now.
pub(crate) fn example_id(
    to: StoredForm,
    table: &Table,
    created: Option<&str>,
) -> Result<String, Error> {
    let new_id = new_id_of(to)?;
    let Some(created) = created else {
        return Ok(new_id.expression()?);
    };
    let millis = creation_time::unix_millis(to.backend(), table, created, "")?;
    new_id_at(new_id, &millis)
}

/// The condition that a row has a creation time that its new id cannot carry. None if no id carries
/// one.
pub(super) fn is_unusable(
    to: StoredForm,
    table: &Table,
    column: &str,
) -> Result<Option<String>, Error> {
    let millis = creation_time::unix_millis(to.backend(), table, column, "")?;
    let quoted = quote_identifier(to.backend(), column)?;
    let id = new_id_of(to)?.expression_at(&millis).ok();
    Ok(id.map(|id| format!("{quoted} IS NOT NULL AND ({id}) IS NULL")))
}

/// New ids as public text, or as bytes where SQL cannot make the text.
fn new_id_of(to: StoredForm) -> Result<NewId, Error> {
    let form = |name| StoredForm::named(to.format(), to.backend(), name);
    let text = form("text").ok().and_then(|form| NewId::new(form).ok());
    match (text, form("binary")) {
        (Some(text), _) => Ok(text),
        (None, Ok(bytes)) => Ok(NewId::new(bytes)?),
        (None, Err(why)) => Err(Error::refused(
            format!("`format = \"{}\"`", to.format().name()),
            why,
            "choose a format whose ids SQL can make",
        )),
    }
}

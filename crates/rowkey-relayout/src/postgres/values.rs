//! Where the values of a column come from: a conversion, or the map of a key that is re-keyed.

use rowkey_core::Backend;
use rowkey_sql::Conversion;
use rowkey_tables::Error;
use rowkey_tables::catalog::{DependentKind, QualifiedName};
use rowkey_tables::text_literal::text_literal;
use rowkey_tables::types::ColumnType;

use super::constraints;
use super::names::{quote_for, quoted};
use super::session;
use crate::id_map::{NewIds, Reading, TABLE, new_id_at};
use crate::runner::Runner;
use crate::work::{ChangedColumn, Form, Source, Work};

/// The SQL of values in either form.
pub(super) enum Values<'w> {
    /// The ids stay, in another form.
    Converted(Conversion),
    /// Rows get new ids.
    Mapped(Map<'w>),
}

/// The map of a key, and the functions that read it and add to it.
pub(super) struct Map<'w> {
    ids: NewIds<'w>,
    /// The schema of names without one: functions do not depend on what sessions search.
    schema: String,
    /// The default of the key with schemas in its names, for the same reason.
    default: Option<String>,
}

impl<'w> Values<'w> {
    pub(super) async fn of(runner: &mut Runner<'_>, work: &'w Work) -> Result<Self, Error> {
        let ids = match work.source {
            Source::Converted(conversion) => return Ok(Self::Converted(conversion)),
            Source::Mapped => NewIds::new(work)?,
        };
        let query = "SELECT current_schema()::text";
        let row = runner.one_row("the schema", query, &[]).await?;
        let schema = row.optional_text(0)?.ok_or_else(|| Error::Missing {
            what: "a schema of the search path".into(),
        })?;
        let mut map = Map {
            ids,
            schema: schema.to_owned(),
            default: None,
        };
        map.ids.map.table = map.qualified(&TABLE.into())?;
        map.default = map.read_default(runner).await?;
        Ok(Self::Mapped(map))
    }

    /// The SQL of a new value, from that of the old one in the same row. `qualifier` comes before
    /// the names of columns, such as `NEW.`.
    pub(super) fn new_value(
        &self,
        column: &ChangedColumn,
        qualifier: &str,
    ) -> Result<String, Error> {
        let old = format!("{qualifier}{}", quoted(&column.column.name)?);
        match self {
            Self::Converted(conversion) => Ok(conversion.of(&old)?),
            Self::Mapped(map) => {
                let created = match column.is_key {
                    true => map.ids.created(qualifier)?,
                    false => None,
                };
                let created = created.unwrap_or_else(|| "NULL".into());
                Ok(format!(
                    "{}({old}::text, {created})",
                    map.function("new_id")?
                ))
            }
        }
    }

    /// The SQL of an old value, from that of a new one.
    pub(super) fn old_value(&self, new: &str) -> Result<String, Error> {
        match self {
            Self::Converted(conversion) => Ok(conversion.reversed().of(new)?),
            Self::Mapped(map) => Ok(format!("{}({new})", map.function("old_id")?)),
        }
    }

    /// Whether rows may have no old value, because nothing makes one.
    pub(super) fn may_lack_old_values(&self) -> Result<bool, Error> {
        match self {
            Self::Converted(_) => Ok(false),
            Self::Mapped(map) => Ok(map.next_old()?.is_none()),
        }
    }

    /// Whether functions write on behalf of programs, which have no privileges on the map.
    pub(super) fn needs_privileges(&self) -> bool {
        matches!(self, Self::Mapped(_))
    }

    /// The condition that a new column is not what the old one says, before the swap.
    pub(super) fn new_differs(&self, column: &ChangedColumn) -> Result<String, Error> {
        let (old, new) = (quoted(&column.column.name)?, quoted(&column.shadow_name())?);
        let expected = match self {
            Self::Converted(conversion) => conversion.of(&old)?,
            Self::Mapped(map) => {
                let (map, old) = (&map.ids.map, format!("{old}::text"));
                let found = map.lookup("m.new", Form::Old, &old, Reading::Snapshot);
                map.to_form.of(&found)?
            }
        };
        Ok(format!("{new} IS DISTINCT FROM {expected}"))
    }

    /// The condition that an old column is not what the new one says, after the swap.
    pub(super) fn old_differs(&self, column: &ChangedColumn) -> Result<String, Error> {
        let (new, kept) = (quoted(&column.new_name)?, quoted(&column.retired_name)?);
        match self {
            Self::Converted(conversion) => {
                let expected = conversion.reversed().of(&new)?;
                Ok(format!("{kept} IS DISTINCT FROM {expected}"))
            }
            Self::Mapped(map) => {
                let text = map.ids.map.text_of_new(&new)?;
                let found = map
                    .ids
                    .map
                    .lookup("m.old", Form::New, &text, Reading::Snapshot);
                Ok(format!(
                    "{kept} IS NULL AND {new} IS NOT NULL OR {kept}::text IS DISTINCT FROM {found}"
                ))
            }
        }
    }

    /// Why a function in the default of the key makes no old ids in the change's functions, which
    /// have no schemas to search, if that is so. Sequences are not asked: they would leave out a
    /// number.
    pub(super) async fn trial_of_default(
        &self,
        runner: &mut Runner<'_>,
    ) -> Result<Option<String>, Error> {
        let Self::Mapped(Map {
            default: Some(default),
            ..
        }) = self
        else {
            return Ok(None);
        };
        if default.starts_with("nextval(") {
            return Ok(None);
        }
        const DOING: &str = "a trial of the key's default";
        let query = format!("SELECT ({default})::text");
        let found = constraints::aside(runner, DOING, &without_schemas(), &query).await;
        runner.query(DOING, "ROLLBACK", &[]).await?;
        match found {
            Err(error) if is_unknown_name(&error) => Ok(Some(error.to_string())),
            Ok(_) | Err(Error::Database { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What has to be there before the first trigger.
    pub(super) fn prepare(&self) -> Result<Vec<String>, Error> {
        match self {
            Self::Converted(_) => Ok(Vec::new()),
            Self::Mapped(map) => map.prepare(),
        }
    }

    /// Drops the functions, after the last trigger. The map stays.
    pub(super) fn finish(&self) -> Result<Vec<String>, Error> {
        let Self::Mapped(map) = self else {
            return Ok(Vec::new());
        };
        Ok(vec![
            format!("DROP FUNCTION IF EXISTS {}", map.function("new_id")?),
            format!("DROP FUNCTION IF EXISTS {}", map.function("old_id")?),
        ])
    }
}

impl Map<'_> {
    fn qualified(&self, name: &QualifiedName) -> Result<String, Error> {
        let schema = name.schema.clone().or_else(|| Some(self.schema.clone()));
        let name = name.name.clone();
        QualifiedName { schema, name }.quoted(Backend::Postgres)
    }

    /// The default of the key, as a session without schemas to search sees it.
    async fn read_default(&self, runner: &mut Runner<'_>) -> Result<Option<String>, Error> {
        let (table, key) = (self.ids.key_table, self.ids.key);
        let Some(default) = &key.column.default else {
            return Ok(None);
        };
        let doing = format!("the default of {}.{}", table.name(), key.column.name);
        let literal = |text: &str| text_literal(Backend::Postgres, text);
        let query = format!(
            "SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d JOIN pg_attribute a \
             ON a.attrelid = d.adrelid AND a.attnum = d.adnum \
             WHERE d.adrelid = to_regclass({}) AND a.attname = {}",
            literal(&self.qualified(table.name())?),
            literal(&key.column.name)
        );
        let found = constraints::aside(runner, &doing, &without_schemas(), &query).await;
        runner.query(&doing, "ROLLBACK", &[]).await?;
        // After the swap, the column has another name, and the functions are there.
        Ok(Some(found?.unwrap_or_else(|| default.clone())))
    }

    fn function(&self, what: &str) -> Result<String, Error> {
        self.qualified(&self.ids.work.made(self.ids.key_table, what))
    }

    /// The SQL of the next old id, if the database makes them.
    fn next_old(&self) -> Result<Option<String>, Error> {
        let (table, key) = (self.ids.key_table, self.ids.key);
        if let Some(default) = &self.default {
            return Ok(Some(format!("({default})::text")));
        }
        let mut dependents = table.table.dependents.iter();
        let sequence = dependents.find(|one| {
            one.kind == DependentKind::Sequence && one.columns.contains(&key.column.name)
        });
        Ok(sequence.map(|one| {
            format!(
                "nextval({}::regclass)::text",
                text_literal(Backend::Postgres, &one.name)
            )
        }))
    }

    fn prepare(&self) -> Result<Vec<String>, Error> {
        let mut statements = vec![self.ids.map.create()];
        statements.extend(self.new_id()?);
        statements.extend(self.old_id()?);
        Ok(statements)
    }

    /// A function from an old id to the new one, which it makes when it is first asked for.
    fn new_id(&self) -> Result<Vec<String>, Error> {
        let (key, map) = (self.ids.key, &self.ids.map);
        let made = new_id_at(self.ids.new_id, "created")?;
        // A reference may come before the row that it refers to.
        let created = match self.ids.created("k.")? {
            Some(millis) => {
                let name = self.ids.key_table.name();
                let (name, column) = (self.qualified(name)?, quoted(&key.column.name)?);
                format!(
                    "    IF created IS NULL THEN\n\
                     \x20     created := (SELECT {millis} FROM {name} k \
                     WHERE k.{column} = old_id::{});\n\
                     \x20   END IF;\n",
                    key.column.sql_type
                )
            }
            None => String::new(),
        };
        let lookup = map.lookup("m.new", Form::Old, "old_id", Reading::Snapshot);
        let body = format!(
            "  IF old_id IS NULL THEN RETURN NULL; END IF;\n\
             \x20 found := {lookup};\n\
             \x20 IF found IS NULL THEN\n\
             {created}\
             \x20   {} VALUES ({}, old_id, {made})\n\
             \x20   ON CONFLICT (table_name, old) DO NOTHING RETURNING new INTO found;\n\
             \x20   IF found IS NULL THEN found := {lookup}; END IF;\n\
             \x20 END IF;\n\
             \x20 RETURN {};\n",
            map.insert(),
            map.table_name,
            map.to_form.of("found")?,
        );
        let function = self.function("new_id")?;
        let head = format!("{function}(old_id text, created bigint)");
        Ok(definer(
            &head,
            &function,
            &self.ids.work.to.sql_type(),
            &body,
        ))
    }

    /// A function from a new id to the old one, for rows that new programs write.
    fn old_id(&self) -> Result<Vec<String>, Error> {
        let map = &self.ids.map;
        let text = map.text_of_new("new_id")?;
        let lookup = map.lookup("m.old", Form::New, "public", Reading::Snapshot);
        let added = match self.next_old()? {
            Some(next) => format!(
                // Rows may have numbers that the sequence has not come to.
                "  WHILE found IS NULL LOOP\n\
                 \x20   {} VALUES ({}, {next}, public)\n\
                 \x20   ON CONFLICT DO NOTHING RETURNING old INTO found;\n\
                 \x20   IF found IS NULL THEN found := {lookup}; END IF;\n\
                 \x20 END LOOP;\n",
                map.insert(),
                map.table_name,
            ),
            None => String::new(),
        };
        let body = format!(
            "  IF new_id IS NULL THEN RETURN NULL; END IF;\n\
             \x20 public := {text};\n\
             \x20 found := {lookup};\n\
             {added}\
             \x20 RETURN found;\n"
        );
        let function = self.function("old_id")?;
        // A collation isn't part of a parameter's type.
        let work = self.ids.work;
        let parameter = ColumnType::parse(work.backend, work.to.sql_type());
        let head = format!("{function}(new_id {})", parameter.bare());
        Ok(definer(&head, &function, "text", &body))
    }
}

/// Whether the server does not find a table, a sequence or a function.
fn is_unknown_name(error: &Error) -> bool {
    matches!(error.sql_state().as_deref(), Some("42P01" | "42883"))
}

/// A transaction in which names are found as in the functions.
fn without_schemas() -> [String; 2] {
    ["BEGIN", "SET LOCAL search_path = pg_catalog, pg_temp"].map(str::to_owned)
}

/// The statements for a function that writes to the map for programs, and that only the triggers
/// call.
fn definer(head: &str, function: &str, result: &str, body: &str) -> Vec<String> {
    let result = result.split(" COLLATE").next().unwrap_or(result);
    let body = format!("DECLARE\n  found text;\n  public text;\nBEGIN\n{body}END\n");
    let quote = quote_for(&body);
    vec![
        format!(
            "CREATE OR REPLACE FUNCTION {head} RETURNS {result} LANGUAGE plpgsql SECURITY DEFINER \
             {} AS {quote}\n{body}{quote}",
            session::of_function(true)
        ),
        format!("REVOKE ALL ON FUNCTION {function} FROM PUBLIC"),
    ]
}

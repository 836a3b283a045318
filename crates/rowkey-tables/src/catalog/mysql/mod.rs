//! The catalogue of MySQL and MariaDB, from `information_schema`.

use rowkey_core::Backend;
use rowkey_core::storage::quote_identifier;
mod dependents;
mod expressions;
pub mod grants;
mod scope;

use self::scope::{Scope, Tables};
use super::{
    Catalog, Column, ForeignKey, Generated, Index, IndexTerm, Key, KeyDefinition, QualifiedName,
    ReferenceAttributes, ReferentialAction, Table, TableOptions,
};
use crate::connection::Connection;
use crate::error::Error;
use crate::text_literal::text_literal;
use crate::types::{ColumnType, Type};

/// Reads the tables of the connection's database, and those of others that they refer to or that
/// refer to them.
pub(super) async fn read(connection: &mut Connection) -> Result<Catalog, Error> {
    let scope = Scope::read(connection).await?;
    let mut unseen = grants::Grants::read(connection).await?.unseen();
    let mut tables = tables(connection, &scope, &mut unseen).await?;
    columns(connection, &scope, &mut tables, &mut unseen).await?;
    indexes(connection, &scope, &mut tables).await?;
    foreign_keys(connection, &scope, &mut tables, &mut unseen).await?;
    unseen.extend(dependents::read(connection, &scope, &mut tables).await?);
    for table in tables.values_mut() {
        match connection.backend() {
            Backend::MySql => expressions::correct(table),
            _ => unseen.extend(expressions::restore(connection, table).await?),
        }
    }
    Ok(Catalog {
        backend: connection.backend(),
        tables: tables.into_values().collect(),
        unseen,
    })
}

async fn tables(
    connection: &mut Connection,
    scope: &Scope,
    unseen: &mut Vec<String>,
) -> Result<Tables, Error> {
    let query = format!(
        "SELECT table_schema, table_name, engine, table_rows, table_type = 'SYSTEM VERSIONED' \
         FROM information_schema.tables WHERE table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') \
         AND table_schema IN ({})",
        scope.schemas()
    );
    let mut tables = Tables::new();
    for row in scope.rows(connection, "the tables", &query).await? {
        let name = scope.name(&row, 0, 1)?;
        if name.schema.is_some() && !scope.related.contains(&name) {
            continue;
        }
        if row.is(4)? {
            unseen.push(format!(
                "the earlier versions of the rows of {name}: the table is system-versioned"
            ));
        }
        let engine = row.optional_text(2)?.map(str::to_owned);
        let table = Table {
            options: engine.map_or(TableOptions::Plain, TableOptions::Engine),
            estimated_rows: row.estimate(3)?,
            ..Table::new(name.clone())
        };
        tables.insert(name, table);
    }
    Ok(tables)
}

async fn columns(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
    unseen: &mut Vec<String>,
) -> Result<(), Error> {
    let is_mariadb = connection.backend() == rowkey_core::Backend::MariaDb;
    let query = format!(
        "SELECT table_schema, table_name, column_name, column_type, is_nullable = 'YES', \
         column_default, extra, collation_name, column_comment, \
         FIND_IN_SET('select', privileges) > 0 \
         FROM information_schema.columns WHERE table_schema IN ({}) \
         ORDER BY table_schema, table_name, ordinal_position",
        scope.schemas()
    );
    for row in scope.rows(connection, "the columns", &query).await? {
        let Some(table) = tables.get_mut(&scope.name(&row, 0, 1)?) else {
            continue;
        };
        let sql_type = row.text(3)?.to_owned();
        let extra = row.text(6)?;
        let default = row.optional_text(5)?;
        if !row.is(9)? {
            let (table, column) = (&table.name, row.text(2)?);
            unseen.push(format!(
                "the values of {table}.{column}: the account has no SELECT on the column"
            ));
        }
        table.columns.push(Column {
            name: row.text(2)?.to_owned(),
            default: match is_mariadb {
                // It writes the default of a column that has none as NULL.
                true => default.filter(|sql| *sql != "NULL").map(Into::into),
                false => default.map(|value| default_sql(value, &sql_type, extra)),
            },
            sql_type,
            is_nullable: row.is(4)?,
            generated: generated(extra),
            collation: row.optional_text(7)?.map(Into::into),
            comment: row
                .optional_text(8)?
                .filter(|text| !text.is_empty())
                .map(Into::into),
            complete_default: None,
            enum_words: Vec::new(),
            layout: None,
        });
    }
    for table in tables.values_mut() {
        complete_defaults(connection, table).await?;
    }
    Ok(())
}

/// Reads defaults, where the account can read the table: catalogues show those of bytes up to the
/// first zero, or without what is no text, and have question marks for characters of four bytes.
async fn complete_defaults(connection: &mut Connection, table: &mut Table) -> Result<(), Error> {
    let is_of_bytes = |column: &Column| {
        let own = column.column_type(Backend::MySql).meaning();
        matches!(own, Some(Type::Bytes(_) | Type::FixedBytes(_)))
    };
    let is_incomplete = |column: &&mut Column| {
        let shown = column.default.as_deref();
        let shown = shown.filter(|sql| sql.starts_with('\''));
        shown.is_some_and(|sql| is_of_bytes(column) || sql.contains('?'))
    };
    let rows = table.name.quoted(Backend::MySql)?;
    let mut columns: Vec<&mut Column> = table.columns.iter_mut().filter(is_incomplete).collect();
    if columns.is_empty() {
        return Ok(());
    }
    let values = columns.iter().map(|column| {
        let name = quote_identifier(Backend::MySql, &column.name)?;
        Ok(match is_of_bytes(column) {
            true => format!("HEX(DEFAULT({name}))"),
            false => format!("CONVERT(DEFAULT({name}) USING utf8mb4)"),
        })
    });
    let values: Vec<String> = values.collect::<Result<_, Error>>()?;
    let values = values.join(", ");
    let doing = format!("the defaults of {}", table.name);
    for from in [
        format!("{rows} LIMIT 1"),
        // Without a row, those of columns that may be NULL.
        format!("(SELECT 1) AS one LEFT JOIN {rows} ON FALSE"),
    ] {
        let query = format!("SELECT {values} FROM {from}");
        let found = match connection.query(&doing, &query, &[]).await {
            // It may not be read, or cannot be opened.
            Err(error) if error.sql_state().is_some() => return Ok(()),
            found => found?,
        };
        let Some(row) = found.first() else { continue };
        for (place, column) in columns.iter_mut().enumerate() {
            let value = row.optional_text(place)?;
            column.complete_default = value.map(|value| match is_of_bytes(column) {
                true => format!("X'{value}'"),
                false => text_literal(Backend::MySql, value),
            });
        }
        break;
    }
    Ok(())
}

/// How the database counts or computes a column, from `EXTRA`.
fn generated(extra: &str) -> Generated {
    let extra = extra.to_ascii_lowercase();
    if extra.contains("auto_increment") {
        return Generated::AutoIncrement;
    }
    if extra.contains("on update") {
        return Generated::OnUpdate;
    }
    // `DEFAULT_GENERATED` is MySQL's word for an expression as default.
    let computes = |word| matches!(word, "virtual" | "stored" | "persistent");
    match extra.split_whitespace().any(computes) {
        true => Generated::Computed,
        false => Generated::No,
    }
}

/// MySQL shows the value of a default, not its SQL, except for expressions and bits.
fn default_sql(value: &str, sql_type: &str, extra: &str) -> String {
    let column_type = ColumnType::parse(Backend::MySql, sql_type);
    let is_time = matches!(column_type.name(), "datetime" | "timestamp");
    if extra.contains("DEFAULT_GENERATED") || is_time && value.starts_with("CURRENT_TIMESTAMP") {
        return match value.starts_with("CURRENT_TIMESTAMP") {
            true => value.into(),
            false => format!("({value})"),
        };
    }
    match column_type.name() == "bit" {
        true => value.into(),
        false => text_literal(Backend::MySql, value),
    }
}

/// A part of an index.
struct Part {
    /// Nothing for an expression.
    column: Option<String>,
    expression: Option<String>,
    /// How many characters or bytes of the column it contains, if not all.
    prefix: Option<i64>,
    is_descending: bool,
}

/// An index whose parts are still being read.
struct IndexRows {
    table: QualifiedName,
    name: String,
    is_unique: bool,
    kind: String,
    parts: Vec<Part>,
}

async fn indexes(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
) -> Result<(), Error> {
    let has_expressions = dependents::has(connection, "STATISTICS", "EXPRESSION").await?;
    let expression = if has_expressions {
        "expression"
    } else {
        "NULL"
    };
    let query = format!(
        "SELECT table_schema, table_name, index_name, non_unique = 0, index_type, column_name, \
         sub_part, COALESCE(collation = 'D', 0), {expression} \
         FROM information_schema.statistics WHERE table_schema IN ({}) \
         ORDER BY table_schema, table_name, index_name, seq_in_index",
        scope.schemas()
    );
    let mut found: Vec<IndexRows> = Vec::new();
    for row in scope.rows(connection, "the indexes", &query).await? {
        let (table, name) = (scope.name(&row, 0, 1)?, row.text(2)?);
        let expression = row.optional_text(8)?;
        let part = Part {
            column: row.optional_text(5)?.map(Into::into),
            expression: expression.map(|sql| expressions::corrected(sql).unwrap_or(sql.into())),
            prefix: row.optional_integer(6)?,
            is_descending: row.is(7)?,
        };
        match found.last_mut() {
            Some(last) if last.table == table && last.name == name => last.parts.push(part),
            _ => found.push(IndexRows {
                table,
                name: name.into(),
                is_unique: row.is(3)?,
                kind: row.text(4)?.into(),
                parts: vec![part],
            }),
        }
    }
    for index in found {
        if let Some(table) = tables.get_mut(&index.table) {
            index.add_to(table);
        }
    }
    Ok(())
}

impl IndexRows {
    /// A unique index of whole columns is a key: both are the same in these databases.
    fn add_to(self, table: &mut Table) {
        let is_plain = self.parts.iter().all(|part| {
            let is_spatial = self.kind == "SPATIAL";
            part.column.is_some() && (part.prefix.is_none() || is_spatial)
        }) && matches!(self.kind.as_str(), "BTREE" | "HASH");
        let [definition, complete_definition] = [false, true].map(|all| self.definition(all));
        let terms = self.terms();
        let columns = self.parts.into_iter().filter_map(|part| part.column);
        let columns = columns.collect();
        if self.is_unique && is_plain {
            table.keys.push(Key {
                is_primary: self.name == "PRIMARY",
                name: self.name,
                columns,
                definition: KeyDefinition::Columns,
            });
        } else {
            table.indexes.push(Index {
                name: self.name,
                columns,
                is_unique: self.is_unique,
                is_plain,
                definition,
                complete_definition: Some(complete_definition),
                terms,
            });
        }
    }

    /// The columns; nothing if a part is an expression.
    fn terms(&self) -> Vec<IndexTerm> {
        // The part of a column that a spatial index has is not one that people can write.
        let has_prefixes = self.kind != "SPATIAL";
        // The catalogue does not say by which distance it is.
        if self.kind == "VECTOR" {
            return Vec::new();
        }
        let terms = self.parts.iter().map(|part| {
            Some(IndexTerm {
                column: part.column.clone()?,
                prefix: part.prefix.filter(|_| has_prefixes),
                is_descending: part.is_descending,
            })
        });
        terms.collect::<Option<_>>().unwrap_or_default()
    }

    /// As in `SHOW CREATE TABLE`, for people to read; but only names within expressions have quotes.
    /// Hashes of plans count what has no orders and expressions.
    fn definition(&self, is_complete: bool) -> String {
        let kind = match (self.kind.as_str(), self.is_unique) {
            (kind @ ("FULLTEXT" | "SPATIAL" | "VECTOR"), _) => format!("{kind} "),
            (_, true) => "UNIQUE ".into(),
            _ => String::new(),
        };
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| {
                let prefix = part.prefix.map(|length| format!("({length})"));
                let what = match (&part.column, &part.expression) {
                    (Some(column), _) => format!("{column}{}", prefix.unwrap_or_default()),
                    (None, Some(expression)) if is_complete => format!("({expression})"),
                    (None, _) => "an expression".into(),
                };
                let order = match is_complete && part.is_descending {
                    true => " DESC",
                    false => "",
                };
                format!("{what}{order}")
            })
            .collect();
        format!("{kind}KEY {} ({})", self.name, parts.join(", "))
    }
}

async fn foreign_keys(
    connection: &mut Connection,
    scope: &Scope,
    tables: &mut Tables,
    unseen: &mut Vec<String>,
) -> Result<(), Error> {
    // Accounts that may only SELECT from a table see its foreign keys, but not their rules.
    let query = format!(
        "SELECT k.table_schema, k.table_name, k.constraint_name, k.column_name, \
         k.referenced_table_schema, k.referenced_table_name, k.referenced_column_name, \
         r.update_rule, r.delete_rule \
         FROM information_schema.key_column_usage k \
         LEFT JOIN information_schema.referential_constraints r \
         ON r.constraint_schema = k.constraint_schema AND r.table_name = k.table_name \
         AND r.constraint_name = k.constraint_name \
         WHERE k.table_schema IN ({}) AND k.referenced_table_name IS NOT NULL \
         ORDER BY k.table_schema, k.table_name, k.constraint_name, k.ordinal_position",
        scope.schemas()
    );
    for row in scope.rows(connection, "the foreign keys", &query).await? {
        let target = scope.name(&row, 4, 5)?;
        let is_visible = tables.contains_key(&target);
        let Some(table) = tables.get_mut(&scope.name(&row, 0, 1)?) else {
            continue;
        };
        let name = row.text(2)?;
        if table
            .foreign_keys
            .last()
            .is_none_or(|last| last.name != name)
        {
            if !is_visible {
                unseen.push(format!(
                    "the table {target}, to which the foreign key {name} of {} refers: it does not \
                     exist, or the account may not see it",
                    table.name
                ));
            }
            if row.optional_text(7)?.is_none() {
                unseen.push(format!(
                    "what the foreign key {name} of {} does when a row or its key goes: that needs \
                     more privileges on the table than SELECT",
                    table.name
                ));
            }
            table.foreign_keys.push(ForeignKey {
                name: name.into(),
                columns: Vec::new(),
                target,
                target_columns: Vec::new(),
                on_update: ReferentialAction::of_words(row.optional_text(7)?.unwrap_or_default())?,
                on_delete: ReferentialAction::of_words(row.optional_text(8)?.unwrap_or_default())?,
                attributes: ReferenceAttributes::default(),
            });
        }
        if let Some(key) = table.foreign_keys.last_mut() {
            key.columns.push(row.text(3)?.into());
            key.target_columns.push(row.text(6)?.into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_of_mysql_are_written_as_sql() {
        for (value, sql_type, extra, sql) in [
            ("a'b\\", "varchar(9)", "", r"'a''b\\'"),
            ("3", "int(11)", "", "'3'"),
            ("b'1'", "bit(1)", "", "b'1'"),
            (
                "CURRENT_TIMESTAMP(6)",
                "datetime(6)",
                "",
                "CURRENT_TIMESTAMP(6)",
            ),
            (
                "CURRENT_TIMESTAMP",
                "varchar(20)",
                "",
                "'CURRENT_TIMESTAMP'",
            ),
            ("uuid()", "char(36)", "DEFAULT_GENERATED", "(uuid())"),
        ] {
            assert_eq!(default_sql(value, sql_type, extra), sql, "{value}");
        }
    }

    #[test]
    fn computed_columns_are_told_from_defaults() {
        for (extra, expected) in [
            ("", Generated::No),
            ("auto_increment", Generated::AutoIncrement),
            ("on update CURRENT_TIMESTAMP", Generated::OnUpdate),
            ("DEFAULT_GENERATED", Generated::No),
            ("STORED GENERATED", Generated::Computed),
            ("PERSISTENT", Generated::Computed),
        ] {
            assert_eq!(generated(extra), expected, "{extra}");
        }
    }
}

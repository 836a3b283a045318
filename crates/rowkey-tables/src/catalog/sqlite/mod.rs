//! The catalogue of SQLite: its pragmas as tables, and the statements that it keeps.

mod dependents;
mod statement;
mod tokens;

use std::collections::BTreeMap;

pub use self::statement::{CollatedKey, checks, collated_keys, collation, is_strict, loses_rows};
pub use self::tokens::{Token, end_of_group, parts, tokens};
use super::{
    Catalog, Column, ForeignKey, Generated, Index, Key, KeyDefinition, QualifiedName,
    ReferenceAttributes, ReferentialAction, Table, TableOptions,
};
use crate::connection::{Connection, Row, Value};
use crate::error::Error;

/// Reads the tables of the file. SQLite compares names without the case of their letters; here, all
/// have the letters of the table's own definition.
pub(super) async fn read(connection: &mut Connection) -> Result<Catalog, Error> {
    let mut catalog = Catalog {
        backend: connection.backend(),
        tables: Vec::new(),
        unseen: Vec::new(),
    };
    let query = "SELECT l.name, l.type, l.wr, s.sql FROM pragma_table_list AS l \
                 JOIN sqlite_master AS s ON s.name = l.name AND s.type = 'table' \
                 WHERE l.schema = 'main' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                 ORDER BY l.name";
    for row in connection.query("the tables", query, &[]).await? {
        let name = row.text(0)?;
        match row.text(1)? {
            "table" => catalog.tables.push(table(connection, &row).await?),
            // The tables of a virtual table's module.
            "shadow" => {}
            kind => catalog.unseen.push(format!(
                "{name} is a {kind} table: what it contains is up to its module"
            )),
        }
    }
    estimate_rows(connection, &mut catalog.tables).await?;
    name_as_defined(&mut catalog.tables);
    dependents::read(connection, &mut catalog.tables).await?;
    Ok(catalog)
}

async fn table(connection: &mut Connection, row: &Row) -> Result<Table, Error> {
    let (name, has_rowid, sql) = (row.text(0)?, !row.is(2)?, row.text(3)?);
    let counts = tokens(sql)?
        .iter()
        .any(|token| token.is_keyword("AUTOINCREMENT"));
    let (mut columns, primary) = columns(connection, name).await?;
    let (mut keys, indexes) = keys_and_indexes(connection, name).await?;
    if !primary.is_empty() && !keys.iter().any(|key| key.is_primary) {
        // It has no index of its own: it is the rowid.
        if let Some(column) = columns.iter_mut().find(|column| column.name == primary[0]) {
            column.is_nullable = false;
            if has_rowid && counts {
                column.generated = Generated::AutoIncrement;
            }
        }
        keys.insert(
            0,
            Key {
                name: String::new(),
                columns: primary,
                is_primary: true,
                definition: KeyDefinition::Columns,
            },
        );
    }
    Ok(Table {
        columns,
        keys,
        indexes,
        foreign_keys: foreign_keys(connection, name).await?,
        options: TableOptions::Statement(sql.to_owned()),
        ..Table::new(plain(name))
    })
}

/// A name without a schema, whatever characters it has.
fn plain(name: &str) -> QualifiedName {
    QualifiedName {
        schema: None,
        name: name.to_owned(),
    }
}

/// The columns, and the names of those in the primary key, in its order.
async fn columns(
    connection: &mut Connection,
    table: &str,
) -> Result<(Vec<Column>, Vec<String>), Error> {
    let query = "SELECT name, type, `notnull`, dflt_value, pk, hidden \
                 FROM pragma_table_xinfo(?, 'main') ORDER BY cid";
    let rows = connection
        .query("the columns", query, &[Value::from(table)])
        .await?;
    let mut columns = Vec::new();
    let mut primary = BTreeMap::new();
    for row in rows {
        let name = row.text(0)?.to_owned();
        let position = row.integer(4)?;
        if position > 0 {
            primary.insert(position, name.clone());
        }
        columns.push(Column {
            name,
            sql_type: row.text(1)?.into(),
            is_nullable: !row.is(2)?,
            default: row.optional_text(3)?.map(Into::into),
            generated: match row.integer(5)? {
                2 | 3 => Generated::Computed,
                _ => Generated::No,
            },
            collation: None,
            comment: None,
            complete_default: None,
            enum_words: Vec::new(),
            layout: None,
        });
    }
    Ok((columns, primary.into_values().collect()))
}

async fn keys_and_indexes(
    connection: &mut Connection,
    table: &str,
) -> Result<(Vec<Key>, Vec<Index>), Error> {
    let query = "SELECT i.name, i.`unique`, i.origin, i.partial, s.sql \
                 FROM pragma_index_list(?, 'main') AS i \
                 LEFT JOIN sqlite_master AS s ON s.type = 'index' AND s.name = i.name \
                 ORDER BY i.origin = 'c', i.origin = 'u', i.seq DESC";
    let rows = connection
        .query("the indexes", query, &[Value::from(table)])
        .await?;
    let (mut keys, mut indexes) = (Vec::new(), Vec::new());
    for row in rows {
        let name = row.text(0)?.to_owned();
        let (columns, has_only_columns) = index_columns(connection, &name).await?;
        match row.text(2)? {
            "c" => indexes.push(Index {
                name,
                columns,
                is_unique: row.is(1)?,
                is_plain: has_only_columns && !row.is(3)?,
                definition: row.text(4)?.into(),
                complete_definition: None,
                terms: Vec::new(),
            }),
            origin => keys.push(Key {
                name,
                columns,
                is_primary: origin == "pk",
                definition: KeyDefinition::Columns,
            }),
        }
    }
    Ok((keys, indexes))
}

/// The plain columns of an index, and whether it has no others, in the usual order and collation.
async fn index_columns(
    connection: &mut Connection,
    index: &str,
) -> Result<(Vec<String>, bool), Error> {
    let query = "SELECT name, cid, `desc`, coll FROM pragma_index_xinfo(?, 'main') \
                 WHERE key ORDER BY seqno";
    let rows = connection
        .query("the columns of an index", query, &[Value::from(index)])
        .await?;
    let (mut columns, mut is_plain) = (Vec::new(), true);
    for row in rows {
        is_plain &= !row.is(2)? && row.text(3)?.eq_ignore_ascii_case("BINARY");
        match row.optional_text(0)? {
            Some(name) => columns.push(name.to_owned()),
            None => is_plain = false,
        }
    }
    Ok((columns, is_plain))
}

/// The references. One without columns of the other table refers to its primary key, which is
/// filled in later.
async fn foreign_keys(connection: &mut Connection, table: &str) -> Result<Vec<ForeignKey>, Error> {
    let query = "SELECT id, `table`, `from`, `to`, on_update, on_delete \
                 FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq";
    let rows = connection
        .query("the references", query, &[Value::from(table)])
        .await?;
    let mut keys: BTreeMap<i64, ForeignKey> = BTreeMap::new();
    for row in rows {
        let target = row.text(1)?;
        let key = ForeignKey {
            name: String::new(),
            columns: Vec::new(),
            target: plain(target),
            target_columns: Vec::new(),
            on_update: ReferentialAction::of_words(row.text(4)?)?,
            on_delete: ReferentialAction::of_words(row.text(5)?)?,
            attributes: ReferenceAttributes::default(),
        };
        let key = keys.entry(row.integer(0)?).or_insert(key);
        key.columns.push(row.text(2)?.into());
        key.target_columns
            .extend(row.optional_text(3)?.map(String::from));
    }
    Ok(keys.into_values().collect())
}

/// How many rows there are, if ANALYZE has ever counted them.
async fn estimate_rows(connection: &mut Connection, tables: &mut [Table]) -> Result<(), Error> {
    let doing = "the statistics";
    let exists = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'";
    if !connection.is(doing, exists, &[]).await? {
        return Ok(());
    }
    // The first number of `stat` is that of the rows.
    let query = "SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl";
    for row in connection.query(doing, query, &[]).await? {
        let name = row.text(0)?;
        if let Some(table) = tables.iter_mut().find(|table| table.name.name == name) {
            table.estimated_rows = row.estimate(1)?;
        }
    }
    Ok(())
}

/// Gives references the names of tables and columns as they are defined, and their columns if they
/// refer to a primary key.
fn name_as_defined(tables: &mut [Table]) {
    let known: Vec<(QualifiedName, Vec<String>, Vec<String>)> = tables
        .iter()
        .map(|table| {
            let columns = table.columns.iter().map(|column| column.name.clone());
            let primary = table.primary_key().map(|key| key.columns.clone());
            let name = table.name.clone();
            (name, columns.collect(), primary.unwrap_or_default())
        })
        .collect();
    for key in tables.iter_mut().flat_map(|table| &mut table.foreign_keys) {
        let target = known
            .iter()
            .find(|(name, ..)| name.name.eq_ignore_ascii_case(&key.target.name));
        let Some((name, columns, primary)) = target else {
            continue;
        };
        key.target = name.clone();
        if key.target_columns.is_empty() {
            key.target_columns.clone_from(primary);
        }
        for referred in &mut key.target_columns {
            let defined = columns
                .iter()
                .find(|column| column.eq_ignore_ascii_case(referred));
            if let Some(defined) = defined {
                referred.clone_from(defined);
            }
        }
    }
}

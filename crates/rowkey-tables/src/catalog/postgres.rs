//! The catalogue of PostgreSQL.

mod dependents;
mod layouts;
mod privileges;
mod row_types;
mod rows;

use rowkey_core::Backend;

pub use self::row_types::postgres_row_types;
use self::rows::{Numbered, names};
use super::{
    Catalog, Column, ForeignKey, Generated, Index, Key, KeyDefinition, QualifiedName,
    ReferenceAttributes, ReferentialAction, Table,
};
use crate::connection::{Connection, Row, Value};
use crate::error::Error;
use crate::types::layout::Layout;

/// The tables of the current schema, and whatever refers to them or is referred to. The name of a
/// table in the current schema has no schema.
const TABLES: &str = "
WITH RECURSIVE reached (oid) AS (
  SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')
  UNION
  SELECT CASE k.conrelid WHEN r.oid THEN k.confrelid ELSE k.conrelid END
  FROM reached r JOIN pg_constraint k ON k.contype = 'f' AND r.oid IN (k.conrelid, k.confrelid)
)
SELECT c.oid::bigint, NULLIF(n.nspname, current_schema())::text, c.relname::text,
  CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END
FROM reached r JOIN pg_class c ON c.oid = r.oid JOIN pg_namespace n ON n.oid = c.relnamespace
ORDER BY 2 NULLS FIRST, 3";

/// A column of a domain has the domain's base type, its NOT NULL and, without one of its own, its
/// default; the domain itself is among the table's dependents.
///
/// From PostgreSQL 18 on, a NOT NULL may be NOT VALID. Such a column counts as nullable.
const COLUMNS: &str = "
WITH RECURSIVE typed (attrelid, attnum, type, modifier, is_required, default_sql) AS (
  SELECT a.attrelid, a.attnum, a.atttypid, a.atttypmod,
    a.attnotnull AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid
      AND k.contype = 'n' AND a.attnum = ANY (k.conkey) AND NOT k.convalidated),
    pg_get_expr(d.adbin, d.adrelid)
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = ANY ($1::text::oid[]) AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT c.attrelid, c.attnum, t.typbasetype, t.typtypmod, c.is_required OR t.typnotnull,
    COALESCE(c.default_sql, t.typdefault)
  FROM typed c JOIN pg_type t ON t.oid = c.type AND t.typtype = 'd'
)
SELECT c.attrelid::bigint, a.attname::text, format_type(c.type, c.modifier), NOT c.is_required, c.default_sql,
  CASE WHEN a.attidentity <> '' THEN 'identity' WHEN a.attgenerated <> '' THEN 'generated'
    ELSE '' END,
  l.collname::text, col_description(a.attrelid, a.attnum),
  COALESCE((SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder)::text FROM pg_enum e
    WHERE e.enumtypid = c.type), '[]'), c.type::bigint
FROM typed c JOIN pg_type t ON t.oid = c.type AND t.typtype <> 'd'
JOIN pg_attribute a ON a.attrelid = c.attrelid AND a.attnum = c.attnum
LEFT JOIN pg_collation l ON l.oid = a.attcollation
ORDER BY a.attrelid, a.attnum";

const KEYS: &str = "
SELECT k.conrelid::bigint, k.conname::text, names.list, k.contype = 'p', pg_get_constraintdef(k.oid)
FROM pg_constraint k
CROSS JOIN LATERAL (
  SELECT json_agg(a.attname ORDER BY part.place)::text AS list
  FROM unnest(k.conkey) WITH ORDINALITY AS part (number, place)
  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = part.number
) AS names
WHERE k.conrelid = ANY ($1::text::oid[]) AND k.contype IN ('p', 'u')
ORDER BY k.conrelid, k.contype, k.conname";

/// An index is plain if its definition says nothing beyond names. Those of constraints are left
/// out.
const INDEXES: &str = "
SELECT i.indrelid::bigint, c.relname::text, COALESCE(names.list, '[]'), i.indisunique,
  i.indexprs IS NULL AND i.indpred IS NULL AND i.indnkeyatts = i.indnatts
    AND right(pg_get_indexdef(i.indexrelid), length(names.plain) + 15)
      = ' USING btree (' || names.plain || ')',
  pg_get_indexdef(i.indexrelid)
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
CROSS JOIN LATERAL (
  SELECT json_agg(a.attname ORDER BY part.place)::text AS list,
    string_agg(quote_ident(a.attname), ', ' ORDER BY part.place) AS plain
  FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS part (number, place)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = part.number
) AS names
WHERE i.indrelid = ANY ($1::text::oid[])
  AND NOT EXISTS (SELECT FROM pg_constraint k
    WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
ORDER BY i.indrelid, c.relname";

const FOREIGN_KEYS: &str = "
SELECT k.conrelid::bigint, k.conname::text, names.list, k.confrelid::bigint, names.targets,
  actions.words[strpos('arcnd', k.confupdtype::text)],
  actions.words[strpos('arcnd', k.confdeltype::text)],
  concat_ws(' ', CASE k.confmatchtype WHEN 'f' THEN 'MATCH FULL' END,
    substring(pg_get_constraintdef(k.oid) FROM ' ON DELETE SET (?:NULL|DEFAULT) (\\(.*?\\))'),
    CASE WHEN k.condeferrable THEN 'DEFERRABLE' END,
    CASE WHEN k.condeferred THEN 'INITIALLY DEFERRED' END,
    CASE WHEN pg_get_constraintdef(k.oid) LIKE '%, PERIOD %' THEN 'PERIOD' END,
    CASE WHEN pg_get_constraintdef(k.oid) LIKE '% NOT ENFORCED' THEN 'NOT ENFORCED'
      WHEN NOT k.convalidated THEN 'NOT VALID' END)
FROM pg_constraint k
CROSS JOIN LATERAL (
  SELECT json_agg(a.attname ORDER BY part.place)::text AS list,
    json_agg(b.attname ORDER BY part.place)::text AS targets
  FROM unnest(k.conkey, k.confkey) WITH ORDINALITY AS part (here, there, place)
  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = part.here
  JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = part.there
) AS names
CROSS JOIN (SELECT ARRAY['NO ACTION', 'RESTRICT', 'CASCADE', 'SET NULL', 'SET DEFAULT'] AS words) AS actions
WHERE k.conrelid = ANY ($1::text::oid[]) AND k.contype = 'f' AND k.conparentid = 0
ORDER BY k.conrelid, k.conname";

/// Reads the tables.
pub(super) async fn read(connection: &mut Connection) -> Result<Catalog, Error> {
    let doing = "the tables of the catalogue";
    let mut tables = Numbered::new();
    let mut order = Vec::new();
    for row in connection.query(doing, TABLES, &[]).await? {
        let number = row.integer(0)?;
        order.push(number);
        tables.insert(number, table_of(&row)?);
    }
    let numbers: Vec<String> = order.iter().map(i64::to_string).collect();
    let numbers = Value::Text(format!("{{{}}}", numbers.join(",")));
    read_columns(connection, &numbers, &mut tables).await?;
    read_keys(connection, &numbers, &mut tables).await?;
    read_foreign_keys(connection, &numbers, &mut tables).await?;
    dependents::read(connection, &numbers, &mut tables).await?;
    let unseen = privileges::unseen(connection, &numbers, &tables).await?;
    let tables = order.iter().filter_map(|number| tables.remove(number));
    Ok(Catalog {
        backend: Backend::Postgres,
        tables: tables.collect(),
        unseen,
    })
}

/// What the values of a type consist of; nothing for one of PostgreSQL's own, or for an unknown one.
pub(super) async fn layout(
    connection: &mut Connection,
    type_name: &str,
) -> Result<Option<Layout>, Error> {
    let query = "SELECT to_regtype($1)::oid::bigint";
    let doing = format!("the type {type_name}");
    let row = connection
        .one_row(&doing, query, &[Value::from(type_name)])
        .await?;
    let number = row.optional_integer(0)?;
    let mut layouts = layouts::read(connection, number.into_iter()).await?;
    Ok(layouts.pop_first().map(|(_, layout)| layout))
}

fn table_of(row: &Row) -> Result<Table, Error> {
    let name = QualifiedName {
        schema: row.optional_text(1)?.map(str::to_owned),
        name: row.text(2)?.to_owned(),
    };
    Ok(Table {
        estimated_rows: row.estimate(3)?,
        ..Table::new(name)
    })
}

async fn read_columns(
    connection: &mut Connection,
    numbers: &Value,
    tables: &mut Numbered,
) -> Result<(), Error> {
    let doing = "the columns of the catalogue";
    let numbers = std::slice::from_ref(numbers);
    let rows = connection.query(doing, COLUMNS, numbers).await?;
    let types: Result<Vec<i64>, Error> = rows.iter().map(|row| row.integer(9)).collect();
    let layouts = layouts::read(connection, types?.into_iter()).await?;
    for row in rows {
        let column = Column {
            name: row.text(1)?.to_owned(),
            sql_type: row.text(2)?.to_owned(),
            is_nullable: row.is(3)?,
            default: row.optional_text(4)?.map(str::to_owned),
            generated: Generated::of_word(row.text(5)?)?,
            collation: row.optional_text(6)?.map(str::to_owned),
            comment: row.optional_text(7)?.map(str::to_owned),
            complete_default: None,
            enum_words: names(&row, 8)?,
            layout: layouts.get(&row.integer(9)?).cloned(),
        };
        if let Some(table) = tables.get_mut(&row.integer(0)?) {
            table.columns.push(column);
        }
    }
    Ok(())
}

async fn read_keys(
    connection: &mut Connection,
    numbers: &Value,
    tables: &mut Numbered,
) -> Result<(), Error> {
    let doing = "the keys and indexes of the catalogue";
    let numbers = std::slice::from_ref(numbers);
    for row in connection.query(doing, KEYS, numbers).await? {
        let key = Key {
            name: row.text(1)?.to_owned(),
            columns: names(&row, 2)?,
            is_primary: row.is(3)?,
            definition: KeyDefinition::Constraint(row.text(4)?.to_owned()),
        };
        if let Some(table) = tables.get_mut(&row.integer(0)?) {
            table.keys.push(key);
        }
    }
    for row in connection.query(doing, INDEXES, numbers).await? {
        let index = Index {
            name: row.text(1)?.to_owned(),
            columns: names(&row, 2)?,
            is_unique: row.is(3)?,
            is_plain: row.is(4)?,
            definition: row.text(5)?.to_owned(),
            complete_definition: None,
            terms: Vec::new(),
        };
        if let Some(table) = tables.get_mut(&row.integer(0)?) {
            table.indexes.push(index);
        }
    }
    Ok(())
}

async fn read_foreign_keys(
    connection: &mut Connection,
    numbers: &Value,
    tables: &mut Numbered,
) -> Result<(), Error> {
    let doing = "the foreign keys of the catalogue";
    let numbers = std::slice::from_ref(numbers);
    for row in connection.query(doing, FOREIGN_KEYS, numbers).await? {
        let name = row.text(1)?;
        let target = tables.get(&row.integer(3)?).ok_or_else(|| Error::Missing {
            what: format!("the table that {name} refers to"),
        })?;
        let key = ForeignKey {
            name: name.to_owned(),
            columns: names(&row, 2)?,
            target: target.name.clone(),
            target_columns: names(&row, 4)?,
            on_update: ReferentialAction::of_words(row.text(5)?)?,
            on_delete: ReferentialAction::of_words(row.text(6)?)?,
            attributes: ReferenceAttributes::of_words(row.text(7)?)?,
        };
        if let Some(table) = tables.get_mut(&row.integer(0)?) {
            table.foreign_keys.push(key);
        }
    }
    Ok(())
}

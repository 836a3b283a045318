//! The catalogue of SQL Server. It has not run on SQL Server itself.

mod dependents;
mod of_table;

use self::of_table::{name_of, of_table};
use super::declared::is_special;
use super::{
    Catalog, Column, ForeignKey, Generated, Index, Key, KeyDefinition, ReferenceAttributes,
    ReferentialAction, Table, TableOptions,
};
use crate::connection::{Connection, Row};
use crate::error::Error;

const TABLES: &str = of_table!(
    "(SELECT SUM(p.rows) FROM sys.partitions p WHERE p.object_id = t.object_id AND p.index_id < 2), \
     CASE WHEN t.temporal_type <> 0 THEN 'temporal' WHEN t.is_memory_optimized = 1 \
     THEN 'memory-optimised' WHEN t.is_filetable = 1 THEN 'a file table' WHEN t.is_external = 1 \
     THEN 'external' WHEN EXISTS (SELECT 1 FROM sys.fulltext_indexes f \
     WHERE f.object_id = t.object_id) THEN 'indexed for full text' ELSE '' END \
     FROM sys.tables t WHERE t.is_ms_shipped = 0 ORDER BY 1, 2"
);

const COLUMNS: &str = of_table!(
    "c.name, CASE WHEN ty.is_user_defined = 1 THEN SCHEMA_NAME(ty.schema_id) + '.' ELSE '' END \
     + ty.name + CASE \
     WHEN ty.name IN ('nchar', 'nvarchar') THEN '(' + CASE c.max_length WHEN -1 THEN 'max' \
     ELSE CONVERT(varchar(10), c.max_length / 2) END + ')' \
     WHEN ty.name IN ('char', 'varchar', 'binary', 'varbinary') THEN '(' + CASE c.max_length WHEN -1 \
     THEN 'max' ELSE CONVERT(varchar(10), c.max_length) END + ')' \
     WHEN ty.name IN ('decimal', 'numeric') THEN '(' + CONVERT(varchar(10), c.precision) + ',' \
     + CONVERT(varchar(10), c.scale) + ')' \
     WHEN ty.name IN ('datetime2', 'datetimeoffset', 'time') THEN '(' \
     + CONVERT(varchar(10), c.scale) + ')' ELSE '' END, \
     CONVERT(int, c.is_nullable), d.definition, \
     CASE WHEN c.is_identity = 1 THEN 'identity' WHEN c.is_computed = 1 THEN 'generated' \
     WHEN c.is_rowguidcol = 1 THEN 'rowguidcol' ELSE '' END, c.collation_name, \
     CONVERT(nvarchar(3750), e.value) \
     FROM sys.tables t JOIN sys.columns c ON c.object_id = t.object_id \
     JOIN sys.types ty ON ty.user_type_id = c.user_type_id \
     LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id \
     LEFT JOIN sys.extended_properties e ON e.class = 1 AND e.major_id = c.object_id \
     AND e.minor_id = c.column_id AND e.name = 'MS_Description' \
     WHERE t.is_ms_shipped = 0 ORDER BY 1, 2, c.column_id"
);

/// One row for each column of each index, those of keys included. `SPECIAL` is what is more than
/// plain columns in ascending order with the default options.
const INDEXES: &str = of_table!(
    "i.name, CONVERT(int, i.is_primary_key), CONVERT(int, i.is_unique_constraint), \
     CONVERT(int, i.is_unique), i.type_desc + CASE WHEN i.has_filter = 1 OR i.type > 2 \
     OR i.ignore_dup_key = 1 OR i.is_disabled = 1 OR i.is_hypothetical = 1 \
     OR EXISTS (SELECT 1 FROM sys.index_columns x WHERE x.object_id = i.object_id \
     AND x.index_id = i.index_id AND (x.is_included_column = 1 OR x.is_descending_key = 1)) \
     OR EXISTS (SELECT 1 FROM sys.partitions y WHERE y.object_id = i.object_id \
     AND y.index_id = i.index_id AND y.data_compression > 0) THEN ' SPECIAL' ELSE '' END, c.name \
     FROM sys.tables t JOIN sys.indexes i ON i.object_id = t.object_id \
     JOIN sys.index_columns ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id \
     JOIN sys.columns c ON c.object_id = ic.object_id AND c.column_id = ic.column_id \
     WHERE t.is_ms_shipped = 0 AND i.name IS NOT NULL \
     ORDER BY 1, 2, i.index_id, ic.is_included_column, ic.key_ordinal"
);

/// One row for each column of each foreign key.
const FOREIGN_KEYS: &str = of_table!(
    "f.name, CASE WHEN SCHEMA_NAME(r.schema_id) = SCHEMA_NAME() THEN NULL \
     ELSE SCHEMA_NAME(r.schema_id) END, r.name, \
     REPLACE(f.update_referential_action_desc, '_', ' '), \
     REPLACE(f.delete_referential_action_desc, '_', ' '), \
     CASE WHEN f.is_disabled = 1 THEN 'NOCHECK ' WHEN f.is_not_trusted = 1 THEN 'UNTRUSTED ' \
     ELSE '' END + CASE WHEN f.is_not_for_replication = 1 THEN 'UNREPLICATED' ELSE '' END, \
     c.name, rc.name \
     FROM sys.foreign_keys f JOIN sys.tables t ON t.object_id = f.parent_object_id \
     JOIN sys.tables r ON r.object_id = f.referenced_object_id \
     JOIN sys.foreign_key_columns fc ON fc.constraint_object_id = f.object_id \
     JOIN sys.columns c ON c.object_id = fc.parent_object_id AND c.column_id = fc.parent_column_id \
     JOIN sys.columns rc ON rc.object_id = fc.referenced_object_id \
     AND rc.column_id = fc.referenced_column_id \
     ORDER BY 1, 2, f.name, fc.constraint_column_id"
);

/// Reads the tables.
pub(super) async fn read(connection: &mut Connection) -> Result<Catalog, Error> {
    let doing = "the catalogue of the database";
    let mut catalog = Catalog {
        backend: connection.backend(),
        tables: Vec::new(),
        unseen: Vec::new(),
    };
    for row in connection.query(doing, TABLES, &[]).await? {
        catalog.tables.push(Table {
            options: match row.text(3)? {
                "" => TableOptions::Plain,
                special => TableOptions::Special(special.to_owned()),
            },
            estimated_rows: row.estimate(2)?,
            ..Table::new(name_of(&row, 0)?)
        });
    }
    type Add = fn(&mut Table, &Row) -> Result<(), Error>;
    let parts: [(&str, Add); 3] = [
        (COLUMNS, add_column),
        (INDEXES, add_index),
        (FOREIGN_KEYS, add_foreign_key),
    ];
    for (query, add) in parts {
        for row in connection.query(doing, query, &[]).await? {
            let name = name_of(&row, 0)?;
            if let Some(table) = catalog.tables.iter_mut().find(|table| table.name == name) {
                add(table, &row)?;
            }
        }
    }
    dependents::add(connection, &mut catalog).await?;
    unseen(connection, &mut catalog).await?;
    Ok(catalog)
}

/// The database leaves out, without a word, what the account has no permission for.
async fn unseen(connection: &mut Connection, catalog: &mut Catalog) -> Result<(), Error> {
    let query = "SELECT HAS_PERMS_BY_NAME(QUOTENAME(DB_NAME()), 'DATABASE', 'VIEW DEFINITION')";
    let doing = "the permissions of the account";
    if !connection.is(doing, query, &[]).await? {
        catalog.unseen.push(
            "tables, views and routines that the account has no permission on: grant it \
             VIEW DEFINITION on the database"
                .into(),
        );
    }
    Ok(())
}

fn add_column(table: &mut Table, row: &Row) -> Result<(), Error> {
    table.columns.push(Column {
        name: row.text(2)?.into(),
        sql_type: row.text(3)?.into(),
        is_nullable: row.is(4)?,
        default: row.optional_text(5)?.map(str::to_owned),
        generated: Generated::of_word(row.text(6)?)?,
        collation: row.optional_text(7)?.map(str::to_owned),
        comment: row.optional_text(8)?.map(str::to_owned),
        complete_default: None,
        enum_words: Vec::new(),
        layout: None,
    });
    Ok(())
}

fn add_index(table: &mut Table, row: &Row) -> Result<(), Error> {
    let (name, column) = (row.text(2)?, row.text(7)?.to_owned());
    let definition = row.text(6)?.to_owned();
    if row.is(3)? || row.is(4)? {
        match table.keys.last_mut().filter(|key| key.name == name) {
            Some(key) => key.columns.push(column),
            None => table.keys.push(Key {
                name: name.into(),
                columns: vec![column],
                is_primary: row.is(3)?,
                definition: KeyDefinition::Index(definition),
            }),
        }
        return Ok(());
    }
    match table.indexes.last_mut().filter(|index| index.name == name) {
        Some(index) => index.columns.push(column),
        None => table.indexes.push(Index {
            name: name.into(),
            columns: vec![column],
            is_unique: row.is(5)?,
            is_plain: !is_special(&definition),
            definition,
            complete_definition: None,
            terms: Vec::new(),
        }),
    }
    Ok(())
}

fn add_foreign_key(table: &mut Table, row: &Row) -> Result<(), Error> {
    let (column, target_column) = (row.text(8)?.to_owned(), row.text(9)?.to_owned());
    let name = row.text(2)?;
    match table.foreign_keys.last_mut().filter(|key| key.name == name) {
        Some(key) => {
            key.columns.push(column);
            key.target_columns.push(target_column);
        }
        None => table.foreign_keys.push(ForeignKey {
            name: name.into(),
            columns: vec![column],
            target: name_of(row, 3)?,
            target_columns: vec![target_column],
            on_update: ReferentialAction::of_words(row.text(5)?)?,
            on_delete: ReferentialAction::of_words(row.text(6)?)?,
            attributes: ReferenceAttributes::of_words(row.text(7)?)?,
        }),
    }
    Ok(())
}

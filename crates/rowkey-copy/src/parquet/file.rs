//! A file of a folder.

use std::fs::{self, File};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Type as PhysicalType};
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use rowkey_core::format::FormatKind;
use rowkey_tables::Error;
use rowkey_tables::catalog::QualifiedName;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::columns::{Column, public_form, type_of, type_of_ids};
use super::{arrays, cells, types};
use crate::batch::{Batch, Cell, RowSum};
use crate::rows::canonical::Canonical;

/// The name of the entry in a file's metadata.
const ENTRY: &str = "rowkey";
const EXTENSION: &str = "parquet";
/// After how many bytes or rows a group of rows ends. The writer keeps one in memory.
const GROUP_BYTES: usize = 32 << 20;
const GROUP_ROWS: usize = 1 << 17;
/// How many bytes and rows are read at once, roughly.
const READ_BYTES: i64 = 1 << 20;
const READ_ROWS: i64 = 1_000;
/// How many bytes, if the file does not say how large its values are.
const READ_MOST: i64 = 64 << 20;

/// What every version of the entry says.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// What a file says about the table that it was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The version of this entry: 1.
    pub(super) version: u32,
    /// The product of the database.
    pub(super) source: String,
    pub(super) table: QualifiedName,
    /// The table's place in the order of tables: it may refer to those before it.
    pub(super) place: usize,
    /// The columns of its primary key.
    pub(super) key: Vec<String>,
    pub(super) columns: Vec<OriginColumn>,
    pub(super) rows: u64,
    /// The sum of the hashes of the rows, in hexadecimal.
    pub(super) hash: String,
}

/// What it says about a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OriginColumn {
    pub(super) name: String,
    /// The type that it had.
    #[serde(rename = "type")]
    pub(super) sql_type: String,
    /// The format of its ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<String>,
}

/// Where the rows of a table are.
pub(super) fn path_of(folder: &Path, table: &QualifiedName) -> Result<PathBuf, Error> {
    let name = table.to_string();
    let is_strange = |character: char| character.is_control() || "/\\:*?\"<>|%".contains(character);
    if name.is_empty() || name.starts_with('.') || name.len() > 200 || name.contains(is_strange) {
        return Err(Error::refused(
            format!("the table {name}"),
            "its name is not one of a file everywhere",
            "give it another one with `becomes`",
        ));
    }
    Ok(folder.join(format!("{name}.{EXTENSION}")))
}

/// The tables of a folder, by their names.
pub(super) fn tables_of(folder: &Path) -> Result<Vec<(QualifiedName, PathBuf)>, Error> {
    let doing = format!("reading the folder {}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::database(&doing))? {
        let path = entry.map_err(Error::database(&doing))?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if let Some(stem) = stem
            && path.extension().is_some_and(|found| found == EXTENSION)
        {
            found.push((stem.into(), path));
        }
    }
    found.sort_by_key(|(name, _): &(QualifiedName, _)| name.to_string());
    match found.is_empty() {
        true => Err(Error::refused(
            format!("the folder {}", folder.display()),
            "it has no files that end in .parquet",
            "name the folder that a copy has written",
        )),
        false => Ok(found),
    }
}

/// Writes rows into a new file.
pub(super) struct Writer {
    writer: ArrowWriter<File>,
    table: QualifiedName,
    columns: Vec<Column>,
    schema: SchemaRef,
    canonical: Canonical,
    sum: RowSum,
}

impl Writer {
    pub(super) fn new(
        file: File,
        table: &QualifiedName,
        columns: Vec<Column>,
    ) -> Result<Self, Error> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES));
        let mut fields = Vec::new();
        for column in &columns {
            let field = column.field();
            fields.push(field.ok_or_else(|| Error::Missing {
                what: format!("Parquet's type of {table}.{}", column.name),
            })?);
            if column.ids.is_some() {
                // There are as many values as rows, or nearly.
                let path = ColumnPath::from(column.name.clone());
                properties = properties.set_column_dictionary_enabled(path, false);
            }
        }
        let schema = Arc::new(Schema::new(fields));
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties.build()));
        Ok(Self {
            writer: writer.map_err(Error::database(&writing(table)))?,
            table: table.clone(),
            columns,
            schema,
            canonical: Canonical::default(),
            sum: RowSum::default(),
        })
    }

    pub(super) fn write(&mut self, batch: &Batch) -> Result<(), Error> {
        let pairs = self.columns.iter().zip(self.schema.fields()).enumerate();
        let arrays = pairs.map(|(place, (column, field))| {
            let array = arrays::array(column, field.data_type(), batch, place);
            array.map_err(|why| wrong(&self.table, &column.name, &why))
        });
        let arrays: Vec<ArrayRef> = arrays.collect::<Result<_, Error>>()?;
        let doing = writing(&self.table);
        let rows = RecordBatch::try_new(Arc::clone(&self.schema), arrays);
        let rows = rows.map_err(Error::database(&doing))?;
        self.writer.write(&rows).map_err(Error::database(&doing))?;
        for row in batch.rows() {
            self.sum.add(self.canonical.hash(batch, row));
        }
        Ok(())
    }

    /// Ends the file, which says what it was made of.
    pub(super) fn finish(mut self, mut origin: Origin) -> Result<RowSum, Error> {
        let doing = writing(&self.table);
        origin.rows = self.sum.rows;
        origin.hash = self.sum.hash_text();
        let entry = serde_json::to_string(&origin).map_err(Error::database(&doing))?;
        self.writer
            .append_key_value_metadata(KeyValue::new(ENTRY.to_owned(), entry));
        let file = self.writer.into_inner().map_err(Error::database(&doing))?;
        file.sync_all().map_err(Error::database(&doing))?;
        Ok(self.sum)
    }
}

fn writing(table: &QualifiedName) -> String {
    format!("writing the file of {table}")
}

/// The error for a value that has no place.
fn wrong(table: &QualifiedName, column: &str, why: &str) -> Error {
    Error::refused(
        format!("{table}.{column}"),
        why,
        "change the value, or give the column another type in the plan, or leave it out",
    )
}

/// Reads the rows of a file.
pub(super) struct Reader {
    builder: ParquetRecordBatchReaderBuilder<File>,
    table: QualifiedName,
    path: PathBuf,
    pub(super) columns: Vec<Column>,
    pub(super) origin: Option<Origin>,
}

impl Reader {
    pub(super) fn open(table: &QualifiedName, path: &Path) -> Result<Self, Error> {
        let doing = format!("reading the file {}", path.display());
        let file = File::open(path).map_err(Error::database(&doing))?;
        // Without what Arrow adds, so that it does not matter which program has written the file.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let builder = undamaged(&doing, || {
            ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
        })?
        .map_err(Error::database(&doing))?;
        let origin = origin_of(builder.metadata()).map_err(|error| Error::Differs {
            what: doing.clone(),
            found: format!("its entry `{ENTRY}` is damaged: {error}"),
        })?;
        let mut columns = Vec::new();
        for field in builder.schema().fields() {
            let what = || format!("{table}.{}", field.name());
            let mut own = type_of(field).ok_or_else(|| {
                Error::refused(
                    what(),
                    format!("its type {} is none that rowkey reads", field.data_type()),
                    "write the file again without the column, or with another type",
                )
            })?;
            let ids = format_of(origin.as_ref(), field.name())?.map(public_form);
            if let Some(expected) = ids.and_then(type_of_ids) {
                if own != expected {
                    return Err(Error::refused(
                        what(),
                        "it is to contain ids, and has another type than these",
                        "write the file again with `rowkey copy`",
                    ));
                }
                own = expected;
            }
            columns.push(Column {
                name: field.name().clone(),
                own,
                ids,
                is_nullable: field.is_nullable(),
            });
        }
        Ok(Self {
            builder,
            table: table.clone(),
            path: path.to_owned(),
            columns,
            origin,
        })
    }

    /// Another one of the same columns, because reading ends this one.
    pub(super) fn again(&self) -> Result<Self, Error> {
        Ok(Self {
            columns: self.columns.clone(),
            ..Self::open(&self.table, &self.path)?
        })
    }

    pub(super) fn table(&self) -> &QualifiedName {
        &self.table
    }

    /// The type of a column, in words.
    pub(super) fn type_of(&self, column: &Column) -> Result<String, Error> {
        let words = types::write(column.own);
        words.map_err(|refusal| wrong(&self.table, &column.name, &refusal.why))
    }

    /// The hash of the names and types of its columns.
    pub(super) fn hash(&self) -> Result<String, Error> {
        let mut digest = Sha256::new();
        for column in &self.columns {
            let own = self.type_of(column)?;
            let format = column.ids.map_or("", |form| form.format().name());
            digest.update(format!("{}\0{own}\0{format}\0", column.name));
        }
        let digest = digest.finalize();
        Ok(hex::encode(digest))
    }

    /// How many rows it says that it has; none for what is no number of rows.
    pub(super) fn rows(&self) -> Option<u64> {
        let rows = self.builder.metadata().file_metadata().num_rows();
        rows.try_into().ok()
    }

    /// Gives away all rows, in batches, until nobody takes them, and returns what it has read. Rows
    /// are as the file says, if it says that.
    pub(super) fn each(
        self,
        mut take: impl FnMut(Batch) -> Result<(), Stopped>,
    ) -> Result<RowSum, Error> {
        let (table, columns) = (self.table, self.columns);
        let doing = format!("reading the file of {table}");
        let rows = rows_at_once(self.builder.metadata());
        let builder = self.builder.with_batch_size(rows);
        let mut reader: ParquetRecordBatchReader =
            undamaged(&doing, || builder.build())?.map_err(Error::database(&doing))?;
        let (mut canonical, mut sum) = (Canonical::default(), RowSum::default());
        while let Some(found) = undamaged(&doing, || reader.next())? {
            let found = found.map_err(Error::database(&doing))?;
            let mut batch = Batch::new(columns.len().max(1), found.num_rows().max(1));
            let pairs = columns.iter().zip(found.columns());
            let places: Result<Vec<Vec<Cell>>, Error> = pairs
                .map(|(column, array)| {
                    let read = cells::cells(column, array, &mut batch);
                    read.map_err(|why| wrong(&table, &column.name, &why))
                })
                .collect();
            let places = places?;
            for row in 0..found.num_rows() {
                places.iter().for_each(|cells| batch.push(cells[row]));
            }
            for row in batch.rows() {
                sum.add(canonical.hash(&batch, row));
            }
            if let Err(Stopped) = take(batch) {
                return Ok(sum);
            }
        }
        match self.origin {
            Some(origin) if origin.rows != sum.rows || origin.hash != sum.hash_text() => {
                Err(Error::refused(
                    format!("the file of {table}"),
                    format!(
                        "it was written with {} rows and the hash {}, and has {} and {}",
                        origin.rows,
                        origin.hash,
                        sum.rows,
                        sum.hash_text()
                    ),
                    format!(
                        "write it again; if it was changed on purpose, remove the entry `{ENTRY}` of its \
                         metadata, and name the formats of its ids in the plan"
                    ),
                ))
            }
            _ => Ok(sum),
        }
    }
}

/// Does something with a file. Its bytes can be any, and for some of them the reader of Parquet
/// panics.
fn undamaged<T>(doing: &str, work: impl FnOnce() -> T) -> Result<T, Error> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref().copied());
        Error::Differs {
            what: doing.to_owned(),
            found: format!("it is damaged: {}", text.unwrap_or("no reason is known")),
        }
    })
}

/// Nobody takes the rows any more.
pub(super) struct Stopped;

/// What rowkey has written into a file; nothing for a file of another program, or of a later
/// version.
fn origin_of(metadata: &ParquetMetaData) -> Result<Option<Origin>, serde_json::Error> {
    let entries = metadata.file_metadata().key_value_metadata();
    let mut entries = entries.into_iter().flatten();
    let entry = entries.find(|entry| entry.key == ENTRY);
    entry.map_or(Ok(None), |entry| {
        origin_in(entry.value.as_deref().unwrap_or_default())
    })
}

/// What an entry says. Without it, the hash of the rows would not be compared.
fn origin_in(entry: &str) -> Result<Option<Origin>, serde_json::Error> {
    let found: Versioned = serde_json::from_str(entry)?;
    match found.version {
        1 => serde_json::from_str(entry).map(Some),
        _ => Ok(None),
    }
}

fn format_of(origin: Option<&Origin>, column: &str) -> Result<Option<FormatKind>, Error> {
    let mut columns = origin.into_iter().flat_map(|origin| &origin.columns);
    let column = columns.find(|found| found.name == column);
    let format = column.and_then(|column| column.format.as_deref());
    Ok(format.map(str::parse).transpose()?)
}

/// As many rows as have a bounded size. A value that a column has often takes its space once in the
/// file.
fn rows_at_once(metadata: &ParquetMetaData) -> usize {
    let size = |column: &ColumnChunkMetaData| {
        let values = column.unencoded_byte_array_data_bytes().unwrap_or(0);
        column.uncompressed_size().max(values)
    };
    let row_of = |group: &RowGroupMetaData| {
        let bytes = group
            .columns()
            .iter()
            .map(size)
            .fold(0, i64::saturating_add);
        bytes / group.num_rows().max(1)
    };
    // Of a file that does not say how large its values are, each may be as large as all that it has
    // once.
    let is_unknown = |column: &&ColumnChunkMetaData| {
        column.column_type() == PhysicalType::BYTE_ARRAY
            && column.dictionary_page_offset().is_some()
            && column.unencoded_byte_array_data_bytes().is_none()
    };
    let unknown_of = |group: &RowGroupMetaData| {
        let columns = group.columns().iter().filter(is_unknown);
        columns
            .map(ColumnChunkMetaData::uncompressed_size)
            .fold(0, i64::saturating_add)
    };
    let groups = metadata.row_groups();
    rows_within(
        groups.iter().map(row_of).max().unwrap_or(0),
        groups.iter().map(unknown_of).max().unwrap_or(0),
    )
}

/// How many rows are read at once, of which one has so many bytes on average and at most.
fn rows_within(mean: i64, most: i64) -> usize {
    let rows = (READ_BYTES / mean.max(1)).min(READ_MOST / most.max(1));
    rows.clamp(1, READ_ROWS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_entry_is_not_one_of_another_program() {
        assert_eq!(origin_in(r#"{"version":2,"tables":[]}"#).unwrap(), None);
        for entry in ["", "{}", r#"{"version":1,"source":"sqlite"}"#] {
            assert!(origin_in(entry).is_err(), "{entry}");
        }
    }

    #[test]
    fn rows_at_once_have_a_bounded_size() {
        assert_eq!(rows_within(0, 0), 1_000);
        assert_eq!(rows_within(100, 0), 1_000);
        assert_eq!(rows_within(10 << 10, 0), 102);
        assert_eq!(rows_within(1 << 30, 0), 1);
        assert_eq!(rows_within(1, 1 << 20), 64);
        assert_eq!(rows_within(1, i64::MAX), 1);
        assert_eq!(rows_within(-1, -1), 1_000);
    }
}

//! Files that are damaged, or none: whatever their bytes are, reading ends with an error or with
//! rows.

use std::fs::{self, File};
use std::sync::LazyLock;

use proptest::prelude::*;
use tempfile::TempDir;

use super::columns::Column;
use super::file::{Origin, Reader, Stopped, Writer};
use crate::batch::{Batch, Cell};
use rowkey_tables::Error;
use rowkey_tables::catalog::QualifiedName;
use rowkey_tables::types::Type;

const ROWS: usize = 300;

fn table() -> QualifiedName {
    QualifiedName::from("thing")
}

/// A file with numbers, text that repeats, bytes and NULLs.
static WRITTEN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("thing.parquet");
    let column = |name: &str, own| Column {
        name: name.into(),
        own,
        ids: None,
        is_nullable: name != "number",
    };
    let integer = Type::Integer {
        bytes: 8,
        is_unsigned: false,
    };
    let columns = vec![
        column("number", integer),
        column("name", Type::Text(None)),
        column("at", Type::Timestamp),
        column("bytes", Type::Bytes(None)),
    ];
    let mut writer = Writer::new(File::create(&path).unwrap(), &table(), columns).unwrap();
    let mut batch = Batch::new(4, ROWS);
    for number in 0..ROWS as i64 {
        let name = batch.keep(format!("name {}", number % 7).as_bytes());
        let bytes = batch.keep(&number.to_be_bytes());
        batch.push(Cell::Integer(number));
        batch.push(Cell::Text(name));
        batch.push(Cell::Null);
        batch.push(if number % 3 == 0 {
            Cell::Null
        } else {
            Cell::Bytes(bytes)
        });
    }
    writer.write(&batch).unwrap();
    let origin = Origin {
        version: 1,
        source: "sqlite".into(),
        table: table(),
        place: 0,
        key: vec!["number".into()],
        columns: Vec::new(),
        rows: 0,
        hash: String::new(),
    };
    writer.finish(origin).unwrap();
    fs::read(path).unwrap()
});

/// Reads all rows of a file with these bytes.
fn read(bytes: &[u8]) -> Result<u64, Error> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("thing.parquet");
    fs::write(&path, bytes).unwrap();
    let reader = Reader::open(&table(), &path)?;
    Ok(reader.each(|_| Ok::<(), Stopped>(()))?.rows)
}

/// The file with other bytes in some places.
fn changed() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8);
    changes.prop_map(|changes| {
        let mut bytes = WRITTEN.clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes
    })
}

/// A file whose first and last bytes are those of Parquet, with a plausible length of the metadata.
fn disguised() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..400).prop_map(|inner| {
        let length = u32::try_from(inner.len()).unwrap();
        [b"PAR1".as_slice(), &inner, &length.to_le_bytes(), b"PAR1"].concat()
    })
}

#[test]
fn the_file_itself_is_read() {
    assert_eq!(read(&WRITTEN).unwrap(), ROWS as u64);
}

#[test]
fn a_file_that_ends_early_is_refused() {
    for end in 0..WRITTEN.len() {
        let error = read(&WRITTEN[..end]).unwrap_err().to_string();
        assert!(error.contains("thing"), "{end}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn changed_bytes_do_not_panic(bytes in changed()) {
        if let Ok(rows) = read(&bytes) {
            prop_assert_eq!(rows, ROWS as u64);
        }
    }

    #[test]
    fn other_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&bytes).is_err());
    }

    #[test]
    fn other_bytes_in_the_form_of_a_file_do_not_panic(bytes in disguised()) {
        if let Ok(rows) = read(&bytes) {
            prop_assert_eq!(rows, 0);
        }
    }
}

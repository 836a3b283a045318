//! Which plans SeaORM can store.

use std::marker::PhantomData;

use rowkey_core::EntityKey;
use rowkey_core::storage::mysql::MySqlWire;
use rowkey_core::storage::postgres::PostgresWire;
use rowkey_core::storage::sqlite::SqliteWire;
use rowkey_core::storage::{BinaryLength, Column, Precision, StoragePlan, TextForm};

/// Whether SeaORM can store a key, as a type; made by the declaration of the key.
#[derive(Debug)]
pub struct Fits<K, const FITS: bool>(PhantomData<fn() -> K>);

/// Keys that SeaORM can store: `Fits<K, true>` has it.
///
/// A value of SeaORM is made without knowing the database that it will go to, so that one kind of
/// value has to be right for the key's columns in PostgreSQL, MySQL, MariaDB and SQLite alike,
/// whichever of them a program uses.
#[diagnostic::on_unimplemented(
    message = "SeaORM cannot store `{K}` keys in the columns of their storage plan",
    label = "no one value of SeaORM is right for all of this key's columns",
    note = "SeaORM makes a value before it knows the database, so PostgreSQL, MySQL and SQLite \
            have to store the key alike",
    note = "declare it with `#[entity_key(storage(postgres = \"uuid\", mysql = \"uuid\", \
            sqlite = \"uuid\"))]`, with `binary` or `text` for all three, or for a DistributedId \
            with `decimal` for all three"
)]
pub trait SeaOrmStorage<'a, K> {}

impl<K: EntityKey> SeaOrmStorage<'_, K> for Fits<K, true> {}

/// Whether SeaORM can store a key.
#[doc(hidden)]
pub const fn fits<K: EntityKey>() -> bool {
    carries(&K::PLAN)
}

/// Whether what the PostgreSQL column of a plan is sent is right for the other columns, too.
const fn carries(plan: &StoragePlan) -> bool {
    use {MySqlWire as My, PostgresWire as Pg, SqliteWire as Lite};

    let (postgres, mysql, sqlite) = (plan.postgres(), plan.mysql(), plan.sqlite());
    let same_bytes = same_permutation(postgres.column(), mysql.column())
        && same_permutation(postgres.column(), sqlite.column());
    same_bytes
        && match (postgres.wire(), mysql.wire(), sqlite.wire()) {
            (Pg::Uuid, My::Bytes(BinaryLength::Bytes16), Lite::Bytes(BinaryLength::Bytes16)) => {
                true
            }
            (Pg::Bytes(a), My::Bytes(b), Lite::Bytes(c)) => {
                a as u8 == b as u8 && b as u8 == c as u8
            }
            (Pg::Text(a), My::Text(b), Lite::Text(c)) => a as u8 == b as u8 && b as u8 == c as u8,
            (Pg::Text(TextForm::Hyphenated), My::NativeUuid, Lite::Text(TextForm::Hyphenated)) => {
                true
            }
            // Not of 38 digits: generated ids have fewer, which SQLite would sort as text.
            (
                Pg::Decimal(Precision::Digits28),
                My::Decimal(Precision::Digits28),
                Lite::Text(TextForm::Digits28),
            ) => true,
            _ => false,
        }
}

const fn same_permutation(a: Column, b: Column) -> bool {
    a.permutation() as u8 == b.permutation() as u8
}

#[cfg(test)]
mod tests {
    use rowkey_core::Backend;
    use rowkey_core::format::FormatKind;

    use super::*;

    #[test]
    fn every_default_plan_can_be_stored() {
        for format in FormatKind::ALL {
            assert!(carries(&StoragePlan::default_for(format)), "{format}");
        }
    }

    #[test]
    fn a_plan_can_be_stored_if_its_columns_are_sent_the_same() {
        use Backend::{MariaDb, MySql, Postgres, Sqlite};

        let plan = |format, choices: &[(Backend, &str)]| {
            let plan = StoragePlan::default_for(format);
            choices.iter().fold(plan, |plan, (backend, choice)| {
                plan.try_with(*backend, choice).unwrap()
            })
        };
        let everywhere = |format, choice| {
            let choices = [Postgres, MySql, Sqlite].map(|backend| (backend, choice));
            plan(format, &choices)
        };
        use FormatKind::{
            DistributedId, DistributedId128, ShortPrefixComb, ShortSuffixComb, UuidV7,
        };
        for (format, choice) in [
            (DistributedId, "uuid"),
            (DistributedId, "binary"),
            (DistributedId, "text"),
            (DistributedId, "text-compact"),
            (DistributedId, "decimal"),
            (DistributedId128, "text-digits"),
            (ShortSuffixComb, "binary"),
            (UuidV7, "text"),
            (UuidV7, "text-upper"),
            (ShortSuffixComb, "text-hex"),
            (UuidV7, "text-hex-upper"),
        ] {
            assert!(carries(&everywhere(format, choice)), "{format}, {choice}");
        }
        for plan in [
            everywhere(DistributedId128, "decimal"),
            plan(DistributedId, &[(Postgres, "uuid")]),
            plan(DistributedId, &[(Sqlite, "uuid")]),
            plan(UuidV7, &[(MySql, "text")]),
            // As many characters, but of another case.
            everywhere(UuidV7, "text")
                .try_with(Sqlite, "text-upper")
                .unwrap(),
            plan(UuidV7, &[(Postgres, "binary")])
                .try_with(MySql, "text")
                .unwrap(),
            // MariaDB's own type is sent as text, because bytes could be damaged.
            plan(UuidV7, &[(MariaDb, "native-uuid")]),
            // The same text, but in another layout.
            everywhere(ShortPrefixComb, "text")
                .try_with(MariaDb, "native-uuid")
                .unwrap(),
        ] {
            assert!(!carries(&plan), "{plan:?}");
        }
        let texts = everywhere(UuidV7, "text");
        assert!(carries(&texts.try_with(MariaDb, "native-uuid").unwrap()));
    }
}

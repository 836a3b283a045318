//! A value that isn't a key of the plan is an error that says which column it was in, what was
//! expected and what was found.

macro_rules! damage {
    ($module:ident, $Connection:ty, [$(($found:literal, $Key:ident, $message:literal)),* $(,)?]) => {
        pub(crate) mod $module {
            use anyhow::{Result, ensure};
            use diesel::dsl::sql;
            use diesel::prelude::*;
            use rowkey::driver::diesel::Key;
            use rowkey_testkit::TestDatabase;

            use super::explained;
            use crate::diesel_queries::connection::connect;
            use crate::diesel_queries::keys;

            pub(crate) fn run(database: &TestDatabase) -> Result<()> {
                let db = &mut connect::<$Connection>(database)?;
                $(
                    let query = concat!("SELECT ", $found, " AS id");
                    let found = sql::<Key<keys::$Key>>(query).load::<keys::$Key>(db);
                    let message = found.as_ref().err().map(explained).unwrap_or_default();
                    ensure!(
                        message == concat!("Error deserializing field 'id': ", $message),
                        "{query}: {found:?}, {message}"
                    );
                )*
                Ok(())
            }
        }
    };
}

/// The error with all that led to it, each once.
pub(crate) fn explained(error: &diesel::result::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        let cause = error.to_string();
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
        source = error.source();
    }
    text
}

#[cfg(feature = "diesel-postgres")]
damage!(
    postgres,
    diesel::PgConnection,
    [
        (
            "'00040000-0000-7000-8000-000000000000'::uuid",
            OfferId,
            "not a ShortPrefixComb: the version (position 14 of the hyphenated text) is 7, \
             expected 4"
        ),
        (
            "'00040000-0000-4000-8000-000000000000'::text",
            OfferId,
            "stored ShortPrefixComb: expected a uuid, found a value of the type with OID 25"
        ),
        (
            "'\\x00'::bytea",
            DeviceId,
            "stored AnyUuid: expected 16 bytes, found 1 byte"
        ),
        (
            "-1::numeric",
            InvoiceId,
            "stored DistributedId: expected a whole number of at most 28 digits, found the \
             number -1"
        ),
        (
            "1.5::numeric",
            InvoiceId,
            "stored DistributedId: expected a whole number of at most 28 digits, found the \
             number 1.5"
        ),
        (
            "1e28::numeric",
            InvoiceId,
            "stored DistributedId: expected a whole number of at most 28 digits, found the \
             number 10000000000000000000000000000"
        ),
        (
            "1::bigint",
            InvoiceId,
            "stored DistributedId: expected a whole number of at most 28 digits, found a value \
             of the type with OID 20"
        ),
        (
            "'Fjords in winter'::text",
            TicketId,
            "expected 16 alphanumeric characters (0-9, A-Z, a-z) of a number below 10^28: ' ' at \
             position 6"
        ),
    ]
);

#[cfg(feature = "diesel-mysql")]
damage!(
    mysql,
    diesel::MysqlConnection,
    [
        (
            "X'00040000000070008000000000000000'",
            OfferId,
            "not a ShortPrefixComb: the version (position 14 of the hyphenated text) is 7, \
             expected 4"
        ),
        (
            "X'0004'",
            OfferId,
            "stored ShortPrefixComb: expected 16 bytes, found 2 bytes"
        ),
        // As a MariaDB column of type UUID comes.
        (
            "'00040000-0000-4000-8000-000000000000'",
            OfferId,
            "stored ShortPrefixComb: expected 16 bytes, found 36 bytes"
        ),
        (
            "-1.0",
            InvoiceId,
            "stored DistributedId: expected a whole number of at most 28 digits, found the \
             number -1.0"
        ),
        (
            "1e28",
            InvoiceId,
            "stored DistributedId: expected a whole number of at most 28 digits, found a value \
             of type Double"
        ),
        (
            "'Fjords in winter'",
            TicketId,
            "expected 16 alphanumeric characters (0-9, A-Z, a-z) of a number below 10^28: ' ' at \
             position 6"
        ),
    ]
);

damage!(
    sqlite,
    diesel::SqliteConnection,
    [
        (
            "X'00040000000070008000000000000000'",
            OfferId,
            "not a ShortPrefixComb: the version (position 14 of the hyphenated text) is 7, \
             expected 4"
        ),
        (
            "'00040000-0000-4000-8000-000000000000'",
            OfferId,
            "stored ShortPrefixComb: expected 16 bytes, found text of 36 characters"
        ),
        (
            "1088824355131185736905670087",
            InvoiceId,
            "stored DistributedId: expected text of exactly 28 digits, found a number (REAL): \
             the column's declared type damages digits, declare it as TEXT"
        ),
        (
            "1",
            OfferId,
            "stored ShortPrefixComb: expected 16 bytes, found a number (INTEGER)"
        ),
        (
            "'108882435513118573690567008'",
            InvoiceId,
            "stored DistributedId: expected text of exactly 28 digits, found text of 27 characters"
        ),
        (
            "X'31303838383234333535313331313835373336393035363730303837'",
            InvoiceId,
            "stored DistributedId: expected text of exactly 28 digits, found 28 bytes"
        ),
    ]
);

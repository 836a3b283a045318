//! What each column holds, and back.

use proptest::prelude::*;
use rowkey_core::error::ErrorKind;
use rowkey_core::format::{FieldKind, FormatKind};
use rowkey_core::storage::{
    Column, Layout, Storage, StoragePlan, Stored, StoredRef, TextForm, Wire,
};
use rowkey_core::{Backend, Error};

fn column(format: FormatKind, backend: Backend, storage: Storage) -> Column {
    Column::new(format, backend, storage, None).unwrap()
}

/// Every column that a plan may choose.
fn columns() -> impl Iterator<Item = Column> {
    FormatKind::ALL.into_iter().flat_map(|format| {
        Backend::ALL.into_iter().flat_map(move |backend| {
            Storage::ALL
                .into_iter()
                .flat_map(move |storage| Column::new(format, backend, storage, None))
        })
    })
}

/// These, and those of every layout.
fn every_column() -> impl Iterator<Item = Column> {
    columns().flat_map(|column| {
        Layout::ALL.into_iter().flat_map(move |layout| {
            Column::new(
                column.format(),
                column.backend(),
                column.storage(),
                Some(layout),
            )
        })
    })
}

/// A stored value as a driver would hand it back.
fn decode(column: Column, stored: &Stored) -> Result<u128, Error> {
    match stored {
        Stored::Uuid(bytes) => column.decode(StoredRef::Bytes(bytes)),
        Stored::Bytes(bytes) => column.decode(StoredRef::Bytes(bytes.as_slice())),
        Stored::Decimal(number) => column.decode(StoredRef::Decimal(*number)),
        Stored::Text(text) => column.decode(StoredRef::Text(text)),
        Stored::Integer(number) => column.decode(StoredRef::Integer((*number).into())),
    }
}

/// A stored value's place in the order of its column, for those that sort bytewise.
fn sortable(stored: &Stored) -> Vec<u8> {
    match stored {
        Stored::Uuid(bytes) => bytes.to_vec(),
        Stored::Bytes(bytes) => bytes.as_slice().to_vec(),
        Stored::Decimal(number) => number.to_be_bytes().to_vec(),
        Stored::Text(text) => text.as_bytes().to_vec(),
        // From 0 on, so without the sign.
        Stored::Integer(number) => number.to_be_bytes().to_vec(),
    }
}

#[test]
fn known_stored_forms() {
    let comb = 0x0011_2233_4455_4677_8899_aabb_ccdd_eeff;
    let number = 1_088_824_355_131_185_736_905_670_087;
    for (format, backend, storage, value, literal) in [
        (
            FormatKind::PrefixComb,
            Backend::MariaDb,
            Storage::NativeUuid,
            comb,
            "'aabbccdd-eeff-4677-8899-001122334455'",
        ),
        (
            FormatKind::PrefixComb,
            Backend::Postgres,
            Storage::Text,
            comb,
            "'00112233-4455-4677-8899-aabbccddeeff'",
        ),
        (
            FormatKind::UuidV4,
            Backend::Sqlite,
            Storage::TextUpper,
            comb,
            "'00112233-4455-4677-8899-AABBCCDDEEFF'",
        ),
        (
            FormatKind::AnyUuid,
            Backend::MySql,
            Storage::TextHex,
            comb,
            "'00112233445546778899aabbccddeeff'",
        ),
        (
            FormatKind::SuffixComb,
            Backend::SqlServer,
            Storage::TextHexUpper,
            comb,
            // The full swap.
            "'AABBCCDDEEFF46778899001122334455'",
        ),
        (
            FormatKind::SuffixComb,
            Backend::Sqlite,
            Storage::TextCompact,
            comb,
            // The full swap, then base 62 per eight bytes.
            "'EeoHAdDFXQlBj6ZwPdmXOn'",
        ),
        (
            FormatKind::DistributedId,
            Backend::Sqlite,
            Storage::Decimal,
            7,
            "'0000000000000000000000000007'",
        ),
        (
            FormatKind::DistributedId,
            Backend::Postgres,
            Storage::TextCompact,
            number,
            "'3zfAkCP7ZtzfeQYp'",
        ),
        (
            FormatKind::DistributedId,
            Backend::SqlServer,
            Storage::Binary,
            number,
            "0x0384a786907db2ad82883dc7",
        ),
        (
            FormatKind::DistributedId128,
            Backend::MySql,
            Storage::TextDigits,
            7,
            "'00000000000000000000000000000000000007'",
        ),
        (
            FormatKind::UuidV7,
            Backend::SqlServer,
            Storage::Uuid,
            0x017f_22e2_79b0_7cc3_98c4_dc0c_0c07_398f,
            "'8f39070c-0cdc-c498-7cc3-017f22e279b0'",
        ),
    ] {
        let column = column(format, backend, storage);
        assert_eq!(column.literal(value), literal, "{column:?}");
        assert_eq!(
            decode(column, &column.encode(value)),
            Ok(value),
            "{column:?}"
        );
    }
}

#[test]
fn text_and_digits_always_have_the_columns_width() {
    for column in columns() {
        for value in [0, 1, column.max_value()].map(|value| stamped(column, value)) {
            match (column.wire(), column.encode(value)) {
                (Wire::Text(form), Stored::Text(text)) => {
                    assert_eq!(text.len(), usize::from(form.width()), "{column:?}");
                }
                (Wire::NativeUuid, Stored::Text(text)) => assert_eq!(text.len(), 36),
                (Wire::Bytes(length), Stored::Bytes(bytes)) => {
                    let length = usize::from(length.bytes());
                    assert_eq!(bytes.as_slice().len(), length, "{column:?}");
                }
                (Wire::Uuid, Stored::Uuid(_))
                | (Wire::Decimal(_), Stored::Decimal(_))
                | (Wire::Integer, Stored::Integer(_)) => {}
                (wire, stored) => panic!("{wire:?} gave {stored:?}"),
            }
        }
    }
}

#[test]
fn either_wire_shape_of_mariadb_is_read_in_the_declared_layout() {
    let value = 0x0011_2233_4455_4677_8899_aabb_ccdd_eeff;
    let native = column(
        FormatKind::PrefixComb,
        Backend::MariaDb,
        Storage::NativeUuid,
    );
    let stored = native.permutation().apply(value);
    let text = uuid::Uuid::from_u128(stored).to_string();
    assert_eq!(native.decode(StoredRef::Text(&text)), Ok(value));
    assert_eq!(
        native.decode(StoredRef::Bytes(&stored.to_be_bytes())),
        Ok(value)
    );
    // A UUID column under a plan of BINARY(16) is in another order than the plan's.
    let binary = column(FormatKind::PrefixComb, Backend::MariaDb, Storage::Uuid);
    let error = binary.decode(StoredRef::Text(&text)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "stored PrefixComb: expected 16 bytes, found text of 36 characters"
    );
}

#[test]
fn what_the_plan_does_not_store_is_refused() {
    let refused = |format, backend, storage, found| {
        column(format, backend, storage)
            .decode(found)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(
            FormatKind::UuidV7,
            Backend::Sqlite,
            Storage::Uuid,
            StoredRef::Text("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        ),
        "stored UuidV7: expected 16 bytes, found text of 36 characters"
    );
    assert_eq!(
        refused(
            FormatKind::UuidV7,
            Backend::MySql,
            Storage::Uuid,
            StoredRef::Bytes(&[0; 15])
        ),
        "stored UuidV7: expected 16 bytes, found 15 bytes"
    );
    assert_eq!(
        refused(
            FormatKind::DistributedId,
            Backend::Sqlite,
            Storage::Decimal,
            StoredRef::Text("1088824355131185736905670087 ")
        ),
        "stored DistributedId: expected text of exactly 28 digits, found text of 29 characters"
    );
    assert_eq!(
        refused(
            FormatKind::DistributedId,
            Backend::MySql,
            Storage::Binary,
            StoredRef::Bytes(&[0xff; 12])
        ),
        "stored DistributedId: expected 12 bytes, found 12 bytes of too large a number: \
         79228162514264337593543950335, where 9999999999999999999999999999 is the largest"
    );
    for (found, words) in [
        (StoredRef::Text("7"), "text of 1 character"),
        (StoredRef::Text(""), "text of 0 characters"),
        (StoredRef::Bytes(&[7]), "1 byte"),
    ] {
        let error = refused(FormatKind::UuidV7, Backend::MySql, Storage::Binary, found);
        let expected = format!("stored UuidV7: expected 16 bytes, found {words}");
        assert_eq!(error, expected);
    }
    let eight = refused(
        FormatKind::DistributedId,
        Backend::Postgres,
        Storage::Decimal,
        StoredRef::Decimal(10_u128.pow(28)),
    );
    assert_eq!(
        eight,
        "stored DistributedId: expected a whole number of at most 28 digits, found the number \
         10000000000000000000000000000"
    );
    let other_version = refused(
        FormatKind::UuidV7,
        Backend::Postgres,
        Storage::Uuid,
        StoredRef::Bytes(&[0; 16]),
    );
    assert!(
        other_version.starts_with("not a UuidV7: the version"),
        "{other_version}"
    );
}

/// The example of a table that .NET 9 has filled by `Guid.CreateVersion7`.
const UNSWAPPED_V7: &str = "018e5f3b-ff48-7bff-8000-0123456789ab";

#[test]
fn a_guid_of_another_layout_is_refused_with_the_layout_and_what_to_declare() {
    let column = column(FormatKind::UuidV7, Backend::SqlServer, Storage::Uuid);
    let guid: uuid::Uuid = UNSWAPPED_V7.parse().unwrap();
    for found in [
        StoredRef::Bytes(guid.as_bytes()),
        StoredRef::Text(UNSWAPPED_V7),
    ] {
        assert_eq!(
            column.decode(found).unwrap_err().to_string(),
            "`018e5f3b-ff48-7bff-8000-0123456789ab` is not a UuidV7 in the `sql-server` layout: the \
             version (position 19 of the hyphenated text) is 8, expected 7; it is valid in the public \
             layout: for guids that were stored unswapped, declare \
             `storage(sqlserver = \"uuid:public-unordered\")`"
        );
    }
    // Of no layout.
    let error = column
        .decode(StoredRef::Text("ffeeddcc-bbaa-4988-4677-001122334455"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`ffeeddcc-bbaa-4988-4677-001122334455` is not a UuidV7 in the `sql-server` layout: the \
         version (position 19 of the hyphenated text) is 4, expected 7; for a column of ids of \
         several formats, declare the key over AnyUuid"
    );
}

#[test]
fn a_bytea_is_read_from_text() {
    for (format, value, text) in [
        (
            FormatKind::DistributedId,
            0x0384,
            r"\x000000000000000000000384",
        ),
        (
            FormatKind::DistributedId128,
            0x0384,
            r"\x00000000000000000000000000000384",
        ),
    ] {
        let plan = StoragePlan::default_for(format).with(Backend::Postgres, "binary");
        let column = plan.postgres();
        assert_eq!(column.decode_text(text), Ok(value));
        for wrong in [&text[..text.len() - 1], r"\x", "384", "\\xyz"] {
            assert!(column.decode_text(wrong).is_err(), "{wrong}");
        }
    }
}

/// UUIDv4s have no order, so `public` is all that there is to declare.
#[test]
fn the_advice_about_random_ids_can_be_followed() {
    let layout = |layout| {
        Column::new(
            FormatKind::UuidV4,
            Backend::SqlServer,
            Storage::Uuid,
            Some(layout),
        )
        .unwrap()
    };
    let stored = StoredRef::Text("00000000-0000-4eff-8000-000000000000");
    let error = layout(Layout::SqlServer).decode(stored).unwrap_err();
    let advice = "declare `storage(sqlserver = \"uuid:public\")`";
    assert!(error.to_string().ends_with(advice), "{error}");
    assert!(layout(Layout::Public).decode(stored).is_ok());
}

/// A number that was stored unswapped is a larger one in the layout.
#[test]
fn a_number_of_another_layout_is_refused_with_the_layout() {
    let column = column(FormatKind::DistributedId, Backend::SqlServer, Storage::Uuid);
    let error = column
        .decode(StoredRef::Text("00000000-0384-a786-907d-b2ad82883dc7"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`00000000-0384-a786-907d-b2ad82883dc7` is not a DistributedId in the `sql-server` layout: \
         the number is larger than 10^28-1; it is valid in the public layout: for guids that \
         were stored unswapped, declare `storage(sqlserver = \"uuid:public-unordered\")`"
    );
}

#[test]
fn what_the_advice_declares_reads_the_guid() {
    let layout = Some(Layout::PublicUnordered);
    let column = Column::new(
        FormatKind::UuidV7,
        Backend::SqlServer,
        Storage::Uuid,
        layout,
    )
    .unwrap();
    let guid: uuid::Uuid = UNSWAPPED_V7.parse().unwrap();
    let value = column.decode(StoredRef::Bytes(guid.as_bytes())).unwrap();
    assert_eq!(value, guid.as_u128());
    assert_eq!(column.literal(value), format!("'{UNSWAPPED_V7}'"));
    // The column's checks are still those of the format.
    let error = column.decode(StoredRef::Bytes(&[0; 16])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
}

/// The position in a message is correct for the text that it shows.
#[test]
fn messages_about_a_layout_point_at_the_digit_of_the_text_that_they_show() {
    let bits: u128 = 0x0123_4567_89ab_cdef_0011_2233_4455_6677;
    for column in every_column() {
        // One of the right format, with another version or variant.
        for (shift, wrong) in [(76, 0x3), (60, 0x7)] {
            let value = stamped(column, bits);
            let wrong = value & !(0xf << shift) | wrong << shift;
            let Stored::Uuid(bytes) = column.encode(wrong) else {
                continue;
            };
            let Err(error) = column.decode(StoredRef::Bytes(&bytes)) else {
                continue;
            };
            assert_eq!(error.kind(), ErrorKind::Format);
            let message = error.to_string();
            let stored = uuid::Uuid::from_bytes(bytes).to_string();
            if !message.starts_with(&format!("`{stored}` is not a ")) {
                continue;
            }
            let (_, rest) = message.split_once("(position ").unwrap();
            let (position, rest) = rest.split_once(" of the hyphenated text) is ").unwrap();
            let position: usize = position.parse().unwrap();
            assert_eq!(stored[position..=position], rest[..1], "{column:?}");
        }
    }
}

#[test]
fn text_in_another_case_or_form_is_refused_with_the_storage_that_reads_it() {
    let forms = [
        (Storage::Text, "00112233-4455-4677-8899-aabbccddeeff"),
        (Storage::TextUpper, "00112233-4455-4677-8899-AABBCCDDEEFF"),
        (Storage::TextHex, "00112233445546778899aabbccddeeff"),
        (Storage::TextHexUpper, "00112233445546778899AABBCCDDEEFF"),
    ];
    for backend in Backend::ALL {
        for (declared, right) in forms {
            let column = column(FormatKind::UuidV4, backend, declared);
            for (stored_as, text) in forms {
                let read = column.decode(StoredRef::Text(text));
                if stored_as == declared {
                    assert_eq!(read, Ok(0x0011_2233_4455_4677_8899_aabb_ccdd_eeff));
                    continue;
                }
                let message = read.unwrap_err().to_string();
                assert!(
                    message.ends_with(&format!(": declare `{stored_as}`")),
                    "{declared}: {message}"
                );
            }
            let both = right.replace(
                ['e', 'E'],
                if declared == Storage::Text { "E" } else { "e" },
            );
            let both = both.replace(
                ['f', 'F'],
                if declared == Storage::Text { "f" } else { "F" },
            );
            let message = column
                .decode(StoredRef::Text(&both))
                .unwrap_err()
                .to_string();
            assert!(
                message.ends_with("found letters of both cases, which no storage reads"),
                "{both}: {message}"
            );
        }
    }
    let column = column(FormatKind::UuidV4, Backend::Sqlite, Storage::Text);
    let error = column.decode(StoredRef::Text(forms[1].1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "stored UuidV4: expected hyphenated uuid text of 36 characters in lower case, found \
         hyphenated uuid text of 36 characters in upper case: declare `text-upper`"
    );
}

/// Digits alone are text of either case.
#[test]
fn text_without_letters_is_read_in_either_case() {
    let digits = 0x0011_2233_4455_4677_8899_0011_2233_4455;
    for storage in [
        Storage::Text,
        Storage::TextUpper,
        Storage::TextHex,
        Storage::TextHexUpper,
    ] {
        let column = column(FormatKind::UuidV4, Backend::Postgres, storage);
        let Wire::Text(form) = column.wire() else {
            panic!("{column:?} is text");
        };
        let text = match form {
            TextForm::Hex | TextForm::HexUpper => "00112233445546778899001122334455",
            _ => "00112233-4455-4677-8899-001122334455",
        };
        assert_eq!(
            column.decode(StoredRef::Text(text)),
            Ok(digits),
            "{storage}"
        );
    }
}

proptest! {
    /// Whatever text a column reads is what it writes for that value.
    #[test]
    fn a_text_column_has_one_text_for_each_value(value: u128, flips: [bool; 36]) {
        for column in columns() {
            let value = stamped(column, value);
            let Stored::Text(text) = column.encode(value) else {
                continue;
            };
            let flipped: String = text
                .chars()
                .zip(flips)
                .map(|(character, flip)| match character {
                    _ if !flip => character,
                    'a'..='z' => character.to_ascii_uppercase(),
                    _ => character.to_ascii_lowercase(),
                })
                .collect();
            if column.storage() == Storage::NativeUuid || flipped == *text {
                prop_assert_eq!(column.decode(StoredRef::Text(&flipped)), Ok(value));
            } else if let Ok(other) = column.decode(StoredRef::Text(&flipped)) {
                // Alphanumeric text, where the case is part of the digit.
                prop_assert_eq!(column.storage(), Storage::TextCompact);
                prop_assert_ne!(other, value);
            }
        }
    }

    #[test]
    fn every_column_gives_back_what_it_was_given_and_sorts_as_it_says(a: u128, b: u128) {
        for column in every_column() {
            let [a, b] = [a, b].map(|value| stamped(column, value));
            prop_assert!(column.format().admits(a) && a <= column.max_value(), "{:?}", column);
            let (stored_a, stored_b) = (column.encode(a), column.encode(b));
            prop_assert_eq!(decode(column, &stored_a), Ok(a), "{:?}", column);
            let bytewise = !matches!(
                (column.backend(), column.wire()),
                (Backend::SqlServer, Wire::Uuid) | (_, Wire::NativeUuid)
            );
            if bytewise {
                prop_assert_eq!(
                    sortable(&stored_a).cmp(&sortable(&stored_b)),
                    column.compare(a, b),
                    "{:?}", column
                );
            }
        }
    }
}

/// A valid value of the column's format, from random bits.
fn stamped(column: Column, mut value: u128) -> u128 {
    for field in column.format().fields() {
        if let FieldKind::Version(fixed) | FieldKind::Variant(fixed) = field.kind {
            let shift = 128 - field.first_bit - field.width;
            let mask = u128::MAX >> (128 - field.width) << shift;
            value = value & !mask | u128::from(fixed) << shift;
        }
    }
    match column.max_value().min(column.format().width().max()) {
        u128::MAX => value,
        max => value % (max + 1),
    }
}

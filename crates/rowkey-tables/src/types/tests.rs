use super::*;

const LIVE: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

const TYPES: [Type; 27] = [
    Type::Enum,
    Type::Set,
    Type::Bits {
        length: 64,
        is_fixed: true,
    },
    Type::Bits {
        length: 2_000,
        is_fixed: false,
    },
    Type::Year,
    Type::Interval,
    Type::Network { is_cidr: true },
    Type::Bool,
    Type::Flag,
    Type::Integer {
        bytes: 1,
        is_unsigned: true,
    },
    Type::Integer {
        bytes: 3,
        is_unsigned: false,
    },
    Type::Integer {
        bytes: 8,
        is_unsigned: false,
    },
    Type::Integer {
        bytes: 8,
        is_unsigned: true,
    },
    Type::Single,
    Type::Double,
    Type::Decimal(Some((65, 30))),
    Type::Text(None),
    Type::Text(Some(80)),
    Type::PaddedText(36),
    Type::Json,
    Type::Bytes(None),
    Type::FixedBytes(16),
    Type::Date,
    Type::Time,
    Type::Timestamp,
    Type::Instant,
    Type::Uuid,
];

#[test]
fn every_type_has_a_place_everywhere() {
    for backend in LIVE {
        for wanted in TYPES {
            let written = write(backend, wanted, false).unwrap();
            // In MySQL and MariaDB a collation follows.
            let name = written.split(" CHARACTER SET").next().unwrap();
            let read = ColumnType::parse(backend, name).meaning();
            let read = read.unwrap_or_else(|| panic!("{backend}: {written}"));
            assert!(
                pair(wanted, read).is_some(),
                "{backend}: {wanted:?}, {written}"
            );
        }
    }
}

#[test]
fn words_are_read_as_databases_write_them() {
    for (backend, words, expected) in [
        (
            Backend::Postgres,
            "numeric(10,2)",
            Some(Type::Decimal(Some((10, 2)))),
        ),
        (
            Backend::Postgres,
            "timestamp(3) with time zone",
            Some(Type::Instant),
        ),
        (Backend::Postgres, "varchar(45)", Some(Type::Text(Some(45)))),
        (Backend::Postgres, "timestamptz(3)", Some(Type::Instant)),
        (Backend::Postgres, "numeric(4,-2)", Some(Type::Own)),
        (Backend::Postgres, "integer[]", Some(Type::Own)),
        (Backend::Postgres, "numeric(10,2)[]", Some(Type::Own)),
        (Backend::Postgres, "interval", Some(Type::Interval)),
        (
            Backend::Postgres,
            "bit varying(12)",
            Some(Type::Bits {
                length: 12,
                is_fixed: false,
            }),
        ),
        (
            Backend::MySql,
            "bigint(20) unsigned zerofill",
            Some(Type::Integer {
                bytes: 8,
                is_unsigned: true,
            }),
        ),
        (Backend::MySql, "tinyint(1)", Some(Type::Flag)),
        (Backend::MySql, "enum('a','b')", Some(Type::Enum)),
        (Backend::MySql, "json_table", None),
        (
            Backend::MySql,
            "bit(1)",
            Some(Type::Bits {
                length: 1,
                is_fixed: true,
            }),
        ),
        (Backend::Sqlite, "VARCHAR(20)", Some(Type::Text(Some(20)))),
        (
            Backend::Sqlite,
            "DECIMAL(10,2)",
            Some(Type::Loose(Some((10, 2)))),
        ),
        (Backend::Sqlite, "x\"); --", None),
        (Backend::Sqlite, "x 'y') --", None),
        (
            Backend::Sqlite,
            "integer COMMENT '1 = owner (you), 2 = read'",
            Some(Type::Integer {
                bytes: 8,
                is_unsigned: false,
            }),
        ),
        (Backend::Sqlite, "", Some(Type::Bytes(None))),
    ] {
        let meaning = ColumnType::parse(backend, words).meaning();
        assert_eq!(meaning, expected, "{backend}: {words}");
    }
}

#[test]
fn what_may_lose_values_is_no_pair() {
    for (from, to) in [
        (Type::Double, Type::Single),
        (Type::Decimal(None), Type::Double),
        (
            Type::Integer {
                bytes: 4,
                is_unsigned: false,
            },
            Type::Bool,
        ),
        (
            Type::Integer {
                bytes: 8,
                is_unsigned: false,
            },
            Type::Decimal(Some((10, 2))),
        ),
        (Type::Text(None), Type::Bytes(None)),
        (Type::FixedBytes(16), Type::FixedBytes(20)),
        (Type::Date, Type::Instant),
        (Type::Timestamp, Type::Date),
        (Type::Own, Type::Own),
        (Type::Decimal(None), Type::Loose(None)),
        (Type::Enum, Type::Set),
    ] {
        assert_eq!(pair(from, to), None, "{from:?} to {to:?}");
    }
    assert!(write(Backend::MySql, Type::Decimal(None), false).is_err());
    let refusal = write(Backend::MariaDb, Type::Own, false).unwrap_err();
    assert!(refusal.instead.contains("`to = \"longtext"), "{refusal:?}");
}

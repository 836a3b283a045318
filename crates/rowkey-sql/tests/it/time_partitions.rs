//! Partitions by the time in keys, as SQL. What servers make of it is tested with them.

use rowkey_core::error::ErrorKind;
use rowkey_core::format::{FieldKind, FormatKind};
use rowkey_core::storage::{SqlServerOrd, StoragePlan, Stored};
use rowkey_core::{Backend, Error, UnixMillis, Uuid};
use rowkey_sql::{Partitions, day_starts, month_starts};

/// 2026-01-01T00:00:00Z.
const NEW_YEAR: i64 = 1_767_225_600_000;

fn plan(format: FormatKind) -> StoragePlan {
    StoragePlan::default_for(format)
}

fn partitions(format: FormatKind, edges: &[i64]) -> Result<Partitions, Error> {
    let edges = edges.iter().copied().map(UnixMillis::new);
    Partitions::by_time(plan(format), "order", "id", edges)
}

fn months(format: FormatKind) -> Partitions {
    let months = month_starts(2026, 1).take(3);
    Partitions::by_time(plan(format), "order", "id", months).expect("a format with time")
}

#[test]
fn postgres_makes_a_table_of_each_partition() {
    let months = months(FormatKind::UuidV7).with_rest();
    assert_eq!(
        months.partition_by(Backend::Postgres).unwrap(),
        r#"PARTITION BY RANGE ("id")"#
    );
    let between = |name, from, to| {
        format!(
            r#"CREATE TABLE "order_{name}" PARTITION OF "order" FOR VALUES FROM ('{from}') TO ('{to}')"#
        )
    };
    let [january, february, march] = [
        "019b76da-a800-7000-8000-000000000000",
        "019c167f-cc00-7000-8000-000000000000",
        "019ca6b1-dc00-7000-8000-000000000000",
    ];
    let tables = [
        between("20260101", january, february),
        between("20260201", february, march),
    ];
    assert_eq!(months.additions(Backend::Postgres).unwrap(), tables);
    let rest = r#"CREATE TABLE "order_rest" PARTITION OF "order" DEFAULT"#.to_owned();
    let [first, second] = tables;
    assert_eq!(
        months.after_create(Backend::Postgres).unwrap(),
        [first, second, rest]
    );
}

#[test]
fn mysql_and_mariadb_list_the_partitions_with_the_table() {
    for backend in [Backend::MySql, Backend::MariaDb] {
        let months = months(FormatKind::Iuid);
        let list = "PARTITION `p20260101` VALUES LESS THAN (X'019c167fcc0080008000000000000000'), \
                    PARTITION `p20260201` VALUES LESS THAN (X'019ca6b1dc0080008000000000000000')";
        assert_eq!(
            months.partition_by(backend).unwrap(),
            format!("PARTITION BY RANGE COLUMNS (`id`) ({list})")
        );
        assert_eq!(months.after_create(backend).unwrap(), [""; 0]);
        assert_eq!(
            months.additions(backend).unwrap(),
            [format!("ALTER TABLE `order` ADD PARTITION ({list})")]
        );

        let months = months.with_rest();
        let list = format!("{list}, PARTITION `rest` VALUES LESS THAN (MAXVALUE)");
        assert_eq!(
            months.partition_by(backend).unwrap(),
            format!("PARTITION BY RANGE COLUMNS (`id`) ({list})")
        );
        assert_eq!(
            months.additions(backend).unwrap(),
            [format!(
                "ALTER TABLE `order` REORGANIZE PARTITION `rest` INTO ({list})"
            )]
        );
    }
}

#[test]
fn sql_server_has_a_function_and_a_scheme() {
    let months = months(FormatKind::UuidV7);
    let [january, february, march] = [
        "00000000-0000-0080-7000-019b76daa800",
        "00000000-0000-0080-7000-019c167fcc00",
        "00000000-0000-0080-7000-019ca6b1dc00",
    ];
    assert_eq!(
        months.before_create(Backend::SqlServer).unwrap(),
        [
            format!(
                "CREATE PARTITION FUNCTION [order_id] (uniqueidentifier) AS RANGE RIGHT FOR VALUES \
                 ('{january}', '{february}', '{march}')"
            ),
            "CREATE PARTITION SCHEME [order_id] AS PARTITION [order_id] ALL TO ([PRIMARY])".into(),
        ]
    );
    assert_eq!(
        months.partition_by(Backend::SqlServer).unwrap(),
        "ON [order_id] ([id])"
    );
    assert_eq!(months.after_create(Backend::SqlServer).unwrap(), [""; 0]);
    // The first edge is the last of the table.
    let split = |edge| {
        [
            "ALTER PARTITION SCHEME [order_id] NEXT USED [PRIMARY]".to_owned(),
            format!("ALTER PARTITION FUNCTION [order_id]() SPLIT RANGE ('{edge}')"),
        ]
    };
    assert_eq!(
        months.additions(Backend::SqlServer).unwrap(),
        [split(february), split(march)].concat()
    );
    // There is always a rest.
    assert_eq!(
        months.clone().with_rest().additions(Backend::SqlServer),
        months.additions(Backend::SqlServer)
    );

    let edges = month_starts(2026, 1).take(2);
    let named = Partitions::by_time(plan(FormatKind::UuidV7), ("sales]", "offer"), "id", edges);
    let clause = named.unwrap().partition_by(Backend::SqlServer).unwrap();
    assert_eq!(clause, "ON [sales]]_offer_id] ([id])");
}

/// The partition of a stored id by SQL Server's rules: boundaries are in the order of the server,
/// and each begins its partition.
fn sql_server_partition(boundaries: &[Uuid], stored: Uuid) -> usize {
    let boundaries = boundaries.iter().map(|boundary| SqlServerOrd(*boundary));
    assert!(boundaries.clone().is_sorted());
    boundaries
        .filter(|boundary| *boundary <= SqlServerOrd(stored))
        .count()
}

#[test]
fn partitions_of_sql_server_have_the_ids_of_their_time() {
    const DAY: i64 = 86_400_000;
    let edges: Vec<i64> = (0..5).map(|day| NEW_YEAR + day * DAY).collect();
    for format in [
        FormatKind::UuidV7,
        FormatKind::PrefixComb,
        FormatKind::SuffixComb,
        FormatKind::Iuid,
        FormatKind::HotGuid,
        FormatKind::DistributedId128,
    ] {
        let statements = partitions(format, &edges).unwrap();
        let statements = statements.before_create(Backend::SqlServer).unwrap();
        assert!(statements[0].contains(" AS RANGE RIGHT "), "{statements:?}");
        let boundaries: Vec<Uuid> = statements[0]
            .split('\'')
            .filter_map(|text| text.parse().ok())
            .collect();
        assert_eq!(boundaries.len(), edges.len(), "{statements:?}");

        let column = plan(format).column(Backend::SqlServer);
        let field = format.fields().iter();
        let time = field
            .clone()
            .find(|field| matches!(field.kind, FieldKind::Time { .. }));
        let time = time.expect("the format tells its instant");
        let shift = 128 - u32::from(time.first_bit) - u32::from(time.width);
        let FieldKind::Time { epoch, unit_ms } = time.kind else {
            unreachable!("a field of time")
        };
        // Every field but those that are always the same has only zeros, or only ones.
        let free: u128 = field
            .filter(|field| {
                !matches!(
                    field.kind,
                    FieldKind::Time { .. }
                        | FieldKind::Version(_)
                        | FieldKind::Variant(_)
                        | FieldKind::Constant(_)
                )
            })
            .map(|field| {
                let ones = u128::MAX >> (128 - u32::from(field.width));
                ones << (128 - u32::from(field.first_bit) - u32::from(field.width))
            })
            .sum();
        let smallest = format.value_ranges(Some(epoch), None, 1).unwrap()[0].lower;
        for (day, unit) in [
            (-1, 0),
            (0, -1),
            (0, 0),
            (0, 1),
            (3, 0),
            (4, -1),
            (4, 0),
            (9, 0),
        ] {
            let ms = NEW_YEAR + day * DAY + unit * i64::from(unit_ms);
            let units = (ms - epoch.get()) / i64::from(unit_ms);
            for random in [0, free] {
                let value = smallest.unwrap_or_default() | (units as u128) << shift | random;
                let stored = match column.encode(value) {
                    Stored::Uuid(bytes) => Uuid::from_bytes(bytes),
                    other => panic!("{format}: {other:?}"),
                };
                let expected = edges.iter().filter(|edge| **edge <= ms).count();
                assert_eq!(
                    sql_server_partition(&boundaries, stored),
                    expected,
                    "{format}: {stored} of {ms}"
                );
            }
        }
    }
}

#[test]
fn names_are_quoted_and_as_exact_as_their_edges() {
    let edges = [
        NEW_YEAR,
        NEW_YEAR + 1_000,
        NEW_YEAR + 1_001,
        NEW_YEAR + 2_000,
    ];
    let edges = edges.map(UnixMillis::new);
    let odd =
        Partitions::by_time(plan(FormatKind::UuidV7), "my \"table\"", "the`id", edges).unwrap();
    let statements = odd.after_create(Backend::Postgres).unwrap();
    for (statement, name) in statements.iter().zip([
        r#""my ""table""_20260101""#,
        r#""my ""table""_20260101_000001""#,
        r#""my ""table""_20260101_000001_001""#,
    ]) {
        let start = format!("CREATE TABLE {name} PARTITION OF \"my \"\"table\"\"\" FOR VALUES");
        assert!(statement.starts_with(&start), "{statement}");
    }
    let clause = odd.partition_by(Backend::MariaDb).unwrap();
    assert!(clause.starts_with("PARTITION BY RANGE COLUMNS (`the``id`) (PARTITION `p20260101` "));

    let long = "x".repeat(60);
    let edges = month_starts(2026, 1).take(2);
    let long = Partitions::by_time(plan(FormatKind::UuidV7), long.as_str(), "id", edges).unwrap();
    assert!(long.partition_by(Backend::MariaDb).is_ok());
    // Before there is a table that cannot have its partitions.
    assert_eq!(
        long.partition_by(Backend::Postgres).unwrap_err().kind(),
        ErrorKind::Name
    );
    assert_eq!(
        long.after_create(Backend::Postgres).unwrap_err().kind(),
        ErrorKind::Name
    );
}

#[test]
fn each_part_of_a_name_is_quoted() {
    let edges = month_starts(2026, 1).take(2);
    let table = ("my.\"schema\"`", "offer");
    let offers = Partitions::by_time(plan(FormatKind::UuidV7), table, "id", edges).unwrap();
    let offers = offers.with_rest();
    let statements = offers.after_create(Backend::Postgres).unwrap();
    assert!(statements[0].starts_with(
        r#"CREATE TABLE "my.""schema""`"."offer_20260101" PARTITION OF "my.""schema""`"."offer" FOR"#
    ));
    assert_eq!(
        statements[1],
        r#"CREATE TABLE "my.""schema""`"."offer_rest" PARTITION OF "my.""schema""`"."offer" DEFAULT"#
    );
    let additions = offers.additions(Backend::MySql).unwrap();
    assert!(additions[0].starts_with(r#"ALTER TABLE `my."schema"```.`offer` REORGANIZE"#));
}

#[test]
fn names_that_cannot_be_are_refused() {
    for (table, column) in [
        (("sales", ""), "id"),
        (("", "offer"), "id"),
        (("sales", "of\0fer"), "id"),
        (("sales", "offer"), ""),
    ] {
        let edges = month_starts(2026, 1).take(2);
        let named = Partitions::by_time(plan(FormatKind::UuidV7), table, column, edges).unwrap();
        for backend in [Backend::Postgres, Backend::MySql, Backend::MariaDb] {
            let refused = named.partition_by(backend);
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Name);
        }
    }
}

#[test]
fn edges_without_an_end_are_refused() {
    let new = |edges: &mut dyn Iterator<Item = UnixMillis>| {
        Partitions::by_time(plan(FormatKind::UuidV7), "offer", "id", edges)
    };
    let days = || day_starts(UnixMillis::new(NEW_YEAR));
    for refused in [
        new(&mut days()),
        new(&mut month_starts(2026, 1)),
        new(&mut days().take(8_193)),
    ] {
        let error = refused.unwrap_err();
        assert!(error.to_string().contains("at most 8192"), "{error}");
    }
    let most = new(&mut days().take(8_192)).unwrap().with_rest();
    let clause = most.partition_by(Backend::MariaDb).unwrap();
    assert_eq!(clause.matches("VALUES LESS THAN").count(), 8_192);
}

#[test]
fn formats_whose_ranges_are_no_time_are_refused_with_a_reason() {
    for (format, reason) in [
        (
            FormatKind::ShortPrefixComb,
            "returns to 0 every 65,536 intervals",
        ),
        (
            FormatKind::ShortSuffixComb,
            "returns to 0 every 65,536 intervals",
        ),
        (FormatKind::UuidV4, "carry no time"),
        (FormatKind::AnyUuid, "carry no time"),
        (FormatKind::Luuid, "carry no time"),
    ] {
        let error = partitions(format, &[NEW_YEAR, NEW_YEAR + 1]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Declaration);
        assert!(error.to_string().contains(reason), "{format}: {error}");
    }
}

#[test]
fn columns_that_a_backend_does_not_partition_are_refused_with_a_reason() {
    let decimals = months(FormatKind::DistributedId);
    assert!(decimals.partition_by(Backend::Postgres).is_ok());
    for (backend, reason) in [
        (Backend::MySql, "DECIMAL"),
        (Backend::MariaDb, "DECIMAL"),
        (Backend::Sqlite, "no partitioned tables"),
    ] {
        for outcome in [
            decimals.before_create(backend).map(drop),
            decimals.partition_by(backend).map(drop),
            decimals.after_create(backend).map(drop),
            decimals.additions(backend).map(drop),
        ] {
            let error = outcome.unwrap_err();
            assert!(error.to_string().contains(reason), "{backend}: {error}");
        }
    }

    for (choice, reason) in [
        ("text", "compares text by the rules of the database"),
        ("uuid:public-unordered", "has no order of time"),
    ] {
        let unordered = plan(FormatKind::UuidV7).with(Backend::SqlServer, choice);
        let edges = month_starts(2026, 1).take(2);
        let unordered = Partitions::by_time(unordered, "order", "id", edges).unwrap();
        assert!(unordered.partition_by(Backend::Postgres).is_ok());
        let error = unordered.before_create(Backend::SqlServer).unwrap_err();
        assert!(error.to_string().contains(reason), "{choice}: {error}");
    }

    let native = plan(FormatKind::PrefixComb).with(Backend::MariaDb, "native-uuid");
    let edges = month_starts(2026, 1).take(2);
    let native = Partitions::by_time(native, "order", "id", edges).unwrap();
    assert!(native.partition_by(Backend::MariaDb).is_ok());
    let error = native.partition_by(Backend::MySql).unwrap_err();
    assert!(error.to_string().contains("MySQL does not have"), "{error}");
}

#[test]
fn edges_that_cannot_be_edges_are_refused_with_their_place() {
    for edges in [&[][..], &[NEW_YEAR]] {
        let error = partitions(FormatKind::UuidV7, edges).unwrap_err();
        assert!(error.to_string().contains("two edges"), "{error}");
    }
    let end = (1 << 48) - 1;
    for (format, edges, place, reason) in [
        (
            FormatKind::UuidV7,
            &[5, 5][..],
            1,
            "is not after the previous",
        ),
        (
            FormatKind::UuidV7,
            &[1, 3, 2],
            2,
            "is not after the previous",
        ),
        (FormatKind::UuidV7, &[-1, 3], 0, "is outside the range"),
        (
            FormatKind::UuidV7,
            &[3, end, end + 1],
            2,
            "is outside the range",
        ),
        (
            FormatKind::UuidV7,
            &[i64::MIN, i64::MAX],
            0,
            "is outside the range",
        ),
        (FormatKind::HotGuid, &[1_000, 2_500], 1, "whole seconds"),
        (
            FormatKind::HotGuid,
            &[0, 4_294_967_296_000],
            1,
            "is outside the range",
        ),
    ] {
        let error = partitions(format, edges).unwrap_err().to_string();
        let edge = UnixMillis::new(edges[place]);
        let beginning = format!("edge {place} of the partitions, {edge}: ");
        assert!(error.starts_with(&beginning), "{error}");
        assert!(error.contains(reason), "{error}");
    }
    assert!(partitions(FormatKind::UuidV7, &[0, end]).is_ok());
    assert!(partitions(FormatKind::HotGuid, &[0, 4_294_967_295_000]).is_ok());

    // Ids of the year 4321 and later have 39 digits.
    let digits = plan(FormatKind::DistributedId128).with(Backend::Sqlite, "decimal");
    let edges = [72_000_000_000_000, 75_000_000_000_000].map(UnixMillis::new);
    let error = Partitions::by_time(digits, "order", "id", edges).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Declaration);
    assert!(
        error.to_string().starts_with("edge 1 of the partitions"),
        "{error}"
    );
}

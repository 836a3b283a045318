//! Partitions by the numbers in keys, as SQL. What servers make of it is tested with them.

use proptest::prelude::*;
use rowkey::format::FormatKind;
use rowkey::routing::{
    Country, IuidContext, RoutedConditionPart, RoutingColumn, ServiceEntity, ShardKey,
};
use rowkey::storage::{Column, Storage};
use rowkey::{Backend, EntityKey, Error, HotGuid, Iuid, entity_key};
use rowkey_core::error::ErrorKind;
use rowkey_sql::{Partitions, RoutingColumnDefinition as _};

#[entity_key]
struct MissionId(HotGuid);

#[entity_key]
struct RideId(Iuid);

const SHARD: RoutingColumn<MissionId, ShardKey> = RoutingColumn::new("id", "shard");
const COUNTRY: RoutingColumn<RideId, Country> = RoutingColumn::new("id", "country");
const ENTITY: RoutingColumn<RideId, ServiceEntity> = RoutingColumn::new("id", "entity");

/// Countries of two continents.
fn continents() -> Partitions {
    let countries = [("america", vec![2, 3]), ("asia", vec![1, 4, 5])];
    Partitions::by_lists(COUNTRY, "ride", countries).unwrap()
}

/// Shard keys of two regions.
fn regions() -> Partitions {
    let regions = [("europe", 0..=99), ("asia", 100..=u32::MAX)];
    Partitions::by_ranges(SHARD, ("sales", "mission"), regions).unwrap()
}

/// The backends with partitions.
const PARTITIONED: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::SqlServer,
];

#[test]
fn the_column_has_the_number_of_the_key() {
    let mission = MissionId::generate_for(&0xdead_beef);
    assert_eq!(SHARD.value(mission), 0xdead_beef_i64);
    let ride = RideId::generate_for(&IuidContext {
        country: 200,
        service_entity: 255,
    });
    assert_eq!(COUNTRY.value(ride), 200_i16);
    assert_eq!(ENTITY.value(ride), 255_i16);
}

#[test]
fn the_column_is_checked_against_the_id() {
    for (backend, definition, check) in [
        (
            Backend::Postgres,
            r#""entity" smallint NOT NULL"#,
            r#"CHECK ("entity" = (get_byte(uuid_send("id"), 8) & 63) * 4 + (get_byte(uuid_send("id"), 9) >> 6))"#,
        ),
        (
            Backend::MariaDb,
            "`entity` SMALLINT NOT NULL",
            "CHECK (`entity` <=> (ASCII(SUBSTRING(`id`, 9, 1)) & 63) * 4 + (ASCII(SUBSTRING(`id`, 10, 1)) >> 6))",
        ),
        (
            Backend::SqlServer,
            "[entity] smallint NOT NULL",
            // Bytes 9 and 8 of the id are the third group of the guid, which is stored in reverse.
            "CHECK ([entity] = (CONVERT(int, SUBSTRING(CONVERT(binary(16), [id]), 7, 1)) & 63) * 4 + \
             (CONVERT(int, SUBSTRING(CONVERT(binary(16), [id]), 8, 1)) / 64))",
        ),
    ] {
        assert_eq!(ENTITY.definition(backend).unwrap(), definition);
        assert_eq!(ENTITY.check(backend).unwrap(), check);
    }
    assert_eq!(
        SHARD.definition(Backend::Sqlite).unwrap(),
        "`shard` INTEGER NOT NULL"
    );
    assert_eq!(
        SHARD.definition(Backend::MySql).unwrap(),
        "`shard` BIGINT NOT NULL"
    );
    assert_eq!(
        SHARD.primary_key(Backend::SqlServer).unwrap(),
        "PRIMARY KEY ([id], [shard])"
    );
    assert_eq!(
        SHARD.of_table("m").expression(Backend::Postgres).unwrap(),
        r#"get_byte(uuid_send("m"."id"), 15)::bigint * 16777216 + get_byte(uuid_send("m"."id"), 14) * 65536 + get_byte(uuid_send("m"."id"), 13) * 256 + get_byte(uuid_send("m"."id"), 12)"#
    );
}

#[test]
fn only_mysql_needs_triggers() {
    for backend in Backend::ALL {
        let triggers = SHARD.triggers(backend, ("sales", "mission")).unwrap();
        assert_eq!(triggers.is_empty(), backend != Backend::MySql, "{backend}");
    }
    let triggers = COUNTRY.triggers(Backend::MySql, ("sales", "ride")).unwrap();
    let [insert, update] = &triggers[..] else {
        panic!("{triggers:?}");
    };
    for (trigger, event) in [(insert, "INSERT"), (update, "UPDATE")] {
        let name = format!("ride_country_{}", event.to_lowercase());
        let start = format!(
            "CREATE TRIGGER `sales`.`{name}` BEFORE {event} ON `sales`.`ride` FOR EACH ROW IF NOT \
             (NEW.`country` <=> ASCII(SUBSTRING(NEW.`id`, 8, 1))) THEN SIGNAL SQLSTATE '45000' "
        );
        assert!(trigger.starts_with(&start), "{trigger}");
    }
}

/// So `check` has no key to refuse on MySQL for being stored in MariaDB's own type. A format that
/// fits this type needs a test of the refusal instead.
#[test]
fn no_key_with_a_number_is_stored_in_the_uuid_of_mariadb() {
    for format in [FormatKind::HotGuid, FormatKind::Iuid] {
        let column = Column::new(format, Backend::MariaDb, Storage::NativeUuid, None);
        assert!(column.is_err(), "{format}");
    }
}

#[test]
fn a_condition_names_both_columns() {
    let ride = RideId::generate_for(&IuidContext {
        country: 7,
        service_entity: 1,
    });
    let mut sql = String::new();
    COUNTRY.of_table("r").write_condition(ride, |part| {
        sql += &match part {
            RoutedConditionPart::Sql(sql) => sql.to_owned(),
            RoutedConditionPart::KeyColumn => COUNTRY.key_name(Backend::Sqlite).unwrap(),
            RoutedConditionPart::Key(key) => key.to_string(),
            RoutedConditionPart::Column => COUNTRY.name(Backend::Sqlite).unwrap(),
            RoutedConditionPart::Number(number) => number.to_string(),
        }
    });
    assert_eq!(sql, format!("(`id` = {ride} AND `country` = 7)"));
    assert_eq!(
        COUNTRY.of_table("r").name(Backend::MySql).unwrap(),
        "`r`.`country`"
    );
}

#[test]
fn postgres_makes_a_table_of_each_partition() {
    assert_eq!(
        continents().partition_by(Backend::Postgres).unwrap(),
        r#"PARTITION BY LIST ("country")"#
    );
    assert_eq!(
        continents()
            .with_rest()
            .after_create(Backend::Postgres)
            .unwrap(),
        [
            r#"CREATE TABLE "ride_america" PARTITION OF "ride" FOR VALUES IN (2, 3)"#,
            r#"CREATE TABLE "ride_asia" PARTITION OF "ride" FOR VALUES IN (1, 4, 5)"#,
            r#"CREATE TABLE "ride_rest" PARTITION OF "ride" DEFAULT"#,
        ]
    );
    assert_eq!(
        regions().partition_by(Backend::Postgres).unwrap(),
        r#"PARTITION BY RANGE ("shard")"#
    );
    assert_eq!(
        regions().additions(Backend::Postgres).unwrap(),
        [
            r#"CREATE TABLE "sales"."mission_europe" PARTITION OF "sales"."mission" FOR VALUES FROM (0) TO (100)"#,
            r#"CREATE TABLE "sales"."mission_asia" PARTITION OF "sales"."mission" FOR VALUES FROM (100) TO (4294967296)"#,
        ]
    );
}

#[test]
fn mysql_and_mariadb_list_the_partitions_with_the_table() {
    for backend in [Backend::MySql, Backend::MariaDb] {
        let lists = "PARTITION `america` VALUES IN (2, 3), PARTITION `asia` VALUES IN (1, 4, 5)";
        assert_eq!(
            continents().partition_by(backend).unwrap(),
            format!("PARTITION BY LIST COLUMNS (`country`) ({lists})")
        );
        assert_eq!(
            continents().additions(backend).unwrap(),
            [format!("ALTER TABLE `ride` ADD PARTITION ({lists})")]
        );
        let ranges = "PARTITION `europe` VALUES LESS THAN (100), \
                      PARTITION `asia` VALUES LESS THAN (4294967296), \
                      PARTITION `rest` VALUES LESS THAN (MAXVALUE)";
        assert_eq!(
            regions().with_rest().partition_by(backend).unwrap(),
            format!("PARTITION BY RANGE COLUMNS (`shard`) ({ranges})")
        );
        assert_eq!(
            regions().with_rest().additions(backend).unwrap(),
            [format!(
                "ALTER TABLE `sales`.`mission` REORGANIZE PARTITION `rest` INTO ({ranges})"
            )]
        );
    }
    let rest = continents().with_rest();
    let clause = rest.partition_by(Backend::MariaDb).unwrap();
    // MariaDB loses rows if it is not the first when partitions are added.
    assert!(
        clause.contains("(`country`) (PARTITION `rest` DEFAULT, PARTITION `america` "),
        "{clause}"
    );
    let additions = rest.additions(Backend::MariaDb).unwrap();
    assert!(
        additions[0].contains("`rest` INTO (PARTITION `rest` DEFAULT, PARTITION `america` "),
        "{additions:?}"
    );
    let refused = rest.partition_by(Backend::MySql).unwrap_err();
    assert!(
        refused.to_string().contains("no partition for the rest"),
        "{refused}"
    );
}

#[test]
fn sql_server_divides_by_boundaries() {
    assert_eq!(
        continents().before_create(Backend::SqlServer).unwrap(),
        [
            // 1 is of Asia, 2 and 3 are of America, 4 and 5 of Asia.
            "CREATE PARTITION FUNCTION [ride_country] (smallint) AS RANGE RIGHT FOR VALUES (1, 2, 4, 6)",
            "CREATE PARTITION SCHEME [ride_country] AS PARTITION [ride_country] ALL TO ([PRIMARY])",
        ]
    );
    assert_eq!(
        continents().partition_by(Backend::SqlServer).unwrap(),
        "ON [ride_country] ([country])"
    );
    let with_gaps = [("a", vec![0, 9, 7]), ("b", vec![8]), ("c", vec![200, 201])];
    let with_gaps = Partitions::by_lists(ENTITY, "t", with_gaps).unwrap();
    let function = &with_gaps.before_create(Backend::SqlServer).unwrap()[0];
    assert!(
        function.ends_with(" RANGE RIGHT FOR VALUES (0, 1, 7, 8, 9, 10, 200, 202)"),
        "{function}"
    );
    assert_eq!(
        regions().before_create(Backend::SqlServer).unwrap()[0],
        "CREATE PARTITION FUNCTION [sales_mission_shard] (bigint) AS RANGE RIGHT FOR VALUES \
         (0, 100, 4294967296)"
    );
    let later = Partitions::by_ranges(SHARD, "mission", [("asia", 100..=199)]).unwrap();
    assert_eq!(
        later.additions(Backend::SqlServer).unwrap(),
        [
            "ALTER PARTITION SCHEME [mission_shard] NEXT USED [PRIMARY]",
            "ALTER PARTITION FUNCTION [mission_shard]() SPLIT RANGE (200)",
        ]
    );
    // Lists with the gap before each and after the last.
    let later = [("africa", vec![9]), ("europe", vec![11, 10])];
    let later = Partitions::by_lists(COUNTRY, "ride", later).unwrap();
    let splits = [9, 10, 12].map(|boundary| {
        [
            "ALTER PARTITION SCHEME [ride_country] NEXT USED [PRIMARY]".to_owned(),
            format!("ALTER PARTITION FUNCTION [ride_country]() SPLIT RANGE ({boundary})"),
        ]
    });
    assert_eq!(
        later.additions(Backend::SqlServer).unwrap(),
        splits.concat()
    );
    for backend in Backend::ALL {
        if !matches!(backend, Backend::SqlServer | Backend::Sqlite) {
            assert_eq!(regions().before_create(backend).unwrap(), [""; 0]);
        }
        if backend != Backend::Postgres && backend != Backend::Sqlite {
            assert_eq!(regions().after_create(backend).unwrap(), [""; 0]);
        }
    }
}

/// The boundaries of SQL Server's partition function, each of which begins a partition.
fn boundaries(partitions: &Partitions) -> Vec<u64> {
    let statements = partitions.before_create(Backend::SqlServer).unwrap();
    let (_, values) = statements[0].split_once(" FOR VALUES (").unwrap();
    let values = values.strip_suffix(')').unwrap().split(", ");
    values.map(|value| value.parse().unwrap()).collect()
}

/// The partition of a number.
fn place(boundaries: &[u64], number: u64) -> usize {
    boundaries.iter().filter(|first| **first <= number).count()
}

proptest! {
    /// Numbers of two lists, or of a list and of none, are never in the same partition of SQL
    /// Server; neighbours of one list always are.
    #[test]
    fn partitions_of_sql_server_have_numbers_of_one_list(
        owners in prop::collection::vec(0..4_usize, 256), from in 0..250_usize, length in 1..40_usize,
    ) {
        // Numbers without an owner are in no list; so are all but a window.
        let in_window = |number: &usize| (from..from + length).contains(number);
        let owner = |number: usize| if in_window(&number) { owners[number.min(255)] } else { 0 };
        let lists: Vec<(String, Vec<u8>)> = (1..4)
            .map(|list| {
                let numbers = (0..=u8::MAX).rev().filter(|number| owner((*number).into()) == list);
                (list.to_string(), numbers.collect())
            })
            .filter(|(_, numbers): &(String, Vec<u8>)| !numbers.is_empty())
            .collect();
        prop_assume!(!lists.is_empty());
        let boundaries = boundaries(&Partitions::by_lists(COUNTRY, "ride", lists).unwrap());
        prop_assert!(boundaries.is_sorted_by(|one, next| one < next), "{:?}", boundaries);
        for number in 0..255 {
            let [here, next] = [number, number + 1].map(|number| place(&boundaries, number as u64));
            let is_same = owner(number) == owner(number + 1);
            prop_assert_eq!(here == next, is_same, "{} of {:?}", number, boundaries);
        }
    }

    /// Each range is a partition, also beside one of the same length or after a single number.
    #[test]
    fn ranges_of_sql_server_are_partitions(
        first: u32, lengths in prop::collection::vec(0..3_u32, 1..6),
    ) {
        let mut next = Some(first % 1_000_000);
        let mut ranges = Vec::new();
        for (index, length) in lengths.iter().enumerate() {
            let from = next.unwrap();
            ranges.push((index.to_string(), from..=from + length));
            next = from.checked_add(length + 1);
        }
        let partitions = Partitions::by_ranges(SHARD, "mission", ranges.clone()).unwrap();
        let boundaries = boundaries(&partitions);
        for (index, (_, range)) in ranges.iter().enumerate() {
            for number in range.clone() {
                prop_assert_eq!(place(&boundaries, number.into()), index + 1);
            }
        }
        let end = next.unwrap();
        prop_assert_eq!(place(&boundaries, end.into()), ranges.len() + 1);
    }
}

#[test]
fn sqlite_has_the_column_and_no_partitions() {
    let check = COUNTRY.check(Backend::Sqlite).unwrap();
    assert!(check.starts_with("CHECK (`country` = ((instr("), "{check}");
    for outcome in [
        regions().before_create(Backend::Sqlite).map(drop),
        regions().partition_by(Backend::Sqlite).map(drop),
        regions().after_create(Backend::Sqlite).map(drop),
        regions().additions(Backend::Sqlite).map(drop),
    ] {
        let error = outcome.unwrap_err();
        assert!(
            error.to_string().contains("no partitioned tables"),
            "{error}"
        );
    }
}

#[test]
fn partitions_that_cannot_be_are_refused_with_their_name() {
    let problem = |outcome: Result<Partitions, Error>| outcome.unwrap_err().to_string();
    let lists = |lists: &[(&str, &[u8])]| {
        let lists = lists
            .iter()
            .map(|(name, numbers)| (*name, numbers.iter().copied()));
        problem(Partitions::by_lists(COUNTRY, "ride", lists))
    };
    assert_eq!(lists(&[]), "a table has at least one partition; name one");
    assert_eq!(
        lists(&[("a", &[1]), ("b", &[])]),
        "the partition `b`: it has no numbers"
    );
    for twice in [
        &[("a", &[1_u8, 2][..]), ("b", &[3, 1])][..],
        &[("b", &[1, 1])],
    ] {
        assert_eq!(
            lists(twice),
            "the partition `b`: one of its numbers is listed before"
        );
    }
    for name in ["a", "A"] {
        assert_eq!(
            lists(&[("a", &[1]), ("b", &[2]), (name, &[3])]),
            format!(
                "the partition `{name}`: there is another one of this name; MySQL and MariaDB ignore \
                 its case"
            )
        );
    }
    assert_eq!(lists(&[("", &[1])]), "the partition ``: it has no name");

    let ranges = |ranges: &[(&str, u32, u32)]| {
        let ranges = ranges
            .iter()
            .map(|(name, first, last)| (*name, *first..=*last));
        problem(Partitions::by_ranges(SHARD, "mission", ranges))
    };
    assert_eq!(
        ranges(&[("a", 2, 1)]),
        "the partition `a`: its range is empty"
    );
    for next in [[0, 3], [2, 3], [4, 9], [0, 0]] {
        assert_eq!(
            ranges(&[("a", 0, 2), ("b", next[0], next[1])]),
            "the partition `b`: it does not begin with the number after the previous partition"
        );
    }
    let after_all = [("a", 0, u32::MAX), ("b", 0, 1)];
    assert!(ranges(&after_all).starts_with("the partition `b`: it does not begin"));
    let endless = (0..).map(|number: u32| (number.to_string(), number..=number));
    let endless = problem(Partitions::by_ranges(SHARD, "mission", endless));
    let too_many = "a table has at most 8192 partitions, including the rest";
    assert_eq!(endless, too_many);

    let many = |count| {
        let all = (0..count).map(|number: u32| (number.to_string(), number..=number));
        Partitions::by_ranges(SHARD, "mission", all).unwrap()
    };
    for backend in PARTITIONED {
        assert!(many(8192).partition_by(backend).is_ok());
        assert!(many(8191).with_rest().partition_by(backend).is_ok());
        let outcome = many(8192).with_rest().partition_by(backend);
        assert_eq!(outcome.unwrap_err().to_string(), too_many);
        let outcome = Partitions::by_ranges(SHARD, "mission", [("Rest", 0..=1)])
            .unwrap()
            .with_rest()
            .additions(backend);
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "the partition `Rest`: this is the name of the partition for all other rows"
        );
    }
}

#[test]
fn the_number_is_not_in_the_column_of_the_key() {
    for name in ["id", "ID"] {
        let same = RoutingColumn::<RideId, Country>::new("id", name);
        for backend in Backend::ALL {
            for outcome in [
                same.definition(backend),
                same.check(backend),
                same.primary_key(backend),
            ] {
                assert_eq!(
                    outcome.unwrap_err().to_string(),
                    "the number in a key has a column of its own, with another name than the key's \
                     column"
                );
            }
        }
    }
}

#[test]
fn names_are_quoted_and_refused() {
    let odd = RoutingColumn::<RideId, Country>::new("the`id", "my \"column\"");
    assert_eq!(
        odd.primary_key(Backend::MySql).unwrap(),
        "PRIMARY KEY (`the``id`, `my \"column\"`)"
    );
    let check = odd.check(Backend::Postgres).unwrap();
    assert_eq!(
        check,
        r#"CHECK ("my ""column""" = get_byte(uuid_send("the`id"), 7))"#
    );
    let named = Partitions::by_lists(odd, "ri\"de", [("a`b", [1])]).unwrap();
    assert_eq!(
        named.after_create(Backend::Postgres).unwrap(),
        [r#"CREATE TABLE "ri""de_a`b" PARTITION OF "ri""de" FOR VALUES IN (1)"#]
    );
    assert_eq!(
        named.partition_by(Backend::MariaDb).unwrap(),
        "PARTITION BY LIST COLUMNS (`my \"column\"`) (PARTITION `a``b` VALUES IN (1))"
    );
    let unnamed = RoutingColumn::<RideId, Country>::new("id", "");
    for outcome in [
        unnamed.definition(Backend::Sqlite),
        unnamed.check(Backend::Sqlite),
        unnamed.primary_key(Backend::Sqlite),
        Partitions::by_lists(COUNTRY, "", [("a", [1])])
            .unwrap()
            .partition_by(Backend::MySql),
        // Before there is a table that cannot have its partitions.
        Partitions::by_lists(COUNTRY, "ride", [("a\0", [1])])
            .unwrap()
            .partition_by(Backend::Postgres),
    ] {
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Name);
    }
}

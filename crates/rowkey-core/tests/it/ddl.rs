//! Column definitions and literals of every backend.

use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::{Nullability, StoragePlan, quote_identifier};

fn types(plan: StoragePlan) -> Vec<String> {
    Backend::ALL
        .map(|backend| plan.column_type(backend).unwrap())
        .to_vec()
}

#[test]
fn default_types() {
    assert_eq!(
        types(StoragePlan::default_for(FormatKind::UuidV7)),
        [
            "uuid",
            "BINARY(16)",
            "BINARY(16)",
            "BLOB",
            "uniqueidentifier"
        ]
    );
    assert_eq!(
        types(StoragePlan::default_for(FormatKind::DistributedId)),
        [
            "numeric(28,0)",
            "DECIMAL(28,0)",
            "DECIMAL(28,0)",
            "TEXT COLLATE BINARY",
            "decimal(28,0)"
        ]
    );
}

#[test]
fn chosen_types() {
    let plan = |choice| {
        Backend::ALL.into_iter().fold(
            StoragePlan::default_for(FormatKind::DistributedId),
            |plan, backend| plan.with(backend, choice),
        )
    };
    assert_eq!(
        types(plan("binary")),
        ["bytea", "BINARY(12)", "BINARY(12)", "BLOB", "binary(12)"]
    );
    assert_eq!(
        types(plan("text-compact")),
        [
            "varchar(16) COLLATE \"C\"",
            "CHAR(16) CHARACTER SET ascii COLLATE ascii_bin",
            "CHAR(16) CHARACTER SET ascii COLLATE ascii_bin",
            "TEXT COLLATE BINARY",
            "char(16) COLLATE Latin1_General_100_BIN2"
        ]
    );
}

#[test]
fn text_of_a_named_case_is_checked_for_its_length_and_case() {
    let definitions = |choice| {
        Backend::ALL.map(|backend| {
            StoragePlan::default_for(FormatKind::UuidV4)
                .with(backend, choice)
                .column_definition(backend, "id", Nullability::NotNull)
                .unwrap()
        })
    };
    assert_eq!(
        definitions("text-upper"),
        [
            "\"id\" varchar(36) COLLATE \"C\" NOT NULL \
             CHECK (length(\"id\") = 36 AND \"id\" = upper(\"id\"))",
            "`id` CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL \
             CHECK (char_length(`id`) = 36 AND `id` = upper(`id`))",
            "`id` CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL \
             CHECK (char_length(`id`) = 36 AND `id` = upper(`id`))",
            "`id` TEXT COLLATE BINARY NOT NULL CHECK (length(`id`) = 36 AND `id` = upper(`id`))",
            "[id] char(36) COLLATE Latin1_General_100_BIN2 NOT NULL \
             CHECK (len([id]) = 36 AND [id] = upper([id]))",
        ]
    );
    for (choice, case) in [("text-hex", "lower"), ("text-hex-upper", "upper")] {
        for definition in definitions(choice) {
            assert!(definition.contains(" = 32 AND "), "{definition}");
            assert!(definition.contains(&format!(" = {case}(")), "{definition}");
        }
    }
    for definition in ["text", "text-compact"].map(definitions).as_flattened() {
        assert!(!definition.contains("CHECK"), "{definition}");
    }
}

#[test]
fn mariadbs_own_type_is_refused_for_mysql() {
    let plan = StoragePlan::default_for(FormatKind::UuidV7).with(Backend::MariaDb, "native-uuid");
    assert_eq!(plan.column_type(Backend::MariaDb).unwrap(), "UUID");
    let error = plan.column_type(Backend::MySql).unwrap_err();
    assert!(error.to_string().contains("MySQL does not have"), "{error}");
}

#[test]
fn definitions_quote_their_names() {
    let plan = StoragePlan::default_for(FormatKind::ShortPrefixComb);
    let definition = |backend| {
        plan.column_definition(backend, "a`b\"c]d", Nullability::Nullable)
            .unwrap()
    };
    assert_eq!(definition(Backend::Postgres), "\"a`b\"\"c]d\" uuid NULL");
    assert_eq!(definition(Backend::MySql), "`a``b\"c]d` BINARY(16) NULL");
    assert_eq!(definition(Backend::Sqlite), "`a``b\"c]d` BLOB NULL");
    assert_eq!(
        definition(Backend::SqlServer),
        "[a`b\"c]]d] uniqueidentifier NULL"
    );
}

#[test]
fn impossible_names_are_refused() {
    for backend in Backend::ALL {
        assert!(quote_identifier(backend, "").is_err());
        assert!(quote_identifier(backend, "a\0b").is_err());
        let long = "é".repeat(129);
        assert_eq!(
            quote_identifier(backend, &long).is_err(),
            backend != Backend::Sqlite
        );
    }
    assert!(quote_identifier(Backend::MySql, "trailing ").is_err());
}

#[test]
fn literals() {
    let value = 0x0011_2233_4455_4677_8899_aabb_ccdd_eeff;
    let plan = StoragePlan::default_for(FormatKind::PrefixComb);
    let literals = Backend::ALL.map(|backend| plan.column(backend).literal(value));
    assert_eq!(
        literals,
        [
            "'00112233-4455-4677-8899-aabbccddeeff'",
            "X'00112233445546778899aabbccddeeff'",
            "X'00112233445546778899aabbccddeeff'",
            "X'00112233445546778899aabbccddeeff'",
            "'aabbccdd-eeff-4677-8899-001122334455'"
        ]
    );
}

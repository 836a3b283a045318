use super::*;

pub(in crate::chunks) fn key_column(
    backend: Backend,
    name: &str,
    sql_type: &str,
    is_nullable: bool,
) -> KeyColumn {
    try_column(backend, name, sql_type, is_nullable).unwrap()
}

fn try_column(
    backend: Backend,
    name: &str,
    sql_type: &str,
    is_nullable: bool,
) -> Result<KeyColumn, Error> {
    let column = Column {
        name: name.into(),
        is_nullable,
        ..Column::of_type(sql_type)
    };
    KeyColumn::new(backend, &Table::new("offer"), &column)
}

#[test]
fn literals_are_one_line_and_mean_the_same_in_every_session() {
    let text = |text: &str| Value::Text(text.into());
    let uuid = "018e5f3b-ff48-7bff-8000-0123456789ab";
    for (backend, sql_type, value, expected) in [
        (
            Backend::Postgres,
            "uuid",
            text(uuid),
            format!("'{uuid}'::uuid"),
        ),
        (
            Backend::Postgres,
            "text",
            text("it's\\"),
            r"E'it''s\\'::text".into(),
        ),
        (
            Backend::Postgres,
            "text",
            text("a\n"),
            r"E'a\u000a'::text".into(),
        ),
        (Backend::MariaDb, "uuid", text(uuid), format!("'{uuid}'")),
        (
            Backend::MySql,
            "binary(2)",
            Value::Bytes(vec![0, 255]),
            "X'00ff'".into(),
        ),
        (
            Backend::MySql,
            "bigint(20) unsigned",
            text("18446744073709551615"),
            "18446744073709551615".into(),
        ),
        (Backend::MySql, "varchar(9)", text("a b"), "'a b'".into()),
        (
            Backend::MySql,
            "varchar(9)",
            text("a\\"),
            "_utf8mb4 X'615c'".into(),
        ),
        (
            Backend::Sqlite,
            "TEXT",
            Value::Bytes(b"a".into()),
            "'a'".into(),
        ),
        (
            Backend::Sqlite,
            "TEXT",
            Value::Bytes(b"a\n".into()),
            "('' || CAST(X'610a' AS TEXT))".into(),
        ),
        (
            Backend::Sqlite,
            "TEXT",
            Value::Bytes(vec![0xff]),
            "('' || CAST(X'ff' AS TEXT))".into(),
        ),
        (
            Backend::SqlServer,
            "uniqueidentifier",
            text(uuid),
            format!("'{uuid}'"),
        ),
        (
            Backend::SqlServer,
            "binary(2)",
            Value::Bytes(vec![0, 255]),
            "0x00ff".into(),
        ),
        (Backend::SqlServer, "decimal(28,0)", text("-1"), "-1".into()),
        (Backend::SqlServer, "nvarchar(9)", text("ä"), "N'ä'".into()),
    ] {
        let column = key_column(backend, "id", sql_type, false);
        assert_eq!(
            column.literal(&value).unwrap(),
            expected,
            "{backend} {sql_type}"
        );
    }
}

#[test]
fn literals_of_sql_server_have_the_type_of_their_column() {
    let (plain, quote, accent) = ("a\\ b", "it's", "Ünder");
    let national = key_column(Backend::SqlServer, "id", "nvarchar(9)", false);
    let mut code_page = key_column(Backend::SqlServer, "id", "varchar(9)", false);
    let literal = |column: &KeyColumn, text: &str| column.literal(&Value::Text(text.into()));
    for (text, expected) in [
        (plain, "N'a\\ b'"),
        (quote, "N'it''s'"),
        (accent, "N'Ünder'"),
    ] {
        assert_eq!(literal(&national, text).unwrap(), expected);
    }
    for (text, expected) in [(plain, "'a\\ b'"), (quote, "'it''s'"), ("N", "'N'")] {
        assert_eq!(literal(&code_page, text).unwrap(), expected);
    }
    let error = literal(&code_page, accent).unwrap_err().to_string();
    assert!(error.contains("the code page is not known"), "{error}");
    for (name, expected) in [
        (
            "Latin1_General_CI_AS",
            Some("CAST(N'Ünder' COLLATE Latin1_General_CI_AS AS varchar(9))"),
        ),
        ("a; DROP", None),
    ] {
        code_page.form = KeyLiteral::CodePage {
            sql_type: "varchar(9)".into(),
            collation: Some(name.into()),
        };
        assert_eq!(literal(&code_page, accent).ok().as_deref(), expected);
    }
}

#[test]
fn other_columns_and_values_are_refused() {
    for (backend, sql_type) in [
        (Backend::MySql, "timestamp(6)"),
        (Backend::MySql, "enum('a')"),
        (Backend::MariaDb, "double"),
        (Backend::SqlServer, "sql_variant"),
    ] {
        let error = try_column(backend, "id", sql_type, false)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("offer.id") && error.contains("--column"),
            "{error}"
        );
    }
    let number = key_column(Backend::MySql, "id", "bigint(20)", false);
    let value = Value::Text("1 OR 1".into());
    assert!(
        number
            .literal(&value)
            .unwrap_err()
            .to_string()
            .contains("offer.id")
    );
    for sql_type in ["varchar(9)", "nvarchar(9)"] {
        let text = key_column(Backend::SqlServer, "id", sql_type, false);
        assert!(text.literal(&Value::Text("a\n".into())).is_err());
    }
}

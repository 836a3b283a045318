//! A value that isn't a key of the plan is refused, with an error that names the column.

use anyhow::{Context, Result, ensure};
use rowkey::Backend;
use rowkey::format::FormatKind;
use rowkey::storage::{BinaryLength, TextForm, Wire};

use crate::cases::Cases;
use crate::driver::{Ability, Session};
use crate::keys::Case;
use crate::query::Query;
use crate::samples::samples;
use crate::table::{Record, Table, distinct_cases};

/// Whether reading a column fails as it should, with the column's name and an error of rowkey; the
/// error's text.
fn check_refusal<D: Cases>(case: &Case<D>, row: &D::Row<'_>, what: &str) -> Result<String> {
    let column = "the_key";
    let format = case.format();
    let error = match (case.get)(row, column) {
        Ok(value) => anyhow::bail!("{format}: {what} is read as {value:x}"),
        Err(error) => error,
    };
    ensure!(D::is_refusal(&error, column), "{format}: {what}: {error}");
    // What was expected, or the value as the server shows it and the layout that it does not fit.
    let message = error.to_string();
    ensure!(
        message.contains("expected") || message.contains(" layout: "),
        "{format}: {what}: {error}"
    );
    ensure!(
        (case.get_optional)(row, column).is_err(),
        "{format}: {what} is read as an option"
    );
    Ok(error.to_string())
}

/// How the one row has been refused.
fn check_one(mut checked: Vec<Result<String>>) -> Result<String> {
    ensure!(checked.len() == 1, "{} rows", checked.len());
    checked.remove(0)
}

/// One id in each form of hexadecimal digits.
const UUID_TEXTS: [(TextForm, &str); 4] = [
    (TextForm::Hyphenated, "8dd5bca5-6abe-4f73-b4b7-393ae6bbb849"),
    (
        TextForm::HyphenatedUpper,
        "8DD5BCA5-6ABE-4F73-B4B7-393AE6BBB849",
    ),
    (TextForm::Hex, "8dd5bca56abe4f73b4b7393ae6bbb849"),
    (TextForm::HexUpper, "8DD5BCA56ABE4F73B4B7393AE6BBB849"),
];

/// SQL expressions that are not what a wire shape is.
fn foreign(backend: Backend, wire: Wire) -> Vec<String> {
    let bytes = |count: usize| {
        let hex = "5a".repeat(count);
        match backend {
            Backend::Postgres => format!("'\\x{hex}'::bytea"),
            Backend::SqlServer => format!("0x{hex}"),
            _ => format!("X'{hex}'"),
        }
    };
    let text = |character: &str, count: usize| {
        let text = character.repeat(count);
        match backend {
            Backend::Postgres => format!("'{text}'::varchar"),
            _ => format!("'{text}'"),
        }
    };
    let decimal = |digits: &str| match backend {
        Backend::Postgres => format!("{digits}::numeric"),
        Backend::Sqlite => digits.to_owned(),
        _ => format!(
            "CAST({digits} AS DECIMAL({},{}))",
            // No number of SQL Server has more.
            if backend == Backend::SqlServer {
                38
            } else {
                60
            },
            if digits.contains('.') { 1 } else { 0 }
        ),
    };
    let uuid = "'8dd5bca5-6abe-4f73-b4b7-393ae6bbb849'";

    let mut foreign = vec![
        "1.5".to_owned(),
        decimal("-7"),
        text("a", 1),
        text("", 0),
        bytes(0),
        bytes(1),
        bytes(15),
        bytes(17),
        bytes(40),
    ];
    if wire != Wire::Integer {
        foreign.push("7".to_owned());
    }
    match wire {
        Wire::Uuid | Wire::NativeUuid => {
            foreign.extend([text("z", 36), text("7", 28), decimal("7")]);
            match backend {
                Backend::Postgres => foreign.extend([bytes(16), format!("{uuid}::text")]),
                Backend::SqlServer => foreign.extend([bytes(16), uuid.to_owned()]),
                _ => {}
            }
        }
        Wire::Bytes(length) => {
            let width = usize::from(length.bytes());
            foreign.extend([
                bytes(28 - width),
                text("z", 36),
                text("z", width),
                text("7", 28),
                decimal("7"),
            ]);
            match backend {
                Backend::Postgres => foreign.push(format!("{uuid}::uuid")),
                Backend::SqlServer => foreign.push(format!("CAST({uuid} AS uniqueidentifier)")),
                Backend::Sqlite => foreign.push(uuid.to_owned()),
                // Sixteen bytes may come as text there.
                _ => {}
            }
        }
        Wire::Decimal(precision) => {
            let digits = usize::from(precision.digits());
            foreign.extend([
                text("7", 1),
                text("7", digits),
                bytes(digits),
                bytes(12),
                bytes(16),
                decimal("-12.50"),
            ]);
            // Elsewhere a key has decimals as soon as a parameter is in the expression.
            if !matches!(backend, Backend::MySql | Backend::MariaDb) {
                foreign.push(decimal("7.0"));
            }
            if backend == Backend::Postgres {
                let long = "9".repeat(60);
                let others = ["'NaN'", "'-Infinity'", "0.00012", &long];
                foreign.extend(others.map(decimal));
            }
            if digits < 38 || backend != Backend::SqlServer {
                foreign.push(decimal(&format!("1{}", "0".repeat(digits))));
            }
        }
        Wire::Text(form) => {
            let width = usize::from(form.width());
            let others = UUID_TEXTS.iter().filter(|(other, _)| *other != form);
            foreign.extend(others.map(|(_, other)| text(other, 1)));
            foreign.extend([
                text("7", width - 1),
                text("7", width + 1),
                text("~", width),
                bytes(width),
                bytes(12),
                bytes(16),
                decimal(&"7".repeat(width.min(38))),
            ]);
            match backend {
                Backend::Postgres => foreign.push(format!("{uuid}::uuid")),
                Backend::SqlServer => foreign.push(format!("CAST({uuid} AS uniqueidentifier)")),
                _ => {}
            }
        }
        Wire::Integer => {
            foreign.extend([text("7", 1), bytes(8), text("7", 19)]);
            match backend {
                Backend::Postgres => foreign.extend(["7", "(-7)::bigint"].map(str::to_owned)),
                Backend::MySql | Backend::MariaDb => {
                    foreign.extend([decimal("7"), "CAST(-1 AS UNSIGNED)".to_owned()]);
                }
                Backend::Sqlite => foreign.push("7.0".to_owned()),
                Backend::SqlServer => foreign.push("CAST(-7 AS bigint)".to_owned()),
            }
        }
    }
    foreign
}

/// Other types, lengths and alphabets.
pub(crate) async fn values_of_another_type_are_refused<D: Cases>(
    session: &mut Session<D>,
) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let backend = session.backend();
        for expression in foreign(backend, column.wire()) {
            let is_text = expression.starts_with('\'');
            if is_text && !D::can(Ability::TellTextFromBytes, backend) {
                continue;
            }
            let sql = format!("SELECT {expression} AS the_key");
            let check = |row: &D::Row<'_>| Ok(check_refusal(&case, row, &sql));
            let checked = session.fetch_text(&sql, check).await;
            let as_text = check_one(checked.with_context(|| sql.clone())?)?;
            let checked = session.fetch(Query::new(&sql), check).await;
            let as_binary = check_one(checked.with_context(|| sql.clone())?)?;
            ensure!(
                as_text == as_binary,
                "{sql}: in the text protocol {as_text}, in the binary one {as_binary}"
            );
        }
    }
    Ok(())
}

/// The right type with the wrong version, variant or range.
pub(crate) async fn ids_of_another_format_are_refused<D: Cases>(
    session: &mut Session<D>,
) -> Result<()> {
    for (case, column) in distinct_cases(session) {
        let format = case.format();
        let id = samples(format)[0];
        let others = match format {
            FormatKind::DistributedId => [10_u128.pow(28), u128::MAX],
            // Another version, another variant; of those that MariaDB's UUID type takes.
            _ => [id ^ 0x3 << 76, id ^ 0b11 << 62],
        };
        let refused = |other: &u128| !format.admits(*other) && *other <= room(column.wire());
        let table = Table::create(session, &case).await?;
        for (n, other) in (1_i64..).zip(others.into_iter().filter(refused)) {
            let literal = column.literal(other);
            let insert = format!(
                "INSERT INTO {} (id, n) VALUES ({literal}, {n})",
                table.name()
            );
            session.execute(insert).await?;
            let select = format!(" WHERE n = {n}");
            let select = table.query("SELECT id AS the_key FROM", &select);
            let what = format!("{other:x}");
            let check = |row: &D::Row<'_>| Ok(check_refusal(&case, row, &what));
            check_one(session.fetch(select, check).await?)?;
        }
        // What is right is still read next to it.
        let right = Record::numbered([id]);
        table.insert(session, &right).await?;
        ensure!(table.records_of(session, id).await? == right);
    }
    Ok(())
}

/// The largest number that can be written into a column of this type, in any format.
fn room(wire: Wire) -> u128 {
    match wire {
        Wire::Decimal(precision) => precision.max(),
        Wire::Text(TextForm::Digits28 | TextForm::Compact16) => 10_u128.pow(28) - 1,
        Wire::Text(TextForm::Digits38) => 10_u128.pow(38) - 1,
        Wire::Bytes(BinaryLength::Bytes12) => (1 << 96) - 1,
        Wire::Integer => i64::MAX as u128,
        _ => u128::MAX,
    }
}

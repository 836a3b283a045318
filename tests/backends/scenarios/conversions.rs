//! Ids are converted from every stored form to every other by the expressions of `Conversion`,
//! which give what `Column::encode` stores, and tell damaged values.

use anyhow::{Context, Result, ensure};
use rowkey::Backend;
use rowkey::error::ErrorKind;
use rowkey::format::FormatKind;
use rowkey::sql::{Conversion, StoredForm};
use rowkey::storage::{Layout, Storage, Stored, quote_identifier};

use crate::driver::{Driver, Session};
use crate::samples::{Random, extremes, samples};
use crate::scenario::Scenario;

pub(crate) fn scenarios<D: Driver>() -> Vec<Scenario<D>> {
    let has_forms = |format: &FormatKind| forms(Backend::Postgres, *format).len() > 1;
    let of_format = FormatKind::ALL.into_iter().filter(has_forms).map(|format| {
        let name = format!("conversions_of_{}", format.name().replace('-', "_"));
        Scenario::new(name, move |session| {
            Box::pin(conversions_of(session, format))
        })
    });
    of_format
        .chain([
            Scenario::new("damaged_values_are_not_converted", |session| {
                Box::pin(damaged_values_are_not_converted(session))
            }),
            Scenario::new("functions_convert_like_their_expressions", |session| {
                Box::pin(functions_convert_like_their_expressions(session))
            }),
            Scenario::new("views_show_the_public_form", |session| {
                Box::pin(views_show_the_public_form(session))
            }),
        ])
        .collect()
}

/// Every form of a format's ids.
pub(super) fn forms(backend: Backend, format: FormatKind) -> Vec<StoredForm> {
    let every = Storage::ALL
        .into_iter()
        .flat_map(|storage| Layout::ALL.map(|layout| (storage, layout)));
    every
        .filter_map(|(storage, layout)| {
            StoredForm::new(format, backend, storage, Some(layout)).ok()
        })
        .collect()
}

/// A thousand public values: ids of the format, values without its fixed bits, and the edges of
/// numbers.
fn values(format: FormatKind) -> Vec<u128> {
    let mut random = Random::Seeded(7);
    let edges = [63, 64, 93, 96, 126, 127].map(|bits| 1_u128 << bits);
    let edges = edges.into_iter().chain([10_u128.pow(28), 10_u128.pow(38)]);
    let edges = edges.flat_map(|edge| [edge - 1, edge, edge + 1]);
    let mut values: Vec<u128> = extremes(format)
        .into_iter()
        .chain([0, u128::MAX])
        .chain(edges)
        .chain(samples(format).into_iter().take(400))
        .chain((0..600).map(|index| random.next_u128() >> [0, index % 128][index % 2]))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Whether a column of the form can contain the value at all, damaged or not.
fn holds(form: StoredForm, value: u128) -> bool {
    match (form.storage(), form.encode(0)) {
        (Storage::NativeUuid, _) => form.format().admits(value),
        (Storage::TextCompact, _) | (_, Stored::Decimal(_) | Stored::Integer(_)) => {
            value <= form.max_value()
        }
        (_, Stored::Bytes(bytes)) if bytes.as_slice().len() == 12 => value < 1 << 96,
        (_, Stored::Text(text)) if matches!(text.len(), 28 | 38) => value <= form.max_value(),
        _ => true,
    }
}

fn is_id(form: StoredForm, value: u128) -> bool {
    form.format().admits(value) && value <= form.max_value()
}

/// A number as the driver reads it.
pub(super) fn integer(backend: Backend, number: impl std::fmt::Display) -> String {
    match backend {
        Backend::MySql | Backend::MariaDb => format!("CAST({number} AS SIGNED)"),
        Backend::Sqlite => format!("{number}"),
        _ => format!("CAST({number} AS bigint)"),
    }
}

fn differ(backend: Backend, a: &str, b: &str) -> String {
    match backend {
        Backend::MySql | Backend::MariaDb => format!("NOT ({a} <=> {b})"),
        Backend::SqlServer => format!("NOT EXISTS (SELECT {a} INTERSECT SELECT {b})"),
        Backend::Postgres | Backend::Sqlite => format!("{a} IS DISTINCT FROM {b}"),
    }
}

/// Makes a table with a column of each form, called after its index, for values numbered as in the
/// list.
pub(super) async fn create_table<D: Driver>(
    session: &mut Session<D>,
    forms: &[StoredForm],
    values: &[u128],
) -> Result<()> {
    let columns = forms.iter().enumerate();
    let columns = columns.map(|(index, form)| format!("c{index} {} NULL", form.sql_type()));
    let columns: Vec<String> = columns.collect();
    let definition = format!(
        "CREATE TABLE ids (n BIGINT PRIMARY KEY, {})",
        columns.join(", ")
    );
    session.execute(definition).await?;
    let numbered: Vec<(usize, &u128)> = values.iter().enumerate().collect();
    for chunk in numbered.chunks(100) {
        let rows = chunk.iter().map(|(n, value)| {
            let literals = forms.iter().map(|form| match holds(*form, **value) {
                true => form.literal(**value),
                false => "NULL".into(),
            });
            let literals: Vec<String> = literals.collect();
            format!("({n}, {})", literals.join(", "))
        });
        let rows: Vec<String> = rows.collect();
        session
            .execute(format!("INSERT INTO ids VALUES {}", rows.join(", ")))
            .await?;
    }
    Ok(())
}

/// The numbers that a query finds.
pub(super) async fn numbers<D: Driver>(session: &mut Session<D>, sql: &str) -> Result<Vec<i64>> {
    let found = session
        .fetch_text(sql, |row| D::get_integer(row, "n"))
        .await;
    found.with_context(|| sql.chars().take(2_000).collect::<String>())
}

/// The condition of the rows in which the expression gives something else than the form that is
/// stored beside it, or anything for a value that the format does not have. Those are numbered from
/// `out_of_range` on. None for forms that store the same.
pub(super) fn mismatch(
    conversion: Conversion,
    from: StoredForm,
    [source, target]: [&str; 2],
    out_of_range: usize,
) -> Result<Option<String>> {
    let (backend, to) = (from.backend(), conversion.to());
    let expression = conversion.expression(source)?;
    if expression == quote_identifier(backend, source)? {
        ensure!(
            from.encode(0xab) == to.encode(0xab),
            "{from:?} is not {to:?}"
        );
        return Ok(None);
    }
    let mut mismatch = format!(
        "{source} IS NOT NULL AND (n < {out_of_range} AND {} OR n >= {out_of_range} AND \
         {expression} IS NOT NULL)",
        differ(backend, &expression, target)
    );
    if to.storage() == Storage::NativeUuid {
        mismatch += &format!(" AND {target} IS NOT NULL");
    }
    Ok(Some(mismatch))
}

async fn conversions_of<D: Driver>(session: &mut Session<D>, format: FormatKind) -> Result<()> {
    let backend = session.backend();
    let (forms, values) = (forms(backend, format), values(format));
    create_table(session, &forms, &values).await?;
    let out_of_range = values.partition_point(|value| *value <= format.width().max());
    let mut converted = 0;
    for (from_index, from) in forms.iter().enumerate() {
        let mut mismatches = Vec::new();
        for (to_index, to) in forms.iter().enumerate() {
            let (source, target) = (format!("c{from_index}"), format!("c{to_index}"));
            let conversion = Conversion::new(*from, *to)?;
            let columns = [source.as_str(), target.as_str()];
            let Some(mismatch) = mismatch(conversion, *from, columns, out_of_range)? else {
                continue;
            };
            converted += 1;
            let n = integer(backend, to_index);
            mismatches.push(format!("SELECT {n} AS n FROM ids WHERE {mismatch}"));
        }
        if mismatches.is_empty() {
            continue;
        }
        let wrong = numbers(session, &mismatches.join(" UNION ALL ")).await?;
        ensure!(
            wrong.is_empty(),
            "{from:?} to {:?} gives {} other ids: {}",
            forms[wrong[0] as usize],
            wrong.len(),
            Conversion::new(*from, forms[wrong[0] as usize])?.expression("id")?
        );
    }
    ensure!(converted > 1, "{format} has {converted} conversions");
    for (index, form) in forms.iter().enumerate() {
        check_predicates(session, *form, &format!("c{index}"), &values)
            .await
            .with_context(|| format!("{form:?}"))?;
    }
    Ok(())
}

/// The condition finds the ids, and their times are those that the format reads.
pub(super) async fn check_predicates<D: Driver>(
    session: &mut Session<D>,
    form: StoredForm,
    column: &str,
    values: &[u128],
) -> Result<()> {
    let (backend, format) = (session.backend(), form.format());
    let stored = session.quoted(column);
    let ids = (0_i64..)
        .zip(values)
        .filter(|(_, value)| holds(form, **value) && is_id(form, **value));
    let condition = form.condition(&stored)?;
    let sql = format!("SELECT n FROM ids WHERE {condition} ORDER BY n");
    let expected: Vec<i64> = ids.clone().map(|(n, _)| n).collect();
    let found = numbers(session, &sql).await?;
    ensure!(found == expected, "{condition} finds {}", found.len());
    let others = (0_i64..)
        .zip(values)
        .filter(|(_, value)| holds(form, **value) && !is_id(form, **value));
    let others: Vec<i64> = others.map(|(n, _)| n).collect();
    let sql = format!("SELECT n FROM ids WHERE NOT ({condition}) ORDER BY n");
    ensure!(
        numbers(session, &sql).await? == others,
        "{condition} refuses others"
    );

    let time = match form.unix_millis(&stored) {
        Ok(time) => time,
        Err(error) => {
            let has_time = ids
                .clone()
                .any(|(_, value)| format.time_of(*value).is_some());
            ensure!(!has_time, "{error}");
            return Ok(());
        }
    };
    let expected: Vec<(i64, i64)> = ids
        .filter_map(|(n, value)| Some((n, format.time_of(*value)?.get())))
        .collect();
    let sql = format!(
        "SELECT n, {} AS t FROM ids WHERE {condition} AND {time} IS NOT NULL ORDER BY n",
        integer(backend, &time)
    );
    let found = session
        .fetch_text(&sql, |row| {
            Ok((D::get_integer(row, "n")?, D::get_integer(row, "t")?))
        })
        .await
        .context(sql)?;
    ensure!(found == expected, "{time} gives other times");
    Ok(())
}

/// A type that holds values of another shape as well, and such values beside the literal of an id.
fn damaged(form: StoredForm, good: u128) -> Option<(&'static str, Vec<String>)> {
    let backend = form.backend();
    let text = match form.encode(good) {
        Stored::Text(text) if form.storage() != Storage::NativeUuid => text.to_string(),
        Stored::Bytes(_) => {
            let longer = StoredForm::new(FormatKind::AnyUuid, backend, Storage::Binary, None);
            let shorter = StoredForm::named(FormatKind::DistributedId, backend, "binary");
            let others = [longer, shorter].map(|form| form.expect("every backend has bytes"));
            let others = others
                .into_iter()
                .filter(|other| other.encode(1) != form.encode(1));
            let sql_type = match backend {
                Backend::Postgres => "bytea",
                Backend::Sqlite => "BLOB",
                _ => "varbinary(100)",
            };
            let mut others: Vec<String> = others.map(|other| other.literal(1)).collect();
            if backend == Backend::Sqlite {
                others.extend([
                    "'0123456789abcdef'".into(),
                    "'0123456789ab'".into(),
                    "1".into(),
                ]);
            }
            return Some((sql_type, others));
        }
        Stored::Decimal(_) => {
            let sql_type = match backend {
                Backend::Postgres => "numeric",
                Backend::SqlServer => "decimal(38,0)",
                _ => "DECIMAL(65,0)",
            };
            let mut others = vec!["-1".into(), "-4951760157141521099596496896".into()];
            if form.max_value() < 10_u128.pow(38) - 1 || backend != Backend::SqlServer {
                others.push((form.max_value() + 1).to_string());
            }
            if backend == Backend::Postgres {
                others.push("'NaN'".into());
            }
            return Some((sql_type, others));
        }
        _ => return None,
    };
    let shape = |digit: char| text.replacen('1', &digit.to_string(), 1);
    let mut others = match form.storage() {
        Storage::TextCompact => damaged_compact_text(&text),
        _ => vec![
            text.to_uppercase(),
            text.to_lowercase(),
            shape('g'),
            shape('G'),
        ],
    };
    others.extend([
        text.replace('-', ""),
        text.replace('-', "_"),
        shape('-'),
        shape('é'),
        shape(' '),
        format!("{text}0"),
        format!("0{text}"),
        format!("{text} "),
        format!("{text}\n"),
        format!("{{{text}}}"),
        text[1..].into(),
        String::new(),
    ]);
    if text.contains('-') {
        others.push(format!("{}-{}", &text[9..], &text[..8]));
    }
    others.retain(|other| *other != text);
    let sql_type = match backend {
        Backend::Postgres | Backend::Sqlite => "text",
        Backend::SqlServer => "varchar(100) COLLATE Latin1_General_100_CI_AS",
        _ => "VARCHAR(100) CHARACTER SET utf8 COLLATE utf8_general_ci",
    };
    let others = others.into_iter().map(|other| match backend {
        Backend::MySql | Backend::MariaDb => format!("'{}'", other.replace('\\', "\\\\")),
        _ => format!("'{other}'"),
    });
    let mut others: Vec<String> = others.collect();
    if backend == Backend::Sqlite {
        others.push(format!("CAST('{text}' AS BLOB)"));
        others.push(format!("'{text}' || char(0) || 'a'"));
    }
    Some((sql_type, others))
}

/// Texts with characters next to the digits in ASCII, and numbers beyond the largest.
fn damaged_compact_text(text: &str) -> Vec<String> {
    // The neighbours of the digits in ASCII.
    let others = ['/', ':', '@', '[', '`', '{', '%', '\\', '\u{ff21}'];
    let in_place = |other: char| {
        [3, text.len() - 1].map(|index| format!("{}{other}{}", &text[..index], &text[index + 1..]))
    };
    let low_half = text.len() - 11;
    let too_large = ["LygHa16AHYG", "zzzzzzzzzzz"];
    let mut damaged: Vec<String> = too_large
        .iter()
        .map(|block| format!("{}{block}", &text[..low_half]))
        .collect();
    match text.len() {
        16 => damaged.extend(["agbFu5KnEQGxp4QC", "agbFv00000000000"].map(String::from)),
        _ => damaged.extend(too_large.map(|block| format!("{block}{}", &text[low_half..]))),
    }
    damaged.extend(others.into_iter().flat_map(in_place));
    damaged
}

async fn damaged_values_are_not_converted<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    let formats = [
        FormatKind::AnyUuid,
        FormatKind::DistributedId,
        FormatKind::DistributedId128,
    ];
    let mut checked = 0;
    for format in formats {
        // With letters among its digits, and small enough for 28.
        let good = 0x0000_0000_0c1a_b2cd_9e31_4f56_1a2b_3c4d;
        let public = forms(backend, format);
        let public: Vec<StoredForm> = public
            .into_iter()
            .filter(|form| form.layout() == Layout::Public)
            .collect();
        for from in &public {
            let Some((sql_type, mut others)) = damaged(*from, good) else {
                continue;
            };
            others.sort();
            others.dedup();
            let good_row = format!("(0, {})", from.literal(good));
            let rows = others.iter().enumerate();
            let rows = rows.map(|(n, other)| format!("({}, {other})", n + 1));
            let mut rows: Vec<String> = rows.collect();
            rows.push(good_row);
            rows.push("(100, NULL)".into());
            session
                .execute(format!("CREATE TABLE damaged (n BIGINT, id {sql_type})"))
                .await?;
            let insert = format!("INSERT INTO damaged VALUES {}", rows.join(", "));
            session.execute(insert).await?;
            let id = session.quoted("id");
            let mut conditions = vec![from.condition(&id)?];
            if let Ok(time) = from.unix_millis(&id) {
                conditions.push(format!("{time} IS NOT NULL"));
            }
            for to in &public {
                let expression = Conversion::new(*from, *to)?.expression("id")?;
                if expression != id {
                    conditions.push(format!("{expression} IS NOT NULL"));
                }
            }
            for condition in &conditions {
                let sql = format!("SELECT n FROM damaged WHERE {condition}");
                let found = numbers(session, &sql).await?;
                let wrong = found.iter().find(|n| **n > 0);
                let wrong = wrong.and_then(|n| others.get(*n as usize - 1));
                ensure!(
                    found == [0],
                    "{from:?}: {condition} takes {wrong:?} {found:?}"
                );
                checked += 1;
            }
            let sql = format!("SELECT n FROM damaged WHERE NOT ({})", conditions[0]);
            let found = numbers(session, &sql).await?;
            ensure!(
                found.len() == others.len(),
                "{from:?}: {sql} finds {found:?}"
            );
            session.execute("DROP TABLE damaged").await?;
        }
    }
    ensure!(checked > 20);
    Ok(())
}

async fn functions_convert_like_their_expressions<D: Driver>(
    session: &mut Session<D>,
) -> Result<()> {
    let backend = session.backend();
    for format in [FormatKind::SuffixComb, FormatKind::DistributedId] {
        let forms = forms(backend, format);
        let values = [samples(format)[0], samples(format)[1]];
        create_table(session, &forms, &values).await?;
        let forms = forms.iter().enumerate();
        for ((from_index, from), (to_index, to)) in forms.clone().zip(forms.skip(1)) {
            let conversion = Conversion::new(*from, *to)?;
            for (conversion, source, target) in [
                (conversion, from_index, to_index),
                (conversion.reversed(), to_index, from_index),
            ] {
                let name = format!("convert_{source}_to_{target}");
                let function = match conversion.function(&name) {
                    Err(error)
                        if error.kind() == ErrorKind::Declaration && backend == Backend::Sqlite =>
                    {
                        return Ok(());
                    }
                    function => function?,
                };
                session.execute(function).await?;
                let schema = if backend == Backend::SqlServer {
                    "dbo."
                } else {
                    ""
                };
                let call = format!("{schema}{name}(c{source})");
                let sql = format!(
                    "SELECT n FROM ids WHERE {}",
                    differ(backend, &call, &format!("c{target}"))
                );
                let found = numbers(session, &sql).await?;
                ensure!(found.is_empty(), "{conversion:?}");
                session
                    .execute(format!("DROP FUNCTION {schema}{name}"))
                    .await?;
            }
        }
        session.execute("DROP TABLE ids").await?;
    }
    Ok(())
}

async fn views_show_the_public_form<D: Driver>(session: &mut Session<D>) -> Result<()> {
    let backend = session.backend();
    let public_column = session.quoted("public");
    let formats = [
        FormatKind::ShortSuffixComb,
        FormatKind::DistributedId,
        FormatKind::DatabaseNumber,
    ];
    for format in formats {
        let mut values = samples(format);
        values.truncate(100);
        if format != FormatKind::ShortSuffixComb {
            values.extend([0, 5, 10, 1_020_304_050]);
        }
        let expected: Vec<Option<String>> = values
            .iter()
            .map(|value| Some(format.public_text(*value).to_string()))
            .collect();
        for stored in forms(backend, format) {
            create_table(session, &[stored], &values).await?;
            let view = stored.public_view("public_ids", "ids", "c0", "public")?;
            session.execute(view).await?;
            let sql = format!(
                "SELECT n, {public_column} AS t FROM public_ids WHERE c0 IS NOT NULL ORDER BY n"
            );
            let found = session.fetch_text(sql, |row| D::get_text(row, "t")).await?;
            ensure!(found == expected, "{stored:?}: {found:?}");
            session.execute("DROP VIEW public_ids").await?;
            session.execute("DROP TABLE ids").await?;
        }
    }
    Ok(())
}

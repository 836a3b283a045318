//! What one would write for this one table: a task that reads with sqlx, and one that writes.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use futures_util::TryStreamExt;
use rowkey_core::Backend;
use rowkey_core::storage::{Stored, StoredRef};
use rowkey_sql::StoredForm;
use sqlx::mysql::{MySqlConnectOptions, MySqlRow};
use sqlx::postgres::{PgConnectOptions, PgRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection as _, Executor, MySqlConnection, Row};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::rows::{COLUMNS, TABLE, definition, form};

/// What goes from one task to the other at once.
const CHUNK: usize = 1 << 20;

/// Both forms of the ids.
#[derive(Clone, Copy)]
struct Forms {
    from: StoredForm,
    to: StoredForm,
}

impl Forms {
    fn converted(self, bytes: &[u8]) -> Result<[u8; 16]> {
        let id = self.from.decode(StoredRef::Bytes(bytes))?;
        match self.to.encode(id) {
            Stored::Uuid(bytes) => Ok(bytes),
            Stored::Bytes(bytes) => Ok(bytes.as_slice().try_into()?),
            other => bail!("ids are stored as {other:?}"),
        }
    }
}

/// From MariaDB to PostgreSQL, whose COPY gets binary rows.
pub(crate) async fn to_postgres(source: &str, target: &str) -> Result<()> {
    let forms = Forms {
        from: form(Backend::MariaDb)?,
        to: form(Backend::Postgres)?,
    };
    let (sender, mut chunks) = channel::<Vec<u8>>(4);
    let source: MySqlConnectOptions = source.parse()?;
    let reader = tokio::spawn(read_mysql(source, forms, sender));

    let target: PgConnectOptions = target.parse()?;
    let mut target = target.disable_statement_logging().connect().await?;
    target.execute("BEGIN").await?;
    target
        .execute(AssertSqlSafe(definition(Backend::Postgres)?))
        .await?;
    let statement = format!("COPY {TABLE} ({COLUMNS}) FROM STDIN (FORMAT binary)");
    let mut copy = target.copy_in_raw(&statement).await?;
    copy.send(&b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0"[..])
        .await?;
    while let Some(chunk) = chunks.recv().await {
        copy.send(chunk).await?;
    }
    reader.await??;
    copy.send(&[0xff, 0xff][..]).await?;
    copy.finish().await?;
    target.execute("COMMIT").await?;
    Ok(target.close().await?)
}

async fn read_mysql(
    source: MySqlConnectOptions,
    forms: Forms,
    sender: Sender<Vec<u8>>,
) -> Result<()> {
    let mut source = source.disable_statement_logging().connect().await?;
    let query = format!("SELECT {COLUMNS} FROM {TABLE}");
    let mut rows = sqlx::query(AssertSqlSafe(query)).fetch(&mut source);
    let mut chunk = Vec::with_capacity(CHUNK + 1_000);
    while let Some(row) = rows.try_next().await? {
        push_binary(&mut chunk, &row, forms)?;
        if chunk.len() >= CHUNK {
            sender
                .send(std::mem::replace(
                    &mut chunk,
                    Vec::with_capacity(CHUNK + 1_000),
                ))
                .await?;
        }
    }
    Ok(sender.send(chunk).await?)
}

fn push_binary(chunk: &mut Vec<u8>, row: &MySqlRow, forms: Forms) -> Result<()> {
    let raw = |place: usize| row.try_get_unchecked::<&[u8], _>(place);
    chunk.extend(10_i16.to_be_bytes());
    let mut push = |value: &[u8]| {
        chunk.extend((value.len() as i32).to_be_bytes());
        chunk.extend_from_slice(value);
    };
    push(&forms.converted(raw(0)?)?);
    push(&forms.converted(raw(1)?)?);
    push(&row.try_get::<i64, _>(2)?.to_be_bytes());
    push(&row.try_get::<i32, _>(3)?.to_be_bytes());
    let (price, length) = numeric(str::from_utf8(raw(4)?)?)?;
    push(price.get(..length).context("a price")?);
    push(&row.try_get::<f64, _>(5)?.to_be_bytes());
    push(&[row.try_get::<bool, _>(6)?.into()]);
    push(row.try_get::<&str, _>(7)?.as_bytes());
    push(&micros(raw(8)?)?.to_be_bytes());
    push(&(days(raw(9)?)? as i32).to_be_bytes());
    Ok(())
}

/// A price with two digits after the point, as PostgreSQL's numeric, and its length.
fn numeric(text: &str) -> Result<([u8; 16], usize)> {
    let (whole, cents) = text.split_once('.').context("a price without a point")?;
    let (whole, cents): (u32, u16) = (whole.parse()?, cents.parse()?);
    let groups = [
        (whole / 10_000) as u16,
        (whole % 10_000) as u16,
        cents * 100,
    ];
    let first = groups.iter().position(|group| *group != 0).unwrap_or(3);
    let last = groups.iter().rposition(|group| *group != 0).unwrap_or(2);
    let sent = groups.get(first..=last).unwrap_or_default();
    let weight = if sent.is_empty() { 0 } else { 1 - first as i16 };
    let header = [sent.len() as u16, weight.cast_unsigned(), 0, 2];
    let mut bytes = [0; 16];
    for (place, field) in bytes.chunks_exact_mut(2).zip(header.iter().chain(sent)) {
        place.copy_from_slice(&field.to_be_bytes());
    }
    Ok((bytes, 8 + 2 * sent.len()))
}

/// Days since the beginning of 2000.
fn days(value: &[u8]) -> Result<i64> {
    let [_, low, high, month, day, ..] = *value else {
        bail!("a date has zeros");
    };
    let year = i64::from(u16::from_le_bytes([low, high]));
    let (month, day) = (i64::from(month), i64::from(day));
    // Years that begin in March.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Ok(year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 730_425)
}

/// Microseconds since the beginning of 2000.
fn micros(value: &[u8]) -> Result<i64> {
    let mut micros = days(value)? * 86_400_000_000;
    if let Some(&[hour, minute, second, ref fraction @ ..]) = value.get(5..) {
        let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
        micros += seconds * 1_000_000;
        if let Some(fraction) = fraction.first_chunk() {
            micros += i64::from(u32::from_le_bytes(*fraction));
        }
    }
    Ok(micros)
}

/// From PostgreSQL to MariaDB, in statements of 1 MiB.
pub(crate) async fn to_mariadb(source: &str, target: &str) -> Result<()> {
    let forms = Forms {
        from: form(Backend::Postgres)?,
        to: form(Backend::MariaDb)?,
    };
    let (sender, statements) = channel::<String>(4);
    let source: PgConnectOptions = source.parse()?;
    let reader = tokio::spawn(read_postgres(source, forms, sender));
    let target: MySqlConnectOptions = target.parse()?;
    let mut target = target.disable_statement_logging().connect().await?;
    target
        .execute(AssertSqlSafe(definition(Backend::MariaDb)?))
        .await?;
    target.execute("SET SESSION time_zone = '+00:00'").await?;
    write_mysql(&mut target, statements).await?;
    reader.await??;
    Ok(target.close().await?)
}

async fn write_mysql(target: &mut MySqlConnection, mut statements: Receiver<String>) -> Result<()> {
    target.execute("BEGIN").await?;
    while let Some(statement) = statements.recv().await {
        target
            .execute(sqlx::raw_sql(AssertSqlSafe(statement)))
            .await?;
    }
    target.execute("COMMIT").await?;
    Ok(())
}

async fn read_postgres(
    source: PgConnectOptions,
    forms: Forms,
    sender: Sender<String>,
) -> Result<()> {
    let mut source = source.disable_statement_logging().connect().await?;
    // Times and decimal numbers as text: what the other server is sent.
    let columns = COLUMNS.replace("price", "price::text");
    let columns = columns
        .replace("made", "made::text")
        .replace("day", "day::text");
    let query = format!("SELECT {columns} FROM {TABLE}");
    let mut rows = sqlx::query(AssertSqlSafe(query)).fetch(&mut source);
    let beginning = format!("INSERT INTO {TABLE} ({COLUMNS}) VALUES ");
    let mut statement = beginning.clone();
    while let Some(row) = rows.try_next().await? {
        if statement.len() > beginning.len() {
            statement.push(',');
        }
        push_literals(&mut statement, &row, forms)?;
        if statement.len() >= CHUNK {
            let mut next = String::with_capacity(CHUNK + 1_000);
            next.push_str(&beginning);
            sender.send(std::mem::replace(&mut statement, next)).await?;
        }
    }
    if statement.len() > beginning.len() {
        sender.send(statement).await?;
    }
    Ok(())
}

fn push_literals(statement: &mut String, row: &PgRow, forms: Forms) -> Result<()> {
    let text = |place: usize| row.try_get::<&str, _>(place);
    let raw = |place: usize| -> Result<&[u8]> {
        row.try_get_raw(place)?
            .as_bytes()
            .map_err(anyhow::Error::from_boxed)
    };
    statement.push('(');
    for place in [0, 1] {
        statement.push_str("X'");
        for byte in forms.converted(raw(place)?)? {
            for digit in [byte >> 4, byte & 15] {
                statement.push(char::from_digit(digit.into(), 16).context("a digit")?);
            }
        }
        statement.push_str("',");
    }
    let (number, quantity) = (row.try_get::<i64, _>(2)?, row.try_get::<i32, _>(3)?);
    let (weight, is_open) = (row.try_get::<f64, _>(5)?, row.try_get::<bool, _>(6)?);
    write!(
        statement,
        "{number},{quantity},{},{weight:e},{},'",
        text(4)?,
        u8::from(is_open)
    )?;
    for character in text(7)?.chars() {
        if matches!(character, '\'' | '\\') {
            statement.push(character);
        }
        statement.push(character);
    }
    write!(statement, "','{}','{}')", text(8)?, text(9)?)?;
    Ok(())
}

//! MySQL and MariaDB: statements that insert many rows.

use std::collections::VecDeque;

use futures_util::future::try_join;
use rowkey_core::Backend;
use rowkey_tables::Error;
use sqlx::{AssertSqlSafe, Executor, MySqlConnection};

use super::encoded::{Payload, Statement};
use super::literal;
use super::transaction::{TransactionBatches, check_count};
use crate::batch::{Batch, Cell};
use crate::rows::shown::wrong_value;
use crate::tables::table_side::TableSide;

/// After how many bytes a statement ends, unless the server takes less than twice as many: a row
/// may be long. Short ones cost more: over TLS, each waits for an acknowledgement of TCP, which may
/// take 40 ms, as sqlx 0.9.0 does not set `TCP_NODELAY`.
const STATEMENT: u64 = 1 << 20;

pub(super) async fn write(
    connection: &mut MySqlConnection,
    limit: u64,
    side: &TableSide,
    transaction: &mut TransactionBatches<'_>,
) -> Result<(), Error> {
    let mut statements = Statements {
        beginning: beginning(side)?,
        limit,
        read: VecDeque::new(),
        transaction,
    };
    let mut full = statements.next().await?;
    while let Some(statement) = full {
        // The next one is put together meanwhile.
        let execute = execute(connection, statement, limit, side);
        ((), full) = try_join(execute, statements.next()).await?;
    }
    Ok(())
}

/// The statements of a transaction, those of small batches joined.
struct Statements<'s, 't> {
    /// What each begins with.
    beginning: String,
    limit: u64,
    /// Those that are not joined yet.
    read: VecDeque<Statement>,
    transaction: &'s mut TransactionBatches<'t>,
}

impl Statements<'_, '_> {
    async fn next(&mut self) -> Result<Option<Statement>, Error> {
        let mut joined: Option<Statement> = None;
        loop {
            let Some(next) = self.read.pop_front() else {
                match self.transaction.next().await? {
                    Some(Payload::Statements(statements)) => self.read.extend(statements),
                    Some(_) => return Err(Error::NoDriver(Backend::MySql)),
                    None => return Ok(joined),
                }
                continue;
            };
            let Some(statement) = &mut joined else {
                joined = Some(next);
                continue;
            };
            let length = statement.sql.len() + next.sql.len();
            let rows = next.sql.strip_prefix(&self.beginning);
            let Some(rows) = rows.filter(|_| length as u64 <= enough(self.limit)) else {
                self.read.push_front(next);
                return Ok(joined);
            };
            statement.sql.push(',');
            statement.sql.push_str(rows);
            statement.rows += next.rows;
        }
    }
}

async fn execute(
    connection: &mut MySqlConnection,
    Statement { sql, rows }: Statement,
    limit: u64,
    side: &TableSide,
) -> Result<(), Error> {
    // The server would close the connection, and the program would not know why.
    if sql.len() as u64 >= limit {
        return Err(too_long(side, &sql, rows, limit));
    }
    let doing = format!("writing {}", side.name);
    let done = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await;
    let written = done.map_err(Error::database(&doing))?.rows_affected();
    check_count(side, rows, written)
}

fn enough(limit: u64) -> u64 {
    STATEMENT.min(limit / 2)
}

fn beginning(side: &TableSide) -> Result<String, Error> {
    let (table, columns) = (side.quoted()?, side.column_list()?);
    Ok(format!("INSERT INTO {table} ({columns}) VALUES "))
}

fn too_long(side: &TableSide, sql: &str, rows: u64, limit: u64) -> Error {
    Error::refused(
        format!("the next {rows} rows of {}", side.name),
        format!(
            "their statement has {} bytes, and the server takes {limit} (max_allowed_packet)",
            sql.len()
        ),
        "SET GLOBAL max_allowed_packet to more, and run the same command again",
    )
}

/// The rows of a batch, for a server with a limit of bytes.
pub(super) fn encode(side: &TableSide, batch: &Batch, limit: u64) -> Result<Vec<Statement>, Error> {
    let beginning = beginning(side)?;
    let mut statements: Vec<Statement> = Vec::new();
    for row in batch.rows() {
        let is_full = |statement: &Statement| statement.sql.len() as u64 >= enough(limit);
        if statements.last().is_none_or(is_full) {
            let (sql, rows) = (beginning.clone(), 0);
            statements.push(Statement { sql, rows });
        }
        if let Some(Statement { sql, rows }) = statements.last_mut() {
            sql.push_str(if *rows == 0 { "(" } else { ",(" });
            push_row(sql, side, batch, row)?;
            *rows += 1;
        }
    }
    Ok(statements)
}

/// Appends the values of a row and the end of its parentheses.
fn push_row(sql: &mut String, side: &TableSide, batch: &Batch, row: &[Cell]) -> Result<(), Error> {
    for (place, (column, cell)) in side.columns.iter().zip(row).enumerate() {
        if place > 0 {
            sql.push(',');
        }
        literal::push(sql, side.backend, column, batch, *cell)
            .map_err(|why| wrong_value(side, column, batch, row, &why))?;
    }
    sql.push(')');
    Ok(())
}

//! MySQL and MariaDB: statements that insert many rows.

use rowkey_tables::Error;
use sqlx::{AssertSqlSafe, Executor, MySqlConnection};

use super::encoded::{Payload, Statement};
use super::literal;
use super::transaction::{TransactionBatches, check_count};
use crate::batch::{Batch, Cell};
use crate::table_side::TableSide;

/// After how many bytes a statement ends, unless the server takes less than twice as many: a row
/// may be long.
const STATEMENT: u64 = 1 << 20;

pub(super) async fn write(
    connection: &mut MySqlConnection,
    limit: u64,
    side: &TableSide,
    transaction: &mut TransactionBatches<'_>,
) -> Result<(), Error> {
    let doing = format!("writing {}", side.name);
    while let Some(payload) = transaction.next().await? {
        let Payload::Statements(statements) = payload else {
            return Err(Error::NoDriver(side.backend));
        };
        for Statement { sql, rows } in statements {
            // The server would close the connection, and the program would not know why.
            if sql.len() as u64 >= limit {
                return Err(too_long(side, &sql, rows, limit));
            }
            let done = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await;
            let written = done.map_err(Error::database(&doing))?.rows_affected();
            check_count(side, rows, written)?;
        }
    }
    Ok(())
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
    let enough = STATEMENT.min(limit / 2);
    let beginning = format!(
        "INSERT INTO {} ({}) VALUES ",
        side.quoted()?,
        side.column_list()?
    );
    let mut statements: Vec<Statement> = Vec::new();
    for row in batch.rows() {
        let is_full = |statement: &Statement| statement.sql.len() as u64 >= enough;
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
            .map_err(|why| side.wrong(column, &why))?;
    }
    sql.push(')');
    Ok(())
}

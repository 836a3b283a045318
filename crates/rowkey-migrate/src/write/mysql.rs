//! MySQL and MariaDB: statements that insert many rows.

use sqlx::{AssertSqlSafe, Executor, MySqlConnection};

use super::{Inlet, check_count, literal};
use crate::copy::side::Side;
use crate::error::Error;

/// A server accepts statements of 4 MiB, unless it was told otherwise.
const STATEMENT: usize = 1 << 20;

pub(super) async fn write(
    connection: &mut MySqlConnection,
    side: &Side,
    inlet: &mut Inlet<'_>,
) -> Result<(), Error> {
    let doing = format!("writing {}", side.name);
    let beginning = format!(
        "INSERT INTO {} ({}) VALUES ",
        side.quoted()?,
        side.column_list()?
    );
    let mut statement = Statement {
        sql: beginning.clone(),
        rows: 0,
    };
    while let Some(batch) = inlet.next(side).await {
        for row in batch.rows() {
            statement
                .sql
                .push_str(if statement.rows == 0 { "(" } else { ",(" });
            for (place, (column, cell)) in side.columns.iter().zip(row).enumerate() {
                if place > 0 {
                    statement.sql.push(',');
                }
                literal::push(&mut statement.sql, side.backend, column, &batch, *cell)
                    .map_err(|why| side.wrong(column, &why))?;
            }
            statement.sql.push(')');
            statement.rows += 1;
            if statement.sql.len() >= STATEMENT {
                statement.run(connection, side, &beginning, &doing).await?;
            }
        }
    }
    statement.run(connection, side, &beginning, &doing).await
}

struct Statement {
    sql: String,
    rows: u64,
}

impl Statement {
    /// Inserts the rows, and begins anew.
    async fn run(
        &mut self,
        connection: &mut MySqlConnection,
        side: &Side,
        beginning: &str,
        doing: &str,
    ) -> Result<(), Error> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut next = String::with_capacity(self.sql.len());
        next.push_str(beginning);
        let sql = std::mem::replace(&mut self.sql, next);
        let done = connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await;
        let written = done.map_err(Error::database(doing))?.rows_affected();
        check_count(side, std::mem::take(&mut self.rows), written)
    }
}

//! What sqlx's drivers have in common.

/// Implements the functions of a driver's module. The module has `held`, which reads a column of a
/// row; `UNBOUND_AS_TEXT`, whether a query without values is sent as text rather than prepared; and
/// `KEPT`, whether a prepared statement is kept for its next use, although tables may change.
macro_rules! impl_statements {
    ($Database:ty, $Connection:ty, $Arguments:ty) => {
        pub(super) async fn execute(
            connection: &mut $Connection,
            doing: &str,
            statement: &str,
        ) -> Result<u64, Error> {
            let statement = sqlx::raw_sql(sqlx::AssertSqlSafe(statement));
            let result = sqlx::Executor::execute(connection, statement).await;
            Ok(result.map_err(Error::database(doing))?.rows_affected())
        }

        fn bound<'q>(
            statement: &'q str,
            values: &[Value],
        ) -> sqlx::query::Query<'q, $Database, $Arguments> {
            let mut query = sqlx::query(sqlx::AssertSqlSafe(statement)).persistent(KEPT);
            for value in values {
                query = match value {
                    Value::Null => query.bind(None::<String>),
                    Value::Integer(number) => query.bind(*number),
                    Value::Text(text) => query.bind(text.clone()),
                    Value::Bytes(bytes) => query.bind(bytes.clone()),
                };
            }
            query
        }

        pub(super) async fn update(
            connection: &mut $Connection,
            doing: &str,
            statement: &str,
            values: &[Value],
        ) -> Result<u64, Error> {
            let result = bound(statement, values).execute(connection).await;
            Ok(result.map_err(Error::database(doing))?.rows_affected())
        }

        pub(super) async fn for_each(
            connection: &mut $Connection,
            doing: &str,
            query: &str,
            values: &[Value],
            take: &mut (dyn FnMut(Row) -> Result<(), Error> + Send),
        ) -> Result<(), Error> {
            use futures_util::TryStreamExt;

            let mut rows = match values {
                [] if UNBOUND_AS_TEXT => {
                    sqlx::raw_sql(sqlx::AssertSqlSafe(query)).fetch(connection)
                }
                _ => bound(query, values).fetch(connection),
            };
            while let Some(row) = rows.try_next().await.map_err(Error::database(doing))? {
                let columns = 0..sqlx::Row::len(&row);
                let values = columns.map(|index| held(&row, index).map(Value::from));
                let values: Result<_, sqlx::Error> = values.collect();
                take(Row(values.map_err(Error::database(doing))?))?;
            }
            Ok(())
        }
    };
}

pub(super) use impl_statements;

//! The tables of the pages, `orders` and `order_lines`.

use anyhow::Result;
use rowkey::Backend;

use super::values::hyphenated;
use crate::driver::{Driver, KeyOf, Session};
use crate::query::Query;

/// A literal of sixteen bytes, for a column of the default type.
pub(super) fn literal(backend: Backend, value: u128) -> String {
    match backend {
        Backend::Postgres => format!("'{}'", hyphenated(value)),
        _ => format!("X'{value:032x}'"),
    }
}

/// The default column for uuids.
pub(super) fn id_type(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "uuid",
        Backend::Sqlite => "BLOB",
        _ => "BINARY(16)",
    }
}

/// Creates `orders` with the default column for uuids and with these values in it.
pub(super) async fn create_orders<D: Driver>(
    session: &mut Session<D>,
    values: &[u128],
) -> Result<()> {
    let backend = session.backend();
    let literals = values.iter().map(|&value| literal(backend, value));
    let id = format!("id {}", id_type(backend));
    create(session, &id, literals.collect()).await
}

/// Creates `orders` with this column for the key, and literals of keys in it.
pub(super) async fn create<D: Driver>(
    session: &mut Session<D>,
    id: &str,
    literals: Vec<String>,
) -> Result<()> {
    let created_at = match session.backend() {
        Backend::Postgres => "timestamptz",
        Backend::Sqlite => "TEXT",
        // As MySQL up to 5.7 takes the first TIMESTAMP of a table for.
        _ => "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
    };
    let table = format!("CREATE TABLE orders ({id} NOT NULL PRIMARY KEY, created_at {created_at})");
    session.execute(table).await?;
    let rows: Vec<String> = literals.iter().map(|id| format!("({id})")).collect();
    let insert = format!("INSERT INTO orders (id) VALUES {}", rows.join(", "));
    session.execute(insert).await
}

/// Creates `order_lines` with a column of this type and a line for each order.
pub(super) async fn create_lines<D: Driver>(session: &mut Session<D>, id_type: &str) -> Result<()> {
    create_lines_with(session, &format!("{id_type} NOT NULL"), "").await
}

/// Creates `order_lines` with such a column, whose constraint has these actions, and a line for
/// each order.
pub(super) async fn create_lines_with<D: Driver>(
    session: &mut Session<D>,
    order_id: &str,
    actions: &str,
) -> Result<()> {
    session
        .execute(format!(
            "CREATE TABLE order_lines (n INTEGER PRIMARY KEY, order_id {order_id}, \
             CONSTRAINT order_lines_order FOREIGN KEY (order_id) REFERENCES orders (id) {actions})"
        ))
        .await?;
    session
        .execute(
            "INSERT INTO order_lines SELECT (SELECT count(*) FROM orders p WHERE p.id < o.id), id \
             FROM orders o",
        )
        .await
}

pub(super) async fn drop_tables<D: Driver>(session: &mut Session<D>) -> Result<()> {
    for table in ["order_lines", "orders"] {
        session
            .execute(format!("DROP TABLE IF EXISTS {table}"))
            .await?;
    }
    Ok(())
}

/// Drops the tables that the conversion has made, or those that it has left.
pub(super) async fn drop_copies<D: Driver>(session: &mut Session<D>, end: &str) -> Result<()> {
    for table in ["order_lines", "orders"] {
        session
            .execute(format!("DROP TABLE IF EXISTS {table}_{end}"))
            .await?;
    }
    Ok(())
}

/// Inserts an order by its key.
pub(super) async fn insert<D: Driver, K: KeyOf<D>>(
    session: &mut Session<D>,
    value: u128,
) -> Result<()> {
    let mut query = Query::new("INSERT INTO orders (id) VALUES (");
    query.push_param(K::try_from(value)?.param()).push(")");
    Ok(session.run(query).await?)
}

/// Reads a text that is not NULL from a row.
pub(super) fn text<D: Driver>(row: &D::Row<'_>, column: &str) -> Result<String, D::Error> {
    Ok(D::get_text(row, column)?.unwrap_or_else(|| "NULL".to_owned()))
}

/// A query of its own for each key: PostgreSQL refuses a prepared one after a column's type has
/// changed, and keys of one type are read before, those of the other after it.
pub(super) fn select<D: Driver, K: KeyOf<D>>(sql: &str) -> String {
    format!("/* {} */ {sql}", K::NAME)
}

/// The keys of `orders`, in public order.
pub(super) async fn orders<D: Driver, K: KeyOf<D>>(session: &mut Session<D>) -> Result<Vec<u128>> {
    let mut keys = in_column_order::<D, K>(session).await?;
    keys.sort_unstable();
    Ok(keys)
}

pub(super) async fn in_column_order<D: Driver, K: KeyOf<D>>(
    session: &mut Session<D>,
) -> Result<Vec<u128>> {
    let query = Query::new(select::<D, K>("SELECT id FROM orders ORDER BY id"));
    let key = |row: &D::Row<'_>| Ok(K::get(row, "id")?.to_u128());
    Ok(session.fetch(query, key).await?)
}

/// What reading all of `orders` as keys ends with.
pub(super) async fn refusal<D: Driver, K: KeyOf<D>>(session: &mut Session<D>) -> Result<String> {
    match in_column_order::<D, K>(session).await {
        Ok(keys) => anyhow::bail!("read as {}: {keys:x?}", K::NAME),
        Err(error) => Ok(error.to_string()),
    }
}

/// The keys of orders that have a line, which exists for each.
pub(super) async fn orders_with_lines<D: Driver, K: KeyOf<D>>(
    session: &mut Session<D>,
) -> Result<Vec<u128>> {
    let query = Query::new(select::<D, K>(
        "SELECT l.order_id AS id FROM order_lines l JOIN orders o ON o.id = l.order_id",
    ));
    let key = |row: &D::Row<'_>| Ok(K::get(row, "id")?.to_u128());
    let mut keys = session.fetch(query, key).await?;
    keys.sort_unstable();
    Ok(keys)
}

/// Whether a query by this key finds a row.
pub(super) async fn finds<D: Driver, K: KeyOf<D>>(
    session: &mut Session<D>,
    value: u128,
) -> Result<bool> {
    let mut query = Query::new(select::<D, K>("SELECT id FROM orders WHERE id = "));
    query.push_param(K::try_from(value)?.param());
    Ok(!session.fetch(query, |_| Ok(())).await?.is_empty())
}

/// The values of a column in their order, as text of any kind.
pub(super) async fn ids_as_text<D: Driver>(
    session: &mut Session<D>,
    table: &str,
    column: &str,
) -> Result<Vec<String>> {
    let shown = match session.backend() {
        Backend::Postgres => format!("{column}::text"),
        _ => format!("hex({column})"),
    };
    let sql = format!("SELECT {shown} AS shown FROM {table} ORDER BY 1");
    Ok(session
        .fetch_text(sql, |row| text::<D>(row, "shown"))
        .await?)
}

//! SQLite.

use sqlx::SqliteConnection;

pub use checked_queries_shop::sqlite::{add_customer, add_invoice, last_invoice};

use crate::{Customer, CustomerId, Invoice, InvoiceId};

/// The customer with this key.
pub async fn customer(db: &mut SqliteConnection, id: CustomerId) -> sqlx::Result<Option<Customer>> {
    sqlx::query_as!(
        Customer,
        "SELECT id, name, referred_by FROM customers WHERE id = ?1",
        id,
    )
    .fetch_optional(db)
    .await
}

/// Every customer with each of their invoices, in the order of the keys.
pub async fn customers_with_invoices(
    db: &mut SqliteConnection,
) -> sqlx::Result<Vec<(CustomerId, Option<InvoiceId>)>> {
    let rows = sqlx::query!(
        r#"SELECT customers.id AS customer, invoices.id AS "invoice?"
           FROM customers LEFT JOIN invoices ON invoices.customer_id = customers.id
           ORDER BY 1, 2"#
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.customer, row.invoice))
        .collect())
}

/// The invoices with these keys, in the order of the keys.
///
/// A checked query is a constant, so the number of keys is fixed. For a list of any length use
/// [`QueryBuilder`](sqlx::QueryBuilder).
pub async fn two_invoices(
    db: &mut SqliteConnection,
    ids: [InvoiceId; 2],
) -> sqlx::Result<Vec<Invoice>> {
    sqlx::query_as!(
        Invoice,
        "SELECT id, customer_id, cents FROM invoices WHERE id IN (?1, ?2) ORDER BY id",
        ids[0],
        ids[1],
    )
    .fetch_all(db)
    .await
}

/// Removes the invoices of a customer and returns their keys.
pub async fn remove_invoices(
    db: &mut SqliteConnection,
    customer: CustomerId,
) -> sqlx::Result<Vec<InvoiceId>> {
    sqlx::query_scalar!(
        "DELETE FROM invoices WHERE customer_id = ?1 RETURNING id",
        customer,
    )
    .fetch_all(db)
    .await
}

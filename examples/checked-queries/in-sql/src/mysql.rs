//! MySQL and MariaDB.

use sqlx::MySqlConnection;

pub use checked_queries_shop::mysql::{add_customer, add_invoice, last_invoice, remove_invoices};

use crate::{Customer, CustomerId, Invoice, InvoiceId};

/// The customer with this key.
pub async fn customer(db: &mut MySqlConnection, id: CustomerId) -> sqlx::Result<Option<Customer>> {
    sqlx::query_as!(
        Customer,
        "SELECT id AS `id: _`, name, referred_by AS `referred_by: _`
         FROM customers WHERE id = ?",
        id,
    )
    .fetch_optional(db)
    .await
}

/// Every customer with each of their invoices, in the order of the keys.
pub async fn customers_with_invoices(
    db: &mut MySqlConnection,
) -> sqlx::Result<Vec<(CustomerId, Option<InvoiceId>)>> {
    let rows = sqlx::query!(
        "SELECT customers.id AS `customer!: CustomerId`, invoices.id AS `invoice?: InvoiceId`
         FROM customers LEFT JOIN invoices ON invoices.customer_id = customers.id
         ORDER BY customers.id, invoices.id"
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
    db: &mut MySqlConnection,
    ids: [InvoiceId; 2],
) -> sqlx::Result<Vec<Invoice>> {
    sqlx::query_as!(
        Invoice,
        "SELECT id AS `id: _`, customer_id AS `customer_id: _`, cents
         FROM invoices WHERE id IN (?, ?) ORDER BY id",
        ids[0],
        ids[1],
    )
    .fetch_all(db)
    .await
}

//! PostgreSQL.

use sqlx::PgConnection;

pub use checked_queries_shop::postgres::{add_customer, add_invoices, last_invoice};

use crate::{Customer, CustomerId, Invoice, InvoiceId};

/// The customer with this key.
pub async fn customer(db: &mut PgConnection, id: CustomerId) -> sqlx::Result<Option<Customer>> {
    sqlx::query_as!(
        Customer,
        "SELECT id, name, referred_by FROM customers WHERE id = $1",
        id as _,
    )
    .fetch_optional(db)
    .await
}

/// Every customer with each of their invoices, in the order of the keys.
pub async fn customers_with_invoices(
    db: &mut PgConnection,
) -> sqlx::Result<Vec<(CustomerId, Option<InvoiceId>)>> {
    let rows = sqlx::query!(
        r#"SELECT customers.id AS customer, invoices.id AS "invoice?"
           FROM customers LEFT JOIN invoices ON invoices.customer_id = customers.id
           ORDER BY customers.id, invoices.id"#
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.customer, row.invoice))
        .collect())
}

/// The invoices with these keys, in the order of the keys.
pub async fn invoices(db: &mut PgConnection, ids: &[InvoiceId]) -> sqlx::Result<Vec<Invoice>> {
    sqlx::query_as!(
        Invoice,
        "SELECT id, customer_id, cents FROM invoices WHERE id = ANY($1) ORDER BY id",
        ids as _,
    )
    .fetch_all(db)
    .await
}

/// Removes the invoices of a customer and returns their keys.
pub async fn remove_invoices(
    db: &mut PgConnection,
    customer: CustomerId,
) -> sqlx::Result<Vec<InvoiceId>> {
    sqlx::query_scalar!(
        "DELETE FROM invoices WHERE customer_id = $1 RETURNING id",
        customer as _,
    )
    .fetch_all(db)
    .await
}

//! MySQL and MariaDB.

use sqlx::MySqlConnection;

use crate::{Customer, CustomerId, Invoice, InvoiceId};

/// Adds a customer.
pub async fn add_customer(db: &mut MySqlConnection, customer: &Customer) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO customers (id, name, referred_by) VALUES (?, ?, ?)",
        customer.id,
        customer.name,
        customer.referred_by,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The customer with this key.
pub async fn customer(db: &mut MySqlConnection, id: CustomerId) -> sqlx::Result<Option<Customer>> {
    sqlx::query_as!(
        Customer,
        "SELECT id, name, referred_by FROM customers WHERE id = ?",
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
        "SELECT customers.id AS customer, invoices.id AS `invoice?`
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

/// Adds an invoice.
pub async fn add_invoice(db: &mut MySqlConnection, invoice: &Invoice) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO invoices (id, customer_id, cents) VALUES (?, ?, ?)",
        invoice.id,
        invoice.customer_id,
        invoice.cents,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The invoices with these keys, in the order of the keys.
///
/// The text of a checked query is fixed, and with it the number of keys. A list of any length is
/// for [`QueryBuilder`](sqlx::QueryBuilder).
pub async fn two_invoices(
    db: &mut MySqlConnection,
    ids: [InvoiceId; 2],
) -> sqlx::Result<Vec<Invoice>> {
    sqlx::query_as!(
        Invoice,
        "SELECT id, customer_id, cents FROM invoices WHERE id IN (?, ?) ORDER BY id",
        ids[0],
        ids[1],
    )
    .fetch_all(db)
    .await
}

/// The key of a customer's last invoice.
pub async fn last_invoice(
    db: &mut MySqlConnection,
    customer: CustomerId,
) -> sqlx::Result<Option<InvoiceId>> {
    sqlx::query_scalar!(
        "SELECT MAX(id) AS `id: InvoiceId` FROM invoices WHERE customer_id = ?",
        customer,
    )
    .fetch_one(db)
    .await
}

/// Removes the invoices of a customer and tells their keys.
///
/// Only MariaDB has `RETURNING`, and tells nothing of its columns before the statement runs. So
/// there is no checked query for it.
pub async fn remove_invoices(
    db: &mut MySqlConnection,
    customer: CustomerId,
) -> sqlx::Result<Vec<InvoiceId>> {
    sqlx::query_scalar("DELETE FROM invoices WHERE customer_id = ? RETURNING id")
        .bind(customer)
        .fetch_all(db)
        .await
}

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

/// Removes the invoices of a customer and returns their keys.
///
/// Only MariaDB has `RETURNING`, and does not describe its columns before the statement runs. So
/// this is not a checked query.
pub async fn remove_invoices(
    db: &mut MySqlConnection,
    customer: CustomerId,
) -> sqlx::Result<Vec<InvoiceId>> {
    sqlx::query_scalar("DELETE FROM invoices WHERE customer_id = ? RETURNING id")
        .bind(customer)
        .fetch_all(db)
        .await
}

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

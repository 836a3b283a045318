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
/// Only MariaDB has `RETURNING`, and does not describe its columns before the statement runs. So this is
/// not a checked query.
pub async fn remove_invoices(
    db: &mut MySqlConnection,
    customer: CustomerId,
) -> sqlx::Result<Vec<InvoiceId>> {
    sqlx::query_scalar("DELETE FROM invoices WHERE customer_id = ? RETURNING id")
        .bind(customer)
        .fetch_all(db)
        .await
}

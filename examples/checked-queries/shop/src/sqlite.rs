//! SQLite.

use sqlx::SqliteConnection;

use crate::{Customer, CustomerId, Invoice, InvoiceId};

/// Adds a customer.
pub async fn add_customer(db: &mut SqliteConnection, customer: &Customer) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO customers (id, name, referred_by) VALUES (?1, ?2, ?3)",
        customer.id,
        customer.name,
        customer.referred_by,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Adds an invoice.
pub async fn add_invoice(db: &mut SqliteConnection, invoice: &Invoice) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO invoices (id, customer_id, cents) VALUES (?1, ?2, ?3)",
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
    db: &mut SqliteConnection,
    customer: CustomerId,
) -> sqlx::Result<Option<InvoiceId>> {
    sqlx::query_scalar!(
        r#"SELECT MAX(id) AS "id: InvoiceId" FROM invoices WHERE customer_id = ?1"#,
        customer,
    )
    .fetch_one(db)
    .await
}

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

/// The customer with this key.
pub async fn customer(db: &mut SqliteConnection, id: CustomerId) -> sqlx::Result<Option<Customer>> {
    sqlx::query_as!(
        Customer,
        r#"SELECT id AS "id: _", name, referred_by AS "referred_by: _"
           FROM customers WHERE id = ?1"#,
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
        r#"SELECT customers.id AS "customer!: CustomerId", invoices.id AS "invoice?: InvoiceId"
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
        r#"SELECT id AS "id: _", customer_id AS "customer_id: _", cents
           FROM invoices WHERE id IN (?1, ?2) ORDER BY id"#,
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
        r#"DELETE FROM invoices WHERE customer_id = ?1 RETURNING id AS "id: InvoiceId""#,
        customer,
    )
    .fetch_all(db)
    .await
}

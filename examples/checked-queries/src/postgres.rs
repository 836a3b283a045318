//! PostgreSQL.

use sqlx::PgConnection;

use crate::{Customer, CustomerId, Invoice, InvoiceId};

/// Adds a customer.
pub async fn add_customer(db: &mut PgConnection, customer: &Customer) -> sqlx::Result<()> {
    sqlx::query!(
        "INSERT INTO customers (id, name, referred_by) VALUES ($1, $2, $3)",
        customer.id as CustomerId,
        customer.name,
        customer.referred_by as Option<CustomerId>,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Adds invoices, with one array for each column.
pub async fn add_invoices(db: &mut PgConnection, invoices: &[Invoice]) -> sqlx::Result<()> {
    let ids: Vec<InvoiceId> = invoices.iter().map(|invoice| invoice.id).collect();
    let customers: Vec<CustomerId> = invoices.iter().map(|invoice| invoice.customer_id).collect();
    let cents: Vec<i64> = invoices.iter().map(|invoice| invoice.cents).collect();
    sqlx::query!(
        "INSERT INTO invoices (id, customer_id, cents)
         SELECT * FROM unnest($1::numeric[], $2::uuid[], $3::bigint[])",
        &ids[..] as &[InvoiceId],
        &customers[..] as &[CustomerId],
        &cents[..],
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The key of a customer's last invoice.
pub async fn last_invoice(
    db: &mut PgConnection,
    customer: CustomerId,
) -> sqlx::Result<Option<InvoiceId>> {
    sqlx::query_scalar!(
        r#"SELECT MAX(id) AS "id: InvoiceId" FROM invoices WHERE customer_id = $1"#,
        customer as CustomerId,
    )
    .fetch_one(db)
    .await
}

/// The customer with this key.
pub async fn customer(db: &mut PgConnection, id: CustomerId) -> sqlx::Result<Option<Customer>> {
    sqlx::query_as!(
        Customer,
        r#"SELECT id AS "id: _", name, referred_by AS "referred_by: _"
           FROM customers WHERE id = $1"#,
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
        r#"SELECT customers.id AS "customer!: CustomerId", invoices.id AS "invoice?: InvoiceId"
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

// ANCHOR: invoices
/// The invoices with these keys, in the order of the keys.
pub async fn invoices(db: &mut PgConnection, ids: &[InvoiceId]) -> sqlx::Result<Vec<Invoice>> {
    sqlx::query_as!(
        Invoice,
        r#"SELECT id AS "id: _", customer_id AS "customer_id: _", cents
           FROM invoices WHERE id = ANY($1) ORDER BY id"#,
        ids as &[InvoiceId],
    )
    .fetch_all(db)
    .await
}
// ANCHOR_END: invoices

/// Removes the invoices of a customer and returns their keys.
pub async fn remove_invoices(
    db: &mut PgConnection,
    customer: CustomerId,
) -> sqlx::Result<Vec<InvoiceId>> {
    sqlx::query_scalar!(
        r#"DELETE FROM invoices WHERE customer_id = $1 RETURNING id AS "id: InvoiceId""#,
        customer as CustomerId,
    )
    .fetch_all(db)
    .await
}

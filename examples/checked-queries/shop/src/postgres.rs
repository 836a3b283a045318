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

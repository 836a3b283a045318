//! A walk through the repository, printed.

use std::error::Error as StdError;
use std::io::Write;
use std::time::Duration;

use rowkey::UnixMillis;

use crate::{Customer, CustomerId, CustomerRepository, Invoice, InvoiceId};

/// Adds two customers and their invoices, finds them in several ways, and writes what it finds.
///
/// The rows stay in the database. Every tour uses new keys.
///
/// # Errors
///
/// Those of the repository and of `out`.
pub async fn tour(
    repository: &dyn CustomerRepository,
    out: &mut impl Write,
) -> Result<(), Box<dyn StdError>> {
    let ada = Customer {
        id: CustomerId::generate(),
        name: "Ada".to_owned(),
        referred_by: None,
    };
    let grace = Customer {
        id: CustomerId::generate(),
        name: "Grace".to_owned(),
        referred_by: Some(ada.id),
    };
    writeln!(out, "Two customers, one referred by the other:")?;
    for customer in [&ada, &grace] {
        repository.add_customer(customer).await?;
        writeln!(out, "  {} {}", customer.id, customer.name)?;
    }

    let invoice = |customer: &Customer, cents| Invoice {
        id: InvoiceId::generate(),
        customer_id: customer.id,
        cents,
    };
    let invoices = [
        invoice(&ada, 12_000),
        invoice(&grace, 4_999),
        invoice(&ada, -2_000),
    ];
    repository.add_invoices(&invoices).await?;
    writeln!(out, "The invoices of {}, the newest last:", ada.name)?;
    for Invoice { id, cents, .. } in repository.invoices_of(ada.id).await? {
        writeln!(out, "  {id} {cents:>6} cents")?;
    }

    repository.rename_customer(grace.id, "Grace Hopper").await?;
    writeln!(out, "One renamed, and both found by their keys:")?;
    for Customer { id, name, .. } in repository.customers(&[ada.id, grace.id]).await? {
        writeln!(out, "  {id} {name}")?;
    }

    let now = UnixMillis::now().saturating_add(Duration::from_millis(1));
    let hour_ago = now.saturating_sub(Duration::from_secs(3600));
    let created = repository.customers_created(hour_ago..now).await?;
    writeln!(out, "Created in the last hour, found by their keys:")?;
    writeln!(out, "  {} customers", created.len())?;

    let page = repository.customers_after(None, 10).await?;
    writeln!(out, "A page of up to 10 customers:")?;
    writeln!(out, "  {} customers", page.len())?;
    if let Some(last) = page.last() {
        let next = repository.customers_after(Some(last.id), 10).await?;
        writeln!(out, "  {} on the next, after {}", next.len(), last.id)?;
    }

    writeln!(out, "Totals of their invoices:")?;
    for total in repository.totals().await? {
        if [ada.id, grace.id].contains(&total.customer.id) {
            writeln!(
                out,
                "  {:<12} {:>6} cents",
                total.customer.name, total.cents
            )?;
        }
    }

    writeln!(out, "Refused calls:")?;
    if let Err(error) = repository.add_customer(&ada).await {
        writeln!(out, "  {error}")?;
    }
    if let Err(error) = repository.remove_customer(ada.id).await {
        writeln!(out, "  {error}")?;
    }
    Ok(())
}

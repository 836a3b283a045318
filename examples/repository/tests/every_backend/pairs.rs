//! One driver writes, and another reads.

use std::collections::HashMap;
use std::slice;
use std::time::Duration;

use anyhow::{Result, ensure};
use repository::{
    CommandId, Customer, CustomerRepository, CustomerTotal, Error, Invoice, InvoiceId,
};
use rowkey::UnixMillis;
use rowkey_stores::CreatedBy::{EarlierCall, ThisCall};

use crate::creation::{add_at_once, conflict};
use crate::scenarios::{customer, invoice, refusal};

pub(crate) async fn rows_of_one_are_read_by_the_other(
    writer: &dyn CustomerRepository,
    reader: &dyn CustomerRepository,
) -> Result<()> {
    let ada = customer("Ada 🦀");
    let grace = Customer {
        referred_by: Some(ada.id),
        ..customer("Grace O'Hopper")
    };
    let joan = customer("");
    let mut customers = vec![ada.clone(), grace.clone(), joan.clone()];
    for customer in &customers {
        writer.add_customer(customer).await?;
    }
    let with_number = |number: u128, cents| -> Result<Invoice> {
        let id = InvoiceId::try_from(number)?;
        Ok(Invoice {
            id,
            ..invoice(&ada, cents)
        })
    };
    // In order of their keys. A number is stored with all its leading zeros, or with none.
    let invoices = [
        with_number(7, 70)?,
        with_number(4711, -1)?,
        invoice(&ada, i64::MAX / 2),
        invoice(&grace, i64::MIN),
    ];
    writer.add_invoices(&invoices).await?;
    customers.sort_by_key(|customer| customer.id);

    for customer in &customers {
        let found = reader.customer(customer.id).await?;
        assert_eq!(found.as_ref(), Some(customer));
    }
    let ids: Vec<_> = customers.iter().map(|customer| customer.id).collect();
    let mut found = reader.customers(&ids).await?;
    found.sort_by_key(|customer| customer.id);
    assert_eq!(found, customers);
    let first = reader.customers_after(None, 2).await?;
    assert_eq!(first, customers[..2]);
    let rest = reader.customers_after(Some(first[1].id), 2).await?;
    assert_eq!(rest, customers[2..]);
    let tomorrow = UnixMillis::now().saturating_add(Duration::from_secs(86_400));
    let yesterday = tomorrow.saturating_sub(Duration::from_secs(2 * 86_400));
    let created = reader.customers_created(yesterday..tomorrow).await?;
    assert_eq!(created, customers);

    assert_eq!(reader.invoices_of(ada.id).await?, invoices[..3]);
    assert_eq!(reader.invoices_of(grace.id).await?, invoices[3..]);
    assert_eq!(reader.invoices_of(joan.id).await?, []);
    for (from, to) in [(0, 0), (0, 1), (1, 2), (0, 3)] {
        let ids = invoices[from].id..=invoices[to].id;
        let found = reader.invoices_between(ids).await?;
        assert_eq!(found, invoices[from..=to]);
    }
    let created = reader.invoices_created(yesterday..tomorrow).await?;
    assert_eq!(created, invoices[2..]);

    let cents = HashMap::from([
        (ada.id, i64::MAX / 2 + 69),
        (grace.id, i64::MIN),
        (joan.id, 0),
    ]);
    let total = |customer: Customer| CustomerTotal {
        cents: cents[&customer.id],
        customer,
    };
    let totals: Vec<_> = customers.into_iter().map(total).collect();
    assert_eq!(reader.totals().await?, totals);

    let error = refusal(reader.add_customer(&ada).await)?;
    ensure!(
        matches!(error, Error::Duplicate(key) if key == ada.id.into()),
        "{error:?}"
    );
    for taken in &invoices {
        let error = refusal(reader.add_invoices(slice::from_ref(taken)).await)?;
        ensure!(
            matches!(error, Error::Duplicate(key) if key == taken.id.into()),
            "{error:?}"
        );
    }
    for in_use in [ada.id, grace.id] {
        let error = refusal(reader.remove_customer(in_use).await)?;
        ensure!(
            matches!(error, Error::InUse(id) if id == in_use),
            "{error:?}"
        );
    }

    reader.rename_customer(grace.id, "Grace Hopper").await?;
    let renamed = writer.customer(grace.id).await?;
    assert_eq!(
        renamed.map(|customer| customer.name).as_deref(),
        Some("Grace Hopper")
    );
    reader.remove_customer(joan.id).await?;
    assert_eq!(writer.customer(joan.id).await?, None);
    Ok(())
}

pub(crate) async fn commands_of_one_are_found_by_the_other(
    writer: &dyn CustomerRepository,
    reader: &dyn CustomerRepository,
) -> Result<()> {
    let ada = customer("Ada");
    assert_eq!(writer.put_customer(&ada).await?, ThisCall);
    assert_eq!(reader.put_customer(&ada).await?, EarlierCall);

    let command = CommandId::generate();
    let created = writer.add_invoice_once(command, ada.id, 100).await?;
    assert_eq!(created.by, ThisCall);
    let found = reader.add_invoice_once(command, ada.id, 100).await?;
    assert_eq!((found.entity, found.by), (created.entity, EarlierCall));
    for cents in [101, -100] {
        conflict(reader.add_invoice_once(command, ada.id, cents).await)?;
    }

    add_at_once(&[writer, reader].repeat(4)).await
}

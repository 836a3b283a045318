//! The repositories of `examples/repository` over Diesel and SeaORM as applications.

use std::env;
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use repository::{CommandId, Customer, CustomerId, CustomerRepository, Invoice, InvoiceId};
use rowkey_stores::CreatedBy::{EarlierCall, ThisCall};

/// One step of an application, on the database of the environment.
pub(crate) async fn run(driver: &str, step: &str) -> Result<()> {
    let url = env::var("APPLICATION_URL").context("APPLICATION_URL")?;
    // Both apply the migrations when they connect.
    let repository = match driver {
        "diesel" => repository::diesel::connect(&url).await?,
        _ => repository::sea_orm::connect(&url).await?,
    };
    match step {
        "migrate" => Ok(()),
        "fill" => fill(&*repository).await,
        "read" => read(&*repository).await,
        "write" => write(&*repository).await,
        _ => bail!("there is no step {step}"),
    }
}

/// Commands that a client sends again after the move, by the amount of the invoice.
fn command(cents: i64) -> Result<CommandId> {
    Ok(format!("019b7800-0000-7000-8000-{cents:012}").parse()?)
}

const COMMANDS: Range<i64> = 100..150;

async fn fill(repository: &dyn CustomerRepository) -> Result<()> {
    let names = ["Ada", "Żółć", "李小龙", "O'Brien \\", "👩‍🚀", "a\r\n\t\"b\""];
    let mut referred_by = None;
    let mut commands = COMMANDS;
    for number in 0..200 {
        let customer = Customer {
            id: CustomerId::generate(),
            name: format!("{} {number}", names[number % names.len()]),
            referred_by: referred_by.filter(|_| number % 3 > 0),
        };
        repository.add_customer(&customer).await?;
        referred_by = Some(customer.id);
        let cents = [0, -1, 1250, i64::MAX, i64::MIN];
        let invoices = cents[..number % 6].iter().map(|&cents| Invoice {
            id: InvoiceId::generate(),
            customer_id: customer.id,
            cents,
        });
        let invoices: Vec<_> = invoices.collect();
        repository.add_invoices(&invoices).await?;
        if let Some(cents) = commands.next() {
            repository
                .add_invoice_once(command(cents)?, customer.id, cents)
                .await?;
        }
    }
    Ok(())
}

async fn customers(repository: &dyn CustomerRepository) -> Result<Vec<Customer>> {
    let mut customers: Vec<Customer> = Vec::new();
    loop {
        let last = customers.last().map(|customer| customer.id);
        let page = repository.customers_after(last, 100).await?;
        if page.is_empty() {
            return Ok(customers);
        }
        customers.extend(page);
    }
}

async fn read(repository: &dyn CustomerRepository) -> Result<()> {
    for customer in customers(repository).await? {
        println!("{customer:?}");
        for invoice in repository.invoices_of(customer.id).await? {
            println!("{invoice:?}");
        }
    }
    Ok(())
}

async fn write(repository: &dyn CustomerRepository) -> Result<()> {
    let mut repeated = 0;
    for customer in customers(repository).await? {
        for invoice in repository.invoices_of(customer.id).await? {
            let cents = invoice.cents;
            if COMMANDS.contains(&cents) {
                let created = repository.add_invoice_once(command(cents)?, customer.id, cents);
                let created = created.await?;
                ensure!((created.entity, created.by) == (invoice.id, EarlierCall));
                repeated += 1;
            }
        }
    }
    ensure!(
        repeated == COMMANDS.count(),
        "{repeated} commands of before"
    );

    let new = Customer {
        id: CustomerId::generate(),
        name: "new".into(),
        referred_by: None,
    };
    repository.add_customer(&new).await?;
    repository.rename_customer(new.id, "renamed").await?;
    let found = repository.customer(new.id).await?;
    ensure!(found.is_some_and(|found| found.name == "renamed"));
    let other = Customer {
        id: CustomerId::generate(),
        referred_by: Some(new.id),
        ..new.clone()
    };
    repository.add_customer(&other).await?;
    ensure!(repository.remove_customer(new.id).await.is_err());
    repository.remove_customer(other.id).await?;
    let created = repository.add_invoice_once(command(7)?, new.id, 7).await?;
    ensure!(created.by == ThisCall);
    let invoice = repository.invoice(created.entity).await?;
    ensure!(invoice.is_some_and(|invoice| invoice.cents == 7));
    Ok(())
}

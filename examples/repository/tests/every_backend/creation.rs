//! Tests of creation that may be repeated.

use std::time::Duration;

use anyhow::{Result, ensure};
use futures_util::future::{join_all, try_join_all};
use repository::{CommandId, Customer, CustomerId, CustomerRepository, Error};
use rowkey::generate::{Generate, SystemEntropy};
use rowkey::{EntityKey, ShortPrefixComb, UnixMillis};
use rowkey_stores::CreatedBy::{EarlierCall, ThisCall};

use crate::scenarios::{customer, not_found, refusal};

pub(crate) async fn a_customer_is_put_once(repository: &dyn CustomerRepository) -> Result<()> {
    let ada = customer("Ada");
    assert_eq!(repository.put_customer(&ada).await?, ThisCall);
    assert_eq!(repository.put_customer(&ada).await?, EarlierCall);
    let grace = Customer {
        name: "Grace".to_owned(),
        ..ada.clone()
    };
    conflict(repository.put_customer(&grace).await)?;
    let referred = Customer {
        referred_by: Some(CustomerId::generate()),
        ..ada.clone()
    };
    conflict(repository.put_customer(&referred).await)?;
    assert_eq!(repository.customer(ada.id).await?, Some(ada));
    Ok(())
}

pub(crate) async fn a_refused_customer_may_be_put_later(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let ada = customer("Ada");
    let grace = Customer {
        referred_by: Some(ada.id),
        ..customer("Grace")
    };
    not_found(repository.put_customer(&grace).await, ada.id)?;
    assert_eq!(repository.customer(grace.id).await?, None);
    repository.put_customer(&ada).await?;
    assert_eq!(repository.put_customer(&grace).await?, ThisCall);
    Ok(())
}

pub(crate) async fn an_id_of_yesterday_is_only_found(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let yesterday = UnixMillis::now().saturating_sub(Duration::from_secs(86_400));
    let id = ShortPrefixComb::generate_with(&(), &yesterday, &mut SystemEntropy::new())?;
    let ada = Customer {
        id: CustomerId::from_format(id)?,
        ..customer("Ada")
    };
    let error = refusal(repository.put_customer(&ada).await)?;
    ensure!(matches!(error, Error::Invalid(_)), "{error:?}");
    assert_eq!(repository.customer(ada.id).await?, None);
    repository.add_customer(&ada).await?;
    assert_eq!(repository.put_customer(&ada).await?, EarlierCall);
    Ok(())
}

pub(crate) async fn one_of_the_customers_at_once_is_put(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let ada = customer("Ada");
    let grace = Customer {
        name: "Grace".to_owned(),
        ..ada.clone()
    };
    let calls = [&ada, &grace].repeat(8);
    let calls = calls.into_iter().map(async |customer| {
        let outcome = repository.put_customer(customer).await;
        (customer, outcome)
    });
    let outcomes = join_all(calls).await;
    let stored = repository.customer(ada.id).await?;
    let mut created = 0;
    for (customer, outcome) in outcomes {
        match (stored.as_ref() == Some(customer), outcome) {
            (true, Ok(by)) => created += u32::from(by == ThisCall),
            (_, outcome) => conflict(outcome)?,
        }
    }
    assert_eq!(created, 1);
    Ok(())
}

pub(crate) async fn a_command_adds_one_invoice(repository: &dyn CustomerRepository) -> Result<()> {
    let (ada, grace) = (customer("Ada"), customer("Grace"));
    repository.add_customer(&ada).await?;
    repository.add_customer(&grace).await?;
    let command = CommandId::generate();
    let first = repository.add_invoice_once(command, ada.id, 100).await?;
    assert_eq!(first.by, ThisCall);
    let second = repository.add_invoice_once(command, ada.id, 100).await?;
    assert_eq!((second.entity, second.by), (first.entity, EarlierCall));

    // Another amount, another customer, and a credit note, which is a command of another name.
    for (customer, cents) in [(ada.id, 101), (grace.id, 100), (ada.id, -100)] {
        conflict(repository.add_invoice_once(command, customer, cents).await)?;
    }
    let invoice = repository.invoice(first.entity).await?;
    let cents = invoice.as_ref().map(|invoice| invoice.cents);
    assert_eq!(cents, Some(100));
    assert_eq!(
        repository.invoices_of(ada.id).await?.first(),
        invoice.as_ref()
    );
    assert_eq!(repository.invoices_of(ada.id).await?.len(), 1);
    assert_eq!(repository.invoices_of(grace.id).await?, []);

    let other = CommandId::generate();
    let other = repository.add_invoice_once(other, ada.id, 100).await?;
    assert_eq!(other.by, ThisCall);
    assert_ne!(other.entity, first.entity);
    Ok(())
}

pub(crate) async fn a_refused_command_leaves_nothing(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let ada = customer("Ada");
    let command = CommandId::generate();
    for _ in 0..2 {
        let outcome = repository.add_invoice_once(command, ada.id, 100).await;
        not_found(outcome, ada.id)?;
    }
    repository.add_customer(&ada).await?;
    // Not even the command's name is taken.
    let created = repository.add_invoice_once(command, ada.id, -100).await?;
    assert_eq!(created.by, ThisCall);
    assert_eq!(repository.invoices_of(ada.id).await?.len(), 1);
    Ok(())
}

pub(crate) async fn commands_at_once_add_one_invoice_each(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    add_at_once(&[repository; 16]).await
}

/// All repositories execute the same 20 commands at once.
pub(crate) async fn add_at_once(repositories: &[&dyn CustomerRepository]) -> Result<()> {
    let ada = customer("Ada");
    repositories[0].add_customer(&ada).await?;
    let commands = [(); 20].map(|()| CommandId::generate());
    let calls = repositories.iter().map(async |repository| {
        let mut created = Vec::new();
        for (command, cents) in commands.iter().zip(0..) {
            created.push(repository.add_invoice_once(*command, ada.id, cents).await?);
        }
        Ok::<_, Error>(created)
    });
    let created = try_join_all(calls).await?;
    let mut invoices = repositories[0].invoices_of(ada.id).await?;
    invoices.sort_by_key(|invoice| invoice.cents);
    assert_eq!(invoices.len(), commands.len());
    for (n, invoice) in invoices.iter().enumerate() {
        let of_command = created.iter().map(|created| created[n]);
        ensure!(
            of_command
                .clone()
                .all(|created| created.entity == invoice.id)
        );
        assert_eq!(
            of_command.filter(|created| created.by == ThisCall).count(),
            1
        );
    }
    Ok(())
}

pub(crate) fn conflict<T>(outcome: Result<T, Error>) -> Result<()> {
    let error = refusal(outcome)?;
    ensure!(matches!(error, Error::Conflict), "{error:?}");
    Ok(())
}

//! Tests of [`CustomerRepository`] for every implementation.

use std::collections::HashSet;
use std::pin::Pin;

use anyhow::{Context, Result, ensure};
use repository::{
    Customer, CustomerId, CustomerRepository, CustomerTotal, Error, Invoice, InvoiceId,
};
use rowkey::{DistributedId, EntityKey, ShortPrefixComb, UnixMillis};
use rowkey_testkit::{Backend, TestDatabase};

use crate::creation::{
    a_command_adds_one_invoice, a_customer_is_put_once, a_refused_command_leaves_nothing,
    a_refused_customer_may_be_put_later, an_id_of_yesterday_is_only_found,
    commands_at_once_add_one_invoice_each, one_of_the_customers_at_once_is_put,
};
use crate::drivers::Driver;

/// A test on a repository without rows.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

pub(crate) type Run = for<'r> fn(
    &'r dyn CustomerRepository,
    Backend,
) -> Pin<Box<dyn Future<Output = Result<()>> + 'r>>;

macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        vec![$(Scenario {
            name: stringify!($name),
            run: |repository, _| Box::pin($name(repository)),
        }),*]
    };
    (on a backend: $($name:ident),* $(,)?) => {
        vec![$(Scenario {
            name: stringify!($name),
            run: |repository, backend| Box::pin($name(repository, backend)),
        }),*]
    };
}

pub(crate) fn all() -> Vec<Scenario> {
    scenarios![
        customers_come_back,
        a_taken_key_is_refused,
        an_unknown_referrer_is_refused,
        customers_are_found_by_many_keys,
        a_customer_is_renamed,
        names_that_cannot_be_stored_are_refused,
        a_customer_in_use_is_not_removed,
        invoices_are_added_all_or_none,
        the_newest_invoice_of_a_customer_is_last,
        invoices_are_found_between_neighbouring_keys,
        invoices_are_found_by_the_time_in_their_keys,
        a_total_that_is_too_large_is_an_error,
        a_customer_is_put_once,
        a_refused_customer_may_be_put_later,
        an_id_of_yesterday_is_only_found,
        one_of_the_customers_at_once_is_put,
        a_command_adds_one_invoice,
        a_refused_command_leaves_nothing,
        commands_at_once_add_one_invoice_each,
    ]
}

/// Tests that expect customers in the order of the key's index, which depends on the backend.
pub(crate) fn in_order_of_customer_keys() -> Vec<Scenario> {
    scenarios![
        on a backend:
        customers_are_found_by_the_time_in_their_keys,
        pages_contain_every_customer_once,
        totals_are_of_every_customer,
        the_tour_goes_through,
    ]
}

async fn customers_come_back(repository: &dyn CustomerRepository) -> Result<()> {
    let ada = customer("Ada");
    let grace = Customer {
        referred_by: Some(ada.id),
        ..customer("Grace 🦀 O'Hopper")
    };
    assert_eq!(repository.customer(ada.id).await?, None);
    repository.add_customer(&ada).await?;
    repository.add_customer(&grace).await?;
    assert_eq!(repository.customer(ada.id).await?, Some(ada));
    assert_eq!(repository.customer(grace.id).await?, Some(grace));
    Ok(())
}

async fn a_taken_key_is_refused(repository: &dyn CustomerRepository) -> Result<()> {
    let ada = customer("Ada");
    repository.add_customer(&ada).await?;
    let grace = Customer {
        id: ada.id,
        ..customer("Grace")
    };
    let error = refusal(repository.add_customer(&grace).await)?;
    ensure!(
        matches!(&error, Error::Duplicate(key) if *key == ada.id.into()),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        format!("customer {} exists already", ada.id)
    );
    assert_eq!(repository.customer(ada.id).await?, Some(ada));
    Ok(())
}

async fn an_unknown_referrer_is_refused(repository: &dyn CustomerRepository) -> Result<()> {
    let nobody = CustomerId::generate();
    let ada = Customer {
        referred_by: Some(nobody),
        ..customer("Ada")
    };
    not_found(repository.add_customer(&ada).await, nobody)?;
    assert_eq!(repository.customer(ada.id).await?, None);

    let herself = Customer {
        referred_by: Some(ada.id),
        ..ada
    };
    not_found(repository.add_customer(&herself).await, herself.id)?;
    assert_eq!(repository.customer(herself.id).await?, None);
    Ok(())
}

async fn customers_are_found_by_many_keys(repository: &dyn CustomerRepository) -> Result<()> {
    let mut wanted = add_customers(repository, 5).await?;
    let unwanted = wanted.pop().context("there are five")?;
    assert_eq!(repository.customers(&[]).await?, []);
    assert_eq!(repository.customers(&[CustomerId::generate()]).await?, []);

    // More than SQLite allows in one query, and one of them often enough to be in several queries.
    let mut ids: Vec<_> = wanted.iter().map(|customer| customer.id).collect();
    ids.extend(CustomerId::generate_batch(33_000));
    ids.extend([wanted[0].id; 2500]);
    let mut found = repository.customers(&ids).await?;
    found.sort_by_key(|customer| customer.id);
    assert_eq!(found, wanted);
    assert_eq!(repository.customers(&[unwanted.id]).await?, [unwanted]);
    Ok(())
}

async fn a_customer_is_renamed(repository: &dyn CustomerRepository) -> Result<()> {
    let mut ada = customer("Ada");
    let grace = customer("Grace");
    repository.add_customer(&ada).await?;
    repository.add_customer(&grace).await?;
    ada.name = "Ada Lovelace".to_owned();
    // The second time nothing changes, but the customer still exists.
    for _ in 0..2 {
        repository.rename_customer(ada.id, &ada.name).await?;
        assert_eq!(repository.customer(ada.id).await?.as_ref(), Some(&ada));
    }
    assert_eq!(repository.customer(grace.id).await?, Some(grace));

    let nobody = CustomerId::generate();
    not_found(repository.rename_customer(nobody, "Nobody").await, nobody)
}

async fn names_that_cannot_be_stored_are_refused(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let longest = "🦀".repeat(200);
    let ada = customer(&longest);
    repository.add_customer(&ada).await?;
    repository.rename_customer(ada.id, &longest).await?;
    assert_eq!(repository.customer(ada.id).await?.as_ref(), Some(&ada));

    for (name, expected) in [
        ("a".repeat(201), "the name has more than 200 characters"),
        (longest + " ", "the name has more than 200 characters"),
        ("A\0da".to_owned(), "the name contains the character U+0000"),
    ] {
        let grace = customer(&name);
        let error = refusal(repository.add_customer(&grace).await)?;
        assert_eq!(error.to_string(), expected);
        assert_eq!(repository.customer(grace.id).await?, None);

        let error = refusal(repository.rename_customer(ada.id, &name).await)?;
        assert_eq!(error.to_string(), expected);
        assert_eq!(repository.customer(ada.id).await?.as_ref(), Some(&ada));
    }
    Ok(())
}

async fn a_customer_in_use_is_not_removed(repository: &dyn CustomerRepository) -> Result<()> {
    let ada = customer("Ada");
    let grace = Customer {
        referred_by: Some(ada.id),
        ..customer("Grace")
    };
    let joan = customer("Joan");
    for customer in [&ada, &grace, &joan] {
        repository.add_customer(customer).await?;
    }
    repository.add_invoices(&[invoice(&joan, 100)]).await?;
    for in_use in [&ada, &joan] {
        let error = refusal(repository.remove_customer(in_use.id).await)?;
        ensure!(
            matches!(error, Error::InUse(id) if id == in_use.id),
            "{error:?}"
        );
        assert_eq!(repository.customer(in_use.id).await?.as_ref(), Some(in_use));
    }

    // No customer refers to Ada after Grace is removed.
    for unused in [&grace, &ada] {
        repository.remove_customer(unused.id).await?;
        assert_eq!(repository.customer(unused.id).await?, None);
        not_found(repository.remove_customer(unused.id).await, unused.id)?;
    }
    Ok(())
}

/// 2022-03-18T03:44:00Z, where the minute counter of customers' keys wraps around to 0.
const RING_END: i64 = 1_647_575_040_000;

const MINUTE: i64 = 60_000;

async fn customers_are_found_by_the_time_in_their_keys(
    repository: &dyn CustomerRepository,
    backend: Backend,
) -> Result<()> {
    let mut by_minute = Vec::new();
    for minute in -3..3 {
        let counter = ShortPrefixComb::<60_000>::counter_at(at(minute));
        for random in [[0; 14], [0xff; 14]] {
            let id = CustomerId::from_format(ShortPrefixComb::from_parts(counter, random))?;
            let customer = Customer {
                id,
                ..customer("from another time")
            };
            repository.add_customer(&customer).await?;
            by_minute.push((minute, customer));
        }
    }
    let expected = |minutes: std::ops::Range<i64>| -> Vec<Customer> {
        let within = by_minute
            .iter()
            .filter(|(minute, _)| minutes.contains(minute));
        let mut customers: Vec<_> = within.map(|(_, customer)| customer.clone()).collect();
        sort_by_keys(&mut customers, backend);
        customers
    };
    for minutes in [-3..-1, 0..2, 1..3, -2..2, -1..1, -3..3, 3..5] {
        let span = at(minutes.start)..at(minutes.end);
        let found = repository.customers_created(span).await?;
        assert_eq!(found, expected(minutes.clone()), "minutes {minutes:?}");
    }

    // A span of a millisecond is extended to its minute; an empty one is not.
    let end = UnixMillis::new(RING_END);
    let found = repository
        .customers_created(end..UnixMillis::new(RING_END + 1))
        .await?;
    assert_eq!(found, expected(0..1));
    assert_eq!(repository.customers_created(end..end).await?, []);
    // A whole cycle of the counter returns all customers.
    let found = repository.customers_created(at(0)..at(1 << 16)).await?;
    assert_eq!(found, expected(-3..3));
    Ok(())
}

async fn pages_contain_every_customer_once(
    repository: &dyn CustomerRepository,
    backend: Backend,
) -> Result<()> {
    assert_eq!(repository.customers_after(None, 3).await?, []);
    let mut customers = add_customers(repository, 7).await?;
    sort_by_keys(&mut customers, backend);
    let mut cursor = None;
    for expected in [&customers[..3], &customers[3..6], &customers[6..], &[]] {
        let page = repository.customers_after(cursor, 3).await?;
        assert_eq!(page, expected);
        cursor = page.last().map(|customer| customer.id);
    }
    assert_eq!(repository.customers_after(None, 0).await?, []);
    assert_eq!(repository.customers_after(None, u32::MAX).await?, customers);
    Ok(())
}

async fn invoices_are_added_all_or_none(repository: &dyn CustomerRepository) -> Result<()> {
    let ada = customer("Ada");
    repository.add_customer(&ada).await?;
    repository.add_invoices(&[]).await?;
    let there = [invoice(&ada, 100), invoice(&ada, 200)];
    repository.add_invoices(&there).await?;

    let nobody = customer("Nobody");
    let good = invoice(&ada, 300);
    let unknown = invoice(&nobody, 400);
    let taken = [good.clone(), there[0].clone()];
    let twice = [good.clone(), good.clone()];
    for (invoices, key) in [(&taken, there[0].id), (&twice, good.id)] {
        let error = refusal(repository.add_invoices(invoices).await)?;
        ensure!(
            matches!(&error, Error::Duplicate(found) if *found == key.into()),
            "{error:?}"
        );
        assert_eq!(error.to_string(), format!("invoice {key} exists already"));
    }
    not_found(
        repository.add_invoices(&[good.clone(), unknown]).await,
        nobody.id,
    )?;
    assert_eq!(repository.invoices_of(ada.id).await?, there);

    // The failed call leaves nothing behind.
    repository.add_invoices(std::slice::from_ref(&good)).await?;
    assert_eq!(repository.invoices_of(ada.id).await?.last(), Some(&good));
    Ok(())
}

async fn the_newest_invoice_of_a_customer_is_last(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let (ada, grace) = (customer("Ada"), customer("Grace"));
    repository.add_customer(&ada).await?;
    repository.add_customer(&grace).await?;
    let invoices: Vec<_> = (0..20)
        .map(|n| invoice(if n % 3 == 0 { &grace } else { &ada }, n))
        .collect();
    add_in_reverse(repository, &invoices).await?;
    for customer in [&ada, &grace] {
        let mut expected = invoices.clone();
        expected.retain(|invoice| invoice.customer_id == customer.id);
        assert_eq!(repository.invoices_of(customer.id).await?, expected);
    }
    assert_eq!(repository.invoices_of(CustomerId::generate()).await?, []);
    Ok(())
}

/// As floating-point numbers, all of these would be equal.
async fn invoices_are_found_between_neighbouring_keys(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let ada = customer("Ada");
    repository.add_customer(&ada).await?;
    let first = InvoiceId::generate().to_u128();
    let mut invoices = Vec::new();
    for n in 0..5 {
        invoices.push(Invoice {
            id: InvoiceId::try_from(first + n)?,
            ..invoice(&ada, 100)
        });
    }
    add_in_reverse(repository, &invoices).await?;
    for (from, to) in [(0, 0), (1, 3), (0, 4)] {
        let ids = invoices[from].id..=invoices[to].id;
        let found = repository.invoices_between(ids).await?;
        assert_eq!(found, invoices[from..=to]);
    }
    let reversed = invoices[3].id..=invoices[1].id;
    assert_eq!(repository.invoices_between(reversed).await?, []);
    let all = InvoiceId::try_from(0)?..=InvoiceId::try_from(10_u128.pow(28) - 1)?;
    assert_eq!(repository.invoices_between(all).await?, invoices);
    Ok(())
}

async fn invoices_are_found_by_the_time_in_their_keys(
    repository: &dyn CustomerRepository,
) -> Result<()> {
    let ada = customer("Ada");
    repository.add_customer(&ada).await?;
    let mut invoices = Vec::new();
    for ms in -2..2 {
        for random in [0, 4711, (1 << 48) - 1] {
            let time = UnixMillis::new(RING_END + ms);
            invoices.push(Invoice {
                id: InvoiceId::from_format(DistributedId::from_parts(time, random)?)?,
                ..invoice(&ada, ms)
            });
        }
    }
    add_in_reverse(repository, &invoices).await?;
    for span in [-1..1, -2..2, 0..1, -100..-2, 0..0] {
        let during = UnixMillis::new(RING_END + span.start)..UnixMillis::new(RING_END + span.end);
        let mut expected = invoices.clone();
        expected.retain(|invoice| span.contains(&invoice.cents));
        assert_eq!(
            repository.invoices_created(during).await?,
            expected,
            "{span:?}"
        );
    }
    Ok(())
}

async fn totals_are_of_every_customer(
    repository: &dyn CustomerRepository,
    backend: Backend,
) -> Result<()> {
    assert_eq!(repository.totals().await?, []);
    let mut customers = add_customers(repository, 3).await?;
    sort_by_keys(&mut customers, backend);
    let invoices = [
        invoice(&customers[0], 12_000),
        invoice(&customers[1], i64::MAX),
        invoice(&customers[0], -2_001),
    ];
    repository.add_invoices(&invoices).await?;
    let expected: Vec<_> = customers
        .into_iter()
        .zip([9_999, i64::MAX, 0])
        .map(|(customer, cents)| CustomerTotal { customer, cents })
        .collect();
    assert_eq!(repository.totals().await?, expected);
    Ok(())
}

async fn a_total_that_is_too_large_is_an_error(repository: &dyn CustomerRepository) -> Result<()> {
    let ada = customer("Ada");
    repository.add_customer(&ada).await?;
    let invoices = [invoice(&ada, i64::MAX), invoice(&ada, 1)];
    repository.add_invoices(&invoices).await?;
    let error = refusal(repository.totals().await)?;
    ensure!(matches!(error, Error::Database(_)), "{error:?}");
    Ok(())
}

pub(crate) async fn totals_may_fit_only_in_the_end(
    driver: Driver,
    database: &TestDatabase,
) -> Result<()> {
    let repository = driver.connect(database.url()).await?;
    let ada = customer("Ada");
    repository.add_customer(&ada).await?;
    let invoices = [i64::MAX, 1, -1].map(|cents| invoice(&ada, cents));
    repository.add_invoices(&invoices).await?;
    let totals = repository.totals().await;
    if database.backend() == Backend::Sqlite {
        let error = refusal(totals)?;
        ensure!(matches!(error, Error::Database(_)), "{error:?}");
    } else {
        let total = CustomerTotal {
            customer: ada,
            cents: i64::MAX,
        };
        assert_eq!(totals?, [total]);
    }
    Ok(())
}

async fn the_tour_goes_through(repository: &dyn CustomerRepository, _: Backend) -> Result<()> {
    let mut ids = HashSet::new();
    // The tour's rows stay, and the next tour uses new keys.
    for count in [2, 4] {
        let mut shown = Vec::new();
        let outcome = repository::tour(repository, &mut shown).await;
        ensure!(outcome.is_ok(), "{outcome:?}");
        let shown = String::from_utf8(shown)?;
        for expected in [
            &format!("  {count} customers\n"),
            "  Ada           10000 cents\n",
            "  Grace Hopper   4999 cents\n",
            " exists already\n",
            " has invoices or has referred other customers\n",
        ] {
            ensure!(shown.contains(expected), "{shown}");
        }
        let page = repository.customers_after(None, 10).await?;
        ids.extend(page.iter().map(|customer| customer.id));
        assert_eq!(ids.len(), count);
    }
    Ok(())
}

/// The instant some minutes after the counter wraps around.
fn at(minute: i64) -> UnixMillis {
    UnixMillis::new(RING_END + minute * MINUTE)
}

pub(crate) fn customer(name: &str) -> Customer {
    Customer {
        id: CustomerId::generate(),
        name: name.to_owned(),
        referred_by: None,
    }
}

pub(crate) fn invoice(customer: &Customer, cents: i64) -> Invoice {
    Invoice {
        id: InvoiceId::generate(),
        customer_id: customer.id,
        cents,
    }
}

/// Sorts customers like the index of their keys.
fn sort_by_keys(customers: &mut [Customer], backend: Backend) {
    let column = CustomerId::PLAN.column(backend);
    customers.sort_by(|a, b| column.compare(a.id.to_u128(), b.id.to_u128()));
}

/// Adds customers, and gives them in order of their keys' values.
async fn add_customers(repository: &dyn CustomerRepository, count: usize) -> Result<Vec<Customer>> {
    let mut customers: Vec<_> = (0..count).map(|n| customer(&format!("No. {n}"))).collect();
    for customer in &customers {
        repository.add_customer(customer).await?;
    }
    customers.sort_by_key(|customer| customer.id);
    Ok(customers)
}

/// Adds invoices, the last one first, so that the order of insertion is wrong.
async fn add_in_reverse(repository: &dyn CustomerRepository, invoices: &[Invoice]) -> Result<()> {
    let reversed: Vec<_> = invoices.iter().rev().cloned().collect();
    Ok(repository.add_invoices(&reversed).await?)
}

/// The error of a call that should have failed.
pub(crate) fn refusal<T>(outcome: Result<T, Error>) -> Result<Error> {
    outcome.err().context("it was not refused")
}

pub(crate) fn not_found<T>(outcome: Result<T, Error>, nobody: CustomerId) -> Result<()> {
    let error = refusal(outcome)?;
    ensure!(
        matches!(&error, Error::NotFound(key) if *key == nobody.into()),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        format!("customer {nobody} does not exist")
    );
    Ok(())
}

//! A key changes between two migrations of each library, on every backend.

mod frameworks;
mod shop;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use anyhow::{Result, bail, ensure};
use relayout_in_migrations::{CustomerId, Purchase, Report, customer_keys};
use rowkey_relayout::{self as relayout, Phase};
use rowkey_relayout::{Error, Silent, Step};
use rowkey_testkit::{Backend, Suite};

use crate::frameworks::{Diesel, Framework, SeaOrm, Sqlx};
use crate::shop::Shop;

const BACKENDS: [Backend; 4] = [
    Backend::Postgres,
    Backend::MySql,
    Backend::MariaDb,
    Backend::Sqlite,
];

fn main() -> Result<ExitCode> {
    let mut suite = Suite::from_env()?;
    add::<Sqlx>(&mut suite, &BACKENDS);
    add::<SeaOrm>(&mut suite, &BACKENDS);
    add_way_back::<SeaOrm>(&mut suite, &BACKENDS);
    add::<Diesel>(&mut suite, &[Backend::Sqlite]);
    add_way_back::<Diesel>(&mut suite, &[Backend::Sqlite]);
    if cfg!(feature = "diesel-postgres") {
        add::<Diesel>(&mut suite, &[Backend::Postgres]);
        add_way_back::<Diesel>(&mut suite, &[Backend::Postgres]);
    } else {
        let reason = "built without the feature diesel-postgres, which needs libpq";
        suite.left_out("diesel", [Backend::Postgres], reason);
    }
    let with_libmysqlclient = [Backend::MySql, Backend::MariaDb];
    if cfg!(feature = "diesel-mysql") {
        add::<Diesel>(&mut suite, &with_libmysqlclient);
        add_way_back::<Diesel>(&mut suite, &with_libmysqlclient);
    } else {
        let reason =
            "built without the feature diesel-mysql, which needs libmariadb or libmysqlclient";
        suite.left_out("diesel", with_libmysqlclient, reason);
    }
    Ok(suite.run())
}

fn add<F: Framework>(suite: &mut Suite, backends: &[Backend]) {
    let mut add = |name: &str, scenario: fn(&Shop) -> Result<()>| {
        let name = format!("{}::{name}", F::NAME);
        let backends = backends.iter().copied();
        suite.test(&name, backends, move |database| {
            scenario(&Shop::of(database)?)
        });
    };
    add("a_key_changes_between_two_migrations", changes::<F>);
    add("a_new_database_goes_the_same_way", is_new::<F>);
    add("an_interrupted_change_goes_on", goes_on::<F>);
}

fn add_way_back<F: Framework>(suite: &mut Suite, backends: &[Backend]) {
    let name = format!("{}::the_change_is_taken_back_and_made_again", F::NAME);
    let backends = backends.iter().copied();
    suite.test(&name, backends, |database| {
        is_taken_back::<F>(&Shop::of(database)?)
    });
}

/// The phases that a change has begun, as its caller has heard.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn report(&self) -> Report {
        let steps = self.0.clone();
        Arc::new(move |step| {
            if let Step::Begins(what) = step
                && let Ok(mut steps) = steps.lock()
            {
                steps.push(what);
            }
        })
    }

    /// The phases since the last call.
    fn phases(&self) -> Result<Vec<Phase>> {
        let Ok(mut steps) = self.0.lock() else {
            bail!("the callback has panicked");
        };
        let phase = |step: &String| Phase::ALL.into_iter().find(|phase| phase.name() == step);
        let phases = steps.iter().filter_map(phase).collect();
        steps.clear();
        Ok(phases)
    }
}

/// The whole life of the change, up to the release that drops the text.
fn changes<F: Framework>(shop: &Shop) -> Result<()> {
    let (url, heard) = (shop.url(), Heard::default());
    F::migrate_first(url)?;
    let mut purchases = shop.fill(1_000)?;

    F::migrate(url, &heard.report())?;
    ensure!(heard.phases()? == Phase::ALL);
    ensure!(F::purchases(url)? == purchases);
    let applied = shop.texts(F::APPLIED)?;
    ensure!(applied == F::VERSIONS, "{applied:?}");

    let new = Purchase {
        customer: CustomerId::generate(),
        name: "Grace".into(),
        number: 1_000,
        cents: 7,
    };
    F::buy(url, &new)?;
    purchases.push(new.clone());
    ensure!(F::purchases(url)? == purchases);
    ensure!(F::buy(url, &new).is_err(), "a key is stored twice");

    // There is nothing to do, for each of the two that run at a start.
    F::migrate(url, &heard.report())?;
    ensure!(heard.phases()? == []);
    ensure!(shop.texts(F::APPLIED)? == applied);
    ensure!(shop.keeps_text()?);

    shop.block_on(customer_keys::drop_text(shop.address(), &heard.report()))?;
    shop.block_on(customer_keys::drop_text(shop.address(), &heard.report()))?;
    ensure!(!shop.keeps_text()?);
    F::migrate(url, &heard.report())?;
    ensure!(heard.phases()? == []);
    ensure!(shop.texts(F::APPLIED)? == applied);
    ensure!(F::purchases(url)? == purchases);
    ensure!(shop.texts("SELECT customer_id FROM payments")?.len() == 1);
    match shop.block_on(customer_keys::undo(shop.address(), &heard.report())) {
        Err(Error::Refused { .. }) => Ok(()),
        other => bail!("undone after its end: {other:?}"),
    }
}

fn is_new<F: Framework>(shop: &Shop) -> Result<()> {
    let (url, heard) = (shop.url(), Heard::default());
    F::migrate(url, &heard.report())?;
    let new = Purchase {
        customer: CustomerId::generate(),
        name: "Ada".into(),
        number: 1,
        cents: 1_000,
    };
    F::buy(url, &new)?;
    ensure!(F::purchases(url)? == [new]);
    ensure!(shop.texts(F::APPLIED)? == F::VERSIONS);
    Ok(())
}

/// A process ends after any of the phases, and another one calls `migrate`.
fn goes_on<F: Framework>(shop: &Shop) -> Result<()> {
    let (url, heard) = (shop.url(), Heard::default());
    F::migrate_first(url)?;
    let purchases = shop.fill(100)?;
    let plan = shop.plan()?;
    shop.block_on(async {
        let mut connection = shop.connect().await?;
        ensure!(relayout::begun(&mut connection).await?.is_none());
        relayout::run(&mut connection, &plan, Phase::Backfill, &mut Silent).await?;
        ensure!(relayout::begun(&mut connection).await? == Some(plan.clone()));
        Ok(())
    })?;
    ensure!(shop.texts(F::APPLIED)? == F::VERSIONS[..1]);

    F::migrate(url, &heard.report())?;
    ensure!(heard.phases()? == [Phase::Check, Phase::Swap]);
    ensure!(F::purchases(url)? == purchases);
    ensure!(shop.texts(F::APPLIED)? == F::VERSIONS);
    Ok(())
}

fn is_taken_back<F: Framework>(shop: &Shop) -> Result<()> {
    let (url, heard) = (shop.url(), Heard::default());
    F::migrate_first(url)?;
    let purchases = shop.fill(100)?;
    let before = shop.texts("SELECT id FROM customers ORDER BY id")?;
    F::migrate(url, &heard.report())?;

    F::revert(url, 2)?;
    ensure!(shop.texts("SELECT id FROM customers ORDER BY id")? == before);
    ensure!(shop.texts(F::APPLIED)? == F::VERSIONS[..1]);

    F::migrate(url, &heard.report())?;
    ensure!(F::purchases(url)? == purchases);
    ensure!(shop.texts(F::APPLIED)? == F::VERSIONS);
    Ok(())
}

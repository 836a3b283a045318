//! The plan with which a change has begun, for programs that make their plans themselves.

use anyhow::{Result, ensure};
use rowkey_relayout::plan::Plan;
use rowkey_relayout::{self as relayout, Phase};
use rowkey_testkit::Suite;

use crate::relayout::add;
use crate::relayout::shop::{NEW, Names, OLD, Shop};

pub(crate) fn add_tests(suite: &mut Suite) {
    add(suite, "the_plan_is_there_until_the_end", until_the_end);
    add(suite, "the_plan_is_gone_after_an_undo", until_the_undo);
}

async fn until_the_end(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 60).await?;
    let plan = shop.plan(OLD, NEW).await?;
    ensure!(begun(&shop).await?.is_none());
    for phase in Phase::ALL {
        shop.run(&plan, phase).await?;
        // Made from the catalogue of now, it would be another one.
        let found = begun(&shop).await?;
        ensure!(
            found.as_ref() == Some(&plan),
            "{found:?} instead of {plan:?}"
        );
    }
    shop.contract(&plan).await?;
    ensure!(begun(&shop).await?.is_none());
    shop.expect(&rows, NEW, Names::New).await
}

async fn until_the_undo(shop: Shop) -> Result<()> {
    shop.create(OLD).await?;
    let rows = shop.fill(OLD, 50, 61).await?;
    let plan = shop.plan(OLD, NEW).await?;
    shop.run(&plan, Phase::Backfill).await?;
    ensure!(begun(&shop).await? == Some(plan.clone()));
    shop.undo(&plan).await?;
    ensure!(begun(&shop).await?.is_none());
    shop.expect(&rows, OLD, Names::Old).await
}

async fn begun(shop: &Shop) -> Result<Option<Plan>> {
    Ok(relayout::begun(&mut shop.connect().await?).await?)
}

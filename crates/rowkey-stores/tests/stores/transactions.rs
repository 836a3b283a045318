//! Commands after the creation, each in a transaction.

use anyhow::Result;
use futures_util::future;
use rowkey_stores::command_log::CommandLog;
use rowkey_stores::{CreateError, in_transaction};
use rowkey_testkit::TestDatabase;

use crate::shop::{CommandId, Driver, OfferId, Shop};

impl<D: Driver> Shop<D> {
    async fn add_untitled(&self) -> Result<OfferId> {
        let offer = self
            .with_session(async |session| self.add(session, CommandId::generate()).await)
            .await?;
        self.with_session(async |session| self.set_title(session, offer, "").await)
            .await?;
        Ok(offer)
    }

    async fn set_title(
        &self,
        session: &mut D::Session,
        offer: OfferId,
        title: &str,
    ) -> Result<(), D::Error> {
        let id = self.literal(offer);
        let sql = format!("UPDATE offers SET title = '{title}' WHERE id = {id}");
        D::execute(session, &sql).await
    }

    /// The title of an offer whose row is locked until the transaction ends.
    async fn locked_title(
        &self,
        session: &mut D::Session,
        offer: OfferId,
    ) -> Result<String, D::Error> {
        let id = self.literal(offer);
        self.lock_row(session, "offers", "title", &id).await?;
        let lock = self.locking_clause();
        let sql = format!("SELECT title FROM offers WHERE id = {id}{lock}");
        let title = D::strings(session, &sql).await?.pop();
        Ok(title.unwrap_or_default())
    }
}

/// A log as stored in a title.
fn log_of(title: &str) -> CommandLog<String> {
    title.split_whitespace().map(str::to_owned).collect()
}

pub(crate) async fn each_of_many_commands_at_the_same_time_is_executed_once<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let offer = shop.add_untitled().await?;
    let stores = shop.stores(12).await?;
    let commands: Vec<String> = ('a'..='f').map(String::from).collect();
    // Each command is sent twice.
    let sent = stores.iter().zip(commands.iter().chain(&commands));
    let executions = sent.map(|(store, command)| {
        in_transaction(store.clone(), async |mut session| {
            let mut log = log_of(&shop.locked_title(&mut session, offer).await?);
            let Some(new) = log.check(command.clone()) else {
                return Ok(0);
            };
            log.record(new);
            let log: Vec<String> = log.into_iter().collect();
            shop.set_title(&mut session, offer, &log.join(" ")).await?;
            Ok::<_, D::Error>(1)
        })
    });
    let executed: u32 = future::try_join_all(executions).await?.into_iter().sum();
    assert_eq!(executed, 6);
    let [title] = &shop.strings("SELECT title FROM offers").await?[..] else {
        panic!("there is one offer");
    };
    let mut executed: Vec<String> = log_of(title).into_iter().collect();
    executed.sort_unstable();
    assert_eq!(executed, commands);
    Ok(())
}

pub(crate) async fn a_command_that_fails_changes_nothing<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let offer = shop.add_untitled().await?;
    let store = shop.driver.store().await?;
    let failed = in_transaction(store.clone(), async |mut session| {
        shop.set_title(&mut session, offer, "a").await?;
        D::execute(&mut session, "INSERT INTO no_such_table VALUES (1)").await
    })
    .await;
    assert!(matches!(failed, Err(CreateError::Closure(_))), "{failed:?}");
    assert_eq!(shop.strings("SELECT title FROM offers").await?, [""]);
    // The connection is no longer in a transaction.
    in_transaction(store, async |mut session| {
        shop.set_title(&mut session, offer, "b").await
    })
    .await?;
    assert_eq!(shop.strings("SELECT title FROM offers").await?, ["b"]);
    Ok(())
}

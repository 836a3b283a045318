//! Entities whose creation is not idempotent: a repeated request creates another one. Those that no
//! client has used are found by the time in their keys, and deleted or marked as deleted.

use anyhow::Result;
use futures_util::future;
use rowkey::generate::{EntropyFn, Generate};
use rowkey::time_range::ConditionPart;
use rowkey::{EntityKey, UnixMillis, UuidV7};
use rowkey_stores::command_log::Execution;
use rowkey_testkit::TestDatabase;

use crate::halls::{Booking, HallId, Halls, Refusal, What};
use crate::shop::{CommandId, Driver, Offer, OfferId, Shop};

/// 2023-11-14T22:13:20Z.
const NOW: i64 = 1_700_000_000_000;
const DAY: i64 = 86_400_000;

/// No client uses a hall for the first time after this long.
const CUTOFF: UnixMillis = UnixMillis::new(NOW - DAY);

fn hall_made_at(time: i64) -> HallId {
    let mut random = EntropyFn(|bytes: &mut [u8]| {
        let drawn = CommandId::generate().to_u128().to_be_bytes();
        bytes.copy_from_slice(&drawn[16 - bytes.len()..]);
    });
    let id = UuidV7::generate_with(&(), &UnixMillis::new(time), &mut random);
    id.and_then(HallId::from_format)
        .expect("a time of the format")
}

async fn add_hall<D: Driver>(halls: &Halls<D>, time: i64) -> Result<HallId> {
    let hall = hall_made_at(time);
    halls.insert(hall).await?;
    Ok(hall)
}

async fn book<D: Driver>(halls: &Halls<D>, hall: HallId) -> Result<Result<(), Refusal>> {
    let answer = halls.answer(&Booking::of(hall, What::AnyPlace)).await?;
    Ok(answer.map(|execution| assert!(matches!(execution, Execution::Executed(_)))))
}

/// What happens to orphans.
#[derive(Clone, Copy, Debug)]
enum CleanUp {
    Delete,
    Mark,
}

/// Removes the halls that are older than the cutoff and have never executed a command: a range of
/// the primary key, and conditions on the rows in it.
async fn clean_up<D: Driver>(halls: &Halls<D>, how: CleanUp) -> Result<()> {
    let column = HallId::PLAN.column(halls.0.backend);
    let mut orphans = match how {
        CleanUp::Delete => "DELETE FROM halls".to_owned(),
        CleanUp::Mark => format!("UPDATE halls SET deleted_at = {NOW}"),
    };
    orphans.push_str(" WHERE commands = '[]' AND deleted_at IS NULL AND ");
    HallId::bounds(..CUTOFF).write_condition(|part| match part {
        ConditionPart::Sql(sql) => orphans.push_str(sql),
        ConditionPart::Column => orphans.push_str("id"),
        ConditionPart::Bound(edge) => orphans.push_str(&column.literal(edge.to_u128())),
    });
    halls.0.execute(&orphans).await
}

pub(crate) async fn orphans_are_deleted_by_the_time_in_their_keys<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    orphans_are_found(&halls, CleanUp::Delete).await?;
    Ok(())
}

pub(crate) async fn orphans_are_marked_and_can_be_brought_back<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    let orphans = orphans_are_found(&halls, CleanUp::Mark).await?;
    // The rows are there, and their ids are not free.
    let marked = format!("SELECT state FROM halls WHERE deleted_at = {NOW}");
    assert_eq!(halls.0.strings(&marked).await?.len(), orphans.len());
    for hall in orphans {
        assert!(halls.insert(hall).await.is_err());
        let literal = halls.literal(hall);
        let back = format!("UPDATE halls SET deleted_at = NULL WHERE id = {literal}");
        halls.0.execute(&back).await?;
        assert_eq!(book(&halls, hall).await?, Ok(()));
    }
    // The halls are used now.
    clean_up(&halls, CleanUp::Mark).await?;
    assert!(halls.0.strings(&marked).await?.is_empty());
    Ok(())
}

/// Cleans up like a background task. Returns the orphans.
async fn orphans_are_found<D: Driver>(halls: &Halls<D>, how: CleanUp) -> Result<[HallId; 2]> {
    // The answer to the first creation was lost. The client has sent it again and uses the second
    // hall.
    let orphan = add_hall(halls, CUTOFF.get() - 1).await?;
    let used = add_hall(halls, CUTOFF.get() - 1).await?;
    assert_eq!(book(halls, used).await?, Ok(()));
    let older_orphan = add_hall(halls, NOW - 400 * DAY).await?;
    // Their clients may still come.
    let young = add_hall(halls, CUTOFF.get()).await?;
    let new = add_hall(halls, NOW).await?;

    for _ in 0..2 {
        clean_up(halls, how).await?;
        for hall in [orphan, older_orphan] {
            assert_eq!(book(halls, hall).await?, Err(Refusal::NotFound));
        }
        for hall in [used, young, new] {
            assert_eq!(book(halls, hall).await?, Ok(()));
        }
    }
    Ok([orphan, older_orphan])
}

pub(crate) async fn an_entity_whose_first_command_is_under_way_is_no_orphan<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    for how in [CleanUp::Delete, CleanUp::Mark].repeat(3) {
        let hall = add_hall(&halls, NOW - 2 * DAY).await?;
        let booking = Booking::of(hall, What::AnyPlace);
        let mut session = halls.0.driver.connection().await?;
        halls.begin(&mut session).await?;
        let answer = halls.execute(&mut session, &booking).await?;
        assert!(matches!(answer, Ok(Execution::Executed(_))), "{answer:?}");
        // The clean-up starts before the commit, waits for it, and checks the row again.
        future::try_join(clean_up(&halls, how), async {
            Ok(D::execute(&mut session, "COMMIT").await?)
        })
        .await?;
        drop(session);
        let stored = halls.hall(hall).await?;
        assert!(stored.commands.contains(&booking.id), "{how:?}");
    }
    Ok(())
}

pub(crate) async fn a_collision_of_ids_fails_one_transaction_and_leaves_the_others_row<
    D: Driver,
>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    let shop: &Shop<D> = &halls.0;
    let offer = |id: OfferId, title: &str| Offer {
        id,
        command: CommandId::generate().to_string(),
        title: title.to_owned(),
    };
    let id = OfferId::generate();
    let first = &offer(id, "Fjords");
    let other = &offer(OfferId::generate(), "Geysers");
    let second = &offer(id, "Glaciers");

    let mut session = shop.driver.connection().await?;
    halls.begin(&mut session).await?;
    shop.insert(&mut session, first).await?;
    let commit_first = async { anyhow::Ok(D::execute(&mut session, "COMMIT").await?) };
    // Waits for the first one, whose row stays.
    let fail_second = async {
        let mut session = shop.driver.connection().await?;
        halls.begin(&mut session).await?;
        shop.insert(&mut session, other).await?;
        let refused = shop.insert(&mut session, second).await;
        D::execute(&mut session, "ROLLBACK").await?;
        Ok(refused.is_err())
    };
    let ((), is_refused) = future::try_join(commit_first, fail_second).await?;
    assert!(is_refused);
    let mut session = shop.driver.connection().await?;
    assert_eq!(shop.find(&mut session, id).await?.as_ref(), Some(first));
    assert_eq!(shop.find(&mut session, other.id).await?, None);
    Ok(())
}

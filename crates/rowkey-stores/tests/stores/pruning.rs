//! How long creating commands are remembered.

use anyhow::Result;
use rowkey_stores::{
    CreateError, Created, CreatedBy, Error, create_once, forget, prune, prune_name,
};
use rowkey_testkit::{Backend, TestDatabase};

use crate::shop::{CommandId, Driver, OfferId, Shop};

const NAME: &str = "book-offer";

/// Creates an offer for each command, in this order.
async fn create<D: Driver>(
    shop: &Shop<D>,
    store: &D::Store,
    name: &str,
    commands: &[CommandId],
) -> Result<Vec<Created<OfferId>>> {
    let mut created = Vec::new();
    for &command in commands {
        let offer = create_once(store.clone(), command, name, {
            async |mut session| shop.add(&mut session, command).await
        });
        created.push(offer.await?);
    }
    Ok(created)
}

/// The commands that are remembered.
async fn remembered<D: Driver>(
    store: &D::Store,
    name: &str,
    commands: &[CommandId],
) -> Result<Vec<bool>> {
    let mut remembered = Vec::new();
    for &command in commands {
        let offer = create_once::<_, _, OfferId, _, _>(store.clone(), command, name, {
            async |_| Err(std::io::Error::other("not remembered"))
        });
        match offer.await {
            Ok(created) => remembered.push(created.by == CreatedBy::EarlierCall),
            Err(CreateError::Closure(_)) => remembered.push(false),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(remembered)
}

/// Command ids in another order than that of their creation.
fn shuffled_commands(count: usize) -> Vec<CommandId> {
    let mut commands: Vec<CommandId> = (0..count).map(|_| CommandId::generate()).collect();
    commands.reverse();
    commands
}

pub(crate) async fn the_first_command_after_creation_forgets_the_creating_one<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let commands = shuffled_commands(2);
    let created = create(&shop, &store, NAME, &commands).await?;

    let mut session = shop.driver.connection().await?;
    assert!(forget(&mut *session, created[0].entity).await?);
    assert!(!forget(&mut *session, created[0].entity).await?);
    drop(session);
    assert_eq!(
        remembered::<D>(&store, NAME, &commands).await?,
        [false, true]
    );
    Ok(())
}

pub(crate) async fn forgetting_is_undone_with_the_transaction<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let commands = shuffled_commands(1);
    let created = create(&shop, &store, NAME, &commands).await?;

    let mut session = shop.driver.connection().await?;
    let begin = match shop.backend {
        Backend::MySql | Backend::MariaDb => "START TRANSACTION",
        _ => "BEGIN TRANSACTION",
    };
    D::execute(&mut session, begin).await?;
    assert!(forget(&mut *session, created[0].entity).await?);
    D::execute(&mut session, "ROLLBACK").await?;
    drop(session);
    assert_eq!(remembered::<D>(&store, NAME, &commands).await?, [true]);
    Ok(())
}

pub(crate) async fn a_cap_for_each_name_drops_the_oldest<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let (offers, rooms) = (shuffled_commands(4), shuffled_commands(2));
    create(&shop, &store, "book-room", &rooms[..1]).await?;
    create(&shop, &store, "book-offer", &offers).await?;
    create(&shop, &store, "book-room", &rooms[1..]).await?;

    assert_eq!(prune_name(store.clone(), "book-offer", 4).await?, 0);
    assert_eq!(prune_name(store.clone(), "book-offer", 3).await?, 1);
    assert_eq!(prune_name(store.clone(), "book-nothing", 0).await?, 0);
    let of_offers = remembered::<D>(&store, "book-offer", &offers).await?;
    assert_eq!(of_offers, [false, true, true, true]);
    let of_rooms = remembered::<D>(&store, "book-room", &rooms).await?;
    assert_eq!(of_rooms, [true, true]);

    assert_eq!(prune_name(store.clone(), "book-offer", 0).await?, 3);
    assert_eq!(prune_name(store.clone(), "book-room", 1).await?, 1);
    let of_rooms = remembered::<D>(&store, "book-room", &rooms).await?;
    assert_eq!(of_rooms, [false, true]);

    let refused = prune_name(store.clone(), "no name", 0).await;
    assert!(matches!(refused, Err(Error::CommandName { .. })));
    Ok(())
}

pub(crate) async fn a_global_cap_drops_the_oldest<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    assert_eq!(prune(store.clone(), 0).await?, 0);

    let (offers, rooms) = (shuffled_commands(2), shuffled_commands(2));
    for (offer, room) in offers.iter().zip(&rooms) {
        create(&shop, &store, "book-offer", &[*offer]).await?;
        create(&shop, &store, "book-room", &[*room]).await?;
    }
    assert_eq!(prune(store.clone(), 4).await?, 0);
    assert_eq!(prune(store.clone(), 1).await?, 3);
    let of_offers = remembered::<D>(&store, "book-offer", &offers).await?;
    let of_rooms = remembered::<D>(&store, "book-room", &rooms).await?;
    assert_eq!((of_offers, of_rooms), (vec![false; 2], vec![false, true]));
    assert_eq!(prune(store.clone(), 0).await?, 1);
    Ok(())
}

pub(crate) async fn a_command_that_was_forgotten_creates_a_second_entity<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let shop = Shop::<D>::open(database).await?;
    let store = shop.driver.store().await?;
    let commands = shuffled_commands(1);
    let first = create(&shop, &store, NAME, &commands).await?;
    prune(store.clone(), 0).await?;
    let second = create(&shop, &store, NAME, &commands).await?;
    assert_eq!(second[0].by, CreatedBy::ThisCall);
    assert_ne!(first[0].entity, second[0].entity);
    assert_eq!(
        shop.commands().await?,
        [commands[0].to_string(), commands[0].to_string()]
    );
    Ok(())
}

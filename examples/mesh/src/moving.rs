//! A pair moves to another region while requests go on. A database answers only for pairs whose `place` is its
//! own region, so instances may have old tables: a request is refused with the newer place, and asked there.
//!
//! 1. Both databases write down where the pair moves to.
//! 2. All rows are copied in batches by the key; then those written in the last round, until there are few.
//! 3. The old database is frozen: writes wait, reads go on. The rows of the last round are copied.
//! 4. The old database's place becomes the new region. This decides the move. Reads wait as well.
//! 5. The new database gets the place and answers; then all others get it, and instances are told.
//! 6. `mesh clean`, on any later day, deletes the rows that are not in their place.
//!
//! A place is only changed in the round in which it was read: of two commands at the same time one fails, and
//! a change waits for transactions that write. Every command can be repeated after every step.

use anyhow::{Context, Result, ensure};
use rowkey::routing::IuidContext;

use crate::config::Config;
use crate::ids::{Pair, describe, pairs};
use crate::store::{BATCH, Place, Store};

/// Opens every pair that no region has yet, where its route says.
pub async fn open(config: &Config, stores: &[Store]) -> Result<()> {
    let table = config.table()?;
    for (country, service_entity) in pairs() {
        let pair = (country, service_entity);
        // A pair without a route has no place, and is refused by all instances.
        let context = IuidContext {
            country,
            service_entity,
        };
        let Ok(region) = table.node_of_context(context) else {
            continue;
        };
        if newest(stores, pair).await?.moves == 0 {
            // In the same database first, so that two commands cannot open it in two regions.
            let opened = |place: &mut Place| (place.region, place.moves) = (region.clone(), 1);
            change(&stores[0], &mut stores[0].place(pair).await?, opened).await?;
        }
        settle(stores, pair).await?;
    }
    Ok(())
}

// ANCHOR: move
/// Moves a pair to a region; returns how many rows were copied. If it is there, gives up a move elsewhere.
pub async fn move_pair(stores: &[Store], pair: Pair, region: &str) -> Result<usize> {
    // If an earlier command has died after its step 4, this is its step 5.
    let mut place = settle(stores, pair).await?;
    let [from, to] = [&place.region, region].map(|region| in_region(stores, region));
    let (from, to) = (from?, to?);
    let begun = |place: &mut Place| {
        (place.moving_to, place.is_frozen) = (Some(region.to_owned()), false);
    };
    let decided = |place: &mut Place| {
        (place.region, place.moves) = (region.to_owned(), place.moves + 1);
        (place.moving_to, place.is_frozen) = (None, false);
    };
    let mut copied = 0;
    if place.region != region {
        let other = place.moving_to.as_deref().unwrap_or(region);
        ensure!(
            other == region,
            "{} is on its way to `{other}`: go on there, or move it to `{}` to give that up",
            describe(pair),
            place.region
        );
        change(to, &mut to.place(pair).await?, begun).await?;
        change(from, &mut place, begun).await?;
        // If the command dies in here, the old region goes on, and the next command copies again. If it
        // dies frozen, reads go on, and writes get 503 after their limit.
        match copy(from, to, &mut place).await {
            Ok(count) => copied = count,
            Err(error) => {
                change(from, &mut place, begun).await?;
                return Err(error);
            }
        }
    } else if place.moving_to.is_none() {
        return Ok(0);
    }
    change(from, &mut place, decided).await?;
    // If it dies here, all requests get 503 after their limit, until the next command finishes this move.
    settle(stores, pair).await?;
    // If it dies here, an instance that was not told learns the place with its next request.
    Ok(copied)
}

async fn copy(from: &Store, to: &Store, place: &mut Place) -> Result<usize> {
    let (mut copied, mut since) = (0, 0);
    loop {
        // No row is written in these rounds any more.
        let (before, mut last) = (copied, None);
        loop {
            let rows = from.rows(place.pair(), since..place.round, last).await?;
            let Some((id, _)) = rows.last() else { break };
            last = Some(*id);
            to.put(place.pair(), &rows).await?;
            copied += rows.len();
        }
        if place.is_frozen {
            return Ok(copied);
        }
        since = place.round;
        let few = copied - before <= BATCH;
        change(from, place, |place| place.is_frozen = few).await?;
    }
}
// ANCHOR_END: move

/// Deletes the rows of a pair in regions that it has left; returns how many. It may die at any time.
pub async fn clean(stores: &[Store], pair: Pair) -> Result<u64> {
    settle(stores, pair).await?;
    let mut deleted = 0;
    for store in stores {
        while let Some((last, _)) = store.rows(pair, 0..i64::MAX, None).await?.last() {
            let count = store.delete(pair, *last).await?;
            if count == 0 {
                break;
            }
            deleted += count;
        }
    }
    Ok(deleted)
}

/// Tells the instances of all regions; returns those that do not answer.
pub async fn tell(config: &Config) -> Result<Vec<&str>> {
    let limit = std::time::Duration::from_millis(config.limit_ms);
    let client = reqwest::Client::builder().no_proxy().timeout(limit);
    let (client, mut silent) = (client.build()?, Vec::new());
    for (name, region) in &config.regions {
        let reload = format!("http://{}/admin/reload", region.address);
        let told = client.post(reload).send().await;
        if told.and_then(|told| told.error_for_status()).is_err() {
            silent.push(name.as_str());
        }
    }
    Ok(silent)
}

/// The newest place that a database knows.
async fn newest(stores: &[Store], pair: Pair) -> Result<Place> {
    let mut newest = stores[0].place(pair).await?;
    for store in &stores[1..] {
        let place = store.place(pair).await?;
        if place.moves > newest.moves {
            newest = place;
        }
    }
    Ok(newest)
}

/// Writes the newest place to all databases, that of its region first, and returns it as that one has it.
async fn settle(stores: &[Store], pair: Pair) -> Result<Place> {
    let newest = newest(stores, pair).await?;
    let what = describe(pair);
    ensure!(newest.moves > 0, "no region has {what}: run `mesh open`");
    let known = |place: &mut Place| {
        (place.region, place.moves) = (newest.region.clone(), newest.moves);
        (place.moving_to, place.is_frozen) = (None, false);
    };
    let first = in_region(stores, &newest.region)?;
    for store in [first].into_iter().chain(stores) {
        let mut place = store.place(pair).await?;
        if place.moves < newest.moves {
            change(store, &mut place, known).await?;
        }
    }
    Ok(first.place(pair).await?)
}

async fn change(store: &Store, place: &mut Place, change: impl Fn(&mut Place)) -> Result<()> {
    let (region, is_changed) = (&store.region, store.change(place, change).await?);
    ensure!(
        is_changed,
        "another command is at work in `{region}`; repeat this one"
    );
    Ok(())
}

fn in_region<'a>(stores: &'a [Store], region: &str) -> Result<&'a Store> {
    let store = stores.iter().find(|store| store.region == region);
    store.with_context(|| format!("no region is called `{region}`"))
}

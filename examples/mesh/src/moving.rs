//! A pair (a service entity of a country) moves to another region while requests go on.
//!
//! Each database has a table `places`, and answers only for pairs whose place is its own region. So instances
//! may have old tables: a request is refused with the newer place, and asked there. A move has these steps:
//!
//! 1. Both databases write down where the pair moves to, which begins a round: the rows of later ones are known.
//! 2. All rows are copied in batches by the key; then those of the last rounds, until there are few.
//! 3. The old database is frozen: writes wait, reads go on. The rows of the last rounds are copied.
//! 4. The old database's place becomes the new region. This decides the move. Reads wait as well.
//! 5. The new database gets the place and answers, then all others get it, and the instances are told.
//! 6. `mesh clean`, on any later day, deletes the rows that are not in their place.
//!
//! A place is changed only from the round that was read. So of two commands at the same time one fails, and a
//! change waits for transactions that write. Every command can be repeated after each step; what holds until
//! then is said below.

use anyhow::{Context, Result, ensure};

use crate::store::BATCH;
use crate::{Config, Pair, Place, Store, describe, pairs};

/// Opens every pair that no region has yet, where its route says.
pub async fn open(config: &Config, stores: &[Store]) -> Result<()> {
    let table = config.table()?;
    for pair in pairs() {
        // A pair without a route has no place, and is refused by all instances.
        let Ok(region) = table.node_of_context(pair) else {
            continue;
        };
        if newest(stores, pair).await?.is_none() {
            let Pair {
                country,
                service_entity,
            } = pair;
            let (region, moving_to) = (region.clone(), None);
            // Always in the same database first, so that two commands cannot open it in two regions.
            let place = Place {
                country,
                service_entity,
                region,
                moves: 0,
                moving_to,
                is_frozen: false,
                round: 0,
            };
            stores[0].insert(&place).await?;
        }
        settle(stores, pair).await?;
    }
    Ok(())
}

// ANCHOR: move
/// Moves a pair to a region; returns how many rows were copied. If it is there, a move elsewhere is given up.
pub async fn move_pair(stores: &[Store], pair: Pair, region: &str) -> Result<usize> {
    // If an earlier command has died after its step 4, this is its step 5.
    let mut place = settle(stores, pair).await?;
    let (from, to) = (
        in_region(stores, &place.region)?,
        in_region(stores, region)?,
    );
    let decided = |place: &mut Place| {
        place.region = region.to_owned();
        place.moves += 1;
        (place.moving_to, place.is_frozen) = (None, false);
    };
    if place.region == region {
        if place.moving_to.is_some() {
            change(from, &mut place, decided).await?;
            settle(stores, pair).await?;
        }
        return Ok(0);
    }
    let other = place.moving_to.as_deref().unwrap_or(region);
    let what = describe(pair);
    ensure!(
        other == region,
        "{what} is on its way from `{}` to `{other}`: go on there, or move it to `{0}` to give up",
        place.region
    );
    let begun = |place: &mut Place| {
        (place.moving_to, place.is_frozen) = (Some(region.to_owned()), false);
    };
    let there = to.place(pair).await?;
    change(to, &mut there.context("it is not known there")?, begun).await?;
    change(from, &mut place, begun).await?;
    // If the command dies in here, the old region goes on, and the next command copies again. If it dies
    // frozen, reads go on, and writes get 503 after their limit.
    let copied = copy(from, to, pair, &mut place).await;
    if copied.is_err() {
        change(from, &mut place, begun).await?;
        return copied;
    }
    change(from, &mut place, decided).await?;
    // If it dies here, all requests get 503 after their limit, until the next command finishes this move.
    settle(stores, pair).await?;
    // If it dies here, an instance that was not told learns the place with its next request.
    copied
}

async fn copy(from: &Store, to: &Store, pair: Pair, place: &mut Place) -> Result<usize> {
    let (mut copied, mut since) = (0, 0);
    loop {
        // No row is written in these rounds any more.
        let (mut count, mut last) = (0, None);
        loop {
            let rows = from.rows(pair, since..place.round, last).await?;
            let Some((id, _)) = rows.last() else { break };
            last = Some(*id);
            to.put(&rows).await?;
            count += rows.len();
        }
        copied += count;
        if place.is_frozen {
            return Ok(copied);
        }
        since = place.round;
        change(from, place, |place| place.is_frozen = count <= BATCH).await?;
    }
}
// ANCHOR_END: move

/// Deletes the rows of a pair in regions that it has left; returns how many. What is left stays for the next time.
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
pub async fn tell(config: &Config) -> Vec<&str> {
    let mut silent = Vec::new();
    for (name, region) in &config.regions {
        let told = async {
            let client = reqwest::Client::builder()
                .no_proxy()
                .timeout(config.limit())
                .build()?;
            let url = format!("http://{}/admin/reload", region.address);
            client.post(url).send().await?.error_for_status()
        };
        if told.await.is_err() {
            silent.push(name.as_str());
        }
    }
    silent
}

/// The newest place that a database knows.
async fn newest(stores: &[Store], pair: Pair) -> Result<Option<Place>> {
    let mut places = Vec::new();
    for store in stores {
        places.extend(store.place(pair).await?);
    }
    Ok(places.into_iter().max_by_key(|place| place.moves))
}

/// Writes the newest place to all databases, that of its region first; returns it as that one has it.
async fn settle(stores: &[Store], pair: Pair) -> Result<Place> {
    let newest = newest(stores, pair).await?;
    let newest =
        newest.with_context(|| format!("no region has {}: run `mesh open`", describe(pair)))?;
    let first = in_region(stores, &newest.region)?;
    for store in [first].into_iter().chain(stores) {
        match store.place(pair).await? {
            None => store.insert(&newest).await?,
            Some(mut place) if place.moves < newest.moves => {
                let known = |place: &mut Place| {
                    *place = Place {
                        round: place.round,
                        moving_to: None,
                        is_frozen: false,
                        ..newest.clone()
                    };
                };
                change(store, &mut place, known).await?;
            }
            Some(_) => {}
        }
    }
    first.place(pair).await?.context("its place is gone")
}

/// Changes a place, if it is still the one that is known.
async fn change(store: &Store, place: &mut Place, change: impl Fn(&mut Place)) -> Result<()> {
    let round = place.round;
    change(place);
    place.round += 1;
    let is_changed = store.replace(round, place).await?;
    ensure!(
        is_changed,
        "another command changes this in `{}`; run this one again",
        store.region
    );
    Ok(())
}

fn in_region<'a>(stores: &'a [Store], region: &str) -> Result<&'a Store> {
    let store = stores.iter().find(|store| store.region == region);
    store.with_context(|| format!("no region is called `{region}`"))
}

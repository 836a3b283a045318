//! A pair moves to another region while requests go on. A database answers only for pairs whose
//! place is its own region, so instances need not know of a move: the old region tells them where
//! to ask.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use futures_util::TryStreamExt;

use crate::config::in_region;
use crate::{Pair, Place, Store, describe};

/// Rows of one statement: servers and SQLite limit the number of parameters.
const BATCH: usize = 500;

type Stores = BTreeMap<String, Store>;

/// Moves a pair to a region, or opens it there. Of two commands at the same time one fails; each
/// can be repeated.
pub async fn move_pair(stores: &Stores, pair: Pair, region: &str) -> Result<()> {
    // Finishes the move if an earlier command has decided one and died.
    let (mut place, from) = settle(stores, pair).await?;
    let (to, mut since) = (in_region(stores, region)?, 0);
    let another = format!("another command moves {}: repeat this one", describe(pair));
    // ANCHOR: move
    while place.region != region {
        place.version += 1;
        // The new region is told as well: an earlier command may still be deleting rows there.
        ensure!(from.advance(pair, &place).await?, "{another}");
        to.advance(pair, &place).await?;
        // If the command dies here, the old region goes on. The next command copies again.
        let copied = copy(from, to, pair, since..place.version).await?;
        since = place.version;
        if copied <= BATCH {
            // This decides the move. If the command dies now, requests get 503 until the next
            // command.
            (place.region, place.version) = (region.to_owned(), place.version + 1);
            ensure!(from.advance(pair, &place).await?, "{another}");
        }
    }
    settle(stores, pair).await?;
    for store in stores.values().filter(|store| store.region != region) {
        store.delete(pair, &place).await?;
    }
    // ANCHOR_END: move
    Ok(())
}

/// Writes the newest place to all databases, that of its region first, with the rows that it does
/// not have yet.
async fn settle(stores: &Stores, pair: Pair) -> Result<(Place, &Store)> {
    let mut places = Vec::new();
    for store in stores.values() {
        places.push((store.place(pair).await?, store));
    }
    let newest = places.into_iter().max_by_key(|(place, _)| place.version);
    let (place, from) = newest.context("there is no region")?;
    let to = match place.region.as_str() {
        // No region has it yet. All commands open it in the same database first, so only one of
        // them can.
        "" => from,
        region => in_region(stores, region)?,
    };
    if to.place(pair).await?.version < place.version {
        copy(from, to, pair, place.version - 1..place.version).await?;
    }
    for store in [to].into_iter().chain(stores.values()) {
        store.advance(pair, &place).await?;
    }
    Ok((place, to))
}

/// Copies the rows that were written under some versions.
async fn copy(from: &Store, to: &Store, pair: Pair, versions: Range<i64>) -> Result<usize> {
    let mut batches = from.rows(pair, versions).try_chunks(BATCH);
    let mut copied = 0;
    while let Some(rows) = batches.try_next().await? {
        to.put(&rows).await?;
        copied += rows.len();
    }
    Ok(copied)
}

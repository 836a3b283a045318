//! Requests, which find their database by the id alone, and the move of a shard.

use std::ptr;
use std::time::Duration;

use rowkey::EntityKey;
use rowkey::routing::{Router, Shard, ShardTable};
use tokio::time::sleep;

use crate::{BookingId, Change, Database, Error, SHARDS};

/// How long a request waits before it asks again: some five seconds in total.
const PAUSES_MS: [u64; 10] = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560];

/// The bookings of all databases.
pub struct Bookings {
    router: Router<ShardTable<Database>>,
}

impl Bookings {
    /// Bookings in the databases of a table.
    pub fn new(table: ShardTable<Database>) -> Self {
        Self {
            router: Router::new(table),
        }
    }

    /// Opens a shard for the first time, in the database of its route.
    ///
    /// # Errors
    ///
    /// Any but [`Error::NotOpen`]; [`Error::Elsewhere`] if it has been moved since.
    pub async fn open_shard(&self, shard: Shard) -> Result<(), Error> {
        let shard_key = SHARDS.compose(shard.region, shard.partition)?;
        let table = self.router.load_full();
        let database = table.node_of_shard_key(shard_key)?;
        for other in others(&table, database) {
            // Closed by a move that was interrupted, it has bookings as well.
            if other.has(shard_key).await? || !other.bookings(shard_key).await?.is_empty() {
                return Err(Error::Elsewhere(shard_key));
            }
        }
        Ok(database.open_shard(shard_key).await?)
    }

    /// Creates a booking in a shard.
    ///
    /// # Errors
    ///
    /// Any [`Error`]; [`Error::NotOpen`] if the shard is on the move for too long.
    pub async fn create(&self, shard: Shard, title: &str) -> Result<BookingId, Error> {
        let shard_key = SHARDS.compose(shard.region, shard.partition)?;
        let id = BookingId::generate_for(&shard_key);
        let create = |database: Database| async move {
            let created = database.change(shard_key, id, Change::Create(title));
            created.await
        };
        self.ask(shard_key, create).await?;
        Ok(id)
    }

    /// Gives a booking another title; `false` if there is no such booking.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub async fn rename(&self, id: BookingId, title: &str) -> Result<bool, Error> {
        let shard_key = id.into_format().shard_key();
        let rename = |database: Database| async move {
            let renamed = database.change(shard_key, id, Change::Rename(title));
            renamed.await
        };
        self.ask(shard_key, rename).await
    }

    /// The title of a booking, if there is one.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub async fn title(&self, id: BookingId) -> Result<Option<String>, Error> {
        let shard_key = id.into_format().shard_key();
        let find = |database: Database| async move { database.title(shard_key, id).await };
        self.ask(shard_key, find).await
    }

    /// Asks the database of a shard, until one answers that serves the shard.
    async fn ask<T, F: Future<Output = Result<Option<T>, sqlx::Error>>>(
        &self,
        shard_key: u32,
        request: impl Fn(Database) -> F,
    ) -> Result<T, Error> {
        for pause in PAUSES_MS {
            if let Some(answer) = request(self.database_of(shard_key)?).await? {
                return Ok(answer);
            }
            sleep(Duration::from_millis(pause)).await;
        }
        Err(Error::NotOpen(shard_key))
    }

    fn database_of(&self, shard_key: u32) -> Result<Database, Error> {
        Ok(self.router.load().node_of_shard_key(shard_key)?.clone())
    }

    /// Uses another table from now on, after another process has moved a shard.
    pub fn route_by(&self, table: ShardTable<Database>) {
        self.router.replace(table);
    }

    /// Moves a shard to the database that it has in another table, which is used from then on.
    ///
    /// Meanwhile, other requests go on. Those that write to the shard wait until it is open again,
    /// and those that read it, for a moment at the end. A move that has failed or was interrupted
    /// at any point goes on when it is called again, also in a process that knows the other table
    /// only. Only one process at a time may move shards.
    ///
    /// # Errors
    ///
    /// Any but [`Error::NotOpen`]; [`Error::Elsewhere`] if two databases have the shard. If the
    /// shard could not be copied, it is open in its old database.
    pub async fn move_shard(&self, shard: Shard, table: ShardTable<Database>) -> Result<(), Error> {
        let shard_key = SHARDS.compose(shard.region, shard.partition)?;
        let to = table.node_of_shard_key(shard_key)?;
        let others: Vec<Database> = others(&table, to).cloned().collect();
        // The database that has the shard, not that of the router, whose table may be the new one.
        let (mut from, mut is_known) = (None, to.has(shard_key).await?);
        for other in &others {
            if other.has(shard_key).await? {
                if is_known {
                    return Err(Error::Elsewhere(shard_key));
                }
                (from, is_known) = (Some(other), true);
            }
        }
        if !is_known {
            // An earlier attempt has come as far as closing it. To where? Only there are all its
            // bookings.
            let copied = to.bookings(shard_key).await?;
            for other in &others {
                let left = other.bookings(shard_key).await?;
                if !left.is_empty() && left != copied {
                    return Err(Error::Elsewhere(shard_key));
                }
            }
        }
        // ANCHOR: move
        // Otherwise it is there already, or an earlier attempt has come that far.
        if let Some(from) = from {
            // Waits for writers that have begun, and refuses others from now on.
            from.freeze(shard_key).await?;
            if let Err(error) = copy(from, to, shard_key).await {
                from.open_shard(shard_key).await?;
                return Err(error);
            }
            // What attempts to move it elsewhere have left, so that the only copies are equal.
            for other in &others {
                other.delete_closed(shard_key).await?;
            }
            // At no time are there two databases that answer: one could miss what the other was
            // told.
            from.close(shard_key).await?;
        }
        to.open_shard(shard_key).await?;
        self.router.replace(table);
        for other in &others {
            other.delete_closed(shard_key).await?;
        }
        // ANCHOR_END: move
        Ok(())
    }
}

/// All databases of a table but one.
fn others<'a>(
    table: &'a ShardTable<Database>,
    but: &'a Database,
) -> impl Iterator<Item = &'a Database> {
    let all = table.nodes().map(|(_, database)| database);
    all.filter(move |database| !ptr::eq(*database, but))
}

/// Copies a frozen shard, and compares the copy with the original.
async fn copy(from: &Database, to: &Database, shard_key: u32) -> Result<(), Error> {
    let bookings = from.bookings(shard_key).await?;
    to.replace_bookings(shard_key, &bookings).await?;
    if to.bookings(shard_key).await? != bookings {
        return Err(Error::Copy(shard_key));
    }
    Ok(())
}

//! Bookings in several databases, each in the one that its id names, and a shard that moves from
//! one database to another while requests go on.
//!
//! The router says where to ask first, and the database has the last word: a table in each lists
//! the shards that are open there. A request to the wrong database, because its table is old or the
//! shard is on the move, is refused there and asks the router again.

mod bookings;
mod config;
mod database;

use rowkey::routing::{NoNode, RoutesError, ShardLayout};
use rowkey::{HotGuid, entity_key};

pub use crate::bookings::Bookings;
pub use crate::config::Config;
pub use crate::database::{Change, Database};

/// The id of a booking, which names its shard.
#[entity_key]
pub struct BookingId(HotGuid);

/// Regions are UN M.49 codes, which have ten bits; the other 22 bits are free for partitions.
pub const SHARDS: ShardLayout = ShardLayout::new(10, 22);

/// Why a request or a move has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A shard or an id that no database is responsible for.
    #[error(transparent)]
    NoNode(#[from] NoNode),
    /// A region or a partition that does not fit.
    #[error(transparent)]
    Shard(#[from] rowkey::Error),
    /// The routes of the configuration.
    #[error(transparent)]
    Routes(#[from] RoutesError),
    /// A shard that its database does not serve: it is on the move, or was never opened. A client
    /// may try again later.
    #[error("the shard {0} is not open in its database")]
    NotOpen(u32),
    /// A shard that would be in two databases: the routes are older than its last move, or somebody
    /// has opened it by hand. Nothing was changed.
    #[error("the shard {0} is in another database already")]
    Elsewhere(u32),
    /// The copy of a shard differs from the original.
    #[error("the copy of the shard {0} differs from the original")]
    Copy(u32),
    /// The URL of a database.
    #[error("a database URL begins with `postgres:`, `mysql:`, `mariadb:` or `sqlite:`")]
    Url,
    /// A database.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

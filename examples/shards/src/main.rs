//! Three databases behind one router: `cargo run -p shards`, or `cargo run -p shards --
//! shards.toml` with other databases and routes.

use std::{env, fs};

use anyhow::Context;
use rowkey::routing::Shard;
use shards::{Bookings, Config, SHARDS};

const OSLO: Shard = Shard {
    region: 578,
    partition: 0,
};
const MADRID: Shard = Shard {
    region: 724,
    partition: 0,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let text = match env::args_os().nth(1) {
        Some(file) => fs::read_to_string(file).context("could not read the configuration")?,
        None => include_str!("../shards.toml").to_owned(),
    };
    let mut config: Config = toml::from_str(&text).context("the configuration is wrong")?;
    let databases = config.open().await?;
    let bookings = Bookings::new(config.table(&databases)?);

    for shard in [OSLO, MADRID] {
        bookings.open_shard(shard).await?;
    }
    let fjords = bookings.create(OSLO, "Fjords in winter").await?;
    let prado = bookings.create(MADRID, "The Prado at night").await?;
    for id in [fjords, prado] {
        let shard = SHARDS.shard_of(id.into())?;
        let title = bookings.title(id).await?;
        println!(
            "{id}: {title:?}, partition {} of region {}",
            shard.partition, shard.region
        );
    }

    // Madrid moves. In a real system, the configuration file is edited and read again.
    let madrid = config
        .shards
        .routes
        .iter_mut()
        .find(|route| route.region == MADRID.region.into());
    madrid.context("there is no route of region 724")?.node = "north".to_owned();
    bookings
        .move_shard(MADRID, config.table(&databases)?)
        .await?;
    println!(
        "{prado}: {:?}, now in `north`",
        bookings.title(prado).await?
    );
    Ok(())
}

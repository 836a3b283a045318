//! The service of a region, and the commands that move countries: `cargo run -p mesh -- --help`.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use mesh::{Config, MESH, describe, http, moving, pairs};

/// Orders and rides in several regions.
#[derive(Parser)]
struct Settings {
    /// The configuration, the same for all regions.
    #[arg(long, env = "MESH_CONFIG", default_value = "mesh.toml")]
    config: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Open what no region has yet, where its route says: at first, and after a new country.
    Open,
    /// Serve a region.
    Run { region: String },
    /// Move a country to a region while requests go on; repeat it if it was interrupted.
    Move {
        country: String,
        region: String,
        /// Only this service entity; otherwise all of them move.
        #[arg(long)]
        service_entity: Option<String>,
    },
    /// Delete the rows of a country in the regions that it has left.
    Clean { country: String },
}

#[tokio::main]
async fn main() -> Result<()> {
    let settings = Settings::parse();
    let config = Config::read(&settings.config)?;
    match settings.command {
        Command::Run { region } => return http::serve(config, &region).await,
        Command::Open => moving::open(&config, &config.stores().await?).await?,
        Command::Move {
            country,
            region,
            service_entity,
        } => {
            let country = MESH.countries.number(&country)?;
            let only = service_entity.map(|name| MESH.service_entities.number(&name));
            let only = only.transpose()?;
            let stores = config.stores().await?;
            for pair in pairs().filter(|pair| pair.country == country) {
                if only.is_none_or(|only| only == pair.service_entity) {
                    let copied = moving::move_pair(&stores, pair, &region).await?;
                    println!("{} is in `{region}`; rows copied: {copied}", describe(pair));
                }
            }
        }
        Command::Clean { country } => {
            let country = MESH.countries.number(&country)?;
            let stores = config.stores().await?;
            for pair in pairs().filter(|pair| pair.country == country) {
                let deleted = moving::clean(&stores, pair).await?;
                println!("{}: rows deleted: {deleted}", describe(pair));
            }
        }
    }
    for region in moving::tell(&config).await {
        eprintln!(
            "note: the instance of `{region}` does not answer; it learns with its next request"
        );
    }
    Ok(())
}

//! The service of a region, and the commands that move countries.

use std::env;

use anyhow::{Result, bail};
use mesh::{Config, MESH, describe, instance, moving, pairs};

const USAGE: &str = "\
Usage: mesh run REGION
       mesh open                            opens what no region has yet, where its route says
       mesh move COUNTRY REGION [ENTITY]    moves a country, or one service entity of it
       mesh clean COUNTRY                   deletes rows in regions that the country has left

The variable MESH_CONFIG names the configuration, otherwise it is mesh.toml. Every command can be repeated.";

#[tokio::main]
async fn main() -> Result<()> {
    let config = env::var_os("MESH_CONFIG").unwrap_or_else(|| "mesh.toml".into());
    let config = || Config::read(config.as_ref());
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (country, entity) = match arguments[..] {
        ["run", region] => return instance::serve(config()?, region).await,
        ["open"] => return moving::open(&config()?, &config()?.stores().await?).await,
        ["clean", country] | ["move", country, _] => (country, None),
        ["move", country, _, entity] => (country, Some(MESH.service_entities.number(entity)?)),
        _ => bail!("{USAGE}"),
    };
    let (config, country) = (config()?, MESH.countries.number(country)?);
    let stores = config.stores().await?;
    let is_chosen = |pair: &(u8, u8)| pair.0 == country && entity.is_none_or(|one| one == pair.1);
    for pair in pairs().filter(is_chosen) {
        let what = describe(pair);
        if let ["move", _, region, ..] = arguments[..] {
            let copied = moving::move_pair(&stores, pair, region).await?;
            println!("{what} is in `{region}`; rows copied: {copied}");
        } else {
            let deleted = moving::clean(&stores, pair).await?;
            println!("{what}: rows deleted: {deleted}");
        }
    }
    for region in moving::tell(&config).await? {
        eprintln!("note: the instance of `{region}` does not answer; it will learn by itself");
    }
    Ok(())
}

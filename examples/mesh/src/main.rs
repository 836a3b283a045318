//! The service of a region, and the command that moves countries.

use std::env;

use anyhow::{Result, bail};
use mesh::{Config, MESH, describe, instance, moving, pairs};

#[tokio::main]
async fn main() -> Result<()> {
    let config = env::var_os("MESH_CONFIG").unwrap_or_else(|| "mesh.toml".into());
    let config = Config::read(config.as_ref())?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["run", region] => instance::serve(config, region).await,
        ["move", country, region] => {
            let (country, stores) = (MESH.countries.number(country)?, config.stores().await?);
            for pair in pairs().filter(|pair| pair.0 == country) {
                moving::move_pair(&stores, pair, region).await?;
                println!("{} is in `{region}`", describe(pair));
            }
            Ok(())
        }
        _ => bail!(
            "usage: mesh run REGION, or mesh move COUNTRY REGION, which also opens a new country"
        ),
    }
}

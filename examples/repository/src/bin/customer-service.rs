//! The repository over HTTP, with any driver.
//!
//! Run it with `cargo run -p repository --bin customer-service`, optionally followed by a driver,
//! the URL of a database, and an address to listen on.

use std::env;
use std::error::Error;

use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let driver = arguments.next().unwrap_or("sqlx".into());
    let url = arguments.next().unwrap_or("sqlite::memory:".into());
    let address = arguments.next().unwrap_or("127.0.0.1:3000".into());
    let repository = match &*driver {
        "sqlx" => repository::sqlx::connect(&url).await?,
        "diesel" => repository::diesel::connect(&url).await?,
        "sea_orm" => repository::sea_orm::connect(&url).await?,
        "tiberius" => repository::tiberius::connect(&url).await?,
        _ => return Err("the drivers are sqlx, diesel, sea_orm and tiberius".into()),
    };
    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, repository::http::router(repository.into())).await?;
    Ok(())
}

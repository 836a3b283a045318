//! tiberius' connections in a pool of deadpool's.

use deadpool::managed::{self, Metrics, RecycleResult};
use tiberius::{Client, Config};
use tokio::net::TcpStream;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

pub(super) type Connection = Client<Compat<TcpStream>>;

pub(super) type Pool = managed::Pool<Manager>;

/// Opens connections, and checks those that are returned.
pub(super) struct Manager(pub(super) Config);

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = tiberius::error::Error;

    async fn create(&self) -> tiberius::Result<Connection> {
        let stream = TcpStream::connect(self.0.get_addr()).await?;
        stream.set_nodelay(true)?;
        Client::connect(self.0.clone(), stream.compat_write()).await
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<Self::Error> {
        // Checks the connection, and ends a transaction that was left open.
        let sql = "IF @@TRANCOUNT > 0 ROLLBACK";
        connection.simple_query(sql).await?.into_results().await?;
        Ok(())
    }
}

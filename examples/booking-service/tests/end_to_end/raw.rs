//! Raw connections, for clients that disconnect early or send invalid bytes.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::requests::Request;
use crate::service::PATIENCE;

/// A connection that sends raw bytes.
pub(crate) struct RawConnection {
    stream: TcpStream,
}

impl RawConnection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        Ok(Self { stream })
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        let written = self.stream.write_all(bytes.as_ref());
        Ok(timeout(PATIENCE, written)
            .await
            .context("the service does not read")??)
    }

    /// Everything up to the end of an answer's head.
    pub(crate) async fn read_head(&mut self) -> Result<String> {
        let mut head = Vec::new();
        let read = async {
            while !head.ends_with(b"\r\n\r\n") {
                head.push(self.stream.read_u8().await?);
            }
            anyhow::Ok(())
        };
        timeout(PATIENCE, read).await.context("no answer")??;
        Ok(String::from_utf8(head)?)
    }

    /// Everything up to the end of the connection.
    pub(crate) async fn read_to_end(&mut self) -> Result<String> {
        let mut answer = Vec::new();
        let read = self.stream.read_to_end(&mut answer);
        timeout(PATIENCE, read)
            .await
            .context("the connection stays open")??;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Sends a request that is larger than the service reads; returns the answer.
    pub(crate) async fn read_while_writing(mut self, bytes: &[u8]) -> Result<String> {
        let (mut reader, mut writer) = self.stream.split();
        let mut answer = Vec::new();
        let exchange = async {
            // The service may close the connection before it has read everything.
            let (_, _) = tokio::join!(writer.write_all(bytes), reader.read_to_end(&mut answer));
        };
        timeout(PATIENCE, exchange).await.context("no answer")?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Closes the connection with a reset.
    pub(crate) fn reset(self) -> Result<()> {
        Ok(self.stream.set_zero_linger()?)
    }
}

/// A request with its body, for one exchange.
pub(crate) fn bytes_of(request: &Request) -> Vec<u8> {
    let body = request.body.to_string();
    let head = head_of(request, body.len(), "");
    format!("{head}{body}").into_bytes()
}

/// A request up to its body.
pub(crate) fn head_of(request: &Request, length: usize, more: &str) -> String {
    let Request { method, path, .. } = request;
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n"
    )
}

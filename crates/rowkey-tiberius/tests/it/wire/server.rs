//! The other end of a connection: records what it receives and sends prepared responses.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use futures_util::{AsyncRead, AsyncWrite};
use tiberius::{AuthMethod, Client, Config, EncryptionLevel};

const RPC: u8 = 0x03;
const ANSWER: u8 = 0x04;
const BULK_LOAD: u8 = 0x07;
const LOGIN: u8 = 0x10;
const PRE_LOGIN: u8 = 0x12;

/// No encryption, as the only option.
const PRE_LOGIN_ANSWER: [u8; 7] = [1, 0, 6, 0, 1, 0xff, 2];
/// Version 7.4 of the protocol, spoken by a program without a name.
const LOGIN_ANSWER: [u8; 13] = [0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 0, 0, 0, 0];
const DONE: [u8; 13] = [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

// Types of columns, as the protocol describes them.
pub(crate) const GUID: &[u8] = &[0x24, 16];
pub(crate) const DECIMAL_28: &[u8] = &[0x6a, 13, 28, 0];
pub(crate) const BINARY_12: &[u8] = &[0xad, 12, 0];
pub(crate) const CHAR_16: &[u8] = &[0xaf, 16, 0, 0x09, 0x04, 0, 0, 0];

#[derive(Clone, Default)]
pub(crate) struct Server(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// What is to be read by the client.
    to_client: VecDeque<u8>,
    /// Bytes of packets that are not complete.
    packets: Vec<u8>,
    /// What a message of several packets has said so far.
    message: Vec<u8>,
    requests: Vec<Vec<u8>>,
    answers: VecDeque<Vec<u8>>,
}

impl Server {
    pub(crate) async fn connect(&self) -> Client<Self> {
        let mut config = Config::new();
        config.encryption(EncryptionLevel::NotSupported);
        config.authentication(AuthMethod::sql_server("sa", "secret"));
        Client::connect(config, self.clone()).await.unwrap()
    }

    /// Answers the next query or batch with rows; others are only said to be done.
    pub(crate) fn answer(&self, columns: &[&[u8]], rows: &[&[&[u8]]]) {
        let mut answer = vec![0x81, columns.len() as u8, 0];
        for column in columns {
            // User type and flags (nullable, to be written), the type, and no name.
            answer.extend([0, 0, 0, 0, 0x09, 0]);
            answer.extend(*column);
            answer.push(0);
        }
        for row in rows {
            answer.push(0xd1);
            answer.extend(row.concat());
        }
        self.0.lock().unwrap().answers.push_back(answer);
    }

    /// What the client has asked last: a remote procedure call or the rows of a bulk insert.
    pub(crate) fn last_request(&self) -> Vec<u8> {
        self.0.lock().unwrap().requests.last().unwrap().clone()
    }
}

impl State {
    fn receive(&mut self, bytes: &[u8]) {
        self.packets.extend(bytes);
        while let [kind, status, high, low, ..] = self.packets[..] {
            let length = usize::from(u16::from_be_bytes([high, low]));
            if self.packets.len() < length {
                return;
            }
            let packet: Vec<u8> = self.packets.drain(..length).collect();
            self.message.extend(&packet[8..]);
            if status & 1 == 1 {
                let message = std::mem::take(&mut self.message);
                self.answer(kind, message);
            }
        }
    }

    fn answer(&mut self, kind: u8, message: Vec<u8>) {
        let mut answer = match kind {
            PRE_LOGIN => PRE_LOGIN_ANSWER.to_vec(),
            LOGIN => LOGIN_ANSWER.to_vec(),
            BULK_LOAD => Vec::new(),
            _ => self.answers.pop_front().unwrap_or_default(),
        };
        if kind != PRE_LOGIN {
            answer.extend(DONE);
        }
        if matches!(kind, RPC | BULK_LOAD) {
            self.requests.push(message);
        }
        let [high, low] = (answer.len() as u16 + 8).to_be_bytes();
        self.to_client.extend([ANSWER, 1, high, low, 0, 0, 1, 0]);
        self.to_client.extend(answer);
    }
}

impl AsyncRead for Server {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        // Nothing there is the end: all answers are written before they are waited for.
        Poll::Ready(io::Read::read(
            &mut self.0.lock().unwrap().to_client,
            buffer,
        ))
    }
}

impl AsyncWrite for Server {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.lock().unwrap().receive(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

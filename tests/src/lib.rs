//! What the integration tests stand on: databases, found by their address, one for each test.

#![forbid(unsafe_code)]

pub mod backend;

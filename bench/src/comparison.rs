//! What is compared with what, and the aims.

use std::fmt;

use crate::measurement::Cost;

/// An operation of rowkey, perhaps next to what a peer does instead.
#[derive(Debug)]
pub struct Comparison {
    /// The operation of rowkey.
    pub rowkey: &'static str,
    /// The operation of the peer.
    pub peer: Option<&'static str>,
    /// What is to be reached.
    pub aims: &'static [Aim],
}

/// An upper limit.
#[derive(Clone, Copy, Debug)]
pub enum Aim {
    /// Nanoseconds. They depend on the machine; the others hardly do.
    Nanoseconds(f64),
    /// Instructions.
    Instructions(f64),
    /// Times the peer's nanoseconds.
    PeerNanoseconds(f64),
    /// Times the peer's instructions.
    PeerInstructions(f64),
    /// Instructions more than the peer's.
    MoreInstructions(f64),
}

use Aim::{Instructions, MoreInstructions, Nanoseconds, PeerInstructions, PeerNanoseconds};

impl Aim {
    /// Whether the costs are within the limit, as far as they are measured. A tenth of a unit is
    /// given, which is what the figures of two runs differ by.
    pub fn is_met(self, rowkey: Cost, peer: Option<Cost>) -> bool {
        const GIVEN: f64 = 0.1;
        // An aim that compares is missed without a peer.
        let peer = |figure: fn(Cost) -> f64| peer.map_or(f64::NAN, figure);
        let (cost, limit) = match self {
            Nanoseconds(limit) => (rowkey.nanoseconds, limit),
            Instructions(limit) => (rowkey.instructions, limit),
            PeerNanoseconds(times) => (rowkey.nanoseconds, times * peer(|one| one.nanoseconds)),
            PeerInstructions(times) => (rowkey.instructions, times * peer(|one| one.instructions)),
            MoreInstructions(limit) => (rowkey.instructions, limit + peer(|one| one.instructions)),
        };
        cost <= limit + GIVEN
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nanoseconds(limit) => write!(f, "{limit} ns"),
            Instructions(limit) => write!(f, "{limit} instr"),
            PeerNanoseconds(times) => write!(f, "{times} x ns"),
            PeerInstructions(times) => write!(f, "{times} x instr"),
            MoreInstructions(limit) => write!(f, "peer + {limit} instr"),
        }
    }
}

const fn of(rowkey: &'static str, peer: &'static str, aims: &'static [Aim]) -> Comparison {
    Comparison {
        rowkey,
        peer: Some(peer),
        aims,
    }
}

const fn alone(rowkey: &'static str, aims: &'static [Aim]) -> Comparison {
    Comparison {
        rowkey,
        peer: None,
        aims,
    }
}

/// Every row of the table, in its order.
#[rustfmt::skip]
pub const COMPARISONS: &[Comparison] = &[
    // What is in every row below that tells the time.
    alone("clock-system", &[]),
    alone("clock-coarse", &[]),
    of("short-prefix-comb-system-clock", "peer-ulid", &[Nanoseconds(38.0), PeerNanoseconds(1.0)]),
    of("short-prefix-comb-system-clock", "peer-uuid-v7-fast-rng", &[PeerNanoseconds(1.0)]),
    of("short-prefix-comb-system-clock", "peer-uuid-v4-plain", &[PeerNanoseconds(1.0)]),
    // Which reads no clock.
    of("short-prefix-comb-system-clock", "peer-uuid-v4-fast-rng", &[]),
    of("short-prefix-comb-coarse-clock", "peer-ferroid-ulid",
        &[Nanoseconds(16.0), PeerNanoseconds(1.0)]),
    of("short-prefix-comb-generate", "peer-ferroid-ulid",
        &[Nanoseconds(16.0), PeerNanoseconds(1.0)]),
    of("short-prefix-comb-batch", "peer-uuid-v4-fast-rng", &[Nanoseconds(8.0)]),
    of("prefix-comb-generate", "peer-uuid-v7-fast-rng", &[PeerNanoseconds(1.0)]),
    of("uuid-v7-generate", "peer-uuid-v7-fast-rng", &[PeerNanoseconds(1.0)]),
    alone("distributed-id-state", &[]),
    of("distributed-id-generator", "peer-uuid-v7-fast-rng",
        &[Nanoseconds(50.0), PeerNanoseconds(1.0)]),
    of("distributed-id128-generator", "peer-uuid-v7-fast-rng", &[PeerNanoseconds(1.0)]),
    of("hot-guid-generate", "peer-uuid-v7-fast-rng", &[PeerNanoseconds(1.0)]),
    // Texts.
    of("write-hyphenated", "peer-uuid-write", &[PeerNanoseconds(1.0)]),
    of("write-base62-22", "peer-base62-write-22", &[Instructions(94.0), PeerNanoseconds(0.5)]),
    of("write-base62-16", "peer-base62-write-16", &[Instructions(71.0), PeerNanoseconds(0.5)]),
    of("write-base62-11", "peer-base62-write-11", &[PeerNanoseconds(1.0)]),
    of("write-decimal-28", "peer-itoa-write", &[PeerNanoseconds(1.0)]),
    of("write-decimal-28", "peer-std-write", &[PeerNanoseconds(1.0)]),
    of("write-decimal-28", "peer-rust-decimal-write", &[]),
    of("write-decimal-28-padded", "peer-itoa-write", &[PeerNanoseconds(1.0)]),
    of("read-hyphenated", "peer-uuid-read", &[PeerNanoseconds(1.0)]),
    of("read-base62-22", "peer-base62-read-22", &[Nanoseconds(19.0), PeerNanoseconds(1.0)]),
    of("read-base62-16", "peer-base62-read-16", &[Instructions(150.0), PeerNanoseconds(1.0)]),
    of("read-base62-11", "peer-base62-read-11", &[PeerNanoseconds(1.0)]),
    of("read-decimal-28", "peer-std-read", &[PeerNanoseconds(0.333)]),
    of("read-decimal-28", "peer-rust-decimal-read", &[]),
    // Columns.
    of("encode-postgres-uuid", "peer-uuid-bytes", &[PeerInstructions(1.05)]),
    of("encode-sql-server-suffix-short", "peer-uuid-bytes", &[MoreInstructions(13.0)]),
    of("encode-sql-server-suffix-full", "peer-uuid-bytes", &[MoreInstructions(13.0)]),
    of("encode-sql-server-image", "peer-uuid-bytes", &[MoreInstructions(13.0)]),
    of("encode-sqlite-digits", "peer-itoa-write", &[PeerNanoseconds(1.0)]),
    of("encode-mariadb-native-uuid", "peer-uuid-write", &[PeerNanoseconds(1.0)]),
    of("decode-postgres-uuid", "peer-uuid-from-bytes", &[]),
    of("decode-sql-server-suffix-short", "peer-uuid-from-bytes", &[]),
    of("decode-sql-server-suffix-full", "peer-uuid-from-bytes", &[]),
    of("decode-sql-server-image", "peer-uuid-from-bytes", &[]),
    of("decode-sqlite-digits", "peer-std-read", &[PeerNanoseconds(0.333)]),
    of("decode-mariadb-native-uuid", "peer-uuid-read", &[PeerNanoseconds(1.0)]),
    // Public ids.
    of("public-id-encode-u64", "peer-aes-encrypt", &[PeerNanoseconds(1.1)]),
    of("public-id-encode-distributed-id", "peer-aes-encrypt", &[PeerNanoseconds(1.1)]),
    of("public-id-encode-128-bits", "peer-aes-encrypt", &[PeerNanoseconds(1.1)]),
    of("public-id-decode-u64", "peer-aes-decrypt", &[PeerNanoseconds(1.1)]),
    of("public-id-decode-distributed-id", "peer-aes-decrypt", &[PeerNanoseconds(1.1)]),
    of("public-id-decode-128-bits", "peer-aes-decrypt", &[PeerNanoseconds(1.1)]),
    // Drivers.
    #[cfg(feature = "drivers")]
    of("sqlx-postgres-key", "peer-sqlx-postgres-uuid", &[PeerInstructions(1.05)]),
    #[cfg(feature = "drivers")]
    of("sqlx-mysql-key", "peer-sqlx-mysql-uuid", &[PeerInstructions(1.05)]),
    #[cfg(feature = "drivers")]
    of("sqlx-sqlite-key", "peer-sqlx-sqlite-uuid", &[PeerInstructions(1.05)]),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-write-key", "peer-sqlx-numeric-write-rust-decimal", &[PeerNanoseconds(0.1)]),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-write-key", "peer-sqlx-numeric-write-bigdecimal", &[]),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-read-key", "peer-sqlx-numeric-read-rust-decimal", &[]),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-read-key", "peer-sqlx-numeric-read-bigdecimal", &[PeerNanoseconds(0.0667)]),
];

//! What is compared with what, and the aims.

use std::fmt;

/// An operation of rowkey, perhaps next to what a peer does instead.
#[derive(Debug)]
pub struct Comparison {
    /// The operation of rowkey.
    pub rowkey: &'static str,
    /// The operation of the peer.
    pub peer: Option<&'static str>,
    /// What is to be reached.
    pub aim: Option<Aim>,
}

/// An upper limit of instructions, as a multiple of the peer's as in `1.05 x`, or besides those of
/// the peer as in `peer + 13`.
#[derive(Clone, Copy, Debug)]
pub struct Aim(&'static str);

impl Aim {
    /// Whether the instructions are within the limit. A tenth of one is given, which is what two runs
    /// differ by.
    pub fn is_met(self, rowkey: f64, peer: f64) -> bool {
        let number = |text: &str| text.parse::<f64>().expect("an aim has a number");
        let limit = match self.0.split(' ').collect::<Vec<_>>()[..] {
            [times, "x"] => number(times) * peer,
            ["peer", "+", more] => peer + number(more),
            _ => panic!("`{self}` is no aim"),
        };
        rowkey <= limit + 0.1
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[rustfmt::skip]
const fn of(rowkey: &'static str, peer: &'static str, aim: &'static str) -> Comparison {
    Comparison { rowkey, peer: Some(peer), aim: Some(Aim(aim)) }
}

#[rustfmt::skip]
const fn beside(rowkey: &'static str, peer: &'static str) -> Comparison {
    Comparison { rowkey, peer: Some(peer), aim: None }
}

#[rustfmt::skip]
const fn alone(rowkey: &'static str) -> Comparison {
    Comparison { rowkey, peer: None, aim: None }
}

/// Every row of the table, in its order.
#[rustfmt::skip]
pub const COMPARISONS: &[Comparison] = &[
    // What is in every row below that tells the time.
    alone("clock-system"),
    alone("clock-coarse"),
    of("short-prefix-comb-system-clock", "peer-ulid", "1.1 x"),
    of("short-prefix-comb-coarse-clock", "peer-ferroid-ulid", "1.1 x"),
    of("short-prefix-comb-generate", "peer-ferroid-ulid", "1.1 x"),
    of("short-prefix-comb-batch", "peer-uuid-v4-fast-rng", "1.1 x"),
    of("prefix-comb-generate", "peer-uuid-v7-no-context", "1 x"),
    of("uuid-v4-generate", "peer-uuid-v4-fast-rng", "1.1 x"),
    beside("uuid-v4-generate", "peer-uuid-v4-plain"),
    // Both in order within the process.
    of("uuid-v7-generate", "peer-uuid-v7-fast-rng", "1 x"),
    // Both without.
    of("uuid-v7-stateless", "peer-uuid-v7-no-context", "1 x"),
    of("uuid-v7-batch", "peer-uuid-v7-fast-rng", "1 x"),
    of("iuid-generate", "peer-uuid-v7-no-context", "1 x"),
    alone("distributed-id-state"),
    of("distributed-id-generator", "peer-uuid-v7-fast-rng", "1 x"),
    of("distributed-id128-generator", "peer-uuid-v7-fast-rng", "1 x"),
    of("hot-guid-generate", "short-prefix-comb-generate", "1.1 x"),
    // Text.
    of("write-hyphenated", "peer-uuid-write", "1 x"),
    of("write-base62-22", "peer-base62-write-22", "0.6 x"),
    of("write-base62-16", "peer-base62-write-16", "0.6 x"),
    of("write-base62-11", "peer-base62-write-11", "1 x"),
    of("write-decimal-28", "peer-itoa-write", "1 x"),
    of("write-decimal-28", "peer-lexical-core-write", "1 x"),
    beside("write-decimal-28", "peer-rust-decimal-write"),
    of("write-decimal-28-padded", "peer-itoa-write", "1 x"),
    of("read-hyphenated", "peer-uuid-read", "1.1 x"),
    of("read-base62-22", "peer-base62-read-22", "1 x"),
    of("read-base62-16", "peer-base62-read-16", "1 x"),
    of("read-base62-11", "peer-base62-read-11", "1 x"),
    of("read-decimal-28", "peer-std-read", "0.34 x"),
    beside("read-decimal-28", "peer-rust-decimal-read"),
    // Keys.
    of("key-to-string", "peer-uuid-to-string", "1 x"),
    of("key-display", "peer-uuid-display", "1 x"),
    of("key-with-prefix-to-string", "peer-uuid-to-string", "1 x"),
    of("key-28-digits-to-string", "peer-itoa-to-string", "1 x"),
    beside("key-28-digits-to-string", "peer-std-write"),
    of("key-json-write", "peer-uuid-json-write", "1 x"),
    of("key-json-read", "peer-uuid-json-read", "1 x"),
    of("key-parse", "peer-uuid-parse", "1.1 x"),
    of("key-with-prefix-parse", "read-base62-22", "1.2 x"),
    of("key-28-digits-parse", "read-decimal-28", "1.2 x"),
    of("map-of-keys", "peer-map-of-uuids", "1 x"),
    of("sort-for-postgres", "peer-sort", "1.5 x"),
    of("sort-for-sql-server", "peer-sort", "1.5 x"),
    // Columns.
    of("encode-postgres-uuid", "peer-uuid-bytes", "1.05 x"),
    of("encode-sql-server-suffix-short", "peer-uuid-bytes", "peer + 13"),
    of("encode-sql-server-suffix-full", "peer-uuid-bytes", "peer + 13"),
    of("encode-sql-server-image", "peer-uuid-bytes", "peer + 13"),
    of("encode-sqlite-digits", "peer-itoa-write", "1 x"),
    of("encode-mariadb-native-uuid", "peer-uuid-write", "1 x"),
    beside("decode-postgres-uuid", "peer-uuid-from-bytes"),
    beside("decode-sql-server-suffix-short", "peer-uuid-from-bytes"),
    beside("decode-sql-server-suffix-full", "peer-uuid-from-bytes"),
    beside("decode-sql-server-image", "peer-uuid-from-bytes"),
    of("decode-sqlite-digits", "read-decimal-28", "1.2 x"),
    of("decode-mariadb-native-uuid", "read-hyphenated", "1.2 x"),
    of("decode-text-uuid", "read-hyphenated", "1.2 x"),
    of("decode-text-hex", "peer-uuid-read", "1.2 x"),
    beside("numeric-write", "peer-rust-decimal-write"),
    beside("numeric-read", "peer-rust-decimal-read"),
    // Public ids.
    of("public-id-encode-u64", "peer-aes-encrypt", "1.2 x"),
    of("public-id-encode-distributed-id", "peer-aes-encrypt", "1.2 x"),
    of("public-id-encode-128-bits", "peer-aes-encrypt", "1.2 x"),
    of("public-id-decode-u64", "peer-aes-decrypt", "1.2 x"),
    of("public-id-decode-distributed-id", "peer-aes-decrypt", "1.2 x"),
    of("public-id-decode-128-bits", "peer-aes-decrypt", "1.2 x"),
    // Routing.
    alone("route-shard"),
    alone("route-shard-of-router"),
    alone("route-country-and-service-entity"),
    // Drivers.
    #[cfg(feature = "drivers")]
    of("sqlx-postgres-key", "peer-sqlx-postgres-uuid", "1.05 x"),
    #[cfg(feature = "drivers")]
    of("sqlx-mysql-key", "peer-sqlx-mysql-uuid", "1.05 x"),
    #[cfg(feature = "drivers")]
    of("sqlx-sqlite-key", "peer-sqlx-sqlite-uuid", "1.05 x"),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-write-key", "peer-sqlx-numeric-write-rust-decimal", "0.17 x"),
    #[cfg(feature = "drivers")]
    beside("sqlx-numeric-write-key", "peer-sqlx-numeric-write-bigdecimal"),
    #[cfg(feature = "drivers")]
    beside("sqlx-numeric-read-key", "peer-sqlx-numeric-read-rust-decimal"),
    #[cfg(feature = "drivers")]
    // One fifteenth.
    of("sqlx-numeric-read-key", "peer-sqlx-numeric-read-bigdecimal", "0.0667 x"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aims_are_limits() {
        let is_met = |aim| Aim(aim).is_met(108.0, 90.0);
        assert!(is_met("1.2 x") && is_met("peer + 20"));
        assert!(!is_met("1.1 x") && !is_met("peer + 10"));
        for aim in COMPARISONS.iter().filter_map(|one| one.aim) {
            aim.is_met(1.0, 1.0);
        }
    }
}

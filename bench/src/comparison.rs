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
    aims: &'static str,
}

impl Comparison {
    /// What is to be reached.
    pub fn aims(&self) -> impl Iterator<Item = Aim> {
        let aims = self.aims.split(", ").filter(|aim| !aim.is_empty());
        aims.map(Aim)
    }
}

/// An upper limit: nanoseconds as in `38 ns`, instructions as in `94 instr`, either as a multiple of
/// the peer's as in `1.05 x instr`, or instructions besides those of the peer as in
/// `peer + 13 instr`. Nanoseconds depend on the machine; the others hardly do.
#[derive(Clone, Copy, Debug)]
pub struct Aim(&'static str);

impl Aim {
    /// Whether the costs are within the limit, as far as they are measured. A tenth of a unit is
    /// given, which is what the figures of two runs differ by.
    pub fn is_met(self, rowkey: Cost, peer: Option<Cost>) -> bool {
        const GIVEN: f64 = 0.1;
        let number = |text: &str| text.parse::<f64>().expect("an aim has a number");
        // An aim that compares is missed without a peer.
        let peer = |figure: fn(Cost) -> f64| peer.map_or(f64::NAN, figure);
        let instructions = || peer(|cost| cost.instructions);
        let words: Vec<&str> = self.0.split(' ').collect();
        let (cost, limit) = match words[..] {
            [limit, "ns"] => (rowkey.nanoseconds, number(limit)),
            [limit, "instr"] => (rowkey.instructions, number(limit)),
            [n, "x", "ns"] => (
                rowkey.nanoseconds,
                number(n) * peer(|cost| cost.nanoseconds),
            ),
            [n, "x", "instr"] => (rowkey.instructions, number(n) * instructions()),
            ["peer", "+", n, "instr"] => (rowkey.instructions, number(n) + instructions()),
            _ => panic!("`{self}` is no aim"),
        };
        cost <= limit + GIVEN
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

const fn of(rowkey: &'static str, peer: &'static str, aims: &'static str) -> Comparison {
    Comparison {
        rowkey,
        peer: Some(peer),
        aims,
    }
}

const fn alone(rowkey: &'static str) -> Comparison {
    Comparison {
        rowkey,
        peer: None,
        aims: "",
    }
}

/// Every row of the table, in its order.
#[rustfmt::skip]
pub const COMPARISONS: &[Comparison] = &[
    // What is in every row below that tells the time.
    alone("clock-system"),
    alone("clock-coarse"),
    of("short-prefix-comb-system-clock", "peer-ulid", "38 ns, 1 x ns"),
    of("short-prefix-comb-system-clock", "peer-uuid-v7-fast-rng", "1 x ns"),
    of("short-prefix-comb-system-clock", "peer-uuid-v4-plain", "1 x ns"),
    // Which reads no clock.
    of("short-prefix-comb-system-clock", "peer-uuid-v4-fast-rng", ""),
    of("short-prefix-comb-coarse-clock", "peer-ferroid-ulid", "16 ns, 1 x ns"),
    of("short-prefix-comb-generate", "peer-ferroid-ulid", "16 ns, 1 x ns"),
    of("short-prefix-comb-batch", "peer-uuid-v4-fast-rng", "8 ns"),
    of("prefix-comb-generate", "peer-uuid-v7-fast-rng", "1 x ns"),
    // Both in order within the process.
    of("uuid-v7-generate", "peer-uuid-v7-fast-rng", "1 x ns"),
    // Which keeps no order.
    of("uuid-v7-generate", "peer-uuid-v7-no-context", "1 x instr"),
    of("uuid-v7-stateless", "peer-uuid-v7-no-context", "1 x instr"),
    of("uuid-v7-batch", "peer-uuid-v7-fast-rng", "1 x ns"),
    of("iuid-generate", "peer-uuid-v7-no-context", "1 x instr"),
    // All threads take part in one order.
    of("uuid-v7-2-threads", "peer-uuid-v7-2-threads", ""),
    of("uuid-v7-4-threads", "peer-uuid-v7-4-threads", ""),
    alone("distributed-id-state"),
    of("distributed-id-generator", "peer-uuid-v7-fast-rng", "50 ns, 1 x ns"),
    of("distributed-id128-generator", "peer-uuid-v7-fast-rng", "1 x ns"),
    of("hot-guid-generate", "peer-uuid-v7-fast-rng", "1 x ns"),
    // Text.
    of("write-hyphenated", "peer-uuid-write", "1 x ns"),
    of("write-base62-22", "peer-base62-write-22", "94 instr, 0.5 x ns"),
    of("write-base62-16", "peer-base62-write-16", "71 instr, 0.5 x ns"),
    of("write-base62-11", "peer-base62-write-11", "1 x ns"),
    of("write-decimal-28", "peer-itoa-write", "1 x ns"),
    of("write-decimal-28", "peer-std-write", "1 x ns"),
    of("write-decimal-28", "peer-rust-decimal-write", ""),
    of("write-decimal-28-padded", "peer-itoa-write", "1 x ns"),
    of("read-hyphenated", "peer-uuid-read", "1 x ns"),
    of("read-base62-22", "peer-base62-read-22", "19 ns, 1 x ns"),
    of("read-base62-16", "peer-base62-read-16", "150 instr, 1 x ns"),
    of("read-base62-11", "peer-base62-read-11", "1 x ns"),
    of("read-decimal-28", "peer-std-read", "0.333 x ns"),
    of("read-decimal-28", "peer-rust-decimal-read", ""),
    // Columns.
    of("encode-postgres-uuid", "peer-uuid-bytes", "1.05 x instr"),
    of("encode-sql-server-suffix-short", "peer-uuid-bytes", "peer + 13 instr"),
    of("encode-sql-server-suffix-full", "peer-uuid-bytes", "peer + 13 instr"),
    of("encode-sql-server-image", "peer-uuid-bytes", "peer + 13 instr"),
    of("encode-sqlite-digits", "peer-itoa-write", "1 x ns"),
    of("encode-mariadb-native-uuid", "peer-uuid-write", "1 x ns"),
    of("decode-postgres-uuid", "peer-uuid-from-bytes", ""),
    of("decode-sql-server-suffix-short", "peer-uuid-from-bytes", ""),
    of("decode-sql-server-suffix-full", "peer-uuid-from-bytes", ""),
    of("decode-sql-server-image", "peer-uuid-from-bytes", ""),
    of("decode-sqlite-digits", "peer-std-read", "0.333 x ns"),
    of("decode-mariadb-native-uuid", "peer-uuid-read", "1 x ns"),
    // Public ids.
    of("public-id-encode-u64", "peer-aes-encrypt", "1.1 x ns"),
    of("public-id-encode-distributed-id", "peer-aes-encrypt", "1.1 x ns"),
    of("public-id-encode-128-bits", "peer-aes-encrypt", "1.1 x ns"),
    of("public-id-decode-u64", "peer-aes-decrypt", "1.1 x ns"),
    of("public-id-decode-distributed-id", "peer-aes-decrypt", "1.1 x ns"),
    of("public-id-decode-128-bits", "peer-aes-decrypt", "1.1 x ns"),
    // Routing.
    alone("route-shard"),
    alone("route-shard-of-router"),
    alone("route-country-and-service-entity"),
    // Drivers.
    #[cfg(feature = "drivers")]
    of("sqlx-postgres-key", "peer-sqlx-postgres-uuid", "1.05 x instr"),
    #[cfg(feature = "drivers")]
    of("sqlx-mysql-key", "peer-sqlx-mysql-uuid", "1.05 x instr"),
    #[cfg(feature = "drivers")]
    of("sqlx-sqlite-key", "peer-sqlx-sqlite-uuid", "1.05 x instr"),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-write-key", "peer-sqlx-numeric-write-rust-decimal", "0.1 x ns"),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-write-key", "peer-sqlx-numeric-write-bigdecimal", ""),
    #[cfg(feature = "drivers")]
    of("sqlx-numeric-read-key", "peer-sqlx-numeric-read-rust-decimal", ""),
    #[cfg(feature = "drivers")]
    // One fifteenth.
    of("sqlx-numeric-read-key", "peer-sqlx-numeric-read-bigdecimal", "0.0667 x ns"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aims_are_limits() {
        let cost = |nanoseconds, instructions| Cost {
            nanoseconds,
            instructions,
        };
        let (rowkey, peer) = (cost(10.0, 100.0), Some(cost(20.0, 90.0)));
        for (aim, with_peer, alone) in [
            ("10 ns", true, true),
            ("9 ns", false, false),
            ("100 instr", true, true),
            ("0.5 x ns", true, false),
            ("0.4 x ns", false, false),
            ("1.05 x instr", false, false),
            ("peer + 10 instr", true, false),
        ] {
            assert_eq!(Aim(aim).is_met(rowkey, peer), with_peer, "{aim}");
            assert_eq!(Aim(aim).is_met(rowkey, None), alone, "{aim}");
        }
        for aim in COMPARISONS.iter().flat_map(Comparison::aims) {
            aim.is_met(rowkey, peer);
        }
    }
}

//! The phases of a change.

use serde::{Deserialize, Serialize};

/// A phase of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// New columns or tables, and the triggers that fill them.
    Expand,
    /// The rows that exist.
    Backfill,
    /// Indexes, constraints, and a comparison.
    Check,
    /// The exchange.
    Swap,
}

impl Phase {
    /// The phases in their order.
    pub const ALL: [Self; 4] = [Self::Expand, Self::Backfill, Self::Check, Self::Swap];

    /// The name: `expand`, `backfill`, `check` or `swap`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expand => "expand",
            Self::Backfill => "backfill",
            Self::Check => "check",
            Self::Swap => "swap",
        }
    }
}

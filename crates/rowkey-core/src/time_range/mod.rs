//! Time spans as conditions on keys.
//!
//! [`EntityKey::bounds`](crate::EntityKey::bounds) returns the [`Bounds`] of the ids that were made
//! in a span. Drivers bind their edges like keys.

mod bounds;
mod condition;

pub use crate::bounds::{Bounds, KeyBound, KeyRange};
pub use crate::value_range::{ValueRange, ValueRanges};
pub use condition::ConditionPart;

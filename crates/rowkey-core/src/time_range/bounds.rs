//! Edges of time ranges, in public order, which columns encode like keys.

use core::fmt;
use core::ops::Deref;

use crate::bounds::{Bounds, KeyBound, KeyRange};
use crate::format::Format;
use crate::key::EntityKey;
use crate::storage::{Column, Stored};

impl<K: EntityKey> KeyBound<K> {
    /// The edge in public order.
    pub const fn to_u128(self) -> u128 {
        self.value
    }

    /// What to bind on a column of the key's plan.
    pub fn encode(self, column: Column) -> Stored {
        column.encode(self.value)
    }
}

impl<K: EntityKey> fmt::Debug for KeyBound<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = K::Format::KIND.public_text(self.value);
        write!(f, "KeyBound<{}>({text})", K::NAME)
    }
}

impl<K: EntityKey> fmt::Debug for KeyRange<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRange")
            .field("lower", &self.lower)
            .field("upper", &self.upper)
            .finish()
    }
}

impl<K: EntityKey> fmt::Debug for Bounds<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounds")
            .field("ranges", &self.ranges)
            .field("len", &self.len)
            .finish()
    }
}

impl<K: EntityKey> Deref for Bounds<K> {
    type Target = [KeyRange<K>];

    fn deref(&self) -> &[KeyRange<K>] {
        &self.ranges[..usize::from(self.len)]
    }
}

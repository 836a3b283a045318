//! The keys of a driver, as cases without their types.

use crate::driver::Driver;
use crate::keys::Case;
use crate::routed::Routed;

/// A driver with the keys that it writes.
pub(crate) trait Cases: Driver {
    /// Every declared key that the driver writes.
    fn cases() -> Vec<Case<Self>>;

    /// Those with routing numbers.
    fn routed() -> Vec<Routed<Self>>;
}

//! The context of new LUUIDs.

use super::{Clock, Entropy, Generate};
use crate::format::LuuidGroup;
use crate::{Error, Luuid};

/// The context of a new [`Luuid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LuuidContext {
    /// The group of the entity's type.
    pub group: LuuidGroup,
    /// The entity's number within the group, 0 to 2^48-1.
    pub number: u64,
}

impl Generate for Luuid {
    type Context = LuuidContext;

    #[inline]
    fn generate_with(
        context: &LuuidContext,
        _: &impl Clock,
        entropy: &mut impl Entropy,
    ) -> Result<Self, Error> {
        Self::from_parts(context.group, context.number, entropy.next_u64() >> 4)
    }
}

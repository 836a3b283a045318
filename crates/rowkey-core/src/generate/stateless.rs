//! Formats without state between ids: each needs only a time and random bits.

use super::{Clock, Entropy, Generate};
use crate::error::Error;
use crate::format::{
    AnyUuid, Iuid, IuidContext, PrefixComb, ShortPrefixComb, ShortSuffixComb, SuffixComb, UuidV4,
    UuidV7,
};

/// Implements [`Generate`] from: generic parameters, the format, its context, whether a clock that
/// is some milliseconds late suffices, and the id.
macro_rules! stateless {
    ($(
        [$($generics:tt)*] $format:ty, $context:ty, $coarse:expr,
        |$of:ident, $clock:ident, $entropy:ident| $id:expr;
    )*) => {
        $(
            impl<$($generics)*> Generate for $format {
                type Context = $context;

                const COARSE_CLOCK_SUFFICES: bool = $coarse;

                #[inline]
                fn generate_with(
                    $of: &$context,
                    $clock: &impl Clock,
                    $entropy: &mut impl Entropy,
                ) -> Result<Self, Error> {
                    $id
                }
            }
        )*
    };
}

stateless! {
    [const INTERVAL_MS: u64] ShortPrefixComb<INTERVAL_MS>, (), INTERVAL_MS >= 1_000,
        |_context, clock, entropy| Ok(Self::from_draw(clock.now(), entropy.next_u128()));
    [const INTERVAL_MS: u64] ShortSuffixComb<INTERVAL_MS>, (), INTERVAL_MS >= 1_000,
        |_context, clock, entropy| Ok(Self::from_draw(clock.now(), entropy.next_u128()));
    [] PrefixComb, (), false,
        |_context, clock, entropy| Self::from_draw(clock.now(), entropy.next_u128());
    [] SuffixComb, (), false,
        |_context, clock, entropy| Self::from_draw(clock.now(), entropy.next_u128());
    [] UuidV7, (), false,
        |_context, clock, entropy| Self::from_draw(clock.now(), entropy.next_u128());
    [] UuidV4, (), false,
        |_context, _clock, entropy| Ok(Self::from_draw(entropy.next_u128()));
    [] AnyUuid, (), false,
        |_context, _clock, entropy| Ok(Self::from_draw(entropy.next_u128()));
    [] Iuid, IuidContext, false,
        |context, clock, entropy| Self::from_draw(clock.now(), *context, entropy.next_u128());
}

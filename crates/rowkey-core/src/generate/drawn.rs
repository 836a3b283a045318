//! Formats without state between ids: each id needs only a time, a context and random bits.

use super::{Clock, Entropy, Generate};
use crate::error::Error;
use crate::format::FromDraw;
use crate::time::UnixMillis;

macro_rules! generate_drawn {
    ([] $({
        $module:ident $format:ident $name:literal $made:ident($($context:ident)?)
        [$($generics:tt)*] [$($arguments:tt)*]
    })*) => {
        $(
            generate_drawn! {
                $made [$($generics)*] crate::$format $($arguments)* $(, crate::format::$context)?
            }
        )*
    };
    (drawn [$($generics:tt)*] $format:ty) => {
        generate_drawn! { drawn [$($generics)*] $format, () }
    };
    (drawn [$($generics:tt)*] $format:ty, $context:ty) => {
        impl<$($generics)*> Generate for $format {
            type Context = $context;

            const COARSE_CLOCK_SUFFICES: bool = <Self as FromDraw>::COARSE_CLOCK_SUFFICES;

            // Always inlined: as a call, the result goes through memory, which takes longer than
            // the rest.
            #[inline(always)]
            fn generate_with(
                context: &$context,
                clock: &impl Clock,
                entropy: &mut impl Entropy,
            ) -> Result<Self, Error> {
                drawn(context, clock, entropy)
            }
        }
    };
    (counted $($rest:tt)*) => {};
    (own $($rest:tt)*) => {};
    (assigned $($rest:tt)*) => {};
}

/// A new id. The clock is read only for formats that carry time.
#[inline(always)]
pub(super) fn drawn<F: FromDraw>(
    context: &F::Context,
    clock: &impl Clock,
    entropy: &mut impl Entropy,
) -> Result<F, Error> {
    let time = if const { F::KIND.spec().time.is_some() } {
        clock.now()
    } else {
        UnixMillis::EPOCH
    };
    F::from_draw(time, context, entropy.next_u128())
}

crate::kind::format_rows!(generate_drawn);

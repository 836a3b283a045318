//! Formats whose ids of one millisecond are counted.

#[cfg(feature = "std")]
use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::marker::PhantomData;

use super::drawn::drawn;
#[cfg(feature = "std")]
use super::sequence::{Position, Sequence};
use super::{Clock, Entropy, Generate};
#[cfg(feature = "std")]
use super::{Generator, SystemClock, SystemEntropy, or_panic, wait};
use crate::error::Error;
#[cfg(feature = "std")]
use crate::format::Counted;

/// Makes ids of a [`Counted`] format in order, for any number of threads and without a lock.
///
/// Each id is larger than every earlier id of the generator, on any thread. For
/// [`Iuid`](crate::Iuid)s this holds within each country and service entity. The method is the
/// first of RFC 9562, section 6.2: a 16-bit counter after the time and the context. Each
/// millisecond starts at a random counter below 2^15. The bits after the counter, 58 of a
/// [`UuidV7`](crate::UuidV7) and 38 of an Iuid, are random in each id.
///
/// An id has the clock's time, with two exceptions. The time is then up to ten seconds ahead:
///
/// * **The clock was set back.** The generator counts on from the last time until the clock catches
///   up. If the last time is more than ten seconds ahead, the generator follows the clock: only
///   then is an id smaller than an earlier one. That takes a clock that was set back by more than
///   ten seconds, at once or in steps, or by less if counters had carried the time ahead: at the
///   limit of ten seconds, a millisecond is enough.
/// * **A counter has overflowed**, after 32,768 to 65,536 ids in a millisecond. The generator
///   counts on in the next millisecond. If that is more than ten seconds ahead of the clock, new
///   ids have to wait.
///
/// One generator per process is enough; [`Generate::generate`] uses one. It takes eight bytes and a
/// clock: Iuids of all countries and service entities share a sequence of times and counters.
///
/// A forked child continues after its parent's last id, with random bits of its own. Both count
/// from the same value until the clock's next millisecond (or until the clock reaches a time that
/// is ahead of it), so only the 58 or 38 random bits keep their ids apart. 58 are plenty. 38 may
/// not be if processes fork all the time and make Iuids at high rates: two ids with the same
/// counter are equal with a probability of 1 in 275 billion, and the primary key then refuses one.
///
/// ```
/// use rowkey_core::generate::{Generator, OrderedGenerator};
/// use rowkey_core::{UnixMillis, UuidV7};
///
/// let clock = UnixMillis::new(1_700_000_000_000);
/// let ids = OrderedGenerator::<UuidV7>::new().with_clock(clock);
/// let first = ids.try_generate_for(&())?;
/// let second = ids.try_generate_for(&())?;
/// assert!(first < second);
/// assert_eq!((first.time(), second.time()), (clock, clock));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct OrderedGenerator<F, C = SystemClock> {
    clock: C,
    sequence: Sequence,
    format: PhantomData<fn() -> F>,
}

#[cfg(feature = "std")]
impl<F: Counted> OrderedGenerator<F> {
    /// A generator with the system's clock.
    pub const fn new() -> Self {
        Self {
            clock: SystemClock,
            sequence: Sequence::new(),
            format: PhantomData,
        }
    }
}

#[cfg(feature = "std")]
impl<F: Counted> Default for OrderedGenerator<F> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "std")]
impl<F: Counted, C> OrderedGenerator<F, C> {
    /// The same generator with another clock.
    #[must_use]
    pub fn with_clock<D: Clock>(self, clock: D) -> OrderedGenerator<F, D> {
        OrderedGenerator {
            clock,
            sequence: self.sequence,
            format: PhantomData,
        }
    }
}

#[cfg(feature = "std")]
impl<F, C> OrderedGenerator<F, C>
where
    F: Generate + Counted<Context = <F as Generate>::Context>,
    C: Clock,
{
    /// A new id, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Throttled` when the time would be too far ahead of the clock,
    /// `ErrorKind::OutOfRange` when the clock is before 1970 or after the 48-bit field's end in the
    /// year 10889.
    #[inline]
    pub fn try_generate_for(&self, context: &<F as Generate>::Context) -> Result<F, Error> {
        let draw = SystemEntropy::new().next_u128();
        let position = self.take((draw >> 64) as u64, 1)?;
        Ok(id_at(position, context, draw as u64))
    }

    /// Consecutive ids. Sleeps while the generator is throttled.
    fn batch(&self, context: &<F as Generate>::Context, count: usize) -> Result<Vec<F>, Error> {
        let mut entropy = SystemEntropy::for_batch();
        let mut ids = Vec::with_capacity(count);
        while ids.len() < count {
            let left = u16::try_from(count - ids.len()).unwrap_or(u16::MAX);
            let taken = left.min(Sequence::MOST_AT_ONCE);
            let seed = entropy.next_u64();
            let positions = wait(|| self.take(seed, taken))?.and_following(taken);
            ids.extend(positions.map(|at| id_at::<F>(at, context, entropy.next_u64())));
        }
        Ok(ids)
    }

    #[inline]
    fn take(&self, seed: u64, count: u16) -> Result<Position, Error> {
        self.sequence.take(F::KIND, &self.clock, seed, count)
    }
}

#[cfg(feature = "std")]
#[inline]
fn id_at<F: Counted>(position: Position, context: &F::Context, random: u64) -> F {
    F::counted(position.time(), context, position.counter(), random)
}

#[cfg(feature = "std")]
impl<F, C> Generator<F> for OrderedGenerator<F, C>
where
    F: Generate + Counted<Context = <F as Generate>::Context>,
    C: Clock + Send + Sync,
{
    fn try_generate_for(&self, context: &<F as Generate>::Context) -> Result<F, Error> {
        self.try_generate_for(context)
    }
}

macro_rules! generate_counted {
    ([] $({
        $module:ident $format:ident $name:literal $made:ident($($context:ident)?)
        [$($generics:tt)*] [$($arguments:tt)*]
    })*) => {
        $(
            generate_counted! { $made crate::$format $(, crate::format::$context)? }
        )*
    };
    (counted $format:ty) => {
        generate_counted! { counted $format, () }
    };
    (counted $format:ty, $context:ty) => {
        const _: () = {
            #[cfg(feature = "std")]
            static DEFAULT: OrderedGenerator<$format> = OrderedGenerator::new();

            impl Generate for $format {
                type Context = $context;

                #[inline]
                fn generate_with(
                    context: &$context,
                    clock: &impl Clock,
                    entropy: &mut impl Entropy,
                ) -> Result<Self, Error> {
                    drawn(context, clock, entropy)
                }

                #[cfg(feature = "std")]
                #[inline]
                fn generate_by_default(context: &$context) -> Result<Self, Error> {
                    DEFAULT.try_generate_for(context)
                }

                #[cfg(feature = "std")]
                #[track_caller]
                fn generate_batch_by_default(context: &$context, count: usize) -> Vec<Self> {
                    or_panic(DEFAULT.batch(context, count))
                }
            }
        };
    };
    (drawn $($rest:tt)*) => {};
    (own $($rest:tt)*) => {};
    (assigned $($rest:tt)*) => {};
}

crate::kind::format_rows!(generate_counted);

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::format::UuidV7;
    use crate::time::UnixMillis;

    #[test]
    fn a_batch_takes_each_position_once() {
        let ids = OrderedGenerator::<UuidV7>::new().with_clock(UnixMillis::new(1_700_000_000_000));
        let counted = |id: &UuidV7| id.to_u128() >> UuidV7::RANDOM_BITS;
        let batch = ids.batch(&(), 100_000).unwrap();
        assert_eq!(batch.len(), 100_000);
        let after = ids.try_generate_for(&()).unwrap();
        let mut places: Vec<_> = batch.iter().chain([&after]).map(counted).collect();
        assert!(places.is_sorted());
        places.dedup();
        assert_eq!(places.len(), 100_001);
    }
}

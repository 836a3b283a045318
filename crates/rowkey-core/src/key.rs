//! Typed keys: a user's newtype over a format, with a storage plan.

use core::fmt;
use core::hash::Hash;
use core::ops::RangeBounds;
use core::str::FromStr;
#[cfg(feature = "std")]
use core::time::Duration;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use uuid::Uuid;

use crate::bounds::{Bounds, ShortKey};
use crate::error::{Error, ErrorKind};
use crate::format::traits::sealed::{Admitted, Sealed};
use crate::format::{DatabaseNumber, Format, Luuid, LuuidGroup, TimeOrdered};
#[cfg(any(feature = "rand", feature = "std"))]
use crate::generate::Generate;
#[cfg(feature = "std")]
use crate::generate::SystemEntropy;
use crate::generate::luuid::LuuidContext;
#[cfg(feature = "std")]
use crate::generate::number_source::NumberSource;
#[cfg(feature = "rand")]
use crate::generate::{Clock, EntropyRng};
use crate::storage::{Backend, StoragePlan};
use crate::text::{Encoding, ShortText, prefixed, write_padded};
use crate::time::UnixMillis;

/// A typed key: a newtype over a [`Format`], declared with `#[entity_key]`.
///
/// `Ord` is the public order of the format. Different key types never compare, join or convert by
/// accident. To convert explicitly, use [`into_format`](Self::into_format) and
/// [`from_format`](Self::from_format).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a typed key",
    label = "not a typed key",
    note = "declare it with `#[entity_key] pub struct CustomerId(ShortPrefixComb);`"
)]
pub trait EntityKey:
    Copy
    + Ord
    + Hash
    + fmt::Debug
    + fmt::Display
    + FromStr<Err = Error>
    + TryFrom<Uuid, Error = Error>
    + TryFrom<u128, Error = Error>
    + Send
    + Sync
    + 'static
{
    /// The format under the key.
    type Format: Format;

    /// The type's name, for messages.
    const NAME: &'static str;

    /// The doc comment of the declaration, for schemas.
    #[doc(hidden)]
    const DESCRIPTION: Option<&'static str> = None;

    /// The prefix of the key's text, without the underscore, if it has one.
    const PREFIX: Option<&'static str> = None;

    /// The encoding of the key's text, after its prefix if it has one.
    ///
    /// Without a declared `text` it is alphanumeric for a key with a prefix, and otherwise that of
    /// the format's public text. Columns do not depend on it: see [`PLAN`](Self::PLAN).
    const TEXT: Encoding = match Self::PREFIX {
        Some(_) => Encoding::Alphanumeric,
        None => <Self::Format as Format>::KIND.public_encoding(),
    };

    /// The full name of the group of a key over [`Luuid`], such as `com.acme.Customer`.
    const GROUP_NAME: Option<&'static str> = None;

    /// The group of a key over [`Luuid`]: the CRC-12 of its name.
    const GROUP: Option<LuuidGroup> = match Self::GROUP_NAME {
        Some(name) => Some(LuuidGroup::of(name)),
        None => None,
    };

    /// The storage and layout on every backend: what is declared, otherwise the format's default.
    const PLAN: StoragePlan = StoragePlan::default_for(<Self::Format as Format>::KIND);

    /// The key of an id.
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` if it does not fit the plan (only where a DistributedId128 is stored
    /// as 38 decimal digits), `ErrorKind::Format` for a LUUID of another group.
    fn from_format(id: Self::Format) -> Result<Self, Error>;

    /// The id without its type.
    fn into_format(self) -> Self::Format;

    /// The 128 bits in public (RFC) order.
    #[inline]
    fn to_u128(self) -> u128 {
        self.into_format().to_u128()
    }

    /// The same bits as a [`Uuid`].
    #[inline]
    fn to_uuid(self) -> Uuid {
        Uuid::from_u128(self.to_u128())
    }

    /// The key with a number that the database has counted: the last insert id of MySQL and MariaDB
    /// (`u64`), SQLite's last row id (`i64`), or `SCOPE_IDENTITY()` read as a `bigint`.
    ///
    /// ```
    /// # use rowkey_core::{DatabaseNumber, EntityKey, Error};
    /// fn inserted<K: EntityKey<Format = DatabaseNumber>>(last_insert_id: u64) -> Result<K, Error> {
    ///     K::from_number(last_insert_id)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` below 0 and above 2^63-1.
    fn from_number(number: impl TryInto<DatabaseNumber, Error = Error>) -> Result<Self, Error>
    where
        Self: EntityKey<Format = DatabaseNumber>,
    {
        Self::from_format(number.try_into()?)
    }

    /// The number of a key that the database has counted.
    #[inline]
    fn to_number(self) -> i64
    where
        Self: EntityKey<Format = DatabaseNumber>,
    {
        self.into_format().get()
    }

    /// The keys made in a time span, as none, one or two half-open intervals in column order.
    ///
    /// The counter of short COMBs wraps around, so their bounds also contain the keys of the same
    /// span in earlier turns. A span that is open on one side, or longer than a turn, contains
    /// every such key. For the time from an instant until now, use
    /// [`bounds_since`](Self::bounds_since).
    ///
    /// The time is the one embedded in the ids. In a DistributedId it is up to a second before the
    /// id was made: to find all ids made in a span, start the span a second earlier.
    ///
    /// ```
    /// # use rowkey_core::format::TimeOrdered;
    /// # use rowkey_core::time_range::Bounds;
    /// # use rowkey_core::{EntityKey, UnixMillis};
    /// fn of_last_hour<K>(now: UnixMillis) -> Bounds<K>
    /// where
    ///     K: EntityKey<Format: TimeOrdered>,
    /// {
    ///     K::bounds(now.saturating_sub(std::time::Duration::from_secs(3600))..now)
    /// }
    /// ```
    fn bounds(span: impl RangeBounds<UnixMillis>) -> Bounds<Self>
    where
        Self::Format: TimeOrdered,
    {
        let ids = Self::Format::KIND.ranges_of(span, Self::Format::STEP_MS);
        Bounds::of_values(ids.within(const { Self::PLAN.max_value() }))
    }

    /// The keys made since an instant, `since` included; `now` is the current time.
    ///
    /// For short COMBs these are the keys from `since` to ten intervals after `now`, because the
    /// clocks that made them may be ahead; ten intervals is the default tolerance of
    /// [`CreationWindow`]. For another tolerance, write
    /// `bounds(since..=now.saturating_add(tolerance))`. Other formats ignore `now` and have no
    /// upper bound.
    ///
    /// As with [`bounds`](Self::bounds), short COMBs that are older by whole turns are included,
    /// and all of them if the span is a turn or longer. For DistributedIds, pass a `since` that is
    /// a second earlier.
    ///
    /// ```
    /// # use rowkey_core::format::TimeOrdered;
    /// # use rowkey_core::time_range::Bounds;
    /// # use rowkey_core::{EntityKey, UnixMillis};
    /// fn of_last_week<K>(now: UnixMillis) -> Bounds<K>
    /// where
    ///     K: EntityKey<Format: TimeOrdered>,
    /// {
    ///     K::bounds_since(now.saturating_sub(std::time::Duration::from_secs(7 * 86_400)), now)
    /// }
    /// ```
    ///
    /// [`CreationWindow`]: crate::validate::CreationWindow
    fn bounds_since(since: UnixMillis, now: UnixMillis) -> Bounds<Self>
    where
        Self::Format: TimeOrdered,
    {
        let ids = Self::Format::KIND.ranges_since(since, now, Self::Format::STEP_MS);
        Bounds::of_values(ids.within(const { Self::PLAN.max_value() }))
    }

    /// Sorts keys as the column of a backend sorts them, to insert a batch in the order of its
    /// index. No randomness is lost. Measure before you rely on it: sorting did not make indexes
    /// smaller where the keys of later batches fall between earlier keys.
    ///
    /// ```
    /// # use rowkey_core::{Backend, EntityKey, ShortPrefixComb};
    /// fn batch_for_sql_server<K: EntityKey<Format = ShortPrefixComb>>(count: usize) -> Vec<K> {
    ///     let mut keys = K::generate_batch(count);
    ///     K::sort_for(Backend::SqlServer, &mut keys);
    ///     keys
    /// }
    /// ```
    fn sort_for(backend: Backend, keys: &mut [Self]) {
        let column = Self::PLAN.column(backend);
        if column.sorts_by_value() {
            keys.sort_unstable_by_key(|key| key.to_u128());
            return;
        }
        let mut values: Vec<u128> = keys.iter().map(|key| key.to_u128()).collect();
        column.sort(&mut values);
        for (key, value) in keys.iter_mut().zip(values) {
            let id = Self::Format::from_admitted(Admitted::new(value));
            let Ok(sorted) = Self::from_format(id) else {
                unreachable!("{id} is one of the keys that were given");
            };
            *key = sorted;
        }
    }

    /// A new key, in one attempt that never sleeps.
    ///
    /// # Errors
    ///
    /// The errors of [`Generate::try_generate_for`] and of [`from_format`](Self::from_format).
    #[cfg(feature = "std")]
    fn try_generate_for(context: &<Self::Format as Generate>::Context) -> Result<Self, Error>
    where
        Self::Format: Generate,
    {
        Self::from_format(Self::Format::try_generate_for(context)?)
    }

    /// A new key. Sleeps while the generator is throttled.
    ///
    /// Keys of formats that need no context also have an inherent `generate()`.
    ///
    /// ```
    /// # use rowkey_core::{EntityKey, HotGuid};
    /// fn on_shard_of<K: EntityKey<Format = HotGuid>>(parent: K) -> K {
    ///     K::generate_for(&parent.into_format().shard_key())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If the clock is outside the format's range, a field of the context does not fit, the
    /// generator of a scope fails, or the new id is not valid for the key: see
    /// [`from_format`](Self::from_format).
    #[cfg(feature = "std")]
    #[track_caller]
    fn generate_for(context: &<Self::Format as Generate>::Context) -> Self
    where
        Self::Format: Generate,
    {
        admitted(Self::from_format(Self::Format::generate_for(context)))
    }

    /// A new key for a recorded time, or for one that a test chose, with the system's random bits.
    ///
    /// A [scope](crate::generate::scope) does not apply, and keys of the same time are in no order:
    /// see [`Generate::generate_with`], which also takes the random bits.
    ///
    /// ```
    /// # use rowkey_core::{EntityKey, Error, UnixMillis, UuidV7};
    /// fn of_an_old_row<K: EntityKey<Format = UuidV7>>(created: UnixMillis) -> Result<K, Error> {
    ///     K::generate_at(created)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` for a time outside of the format's range, and the errors of
    /// [`from_format`](Self::from_format).
    #[cfg(feature = "std")]
    fn generate_at(time: UnixMillis) -> Result<Self, Error>
    where
        Self::Format: Generate<Context = ()>,
    {
        let id = Self::Format::generate_with(&(), &time, &mut SystemEntropy::new())?;
        Self::from_format(id)
    }

    /// A new key of this clock's time with random bits of the crate `rand`: with a seeded generator
    /// and a fixed time, the same key each time.
    ///
    /// A scope does not apply. For a format with a context, pass an [`EntropyRng`] to the format's
    /// own [`generate_with`](Generate::generate_with).
    ///
    /// ```
    /// # use rand::{SeedableRng, rngs::StdRng};
    /// # use rowkey_core::{EntityKey, Error, UnixMillis, UuidV7};
    /// fn for_a_test<K: EntityKey<Format = UuidV7>>(seed: u64) -> Result<K, Error> {
    ///     let mut rng = StdRng::seed_from_u64(seed);
    ///     K::generate_with(&UnixMillis::new(1_700_000_000_000), &mut rng)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// `ErrorKind::OutOfRange` for a time outside of the format's range, and the errors of
    /// [`from_format`](Self::from_format).
    #[cfg(feature = "rand")]
    fn generate_with(clock: &impl Clock, rng: &mut impl rand_core::Rng) -> Result<Self, Error>
    where
        Self::Format: Generate<Context = ()>,
    {
        Self::from_format(Self::Format::generate_with(
            &(),
            clock,
            &mut EntropyRng(rng),
        )?)
    }

    /// A new key. Awaits `sleep` while the generator is throttled, for example
    /// `tokio::time::sleep`.
    ///
    /// # Panics
    ///
    /// As [`generate_for`](Self::generate_for).
    #[cfg(feature = "std")]
    fn generate_async(sleep: impl AsyncFn(Duration)) -> impl Future<Output = Self>
    where
        Self::Format: Generate<Context = ()>,
    {
        async move { admitted(Self::from_format(Self::Format::generate_async(sleep).await)) }
    }

    /// `count` new keys: see [`Generate::generate_batch`] and, to insert them in the order of a
    /// column, [`sort_for`](Self::sort_for).
    ///
    /// # Panics
    ///
    /// As [`generate_for`](Self::generate_for).
    #[cfg(feature = "std")]
    #[track_caller]
    fn generate_batch(count: usize) -> Vec<Self>
    where
        Self::Format: Generate<Context = ()>,
    {
        let ids = Self::Format::generate_batch(count);
        ids.into_iter()
            .map(|id| admitted(Self::from_format(id)))
            .collect()
    }

    /// The context for a LUUID key with this number, in the key's own group.
    ///
    /// ```
    /// # use rowkey_core::{EntityKey, Luuid};
    /// fn numbered<K: EntityKey<Format = Luuid>>(number: u64) -> K {
    ///     K::generate_for(&K::luuid_context(number))
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If the key has no group, which `#[entity_key]` prevents.
    fn luuid_context(number: u64) -> LuuidContext
    where
        Self: EntityKey<Format = Luuid>,
    {
        match Self::GROUP {
            Some(group) => LuuidContext { group, number },
            None => panic!("{} is a key over Luuid without a group", Self::NAME),
        }
    }

    /// The number of a LUUID key within its group, as people read it out.
    fn short_key(self) -> ShortKey<Self>
    where
        Self: EntityKey<Format = Luuid>,
    {
        ShortKey::of(self.into_format().number())
    }

    /// A new LUUID key, with the next number of the key's group.
    ///
    /// If a unique index reports that the number is taken, call it again: the new key has the same
    /// group, the next number and new random bits. ([`Luuid::with_number`] keeps the random bits.)
    ///
    /// ```
    /// # use rowkey_core::luuid::NumberSource;
    /// # use rowkey_core::{EntityKey, Luuid};
    /// async fn new_key<K, N>(numbers: &N) -> Result<K, N::Error>
    /// where
    ///     K: EntityKey<Format = Luuid>,
    ///     N: NumberSource,
    /// {
    ///     K::generate_numbered(numbers).await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the source.
    #[cfg(feature = "std")]
    fn generate_numbered<N>(numbers: &N) -> impl Future<Output = Result<Self, N::Error>> + Send
    where
        Self: EntityKey<Format = Luuid>,
        N: NumberSource,
    {
        async move {
            let group = Self::luuid_context(0).group;
            let number = numbers.next_number(group).await?;
            Ok(Self::try_generate_for(&Self::luuid_context(number))?)
        }
    }
}

/// Checks what a key requires of its ids beyond their format: see [`EntityKey::from_format`].
#[doc(hidden)]
#[inline]
pub fn admit<K: EntityKey>(id: K::Format) -> Result<K::Format, Error> {
    let value = id.to_u128();
    if value > const { K::PLAN.max_value() } {
        return Err(too_large_for_plan(K::NAME, K::PLAN.max_value()));
    }
    if let Some(expected) = K::GROUP {
        let found = LuuidGroup::in_bits(value);
        if found != expected {
            return Err(found.refused_by(K::NAME, expected));
        }
    }
    Ok(id)
}

/// The key, for functions that are documented to panic.
#[cfg(feature = "std")]
#[track_caller]
fn admitted<K>(key: Result<K, Error>) -> K {
    match key {
        Ok(key) => key,
        Err(error) => panic!("a new id is not valid for the key: {error}"),
    }
}

#[cold]
fn too_large_for_plan(key: &str, max: u128) -> Error {
    let digits = max.ilog10() + 1;
    Error::new(
        ErrorKind::OutOfRange,
        format!("{key} is stored as at most {digits} decimal digits; the value has more"),
    )
}

/// A key's text in the encoding of its declaration, after the prefix and an underscore if it has a
/// prefix.
// Always inlined, and what it calls: see `Display` of keys.
#[doc(hidden)]
#[inline(always)]
pub fn write_text<K: EntityKey>(key: &K, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    with_text(key, |text| write_padded(text, f))
}

#[inline(always)]
pub(crate) fn with_text<K: EntityKey, R>(key: &K, work: impl FnOnce(&str) -> R) -> R {
    let text = text_of(key);
    match K::PREFIX {
        None => work(&text),
        Some(prefix) => match const { prefix_of::<K>() } {
            Some(characters) => work(characters.followed_by(&text).as_str()),
            None => work(&format!("{prefix}_{text}")),
        },
    }
}

const fn prefix_of<K: EntityKey>() -> Option<prefixed::Characters> {
    match K::PREFIX {
        Some(prefix) => prefixed::Characters::of(prefix),
        None => None,
    }
}

#[inline]
fn text_of<K: EntityKey>(key: &K) -> ShortText {
    let width = const { K::Format::KIND.width() };
    width.encode_admitted(K::TEXT, key.to_u128())
}

/// Reads what [`write_text`] writes.
#[doc(hidden)]
#[inline]
pub fn parse_text<K: EntityKey>(text: &str) -> Result<K, Error> {
    let body = match K::PREFIX {
        None => Some(text),
        Some(prefix) => after_prefix(prefix, text),
    };
    let width = const { K::Format::KIND.width() };
    match body.and_then(|body| width.read(K::TEXT, body)) {
        Some(value) if K::Format::KIND.admits(value) => {
            K::from_format(K::Format::from_admitted(Admitted::new(value)))
        }
        _ => parse_or_refuse(text),
    }
}

#[inline]
fn after_prefix<'a>(prefix: &str, text: &'a str) -> Option<&'a str> {
    text.strip_prefix(prefix)?.strip_prefix('_')
}

/// What [`parse_text`] does, with the reason if it fails.
#[cold]
#[inline(never)]
fn parse_or_refuse<K: EntityKey>(text: &str) -> Result<K, Error> {
    let id = match K::PREFIX {
        None => K::Format::decode(K::TEXT, text)?,
        Some(prefix) => match after_prefix(prefix, text) {
            Some(body) => {
                K::Format::decode(K::TEXT, body).map_err(|error| error.after_prefix(prefix))?
            }
            None => return Err(wrong_prefix(K::NAME, prefix, text)),
        },
    };
    K::from_format(id)
}

#[cold]
fn wrong_prefix(key: &str, expected: &str, text: &str) -> Error {
    let found: String = match text.split_once('_') {
        Some((found, _)) if found.chars().count() <= 24 => format!("{found}_"),
        _ => text.chars().take(8).collect(),
    };
    let beginning = match &*found {
        "" => "is empty".into(),
        found => format!("begins with `{found}`"),
    };
    Error::new(
        ErrorKind::Text,
        format!("{key} begins with `{expected}_`, but the text {beginning}"),
    )
}

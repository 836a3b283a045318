//! proptest: arbitrary valid ids.

use core::ops::RangeInclusive;

use proptest::arbitrary::Arbitrary;
use proptest::strategy::{Map, Strategy};

use crate::format::Format;
use crate::format::traits::sealed::{Admitted, Sealed};
use crate::key::EntityKey;

#[doc(hidden)]
#[macro_export]
macro_rules! __impl_key_proptest {
    ($key:ident) => {
        #[automatically_derived]
        impl $crate::__private::proptest::arbitrary::Arbitrary for $key {
            type Parameters = ();
            type Strategy = $crate::__private::AdmittedStrategy<Self>;

            #[inline]
            fn arbitrary_with((): ()) -> Self::Strategy {
                $crate::__private::arbitrary_key()
            }
        }
    };
}

/// The strategy of formats and keys. Values shrink towards the smallest valid one.
pub type AdmittedStrategy<T> = Map<RangeInclusive<u128>, fn(u128) -> T>;

/// Any value of a key: one that fits its plan and has its group.
pub fn arbitrary_key<K: EntityKey>() -> AdmittedStrategy<K> {
    (0..=K::PLAN.max_value()).prop_map(|value| {
        let mut value = K::Format::KIND.spec().fixed.stamp(value);
        if let Some(group) = K::GROUP {
            value = value & !(0xfff << 64) | u128::from(group.get()) << 64;
        }
        match K::try_from(value) {
            Ok(key) => key,
            Err(error) => panic!("a value made for the key is not one: {error}"),
        }
    })
}

macro_rules! implement {
    ([$($generics:tt)*] $format:ty) => {
        impl<$($generics)*> Arbitrary for $format {
            type Parameters = ();
            type Strategy = AdmittedStrategy<Self>;

            fn arbitrary_with((): ()) -> Self::Strategy {
                (0..=Self::KIND.width().max()).prop_map(|value| {
                    Self::from_admitted(Admitted::new(Self::KIND.spec().fixed.stamp(value)))
                })
            }
        }
    };
}

for_each_format!(implement);

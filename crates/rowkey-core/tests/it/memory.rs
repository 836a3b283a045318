//! What ids take in memory.

use core::num::NonZeroU128;

use rowkey_core::{
    AnyUuid, DatabaseNumber, DistributedId, DistributedId128, HotGuid, Iuid, Luuid, PrefixComb,
    ShortPrefixComb, ShortSuffixComb, SuffixComb, UuidV4, UuidV7,
};

/// The size, the alignment, and the sizes in an `Option` and next to a smaller number.
fn in_memory<T>() -> [usize; 4] {
    [
        size_of::<T>(),
        align_of::<T>(),
        size_of::<Option<T>>(),
        size_of::<(T, u32)>(),
    ]
}

#[test]
fn an_id_takes_what_its_number_takes() {
    let of_number = in_memory::<u128>();
    assert_eq!(of_number[0], 16);
    for found in [
        in_memory::<AnyUuid>(),
        in_memory::<DatabaseNumber>(),
        in_memory::<DistributedId>(),
        in_memory::<DistributedId128>(),
        in_memory::<HotGuid>(),
    ] {
        assert_eq!(found, of_number);
    }
}

#[test]
fn an_optional_id_with_a_variant_takes_no_more() {
    let of_number = in_memory::<NonZeroU128>();
    assert_eq!(of_number[2], 16);
    for found in [
        in_memory::<Iuid>(),
        in_memory::<Luuid>(),
        in_memory::<PrefixComb>(),
        in_memory::<ShortPrefixComb>(),
        in_memory::<ShortSuffixComb>(),
        in_memory::<SuffixComb>(),
        in_memory::<UuidV4>(),
        in_memory::<UuidV7>(),
    ] {
        assert_eq!(found, of_number);
    }
}

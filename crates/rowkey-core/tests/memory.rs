//! What ids take in memory.

use rowkey_core::{AnyUuid, DatabaseNumber, DistributedId, Luuid, ShortPrefixComb, UuidV7};

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
        in_memory::<ShortPrefixComb>(),
        in_memory::<UuidV7>(),
        in_memory::<DistributedId>(),
        in_memory::<Luuid>(),
        in_memory::<AnyUuid>(),
        in_memory::<DatabaseNumber>(),
    ] {
        assert_eq!(found, of_number);
    }
}

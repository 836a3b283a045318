//! What operations are measured with: the same in every run, and varied enough that branches
//! cannot be learned by heart.

use std::array;
use std::sync::LazyLock;

use rowkey_core::text::{base62, decimal, hyphenated};
use rowkey_core::{DistributedId, UnixMillis};

/// Inputs of each kind; a power of two, so that cycling through them is cheap.
pub(crate) const COUNT: usize = 64;

/// Numbers whose 128 bits all vary.
pub(crate) fn wide() -> &'static [u128; COUNT] {
    static NUMBERS: LazyLock<[u128; COUNT]> =
        LazyLock::new(|| array::from_fn(|index| mixed(index as u64)));
    &NUMBERS
}

/// DistributedIds of our time: 28 decimal digits.
pub(crate) fn distributed() -> &'static [u128; COUNT] {
    static NUMBERS: LazyLock<[u128; COUNT]> = LazyLock::new(|| {
        array::from_fn(|index| {
            let time = UnixMillis::new(1_780_000_000_000 + index as i64 * 86_400_000);
            let random = mixed(index as u64) as u64 >> 16;
            DistributedId::from_parts(time, random)
                .expect("the time and the 48 bits fit")
                .to_u128()
        })
    });
    &NUMBERS
}

/// These numbers as text, one list per encoding.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) hyphenated: [String; COUNT],
    /// Two blocks of 11 digits.
    pub(crate) base62_wide: [String; COUNT],
    /// One number of up to 22 digits.
    pub(crate) base62_plain: [String; COUNT],
    pub(crate) base62_distributed: [String; COUNT],
    /// One number without padding: 16 digits.
    pub(crate) base62_distributed_plain: [String; COUNT],
    pub(crate) base62_word: [String; COUNT],
    pub(crate) decimal: [String; COUNT],
}

/// The text of all numbers, made once.
pub(crate) fn texts() -> &'static Texts {
    static TEXTS: LazyLock<Texts> = LazyLock::new(|| Texts {
        hyphenated: wide().map(|number| hyphenated::write(number).into()),
        base62_wide: wide().map(|number| owned(&base62::encode_u128(number))),
        base62_plain: wide().map(plain_base62),
        base62_distributed: distributed().map(|number| owned(&base62::encode_decimal28(number))),
        base62_distributed_plain: distributed().map(plain_base62),
        base62_word: wide().map(|number| owned(&base62::encode_u64(number as u64))),
        decimal: distributed().map(|number| decimal::write(number).into()),
    });
    &TEXTS
}

/// 128 bits that look random: SplitMix64 twice.
pub(crate) fn mixed(index: u64) -> u128 {
    let word = |index: u64| {
        let mut word = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    };
    u128::from(word(2 * index)) << 64 | u128::from(word(2 * index + 1))
}

fn owned(ascii: &[u8]) -> String {
    String::from_utf8_lossy(ascii).into_owned()
}

fn plain_base62(number: u128) -> String {
    let mut digits = [0; 22];
    let length =
        ::base62::encode_bytes(number, &mut digits).expect("22 digits are enough for 128 bits");
    owned(&digits[..length])
}

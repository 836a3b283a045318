//! Ids as numbers, in the formats and byte orders of the pages.

use uuid::Uuid;

use crate::samples::Random;

/// 2024-03-21T04:19:11Z.
pub(super) const TIME: u128 = 1_710_994_751_000;

/// A random UUID of version 4.
pub(super) fn v4(random: &mut Random) -> u128 {
    stamped(random.next_u128(), 4)
}

pub(super) fn stamped(value: u128, version: u128) -> u128 {
    value & !(0xf << 76) & !(0b11 << 62) | version << 76 | 0b10 << 62
}

/// A UUID with the time in front.
pub(super) fn timed(version: u128, millis: u128, random: &mut Random) -> u128 {
    stamped(millis << 80 | random.next_u128() >> 48, version)
}

/// The ends of sixteen bytes exchanged, so many bytes of each, from bytes 0 and 10 on.
pub(super) fn exchanged(value: u128, count: usize) -> u128 {
    let mut bytes = value.to_be_bytes();
    let (front, back) = bytes.split_at_mut(10);
    front[..count].swap_with_slice(&mut back[..count]);
    u128::from_be_bytes(bytes)
}

/// Sixteen bytes as .NET writes them.
pub(super) fn net_bytes(value: u128) -> u128 {
    u128::from_be_bytes(Uuid::from_u128(value).to_bytes_le())
}

/// Sixteen bytes of a version-1 UUID with the groups of its time turned round.
pub(super) fn time_in_front(value: u128) -> u128 {
    let b = value.to_be_bytes();
    let front = [b[6], b[7], b[4], b[5], b[0], b[1], b[2], b[3]];
    u128::from(u64::from_be_bytes(front)) << 64 | value & u128::from(u64::MAX)
}

pub(super) fn hyphenated(value: u128) -> String {
    Uuid::from_u128(value).to_string()
}

pub(super) fn sorted(mut values: Vec<u128>) -> Vec<u128> {
    values.sort_unstable();
    values
}

/// Some UUIDs and their text, the last in upper case.
pub(super) fn texts(seed: u64) -> (Vec<u128>, Vec<String>) {
    let mut random = Random::Seeded(seed);
    let values = sorted((0..6).map(|_| v4(&mut random)).collect());
    let mut texts: Vec<String> = values.iter().map(|&value| hyphenated(value)).collect();
    texts[5] = texts[5].to_uppercase();
    let texts = texts.iter().map(|text| format!("'{text}'")).collect();
    (values, texts)
}

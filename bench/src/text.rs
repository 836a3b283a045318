//! Writing and reading text.

use std::hint::black_box;
use std::str::FromStr;

use rowkey_core::text::{Width, base62, decimal, hyphenated};
use rust_decimal::Decimal;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::inputs::{distributed, texts, wide};
use crate::operation::{Operation, operation};

pub(crate) const OPERATIONS: &[Operation] = &[
    // Writing.
    operation!(number "write-hyphenated", wide(), |number| {
        black_box(hyphenated::write(number).as_str());
    }),
    operation!(number "write-base62-22", wide(), base62::encode_u128),
    operation!(number "write-base62-16", distributed(), base62::encode_decimal28),
    operation!(number "write-base62-11", wide(), |number| base62::encode_u64(number as u64)),
    operation!(number "write-decimal-28", distributed(), |number| {
        black_box(decimal::write(number).as_str());
    }),
    operation!(number "write-decimal-28-padded", distributed(), decimal::write_padded::<28>),
    operation!(number "peer-uuid-write", wide(), |number| {
        let mut text = [0; 36];
        black_box(Uuid::from_u128(number).hyphenated().encode_lower(&mut text));
    }),
    operation!(number "peer-base62-write-22", wide(), plain_base62),
    operation!(number "peer-base62-write-16", distributed(), plain_base62),
    operation!(number "peer-base62-write-11", wide(), |number| plain_base62(number as u64)),
    operation!(number "peer-itoa-write", distributed(), |number| {
        let mut buffer = itoa::Buffer::new();
        black_box(buffer.format(number));
    }),
    operation!(number "peer-lexical-core-write", distributed(), |number| {
        black_box(lexical_core::write(number, &mut [0; 39]));
    }),
    operation!(number "peer-itoa-to-string", distributed(), |number| {
        itoa::Buffer::new().format(number).to_owned()
    }),
    operation!(number "peer-std-write", distributed(), |number| number.to_string()),
    operation!(number "peer-rust-decimal-write", distributed(), |number| {
        Decimal::from_i128_with_scale(number as i128, 0).to_string()
    }),
    // Reading. The refusals are dropped on both sides: moving them is not reading.
    operation!(text "read-hyphenated", &texts().hyphenated, |text| hyphenated::parse(text).ok()),
    operation!(text "read-base62-22", &texts().base62_wide, |text| base62::decode_u128(text).ok()),
    operation!(text "read-base62-16", &texts().base62_distributed, |text| {
        base62::decode_decimal28(text).ok()
    }),
    operation!(text "read-base62-11", &texts().base62_word, |text| base62::decode_u64(text).ok()),
    operation!(text "read-decimal-28", &texts().decimal, |text| {
        decimal::parse(text, Width::Decimal28).ok()
    }),
    operation!(text "peer-uuid-read", &texts().hyphenated, |text| Uuid::try_parse(text).ok()),
    operation!(text "peer-uuid-read-hyphenated", &texts().hyphenated, |text| {
        text.parse::<Hyphenated>().ok()
    }),
    operation!(text "peer-base62-read-22", &texts().base62_plain, |text| {
        ::base62::decode(text).ok()
    }),
    operation!(text "peer-base62-read-16", &texts().base62_distributed_plain, |text| {
        ::base62::decode(text).ok()
    }),
    operation!(text "peer-base62-read-11", &texts().base62_word, |text| {
        ::base62::decode(text).ok()
    }),
    operation!(text "peer-std-read", &texts().decimal, |text| u128::from_str(text).ok()),
    operation!(text "peer-rust-decimal-read", &texts().decimal, |text| {
        Decimal::from_str_exact(text).ok()
    }),
];

/// One number of up to 22 digits, without padding.
#[inline(always)]
fn plain_base62(number: impl Into<u128>) -> [u8; 22] {
    let mut digits = [0; 22];
    // The buffer is always long enough.
    let _ = ::base62::encode_bytes(number, &mut digits);
    digits
}

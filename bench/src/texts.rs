//! Writing and reading texts.

use std::str::FromStr;

use rowkey_core::text::{Width, base62, decimal, hyphenated};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::inputs::{distributed, texts, wide};
use crate::operation::{Operation, on_each, on_each_text};

pub(crate) const OPERATIONS: &[Operation] = &[
    // Writing.
    Operation::on_number("write-hyphenated", |rounds| {
        on_each(rounds, wide(), hyphenated::write)
    }),
    Operation::on_number("write-base62-22", |rounds| {
        on_each(rounds, wide(), base62::encode_u128)
    }),
    Operation::on_number("write-base62-16", |rounds| {
        on_each(rounds, distributed(), base62::encode_decimal28)
    }),
    Operation::on_number("write-base62-11", |rounds| {
        on_each(rounds, wide(), |number| base62::encode_u64(number as u64))
    }),
    Operation::on_number("write-decimal-28", |rounds| {
        on_each(rounds, distributed(), decimal::write)
    }),
    Operation::on_number("write-decimal-28-padded", |rounds| {
        on_each(rounds, distributed(), decimal::write_padded::<28>)
    }),
    Operation::on_number("peer-uuid-write", |rounds| {
        on_each(rounds, wide(), |number| {
            let mut text = [0; 36];
            Uuid::from_u128(number).hyphenated().encode_lower(&mut text);
            text
        })
    }),
    Operation::on_number("peer-base62-write-22", |rounds| {
        on_each(rounds, wide(), plain_base62)
    }),
    Operation::on_number("peer-base62-write-16", |rounds| {
        on_each(rounds, distributed(), plain_base62)
    }),
    Operation::on_number("peer-base62-write-11", |rounds| {
        on_each(rounds, wide(), |number| plain_base62(number as u64))
    }),
    Operation::on_number("peer-itoa-write", |rounds| {
        on_each(rounds, distributed(), |number| {
            let mut buffer = itoa::Buffer::new();
            std::hint::black_box(buffer.format(number));
        })
    }),
    Operation::on_number("peer-std-write", |rounds| {
        on_each(rounds, distributed(), |number| number.to_string())
    }),
    Operation::on_number("peer-rust-decimal-write", |rounds| {
        on_each(rounds, distributed(), |number| {
            Decimal::from_i128_with_scale(number as i128, 0).to_string()
        })
    }),
    // Reading. The refusals are dropped on both sides: moving them is not reading.
    Operation::on_slice("read-hyphenated", |rounds| {
        on_each_text(rounds, &texts().hyphenated, |text| {
            hyphenated::parse(text).ok()
        })
    }),
    Operation::on_slice("read-base62-22", |rounds| {
        on_each_text(rounds, &texts().base62_wide, |text| {
            base62::decode_u128(text).ok()
        })
    }),
    Operation::on_slice("read-base62-16", |rounds| {
        on_each_text(rounds, &texts().base62_distributed, |text| {
            base62::decode_decimal28(text).ok()
        })
    }),
    Operation::on_slice("read-base62-11", |rounds| {
        on_each_text(rounds, &texts().base62_word, |text| {
            base62::decode_u64(text).ok()
        })
    }),
    Operation::on_slice("read-decimal-28", |rounds| {
        on_each_text(rounds, &texts().decimal, |text| {
            decimal::parse(text, Width::Decimal28).ok()
        })
    }),
    Operation::on_slice("peer-uuid-read", |rounds| {
        on_each_text(rounds, &texts().hyphenated, |text| {
            Uuid::try_parse(text).ok()
        })
    }),
    Operation::on_slice("peer-base62-read-22", |rounds| {
        on_each_text(rounds, &texts().base62_plain, |text| {
            ::base62::decode(text).ok()
        })
    }),
    Operation::on_slice("peer-base62-read-16", |rounds| {
        on_each_text(rounds, &texts().base62_distributed_plain, |text| {
            ::base62::decode(text).ok()
        })
    }),
    Operation::on_slice("peer-base62-read-11", |rounds| {
        on_each_text(rounds, &texts().base62_word, |text| {
            ::base62::decode(text).ok()
        })
    }),
    Operation::on_slice("peer-std-read", |rounds| {
        on_each_text(rounds, &texts().decimal, |text| u128::from_str(text).ok())
    }),
    Operation::on_slice("peer-rust-decimal-read", |rounds| {
        on_each_text(rounds, &texts().decimal, |text| {
            Decimal::from_str_exact(text).ok()
        })
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

//! Reading PostgreSQL's binary `numeric`, against a reader that goes digit group by digit group.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::driver::numeric;

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    /// Whatever a server could send.
    Bytes(&'a [u8]),
    /// Four fields and groups, which get past the header.
    Fields {
        count: Option<u16>,
        weight: i8,
        sign: Option<u16>,
        scale: Option<u16>,
        groups: Vec<u16>,
        are_groups: bool,
    },
    Number(u128),
}

fuzz_target!(|input: Input<'_>| {
    match input {
        Input::Bytes(bytes) => compare(bytes),
        Input::Fields {
            count,
            weight,
            sign,
            scale,
            mut groups,
            are_groups,
        } => {
            if are_groups {
                groups.iter_mut().for_each(|group| *group %= 10_000);
            }
            let header = [
                count.unwrap_or(groups.len() as u16),
                i16::from(weight) as u16,
                sign.unwrap_or(0),
                scale.unwrap_or(0),
            ];
            let fields = header.into_iter().chain(groups);
            compare(&fields.flat_map(u16::to_be_bytes).collect::<Vec<_>>());
        }
        Input::Number(number) => {
            let mut written = Vec::new();
            numeric::write(number, &mut written);
            assert_eq!(numeric::read(&written), Ok(number));
            compare(&written);
        }
    }
});

fn compare(bytes: &[u8]) {
    let read = numeric::read(bytes);
    assert_eq!(read.ok(), read_slowly(bytes), "{read:?}");
    match read {
        // What is read comes back as what the server would have sent for it.
        Ok(number) => {
            let mut written = Vec::new();
            numeric::write(number, &mut written);
            assert_eq!(read_slowly(&written), Some(number));
        }
        Err(found) => assert!(!found.is_empty()),
    }
}

/// The number, if the bytes are a whole number that is not negative and has 128 bits at most.
fn read_slowly(bytes: &[u8]) -> Option<u128> {
    let (fields, rest) = bytes.as_chunks::<2>();
    let fields: Vec<u16> = fields.iter().copied().map(u16::from_be_bytes).collect();
    let [count, weight, 0, 0, groups @ ..] = &fields[..] else {
        return None;
    };
    if !rest.is_empty() || groups.len() != usize::from(*count) {
        return None;
    }
    let after_point = i32::from(*weight as i16) + 1 - i32::from(*count);
    if !groups.is_empty() && after_point < 0 || groups.iter().any(|group| *group >= 10_000) {
        return None;
    }
    let zeros = (0..if groups.is_empty() { 0 } else { after_point }).map(|_| 0);
    let digits = groups.iter().copied().chain(zeros);
    digits.into_iter().try_fold(0_u128, |number, group| {
        number.checked_mul(10_000)?.checked_add(group.into())
    })
}

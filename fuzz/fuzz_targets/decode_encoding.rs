//! Reading text in every encoding and width.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::text::{Encoding, Width};
use rowkey_fuzz::{AnyEncoding, AnyWidth, Damage, canonical};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    width: AnyWidth,
    encoding: AnyEncoding,
    values: [u128; 2],
    damage: Damage<'a>,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let (width, encoding) = (input.width.0, input.encoding.0);
    let texts = input.values.map(|value| {
        let text = width.encode(encoding, value);
        assert_eq!(text.is_ok(), value <= width.max());
        if let Ok(text) = text {
            assert_eq!(width.decode(encoding, &text), Ok(value));
        }
        text
    });
    if let [Ok(first), Ok(second)] = texts
        && (encoding != Encoding::Decimal || first.len() == second.len())
    {
        assert_eq!(first.cmp(&second), input.values[0].cmp(&input.values[1]));
    }
    if let [Ok(text), _] = texts {
        accepts_only_what_it_writes(width, encoding, &input.damage.apply(&text));
    }
    accepts_only_what_it_writes(width, encoding, input.text);
});

fn accepts_only_what_it_writes(width: Width, encoding: Encoding, text: &str) {
    match width.decode(encoding, text) {
        Ok(value) => {
            let written = width.encode(encoding, value).expect("it was in range");
            assert_eq!(written, canonical(encoding, text).as_str());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

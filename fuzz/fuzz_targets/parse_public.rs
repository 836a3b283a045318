//! Reading the public text of every format.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey_core::format::FormatKind;
use rowkey_fuzz::{AnyFormat, Damage, canonical, nearly_of};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    format: AnyFormat,
    bits: u128,
    stamp: bool,
    damage: Damage<'a>,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let format = input.format.0;
    let value = nearly_of(format, input.bits, input.stamp);
    let text = format.public_text(value);
    if format.admits(value) {
        assert_eq!(format.parse_public(&text), Ok(value));
    }
    accepts_only_what_it_writes(format, &input.damage.apply(&text));
    accepts_only_what_it_writes(format, input.text);
});

fn accepts_only_what_it_writes(format: FormatKind, text: &str) {
    match format.parse_public(text) {
        Ok(value) => {
            assert!(format.admits(value));
            let written = format.public_text(value);
            assert_eq!(written, canonical(format.public_encoding(), text).as_str());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

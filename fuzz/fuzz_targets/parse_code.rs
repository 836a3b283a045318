//! Reading codes: no text panics, and what is read has one text, which differs from the input only
//! in what reading forgives.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rowkey::code::Code;

fuzz_target!(|text: &str| {
    check::<1>(text);
    check::<8>(text);
    check::<25>(text);
});

fn check<const LENGTH: usize>(text: &str) {
    match text.parse::<Code<LENGTH>>() {
        Ok(code) => {
            let forgiven: String = text
                .chars()
                .filter(|symbol| *symbol != '-')
                .map(|symbol| match symbol.to_ascii_uppercase() {
                    'I' | 'L' => '1',
                    'O' => '0',
                    other => other,
                })
                .collect();
            assert_eq!(code.to_string(), forgiven);
            assert_eq!(code.grouped().parse(), Ok(code));
            assert_eq!(Code::from_number(code.number()), Some(code));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

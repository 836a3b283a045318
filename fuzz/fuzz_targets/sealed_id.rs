//! Public ids with labels: the text of sealed ids, labels, and that nothing made up is read.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rowkey::public_id::{PublicIdSecret, PublicIdSecrets, SealedId};
use rowkey_core::text::base62;
use rowkey_fuzz::Damage;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    secret: [u8; 32],
    value: u128,
    bytes: [u8; 32],
    label: &'a str,
    damage: Damage<'a>,
    text: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let id = SealedId::<u128>::from_bytes(input.bytes);
    let text = id.to_string();
    assert_eq!(text.as_bytes(), base62::encode_32_bytes(&input.bytes));
    assert_eq!(text.parse(), Ok(id));
    for text in [input.text, &input.damage.apply(&text)] {
        match text.parse::<SealedId<u128>>() {
            Ok(id) => assert_eq!(id.to_string(), text, "every id has one text"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }

    let secret = PublicIdSecret::from_bytes(&input.secret).expect("32 bytes are a secret");
    let secrets = PublicIdSecrets::new(secret);
    match secrets.sealed_cipher_for::<u128>(input.label) {
        Ok(sealed) => {
            let own = sealed.encode(&input.value).expect("every u128 has one");
            assert_eq!(sealed.decode(own), Ok(input.value));
            assert!(own == id || sealed.decode(id).is_err(), "{id} was made up");
            let short = secrets.cipher_for(input.label).expect("it is a label");
            let own = short.encode(&input.value).expect("every u128 has one");
            assert_eq!(short.decode(own), Ok(input.value));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let is_plain = input.label.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(!is_plain || input.label.is_empty() || input.label.len() > 64);
        }
    }
});

//! Public ids: their text, their keys, and that decoding is the inverse of encoding.

#![no_main]

use std::fmt::Debug;

use arbitrary::Arbitrary;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use libfuzzer_sys::fuzz_target;
use rowkey::public_id::{PublicId, PublicIdCipher, PublicIdCiphers, PublicIdValue};
use rowkey_core::text::Encoding;
use rowkey_core::{
    AnyUuid, DistributedId, DistributedId128, HotGuid, Iuid, Luuid, ShortPrefixComb, UuidV7,
};
use rowkey_fuzz::{AnyEncoding, Damage, canonical};
use uuid::Uuid;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    key: Key,
    other_key: [u8; 16],
    bits: u128,
    encoding: AnyEncoding,
    damage: Damage<'a>,
    text: &'a str,
    key_bytes: &'a [u8],
}

#[derive(Arbitrary, Debug)]
enum Key {
    Aes128([u8; 16]),
    Aes192([u8; 24]),
    Aes256([u8; 32]),
}

fuzz_target!(|input: Input<'_>| {
    let key: &[u8] = match &input.key {
        Key::Aes128(key) => key,
        Key::Aes192(key) => key,
        Key::Aes256(key) => key,
    };
    let cipher = PublicIdCipher::from_key(key).expect("the length is one of AES");
    let bits = input.bits;

    is_bijective(&cipher, bits as u64, bits);
    is_bijective(&cipher, bits, bits);
    is_bijective(&cipher, Uuid::from_u128(bits), bits);
    is_bijective(&cipher, AnyUuid::from_u128(bits), bits);
    if bits as i64 >= 0 {
        is_bijective(&cipher, bits as i64, bits);
    } else {
        assert!(cipher.encode(&(bits as i64)).is_err());
    }
    is_bijective_if_admitted::<DistributedId>(&cipher, bits >> 35, bits);
    is_bijective_if_admitted::<DistributedId128>(&cipher, bits, bits);
    is_bijective_if_admitted::<HotGuid>(&cipher, bits, bits);
    is_bijective_if_admitted::<Luuid>(&cipher, bits, bits);
    is_bijective_if_admitted::<Iuid>(&cipher, bits, bits);
    is_bijective_if_admitted::<UuidV7>(&cipher, bits, bits);
    is_bijective_if_admitted::<ShortPrefixComb>(&cipher, bits, bits);

    let older = PublicIdCipher::from_key(&input.other_key).expect("16 bytes are a key");
    let given_out = older.encode(&(bits as u64)).expect("every u64 has one");
    let ciphers = PublicIdCiphers::from(cipher).with_older(older);
    assert_eq!(ciphers.decode(given_out), Ok(bits as u64));

    let encoding = input.encoding.0;
    let public_id = PublicId::<u64>::from_uuid(Uuid::from_u128(bits));
    let text = public_id.encode(encoding);
    assert_eq!(PublicId::decode(encoding, &text), Ok(public_id));
    accepts_only_what_it_writes(encoding, &input.damage.apply(&text));
    accepts_only_what_it_writes(encoding, input.text);

    reads_keys(key, &input.damage);
    reads_keys(input.key_bytes, &input.damage);
    reads_key_text(input.text);
});

/// A value survives, and a public id that is accepted is the one of its value.
fn is_bijective<T: PublicIdValue + PartialEq + Debug>(
    cipher: &PublicIdCipher,
    value: T,
    public_id: u128,
) {
    let encoded = cipher.encode(&value).expect("the value has a public id");
    assert_eq!(cipher.decode(encoded), Ok(value));
    accepts_only_what_it_gives_out::<T>(cipher, public_id);
}

fn is_bijective_if_admitted<T: PublicIdValue + TryFrom<u128> + PartialEq + Debug>(
    cipher: &PublicIdCipher,
    bits: u128,
    public_id: u128,
) {
    match T::try_from(bits) {
        Ok(value) => is_bijective(cipher, value, public_id),
        Err(_) => accepts_only_what_it_gives_out::<T>(cipher, public_id),
    }
}

fn accepts_only_what_it_gives_out<T: PublicIdValue>(cipher: &PublicIdCipher, public_id: u128) {
    let public_id = PublicId::<T>::from_uuid(Uuid::from_u128(public_id));
    if let Ok(value) = cipher.decode(public_id) {
        assert_eq!(cipher.encode(&value), Ok(public_id));
    }
}

fn accepts_only_what_it_writes(encoding: Encoding, text: &str) {
    match PublicId::<u64>::decode(encoding, text) {
        Ok(public_id) => {
            let written = public_id.encode(encoding);
            assert_eq!(written, canonical(encoding, text).as_str());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn reads_keys(key: &[u8], damage: &Damage<'_>) {
    let text = STANDARD.encode(key);
    let is_key = matches!(key.len(), 16 | 24 | 32);
    assert_eq!(PublicIdCipher::from_key(key).is_ok(), is_key);
    assert_eq!(PublicIdCipher::from_base64(&text).is_ok(), is_key);
    reads_key_text(&damage.apply(&text));
}

/// A key's text is read if and only if it is the base64 text of a key, up to white space around it,
/// and then as that key.
fn reads_key_text(text: &str) {
    let key = STANDARD.decode(text.trim());
    match PublicIdCipher::from_base64(text) {
        Ok(cipher) => {
            let key = key.expect("the text is base64");
            let same = PublicIdCipher::from_key(&key).expect("the length is one of AES");
            assert_eq!(cipher.encode(&1_u64), same.encode(&1_u64));
        }
        Err(error) => {
            assert!(!key.is_ok_and(|key| matches!(key.len(), 16 | 24 | 32)));
            assert!(!error.to_string().is_empty());
        }
    }
}

//! Public ids against recorded cases of the original converter.

use std::collections::{BTreeSet, HashSet};
use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::vectors::{section, text};
use proptest::prelude::*;
use rowkey::error::ErrorKind;
use rowkey::public_id::{PublicId, PublicIdCipher, PublicIdCiphers, PublicIdValue};
use rowkey::text::{Encoding, Width};
use rowkey::{AnyUuid, DatabaseNumber, DistributedId, DistributedId128, Error, HotGuid, UuidV4};
use serde_json::Value;
use uuid::Uuid;

/// The number of cases that the file holds. A test of a section asserts that it saw them all.
const KEY_CASES: usize = 7;
const ENCODE_CASES: usize = 82;
const DECODE_CASES: usize = 118;
const ENCODE_ERROR_CASES: usize = 4;
const ORIGINAL_BUG_CASES: usize = 1;

/// A key for tests. Nothing outside them uses it.
const TEST_KEY: &str = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";

fn cipher(case: &Value) -> PublicIdCipher {
    PublicIdCipher::from_base64(text(case, "key_base64")).unwrap()
}

fn test_cipher() -> PublicIdCipher {
    PublicIdCipher::from_base64(TEST_KEY).unwrap()
}

fn hexadecimal(bytes: [u8; 16]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a test does with the Rust type of a case.
trait Check {
    fn check<T>(&self, case: &Value)
    where
        T: PublicIdValue + FromStr<Err: Debug> + Display + Debug + PartialEq;
}

/// Calls a check with the Rust type that the case names.
fn for_type_of(case: &Value, check: &impl Check) {
    match text(case, "type") {
        "i64" => {
            check.check::<i64>(case);
            check.check::<DatabaseNumber>(case);
        }
        "u64" => check.check::<u64>(case),
        "decimal28" => check.check::<DistributedId>(case),
        "u128" => check.check::<u128>(case),
        "uuid" => {
            check.check::<Uuid>(case);
            check.check::<AnyUuid>(case);
            check.check::<HotGuid>(case);
            check.check::<DistributedId128>(case);
        }
        other => panic!("a case of unknown type {other}"),
    }
}

#[test]
fn keys_are_accepted_by_length_and_alphabet() {
    let cases = section("public_ids.json", "keys", KEY_CASES);
    for case in &cases {
        let cipher = PublicIdCipher::from_base64(text(case, "key_base64"));
        assert_eq!(
            cipher.is_ok(),
            case["accepted"].as_bool().unwrap(),
            "{case}"
        );
    }
    assert!(cases.len() >= KEY_CASES);
}

const NO_KEY: &str = "no cipher key was given";

fn unrecognised(kind: &str) -> String {
    format!("not a public id of type {kind} under any of the keys")
}

#[test]
fn keys_are_refused_with_a_reason() {
    let reason = |text: &str| {
        let error = PublicIdCipher::from_base64(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Declaration);
        error.to_string()
    };
    let base64 =
        |position| format!("the key is not standard base64 with padding (position {position})");
    let length = |found| format!("an AES key has 16, 24 or 32 bytes, this one has {found}");
    assert_eq!(reason(""), NO_KEY);
    assert_eq!(reason(" \n"), NO_KEY);
    assert_eq!(reason("AAAAAAAAAAAAAAAAAAAA"), length(15));
    assert_eq!(reason("not base64!"), base64(3));
    assert_eq!(reason("AAAAAAAAAAAAAAAAAAAAAA"), base64(22));
    assert_eq!(reason("AAAAAAAAAAAAAAAAAAAAAA="), base64(22));
    assert_eq!(reason("\n AAAA AAAA\n"), base64(6));
    assert_eq!(reason("AAAA-AAA"), base64(4));
    assert_eq!(reason("AAA\u{141}"), base64(3));
    // The last digit has bits that belong to no byte.
    assert_eq!(reason("AAAAAAAAAAAAAAAAAAAAAB=="), base64(22));

    for found in (0..=33).filter(|found| ![16, 24, 32].contains(found)) {
        let error = PublicIdCipher::from_key(&vec![7; found]).unwrap_err();
        assert_eq!(error.to_string(), length(found));
    }
}

#[test]
fn white_space_around_a_key_does_not_count() {
    let public_id = test_cipher().encode(&1_u64).unwrap();
    for text in [format!("{TEST_KEY}\n"), format!(" \t{TEST_KEY}\r\n")] {
        let cipher = PublicIdCipher::from_base64(&text).unwrap();
        assert_eq!(cipher.encode(&1_u64).unwrap(), public_id);
    }
}

#[cfg(feature = "std")]
#[test]
fn keys_come_from_the_environment() {
    let unset = PublicIdCipher::from_env("ROWKEY_TEST_NO_SUCH_KEY");
    assert_eq!(unset.unwrap_err().to_string(), NO_KEY);
    // A variable that cargo sets, since setting one here would need `unsafe`: it is not base64.
    let version = PublicIdCipher::from_env("CARGO_PKG_VERSION").unwrap_err();
    assert!(version.to_string().ends_with("(position 1)"), "{version}");
}

#[test]
fn encode_gives_the_recorded_public_ids_and_decode_takes_them_back() {
    struct Encodes;
    impl Check for Encodes {
        fn check<T>(&self, case: &Value)
        where
            T: PublicIdValue + FromStr<Err: Debug> + Display + Debug + PartialEq,
        {
            let cipher = cipher(case);
            let value: T = text(case, "value").parse().unwrap();
            assert_eq!(
                hexadecimal(value.to_block().unwrap().to_be_bytes()),
                text(case, "plaintext_block")
            );

            let public_id = cipher.encode(&value).unwrap();
            assert_eq!(public_id.to_string(), text(case, "public_uuid"), "{case}");
            assert_eq!(
                hexadecimal(public_id.as_uuid().to_bytes_le()),
                text(case, "ciphertext")
            );
            for (encoding, field) in [
                (Encoding::Uuid, "public_uuid"),
                (Encoding::Alphanumeric, "public_alphanumeric"),
                (Encoding::Hexadecimal, "public_hexadecimal"),
            ] {
                assert_eq!(public_id.encode(encoding), text(case, field), "{case}");
                assert_eq!(
                    PublicId::decode(encoding, text(case, field)),
                    Ok(public_id),
                    "{case}"
                );
            }
            assert_eq!(cipher.decode(public_id).unwrap(), value, "{case}");
        }
    }

    let cases = section("public_ids.json", "encode", ENCODE_CASES);
    cases.iter().for_each(|case| for_type_of(case, &Encodes));
    assert!(cases.len() >= ENCODE_CASES);
    let types: BTreeSet<_> = cases.iter().map(|case| text(case, "type")).collect();
    assert_eq!(
        types,
        BTreeSet::from(["decimal28", "i64", "u128", "u64", "uuid"])
    );
}

#[test]
fn decode_agrees_with_the_recorded_values() {
    struct Decodes;
    impl Check for Decodes {
        fn check<T>(&self, case: &Value)
        where
            T: PublicIdValue + FromStr<Err: Debug> + Display + Debug + PartialEq,
        {
            let public_id: PublicId<T> = text(case, "public_uuid").parse().unwrap();
            let decoded = cipher(case).decode(public_id);
            match case["value"].as_str() {
                Some(value) => {
                    assert_eq!(decoded.unwrap().to_string(), value, "{case}");
                }
                None => {
                    let error = decoded.unwrap_err();
                    assert_eq!(error.to_string(), unrecognised(T::TYPE), "{case}");
                }
            }
        }
    }

    let cases = section("public_ids.json", "decode", DECODE_CASES);
    cases.iter().for_each(|case| for_type_of(case, &Decodes));
    assert!(cases.len() >= DECODE_CASES);
}

#[test]
fn encode_errors_are_values_without_a_public_id() {
    let cases = section("public_ids.json", "encode_errors", ENCODE_ERROR_CASES);
    for case in &cases {
        let value = text(case, "value");
        match text(case, "type") {
            "i64" => {
                let value: i64 = value.parse().unwrap();
                let error = test_cipher().encode(&value).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::OutOfRange);
                assert_eq!(
                    error.to_string(),
                    "a public id of type i64 cannot carry this value: it is negative"
                );
            }
            // Such a value does not come into being.
            "decimal28" => assert!(value.parse::<DistributedId>().is_err(), "{case}"),
            other => panic!("a case of unknown type {other}"),
        }
    }
    assert!(cases.len() >= ENCODE_ERROR_CASES);
    assert!(test_cipher().encode(&i64::MIN).is_err());
}

#[test]
fn the_hexadecimal_public_id_is_that_of_the_same_key() {
    let id: DistributedId = "1088824355131185736905670087".parse().unwrap();
    let public_id = test_cipher().encode(&id).unwrap();
    assert_eq!(
        public_id.encode(Encoding::Hexadecimal),
        "30322474A954FFA9941C6F038AFE4FF1"
    );
    assert_eq!(
        public_id.encode(Encoding::Alphanumeric),
        "48XoooHHCe1CiOHrghM7Dl"
    );
    assert_eq!(
        public_id.to_string(),
        "30322474-a954-ffa9-941c-6f038afe4ff1"
    );
}

// Listed in docs/src/differences.md.
#[test]
fn one_cipher_gives_the_same_public_ids_whatever_it_did_before() {
    struct Encodes<'a>(&'a PublicIdCipher, &'a str);
    impl Check for Encodes<'_> {
        fn check<T>(&self, case: &Value)
        where
            T: PublicIdValue + FromStr<Err: Debug> + Display + Debug + PartialEq,
        {
            let value: T = text(case, "value").parse().unwrap();
            let public_id = self.0.encode(&value).unwrap();
            assert_eq!(public_id.to_string(), self.1, "{case}");
            assert_eq!(self.0.decode(public_id).unwrap(), value, "{case}");
        }
    }

    let cases = section("public_ids.json", "original_bug", ORIGINAL_BUG_CASES);
    for case in &cases {
        let cipher = cipher(case);
        let sequence = case["sequence"].as_array().unwrap();
        let correct = case["correct"].as_array().unwrap();
        assert!(sequence.len() == correct.len() && sequence.len() >= 5);
        for (step, expected) in sequence.iter().zip(correct) {
            for_type_of(step, &Encodes(&cipher, expected.as_str().unwrap()));
        }
    }
    assert!(cases.len() >= ORIGINAL_BUG_CASES);
}

/// The chance that a random public id passes is the share of blocks that some value has: the block
/// of the largest value decodes, the next one does not.
// Listed in docs/src/differences.md.
#[test]
fn the_blocks_that_a_type_recognises() {
    // u64: 64 zero bits. i64: one more.
    assert_eq!(u64::from_block(u64::MAX.into()), Some(u64::MAX));
    assert_eq!(i64::from_block(u64::MAX.into()), None);
    let largest_i64 = u128::from(u64::MAX) ^ 0x80;
    assert_eq!(i64::from_block(largest_i64), Some(i64::MAX));
    for bit in 64..128 {
        assert_eq!(u64::from_block(1 << bit), None);
        assert_eq!(i64::from_block(1 << bit), None);
    }
    // DistributedId: 32 zero bits, then 10^28 of 2^96 numbers, which is 1 in 7.9.
    for bit in 96..128 {
        assert_eq!(DistributedId::from_block(1 << bit), None);
    }
    let largest = DistributedId::try_from(Width::Decimal28.max()).unwrap();
    let largest_block = largest.to_block().unwrap();
    assert_eq!(DistributedId::from_block(largest_block), Some(largest));
    // The lowest byte of the lower 64 bits, which are ff ff ff 0f 61 02 25 3e.
    assert_eq!(DistributedId::from_block(largest_block + (1 << 32)), None);
    // All blocks.
    for bits in [0, 1, u128::MAX, 1 << 127] {
        assert_eq!(u128::from_block(bits), Some(bits));
        assert_eq!(Uuid::from_block(bits), Some(Uuid::from_u128(bits)));
        assert!(AnyUuid::from_block(bits).is_some());
    }
    // Version and variant.
    let id = UuidV4::try_from(0x0123_4567_89ab_4def_8123_4567_89ab_cdef).unwrap();
    let block_of_id = id.to_block().unwrap();
    assert_eq!(UuidV4::from_block(block_of_id), Some(id));
    for (byte, bit) in [
        (6, 0x80),
        (6, 0x40),
        (6, 0x20),
        (6, 0x10),
        (8, 0x80),
        (8, 0x40),
    ] {
        let other = block_of_id ^ bit << (120 - 8 * byte);
        assert_eq!(UuidV4::from_block(other), None);
    }
}

#[test]
fn a_number_has_the_same_public_id_in_every_type_of_numbers() {
    let cipher = test_cipher();
    let small = cipher.encode(&5_u64).unwrap().as_uuid();
    assert_eq!(cipher.encode(&5_i64).unwrap().as_uuid(), small);
    let id = DistributedId::try_from(5_u128).unwrap();
    assert_eq!(cipher.encode(&id).unwrap().as_uuid(), small);
    assert_ne!(cipher.encode(&5_u128).unwrap().as_uuid(), small);
    assert_eq!(
        cipher.encode(&5_u128).unwrap().as_uuid(),
        cipher.encode(&Uuid::from_u128(5)).unwrap().as_uuid()
    );
    // Not the other way round: this one has no place in 64 bits.
    let id = DistributedId::try_from(1_u128 << 64).unwrap();
    let public_id = PublicId::from_uuid(cipher.encode(&id).unwrap().as_uuid());
    assert!(cipher.decode::<u64>(public_id).is_err());
}

#[test]
fn rotation_encodes_with_the_newest_key_and_decodes_with_all() {
    let key = |byte| PublicIdCipher::from_key(&[byte; 32]).unwrap();
    let ciphers = PublicIdCiphers::newest_first([key(3), key(2), key(1)]).unwrap();
    let id = DistributedId::try_from(1_088_824_355_131_185_736_905_670_087).unwrap();
    for byte in 1..=3 {
        assert_eq!(ciphers.decode(key(byte).encode(&id).unwrap()).unwrap(), id);
        assert_eq!(
            ciphers.decode(key(byte).encode(&42_u64).unwrap()).unwrap(),
            42
        );
    }
    assert_eq!(ciphers.encode(&id), key(3).encode(&id));
    let error = ciphers.decode(key(4).encode(&id).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert_eq!(error.to_string(), unrecognised("DistributedId"));

    let without_keys = PublicIdCiphers::newest_first([]);
    assert_eq!(without_keys.unwrap_err().to_string(), NO_KEY);
    let ciphers = PublicIdCiphers::from(key(2)).with_older(key(1));
    assert_eq!(ciphers.decode(key(1).encode(&42_u64).unwrap()).unwrap(), 42);
    assert_eq!(ciphers.encode(&42_u64), key(2).encode(&42_u64));
}

/// The reason for the warning on [`PublicIdCiphers`].
#[test]
fn rotation_cannot_tell_keys_apart_for_types_of_all_128_bits() {
    let key = |byte| PublicIdCipher::from_key(&[byte; 16]).unwrap();
    let ciphers = PublicIdCiphers::new(key(2)).with_older(key(1));
    let value = Uuid::from_u128(42);
    assert_ne!(
        ciphers.decode(key(1).encode(&value).unwrap()).unwrap(),
        value
    );
}

#[test]
fn ciphers_keep_their_key_to_themselves_and_work_on_any_thread() {
    fn is_shareable<T: Send + Sync + 'static>() {}
    is_shareable::<PublicIdCipher>();
    is_shareable::<PublicIdCiphers>();
    is_shareable::<PublicId<std::rc::Rc<()>>>();

    for (length, name) in [(16, "AES-128"), (24, "AES-192"), (32, "AES-256")] {
        let cipher = PublicIdCipher::from_key(&vec![0x5a; length]).unwrap();
        assert_eq!(
            format!("{cipher:?}"),
            format!("PublicIdCipher({name}, redacted)")
        );
    }
}

#[test]
fn public_ids_are_plain_values() {
    struct NotEvenDebug;
    let public_id: PublicId<NotEvenDebug> = "30322474-a954-ffa9-941c-6f038afe4ff1".parse().unwrap();
    let copy = public_id;
    assert!(copy == public_id && copy <= public_id);
    assert_eq!(HashSet::from([copy, public_id]).len(), 1);
    assert_eq!(
        format!("{public_id:?}"),
        "PublicId(30322474-a954-ffa9-941c-6f038afe4ff1)"
    );
    assert_eq!(
        format!("{public_id:>38}"),
        "  30322474-a954-ffa9-941c-6f038afe4ff1"
    );
    assert_eq!(
        PublicId::<NotEvenDebug>::from(Uuid::from(public_id)),
        public_id
    );
    for text in [
        "",
        "30322474a954ffa9941c6f038afe4ff",
        "{30322474-a954-ffa9-941c-6f038afe4ff1}",
    ] {
        assert!(text.parse::<PublicId<u64>>().is_err());
    }
}

#[test]
fn what_is_no_public_id_is_zero_in_one_line() {
    let cipher = PublicIdCipher::from_key(&[7; 32]).unwrap();
    let number = |text: &str| {
        let id = text.parse::<PublicId<u64>>();
        id.and_then(|id| cipher.decode(id)).unwrap_or_default()
    };
    let written = cipher.encode(&4711_u64).unwrap();
    for encoding in [
        Encoding::Uuid,
        Encoding::Alphanumeric,
        Encoding::Hexadecimal,
    ] {
        assert_eq!(number(&written.encode(encoding)), 4711);
    }
    for text in ["", "4711", "30322474-a954-ffa9-941c-6f038afe4ff1"] {
        assert_eq!(number(text), 0, "{text}");
    }
}

fn any_value() -> impl Strategy<Value = u128> {
    (any::<u128>(), 0..128_u32).prop_map(|(value, shift)| value >> shift)
}

fn any_cipher() -> impl Strategy<Value = PublicIdCipher> {
    (any::<[u8; 32]>(), proptest::sample::select(&[16, 24, 32]))
        .prop_map(|(key, length)| PublicIdCipher::from_key(&key[..length]).unwrap())
}

proptest! {
    #[test]
    fn decode_undoes_encode(cipher in any_cipher(), value in any_value()) {
        let number = value as u64;
        prop_assert_eq!(cipher.decode(cipher.encode(&number)?)?, number);
        prop_assert_eq!(cipher.decode(cipher.encode(&value)?)?, value);
        let uuid = Uuid::from_u128(value);
        prop_assert_eq!(cipher.decode(cipher.encode(&uuid)?)?, uuid);
        let id = DistributedId::try_from(value % 10_u128.pow(28))?;
        prop_assert_eq!(cipher.decode(cipher.encode(&id)?)?, id);
        match i64::try_from(number) {
            Ok(number) => prop_assert_eq!(cipher.decode(cipher.encode(&number)?)?, number),
            Err(_) => prop_assert!(cipher.encode(&(number as i64)).is_err()),
        }
    }

    #[test]
    fn a_list_is_encoded_and_decoded_as_each_of_it(
        (cipher, older) in (any_cipher(), any_cipher()),
        values in prop::collection::vec(any::<u64>(), 0..40),
        unrelated in any::<u128>(),
    ) {
        let mut public_ids = cipher.encode_all(&values)?;
        let each: Result<Vec<_>, Error> = values.iter().map(|value| cipher.encode(value)).collect();
        prop_assert_eq!(&public_ids, &each?);
        public_ids.push(PublicId::from_uuid(Uuid::from_u128(unrelated)));
        public_ids.extend(older.encode_all(&values)?);

        let each: Vec<_> = public_ids.iter().map(|id| cipher.decode(*id)).collect();
        prop_assert_eq!(cipher.decode_all(&public_ids).collect::<Vec<_>>(), each);
        let ciphers = PublicIdCiphers::new(cipher).with_older(older);
        let each: Vec<_> = public_ids.iter().map(|id| ciphers.decode(*id)).collect();
        prop_assert_eq!(ciphers.decode_all(&public_ids).collect::<Vec<_>>(), each);
        prop_assert_eq!(ciphers.encode_all(&values)?, &public_ids[..values.len()]);
    }

    #[test]
    fn a_list_with_a_negative_number_has_no_public_ids(
        cipher in any_cipher(),
        mut numbers in prop::collection::vec(0..i64::MAX, 0..20),
    ) {
        prop_assert!(cipher.encode_all(&numbers).is_ok());
        numbers.push(-1);
        prop_assert_eq!(cipher.encode_all(&numbers), cipher.encode(&-1).map(|id| vec![id]));
    }

    #[test]
    fn an_unrelated_public_id_is_recognised_by_no_number(
        cipher in any_cipher(),
        bits in any::<u128>(),
    ) {
        let uuid = Uuid::from_u128(bits);
        prop_assert!(cipher.decode::<u64>(PublicId::from_uuid(uuid)).is_err());
        prop_assert!(cipher.decode::<i64>(PublicId::from_uuid(uuid)).is_err());
        prop_assert!(cipher.decode::<DistributedId>(PublicId::from_uuid(uuid)).is_err());
        prop_assert!(cipher.decode::<u128>(PublicId::from_uuid(uuid)).is_ok());
    }

    #[test]
    fn every_text_form_is_read_back(bits in any_value()) {
        let public_id = PublicId::<u64>::from_uuid(Uuid::from_u128(bits));
        for encoding in Encoding::ALL {
            let text = public_id.encode(encoding);
            prop_assert_eq!(PublicId::decode(encoding, &text)?, public_id);
            // Decimal text may have as many digits as another form has characters.
            if encoding != Encoding::Decimal {
                prop_assert_eq!(text.parse(), Ok(public_id));
            }
        }
    }

    #[test]
    fn no_text_is_read_as_two_public_ids(
        text in "[0-9A-Za-z]{22}|[0-9A-Fa-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ) {
        let forms = [Encoding::Uuid, Encoding::Alphanumeric, Encoding::Hexadecimal];
        let decoded = forms.iter().filter_map(|form| PublicId::decode(*form, &text).ok());
        let decoded: Vec<PublicId<u64>> = decoded.collect();
        let parsed: Vec<PublicId<u64>> = text.parse().into_iter().collect();
        prop_assert_eq!(parsed, decoded);
    }
}

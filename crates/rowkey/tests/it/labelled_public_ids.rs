//! Public ids with labels: against vectors of another implementation, and what they promise.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::vectors::{hex, section, text};
use aes_siv::KeyInit;
use aes_siv::siv::Aes128Siv;
use proptest::prelude::*;
use rowkey::error::ErrorKind;
use rowkey::public_id::{
    LabelledCipher, PublicId, PublicIdCipher, PublicIdLabel, PublicIdSecret, PublicIdSecrets,
    PublicIdValue, SealedCipher, SealedId,
};
use rowkey::text::base62;
use rowkey::{AnyUuid, DistributedId, Error};
use serde_json::Value;
use uuid::Uuid;

const CASES: usize = 99;

fn secrets(bytes: [u8; 32]) -> PublicIdSecrets {
    PublicIdSecrets::new(PublicIdSecret::from_bytes(&bytes).unwrap())
}

fn problem<T: Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

const NO_KEY: &str = "no cipher key was given";

fn secret_length(found: usize) -> String {
    format!("a secret for public ids has 32 bytes, this one has {found}")
}

#[test]
fn both_forms_are_as_in_the_vectors() {
    fn check<T>(case: &Value)
    where
        T: PublicIdValue + FromStr<Err: Debug> + Display + Debug + PartialEq,
    {
        let secret = PublicIdSecret::from_base64(text(case, "secret_base64")).unwrap();
        let secrets = PublicIdSecrets::from(secret);
        let label = text(case, "label");
        let value: T = text(case, "value").parse().unwrap();

        let cipher = secrets.cipher_for::<T>(label).unwrap();
        let public_id = cipher.encode(&value).unwrap();
        assert_eq!(public_id.to_string(), text(case, "public_id"), "{case}");
        assert_eq!(cipher.decode(public_id).as_ref(), Ok(&value), "{case}");

        let cipher = secrets.sealed_cipher_for::<T>(label).unwrap();
        let sealed = cipher.encode(&value).unwrap();
        assert_eq!(sealed.to_bytes(), hex::<32>(case, "sealed_hex"), "{case}");
        assert_eq!(sealed.to_string(), text(case, "sealed"), "{case}");
        let read: SealedId<T> = text(case, "sealed").parse().unwrap();
        assert_eq!(cipher.decode(read), Ok(value), "{case}");
    }
    for case in section("labelled_public_ids.json", "encode", CASES) {
        match text(&case, "type") {
            "u64" => check::<u64>(&case),
            "i64" => check::<i64>(&case),
            "decimal28" => check::<DistributedId>(&case),
            "u128" => check::<u128>(&case),
            "uuid" => check::<Uuid>(&case),
            other => panic!("a case of unknown type {other}"),
        }
    }
}

/// RFC 5297, appendix A.1: the library does what its name says.
#[test]
fn aes_siv_is_that_of_the_rfc() {
    let key: [u8; 32] = std::array::from_fn(|index| match index as u8 {
        index @ 0..16 => 0xff - index,
        index => 0xf0 + (index - 16),
    });
    let associated_data: [u8; 24] = std::array::from_fn(|index| 0x10 + index as u8);
    let plaintext = 0x1122_3344_5566_7788_99aa_bbcc_ddee_u128.to_be_bytes();
    let mut text: [u8; 14] = plaintext[2..].try_into().unwrap();
    let iv = Aes128Siv::new(&key.into())
        .encrypt_inout_detached([associated_data], (&mut text[..]).into())
        .unwrap();
    let expected = 0x8563_2d07_c6e8_f37f_950a_cd32_0a2e_cc93_u128;
    assert_eq!(iv, expected.to_be_bytes());
    assert_eq!(
        text,
        0x40c0_2b96_90c4_dc04_daef_7f6a_fe5c_u128.to_be_bytes()[2..]
    );
}

/// A key of this test, as `#[entity_key(public_id = "order")]` declares one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OrderNumber(u64);

impl PublicIdValue for OrderNumber {
    const TYPE: &'static str = "OrderNumber";

    fn to_block(&self) -> Result<u128, Error> {
        self.0.to_block()
    }

    fn from_block(block: u128) -> Option<Self> {
        u64::from_block(block).map(Self)
    }
}

impl PublicIdLabel for OrderNumber {
    const LABEL: &'static str = "order";
}

#[test]
fn a_declared_label_is_the_same_as_a_named_one() {
    let secrets = secrets([3; 32]);
    let order = OrderNumber(42);
    let declared = secrets.cipher::<OrderNumber>();
    let named = secrets.cipher_for::<OrderNumber>("order").unwrap();
    assert_eq!(declared.label(), "order");
    assert_eq!(declared.encode(&order), named.encode(&order));
    let declared = secrets.sealed_cipher::<OrderNumber>();
    let named = secrets.sealed_cipher_for::<OrderNumber>("order").unwrap();
    assert_eq!(declared.label(), "order");
    assert_eq!(declared.encode(&order), named.encode(&order));
}

#[test]
fn a_public_id_of_another_entity_is_refused_by_name() {
    let secrets = secrets([3; 32]);
    let order = secrets.cipher::<OrderNumber>().encode(&OrderNumber(42));
    let as_invoice = PublicId::<u64>::from_uuid(order.unwrap().as_uuid());
    let invoices = secrets.cipher_for::<u64>("invoice").unwrap();
    let refusal = "not a public id of type u64 with the label `invoice` under any of the secrets: \
                   made up, changed, or made for another label or with another secret";
    assert_eq!(problem(invoices.decode(as_invoice)), refusal);

    let order = secrets
        .sealed_cipher::<OrderNumber>()
        .encode(&OrderNumber(42));
    let as_invoice = SealedId::<u64>::from_bytes(order.unwrap().to_bytes());
    let invoices = secrets.sealed_cipher_for::<u64>("invoice").unwrap();
    assert_eq!(problem(invoices.decode(as_invoice)), refusal);
}

/// What one key for all types allows, and a label does not: a client chooses 128 bits that are the
/// block of another type's value.
#[test]
fn chosen_values_of_one_entity_are_no_ids_of_another() {
    let five = u64::to_block(&5).unwrap();
    let chosen = AnyUuid::from_block(five).unwrap();

    let one_key = PublicIdCipher::from_key(&[3; 32]).unwrap();
    let forged = one_key.encode(&chosen).unwrap().as_uuid();
    assert_eq!(one_key.decode(PublicId::from_uuid(forged)), Ok(5_u64));

    let secrets = secrets([3; 32]);
    let forged = secrets
        .cipher_for::<AnyUuid>("attachment")
        .unwrap()
        .encode(&chosen);
    let forged = PublicId::<u64>::from_uuid(forged.unwrap().as_uuid());
    assert!(
        secrets
            .cipher_for::<u64>("order")
            .unwrap()
            .decode(forged)
            .is_err()
    );
}

#[test]
fn every_changed_bit_of_a_sealed_id_is_noticed() {
    let cipher = secrets([3; 32])
        .sealed_cipher_for::<AnyUuid>("customer")
        .unwrap();
    let id = AnyUuid::try_from(7_u128).unwrap();
    let sealed = cipher.encode(&id).unwrap();
    for bit in 0..256 {
        let mut bytes = sealed.to_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(cipher.decode(SealedId::from_bytes(bytes)).is_err(), "{bit}");
    }
}

#[test]
fn labels_have_subkeys_of_their_own_in_each_form() {
    let secrets = secrets([9; 32]);
    let labels = [
        "a", "b", "ab", "order", "orders", "order.a", "order-a", "order_a",
    ];
    let mut seen = BTreeSet::new();
    for label in labels {
        let id = secrets
            .cipher_for::<u64>(label)
            .unwrap()
            .encode(&1)
            .unwrap();
        assert!(seen.insert(id.as_uuid().into_bytes()), "{label}");
        let id = secrets.sealed_cipher_for::<u64>(label).unwrap().encode(&1);
        let id = id.unwrap().to_bytes();
        for half in id.chunks_exact(16) {
            assert!(seen.insert(half.try_into().unwrap()), "{label}");
        }
    }
}

#[test]
fn labels_are_plain_words() {
    let secrets = secrets([9; 32]);
    let longest = "x".repeat(64);
    for label in ["a", "order", "com.acme.order-2_b", &longest] {
        assert!(secrets.cipher_for::<u64>(label).is_ok(), "{label}");
        assert!(secrets.sealed_cipher_for::<u64>(label).is_ok(), "{label}");
    }
    let too_long = "x".repeat(65);
    let refused = [
        ("", "empty"),
        ("Order", "begins with a lower-case"),
        ("1st", "begins with a lower-case"),
        ("-order", "begins with a lower-case"),
        ("ordeR", "only lower-case"),
        ("order ", "only lower-case"),
        ("bestellung\u{e4}", "only lower-case"),
        ("a/b", "only lower-case"),
        (&too_long, "at most 64"),
    ];
    for (label, reason) in refused {
        let refusals = [
            problem(secrets.cipher_for::<u64>(label)),
            problem(secrets.sealed_cipher_for::<u64>(label)),
        ];
        for refusal in refusals {
            assert!(refusal.contains(reason), "{label}: {refusal}");
        }
    }
}

#[test]
fn secrets_have_32_bytes_and_stay_inside() {
    for length in [0, 16, 24, 31, 33, 64] {
        assert_eq!(
            problem(PublicIdSecret::from_bytes(&vec![7; length])),
            secret_length(length)
        );
    }
    assert_eq!(problem(PublicIdSecret::from_base64(" \n")), NO_KEY);
    assert_eq!(
        problem(PublicIdSecret::from_base64("AAAAAAAAAAAAAAAAAAAAAA==")),
        secret_length(16)
    );
    assert_eq!(problem(PublicIdSecrets::newest_first([])), NO_KEY);

    let base64 = "k7fBDJcQam02hsByaOWPeP2CqeDeGXvrPUkEAQBtAFc=";
    let with_line_feed = format!("{base64}\n");
    let from_line = PublicIdSecrets::from(PublicIdSecret::from_base64(&with_line_feed).unwrap());
    let from_text = PublicIdSecrets::from(PublicIdSecret::from_base64(base64).unwrap());
    let encode =
        |secrets: &PublicIdSecrets| secrets.cipher::<OrderNumber>().encode(&OrderNumber(1));
    assert_eq!(encode(&from_line), encode(&from_text));
    assert_eq!(
        problem(PublicIdSecret::from_env("ROWKEY_TEST_NO_SUCH_KEY")),
        NO_KEY
    );

    let secret = PublicIdSecret::from_base64(base64).unwrap();
    assert_eq!(format!("{secret:?}"), "PublicIdSecret(redacted)");
    let cipher = from_text.cipher::<OrderNumber>();
    assert_eq!(format!("{cipher:?}"), "LabelledCipher(order, redacted)");
    let cipher = from_text.sealed_cipher::<OrderNumber>();
    assert_eq!(format!("{cipher:?}"), "SealedCipher(order, redacted)");

    fn is_shareable<T: Send + Sync + 'static>() {}
    is_shareable::<PublicIdSecrets>();
    is_shareable::<LabelledCipher<OrderNumber>>();
    is_shareable::<SealedCipher<OrderNumber>>();
}

#[test]
fn rotation_knows_older_secrets_in_both_forms() {
    let secret = |byte| PublicIdSecret::from_bytes(&[byte; 32]).unwrap();
    let older = PublicIdSecrets::new(secret(1));
    let rotated = PublicIdSecrets::newest_first([secret(2), secret(1)]).unwrap();
    let newer = PublicIdSecrets::new(secret(2)).with_older(secret(1));

    let given_out = older
        .cipher_for::<u64>("order")
        .unwrap()
        .encode(&42)
        .unwrap();
    let sealed = older.sealed_cipher_for::<AnyUuid>("file").unwrap();
    let file = AnyUuid::try_from(42_u128).unwrap();
    let sealed_given_out = sealed.encode(&file).unwrap();
    for secrets in [&rotated, &newer] {
        let orders = secrets.cipher_for::<u64>("order").unwrap();
        assert_eq!(orders.decode(given_out), Ok(42));
        let id = orders.encode(&42).unwrap();
        assert_ne!(id, given_out);
        assert_eq!(orders.decode(id), Ok(42));

        // No value of the type is mistaken, although all 128 bits are one.
        let files = secrets.sealed_cipher_for::<AnyUuid>("file").unwrap();
        assert_eq!(files.decode(sealed_given_out), Ok(file));
        let id = files.encode(&file).unwrap();
        assert_ne!(id, sealed_given_out);
        assert_eq!(files.decode(id), Ok(file));
    }
    let ended = PublicIdSecrets::new(secret(2));
    assert!(
        ended
            .cipher_for::<u64>("order")
            .unwrap()
            .decode(given_out)
            .is_err()
    );
    let files = ended.sealed_cipher_for::<AnyUuid>("file").unwrap();
    assert!(files.decode(sealed_given_out).is_err());
}

#[test]
fn public_ids_from_before_there_were_labels_go_on() {
    let one_key = || PublicIdCipher::from_key(&[1; 16]).unwrap();
    let given_out = one_key().encode(&42_u64).unwrap();
    let before = secrets([2; 32]);
    assert!(
        before
            .cipher_for::<u64>("order")
            .unwrap()
            .decode(given_out)
            .is_err()
    );

    let secrets = before.with_legacy(one_key());
    let orders = secrets.cipher_for::<u64>("order").unwrap();
    assert_eq!(orders.decode(given_out), Ok(42));
    let id = orders.encode(&42).unwrap();
    assert_ne!(id, given_out);
    assert_eq!(orders.decode(id), Ok(42));
    assert!(
        secrets
            .cipher_for::<u64>("invoice")
            .unwrap()
            .decode(id)
            .is_err()
    );
}

#[test]
fn a_negative_number_has_no_public_id() {
    let secrets = secrets([2; 32]);
    assert!(
        secrets
            .cipher_for::<i64>("order")
            .unwrap()
            .encode(&-1)
            .is_err()
    );
    assert!(
        secrets
            .sealed_cipher_for::<i64>("order")
            .unwrap()
            .encode(&-1)
            .is_err()
    );
}

#[test]
fn the_text_of_a_sealed_id_is_read_as_it_is_written() {
    let id = SealedId::<u64>::from_bytes([0xff; 32]);
    let text = "LygHa16AHYFLygHa16AHYFLygHa16AHYFLygHa16AHYF";
    assert_eq!(id.to_string(), text);
    assert_eq!(format!("{id:?}"), format!("SealedId({text})"));
    assert_eq!(format!("{id:>46}"), format!("  {text}"));
    assert_eq!(text.parse(), Ok(id));
    assert!(SealedId::<u64>::from_bytes([0; 32]) < id);

    let refusal = |text: &str| {
        let error = text.parse::<SealedId<u64>>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Text);
        let message = error.to_string();
        assert!(message.starts_with("expected 44 alphanumeric"), "{message}");
        message.split_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(refusal(""), "the text is empty");
    assert_eq!(refusal(&text[1..]), "found 43 characters");
    assert_eq!(refusal(&format!("{}-", &text[..43])), "'-' at position 43");
    assert_eq!(
        refusal(&format!("\u{141}{}", &text[2..])),
        "'\u{141}' at position 0"
    );
    for block in 0..4 {
        let mut text = text.as_bytes().to_vec();
        text[11 * block + 10] = b'G';
        let text = String::from_utf8(text).unwrap();
        let position = 11 * block;
        assert_eq!(
            refusal(&text),
            format!("the number starting at position {position} is out of range")
        );
    }
}

#[cfg(feature = "serde")]
#[test]
fn sealed_ids_are_text_in_json() {
    let id = SealedId::<u64>::from_bytes([7; 32]);
    let json = serde_json::to_value(id).unwrap();
    assert_eq!(json, Value::from(id.to_string()));
    assert_eq!(serde_json::from_value::<SealedId<u64>>(json).unwrap(), id);
    let error = serde_json::from_str::<SealedId<u64>>("5").unwrap_err();
    assert!(
        error.to_string().contains("a sealed id as a string"),
        "{error}"
    );
}

proptest! {
    #[test]
    fn decode_undoes_encode(secret: [u8; 32], value: u128, label in "[a-z][a-z0-9._-]{0,63}") {
        let secrets = secrets(secret);
        let cipher = secrets.cipher_for::<u128>(&label)?;
        prop_assert_eq!(cipher.decode(cipher.encode(&value)?)?, value);
        let cipher = secrets.sealed_cipher_for::<u128>(&label)?;
        prop_assert_eq!(cipher.decode(cipher.encode(&value)?)?, value);
    }

    #[test]
    fn a_list_is_encoded_and_decoded_as_each_of_it(
        newest: [u8; 32],
        older: [u8; 32],
        values in prop::collection::vec(any::<u64>(), 0..40),
        unrelated: u128,
    ) {
        let legacy = || PublicIdCipher::from_key(&[3; 32]);
        let rotated = [PublicIdSecret::from_bytes(&newest)?, PublicIdSecret::from_bytes(&older)?];
        let rotated = PublicIdSecrets::newest_first(rotated)?.with_legacy(legacy()?);
        let cipher = rotated.cipher_for::<u64>("order")?;
        let mut public_ids = cipher.encode_all(&values)?;
        let each: Result<Vec<_>, Error> = values.iter().map(|value| cipher.encode(value)).collect();
        prop_assert_eq!(&public_ids, &each?);
        public_ids.push(PublicId::from_uuid(Uuid::from_u128(unrelated)));
        public_ids.extend(secrets(older).cipher_for::<u64>("order")?.encode_all(&values)?);
        public_ids.extend(legacy()?.encode_all(&values)?);

        let each: Vec<_> = public_ids.iter().map(|id| cipher.decode(*id)).collect();
        prop_assert!(each.iter().filter(|value| value.is_ok()).count() >= 3 * values.len());
        prop_assert_eq!(cipher.decode_all(&public_ids).collect::<Vec<_>>(), each);
    }

    #[test]
    fn made_up_sealed_ids_are_refused(secret: [u8; 32], bytes: [u8; 32]) {
        let cipher = secrets(secret).sealed_cipher_for::<u128>("order")?;
        prop_assert!(cipher.decode(SealedId::from_bytes(bytes)).is_err());
    }

    #[test]
    fn blocks_of_32_bytes_have_one_text_in_the_order_of_the_bytes(a: [u8; 32], b: [u8; 32]) {
        let [text_a, text_b] = [a, b].map(|bytes| base62::encode_32_bytes(&bytes));
        prop_assert_eq!(base62::decode_32_bytes(text_a)?, a);
        prop_assert_eq!(text_a.cmp(&text_b), a.cmp(&b));
    }
}

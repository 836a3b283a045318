//! Keys in serde: text in human-readable formats, sixteen bytes in binary ones.

use std::collections::BTreeMap;

#[cfg(feature = "public-id")]
use rowkey::public_id::{PublicId, PublicIdCipher};
use rowkey::{DistributedId, ShortPrefixComb, UuidV7, entity_key};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[entity_key]
struct OfferId(ShortPrefixComb);

#[entity_key]
struct NumberId(DistributedId);

#[entity_key(prefix = "inv")]
struct InvoiceId(DistributedId);

const OFFER: OfferId = OfferId::constant(0x0001_0000_0000_4000_8000_0000_0000_0001);
const NUMBER: u128 = 1_088_824_355_131_185_736_905_670_087;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Offer {
    id: OfferId,
    invoice: Option<InvoiceId>,
    lines: Vec<NumberId>,
}

fn offer() -> Offer {
    Offer {
        id: OFFER,
        invoice: Some(InvoiceId::constant(NUMBER)),
        lines: vec![NumberId::constant(0), NumberId::constant(NUMBER)],
    }
}

fn json_error<T: DeserializeOwned>(value: serde_json::Value) -> String {
    match serde_json::from_value::<T>(value) {
        Ok(_) => panic!("not refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn json_has_the_public_text() {
    let expected = json!({
        "id": "00010000-0000-4000-8000-000000000001",
        "invoice": "inv_3zfAkCP7ZtzfeQYp",
        "lines": ["0", "1088824355131185736905670087"],
    });
    assert_eq!(serde_json::to_value(offer()).unwrap(), expected);
    assert_eq!(serde_json::from_value::<Offer>(expected).unwrap(), offer());

    // From a reader, there is no text to borrow.
    let text = serde_json::to_string(&offer()).unwrap();
    assert_eq!(
        serde_json::from_reader::<_, Offer>(text.as_bytes()).unwrap(),
        offer()
    );
    assert_eq!(serde_json::from_str::<Offer>(&text).unwrap(), offer());
}

#[test]
fn escapes_in_json_are_decoded() {
    let escaped = r#""\u0030001\u00300000000400080000000\u00300000001""#;
    assert!(serde_json::from_str::<OfferId>(escaped).is_err());
    let escaped = r#""\u0030001000\u0030-0000-4000-8000-000000000001""#;
    assert_eq!(serde_json::from_str::<OfferId>(escaped).unwrap(), OFFER);
}

#[test]
fn a_json_number_is_refused_with_advice() {
    assert_eq!(
        json_error::<NumberId>(json!(7)),
        "invalid type: integer `7`, expected NumberId as a string"
    );
    assert_eq!(
        json_error::<DistributedId>(json!(1.5)),
        "invalid type: floating point `1.5`, expected DistributedId as a string"
    );
    let large = serde_json::from_str::<NumberId>("1088824355131185736905670087").unwrap_err();
    assert!(
        large.to_string().contains("expected NumberId as a string"),
        "{large}"
    );
    assert_eq!(
        json_error::<OfferId>(json!(null)),
        "invalid type: null, expected OfferId as a string"
    );
}

#[test]
fn wrong_text_is_refused_with_the_parse_error() {
    assert_eq!(
        json_error::<InvoiceId>(json!("cus_3zfAkCP7ZtzfeQYp")),
        "InvoiceId begins with `inv_`, but the text begins with `cus_`"
    );
    let message = json_error::<OfferId>(json!("0001"));
    assert!(message.contains("found 4 characters"), "{message}");
    let message = json_error::<OfferId>(json!("00010000-0000-7000-8000-000000000001"));
    assert!(
        message.starts_with("not a ShortPrefixComb: the version"),
        "{message}"
    );
}

#[test]
fn keys_are_map_keys() {
    let totals = BTreeMap::from([(OFFER, 1), (OfferId::generate(), 2)]);
    let text = serde_json::to_string(&totals).unwrap();
    assert!(text.starts_with(r#"{"0"#) || text.contains("00010000-0000-4000-8000-000000000001"));
    assert_eq!(
        serde_json::from_str::<BTreeMap<OfferId, u32>>(&text).unwrap(),
        totals
    );

    let numbers = BTreeMap::from([(NumberId::constant(NUMBER), ())]);
    let text = serde_json::to_string(&numbers).unwrap();
    assert_eq!(text, r#"{"1088824355131185736905670087":null}"#);
    assert_eq!(
        serde_json::from_str::<BTreeMap<NumberId, ()>>(&text).unwrap(),
        numbers
    );
}

#[test]
fn binary_formats_have_sixteen_bytes_in_public_order() {
    let bytes = postcard::to_stdvec(&OFFER).unwrap();
    let mut expected = vec![16];
    expected.extend(OFFER.to_u128().to_be_bytes());
    assert_eq!(bytes, expected);
    assert_eq!(postcard::from_bytes::<OfferId>(&bytes).unwrap(), OFFER);

    // Only text has the prefix.
    let invoice = InvoiceId::constant(NUMBER);
    let bytes = postcard::to_stdvec(&invoice).unwrap();
    assert_eq!(bytes[1..], NUMBER.to_be_bytes());
    assert_eq!(postcard::from_bytes::<InvoiceId>(&bytes).unwrap(), invoice);

    let bytes = postcard::to_stdvec(&offer()).unwrap();
    assert_eq!(postcard::from_bytes::<Offer>(&bytes).unwrap(), offer());
}

/// `value` in CBOR, read back as a `T`.
fn through_cbor<T: DeserializeOwned>(value: impl Serialize) -> Result<T, String> {
    let mut bytes = Vec::new();
    ciborium::into_writer(&value, &mut bytes).unwrap();
    ciborium::from_reader(bytes.as_slice()).map_err(|error| error.to_string())
}

#[test]
fn cbor_writes_bytes_and_also_reads_sequences_of_numbers() {
    let mut bytes = Vec::new();
    ciborium::into_writer(&OFFER, &mut bytes).unwrap();
    assert_eq!(bytes[0], 0x50, "a byte string of sixteen bytes");
    assert_eq!(through_cbor(OFFER), Ok(OFFER));

    let numbers = OFFER.to_u128().to_be_bytes();
    assert_eq!(through_cbor(numbers), Ok(OFFER));
    assert!(
        through_cbor::<OfferId>([0_u8; 16])
            .unwrap_err()
            .contains("not a ShortPrefixComb")
    );
    for wrong in [&numbers[..15], &[&numbers[..], &[0]].concat()] {
        let error = through_cbor::<OfferId>(wrong).unwrap_err();
        assert!(
            error.contains("expected the 16 bytes of OfferId"),
            "{error}"
        );
    }
    assert!(through_cbor::<OfferId>(OFFER.to_string()).is_err());
}

#[test]
fn flattened_structs_are_read_from_binary_formats() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Page {
        next: u32,
        #[serde(flatten)]
        offer: Offer,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u32),
        Id(OfferId),
    }

    let page = Page {
        next: 2,
        offer: offer(),
    };
    let json = serde_json::to_string(&page).unwrap();
    assert_eq!(serde_json::from_str::<Page>(&json).unwrap(), page);
    assert_eq!(through_cbor(Either::Id(OFFER)), Ok(Either::Id(OFFER)));
    assert_eq!(through_cbor(&page), Ok(page));
}

#[test]
fn formats_serialize_like_keys() {
    let format = UuidV7::constant(0x0000_0000_0000_7000_8000_0000_0000_0001);
    assert_eq!(
        serde_json::to_value(format).unwrap(),
        json!("00000000-0000-7000-8000-000000000001")
    );
    assert_eq!(through_cbor(format), Ok(format));
    assert_eq!(
        json_error::<ShortPrefixComb<1_000>>(json!([])),
        "invalid type: sequence, expected ShortPrefixComb as a string"
    );
}

#[cfg(feature = "public-id")]
#[test]
fn public_ids_serialize_like_keys() {
    let cipher = PublicIdCipher::from_key(&[1; 16]).unwrap();
    let public_id: PublicId<OfferId> = cipher.encode(&OFFER).unwrap();
    let value = serde_json::to_value(public_id).unwrap();
    assert_eq!(value, json!(public_id.to_string()));
    let short = json!(
        public_id
            .encode(rowkey::text::Encoding::Alphanumeric)
            .as_str()
    );
    assert_eq!(
        serde_json::from_value::<PublicId<OfferId>>(short).unwrap(),
        public_id
    );
    assert_eq!(
        serde_json::from_value::<PublicId<OfferId>>(value).unwrap(),
        public_id
    );
    assert_eq!(through_cbor(public_id), Ok(public_id));
}

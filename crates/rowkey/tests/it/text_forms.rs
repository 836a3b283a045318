//! The public text that keys declare.

use std::fmt::Debug;

use proptest::prelude::*;
use rowkey::format::Format;
use rowkey::text::{Encoding, Width};
use rowkey::{
    AnyUuid, Backend, DistributedId, DistributedId128, EntityKey, Luuid, UuidV7, entity_key,
    key_union,
};

/// The keys of a module have the same names and formats, and one text.
macro_rules! keys {
    ($module:ident $(, text = $text:literal)?) => {
        mod $module {
            use rowkey::{AnyUuid, DistributedId, DistributedId128, Luuid, UuidV7, entity_key};

            #[entity_key($(text = $text)?)]
            pub struct InvoiceId(DistributedId);

            #[entity_key($(text = $text)?)]
            pub struct ReceiptId(DistributedId128);

            #[entity_key($(text = $text)?)]
            pub struct VisitId(UuidV7);

            #[entity_key($(text = $text)?)]
            pub struct LegacyId(AnyUuid);

            #[entity_key(group = "com.acme.Customer" $(, text = $text)?)]
            pub struct CustomerId(Luuid);
        }
    };
}

keys!(plain);
keys!(alphanumeric, text = "alphanumeric");
keys!(hexadecimal, text = "hexadecimal");
keys!(decimal, text = "decimal");

/// A key with a text, and the one without that is equal otherwise.
fn check<K: EntityKey, P: EntityKey<Format = K::Format>>(
    text_of: Encoding,
    length: Option<usize>,
    bits: [u128; 2],
) -> Result<(), TestCaseError> {
    let [a, b] = bits.map(|bits| K::try_from(bits).expect("the bits of an id"));
    prop_assert_eq!(K::TEXT, text_of);
    let text = a.into_format().encode(text_of);
    prop_assert_eq!(a.to_string(), text.as_str());
    prop_assert_eq!(a.to_string().parse::<K>(), Ok(a));
    if let Some(length) = length {
        prop_assert_eq!(a.to_string().len(), length);
        prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
    }
    // The text of a key without the option is another one, and no column depends on either.
    let plain = P::try_from(a.to_u128()).expect("the same bits");
    if P::TEXT != K::TEXT {
        prop_assert!(plain.to_string().parse::<K>().is_err(), "{plain}");
    }
    prop_assert_eq!(K::PLAN, P::PLAN);
    for backend in Backend::ALL {
        let column = K::PLAN.column(backend);
        prop_assert_eq!(
            column.encode(a.to_u128()),
            P::PLAN.column(backend).encode(a.to_u128())
        );
    }
    Ok(())
}

/// Luuids of a group.
fn luuid(bits: u128) -> u128 {
    let group = plain::CustomerId::GROUP.expect("a key over Luuid").get();
    bits & !(0xffff << 64) & !(0xf << 76) & !(0xf << 60)
        | 6 << 76
        | u128::from(group) << 64
        | 0xa << 60
}

fn version_7(bits: u128) -> u128 {
    bits & !(0xf << 76) & !(0b11 << 62) | 7 << 76 | 0b10 << 62
}

proptest! {
    #[test]
    fn a_key_comes_back_from_its_text_in_order(bits: [u128; 2]) {
        let number = bits.map(|bits| bits % 10_u128.pow(28));
        let small = bits.map(|bits| bits % 10_u128.pow(38));
        let (visits, customers) = (bits.map(version_7), bits.map(luuid));
        macro_rules! check_all {
            ($module:ident, $encoding:expr, $short:expr, $long:expr) => {
                check::<$module::InvoiceId, plain::InvoiceId>($encoding, $short, number)?;
                check::<$module::ReceiptId, plain::ReceiptId>($encoding, $long, small)?;
                check::<$module::VisitId, plain::VisitId>($encoding, $long, visits)?;
                check::<$module::LegacyId, plain::LegacyId>($encoding, $long, bits)?;
                check::<$module::CustomerId, plain::CustomerId>($encoding, $long, customers)?;
            };
        }
        check_all!(alphanumeric, Encoding::Alphanumeric, Some(16), Some(22));
        check_all!(hexadecimal, Encoding::Hexadecimal, Some(26), Some(32));
        check_all!(decimal, Encoding::Decimal, None, None);
    }
}

#[test]
fn the_text_of_a_distributed_id_is_short() {
    let invoice = alphanumeric::InvoiceId::constant(1_088_824_355_131_185_736_905_670_087);
    assert_eq!(invoice.to_string(), "3zfAkCP7ZtzfeQYp");
    assert_eq!(format!("{invoice:>18}"), "  3zfAkCP7ZtzfeQYp");
    assert_eq!(format!("{invoice:?}"), "InvoiceId(3zfAkCP7ZtzfeQYp)");
    assert_eq!("3zfAkCP7ZtzfeQYp".parse(), Ok(invoice));
    let of_number = "1088824355131185736905670087".parse::<alphanumeric::InvoiceId>();
    let of_number = of_number.unwrap_err().to_string();
    assert!(of_number.ends_with(": found 28 characters"), "{of_number}");
    let lower = "000384a786907db2ad82883dc7".parse::<hexadecimal::InvoiceId>();
    assert_eq!(
        lower.expect("either case is read").to_string(),
        "000384A786907DB2AD82883DC7"
    );
    // The number of the original order, out of the format's range.
    let error = "zzzzzzzzzzzzzzzz".parse::<alphanumeric::InvoiceId>();
    assert!(error.is_err());
}

#[test]
fn keys_without_the_option_have_the_text_of_their_format() {
    assert_eq!(plain::InvoiceId::TEXT, Encoding::Decimal);
    assert_eq!(plain::VisitId::TEXT, Encoding::Uuid);
    assert_eq!(decimal::InvoiceId::TEXT, plain::InvoiceId::TEXT);
}

#[test]
fn json_has_the_text_and_binary_formats_have_the_bytes() {
    let invoice = alphanumeric::InvoiceId::constant(1_088_824_355_131_185_736_905_670_087);
    let json = serde_json::to_string(&invoice).unwrap();
    assert_eq!(json, "\"3zfAkCP7ZtzfeQYp\"");
    assert_eq!(
        serde_json::from_str::<alphanumeric::InvoiceId>(&json).unwrap(),
        invoice
    );
    let bytes = postcard::to_allocvec(&invoice).unwrap();
    let plain = plain::InvoiceId::constant(invoice.to_u128());
    assert_eq!(bytes, postcard::to_allocvec(&plain).unwrap());
    assert_eq!(
        postcard::from_bytes::<alphanumeric::InvoiceId>(&bytes),
        Ok(invoice)
    );
}

#[entity_key(group = "com.acme.Order", text = "alphanumeric")]
struct OrderId(Luuid);

#[entity_key(group = "com.acme.Item", text = "hexadecimal")]
struct ItemId(Luuid);

#[entity_key(group = "com.acme.Carrier", prefix = "car")]
struct CarrierId(Luuid);

#[entity_key(group = "com.acme.Label")]
struct LabelId(Luuid);

#[key_union]
enum AnyId {
    Carrier(CarrierId),
    Item(ItemId),
    Label(LabelId),
    Order(OrderId),
}

fn check_union<K: EntityKey<Format = Luuid> + Into<AnyId>>(
    bits: u128,
) -> Result<(), TestCaseError> {
    let group = u128::from(K::GROUP.expect("a key over Luuid").get());
    let key = K::try_from(luuid(bits) & !(0xfff << 64) | group << 64).expect("an id of the group");
    let any: AnyId = key.into();
    prop_assert_eq!(any.to_string(), key.to_string());
    prop_assert_eq!(key.to_string().parse(), Ok(any));
    prop_assert_eq!(key.to_uuid().to_string().parse(), Ok(any));
    // In the text of another key it is none.
    for encoding in [
        Encoding::Alphanumeric,
        Encoding::Hexadecimal,
        Encoding::Decimal,
    ] {
        let text = Width::U128
            .encode(encoding, key.to_u128())
            .expect("any 128 bits");
        let is_its_own = K::PREFIX.is_none() && encoding == K::TEXT;
        prop_assert_eq!(text.parse::<AnyId>().is_ok(), is_its_own, "{}", text);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_union_reads_the_text_of_each_key(bits: u128) {
        check_union::<CarrierId>(bits)?;
        check_union::<ItemId>(bits)?;
        check_union::<LabelId>(bits)?;
        check_union::<OrderId>(bits)?;
    }
}

#[test]
fn a_union_says_what_is_wrong_with_a_text() {
    let wrong = |text: &str| text.parse::<AnyId>().unwrap_err().to_string();
    assert_eq!(
        wrong(""),
        "expected 32 hexadecimal characters (0-9, A-F, a-f): the text is empty"
    );
    assert!(
        wrong("00000023-122e-6aa1-a789").contains("UUID"),
        "{}",
        wrong("00000023-122e")
    );
    let foreign = Luuid::try_from(luuid(7)).unwrap();
    let text = foreign.encode(Encoding::Alphanumeric);
    assert!(
        wrong(&text).starts_with("no key has the group"),
        "{}",
        wrong(&text)
    );
}

/// Formats are not affected.
#[test]
fn formats_keep_their_text() {
    fn text<F: Debug + std::fmt::Display>(id: F) -> String {
        id.to_string()
    }
    let number = 1_088_824_355_131_185_736_905_670_087;
    assert_eq!(text(DistributedId::constant(number)), number.to_string());
    let uuid = "00000000-0384-a786-907d-b2ad82883dc7";
    assert_eq!(text(DistributedId128::constant(number)), uuid);
    assert_eq!(text(AnyUuid::constant(number)), uuid);
    assert_eq!(text(UuidV7::constant(version_7(number))).len(), 36);
}

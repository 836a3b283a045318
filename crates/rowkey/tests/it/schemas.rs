//! JSON Schema and OpenAPI: one named schema per key, with a pattern for its text.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;
use regex::Regex;
use rowkey::luuid::ShortKey;
use rowkey::public_id::{PublicId, SealedId};
use rowkey::text::{base62, decimal, hyphenated};
use rowkey::{
    AnyUuid, DatabaseNumber, DistributedId, DistributedId128, Error, HotGuid, Iuid, Luuid,
    PrefixComb, ShortPrefixComb, ShortSuffixComb, SuffixComb, UuidV4, UuidV7, entity_key,
    key_union,
};
use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};
use utoipa::{OpenApi, ToSchema};

#[entity_key]
struct OfferId(ShortPrefixComb);

#[entity_key]
struct NumberId(DistributedId);

#[entity_key(prefix = "inv")]
struct InvoiceId(DistributedId);

#[entity_key(prefix = "bkg")]
struct BookingId(UuidV7);

/// With a derive of a trait that keys do not implement, and the attribute that it reads.
#[entity_key]
#[derive(utoipa::IntoParams)]
#[into_params(names("id"))]
struct RouteId(UuidV7);

#[entity_key(group = "com.acme.Customer")]
struct CustomerId(Luuid);

#[entity_key(group = "com.acme.Order", prefix = "ord")]
struct OrderId(Luuid);

#[entity_key(group = "com.acme.Item", prefix = "itm")]
struct ItemId(Luuid);

#[entity_key]
struct AnythingId(AnyUuid);

#[entity_key(text = "alphanumeric")]
struct AlphanumericId(DistributedId);

#[entity_key(text = "hexadecimal")]
struct HexadecimalId(DistributedId);

#[entity_key(text = "decimal")]
struct DecimalId(DistributedId);

#[entity_key]
struct AccountNumber(DatabaseNumber);

#[entity_key(prefix = "rec")]
struct ReceiptNumber(DatabaseNumber);

#[entity_key(text = "alphanumeric")]
struct AlphanumericNumber(DatabaseNumber);

#[entity_key(text = "hexadecimal")]
struct HexadecimalNumber(DatabaseNumber);

#[entity_key(text = "hexadecimal", storage(postgres = "decimal"))]
struct SmallHexadecimalId(DistributedId128);

#[entity_key(text = "alphanumeric")]
struct AlphanumericUuid(UuidV7);

#[entity_key(text = "hexadecimal")]
struct HexadecimalUuid(UuidV7);

#[entity_key(text = "decimal")]
struct DecimalUuid(AnyUuid);

#[entity_key(group = "com.acme.Parcel", text = "hexadecimal")]
struct ParcelId(Luuid);

#[entity_key(group = "com.acme.Letter", text = "alphanumeric")]
struct LetterId(Luuid);

/// What can be sent.
#[key_union]
enum SentId {
    Parcel(ParcelId),
    Letter(LetterId),
    Order(OrderId),
}

/// Stored as 38 digits, which are too few for some ids.
///
/// Here are more lines.
#[entity_key(storage(postgres = "decimal"))]
struct SmallId(DistributedId128);

#[entity_key(prefix = "sml", storage(postgres = "decimal"))]
struct PrefixedSmallId(DistributedId128);

#[entity_key(prefix = "hot")]
struct PrefixedHotGuid(HotGuid);

#[entity_key(prefix = "com")]
struct PrefixedComb(ShortSuffixComb);

#[key_union]
enum PersonId {
    Customer(CustomerId),
}

#[key_union]
enum AnyId {
    Customer(CustomerId),
    Order(OrderId),
    Item(ItemId),
}

#[derive(JsonSchema, ToSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Offer {
    id: OfferId,
    replaces: Option<OfferId>,
    invoice: InvoiceId,
    secret: PublicId<NumberId>,
    others: Vec<PublicId<NumberId>>,
    receipt: Option<PublicId<InvoiceId>>,
    number: PublicId<u64>,
    customer: ShortKey<CustomerId>,
    order: Option<ShortKey<OrderId>>,
    about: AnyId,
    numbers: Vec<NumberId>,
}

fn json_schema<T: JsonSchema>() -> Value {
    let mut schema = schema_for!(T).to_value();
    schema.as_object_mut().unwrap().remove("$schema");
    schema
}

fn openapi_schema<T: ToSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap()
}

/// The schema of a hyphenated UUID.
fn uuid(example: &str) -> Value {
    json!({ "type": "string", "format": "uuid", "pattern": UUID, "examples": [example] })
}

const UUID: &str = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";
const UUID_V4: &str = "018e5f3b-ff48-4bff-8000-0123456789ab";
const NUMBER: &str = "1088824355131185736905670087";

fn titled(title: &str, mut schema: Value) -> Value {
    schema["title"] = json!(title);
    schema
}

/// The schema of a key over `DistributedId`.
fn digits() -> Value {
    json!({ "type": "string", "pattern": "^[0-9]{1,28}$", "examples": [NUMBER] })
}

/// The schema of a public id in any of its forms.
fn public_id() -> Value {
    json!({
        "type": "string",
        "pattern": "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32}|[0-9A-Za-z]{22})$",
        "examples": ["30322474-a954-ffa9-941c-6f038afe4ff1"],
    })
}

#[test]
fn the_schema_of_a_key_describes_its_text() {
    assert_eq!(json_schema::<OfferId>(), titled("OfferId", uuid(UUID_V4)));
    assert_eq!(json_schema::<NumberId>(), titled("NumberId", digits()));
    assert_eq!(
        json_schema::<PublicId<OfferId>>(),
        titled("PublicId", public_id())
    );

    assert_eq!(openapi_schema::<OfferId>(), uuid(UUID_V4));
    assert_eq!(openapi_schema::<ShortPrefixComb<1_000>>(), uuid(UUID_V4));
    assert_eq!(
        openapi_schema::<CustomerId>(),
        uuid("018e5f3b-ff48-6fc1-a000-0123456789ab")
    );
    assert_eq!(openapi_schema::<NumberId>(), digits());
    assert_eq!(openapi_schema::<DistributedId>(), digits());
    assert_eq!(openapi_schema::<PublicId<OfferId>>(), public_id());
    assert_eq!(
        openapi_schema::<InvoiceId>(),
        json!({
            "type": "string",
            "pattern": "^inv_[0-9A-Za-z]{16}$",
            "examples": ["inv_3zfAkCP7ZtzfeQYp"],
        })
    );
    let pattern = |schema: Value| schema["pattern"].clone();
    assert_eq!(
        pattern(openapi_schema::<BookingId>()),
        "^bkg_[0-9A-Za-z]{22}$"
    );
    assert_eq!(
        pattern(openapi_schema::<HexadecimalId>()),
        "^[0-9A-Fa-f]{26}$"
    );
    assert_eq!(pattern(openapi_schema::<AccountNumber>()), "^[0-9]{1,19}$");
}

#[test]
fn the_doc_comment_of_a_key_is_its_description() {
    let text = "Stored as 38 digits, which are too few for some ids.\n\nHere are more lines.";
    assert_eq!(openapi_schema::<SmallId>()["description"], text);
    assert_eq!(json_schema::<SmallId>()["description"], text);
    assert_eq!(
        openapi_schema::<SentId>()["description"],
        "What can be sent."
    );
    assert_eq!(openapi_schema::<OfferId>().get("description"), None);
}

#[test]
fn the_schema_of_a_sealed_id_describes_its_text() {
    let text = openapi_schema::<SealedId<OfferId>>();
    assert_eq!(text["pattern"], "^[0-9A-Za-z]{44}$");
    assert_eq!(
        json_schema::<SealedId<OfferId>>(),
        titled("SealedId", text.clone())
    );

    #[derive(OpenApi)]
    #[openapi(components(schemas(SealedId<OfferId>)))]
    struct Api;

    let api = serde_json::to_value(Api::openapi()).unwrap();
    assert_eq!(api["components"]["schemas"]["SealedId_OfferId"], text);
}

#[test]
fn the_schema_of_a_short_key_describes_its_text() {
    let hexadecimal =
        json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{1,12}$", "examples": ["23122e"] });
    assert_eq!(
        json_schema::<ShortKey<CustomerId>>(),
        titled("ShortKey_for_CustomerId", hexadecimal.clone())
    );
    assert_eq!(openapi_schema::<ShortKey<CustomerId>>(), hexadecimal);
}

#[test]
fn the_schema_of_a_union_describes_the_text_of_each_key() {
    let customer = openapi_schema::<CustomerId>();
    assert_eq!(openapi_schema::<PersonId>(), customer);
    assert_eq!(json_schema::<PersonId>(), titled("PersonId", customer));

    let schema = openapi_schema::<AnyId>();
    let uuid = UUID.trim_matches(['^', '$']);
    let pattern = format!("^({uuid}|ord_[0-9A-Za-z]{{22}}|itm_[0-9A-Za-z]{{22}})$");
    assert_eq!(schema["pattern"], pattern);
    assert_eq!(schema.get("format"), None);
    assert_eq!(json_schema::<AnyId>(), titled("AnyId", schema));
    assert_eq!(<AnyId as ToSchema>::name(), "AnyId");
}

/// Strings that match a pattern.
fn texts_of(pattern: &str) -> impl Strategy<Value = String> + use<> {
    // The generator does not support anchors.
    let pattern = pattern
        .strip_prefix('^')
        .and_then(|pattern| pattern.strip_suffix('$'));
    string_regex(pattern.unwrap()).unwrap()
}

/// A string with one character replaced, inserted or removed, or in another letter case.
fn mutated(texts: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let character = prop_oneof![
        "[0-9A-Za-z]",
        "[-_ +.g-z\n\u{0}\u{e9}\u{ff11}]",
        any::<char>().prop_map(String::from),
    ];
    let mutation = (texts, any::<Index>(), character, 0..5_u8);
    mutation.prop_map(|(text, place, new, kind)| {
        let mut characters: Vec<char> = text.chars().collect();
        let place = place.index(characters.len());
        let new = new.chars().next().unwrap();
        match kind {
            0 => characters[place] = new,
            1 => characters.insert(place, new),
            2 => drop(characters.remove(place)),
            3 => return text.to_uppercase(),
            _ => return text.to_lowercase(),
        }
        characters.into_iter().collect()
    })
}

/// Numbers of every size, including the limits of each text form.
fn numbers() -> impl Strategy<Value = u128> {
    const EDGES: [u128; 6] = [
        0,
        1 << 63,
        10_u128.pow(28),
        10_u128.pow(38),
        1 << 64,
        u128::MAX << 63,
    ];
    let near = (prop::sample::select(&EDGES[..]), any::<i8>())
        .prop_map(|(edge, offset)| edge.wrapping_add_signed(offset.into()));
    prop_oneof![any::<u128>(), near]
}

/// The pattern of a type matches every text that its parser accepts and its `Display` writes. The
/// parser is stricter. It accepts the example.
fn is_described<T>(name: &str, prefix: &str)
where
    T: JsonSchema + ToSchema + FromStr<Err = Error> + Debug + Display,
{
    let schema = openapi_schema::<T>();
    let pattern = schema["pattern"].as_str().unwrap();
    assert!(pattern.len() < 140, "{name}: {pattern}");
    let json_schema = json_schema::<T>();
    for part in ["pattern", "format", "examples", "description"] {
        assert_eq!(json_schema.get(part), schema.get(part), "{name}: {part}");
    }
    let example = schema["examples"][0].as_str().unwrap().to_owned();
    assert_eq!(example.parse::<T>().unwrap().to_string(), example, "{name}");
    let regex = Regex::new(pattern).unwrap();

    // Valid and invalid ids of the format, in every form that its keys can have.
    let written = numbers().prop_flat_map(move |number| {
        prop::sample::select(vec![
            hyphenated::write(number).to_string(),
            hyphenated::write(number & !(0xf << 76) | 4 << 76).to_string(),
            decimal::write(number).to_string(),
            decimal::padded::<28>(number).to_string(),
            format!("{number:032X}"),
            format!("{:026x}", number >> 24),
            format!("{:032x}", number & !(0xf << 76) | 7 << 76),
            format!("{:x}", number >> 80),
            format!("{:016X}", number as u64),
        ])
    });
    let alphanumeric = (numbers(), any::<bool>()).prop_map(|(number, is_long)| match is_long {
        true => String::from_utf8(base62::encode_u128(number).to_vec()).unwrap(),
        false => String::from_utf8(base62::encode_decimal28(number).to_vec()).unwrap(),
    });
    // Also beyond the limit of a block of digits.
    let edges = "(agbFu)?(LygHa16AHYF|LygHa16AHYG|Lyg[0-9A-Za-z]{8}){1,4}|agbFu5KnEQGxp4Q[A-C]";
    let prefixed = prop_oneof![
        alphanumeric,
        string_regex(edges).unwrap(),
        "[0-9A-Za-z]{16}",
        "[0-9A-Za-z]{22}",
    ]
    .prop_map({
        let prefix = prefix.to_owned();
        move |body| format!("{prefix}{body}")
    });
    let texts = prop_oneof![Just(example), texts_of(pattern), written, prefixed].boxed();
    let texts = prop_oneof![texts.clone(), mutated(texts)];

    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1_000)
    });
    let outcome = runner.run(&texts, |text| {
        if let Ok(id) = text.parse::<T>() {
            prop_assert!(regex.is_match(&text), "{:?}", text);
            prop_assert!(regex.is_match(&id.to_string()), "{}", id);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{name}: {error}\n{pattern}"));
}

#[test]
fn every_text_matches_its_pattern_and_every_example_is_read() {
    macro_rules! are_described {
        ($($type:ty: $prefix:literal),* $(,)?) => {
            $(is_described::<$type>(stringify!($type), $prefix);)*
        };
    }
    are_described! {
        OfferId: "", NumberId: "", CustomerId: "", AnythingId: "", SmallId: "",
        InvoiceId: "inv_", BookingId: "bkg_", OrderId: "ord_", PrefixedSmallId: "sml_",
        PrefixedHotGuid: "hot_", PrefixedComb: "com_",
        PersonId: "", AnyId: "itm_",
        AlphanumericId: "", HexadecimalId: "", DecimalId: "",
        AlphanumericUuid: "", HexadecimalUuid: "", DecimalUuid: "", SmallHexadecimalId: "",
        ParcelId: "", LetterId: "", SentId: "",
        ShortKey<CustomerId>: "", PublicId<InvoiceId>: "", SealedId<InvoiceId>: "",
        ShortPrefixComb: "", ShortSuffixComb: "", PrefixComb: "", SuffixComb: "",
        DistributedId: "", DistributedId128: "", Luuid: "", Iuid: "", HotGuid: "",
        UuidV4: "", UuidV7: "", AnyUuid: "", DatabaseNumber: "",
        AccountNumber: "", ReceiptNumber: "rec_", AlphanumericNumber: "", HexadecimalNumber: "",
    }
}

#[test]
fn every_use_of_a_key_refers_to_its_one_schema() {
    let schema = json_schema::<Offer>();
    let definitions = schema["$defs"].as_object().unwrap();
    let names: Vec<_> = definitions.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "AnyId",
            "InvoiceId",
            "NumberId",
            "OfferId",
            "PublicId",
            "ShortKey_for_CustomerId",
            "ShortKey_for_OrderId"
        ]
    );
    assert_eq!(
        schema["properties"]["id"],
        json!({ "$ref": "#/$defs/OfferId" })
    );

    #[derive(OpenApi)]
    #[openapi(components(schemas(Offer)))]
    struct Api;

    let api = serde_json::to_value(Api::openapi()).unwrap();
    let schemas = &api["components"]["schemas"];
    assert_eq!(
        schemas["Offer"]["properties"]["id"],
        json!({ "$ref": "#/components/schemas/OfferId" })
    );
    assert_eq!(schemas["OfferId"], openapi_schema::<OfferId>());
    assert_eq!(schemas["InvoiceId"], openapi_schema::<InvoiceId>());

    let names: Vec<_> = schemas.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "AnyId",
            "InvoiceId",
            "NumberId",
            "Offer",
            "OfferId",
            "PublicId_InvoiceId",
            "PublicId_NumberId",
            "PublicId_u64",
            "ShortKey_CustomerId",
            "ShortKey_OrderId"
        ]
    );
    assert_eq!(schemas["PublicId_InvoiceId"], public_id());
}

#[test]
fn operations_use_keys_in_requests_and_responses() {
    #[utoipa::path(
        get,
        path = "/invoices/{id}/customer",
        params(("id" = PublicId<InvoiceId>, Path)),
        responses((status = 200, body = ShortKey<CustomerId>), (status = 300, body = Vec<AnyId>))
    )]
    #[expect(dead_code, reason = "only its description is used")]
    fn customer_of_invoice() {}

    // utoipa collects the schemas of bodies, but not those of parameters.
    #[derive(OpenApi)]
    #[openapi(paths(customer_of_invoice), components(schemas(PublicId<InvoiceId>)))]
    struct Api;

    let api = serde_json::to_value(Api::openapi()).unwrap();
    let operation = &api["paths"]["/invoices/{id}/customer"]["get"];
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    assert_eq!(
        operation["parameters"][0]["schema"],
        reference("PublicId_InvoiceId")
    );
    let customer = &operation["responses"]["200"]["content"]["application/json"];
    assert_eq!(customer["schema"], reference("ShortKey_CustomerId"));
    for name in ["PublicId_InvoiceId", "ShortKey_CustomerId", "AnyId"] {
        assert!(api["components"]["schemas"][name].is_object(), "{api:#}");
    }
}

/// Two keys of the same name in different modules have two schemas.
#[test]
fn keys_of_the_same_name_have_different_schemas() {
    mod other {
        #[rowkey::entity_key]
        pub(crate) struct OfferId(rowkey::DistributedId);
    }

    assert_ne!(
        <OfferId as JsonSchema>::schema_id(),
        <other::OfferId as JsonSchema>::schema_id()
    );
}

#[test]
fn query_parameters_refer_to_the_same_schemas() {
    #[derive(utoipa::IntoParams)]
    #[expect(dead_code, reason = "only its description is used")]
    struct Filter {
        invoice: Option<PublicId<InvoiceId>>,
        customer: ShortKey<CustomerId>,
        about: AnyId,
    }

    let parameters = <Filter as utoipa::IntoParams>::into_params(|| None);
    let parameters = serde_json::to_value(parameters).unwrap();
    let reference = |name: &str| format!("#/components/schemas/{name}");
    let text = parameters.to_string();
    for name in ["PublicId_InvoiceId", "ShortKey_CustomerId", "AnyId"] {
        assert!(text.contains(&reference(name)), "{name}: {parameters:#}");
    }
}

#[test]
fn a_key_takes_derives_of_other_traits() {
    use utoipa::IntoParams;
    let parameters = RouteId::into_params(|| None);
    let names: Vec<_> = parameters.iter().map(|found| &*found.name).collect();
    assert_eq!(names, ["id"]);
}

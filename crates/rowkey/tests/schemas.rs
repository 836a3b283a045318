//! JSON Schema and OpenAPI: one named schema per key, and what it says of the text.

use proptest::prelude::*;
use proptest::string::string_regex;
use rowkey::{DistributedId, DistributedId128, PublicId, ShortPrefixComb, UuidV7, entity_key};
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

#[derive(JsonSchema, ToSchema)]
#[expect(dead_code, reason = "only its schema is asked for")]
struct Offer {
    id: OfferId,
    replaces: Option<OfferId>,
    invoice: InvoiceId,
    #[schema(value_type = String, format = "uuid")]
    secret: PublicId<NumberId>,
}

fn json_schema<T: JsonSchema>() -> Value {
    let mut schema = schema_for!(T).to_value();
    schema.as_object_mut().unwrap().remove("$schema");
    schema
}

fn openapi_schema<T: ToSchema>() -> Value {
    serde_json::to_value(T::schema()).unwrap()
}

#[test]
fn the_schema_of_a_key_describes_its_text() {
    let uuid = json!({ "type": "string", "format": "uuid" });
    let digits = json!({ "type": "string", "pattern": "^[0-9]{1,28}$" });
    let invoice = json!({ "type": "string", "pattern": "^inv_[0-9A-Za-z]{16}$" });
    let booking = json!({ "type": "string", "pattern": "^bkg_[0-9A-Za-z]{22}$" });

    let titled = |title: &str, schema: &Value| {
        let mut schema = schema.clone();
        schema["title"] = json!(title);
        schema
    };
    assert_eq!(json_schema::<OfferId>(), titled("OfferId", &uuid));
    assert_eq!(json_schema::<NumberId>(), titled("NumberId", &digits));
    assert_eq!(json_schema::<InvoiceId>(), titled("InvoiceId", &invoice));
    assert_eq!(json_schema::<BookingId>(), titled("BookingId", &booking));
    assert_eq!(
        json_schema::<DistributedId>(),
        titled("DistributedId", &digits)
    );
    assert_eq!(
        json_schema::<DistributedId128>(),
        titled("DistributedId128", &uuid)
    );
    assert_eq!(
        json_schema::<PublicId<OfferId>>(),
        titled("PublicId", &uuid)
    );

    assert_eq!(openapi_schema::<OfferId>(), uuid);
    assert_eq!(openapi_schema::<NumberId>(), digits);
    assert_eq!(openapi_schema::<InvoiceId>(), invoice);
    assert_eq!(openapi_schema::<BookingId>(), booking);
    assert_eq!(openapi_schema::<ShortPrefixComb<1_000>>(), uuid);
    assert_eq!(openapi_schema::<DistributedId>(), digits);
}

/// Texts made from a schema's pattern.
fn texts_of(schema: &Value) -> impl Strategy<Value = String> {
    let pattern = schema["pattern"].as_str().unwrap();
    let pattern = pattern
        .strip_prefix('^')
        .and_then(|pattern| pattern.strip_suffix('$'))
        .unwrap();
    string_regex(pattern).unwrap()
}

proptest! {
    #[test]
    fn what_the_patterns_describe_is_read(
        number in texts_of(&json_schema::<NumberId>()),
        invoice in texts_of(&json_schema::<InvoiceId>()),
    ) {
        let digits = number.trim_start_matches('0');
        let read = number.parse::<NumberId>().unwrap().to_string();
        prop_assert_eq!(&read, if digits.is_empty() { "0" } else { digits });

        // Some texts of sixteen characters stand for more than 28 digits.
        match invoice.parse::<InvoiceId>() {
            Ok(read) => prop_assert_eq!(read.to_string(), invoice),
            Err(error) => prop_assert!(error.to_string().contains("too large"), "{}", error),
        }
    }
}

#[test]
fn every_use_of_a_key_refers_to_its_one_schema() {
    let schema = json_schema::<Offer>();
    let definitions = schema["$defs"].as_object().unwrap();
    let names: Vec<_> = definitions.keys().map(String::as_str).collect();
    assert_eq!(names, ["InvoiceId", "OfferId", "PublicId"]);
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
    assert_eq!(
        schemas["OfferId"],
        json!({ "type": "string", "format": "uuid" })
    );
    assert_eq!(
        schemas["InvoiceId"]["pattern"],
        json!("^inv_[0-9A-Za-z]{16}$")
    );
}

/// Two keys of one name are two schemas, if they are in different modules.
#[test]
fn keys_of_the_same_name_are_told_apart() {
    mod other {
        #[rowkey::entity_key]
        pub(crate) struct OfferId(rowkey::DistributedId);
    }

    assert_ne!(
        <OfferId as JsonSchema>::schema_id(),
        <other::OfferId as JsonSchema>::schema_id()
    );
}

//! JSON Schema and OpenAPI: one named schema per key, and what it says of the text.

use proptest::prelude::*;
use proptest::string::string_regex;
use rowkey::{
    CommandLog, DistributedId, DistributedId128, Luuid, PublicId, SealedId, ShortKey,
    ShortPrefixComb, UnboundedCommandLog, UuidV7, entity_key, key_union,
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

/// With a derive of what keys do not implement, and the attribute that it reads.
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
#[expect(dead_code, reason = "only its schema is asked for")]
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
    offers: CommandLog<OfferId>,
    numbers: CommandLog<NumberId, 3>,
    all: UnboundedCommandLog<String>,
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
    assert_eq!(openapi_schema::<PublicId<OfferId>>(), uuid);
}

#[test]
fn the_schema_of_a_sealed_id_describes_its_text() {
    let text = json!({ "type": "string", "pattern": "^[0-9A-Za-z]{44}$" });
    assert_eq!(openapi_schema::<SealedId<OfferId>>(), text);
    let mut titled = text.clone();
    titled["title"] = "SealedId".into();
    assert_eq!(json_schema::<SealedId<OfferId>>(), titled);

    #[derive(OpenApi)]
    #[openapi(components(schemas(SealedId<OfferId>)))]
    struct Api;

    let api = serde_json::to_value(Api::openapi()).unwrap();
    assert_eq!(api["components"]["schemas"]["SealedId_OfferId"], text);
}

#[test]
fn the_schema_of_a_short_key_describes_its_text() {
    let hexadecimal = json!({ "type": "string", "pattern": "^[0-9A-Fa-f]{1,12}$" });
    let mut titled = hexadecimal.clone();
    titled["title"] = json!("ShortKey_for_CustomerId");
    assert_eq!(json_schema::<ShortKey<CustomerId>>(), titled);
    assert_eq!(openapi_schema::<ShortKey<CustomerId>>(), hexadecimal);
}

#[test]
fn the_schema_of_a_union_describes_the_texts_of_its_keys() {
    let uuid = json!({ "type": "string", "format": "uuid" });
    assert_eq!(openapi_schema::<PersonId>(), uuid);
    assert_eq!(json_schema::<PersonId>()["format"], "uuid");
    assert_eq!(json_schema::<PersonId>()["title"], "PersonId");

    let pattern = "^((ord|itm)_[0-9A-Za-z]{22}|\
                   [0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$";
    let either = json!({ "type": "string", "pattern": pattern });
    assert_eq!(openapi_schema::<AnyId>(), either);
    assert_eq!(json_schema::<AnyId>()["pattern"], pattern);
    assert_eq!(json_schema::<AnyId>()["title"], "AnyId");
    assert_eq!(<AnyId as ToSchema>::name(), "AnyId");
}

#[test]
fn the_schema_of_a_command_log_is_an_array_with_its_limit() {
    let digits = json!({ "type": "string", "pattern": "^[0-9]{1,28}$" });
    assert_eq!(
        openapi_schema::<CommandLog<NumberId, 3>>(),
        json!({ "type": "array", "items": digits, "maxItems": 3 })
    );
    assert_eq!(
        openapi_schema::<UnboundedCommandLog<NumberId>>(),
        json!({ "type": "array", "items": digits })
    );

    let log = json_schema::<CommandLog<NumberId>>();
    assert_eq!(log["items"], json!({ "$ref": "#/$defs/NumberId" }));
    assert_eq!(log["maxItems"], 20);
    let unbounded = json_schema::<UnboundedCommandLog<NumberId>>();
    assert_eq!(unbounded["type"], "array");
    assert_eq!(unbounded.get("maxItems"), None);
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
        short in texts_of(&json_schema::<ShortKey<CustomerId>>()),
    ) {
        let digits = number.trim_start_matches('0');
        let read = number.parse::<NumberId>().unwrap().to_string();
        prop_assert_eq!(&read, if digits.is_empty() { "0" } else { digits });

        let digits = short.trim_start_matches('0').to_lowercase();
        let read = short.parse::<ShortKey<CustomerId>>().unwrap().to_string();
        prop_assert_eq!(read, if digits.is_empty() { "0" } else { &digits });

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
    assert_eq!(
        schemas["OfferId"],
        json!({ "type": "string", "format": "uuid" })
    );
    assert_eq!(
        schemas["InvoiceId"]["pattern"],
        json!("^inv_[0-9A-Za-z]{16}$")
    );

    let names: Vec<_> = schemas.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "AnyId",
            "CommandLog20_OfferId",
            "CommandLog3_NumberId",
            "InvoiceId",
            "Offer",
            "OfferId",
            "PublicId_InvoiceId",
            "PublicId_NumberId",
            "PublicId_u64",
            "ShortKey_CustomerId",
            "ShortKey_OrderId",
            "UnboundedCommandLog_String"
        ]
    );
    assert_eq!(
        schemas["PublicId_InvoiceId"],
        json!({ "type": "string", "format": "uuid" })
    );
}

#[test]
fn operations_take_and_answer_what_is_made_of_keys() {
    #[utoipa::path(
        get,
        path = "/invoices/{id}/customer",
        params(("id" = PublicId<InvoiceId>, Path)),
        responses((status = 200, body = ShortKey<CustomerId>), (status = 300, body = Vec<AnyId>))
    )]
    #[expect(dead_code, reason = "only its description is asked for")]
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

#[test]
fn query_parameters_refer_to_the_same_schemas() {
    #[derive(utoipa::IntoParams)]
    #[expect(dead_code, reason = "only its description is asked for")]
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

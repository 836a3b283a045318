//! The service's OpenAPI description.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use regex::Regex;
use rowkey_testkit::TestDatabase;
use serde_json::Value;

use crate::client::text;
use crate::requests::any_booking;
use crate::service::Service;

const OPERATIONS: [&str; 13] = [
    "get /any/{uuid}",
    "get /booking-offers",
    "get /booking-offers/{id}",
    "get /bookings/{id}",
    "get /customers/{id}",
    "get /health",
    "get /invoices/{publicId}",
    "post /booking-offers/{id}/price-changes",
    "post /booking-offers/{id}/withdrawals",
    "post /bookings",
    "post /bookings/{id}/cancellations",
    "post /customers",
    "put /booking-offers/{id}",
];

pub(crate) async fn the_description_has_every_route(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let description = service.client().get("/openapi.json").await?.ok();
    let version = text(&description, "openapi");
    assert!(version.starts_with("3."), "{version}");
    let paths = description["paths"].as_object().context("no paths")?;
    let mut operations = BTreeSet::new();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            operations.insert(format!("{method} {path}"));
            check_operation(&description, path, operation)
                .with_context(|| format!("{method} {path}"))?;
        }
    }
    // It may describe its own route or not.
    operations.remove("get /openapi.json");
    let expected = BTreeSet::from(OPERATIONS.map(str::to_owned));
    assert_eq!(operations, expected);
    for reference in references(&description) {
        let pointer = reference.strip_prefix('#').context("a foreign reference")?;
        assert!(description.pointer(pointer).is_some(), "{reference}");
    }
    service.stop().await
}

/// Parameters are those of the path, and refusals are problems.
fn check_operation(description: &Value, path: &str, operation: &Value) -> Result<()> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let in_path: BTreeSet<&str> = parameters
        .filter(|parameter| parameter["in"] == "path")
        .map(|parameter| text(parameter, "name"))
        .collect();
    let expected: BTreeSet<&str> = path.split(['{', '}']).skip(1).step_by(2).collect();
    assert_eq!(in_path, expected, "{path}");
    let responses = operation["responses"].as_object().context("no responses")?;
    assert!(
        responses
            .keys()
            .any(|status| status.starts_with(['2', '3'])),
        "{path}"
    );
    for (status, response) in responses {
        let response = resolved(description, response)?;
        if status.starts_with('4') {
            let content = response["content"].as_object();
            let is_problem =
                content.is_some_and(|types| types.contains_key("application/problem+json"));
            assert!(is_problem, "{path}: {status}: {response}");
        }
    }
    Ok(())
}

fn resolved<'d>(description: &'d Value, value: &'d Value) -> Result<&'d Value> {
    match value["$ref"].as_str() {
        None => Ok(value),
        Some(reference) => {
            let pointer = reference.trim_start_matches('#');
            description.pointer(pointer).context("a dangling reference")
        }
    }
}

fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value) {
                ("$ref", Value::String(reference)) => vec![reference.as_str()],
                _ => references(value),
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(crate) async fn ids_are_schemas_with_names(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let description = service.client().get("/openapi.json").await?.ok();
    let schemas = &description["components"]["schemas"];
    for name in ["BookingOfferId", "CustomerId", "BookingId", "CommandId"] {
        assert_eq!(schemas[name]["type"], "string", "{name}");
    }
    let refers = |schema: &Value, member: &str, target: &str| {
        let expected = format!("#/components/schemas/{target}");
        let found = references(&schema["properties"][member]);
        assert_eq!(found, [expected.as_str()], "{member}: {schema}");
    };
    refers(&schemas["Customer"], "id", "CustomerId");
    refers(&schemas["Offer"], "id", "BookingOfferId");
    refers(&schemas["Offer"], "customerId", "CustomerId");
    refers(&schemas["Booking"], "id", "BookingId");
    refers(&schemas["Booking"], "offerId", "BookingOfferId");
    refers(&schemas["Booking"], "customerId", "CustomerId");
    refers(&schemas["Invoice"], "bookingId", "BookingId");

    // The patterns match these ids, and none of another form.
    let booking = any_booking(service.client()).await?;
    let matches = |name: &str, member: &str| {
        let pattern = Regex::new(text(&schemas[name], "pattern"));
        anyhow::Ok(pattern?.is_match(text(&booking, member)))
    };
    for (name, member) in [
        ("BookingId", "id"),
        ("CustomerId", "customerId"),
        ("BookingOfferId", "offerId"),
        ("PublicId_InvoiceId", "invoiceId"),
        ("ShortKey_BookingId", "number"),
        ("AnyId", "id"),
        ("AnyId", "customerId"),
        ("CommandId", "offerId"),
    ] {
        assert!(matches(name, member)?, "{name}: {booking}");
    }
    for (name, member) in [
        ("BookingId", "number"),
        ("PublicId_InvoiceId", "number"),
        ("ShortKey_BookingId", "id"),
    ] {
        assert!(!matches(name, member)?, "{name}: {booking}");
    }
    service.stop().await
}

pub(crate) async fn the_description_is_the_one_that_was_reviewed(
    database: &TestDatabase,
) -> Result<()> {
    let service = Service::start(database).await?;
    let mut description = service.client().get("/openapi.json").await?.ok();
    // It changes with each release, and is not about the routes.
    description["info"]["version"] = "(of the package)".into();
    // In a larger build, a feature of another crate may keep the members in insertion order.
    description.sort_all_objects();
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&description)?);
    service.stop().await
}

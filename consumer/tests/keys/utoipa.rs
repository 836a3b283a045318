//! OpenAPI schemas of keys.

use renamed::{ShipId, TicketId};
use rowkey_consumer::formats::InvoiceId;
use rowkey_consumer::shadowed::FerryId;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Object, Schema, SchemaFormat};

fn object<K: ToSchema>() -> Object {
    match K::schema() {
        RefOr::T(Schema::Object(object)) => object,
        _ => panic!("{} is no string", K::name()),
    }
}

#[test]
fn schemas_describe_the_text() {
    assert_eq!(InvoiceId::name(), "InvoiceId");
    assert_eq!(
        object::<InvoiceId>().pattern.as_deref(),
        Some("^inv_[0-9A-Za-z]{16}$")
    );
    assert_eq!(
        object::<TicketId>().pattern.as_deref(),
        Some("^tkt_[0-9A-Za-z]{16}$")
    );
    for object in [object::<ShipId>(), object::<FerryId>()] {
        assert!(object.format == Some(SchemaFormat::Custom("uuid".into())));
    }
}

//! OpenAPI schemas of keys.

use renamed::{ShipId, TicketId};
use rowkey::luuid::ShortKey;
use rowkey_consumer::formats::{InvoiceId, PersonId, SubjectId};
use rowkey_consumer::shadowed::{FerryId, PlaceId};
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
    let pattern = |object: Object| object.pattern.unwrap_or_default();
    assert!(pattern(object::<InvoiceId>()).starts_with("^inv_"));
    assert!(pattern(object::<TicketId>()).starts_with("^tkt_"));
    for object in [object::<ShipId>(), object::<FerryId>()] {
        assert!(object.format == Some(SchemaFormat::Custom("uuid".into())));
        assert!(pattern(object).starts_with("^[0-9A-Fa-f]{8}(-"));
    }
}

/// The derives require more of generic types than the trait's name suggests.
#[test]
fn fields_have_the_schemas_of_what_is_made_of_keys() {
    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only its schema is asked for")]
    struct Visit {
        subject: SubjectId,
        place: PlaceId,
        person: ShortKey<PersonId>,
    }

    let mut schemas = Vec::new();
    Visit::schemas(&mut schemas);
    let names: Vec<_> = schemas.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["SubjectId", "PlaceId", "ShortKey_PersonId"]);
}

#[cfg(feature = "public-id")]
#[test]
fn fields_have_the_schemas_of_public_ids() {
    use rowkey::public_id::PublicId;

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only its schema is asked for")]
    struct Bill {
        invoice: PublicId<InvoiceId>,
    }

    let mut schemas = Vec::new();
    Bill::schemas(&mut schemas);
    let names: Vec<_> = schemas.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["PublicId_InvoiceId"]);
}

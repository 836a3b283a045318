//! JSON Schemas of keys.

use renamed::ShipId;
use rowkey::luuid::ShortKey;
use rowkey_consumer::formats::{InvoiceId, PersonId, SubjectId};
use rowkey_consumer::shadowed::{FerryId, PlaceId};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

fn schema<K: JsonSchema>() -> Schema {
    SchemaSettings::default()
        .into_generator()
        .into_root_schema_for::<K>()
}

#[test]
fn schemas_describe_the_text() {
    let invoice = schema::<InvoiceId>();
    assert_eq!(invoice.get("title"), Some(&"InvoiceId".into()));
    let pattern = |schema: &Schema| schema.get("pattern").unwrap().as_str().unwrap().to_owned();
    assert!(pattern(&invoice).starts_with("^inv_"));
    for schema in [schema::<ShipId>(), schema::<FerryId>()] {
        assert_eq!(schema.get("format"), Some(&"uuid".into()));
        assert!(pattern(&schema).starts_with("^[0-9A-Fa-f]{8}(-"));
    }
}

#[test]
fn what_is_made_of_keys_has_a_schema() {
    assert_eq!(
        schema::<SubjectId>().get("title"),
        Some(&"SubjectId".into())
    );
    assert_eq!(schema::<PlaceId>().get("title"), Some(&"PlaceId".into()));
    assert_eq!(
        schema::<ShortKey<PersonId>>().get("pattern"),
        Some(&"^[0-9A-Fa-f]{1,12}$".into())
    );
}

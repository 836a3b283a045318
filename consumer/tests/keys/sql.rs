//! SQL text, with the feature `sql`.

use rowkey::Backend;
use rowkey::sql::{NewId, StoredForm};
use rowkey::{UuidV7, entity_key};

#[entity_key]
struct OfferId(UuidV7);

#[test]
fn the_server_makes_ids_of_a_key() {
    let form = StoredForm::from(OfferId::PLAN.column(Backend::Postgres));
    let definition = NewId::new(form).and_then(|new_id| new_id.column_definition("id"));
    assert!(definition.is_ok_and(|sql| sql.starts_with("\"id\" uuid NOT NULL DEFAULT (")));
}

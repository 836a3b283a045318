//! Countries and service entities, and the ids that name them.

use rowkey::routing::{IuidRegistries, Registry};
use rowkey::{Iuid, entity_key};

// ANCHOR: registries
/// The same in all programs, for ever: ids that exist keep their numbers.
pub static MESH: IuidRegistries = IuidRegistries {
    countries: Registry::new(&[(1, "Kazakhstan"), (2, "Brazil"), (3, "Peru")]),
    service_entities: Registry::new(&[(10, "ShopOrder"), (20, "TaxiRide")]),
};

/// An id of any entity of the mesh. Only at run time, the id itself says of which.
#[entity_key]
pub struct MeshId(Iuid);
// ANCHOR_END: registries

/// A country and a service entity, by their numbers: what is in one region, and moves to another.
pub type Pair = (u8, u8);

pub(crate) fn pair_of(id: MeshId) -> Pair {
    let id = Iuid::from(id);
    (id.country(), id.service_entity())
}

/// The service and the table of a registered service entity.
pub(crate) fn service_and_table(pair: Pair) -> Option<(&'static str, &'static str)> {
    match MESH.service_entities.name(pair.1)? {
        "ShopOrder" => Some(("shop", "orders")),
        "TaxiRide" => Some(("taxi", "rides")),
        _ => None,
    }
}

/// Every service entity of every country.
pub fn pairs() -> impl Iterator<Item = Pair> {
    let entities = || MESH.service_entities.iter().map(|(number, _)| number);
    let countries = MESH.countries.iter().map(|(number, _)| number);
    countries.flat_map(move |country| entities().map(move |entity| (country, entity)))
}

/// A pair in words.
pub fn describe((country, entity): Pair) -> String {
    let (country, entity) = (
        MESH.countries.name(country),
        MESH.service_entities.name(entity),
    );
    format!("{} of {}", entity.unwrap_or("?"), country.unwrap_or("?"))
}

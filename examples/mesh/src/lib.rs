//! One program for orders and rides in several regions, each with its own database. An id says which
//! country and which service it belongs to, so each instance answers for all of them.

mod config;
pub mod http;
mod mesh;
pub mod moving;
mod store;

use rowkey::routing::{IuidContext, IuidRegistries, Registry};
use rowkey::{Iuid, entity_key};

pub use crate::config::Config;
pub use crate::store::{Place, Store};

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

/// A country and a service entity: what is in one region, and moves to another.
pub type Pair = IuidContext;

/// The service and the table of a registered service entity.
pub(crate) fn service_and_table(pair: Pair) -> Option<(&'static str, &'static str)> {
    match MESH.service_entities.name(pair.service_entity)? {
        "ShopOrder" => Some(("shop", "orders")),
        "TaxiRide" => Some(("taxi", "rides")),
        _ => None,
    }
}

pub(crate) fn pair_of(id: MeshId) -> Pair {
    let (country, service_entity) = (Iuid::from(id).country(), Iuid::from(id).service_entity());
    Pair {
        country,
        service_entity,
    }
}

/// A pair in words.
pub fn describe(pair: Pair) -> String {
    let country = MESH.countries.name(pair.country).unwrap_or("?");
    let entity = MESH.service_entities.name(pair.service_entity);
    format!("{} of {country}", entity.unwrap_or("?"))
}

/// Every service entity of every country.
pub fn pairs() -> impl Iterator<Item = Pair> {
    let entities = || MESH.service_entities.iter().map(|(number, _)| number);
    let countries = MESH.countries.iter();
    countries.flat_map(move |(country, _)| {
        entities().map(move |service_entity| Pair {
            country,
            service_entity,
        })
    })
}

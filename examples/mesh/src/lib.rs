//! One program for the entities of all services in several regions, each with its own database. An
//! id says which country and which service it belongs to, so each instance answers for all of them.

mod config;
pub mod instance;
pub mod moving;
mod store;

use rowkey::routing::{IuidRegistries, Registry};
use rowkey::{Iuid, entity_key};

pub use crate::config::Config;
pub use crate::store::{Place, Store};

// ANCHOR: registries
/// The same in all programs, for ever: ids that exist keep their numbers.
pub static MESH: IuidRegistries = IuidRegistries {
    countries: Registry::new(&[(1, "Kazakhstan"), (2, "Brazil"), (3, "Peru"), (4, "Chile")]),
    service_entities: Registry::new(&[(10, "shop.Order"), (20, "taxi.Ride")]),
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

/// A pair in words.
pub fn describe((country, entity): Pair) -> String {
    let country = MESH.countries.name(country).unwrap_or("?");
    let entity = MESH.service_entities.name(entity).unwrap_or("?");
    format!("{entity} of {country}")
}

/// Every service entity of every country.
pub fn pairs() -> impl Iterator<Item = Pair> {
    let entities = || MESH.service_entities.iter().map(|(number, _)| number);
    let countries = MESH.countries.iter();
    countries.flat_map(move |(country, _)| entities().map(move |entity| (country, entity)))
}

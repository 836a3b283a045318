//! Names for the numbers in iUIDs, which are the user's data.

use crate::format::IuidContext;
use crate::registry::{Registry, RegistryKind};
use crate::{Error, Iuid};

/// The countries of iUIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Country {}

impl RegistryKind for Country {
    const KIND: &'static str = "country";
}

/// The service entities of iUIDs, such as `AyanOrder`: a kind of entity of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceEntity {}

impl RegistryKind for ServiceEntity {
    const KIND: &'static str = "service entity";
}

/// The registries of countries and service entities, for contexts from names, and names from ids.
///
/// ```
/// use rowkey_core::generate::Generate;
/// use rowkey_core::routing::{IuidRegistries, Registry};
/// use rowkey_core::Iuid;
///
/// static IUIDS: IuidRegistries = IuidRegistries {
///     countries: Registry::new(&[(1, "Kazakhstan"), (2, "Brazil")]),
///     service_entities: Registry::new(&[(10, "AyanOrder"), (11, "AyanRide")]),
/// };
/// let ride = Iuid::generate_for(&IUIDS.context("Brazil", "AyanRide")?);
///
/// // Where to route a request for it.
/// let origin = IUIDS.origin(ride);
/// assert_eq!(origin.country, Some("Brazil"));
/// assert_eq!(origin.service_entity, Some("AyanRide"));
/// # Ok::<(), rowkey_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IuidRegistries {
    /// The countries.
    pub countries: Registry<Country>,
    /// The service entities.
    pub service_entities: Registry<ServiceEntity>,
}

impl IuidRegistries {
    /// The context for a new iUID.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` if a registry has no such name.
    pub fn context(&self, country: &str, service_entity: &str) -> Result<IuidContext, Error> {
        Ok(IuidContext {
            country: self.countries.number(country)?,
            service_entity: self.service_entities.number(service_entity)?,
        })
    }

    /// The origin of an iUID, as far as the registries have names for it.
    pub fn origin(&self, id: Iuid) -> IuidOrigin<'_> {
        IuidOrigin {
            country: self.countries.name(id.country()),
            service_entity: self.service_entities.name(id.service_entity()),
        }
    }
}

/// The names of an iUID's context; `None` if a registry has no such number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IuidOrigin<'a> {
    /// The country.
    pub country: Option<&'a str>,
    /// The service entity.
    pub service_entity: Option<&'a str>,
}

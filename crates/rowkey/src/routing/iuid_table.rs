//! From countries and service entities to nodes.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::Iuid;
use crate::routing::nodes::Nodes;
use crate::routing::{
    IuidContext, IuidRegistries, IuidRoutes, NoNode, Registry, RegistryKind, RoutePlace,
    RoutesError,
};

/// A node of type `N`, such as a pool or a URL, for every pair of a registered country and a
/// registered service entity, or the answer that there is none.
///
/// A table does not change; a [`Router`](crate::routing::Router) replaces it as a whole. A lookup
/// reads three small tables and allocates nothing.
///
/// ```
/// use rowkey::generate::Generate;
/// use rowkey::routing::{IuidContext, IuidRegistries, IuidRoutes, IuidTable, NoNode, Registry};
/// use rowkey::Iuid;
///
/// static MESH: IuidRegistries = IuidRegistries {
///     countries: Registry::new(&[(1, "Kazakhstan"), (2, "Brazil")]),
///     service_entities: Registry::new(&[(10, "AyanOrder"), (11, "WalletAccount")]),
/// };
///
/// let routes: IuidRoutes = serde_json::from_str(
///     r#"{
///         "routes": [
///             {"service_entities": ["WalletAccount"], "node": "wallets"},
///             {"countries": ["Brazil"], "service_entities": ["AyanOrder"], "node": "sao-paulo"}
///         ],
///         "default": "almaty"
///     }"#,
/// )?;
/// let nodes = [
///     ("wallets", "https://wallets.example"),
///     ("sao-paulo", "https://br.example"),
///     ("almaty", "https://kz.example"),
/// ];
/// let table = IuidTable::new(&MESH, &routes, nodes)?;
///
/// let order = Iuid::generate_for(&MESH.context("Brazil", "AyanOrder")?);
/// assert_eq!(table.node_of(order), Ok(&"https://br.example"));
/// let wallet = Iuid::generate_for(&MESH.context("Kazakhstan", "WalletAccount")?);
/// assert_eq!(table.node_of(wallet), Ok(&"https://wallets.example"));
///
/// let unknown = Iuid::generate_for(&IuidContext { country: 77, service_entity: 10 });
/// assert_eq!(table.node_of(unknown), Err(NoNode::Country(77)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct IuidTable<N> {
    countries: Positions,
    service_entities: Positions,
    /// The node of each pair, the service entities of a country one after the other.
    cells: Box<[Option<usize>]>,
    nodes: Nodes<N>,
}

/// The position of each registered number.
#[derive(Clone)]
struct Positions {
    of: Box<[Option<u8>]>,
    count: usize,
}

impl Positions {
    fn of<R: RegistryKind>(registry: &Registry<R>) -> Self {
        let mut of = vec![None; 256];
        let mut count = 0;
        for (position, (number, _)) in (0..=u8::MAX).zip(registry.iter()) {
            of[usize::from(number)] = Some(position);
            count += 1;
        }
        Self {
            of: of.into(),
            count,
        }
    }

    fn get(&self, number: u8) -> Option<usize> {
        self.of[usize::from(number)].map(usize::from)
    }
}

impl<N> IuidTable<N> {
    /// The table of these routes to these nodes, by their names. A node need not have a route.
    ///
    /// # Errors
    ///
    /// A [`RoutesError`]: two nodes of one name, a name that is not a node or not registered, a
    /// name twice in a list, an empty list, two routes with a pair in common, or a pair without a
    /// route if neither a default nor a refusal is declared.
    pub fn new<S: Into<String>>(
        registries: &IuidRegistries,
        routes: &IuidRoutes,
        nodes: impl IntoIterator<Item = (S, N)>,
    ) -> Result<Self, RoutesError> {
        let nodes = Nodes::new(nodes)?;
        let rest = nodes.rest(routes.default.as_deref(), routes.refuse_others)?;
        let countries = Positions::of(&registries.countries);
        let service_entities = Positions::of(&registries.service_entities);
        let width = service_entities.count;

        let mut taken = vec![None; countries.count * width];
        for (index, route) in routes.routes.iter().enumerate() {
            let number = index + 1;
            let node = nodes.position(&route.node, RoutePlace::Route(number))?;
            let rows = positions(number, route.countries.as_deref(), &registries.countries)?;
            let columns = route.service_entities.as_deref();
            let columns = positions(number, columns, &registries.service_entities)?;
            for row in &rows {
                for column in &columns {
                    let cell = &mut taken[row * width + column];
                    if let Some((earlier, _)) = *cell {
                        return Err(RoutesError::Overlap {
                            routes: (earlier, number),
                            common: describe(registries, *row, *column),
                        });
                    }
                    *cell = Some((number, node));
                }
            }
        }

        let cells = taken
            .into_iter()
            .enumerate()
            .map(|(index, cell)| match cell {
                Some((_, node)) => Ok(Some(node)),
                None => rest.node(|| describe(registries, index / width, index % width)),
            });
        let cells = cells.collect::<Result<_, RoutesError>>()?;
        Ok(Self {
            countries,
            service_entities,
            cells,
            nodes,
        })
    }

    /// The node of the country and the service entity that an id was made for. Keys over [`Iuid`]
    /// convert themselves.
    ///
    /// # Errors
    ///
    /// [`NoNode::Country`], [`NoNode::ServiceEntity`] and [`NoNode::Pair`].
    pub fn node_of(&self, id: impl Into<Iuid>) -> Result<&N, NoNode> {
        let id = id.into();
        self.node_of_context(IuidContext {
            country: id.country(),
            service_entity: id.service_entity(),
        })
    }

    /// The node of a country and a service entity.
    ///
    /// # Errors
    ///
    /// As [`node_of`](Self::node_of).
    pub fn node_of_context(&self, context: IuidContext) -> Result<&N, NoNode> {
        let IuidContext {
            country,
            service_entity,
        } = context;
        let row = self.countries.get(country);
        let row = row.ok_or(NoNode::Country(country))?;
        let column = self.service_entities.get(service_entity);
        let column = column.ok_or(NoNode::ServiceEntity(service_entity))?;
        self.cells[row * self.service_entities.count + column]
            .and_then(|position| self.nodes.at(position))
            .ok_or(NoNode::Pair {
                country,
                service_entity,
            })
    }

    /// The names of all nodes and the nodes, in the order in which they were given.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, &N)> {
        self.nodes.iter()
    }
}

/// How many countries and service entities there are, and the names of the nodes, without the
/// nodes: they may contain passwords.
impl<N> fmt::Debug for IuidTable<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IuidTable")
            .field("countries", &self.countries.count)
            .field("service_entities", &self.service_entities.count)
            .field("nodes", &self.nodes)
            .finish()
    }
}

/// The positions of names in a registry; all if there is no list.
fn positions<R: RegistryKind>(
    route: usize,
    names: Option<&[String]>,
    registry: &Registry<R>,
) -> Result<Vec<usize>, RoutesError> {
    let Some(names) = names else {
        return Ok((0..registry.iter().count()).collect());
    };
    let kind = R::KIND;
    if names.is_empty() {
        return Err(RoutesError::NoName { route, kind });
    }
    let mut positions = Vec::with_capacity(names.len());
    for name in names {
        let unknown = |error| RoutesError::UnknownName { route, error };
        registry.number(name).map_err(unknown)?;
        for (position, (_, known)) in registry.iter().enumerate() {
            if known != name {
                continue;
            }
            if positions.contains(&position) {
                let name = name.clone();
                return Err(RoutesError::SameName { route, kind, name });
            }
            positions.push(position);
        }
    }
    Ok(positions)
}

fn describe(registries: &IuidRegistries, row: usize, column: usize) -> String {
    let country = registries.countries.iter().nth(row);
    let service_entity = registries.service_entities.iter().nth(column);
    let (_, country) = country.unwrap_or_default();
    let (_, service_entity) = service_entity.unwrap_or_default();
    format!("the service entity `{service_entity}` of the country `{country}`")
}

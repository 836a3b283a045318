//! The nodes of a table, and their names.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::routing::{RoutePlace, RoutesError};

/// Nodes with unique names.
#[derive(Clone)]
pub(super) struct Nodes<N> {
    named: Vec<(String, N)>,
}

impl<N> Nodes<N> {
    /// Refuses a name that is used twice.
    pub(super) fn new<S: Into<String>>(
        nodes: impl IntoIterator<Item = (S, N)>,
    ) -> Result<Self, RoutesError> {
        let nodes = nodes.into_iter().map(|(name, node)| (name.into(), node));
        let named: Vec<(String, N)> = nodes.collect();
        let mut names: Vec<&String> = named.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(RoutesError::SameNode {
                name: pair[0].clone(),
            }),
            None => Ok(Self { named }),
        }
    }

    pub(super) fn position(&self, name: &str, place: RoutePlace) -> Result<usize, RoutesError> {
        let found = self.named.iter().position(|(known, _)| known == name);
        found.ok_or_else(|| RoutesError::UnknownNode {
            place,
            name: name.into(),
            choices: self.choices(),
        })
    }

    /// What happens to places without a route. Refuses a default together with a refusal.
    pub(super) fn rest(
        &self,
        default: Option<&str>,
        refuse_others: bool,
    ) -> Result<Rest, RoutesError> {
        match (default, refuse_others) {
            (Some(name), true) => Err(RoutesError::DefaultRefused { name: name.into() }),
            (Some(name), false) => Ok(Rest::Node(self.position(name, RoutePlace::Default)?)),
            (None, true) => Ok(Rest::Refused),
            (None, false) => Ok(Rest::Missing),
        }
    }

    pub(super) fn at(&self, position: usize) -> Option<&N> {
        self.named.get(position).map(|(_, node)| node)
    }

    pub(super) fn name_at(&self, position: usize) -> Option<&str> {
        self.named.get(position).map(|(name, _)| name.as_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &N)> {
        self.named.iter().map(|(name, node)| (name.as_str(), node))
    }

    fn choices(&self) -> String {
        let names: Vec<String> = self.iter().map(|(name, _)| format!("`{name}`")).collect();
        match names.as_slice() {
            [] => "none".into(),
            names => names.join(", "),
        }
    }
}

/// The names alone: a node may be a URL with a password.
impl<N> fmt::Debug for Nodes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}

/// What happens to places without a route.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rest {
    /// The places have the default node, which is in this position.
    Node(usize),
    /// The places have no node.
    Refused,
    /// There must be no such places.
    Missing,
}

impl Rest {
    /// The node of a place without a route; `missing` describes the place.
    pub(super) fn node(
        self,
        missing: impl FnOnce() -> String,
    ) -> Result<Option<usize>, RoutesError> {
        match self {
            Self::Node(position) => Ok(Some(position)),
            Self::Refused => Ok(None),
            Self::Missing => Err(RoutesError::Gap { missing: missing() }),
        }
    }
}

//! One program for orders and rides in several regions, each with its own database. An id says which
//! country and which service it belongs to, so each instance answers for all of them.

mod config;
mod ids;
pub mod instance;
pub mod moving;
mod store;

pub use crate::config::Config;
pub use crate::ids::{MESH, MeshId, Pair, describe, pairs};
pub use crate::store::{Place, Store};

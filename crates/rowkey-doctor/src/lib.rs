#![doc = include_str!("../README.md")]
//!
//! A [`Survey`] takes the rows of a column one by one, in bounded memory and without a database. It
//! ranks the evidence: version and variant, plausible times, the order of insertion, a column of
//! times. Random UUIDs are never called anything else: a format is only named if chance does not
//! explain the rows.
//!
//! [`examine`] reads the rows of a database: a sample of them in the order of their insertion, or
//! all. Plans ask shorter questions: [`stored_ids`] answers those of a copy, [`contradiction`]
//! those of a change.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answers;
mod database;
mod evidence;
mod values;

pub use answers::diagnosis::{Candidate, Diagnosis};
pub use answers::witness::Witness;
pub use database::contradiction::contradiction;
pub use database::examination::examine;
pub use database::report::Report;
pub use database::request::Request;
pub use database::stored_ids::stored_ids;
pub use values::damage::{Damage, DamageKind};
pub use values::observation::{Observation, StoredValue};
pub use values::part::Certainty;
pub use values::survey::Survey;

pub use rowkey_tables::{Address, Connection, Error, Progress, Silent};

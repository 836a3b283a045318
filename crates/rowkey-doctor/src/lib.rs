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

mod bits;
mod byte_order;
mod chance;
mod contradiction;
mod counter;
mod damage;
mod declaration;
mod diagnosis;
mod examination;
mod hypothesis;
mod look;
mod machines;
mod makers;
mod numbers;
mod observation;
mod part;
mod random;
mod readable;
mod reading;
mod report;
mod request;
mod reservoir;
mod rest;
mod row_groups;
mod sample;
mod session;
mod source;
mod stored_ids;
mod survey;
mod surveyor;
mod tallies;
mod timeline;
mod uuids;
mod version_bits;
mod window;
mod witness;

pub use contradiction::contradiction;
pub use damage::{Damage, DamageKind};
pub use diagnosis::{Candidate, Diagnosis};
pub use examination::examine;
pub use observation::{Observation, StoredValue};
pub use part::Certainty;
pub use report::Report;
pub use request::Request;
pub use stored_ids::stored_ids;
pub use survey::Survey;
pub use witness::Witness;

pub use rowkey_tables::{Address, Connection, Error, Progress, Silent};

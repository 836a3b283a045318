//! What the tables of the target consist of besides rows.

pub(crate) mod checks;
pub(crate) mod conditions;
pub(crate) mod counters;
pub(crate) mod create;
pub(crate) mod defaults;
pub(crate) mod index_rules;
pub(crate) mod key_sequences;
pub(crate) mod objects;
pub(crate) mod omissions;
pub(crate) mod sequences;
pub(crate) mod sql_text;

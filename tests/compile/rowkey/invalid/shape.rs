//! Items that do not have the shape of a key.

use rowkey::{ShortPrefixComb, UuidV7, entity_key};

#[entity_key]
pub struct Named {
    pub value: UuidV7,
}

#[entity_key]
pub struct Unit;

#[entity_key]
pub struct Pair(UuidV7, UuidV7);

#[entity_key]
pub enum Either {
    One(UuidV7),
}

#[entity_key]
pub struct Generic<const INTERVAL_MS: u64>(ShortPrefixComb<INTERVAL_MS>);

#[entity_key]
#[derive(Debug, Clone)]
pub struct Open(pub UuidV7);

#[entity_key]
fn function() {}

fn main() {
    let _ = Open::generate();
}

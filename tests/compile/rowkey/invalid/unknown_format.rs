//! A field of another type than a format.

use rowkey::entity_key;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u64);

#[entity_key(storage(postgres = "uuid"))]
pub struct CustomerId(Number);

fn main() {}

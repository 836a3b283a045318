//! What each row's value says by itself, in bounded memory.

pub(crate) mod chance;
pub(crate) mod damage;
pub(crate) mod hypothesis;
pub(crate) mod look;
pub(crate) mod observation;
pub(crate) mod part;
pub(crate) mod reading;
pub(crate) mod reservoir;
pub(crate) mod survey;
pub(crate) mod tallies;
pub(crate) mod version_bits;
pub(crate) mod window;

//! The result of the creating functions.

/// An entity that exists now, and which call has created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created<T> {
    /// The entity; for [`create_once`](crate::create_once), its key.
    pub entity: T,
    /// Which call has created it.
    pub by: CreatedBy,
}

/// Which call has created an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreatedBy {
    /// This call.
    ThisCall,
    /// An earlier call, or one at the same time that was faster.
    EarlierCall,
}

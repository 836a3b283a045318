//! What the creating functions return.

/// An entity that is there now, and which call has created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created<T> {
    /// The entity; its key in the answer of [`create_once`](crate::create_once).
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

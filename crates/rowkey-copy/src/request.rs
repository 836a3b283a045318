//! How a copy is done.

/// How many readers and writers there are at most.
pub const MAX_JOBS: u32 = 64;

/// How a copy is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whether the tables of the target are made. Otherwise they have to exist, and to be empty
    /// unless the plan says what becomes of their rows.
    pub create: bool,
    /// How many tables, and parts of large tables, are copied at the same time, each with two
    /// connections of its own. SQLite is read and written by one at a time, whatever this says.
    pub jobs: u32,
    /// About how many rows a part has, if several are copied at the same time.
    pub part_rows: u32,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            create: false,
            jobs: 1,
            part_rows: 100_000,
        }
    }
}

//! What the doctor says of tables in memory.

mod declarations;
mod formats;
mod frameworks;
mod java;
mod mixtures;
mod native_uuid;
mod orders;
mod other_makers;
mod random_tables;
mod references;
mod tables;

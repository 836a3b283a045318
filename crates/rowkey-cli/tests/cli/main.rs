//! Runs the `rowkey` binary as users do: arguments, standard input, outputs, exit code.

mod bad_input;
mod combs;
mod ddl;
mod distributed_ids;
#[cfg(feature = "databases")]
mod doctor;
mod encoders;
mod hot_guids;
mod inspecting;
mod iuids;
mod luuids;
mod new_ids;
mod pages;
mod prefixes;
mod program;
mod public_ids;
mod ranges;
mod sorting;
mod sql;
mod streams;
mod usage;
mod validation;
mod vectors;

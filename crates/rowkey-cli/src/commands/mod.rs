//! The commands, one file each.

#[cfg(feature = "databases")]
pub(crate) mod chunks;
mod completions;
mod convert;
#[cfg(feature = "databases")]
pub(crate) mod copy;
mod crc12;
mod ddl;
#[cfg(feature = "databases")]
pub(crate) mod doctor;
mod inspect;
#[cfg(feature = "databases")]
pub(crate) mod inventory;
mod new;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "databases")]
pub(crate) mod plan;
#[cfg(feature = "databases")]
pub(crate) mod preflight;
mod public_id;
mod range;
#[cfg(feature = "databases")]
pub(crate) mod relayout;
mod sort;
mod sql;
mod validate;
#[cfg(feature = "databases")]
pub(crate) mod verify;

use crate::args::{Cli, Command, PublicId};
use crate::failure::{Outcome, Stop};

/// Runs the command of a command line.
pub(crate) fn run(cli: &Cli) -> Result<Outcome, Stop> {
    let json = cli.json;
    match &cli.command {
        Command::New(args) => new::run(args, json),
        Command::Inspect(args) => inspect::run(args, json),
        Command::Convert(args) => convert::run(args, json),
        Command::Validate(args) => validate::run(args, json),
        Command::Sort(args) => sort::run(args, json),
        Command::PublicId(PublicId::Encode(args)) => public_id::encode(args, json),
        Command::PublicId(PublicId::Decode(args)) => public_id::decode(args, json),
        Command::Crc12(args) => crc12::run(args, json),
        Command::Range(args) => range::run(args, json),
        Command::Sql(args) => sql::run(args, json),
        Command::Ddl(args) => ddl::run(args, json),
        #[cfg(feature = "databases")]
        Command::Inventory(args) => inventory::run(args, json),
        #[cfg(feature = "databases")]
        Command::Doctor(args) => doctor::run(args, json),
        #[cfg(feature = "databases")]
        Command::Plan(args) => plan::run(args, json),
        #[cfg(feature = "databases")]
        Command::Copy(args) => copy::run(args, json),
        #[cfg(feature = "databases")]
        Command::Chunks(args) => chunks::run(args, json),
        #[cfg(feature = "databases")]
        Command::Preflight(args) => preflight::run(args, json),
        #[cfg(feature = "databases")]
        Command::Relayout(args) => relayout::run(args, relayout::ChangeKind::Relayout, json),
        #[cfg(feature = "databases")]
        Command::Rekey(args) => relayout::run(args, relayout::ChangeKind::Rekey, json),
        #[cfg(feature = "databases")]
        Command::Verify(args) => verify::run(args, json),
        Command::Completions(args) => completions::run(args),
    }
}

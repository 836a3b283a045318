//! The commands, one file each.

mod completions;
mod convert;
mod crc12;
mod ddl;
mod inspect;
mod new;
mod public_id;
mod range;
mod sort;
mod sql;
mod validate;

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
        Command::Completions(args) => completions::run(args),
    }
}

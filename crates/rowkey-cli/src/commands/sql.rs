//! `rowkey sql`.

use rowkey_core::Error;
use rowkey_core::error::ErrorKind;
use rowkey_sql::{Conversion, StoredForm};

use crate::args::{Sql, SqlShape};
use crate::failure::{Failure, Outcome, Stop};
use crate::statements::{self, Part};
use crate::target::column_name;

/// Prints the SQL.
pub(super) fn run(args: &Sql, json: bool) -> Result<Outcome, Stop> {
    let from = form(args, "--from", &args.from)?;
    if args.table.is_none() && args.shape == SqlShape::View {
        return Err(Stop::Failure(Failure::wrong_usage(
            "a view needs its table",
            "write --as view --table and the name of the table",
        )));
    }
    if args.table.is_some() && args.shape == SqlShape::Function {
        return Err(Stop::Failure(Failure::wrong_usage(
            "a function is of no table",
            "write --as function without --table",
        )));
    }
    let column = column_name(args.table.as_deref(), &args.column)?;
    let parts = match args.shape {
        SqlShape::Condition | SqlShape::Time => {
            if args.to.is_some() {
                return Err(Stop::Failure(Failure::wrong_usage(
                    "--to belongs to a conversion",
                    "leave out --to, or --as",
                )));
            }
            let column = column.quoted(args.backend)?;
            let sql = match args.shape {
                SqlShape::Condition => from.condition(&column),
                _ => from.unix_millis(&column),
            };
            vec![Part::Piece(sql.map_err(refused)?)]
        }
        SqlShape::Expression => {
            let expression = conversion(args, from)?.expression(column)?;
            vec![Part::Piece(expression)]
        }
        SqlShape::Function => {
            let there = conversion(args, from)?;
            let name = |from: StoredForm, to: StoredForm| {
                format!("rowkey_{}_to_{}", name_of(from), name_of(to))
            };
            let to = there.to();
            let mut functions = Vec::new();
            for (conversion, name) in [(there, name(from, to)), (there.reversed(), name(to, from))]
            {
                functions.push(Part::Statement(
                    conversion.function(&name).map_err(refused)?,
                ));
            }
            functions
        }
        SqlShape::View => {
            let table = args.table.as_deref().unwrap_or_default();
            let converted = format!("{}_public", args.column);
            let view = format!("{table}_public");
            let view = match args.to {
                Some(_) => {
                    conversion(args, from)?.view(view.as_str(), table, &args.column, &converted)?
                }
                None => from.public_view(view.as_str(), table, &args.column, &converted)?,
            };
            vec![Part::Statement(view)]
        }
    };
    statements::print(args.backend, &parts, json)
}

fn conversion(args: &Sql, from: StoredForm) -> Result<Conversion, Failure> {
    let Some(to) = args.to.as_deref() else {
        return Err(Failure::wrong_usage(
            "a conversion needs --to",
            "write --to and a storage, such as uuid or text:public",
        ));
    };
    Conversion::new(from, form(args, "--to", to)?).map_err(refused)
}

fn form(args: &Sql, option: &str, name: &str) -> Result<StoredForm, Failure> {
    StoredForm::named(args.format, args.backend, name).map_err(|reason| {
        Failure::wrong_usage(
            format_args!(
                "{option} {name} for {} on {}: {reason}",
                args.format.name(),
                args.backend
            ),
            "`rowkey help sql` lists the storages and the layouts",
        )
    })
}

/// A form that SQL does not convert or read.
fn refused(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Declaration => {
            Failure::wrong_usage(error, "`rowkey help sql` says what SQL does not do")
        }
        _ => error.into(),
    }
}

fn name_of(form: StoredForm) -> String {
    format!("{}_{}", form.storage(), form.layout()).replace('-', "_")
}

//! `rowkey plan`.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use rowkey_copy::{self as copy, Choices, ExistingRows, Planned};
use rowkey_core::Backend;
use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;
use rowkey_doctor as doctor;
use rowkey_relayout::plan::{OldPrograms, Plan, Policy, Request};
use rowkey_tables::catalog::{Catalog, QualifiedName, creation_time};
use rowkey_tables::{Connection, Error, Silent};
use serde::Serialize;

#[cfg(feature = "parquet")]
use crate::commands::parquet;
use crate::database::{Database, Target, progress, with_both};
use crate::failure::{Failure, Outcome, Stop};
use crate::format_argument::format_parser;
use crate::plan_file;
use crate::stream::{json_line, print};

/// Write a plan for a change of a key, or for a copy, as a TOML file to read and edit
///
/// With --table, the plan names the key, every column that refers to it, the forms of the ids
/// before and after, and how the change is made. Without, it is for `rowkey copy`, and names all
/// tables and what their columns become in the database of --target. It contains no SQL. With
/// --json, it is also printed as one JSON object; only the file of --output is a plan that other
/// commands read.
#[derive(Debug, Args)]
pub(crate) struct Plans {
    #[command(flatten)]
    database: Database,

    #[command(flatten)]
    target: Target,

    /// The table of the key
    #[arg(long, value_name = "[SCHEMA.]NAME", requires = "to", conflicts_with_all = ["target", "target_file"])]
    table: Option<String>,

    /// The column of the key
    #[arg(long, value_name = "NAME", default_value = "id")]
    column: String,

    /// How the new columns store the ids, such as uuid or uuid:prefix
    #[arg(long, value_name = "STORAGE[:LAYOUT]", requires = "table")]
    to: Option<String>,

    /// The format of the ids [default: what `rowkey doctor` finds]
    #[arg(short, long, value_parser = format_parser())]
    format: Option<FormatKind>,

    /// How the column stores them now [default: what `rowkey doctor` finds]
    #[arg(long, value_name = "STORAGE[:LAYOUT]", conflicts_with = "rekey")]
    from: Option<String>,

    /// Give all rows new ids, for `rowkey rekey`
    #[arg(long, requires = "format")]
    rekey: bool,

    /// The column with the time at which a row was created, which its new id is to contain
    #[arg(long, value_name = "NAME", requires = "rekey")]
    created: Option<String>,

    /// A column that refers to the key without a constraint; repeatable
    #[arg(long, value_name = "TABLE.COLUMN", value_parser = parse_reference)]
    reference: Vec<(QualifiedName, String)>,

    /// How programs with the old declaration are kept from writing: rename columns, or ask for a
    /// mark
    #[arg(long, value_name = "HOW", value_parser = ["rename", "mark"], default_value = "rename")]
    old_programs: String,

    /// What a type becomes that the other database does not have; without, a person says it for
    /// each column
    #[arg(long, value_name = "TYPE", value_parser = ["text"], conflicts_with = "table")]
    types: Option<String>,

    /// What becomes of digits after the second that a column of the other database has no place
    /// for; without, such times are refused
    #[arg(long, value_name = "HOW", value_parser = ["cut"], conflicts_with = "table")]
    fractions: Option<String>,

    /// What becomes of the rows that tables of the other database have already, such as those that
    /// migrations have put there; without, such tables are refused
    #[arg(long, value_name = "HOW", value_parser = ["delete", "keep", "merge"], conflicts_with = "table")]
    existing_rows: Option<String>,

    /// What becomes of ids of which something is assumed, such as the order of random bytes
    #[arg(long, value_name = "HOW", value_parser = ["convert", "keep"], default_value = "convert",
        conflicts_with = "table")]
    assumed_ids: String,

    /// The file to write, which must not exist [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn parse_reference(text: &str) -> Result<(QualifiedName, String), String> {
    match text.rsplit_once('.') {
        Some((table, column)) if !table.is_empty() && !column.is_empty() => {
            Ok((table.into(), column.into()))
        }
        _ => Err("write the table, a dot and the column: booking.offer_id".into()),
    }
}

/// Writes the plan.
pub(super) fn run(args: &Plans, json: bool) -> Result<Outcome, Stop> {
    let Written { text, object } = match (&args.table, &args.to) {
        (Some(table), Some(to)) => args.change(table, to)?,
        _ => args.copy(json)?,
    };
    match &args.output {
        None if json => {}
        None => print(text.as_bytes())?,
        Some(path) => {
            // A plan that was edited must not be lost.
            let file = OpenOptions::new().write(true).create_new(true).open(path);
            let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|error| {
                Failure::bad_input(
                    format_args!("the file {} cannot be written: {error}", path.display()),
                    "name a file that does not exist in a folder that does",
                )
            })?;
        }
    }
    if json {
        print(&object)?;
    }
    Ok(Outcome::Complete)
}

/// A plan for people, and as a JSON object.
struct Written {
    text: String,
    object: Vec<u8>,
}

impl Written {
    fn new(text: String, plan: &impl Serialize) -> Self {
        let mut object = Vec::new();
        json_line(&mut object, plan);
        Self { text, object }
    }
}

impl Plans {
    /// The plan for a change of a key.
    fn change(&self, table: &str, to: &str) -> Result<Written, Failure> {
        let plan = self
            .database
            .with(async |connection| self.plan(connection, table, to).await)?;
        Ok(Written::new(text(&plan)?, &plan))
    }

    /// The plan for a copy of all tables.
    fn copy(&self, json: bool) -> Result<Written, Failure> {
        let mut progress = progress(json);
        #[cfg(feature = "parquet")]
        let files = parquet::plan(&self.database, &self.target, &mut *progress)?;
        #[cfg(not(feature = "parquet"))]
        let files = None;
        let choices = self.choices();
        let Planned {
            plan,
            ids,
            occupied,
            misfits,
        } = match files {
            Some(plan) => Planned {
                plan,
                ids: Vec::new(),
                occupied: Vec::new(),
                misfits: Vec::new(),
            },
            None => with_both(&self.database, &self.target, async |source, target| {
                copy::plan(source, target, choices, &mut *progress, doctor::stored_ids).await
            })?,
        };
        let mut text = String::from(
            "# Names, types and policies; never SQL. Read it, and edit it if need be: what has no entry is \
             not copied.\n# Then: rowkey copy, rowkey verify.\n\n",
        );
        text += &plan.to_toml()?;
        if !ids.is_empty() {
            text += "\n# Ids; `keep = true` keeps those of a column as they are:\n";
        }
        for line in ids {
            text += &format!("# {line}\n");
        }
        if !misfits.is_empty() {
            text += "\n# What has no place in the target; `rowkey preflight` looks at the values too:\n";
        }
        for misfit in misfits {
            text += &format!("# {}\n", misfit.replace('\n', "\n# "));
        }
        if !occupied.is_empty() {
            let names: Vec<String> = occupied.iter().map(ToString::to_string).collect();
            text += &format!(
                "\n# Tables of the target that have rows: {}.\n# Write the plan again with --existing-rows delete, \
                 keep or merge, or write it for each, as in\n# existing-rows = \"delete\"\n",
                names.join(", ")
            );
        }
        Ok(Written::new(text, &plan))
    }

    fn choices(&self) -> Choices {
        Choices {
            unknown_types_as_text: self.types.is_some(),
            cuts_fractions: self.fractions.is_some(),
            keeps_assumed_ids: self.assumed_ids == "keep",
            existing_rows: match self.existing_rows.as_deref() {
                Some("delete") => Some(ExistingRows::Delete),
                Some("merge") => Some(ExistingRows::Merge),
                Some(_) => Some(ExistingRows::Keep),
                None => None,
            },
        }
    }

    async fn plan(
        &self,
        connection: &mut Connection,
        table: &str,
        to: &str,
    ) -> Result<Plan, Error> {
        let catalog = Catalog::read(connection).await?;
        let name = in_own_schema(connection, table.into()).await?;
        let table = catalog.table(&name)?;
        table.column(&self.column).ok_or_else(|| Error::Missing {
            what: format!("the column {} of the table {name}", self.column),
        })?;
        if let Some(created) = &self.created {
            creation_time::unix_millis(catalog.backend, table, created, "")?;
        }
        // Clap refuses it with --rekey.
        let mut from = self.from.clone();
        let format = match self.format {
            Some(format) if from.is_some() || self.rekey => format,
            given => {
                let found = found(connection, &name, &self.column).await?;
                from = from.or(Some(found.1));
                given.unwrap_or(found.0)
            }
        };
        let request = Request {
            table: name,
            column: self.column.clone(),
            format,
            from,
            to: to.to_owned(),
            created: self.created.clone(),
            unasserted: self.reference.clone(),
            policy: Policy {
                old_programs: match self.old_programs.as_str() {
                    "mark" => OldPrograms::Mark,
                    _ => OldPrograms::Rename,
                },
                ..Policy::default()
            },
        };
        Plan::for_key(&catalog, &request)
    }
}

/// The file, beginning with what to do with it.
fn text(plan: &Plan) -> Result<String, Error> {
    let command = plan_file::command(plan);
    let mut text = String::from(
        "# Names, storages and policies; never SQL. Read it, and edit it if need be.\n",
    );
    text += &format!("# Then: rowkey preflight, rowkey {command}, rowkey verify.\n");
    text += "\n";
    text += &plan.to_toml()?;
    Ok(text)
}

/// What the column holds, if it was not said: the format and the form.
async fn found(
    connection: &mut Connection,
    table: &QualifiedName,
    column: &str,
) -> Result<(FormatKind, String), Error> {
    let request = doctor::Request::new(table.clone(), column);
    let report = doctor::examine(connection, &request, &mut Silent).await?;
    let format = report.format.map(str::parse).transpose()?;
    let form = report
        .storage
        .zip(report.layout.or_else(|| layout_of_text(&report)));
    let damaged: u64 = report.damaged.iter().map(|damage| damage.count).sum();
    let others = match damaged {
        0 => String::new(),
        _ => format!(
            " {damaged} of the {} rows that were looked at have damaged values, which `rowkey doctor` shows.",
            report.sampled
        ),
    };
    match (format, form) {
        (Some(format), Some((storage, layout))) => Ok((format, format!("{storage}:{layout}"))),
        _ => Err(Error::Refused {
            what: format!("{table}.{column}"),
            why: format!(
                "its format and form cannot be told: {}{others}",
                report.evidence.join(" ")
            ),
            instead: "say them with --format and --from".into(),
        }),
    }
}

/// Text of random UUIDs is what people and programs see, so that it is the public form, though
/// nothing in the values tells the order of their bytes.
fn layout_of_text(report: &doctor::Report) -> Option<&'static str> {
    let is_public = |layout: Option<Layout>| layout.is_none_or(|layout| layout == Layout::Public);
    let mut candidates = report.candidates.iter();
    let is_text = report.storage?.starts_with("text")
        && report.certainty != doctor::Certainty::CannotTell
        && candidates.all(|candidate| is_public(candidate.layout));
    is_text.then(|| Layout::Public.name())
}

/// The name without its schema, which has to be the connection's own: what a change makes is made
/// there.
async fn in_own_schema(
    connection: &mut Connection,
    name: QualifiedName,
) -> Result<QualifiedName, Error> {
    let Some(schema) = &name.schema else {
        return Ok(name);
    };
    let (query, instead) = match connection.backend() {
        Backend::Postgres => (
            "SELECT current_schema()::text",
            format!(
                "choose the schema in the address: …?options=-csearch_path%3D{}",
                in_options(schema)
            ),
        ),
        Backend::MySql | Backend::MariaDb => (
            "SELECT DATABASE()",
            format!("connect to that database: mysql://user@host:3306/{schema}"),
        ),
        Backend::SqlServer => (
            "SELECT SCHEMA_NAME()",
            "connect as a user with that default schema".to_owned(),
        ),
        Backend::Sqlite => (
            "SELECT 'main'",
            "connect to the file of the table".to_owned(),
        ),
    };
    let rows = connection
        .query("the schema of the connection", query, &[])
        .await?;
    let own = rows.first().map_or(Ok(None), |row| row.optional_text(0))?;
    if own == Some(schema.as_str()) {
        return Ok(QualifiedName {
            schema: None,
            ..name
        });
    }
    Err(Error::Refused {
        what: format!("the table {name}"),
        why: format!(
            "a change is made in the schema of the connection, which is {}",
            own.unwrap_or("none")
        ),
        instead,
    })
}

/// The name of a schema of PostgreSQL as an address has it, behind `search_path`: in SQL, in a
/// command line of the server, and in a URL.
fn in_options(schema: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let needs_quotes =
        schema.starts_with(|first: char| first.is_ascii_digit()) || !schema.bytes().all(is_plain);
    let name = match needs_quotes {
        true => format!("\"{}\"", schema.replace('"', "\"\"")),
        false => schema.to_owned(),
    };
    let mut written = String::new();
    for character in name.chars() {
        if character == '\\' || character.is_ascii_whitespace() {
            written.push('\\');
        }
        written.push(character);
    }
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    written.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_schemas_are_written_for_an_address() {
        for (schema, expected) in [
            ("sales", "sales"),
            ("sales_2", "sales_2"),
            ("Sales", "%22Sales%22"),
            ("2nd", "%222nd%22"),
            ("Über x", "%22%C3%9Cber%5C%20x%22"),
            ("a\"b\\c", "%22a%22%22b%5C%5Cc%22"),
        ] {
            assert_eq!(in_options(schema), expected);
        }
    }
}

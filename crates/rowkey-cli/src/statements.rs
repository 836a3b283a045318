//! SQL on standard output.

use std::io::Write;

use rowkey_core::Backend;
use rowkey_core::storage::not_an_identifier;
use serde::Serialize;

use crate::failure::{Outcome, Stop, stays_in_line};
use crate::stream::{json_line, output};

/// A piece of SQL.
pub(crate) enum Part {
    /// A whole statement.
    Statement(String),
    /// An expression or a clause, to be put into a statement.
    Piece(String),
}

#[derive(Serialize)]
struct Answer<'a> {
    sql: &'a str,
}

/// Prints the pieces of SQL, each statement with its end.
pub(crate) fn print(backend: Backend, parts: &[Part], json: bool) -> Result<Outcome, Stop> {
    let mut output = output();
    let mut line = Vec::new();
    for part in parts {
        let (Part::Statement(sql) | Part::Piece(sql)) = part;
        let is_plain = |character| character == '\n' || stays_in_line(character);
        if !sql.chars().all(is_plain) {
            return Err(not_an_identifier("the name has a control character").into());
        }
        line.clear();
        if json {
            json_line(&mut line, &Answer { sql });
        } else {
            line.extend_from_slice(sql.as_bytes());
            line.extend_from_slice(match (part, backend) {
                (Part::Piece(_), _) => b"\n",
                // Some statements have to be alone in their batch.
                (Part::Statement(_), Backend::SqlServer) => b";\nGO\n",
                (Part::Statement(_), _) => b";\n",
            });
        }
        output.write_all(&line)?;
    }
    output.flush()?;
    Ok(Outcome::Complete)
}

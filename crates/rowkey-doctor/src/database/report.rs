//! The answer as one object and as text.

use std::fmt;

use rowkey_core::Backend;
use serde::Serialize;
use serde::ser::Serializer;

use crate::answers::declaration;
use crate::answers::diagnosis::{Candidate, Diagnosis};
use crate::database::request::Request;
use crate::values::damage::Damage;
use crate::values::part::{Certainty, number_of};

/// What the doctor says of a column. Its JSON is one object with the fields in this order.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The table, with its schema if the request named one.
    pub table: String,
    /// The column.
    pub column: String,
    /// How many rows the table has; an estimate if it is large and was not read in full.
    pub rows: u64,
    /// How many of them were looked at.
    pub sampled: u64,
    /// The name of the format that reads all ids, as in `--format`.
    pub format: Option<&'static str>,
    /// The name of the layout.
    pub layout: Option<&'static str>,
    /// The name of the storage.
    pub storage: Option<&'static str>,
    /// How sure the answer is.
    pub certainty: Certainty,
    /// The formats of the ids, the most frequent first.
    pub candidates: Vec<Candidate>,
    /// Values that aren't ids, or impossible ones.
    pub damaged: Vec<Damage>,
    /// The declaration that reads the column as it is, in Rust.
    pub declare: Option<String>,
    /// The command that comes next, if there is something to do.
    pub next: Option<String>,
    /// Why, the strongest reason first.
    pub evidence: Vec<String>,
}

impl Report {
    pub(crate) fn new(
        diagnosis: Diagnosis,
        backend: Backend,
        request: &Request,
        rows: u64,
    ) -> Self {
        let advice = declaration::advise(
            &diagnosis,
            backend,
            &request.table,
            &request.column,
            &request.options(),
        );
        let mut evidence = diagnosis.evidence;
        evidence.extend(advice.sentences);
        Self {
            table: request.table.to_string(),
            column: request.column.clone(),
            rows,
            sampled: diagnosis.sampled,
            format: diagnosis.format.map(|format| format.name()),
            layout: diagnosis.layout.map(|layout| layout.name()),
            storage: diagnosis.storage.map(|storage| storage.name()),
            certainty: diagnosis.certainty,
            candidates: diagnosis.candidates,
            damaged: diagnosis.damaged,
            declare: advice.declare,
            next: advice.next,
            evidence,
        }
    }
}

/// The names of format and layout, and the share to six digits.
impl Serialize for Candidate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Named {
            format: &'static str,
            layout: Option<&'static str>,
            share: f64,
        }
        Named {
            format: self.format.name(),
            layout: self.layout.map(|layout| layout.name()),
            share: (self.share * 1e6).round() / 1e6,
        }
        .serialize(serializer)
    }
}

/// The report for people.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = number_of(self.rows, "row");
        let looked = match self.sampled >= self.rows {
            true => "all looked at".to_owned(),
            false => format!("a sample of {} looked at", number_of(self.sampled, "row")),
        };
        writeln!(f, "{}.{}: {rows}, {looked}", self.table, self.column)?;
        let layout = |layout: Option<&str>| match layout {
            Some(layout) => format!(" in the `{layout}` layout"),
            None => String::new(),
        };
        match self.format {
            Some(format) => writeln!(
                f,
                "  holds     {format}{} ({})",
                layout(self.layout),
                self.certainty.name()
            )?,
            None => writeln!(f, "  holds     cannot tell")?,
        }
        if let Some(storage) = self.storage {
            writeln!(f, "  storage   {storage}")?;
        }
        if self.candidates.len() > 1 {
            writeln!(f, "  mixture")?;
            for candidate in &self.candidates {
                let format = candidate.format.name();
                let in_layout = layout(candidate.layout.map(|layout| layout.name()));
                writeln!(
                    f,
                    "    {:6.2} %  {format}{in_layout}",
                    candidate.share * 100.0
                )?;
            }
        }
        if !self.damaged.is_empty() {
            writeln!(f, "  damaged")?;
        }
        for damage in &self.damaged {
            let count = number_of(damage.count, "value");
            writeln!(f, "    {count}: {}", damage.kind.name())?;
            for example in &damage.examples {
                writeln!(f, "      {example}")?;
            }
        }
        writeln!(f, "  evidence")?;
        for sentence in &self.evidence {
            writeln!(f, "    {sentence}")?;
        }
        if let Some(declare) = &self.declare {
            writeln!(f, "  declare   {declare}")?;
        }
        if let Some(next) = &self.next {
            writeln!(f, "  next      {next}")?;
        }
        Ok(())
    }
}

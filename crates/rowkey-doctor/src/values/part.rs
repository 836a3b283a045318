//! The ids of one format within a column.

use rowkey_core::format::FormatKind;
use rowkey_core::storage::Layout;
use serde::Serialize;

use crate::values::chance::CERTAIN;
use crate::values::hypothesis::Hypothesis;

/// How sure the answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// Nothing in the rows tells it.
    CannotTell,
    /// The best explanation, but too few rows, or too little in them, to exclude others.
    Likely,
    /// Chance does not make such rows.
    Certain,
}

impl Certainty {
    /// The name in reports: `certain`, `likely` or `cannot-tell`.
    pub fn name(self) -> &'static str {
        match self {
            Self::CannotTell => "cannot-tell",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }

    pub(crate) fn of(chance: f64) -> Self {
        if chance < CERTAIN {
            Self::Certain
        } else {
            Self::Likely
        }
    }
}

/// Ids of one format within a column.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) format: FormatKind,
    pub(crate) layout: Option<Layout>,
    /// Other names of the same bits.
    pub(crate) twins: Vec<(FormatKind, Layout)>,
    pub(crate) rows: f64,
    pub(crate) certainty: Certainty,
    pub(crate) interval_ms: Option<u64>,
    /// Whether a layout has the order of the bytes.
    pub(crate) is_readable: bool,
}

impl Part {
    pub(crate) fn of(hypothesis: &Hypothesis, rows: f64, certainty: Certainty) -> Self {
        Self {
            format: hypothesis.format,
            layout: hypothesis.has_layout.then_some(hypothesis.layout),
            twins: hypothesis.twins.clone(),
            rows,
            certainty,
            interval_ms: None,
            is_readable: true,
        }
    }

    pub(crate) fn without_layout(format: FormatKind, rows: f64, certainty: Certainty) -> Self {
        Self {
            format,
            layout: None,
            twins: Vec::new(),
            rows,
            certainty,
            interval_ms: None,
            is_readable: true,
        }
    }

    /// Whether the ids are UUIDs of version 4 in the places of their text.
    pub(crate) fn is_v4(&self) -> bool {
        let is_v4 = matches!(
            self.format,
            FormatKind::UuidV4
                | FormatKind::ShortPrefixComb
                | FormatKind::ShortSuffixComb
                | FormatKind::PrefixComb
                | FormatKind::SuffixComb
        );
        is_v4 && self.layout != Some(Layout::SqlServer)
    }
}

/// A number of things: `1 row`, `1,234 rows`.
pub(crate) fn number_of(count: u64, what: &str) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match count {
        1 => format!("1 {what}"),
        _ => format!("{grouped} {what}s"),
    }
}

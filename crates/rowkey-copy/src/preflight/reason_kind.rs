//! Kinds of reasons against a copy, in the order in which a person goes through them.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReasonKind {
    Changed,
    Plan,
    Columns,
    Denied,
    Target,
    Objects,
    Values,
    Unique,
    References,
    Checks,
}

impl ReasonKind {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Changed => "tables that have changed",
            Self::Plan => "the plan",
            Self::Columns => "columns without a type",
            Self::Denied => "privileges",
            Self::Target => "the target",
            Self::Objects => "tables, indexes and references",
            Self::Values => "values without a place",
            Self::Unique => "unique keys",
            Self::References => "references of rows",
            Self::Checks => "checks",
        }
    }
}

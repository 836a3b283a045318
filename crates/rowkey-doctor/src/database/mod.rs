//! A column of a database: what is asked, how its rows are read, and the report.

pub(crate) mod contradiction;
pub(crate) mod examination;
pub(crate) mod readable;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod row_groups;
pub(crate) mod sample;
pub(crate) mod session;
pub(crate) mod source;
pub(crate) mod stored_ids;
pub(crate) mod surveyor;

//! Partitions by a number in a key.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use rowkey_core::__sql::NumberSize;
use rowkey_core::routing::RoutingPart;
use rowkey_core::{Backend, Error};

use crate::partitioned_table::{Dialect, Partition, Values};
use crate::refused::refused;

/// The partitions of a column of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    size: NumberSize,
    spans: Spans,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Spans {
    Lists(Vec<(String, Vec<u32>)>),
    /// Each range follows the one before it.
    Ranges(Vec<(String, RangeInclusive<u32>)>),
}

impl Spans {
    fn names(&self) -> impl Iterator<Item = &String> {
        let (lists, ranges) = match self {
            Self::Lists(lists) => (&lists[..], &[][..]),
            Self::Ranges(ranges) => (&[][..], &ranges[..]),
        };
        let lists = lists.iter().map(|(name, _)| name);
        lists.chain(ranges.iter().map(|(name, _)| name))
    }
}

impl Numbers {
    pub(crate) fn lists<P, N, L>(lists: impl IntoIterator<Item = (N, L)>) -> Result<Self, Error>
    where
        P: RoutingPart,
        N: Into<String>,
        L: IntoIterator<Item = P::Number>,
    {
        let mut known = BTreeSet::new();
        let list = |(name, numbers): (N, L)| {
            let name = name.into();
            let mut list = Vec::new();
            for number in numbers {
                if !known.insert(number) {
                    return Err(problem(name, "one of its numbers is listed before"));
                }
                list.push(number.into());
            }
            if list.is_empty() {
                return Err(problem(name, "it has no numbers"));
            }
            Ok((name, list))
        };
        let lists = lists.into_iter().take(TOO_MANY_PARTITIONS);
        let lists = lists.map(list).collect::<Result<Vec<_>, _>>()?;
        Self::new(P::SIZE, Spans::Lists(lists))
    }

    pub(crate) fn ranges<P, N>(
        ranges: impl IntoIterator<Item = (N, RangeInclusive<P::Number>)>,
    ) -> Result<Self, Error>
    where
        P: RoutingPart,
        N: Into<String>,
    {
        let mut end = None;
        let range = |(name, range): (N, RangeInclusive<P::Number>)| {
            let (first, last) = range.into_inner();
            let (name, first, last): (_, u32, u32) = (name.into(), first.into(), last.into());
            if first > last {
                return Err(problem(name, "its range is empty"));
            }
            if end.is_some_and(|end: u32| end.checked_add(1) != Some(first)) {
                return Err(problem(
                    name,
                    "it does not begin with the number after the previous partition",
                ));
            }
            end = Some(last);
            Ok((name, first..=last))
        };
        let ranges = ranges.into_iter().take(TOO_MANY_PARTITIONS);
        let ranges = ranges.map(range).collect::<Result<Vec<_>, _>>()?;
        Self::new(P::SIZE, Spans::Ranges(ranges))
    }

    fn new(size: NumberSize, spans: Spans) -> Result<Self, Error> {
        let names: Vec<&String> = spans.names().collect();
        if let Some(name) = names.iter().find(|name| name.is_empty()) {
            return Err(problem((*name).clone(), "it has no name"));
        }
        let mut known = BTreeSet::new();
        if let Some(name) = names.iter().find(|name| !known.insert(name.to_lowercase())) {
            return Err(problem(
                (*name).clone(),
                "there is another one of this name; MySQL and MariaDB ignore its case",
            ));
        }
        match names.len() {
            0 => {
                return Err(refused("a table has at least one partition; name one"));
            }
            TOO_MANY_PARTITIONS.. => return Err(too_many()),
            _ => {}
        }
        Ok(Self { size, spans })
    }

    /// How the backend divides the table, the type of the column, and the partitions.
    pub(crate) fn on(
        &self,
        backend: Backend,
        has_rest: bool,
    ) -> Result<(Dialect, String, Vec<Partition>), Error> {
        if has_rest {
            self.check_rest()?;
        }
        let dialect = match backend {
            Backend::Postgres => Dialect::Postgres,
            Backend::MySql | Backend::MariaDb => Dialect::MySql(backend),
            Backend::SqlServer => Dialect::SqlServer,
            Backend::Sqlite => {
                return Err(refused("SQLite has no partitioned tables"));
            }
        };
        let partition = |name: &String, values| Partition {
            name: name.clone(),
            suffix: name.clone(),
            values,
        };
        let partitions = match &self.spans {
            Spans::Lists(lists) => lists
                .iter()
                .map(|(name, numbers)| partition(name, Values::List(numbers.clone())))
                .collect(),
            Spans::Ranges(ranges) => ranges
                .iter()
                .map(|(name, range)| {
                    let values = Values::Range {
                        from: format!("{}", range.start()),
                        below: format!("{}", u64::from(*range.end()) + 1),
                    };
                    partition(name, values)
                })
                .collect(),
        };
        Ok((dialect, self.size.sql_type(backend).into(), partitions))
    }

    fn check_rest(&self) -> Result<(), Error> {
        let names: Vec<&String> = self.spans.names().collect();
        if let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case("rest")) {
            return Err(problem(
                (*name).clone(),
                "this is the name of the partition for all other rows",
            ));
        }
        if names.len() + 1 >= TOO_MANY_PARTITIONS {
            return Err(too_many());
        }
        Ok(())
    }
}

#[cold]
fn too_many() -> Error {
    refused("a table has at most 8192 partitions, including the rest")
}

/// The maximum of MySQL and MariaDB plus one. It is ample for the others, and stops an endless
/// iterator before it fills memory.
const TOO_MANY_PARTITIONS: usize = 8193;

#[cold]
fn problem(name: String, problem: &'static str) -> Error {
    refused(format!("the partition `{name}`: {problem}"))
}

//! The plan of a key: its column on every backend.

use super::backend::Backend;
use super::column::Column;
use super::column_type::Storage;
use crate::kind::FormatKind;
use crate::layout::Layout;
use crate::message::equal;
use crate::text::Width;

/// The storage and layout of a key on each backend.
///
/// A plan is a constant of the key, which drivers evaluate at compile time. MySQL and MariaDB share
/// one column, because drivers cannot distinguish the two servers.
///
/// ```
/// use rowkey_core::format::FormatKind;
/// use rowkey_core::storage::{Layout, Storage, StoragePlan};
/// use rowkey_core::Backend;
///
/// const PLAN: StoragePlan = StoragePlan::default_for(FormatKind::DistributedId)
///     .with(Backend::Postgres, "uuid");
/// assert_eq!(PLAN.column(Backend::Postgres).storage(), Storage::Uuid);
/// assert_eq!(PLAN.column(Backend::Sqlite).storage(), Storage::Decimal);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoragePlan {
    postgres: Column,
    mysql_protocol: Column,
    sqlite: Column,
    sql_server: Column,
}

impl StoragePlan {
    /// The default plan of a format.
    pub const fn default_for(format: FormatKind) -> Self {
        DEFAULTS[format as usize]
    }

    const fn of_defaults(format: FormatKind) -> Self {
        Self {
            postgres: default_column(format, Backend::Postgres),
            mysql_protocol: default_column(format, Backend::MySql),
            sqlite: default_column(format, Backend::Sqlite),
            sql_server: default_column(format, Backend::SqlServer),
        }
    }

    /// This plan with another column on one backend, as declared by
    /// `#[entity_key(storage(postgres = "uuid"))]`: a storage's name, optionally followed by a
    /// colon and a layout's name. `Backend::MySql` and `Backend::MariaDb` set the same column.
    ///
    /// # Panics
    ///
    /// If a name does not exist or the choice cannot keep the format's order. In a constant this is
    /// a compile error that says what to write instead.
    #[must_use]
    pub const fn with(self, backend: Backend, choice: &str) -> Self {
        match self.try_with(backend, choice) {
            Ok(plan) => plan,
            Err(refusal) => panic!("{}", refusal),
        }
    }

    /// [`with`](Self::with), or this plan unchanged if the choice cannot keep the format's order.
    ///
    /// For `#[entity_key]`, which checks each choice at its own location. Otherwise the error would
    /// be repeated wherever a driver evaluates the plan at compile time.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_if_possible(self, backend: Backend, choice: &str) -> Self {
        match self.try_with(backend, choice) {
            Ok(plan) => plan,
            Err(_) => self,
        }
    }

    /// [`with`](Self::with) for a choice made at run time.
    ///
    /// # Errors
    ///
    /// A message that says why the choice cannot keep the order, and what to write instead.
    pub const fn try_with(mut self, backend: Backend, choice: &str) -> Result<Self, &'static str> {
        let (storage, layout) = match parse_choice(choice) {
            Ok(choice) => choice,
            Err(refusal) => return Err(refusal),
        };
        let column = match Column::new(self.postgres.format(), backend, storage, layout) {
            Ok(column) => column,
            Err(refusal) => return Err(refusal),
        };
        match backend {
            Backend::Postgres => self.postgres = column,
            Backend::MySql | Backend::MariaDb => self.mysql_protocol = column,
            Backend::Sqlite => self.sqlite = column,
            Backend::SqlServer => self.sql_server = column,
        }
        Ok(self)
    }

    /// The column on a backend. MySQL and MariaDB share one column, which reports the backend that
    /// it was declared for.
    pub const fn column(&self, backend: Backend) -> Column {
        match backend {
            Backend::Postgres => self.postgres,
            Backend::MySql | Backend::MariaDb => self.mysql_protocol,
            Backend::Sqlite => self.sqlite,
            Backend::SqlServer => self.sql_server,
        }
    }

    /// The largest public value that fits every column of the plan.
    pub const fn max_value(&self) -> u128 {
        let mut max = self.postgres.max_value();
        let others = [self.mysql_protocol, self.sqlite, self.sql_server];
        let mut index = 0;
        while index < others.len() {
            let other = others[index].max_value();
            if other < max {
                max = other;
            }
            index += 1;
        }
        max
    }
}

/// The default plans by format. Not made for each key, because that is work for the compiler.
static DEFAULTS: [StoragePlan; FormatKind::ALL.len()] = {
    let mut plans = [StoragePlan::of_defaults(FormatKind::ALL[0]); FormatKind::ALL.len()];
    let mut index = 1;
    while index < plans.len() {
        plans[index] = StoragePlan::of_defaults(FormatKind::ALL[index]);
        index += 1;
    }
    plans
};

/// Numbers of 28 digits are decimals, numbers of 63 bits are integers, and 128 bits are uuids, in
/// the layout that keeps the format's order. The README shows the table of the default columns.
const fn default_column(format: FormatKind, backend: Backend) -> Column {
    let storage = match format.width() {
        Width::Decimal28 => Storage::Decimal,
        Width::I64 => Storage::Bigint,
        _ => Storage::Uuid,
    };
    match Column::new(format, backend, storage, None) {
        Ok(column) => column,
        Err(refusal) => panic!("{}", refusal),
    }
}

/// Reads `storage` or `storage:layout`.
pub const fn parse_choice(choice: &str) -> Result<(Storage, Option<Layout>), &'static str> {
    let mut colon = 0;
    while colon < choice.len() && choice.as_bytes()[colon] != b':' {
        colon += 1;
    }
    let (name, layout_name) = choice.split_at(colon);
    let mut storage = 0;
    while !equal(Storage::ALL[storage].name(), name) {
        storage += 1;
        if storage == Storage::ALL.len() {
            return Err(
                "no such storage: write `uuid`, `native-uuid`, `binary`, `decimal`, `text`, \
                 `text-upper`, `text-hex`, `text-hex-upper`, `text-compact`, `text-digits` or \
                 `bigint`, optionally followed by `:` and a layout",
            );
        }
    }
    let storage = Storage::ALL[storage];
    if layout_name.is_empty() {
        return Ok((storage, None));
    }
    let name = layout_name.split_at(1).1;
    let mut layout = 0;
    while !equal(Layout::ALL[layout].name(), name) {
        layout += 1;
        if layout == Layout::ALL.len() {
            return Err(
                "no such layout: write `public`, `public-unordered`, `prefix`, `suffix` or \
                 `sql-server` after the colon",
            );
        }
    }
    Ok((storage, Some(Layout::ALL[layout])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_matrix_is_what_each_storage_gets_without_a_layout() {
        for format in FormatKind::ALL {
            let plan = StoragePlan::default_for(format);
            for backend in Backend::ALL {
                let column = plan.column(backend);
                assert_eq!(column.format(), format);
                assert_eq!(
                    Column::new(format, column.backend(), column.storage(), None),
                    Ok(column),
                    "{format} on {backend}"
                );
            }
        }
    }

    #[test]
    fn declared_choices_are_read_or_refused_with_advice() {
        let plan = StoragePlan::default_for(FormatKind::DistributedId);
        let plan = plan.try_with(Backend::SqlServer, "uuid").unwrap();
        assert_eq!(plan.column(Backend::SqlServer).layout(), Layout::SqlServer);
        for (backend, choice, advice) in [
            (Backend::Postgres, "guid", "no such storage"),
            (Backend::Postgres, "uuid:", "no such layout"),
            (Backend::Postgres, "uuid:public:x", "no such layout"),
            (Backend::MySql, "native-uuid", "write `uuid`"),
            (Backend::MariaDb, "native-uuid", "damages some values"),
            (
                Backend::SqlServer,
                "uuid:public",
                "write `public-unordered`",
            ),
            (
                Backend::Postgres,
                "uuid:public-unordered",
                "leave the layout out",
            ),
            (Backend::Sqlite, "text-upper", "write `text`"),
            (Backend::MySql, "bigint", "only numbers of 63 bits"),
        ] {
            let refusal = plan.try_with(backend, choice).unwrap_err();
            assert!(refusal.contains(advice), "{choice}: {refusal}");
        }
    }

    #[test]
    fn a_number_that_the_database_counts_is_a_bigint_and_nothing_else() {
        let plan = StoragePlan::default_for(FormatKind::DatabaseNumber);
        for backend in Backend::ALL {
            assert_eq!(plan.column(backend).storage(), Storage::Bigint);
            for storage in Storage::ALL {
                let declared = plan.try_with(backend, storage.name());
                match storage {
                    Storage::Bigint => assert!(declared.is_ok()),
                    _ => assert!(declared.unwrap_err().contains("`bigint`"), "{storage}"),
                }
            }
        }
    }

    #[test]
    fn every_storage_and_layout_is_read_by_its_name() {
        for storage in Storage::ALL {
            assert_eq!(parse_choice(storage.name()), Ok((storage, None)));
            for layout in Layout::ALL {
                let choice = alloc::format!("{storage}:{layout}");
                assert_eq!(parse_choice(&choice), Ok((storage, Some(layout))));
            }
        }
    }
}

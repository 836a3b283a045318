//! The definition of a routing column.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::refused::refused;
use rowkey_core::routing::{RoutingColumn, RoutingPart};
use rowkey_core::storage::{TableName, quote_identifier};
use rowkey_core::{Backend, EntityKey, Error};

use crate::number;

/// The SQL that defines a [`RoutingColumn`] beside the column of its key.
///
/// ```
/// use rowkey_core::routing::{RoutingColumn, ShardKey};
/// use rowkey_core::{Backend, EntityKey, Error, HotGuid};
/// use rowkey_sql::RoutingColumnDefinition;
///
/// fn columns<K: EntityKey<Format = HotGuid>>() -> Result<String, Error> {
///     let shard = RoutingColumn::<K, ShardKey>::new("id", "shard");
///     shard.definition(Backend::Postgres) // "shard" bigint NOT NULL
/// }
/// ```
pub trait RoutingColumnDefinition: Sized {
    /// The definition of the column: `bigint` or `smallint`, in SQLite `INTEGER`, and NOT NULL.
    /// MySQL's unsigned types would need other Rust types than the other databases.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    fn definition(self, backend: Backend) -> Result<String, Error>;

    /// The constraint that the column has the number of the row's id, to be written after the
    /// columns of the table.
    ///
    /// MySQL before 8.0.16 parses a CHECK and ignores it: run the statements of
    /// [`triggers`](Self::triggers) there.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend, and `ErrorKind::Declaration`
    /// if the plan stores the key in MariaDB's own `UUID` type and the backend is MySQL.
    fn check(self, backend: Backend) -> Result<String, Error>;

    /// The primary key of the key's column and this column. The id comes first, so that the index
    /// also serves queries by the id alone.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend.
    fn primary_key(self, backend: Backend) -> Result<String, Error>;

    /// The statements that make MySQL before 8.0.16 refuse rows whose number differs from their
    /// id's: two triggers, named after the table and the column. None for other databases, where
    /// the [`check`](Self::check) does it.
    ///
    /// Beside a CHECK that is enforced, the triggers are superfluous and harmless. A server with a
    /// binary log lets only users with the privilege `SUPER` create them, unless
    /// `log_bin_trust_function_creators` is on. MySQL before 5.7.2 takes one trigger for each
    /// event, so a table can have only one such column there.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    fn triggers<'t>(
        self,
        backend: Backend,
        table: impl Into<TableName<'t>>,
    ) -> Result<Vec<String>, Error>;

    /// The SQL expression of the number in the key's column, which the CHECK compares. Use it to
    /// fill the column of an existing table, as in `INSERT INTO … SELECT`.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    fn expression(self, backend: Backend) -> Result<String, Error>;
}

impl<K, P> RoutingColumnDefinition for RoutingColumn<K, P>
where
    P: RoutingPart,
    K: EntityKey<Format = P::Format>,
{
    fn definition(self, backend: Backend) -> Result<String, Error> {
        let [_, name] = quoted_names(self, backend)?;
        Ok(format!("{name} {} NOT NULL", P::SIZE.sql_type(backend)))
    }

    fn check(self, backend: Backend) -> Result<String, Error> {
        let [key, name] = quoted_names(self, backend)?;
        Ok(format!(
            "CHECK ({})",
            is_equal::<K, P>(backend, &key, &name)?
        ))
    }

    fn primary_key(self, backend: Backend) -> Result<String, Error> {
        let [key, name] = quoted_names(self, backend)?;
        Ok(format!("PRIMARY KEY ({key}, {name})"))
    }

    fn triggers<'t>(
        self,
        backend: Backend,
        table: impl Into<TableName<'t>>,
    ) -> Result<Vec<String>, Error> {
        if backend != Backend::MySql {
            return Ok(Vec::new());
        }
        let TableName { schema, table } = table.into();
        let on = TableName { schema, table }.quoted(backend)?;
        let [key, name] = quoted_names(self, backend)?.map(|column| format!("NEW.{column}"));
        let condition = is_equal::<K, P>(backend, &key, &name)?;
        let trigger = |event: &str| {
            let [_, name] = self.plain_names();
            let name = format!("{table}_{name}_{}", event.to_ascii_lowercase());
            let trigger = TableName {
                schema,
                table: &name,
            };
            let trigger = trigger.quoted(backend)?;
            Ok(format!(
                "CREATE TRIGGER {trigger} BEFORE {event} ON {on} FOR EACH ROW IF NOT ({condition}) \
                 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a row has another number than its \
                 id'; END IF"
            ))
        };
        ["INSERT", "UPDATE"].into_iter().map(trigger).collect()
    }

    fn expression(self, backend: Backend) -> Result<String, Error> {
        number_of::<K, P>(backend, &self.key_name(backend)?)
    }
}

fn quoted_names<K, P>(column: RoutingColumn<K, P>, backend: Backend) -> Result<[String; 2], Error>
where
    P: RoutingPart,
    K: EntityKey<Format = P::Format>,
{
    let [key, name] = column.plain_names();
    // No database tells columns apart by case alone when their names are not quoted.
    if key.eq_ignore_ascii_case(name) {
        return Err(refused(
            "the number in a key has a column of its own, with another name than the key's column",
        ));
    }
    Ok([
        quote_identifier(backend, key)?,
        quote_identifier(backend, name)?,
    ])
}

/// The condition that a column has the number of a stored id.
fn is_equal<K, P>(backend: Backend, key: &str, column: &str) -> Result<String, Error>
where
    P: RoutingPart,
    K: EntityKey<Format = P::Format>,
{
    let number = number_of::<K, P>(backend, key)?;
    let equals = match backend {
        // The number of text with other digits is NULL, with which `=` is not false.
        Backend::MySql | Backend::MariaDb => "<=>",
        _ => "=",
    };
    Ok(format!("{column} {equals} {number}"))
}

fn number_of<K, P>(backend: Backend, key: &str) -> Result<String, Error>
where
    P: RoutingPart,
    K: EntityKey<Format = P::Format>,
{
    // Rejects a type that MySQL does not have. So far, no format with a routing number fits it.
    K::PLAN.column_type(backend)?;
    let column = K::PLAN.column(backend);
    number::expression(column, backend, P::FIELD, key)
}

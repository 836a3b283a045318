//! Time ranges and lists of keys as conditions of a query.

use std::borrow::Borrow;
use std::fmt;

use rowkey_core::driver::UuidWire;
use rowkey_core::routing::{RoutedConditionPart, RoutingColumn, RoutingPart};
use rowkey_core::storage::ColumnName;
use rowkey_core::time_range::{Bounds, ConditionPart};
use rowkey_core::{Backend, EntityKey};
use tiberius::{ColumnData, Query};

use crate::column_data::{column_of, encode, encode_bound};
use crate::error::MAX_PARAMETERS;
use crate::{Error, OrderedKey};

/// A condition on a column of keys, with its parameters.
///
/// `Display` writes the SQL.
///
/// Parameters of keys that are stored as text or bytes are written as `CAST(@P1 AS char(36))` or
/// `CAST(@P1 AS binary(16))`: tiberius sends all text as `nvarchar` and all bytes as `varbinary`,
/// for which the server would convert the column, not the parameter.
#[derive(Clone, Debug)]
pub struct Condition {
    sql: String,
    first_parameter: usize,
    parameters: Vec<ColumnData<'static>>,
}

impl Condition {
    /// The condition that a column holds one of the keys of a time span. It can follow `WHERE` or
    /// `AND`. The parameters are numbered from `first_parameter` on; the first parameter of a query
    /// is 1.
    ///
    /// An unbounded edge is omitted. A span without keys becomes `1 = 0`, one of all keys
    /// `IS NOT NULL`. A key over a short COMB can need two intervals, because its counter wraps
    /// around; `ORDER BY` then does not sort by time.
    ///
    /// A key that is declared with `public-unordered` has no such condition: see [`OrderedKey`].
    ///
    /// # Errors
    ///
    /// [`Error::Identifier`] for a name that is not valid in SQL Server, [`Error::ParameterZero`]
    /// if `first_parameter` is 0, [`Error::TooManyParameters`] beyond the 2,098 of one query.
    ///
    /// ```
    /// use rowkey::driver::tiberius::Condition;
    /// use rowkey::{EntityKey, ShortPrefixComb, UnixMillis, entity_key};
    /// use tiberius::Query;
    ///
    /// #[entity_key]
    /// struct OfferId(ShortPrefixComb);
    ///
    /// let hour = UnixMillis::new(1_700_000_000_000)..UnixMillis::new(1_700_003_600_000);
    /// let of_that_hour = Condition::within(("o", "id"), OfferId::bounds(hour), 2)?;
    ///
    /// let sql = format!("SELECT title FROM offer o WHERE language = @P1 AND {of_that_hour}");
    /// assert!(sql.ends_with("AND ([o].[id] >= @P2 AND [o].[id] < @P3)"));
    ///
    /// let mut query = Query::new(sql);
    /// query.bind("en");
    /// of_that_hour.bind(&mut query)?;
    /// // let rows = query.query(&mut client).await?;
    /// # assert_eq!(query.param_count(), 3);
    /// # Ok::<(), rowkey::driver::tiberius::Error>(())
    /// ```
    pub fn within<'a, K: OrderedKey>(
        column: impl Into<ColumnName<'a>>,
        bounds: impl Borrow<Bounds<K>>,
        first_parameter: usize,
    ) -> Result<Self, Error> {
        let name = quoted(column.into())?;
        let mut condition = Self::new(first_parameter)?;
        bounds.borrow().write_condition(|part| match part {
            ConditionPart::Sql(sql) => condition.push(sql),
            ConditionPart::Column => condition.push(&name),
            ConditionPart::Bound(bound) => condition.push_parameter::<K>(encode_bound(bound)),
        });
        condition.checked()
    }

    /// The condition that a column holds one of some keys: `IN (…)`, or `1 = 0` for an empty list.
    ///
    /// # Errors
    ///
    /// As [`within`](Self::within). Split a list that is too long, or pass it as a table-valued
    /// parameter.
    ///
    /// ```
    /// use rowkey::driver::tiberius::Condition;
    /// use rowkey::{UuidV7, entity_key};
    ///
    /// #[entity_key]
    /// struct VisitId(UuidV7);
    ///
    /// let visits = [VisitId::generate(), VisitId::generate()];
    /// let condition = Condition::in_keys("id", &visits, 1)?;
    /// assert_eq!(condition.to_string(), "[id] IN (@P1, @P2)");
    /// # Ok::<(), rowkey::driver::tiberius::Error>(())
    /// ```
    pub fn in_keys<'a, K: EntityKey>(
        column: impl Into<ColumnName<'a>>,
        keys: &[K],
        first_parameter: usize,
    ) -> Result<Self, Error> {
        Self::list(column.into(), ("1 = 0", " IN ("), keys, first_parameter)
    }

    /// The condition that a column holds a key, but none of these: `NOT IN (…)`, or `1 = 1` for an
    /// empty list.
    ///
    /// # Errors
    ///
    /// As [`in_keys`](Self::in_keys).
    pub fn not_in_keys<'a, K: EntityKey>(
        column: impl Into<ColumnName<'a>>,
        keys: &[K],
        first_parameter: usize,
    ) -> Result<Self, Error> {
        Self::list(column.into(), ("1 = 1", " NOT IN ("), keys, first_parameter)
    }

    fn list<K: EntityKey>(
        column: ColumnName<'_>,
        (without_keys, begin): (&str, &str),
        keys: &[K],
        first_parameter: usize,
    ) -> Result<Self, Error> {
        let name = quoted(column)?;
        let mut condition = Self::new(first_parameter)?;
        if keys.is_empty() {
            condition.push(without_keys);
            return Ok(condition);
        }
        condition.push(&name);
        for (index, key) in keys.iter().enumerate() {
            condition.push(if index == 0 { begin } else { ", " });
            condition.push_parameter::<K>(encode(*key));
        }
        condition.push(")");
        condition.checked()
    }

    /// The condition that a row has a key and its routing number, by which the server finds the
    /// partition. Without the number, the server searches all partitions.
    ///
    /// # Errors
    ///
    /// As [`within`](Self::within).
    ///
    /// ```
    /// use rowkey::driver::tiberius::Condition;
    /// use rowkey::routing::{RoutingColumn, ShardKey};
    /// use rowkey::{EntityKey, HotGuid, entity_key};
    ///
    /// #[entity_key]
    /// struct MissionId(HotGuid);
    ///
    /// const SHARD: RoutingColumn<MissionId, ShardKey> = RoutingColumn::new("id", "shard");
    ///
    /// let mission = MissionId::generate_for(&17);
    /// let condition = Condition::routed(SHARD, mission, 1)?;
    /// assert_eq!(condition.to_string(), "([id] = @P1 AND [shard] = @P2)");
    /// # Ok::<(), rowkey::driver::tiberius::Error>(())
    /// ```
    pub fn routed<K, P>(
        column: RoutingColumn<K, P>,
        key: K,
        first_parameter: usize,
    ) -> Result<Self, Error>
    where
        P: RoutingPart,
        K: EntityKey<Format = P::Format>,
    {
        let name = |name: Result<String, _>| name.map_err(Error::Identifier);
        let key_name = name(column.key_name(Backend::SqlServer))?;
        let name = name(column.name(Backend::SqlServer))?;
        let mut condition = Self::new(first_parameter)?;
        column.write_condition(key, |part| match part {
            RoutedConditionPart::Sql(sql) => condition.push(sql),
            RoutedConditionPart::KeyColumn => condition.push(&key_name),
            RoutedConditionPart::Key(key) => condition.push_parameter::<K>(encode(key)),
            RoutedConditionPart::Column => condition.push(&name),
            RoutedConditionPart::Number(number) => {
                condition.sql += &format!("@P{}", condition.next_parameter());
                condition.parameters.push(ColumnData::I64(Some(number)));
            }
        });
        condition.checked()
    }

    fn new(first_parameter: usize) -> Result<Self, Error> {
        if first_parameter == 0 {
            return Err(Error::ParameterZero);
        }
        Ok(Self {
            sql: String::new(),
            first_parameter,
            parameters: Vec::new(),
        })
    }

    fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    /// A placeholder for a parameter that is compared with a column, and its value.
    fn push_parameter<K: EntityKey>(&mut self, value: ColumnData<'static>) {
        let number = self.next_parameter();
        self.sql += &match const { column_of::<K>().uuid_wire() } {
            UuidWire::Text(form) => format!("CAST(@P{number} AS char({}))", form.width()),
            UuidWire::Bytes(length) => {
                format!("CAST(@P{number} AS binary({}))", length.bytes())
            }
            UuidWire::Uuid | UuidWire::Decimal(_) | UuidWire::Integer => {
                format!("@P{number}")
            }
        };
        self.parameters.push(value);
    }

    fn checked(self) -> Result<Self, Error> {
        match self.next_parameter() {
            next if next > MAX_PARAMETERS + 1 && !self.parameters.is_empty() => {
                Err(Error::TooManyParameters { last: next - 1 })
            }
            _ => Ok(self),
        }
    }

    /// The number of the next parameter in the query.
    pub fn next_parameter(&self) -> usize {
        self.first_parameter.saturating_add(self.parameters.len())
    }

    /// The values of the parameters, for `Client::query` and `Client::execute`.
    pub fn parameters(&self) -> &[ColumnData<'static>] {
        &self.parameters
    }

    /// Binds the parameters.
    ///
    /// # Errors
    ///
    /// [`Error::ParameterNumber`] if the parameters would not get the numbers in the SQL; nothing
    /// is bound then.
    pub fn bind(self, query: &mut Query<'_>) -> Result<(), Error> {
        let bound = query.param_count();
        if bound + 1 != self.first_parameter {
            return Err(Error::ParameterNumber {
                first: self.first_parameter,
                bound,
            });
        }
        query.bind_iter(self.parameters);
        Ok(())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sql)
    }
}

fn quoted(column: ColumnName<'_>) -> Result<String, Error> {
    column.quoted(Backend::SqlServer).map_err(Error::Identifier)
}

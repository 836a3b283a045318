//! Bounds of a time range as parameters and as the condition of a query.

use std::borrow::Borrow;
use std::fmt;

use rowkey_core::storage::ColumnName;
use rowkey_core::time_range::{Bounds, ConditionPart, KeyBound};
use rowkey_core::{Backend, EntityKey, Error};
use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::{Database, QueryBuilder, Type};

/// A [`KeyBound`] as the parameter of a query; made by [`ToParam::to_param`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundParam<K>(KeyBound<K>);

impl<K: EntityKey> fmt::Debug for BoundParam<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoundParam").field(&self.0).finish()
    }
}

/// The conversion of a [`KeyBound`] into a value that sqlx binds.
///
/// Neither the bound nor sqlx's traits belong to this crate, so the bound cannot be a parameter
/// itself. For a whole time range, [`PushWithin::push_within`] is shorter and includes the second
/// interval that a short COMB can need.
///
/// ```
/// use rowkey::driver::sqlx::ToParam;
/// use rowkey::{EntityKey, UnixMillis, UuidV7, entity_key};
/// use sqlx::{Connection, SqliteConnection};
///
/// #[entity_key]
/// struct VisitId(UuidV7);
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> sqlx::Result<()> {
/// let mut db = SqliteConnection::connect("sqlite::memory:").await?;
/// # sqlx::query("CREATE TABLE visit (id BLOB PRIMARY KEY)").execute(&mut db).await?;
/// # let id = VisitId::generate();
/// # sqlx::query("INSERT INTO visit VALUES (?)").bind(id).execute(&mut db).await?;
/// let since_2024 = VisitId::bounds(UnixMillis::new(1_704_067_200_000)..);
/// let edge = since_2024[0].lower.expect("the span has a beginning");
/// let count: i64 = sqlx::query_scalar("SELECT count(*) FROM visit WHERE id >= ?")
///     .bind(edge.to_param())
///     .fetch_one(&mut db)
///     .await?;
/// assert_eq!(count, 1);
/// # Ok(())
/// # }
/// ```
pub trait ToParam {
    /// The value that sqlx binds.
    type Param;

    /// Converts the value into a parameter.
    fn to_param(self) -> Self::Param;
}

impl<K: EntityKey> ToParam for KeyBound<K> {
    type Param = BoundParam<K>;

    fn to_param(self) -> BoundParam<K> {
        BoundParam(self)
    }
}

/// Time ranges as conditions of a [`QueryBuilder`].
pub trait PushWithin {
    /// Appends the condition that a column holds one of the keys of a time span, in parentheses, so
    /// it can follow `WHERE` or `AND`.
    ///
    /// An unbounded edge is omitted. A span without keys becomes `1 = 0`, one of all keys
    /// `IS NOT NULL`. A key over a short COMB can need two intervals, because its counter wraps
    /// around; `ORDER BY` then does not sort by time.
    ///
    /// # Errors
    ///
    /// `ErrorKind::Name` for a name that is not valid on the backend; nothing is appended then.
    ///
    /// ```
    /// use rowkey::driver::sqlx::PushWithin;
    /// use rowkey::{EntityKey, ShortPrefixComb, UnixMillis, entity_key};
    /// use sqlx::{Postgres, QueryBuilder};
    ///
    /// #[entity_key]
    /// struct OfferId(ShortPrefixComb);
    ///
    /// let hour = UnixMillis::new(1_700_000_000_000)..UnixMillis::new(1_700_003_600_000);
    /// let mut query = QueryBuilder::<Postgres>::new("SELECT title FROM offer o WHERE open AND ");
    /// query.push_within(("o", "id"), OfferId::bounds(hour))?;
    /// assert_eq!(
    ///     query.sql().as_str(),
    ///     r#"SELECT title FROM offer o WHERE open AND ("o"."id" >= $1 AND "o"."id" < $2)"#,
    /// );
    /// # Ok::<(), rowkey::Error>(())
    /// ```
    fn push_within<'a, K: EntityKey>(
        &mut self,
        column: impl Into<ColumnName<'a>>,
        bounds: impl Borrow<Bounds<K>>,
    ) -> Result<&mut Self, Error>;
}

fn push_within<'q, DB, K>(query: &mut QueryBuilder<DB>, column: &str, bounds: &Bounds<K>)
where
    DB: Database,
    K: EntityKey,
    BoundParam<K>: Encode<'q, DB> + Type<DB>,
{
    bounds.write_condition(|part| {
        match part {
            ConditionPart::Sql(sql) => query.push(sql),
            ConditionPart::Column => query.push(column),
            ConditionPart::Bound(bound) => query.push_bind(bound.to_param()),
        };
    });
}

macro_rules! impl_bounds {
    ($feature:literal, $DB:ident, $module:ident, $backend:expr) => {
        #[cfg(feature = $feature)]
        impl<K: EntityKey> Type<sqlx::$DB> for BoundParam<K> {
            fn type_info() -> <sqlx::$DB as Database>::TypeInfo {
                crate::$module::type_info::<K>()
            }
        }

        #[cfg(feature = $feature)]
        impl<K: EntityKey> Encode<'_, sqlx::$DB> for BoundParam<K> {
            fn encode_by_ref(
                &self,
                buffer: &mut <sqlx::$DB as Database>::ArgumentBuffer,
            ) -> Result<IsNull, BoxDynError> {
                crate::$module::encode_value::<K>(self.0.to_u128(), buffer)
            }
        }

        #[cfg(feature = $feature)]
        impl PushWithin for QueryBuilder<sqlx::$DB> {
            fn push_within<'a, K: EntityKey>(
                &mut self,
                column: impl Into<ColumnName<'a>>,
                bounds: impl Borrow<Bounds<K>>,
            ) -> Result<&mut Self, Error> {
                let column = column.into().quoted($backend)?;
                push_within(self, &column, bounds.borrow());
                Ok(self)
            }
        }
    };
}

impl_bounds!("postgres", Postgres, postgres, Backend::Postgres);
impl_bounds!("mysql", MySql, mysql, Backend::MySql);
impl_bounds!("sqlite", Sqlite, sqlite, Backend::Sqlite);

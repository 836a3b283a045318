//! In MySQL and MariaDB, conditions and changes meet one key among 20,000 neighbours.
//!
//! As floating-point numbers all of them are equal, and so both servers compare a DECIMAL column
//! with text: the answer is rows of other keys instead of an error. diesel-async sends the
//! parameters of a DECIMAL column as text.

use anyhow::{Context, Result, ensure};
use diesel::connection::LoadConnection;
use diesel::dsl::{case_when, sql};
use diesel::expression::BoxableExpression;
use diesel::mysql::Mysql;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Nullable, Text, Untyped};
use rowkey::driver::diesel::{Key, KeyColumnMethods, ToParam};
use rowkey::format::TimeOrdered;
use rowkey::storage::Nullability;
use rowkey::{Backend, EntityKey, UnixMillis};
use rowkey_testkit::TestDatabase;

use crate::diesel_queries::connection::{column, connect, connect_async, execute};
use crate::diesel_queries::keys::{InvoiceId, SettlementId};

diesel::table! {
    use diesel::sql_types::{Integer, Nullable};
    use super::{InvoiceId, Key, SettlementId};

    // All keys of a row are neighbours of those in the next row; only `id` has an index.
    bills {
        id -> Key<InvoiceId>,
        twin -> Key<InvoiceId>,
        parent -> Nullable<Key<InvoiceId>>,
        settlement -> Key<SettlementId>,
        position -> Integer,
    }
}

#[derive(Debug, PartialEq, Insertable, Queryable, AsChangeset)]
#[diesel(table_name = bills)]
struct Bill {
    id: InvoiceId,
    twin: InvoiceId,
    parent: Option<InvoiceId>,
    settlement: SettlementId,
    position: i32,
}

const ROWS: i32 = 20_000;
/// The row with the first keys of an instant, and two near it.
const SECOND: i32 = ROWS / 2;
const FIRST: i32 = SECOND - 2;
const THIRD: i32 = SECOND + 3;
const INSTANT: UnixMillis = UnixMillis::new(1_700_000_000_000);

/// The neighbouring keys of all rows.
fn keys<K: EntityKey<Format: TimeOrdered>>() -> Result<Vec<K>> {
    let range = K::bounds(INSTANT..).first().copied();
    let edge = range.and_then(|range| range.lower).context("has an edge")?;
    (edge.to_u128() - SECOND as u128..)
        .take(ROWS as usize)
        .map(|value| Ok(K::try_from(value)?))
        .collect()
}

/// A condition with its text, and the rows that it finds.
struct Condition {
    text: &'static str,
    sql: Box<dyn BoxableExpression<bills::table, Mysql, SqlType = Bool>>,
    is_expected: fn(i32) -> bool,
}

macro_rules! condition {
    ($condition:expr, $is_expected:expr) => {
        Condition {
            text: stringify!($condition),
            sql: Box::new($condition),
            is_expected: $is_expected,
        }
    };
}

fn conditions(invoices: &[InvoiceId], settlements: &[SettlementId]) -> Result<Vec<Condition>> {
    let rows = [FIRST, SECOND, THIRD].map(|position| position as usize);
    let [first, second, third] = rows.map(|row| invoices[row]);
    let range = InvoiceId::bounds(INSTANT..).first().copied();
    let edge = range.and_then(|range| range.lower).context("has an edge")?;
    let edge = edge.to_param();
    let mut conditions = Vec::new();
    macro_rules! of_column {
        ($column:expr) => {
            conditions.extend([
                condition!($column.eq(first), |row| row == FIRST),
                condition!($column.eq(second), |row| row == SECOND),
                condition!($column.ne(first), |row| row != FIRST),
                condition!($column.in_keys(&[first, third]), |row| row == FIRST
                    || row == THIRD),
                condition!($column.in_keys([second]), |row| row == SECOND),
                condition!($column.in_keys([] as [InvoiceId; 0]), |_| false),
                condition!($column.not_in_keys([first, third]), |row| row != FIRST
                    && row != THIRD),
                condition!($column.not_in_keys([] as [InvoiceId; 0]), |_| true),
                condition!($column.between(first, third), |row| (FIRST..=THIRD)
                    .contains(&row)),
                condition!($column.between(second, second), |row| row == SECOND),
                condition!($column.not_between(first, third), |row| !(FIRST..=THIRD)
                    .contains(&row)),
                condition!($column.gt(second), |row| row > SECOND),
                condition!($column.le(second), |row| row <= SECOND),
                condition!($column.within(InvoiceId::bounds(INSTANT..)), |row| row
                    >= SECOND),
                condition!($column.lt(edge), |row| row < SECOND),
                condition!($column.between(edge, edge), |row| row == SECOND),
            ]);
        };
    }
    of_column!(bills::id);
    of_column!(bills::twin);
    of_column!(bills::parent.assume_not_null());

    let [first_settlement, second_settlement, third_settlement] = rows.map(|row| settlements[row]);
    let chosen = case_when::<_, _, Key<InvoiceId>>(bills::position.eq(SECOND), first);
    conditions.extend([
        condition!(bills::parent.eq(first).assume_not_null(), |row| row
            == FIRST),
        condition!(
            bills::settlement.in_keys([first_settlement, third_settlement]),
            |row| row == FIRST || row == THIRD
        ),
        condition!(
            bills::settlement.between(second_settlement, second_settlement),
            |row| row == SECOND
        ),
        condition!(
            case_when::<_, _, Bool>(bills::twin.eq(first), true).otherwise(false),
            |row| row == FIRST
        ),
        condition!(bills::twin.eq(chosen.otherwise(third)), |row| row == THIRD),
        condition!(
            sql::<Bool>("CASE twin WHEN ")
                .bind::<Key<InvoiceId>, _>(first)
                .sql(" THEN 1 ELSE 0 END"),
            |row| row == FIRST
        ),
    ]);
    Ok(conditions)
}

fn run<C>(db: &mut C, backend: Backend) -> Result<()>
where
    C: LoadConnection<Backend = Mysql>,
{
    let columns = [
        column::<InvoiceId>(backend, "id", Nullability::NotNull)?,
        column::<InvoiceId>(backend, "twin", Nullability::NotNull)?,
        column::<InvoiceId>(backend, "parent", Nullability::Nullable)?,
        column::<SettlementId>(backend, "settlement", Nullability::NotNull)?,
    ]
    .join(", ");
    execute(
        db,
        &format!("CREATE TABLE bills ({columns}, position INT NOT NULL, PRIMARY KEY (id))"),
    )?;
    let (invoices, settlements) = (keys()?, keys()?);
    let rows: Vec<Bill> = (0..)
        .zip(&invoices)
        .zip(&settlements)
        .map(|((position, &id), &settlement)| Bill {
            id,
            twin: id,
            parent: Some(id),
            settlement,
            position,
        })
        .collect();
    for rows in rows.chunks(1_000) {
        diesel::insert_into(bills::table).values(rows).execute(db)?;
    }

    for Condition {
        text,
        sql,
        is_expected,
    } in conditions(&invoices, &settlements)?
    {
        let found: Vec<i32> = bills::table
            .filter(sql)
            .order(bills::position)
            .select(bills::position)
            .load(db)
            .context(text)?;
        let is_right = found
            .iter()
            .copied()
            .eq((0..ROWS).filter(|row| is_expected(*row)));
        ensure!(is_right, "{text} finds {} rows", found.len());
    }
    joins(db, &invoices)?;
    changes(db, rows)
}

/// Asks for the plan of a query.
#[derive(QueryId)]
struct Explain<Q>(Q);

impl<Q: QueryFragment<Mysql>> QueryFragment<Mysql> for Explain<Q> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Mysql>) -> QueryResult<()> {
        out.push_sql("EXPLAIN FORMAT=TRADITIONAL ");
        self.0.walk_ast(out)
    }
}

impl<Q> Query for Explain<Q> {
    type SqlType = Untyped;
}

impl<Q, C> RunQueryDsl<C> for Explain<Q> {}

#[derive(Debug, QueryableByName)]
struct Step {
    #[diesel(sql_type = Text, column_name = "type")]
    access: String,
    #[diesel(sql_type = Nullable<Text>)]
    key: Option<String>,
}

/// The primary key serves conditions on converted parameters.
fn index_use<C>(db: &mut C, invoices: &[InvoiceId]) -> Result<()>
where
    C: LoadConnection<Backend = Mysql>,
{
    let [first, third] = [FIRST, THIRD].map(|row| invoices[row as usize]);
    let conditions = [
        (condition!(bills::id.eq(first), |_| true), "const"),
        (
            condition!(bills::id.in_keys([first, third]), |_| true),
            "range",
        ),
        (
            condition!(bills::id.between(first, third), |_| true),
            "range",
        ),
    ];
    for (condition, access) in conditions {
        let query = bills::table.filter(condition.sql).select(bills::position);
        let steps: Vec<Step> = Explain(query).load(db).context(condition.text)?;
        let is_right = matches!(
            &steps[..],
            [step] if step.access == access && step.key.as_deref() == Some("PRIMARY")
        );
        ensure!(is_right, "{}: {steps:?}", condition.text);
    }
    Ok(())
}

fn joins<C>(db: &mut C, invoices: &[InvoiceId]) -> Result<()>
where
    C: LoadConnection<Backend = Mysql>,
{
    let [first, second] = [FIRST, SECOND].map(|row| invoices[row as usize]);
    let twins = diesel::alias!(bills as twins);
    let joined = bills::table
        .inner_join(twins.on(twins.field(bills::twin).nullable().eq(bills::parent)))
        .filter(bills::id.in_keys([first, second]))
        .filter(twins.field(bills::twin).ne(first))
        .select((bills::id, twins.field(bills::id)))
        .load::<(InvoiceId, InvoiceId)>(db)?;
    ensure!(joined == [(second, second)], "joined {joined:?}");
    Ok(())
}

fn changes<C>(db: &mut C, rows: Vec<Bill>) -> Result<()>
where
    C: LoadConnection<Backend = Mysql>,
{
    let [first, second, third] = [FIRST, SECOND, THIRD].map(|row| &rows[row as usize]);
    let count = diesel::update(bills::table.filter(bills::twin.eq(first.id)))
        .set((bills::parent.eq(Some(third.id)), bills::position.eq(-1)))
        .execute(db)?;
    ensure!(count == 1, "updated {count} rows");
    let expected = [
        Bill {
            parent: Some(third.id),
            position: -1,
            ..*first
        },
        Bill {
            twin: first.id,
            position: -2,
            ..*second
        },
    ];
    let count = diesel::update(bills::table.find(second.id))
        .set(&expected[1])
        .execute(db)?;
    ensure!(count == 1, "updated {count} rows");
    let changed: Vec<Bill> = bills::table
        .filter(bills::position.lt(0))
        .order(bills::position.desc())
        .load(db)?;
    ensure!(changed == expected, "{changed:?}");
    let count =
        diesel::delete(bills::table.filter(bills::settlement.eq(third.settlement))).execute(db)?;
    ensure!(count == 1, "deleted {count} rows");
    Ok(())
}

pub(crate) fn diesel(database: &TestDatabase) -> Result<()> {
    run(
        &mut connect::<MysqlConnection>(database)?,
        database.backend(),
    )
}

pub(crate) fn diesel_async(database: &TestDatabase) -> Result<()> {
    let db = &mut connect_async(database)?;
    run(db, database.backend())?;
    // Diesel's own connection does not get the columns of an `EXPLAIN` from MySQL 5.6.
    index_use(db, &keys()?)
}

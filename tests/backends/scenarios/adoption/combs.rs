//! Suffix COMBs in a column that sorts from the front, and COMBs among random ids.

use anyhow::{Result, ensure};
use rowkey::UnixMillis;

use super::keys::{AnyId, PrefixId, RandomId, ShortSuffixId, SuffixId};
use super::orders::{
    create_lines, create_orders, id_type, in_column_order, literal, orders, orders_with_lines,
};
use super::page_session::PageSession;
use super::references::commit_lines;
use super::values::{TIME, exchanged, sorted, stamped, timed, v4};
use crate::driver::{BoundsOf, Driver, KeyOf};
use crate::query::Query;
use crate::samples::Random;

/// Suffix COMBs as they were made: read as such only after their ends are exchanged.
pub(super) async fn suffix_combs_get_their_time_in_front<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()>
where
    RandomId: KeyOf<D>,
    SuffixId: KeyOf<D>,
    ShortSuffixId: KeyOf<D>,
{
    let mut random = Random::Seeded(16);
    let combs: Vec<u128> = (0..20)
        .map(|n| exchanged(timed(4, TIME + n, &mut random), 6))
        .collect();
    let by_value = sorted(combs.clone());
    create_orders(session, &combs).await?;
    ensure!(orders::<D, RandomId>(session).await? == by_value);
    let misread = orders::<D, SuffixId>(session).await?;
    ensure!(misread == sorted(combs.iter().map(|&id| exchanged(id, 6)).collect()));
    session.run_block("suffix-to-prefix").await?;
    ensure!(in_column_order::<D, SuffixId>(session).await? == combs);
    session.run_block("suffix-to-prefix").await?;
    ensure!(orders::<D, RandomId>(session).await? == by_value);

    let id_type = id_type(session.backend());
    create_lines(session, id_type).await?;
    session.run_block("with-lines").await?;
    commit_lines(session).await?;
    ensure!(in_column_order::<D, SuffixId>(session).await? == combs);
    ensure!(orders_with_lines::<D, SuffixId>(session).await? == by_value);
    let unknown = format!(
        "INSERT INTO order_lines VALUES (99, {})",
        literal(session.backend(), 7)
    );
    ensure!(
        session.execute(unknown).await.is_err(),
        "the constraint is gone"
    );

    session.execute("DROP TABLE order_lines").await?;
    session.execute("DROP TABLE orders").await?;
    let combs: Vec<u128> = (0..20_u128)
        .map(|n| exchanged(stamped(n << 112 | random.next_u128() >> 16, 4), 2))
        .collect();
    create_orders(session, &combs).await?;
    session.run_block("short-suffix-to-prefix").await?;
    ensure!(in_column_order::<D, ShortSuffixId>(session).await? == combs);
    Ok(())
}

/// Random ids and then COMBs: a key over COMBs reads them all, and its bounds mean some of them.
pub(super) async fn time_ranges_leave_out_old_random_ids<D: Driver>(
    session: &mut PageSession<'_, D>,
) -> Result<()>
where
    AnyId: KeyOf<D>,
    RandomId: KeyOf<D>,
    PrefixId: BoundsOf<D>,
{
    let mut random = Random::Seeded(24);
    let mut values: Vec<u128> = (0..20).map(|_| v4(&mut random)).collect();
    let combs: Vec<u128> = (0..10).map(|n| timed(4, TIME + n, &mut random)).collect();
    values.extend(&combs);
    create_orders(session, &values).await?;
    let values = sorted(values);
    ensure!(in_column_order::<D, AnyId>(session).await? == values);
    ensure!(in_column_order::<D, RandomId>(session).await? == values);
    ensure!(in_column_order::<D, PrefixId>(session).await? == values);

    let mut query = Query::new("SELECT id FROM orders WHERE ");
    let always = PrefixId::bounds(UnixMillis::new(0)..UnixMillis::new(4_102_444_800_000));
    BoundsOf::push_within(&mut query, "id", always);
    let found = session.fetch(query, |_| Ok(())).await?.len();
    ensure!(found == combs.len(), "{found} rows");
    Ok(())
}

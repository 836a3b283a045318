//! Guids of EF Core, NHibernate and SQL Server. `crates/rowkey/tests/other_makers.rs` makes them.

use anyhow::{Result, ensure};
use rowkey::storage::{Nullability, SqlServerOrd};
use rowkey::{AnyUuid, Backend, entity_key};
use uuid::Uuid;

use super::page_session::PageSession;
use crate::driver::{Driver, KeyOf, Session};
use crate::drivers::tiberius::Tiberius;
use crate::query::Query;

#[entity_key]
struct OrderId(AnyUuid);

/// Each later than the one before.
const EF_CORE: [&str; 3] = [
    "d01c25cc-63a7-47cc-6c81-08dc495e0f59",
    "0e6f4f0f-97a2-4b0c-6c82-08dc495e0f59",
    "3b1c25cc-0000-4fff-0000-08dc495e0f5a",
];
const GUID_COMB: [&str; 2] = [
    "d01c25cc-63a7-47cc-b5ba-b13a0047302f",
    "0e6f4f0f-97a2-4b0c-80c9-b13b00000001",
];
const NEWSEQUENTIALID: [&str; 2] = [
    "225ca4dc-9fda-e711-9a3b-005056c00008",
    "235ca4dc-9fda-e711-9a3b-005056c00008",
];
const RANDOM: [&str; 1] = ["d01c25cc-63a7-47cc-b5ba-6f0152e9a3d4"];

/// Stores guids by their text.
async fn create_orders(session: &mut Session<Tiberius>, guids: &[&str]) -> Result<()> {
    let plan = OrderId::PLAN;
    let id = plan.column_definition(Backend::SqlServer, "id", Nullability::NotNull)?;
    session
        .execute(format!("CREATE TABLE orders ({id} PRIMARY KEY)"))
        .await?;
    let rows: Vec<String> = guids.iter().map(|guid| format!("('{guid}')")).collect();
    let insert = format!("INSERT INTO orders VALUES {}", rows.join(", "));
    session.execute(insert).await
}

pub(super) async fn makers_of_guids_are_counted(
    session: &mut PageSession<'_, Tiberius>,
) -> Result<()> {
    let all = [&EF_CORE[..], &GUID_COMB, &NEWSEQUENTIALID, &RANDOM].concat();
    create_orders(session, &all).await?;
    let makers = ["ids", "ef_core", "guid_comb", "newsequentialid"];
    let counts = session.counts_of("count-makers", makers).await?;
    ensure!(counts == [8, 3, 2, 2], "{counts:?}");
    Ok(())
}

/// The GUIDs are read as they are, in the order in which they were made.
pub(super) async fn guids_of_other_makers_are_in_order(
    session: &mut Session<Tiberius>,
) -> Result<()> {
    let mut expected: Vec<Uuid> = Vec::new();
    for made in [&NEWSEQUENTIALID[..], &EF_CORE, &GUID_COMB] {
        let guids = made.iter().map(|guid| guid.parse());
        expected.extend(guids.collect::<Result<Vec<Uuid>, _>>()?);
    }
    ensure!(expected.is_sorted_by_key(|guid| SqlServerOrd(*guid)));
    let mut stored: Vec<String> = expected.iter().map(Uuid::to_string).collect();
    stored.sort();
    let stored: Vec<&str> = stored.iter().map(String::as_str).collect();
    create_orders(session, &stored).await?;
    let query = Query::new("SELECT id FROM orders ORDER BY id");
    let found = session
        .fetch(query, |row| {
            Ok(<OrderId as KeyOf<Tiberius>>::get(row, "id")?.to_uuid())
        })
        .await?;
    ensure!(found == expected, "{found:?}");
    for guid in expected {
        let mut query = Query::new("SELECT count(*) AS n FROM orders WHERE id = ");
        query.push_param(<OrderId as KeyOf<Tiberius>>::param(OrderId::try_from(
            guid,
        )?));
        let found = session
            .fetch(query, |row| Tiberius::get_integer(row, "n"))
            .await?;
        ensure!(found == [1], "{guid}: {found:?}");
    }
    Ok(())
}

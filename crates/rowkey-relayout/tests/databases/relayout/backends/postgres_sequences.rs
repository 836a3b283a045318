//! PostgreSQL: sequences that go with the column that they belong to.

use anyhow::{Result, ensure};
use rowkey_core::format::FormatKind;
use rowkey_relayout::Phase;
use rowkey_relayout::plan::Request;
use rowkey_relayout::preflight::Preflight;
use rowkey_testkit::{Backend, Suite};

use crate::relayout::rekeyed;
use crate::relayout::shop::{Shop, number, refused};

const POSTGRES: [Backend; 1] = [Backend::Postgres];

pub(crate) fn add_tests(suite: &mut Suite) {
    scenarios!(suite, &POSTGRES;
        "a_sequence_that_only_belongs_to_the_key_stays" => only_owned,
        "a_sequence_that_others_use_stays" => shared,
    );
}

fn of(table: &str) -> Request {
    Request {
        table: table.into(),
        created: None,
        unasserted: Vec::new(),
        ..rekeyed::request()
    }
}

/// It counts something else.
async fn only_owned(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = "
        CREATE TABLE bill (id text PRIMARY KEY, n int);
        CREATE SEQUENCE \"receipt no\" OWNED BY bill.id;
        SELECT nextval('\"receipt no\"') FROM generate_series(1, 500);
        INSERT INTO bill VALUES (gen_random_uuid()::text, 1)";
    connection.execute("the table", create).await?;
    let (to_new_form, to_new_ids) = (
        Request {
            format: FormatKind::UuidV4,
            from: Some("text".into()),
            ..of("bill")
        },
        of("bill"),
    );
    let release = "ALTER SEQUENCE \"receipt no\" OWNED BY NONE";
    for request in [&to_new_form, &to_new_ids] {
        let plan = shop.plan_for(request).await?;
        let found = Preflight::read(&mut connection, &plan).await?.refused;
        ensure!(
            matches!(&found[..], [only] if only.contains("bill.id") && only.contains(release)),
            "{found:?}"
        );
        refused(shop.run(&plan, Phase::Swap).await, &[release])?;
    }
    connection.execute("what it says", release).await?;
    let plan = shop.plan_for(&to_new_form).await?;
    shop.run(&plan, Phase::Swap).await?;
    // A person may give it to the column that leaves.
    let owned = "ALTER SEQUENCE \"receipt no\" OWNED BY bill.id_before";
    connection.execute("its owner", owned).await?;
    refused(shop.contract(&plan).await, &[release])?;
    connection.execute("what it says", release).await?;
    shop.contract(&plan).await?;
    let next = number(&mut connection, "SELECT nextval('\"receipt no\"')").await?;
    ensure!(next == 501, "{next}");
    Ok(())
}

/// The next number of the key is also that of another table.
async fn shared(shop: Shop) -> Result<()> {
    let mut connection = shop.connect().await?;
    let create = "
        CREATE TABLE bill (id bigserial PRIMARY KEY, n int);
        CREATE TABLE receipt (id bigint PRIMARY KEY DEFAULT nextval('bill_id_seq'), n int);
        CREATE TABLE parcel (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int);
        CREATE TABLE label (id bigint PRIMARY KEY DEFAULT nextval('parcel_id_seq'), n int);
        INSERT INTO bill (n) SELECT generate_series(1, 5);
        INSERT INTO parcel (n) SELECT generate_series(1, 5)";
    connection.execute("the tables", create).await?;
    let release = "ALTER SEQUENCE bill_id_seq OWNED BY NONE";
    for (table, user, instead) in [
        ("bill", "receipt", release),
        ("parcel", "label", "let that use another sequence"),
    ] {
        let plan = shop.plan_for(&of(table)).await?;
        let found = Preflight::read(&mut connection, &plan).await?.refused;
        ensure!(
            matches!(&found[..], [only] if only.contains(user) && only.contains(instead)),
            "{found:?}"
        );
    }
    connection.execute("what it says", release).await?;
    let plan = shop.plan_for(&of("bill")).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.undo(&plan).await?;
    let plan = shop.plan_for(&of("bill")).await?;
    shop.run(&plan, Phase::Swap).await?;
    shop.contract(&plan).await?;
    let insert = "INSERT INTO receipt (n) VALUES (1)";
    connection.execute("another table's row", insert).await?;
    Ok(())
}

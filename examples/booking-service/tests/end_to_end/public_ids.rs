//! Public ids: they do not reveal an invoice's number, and cannot be made up.

use anyhow::{Context, Result};
use rowkey::DistributedId;
use rowkey::public_id::{LabelledCipher, PublicId, PublicIdSecret, PublicIdSecrets};
use rowkey_testkit::TestDatabase;
use serde_json::Value;

use crate::client::{Client, text};
use crate::database::Database;
use crate::requests::any_booking;
use crate::service::{PUBLIC_ID_KEY, Service};

/// Another service's key, of 32 bytes.
const FOREIGN_KEY: &str = "/////////////////////////////////////////wA=";

pub(crate) async fn made_up_public_ids_are_unknown(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let public_id = text(&booking, "invoiceId");
    client.get(&format!("/invoices/{public_id}")).await?.ok();
    let number = only_number(database).await?;

    // A correctly encrypted id of an invoice that does not exist.
    let absent: DistributedId = "1234567890123456789012345678".parse()?;
    let absent = cipher(PUBLIC_ID_KEY, "invoice")?
        .encode(&absent)?
        .to_string();
    let unknown = refusal(client, &absent).await?;

    let parsed: PublicId<DistributedId> = public_id.parse()?;
    let bits = parsed.as_uuid().as_u128();
    for bit in 0..128 {
        let changed = hyphenated(bits ^ (1 << bit));
        assert_eq!(refusal(client, &changed).await?, unknown, "bit {bit}");
    }
    let as_uuid = hyphenated(number.parse()?);
    let foreign = cipher(FOREIGN_KEY, "invoice")?.encode(&number.parse()?)?;
    let of_another_entity = cipher(PUBLIC_ID_KEY, "receipt")?.encode(&number.parse()?)?;
    for forged in [
        "6f2f7c62-8a5f-4f0e-9d5c-0a4c9c0a4b11",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        &as_uuid,
        &foreign.to_string(),
        &of_another_entity.to_string(),
        text(&booking, "id"),
        text(&booking, "offerId"),
    ] {
        assert_eq!(refusal(client, forged).await?, unknown, "{forged}");
    }

    // The number itself is not a public id, whether there is such an invoice or not.
    let guess = "1234567890123456789012345678";
    let answers = [
        client.get(&format!("/invoices/{number}")).await?,
        client.get(&format!("/invoices/{guess}")).await?,
    ];
    let [known, guessed] = answers.map(|answer| {
        let status = answer.status.as_u16();
        assert!([400, 404].contains(&status), "{}", answer.text());
        answer.refused(status).to_string()
    });
    assert_eq!(known.replace(&number, guess), guessed);
    service.stop().await
}

pub(crate) async fn public_ids_are_of_one_key(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let foreign = Service::start_with(database, |command| {
        command.env("BOOKING_PUBLIC_ID_KEY", FOREIGN_KEY);
    });
    let foreign = foreign.await?;
    let booking = any_booking(service.client()).await?;
    let path = format!("/bookings/{}", text(&booking, "id"));
    let seen = foreign.client().get(&path).await?.ok();
    let [own_id, foreign_id] = [&booking, &seen].map(|booking| text(booking, "invoiceId"));
    assert_ne!(own_id, foreign_id);
    for (client, known, unknown) in [
        (service.client(), own_id, foreign_id),
        (foreign.client(), foreign_id, own_id),
    ] {
        let invoice = client.get(&format!("/invoices/{known}")).await?.ok();
        assert_eq!(invoice["bookingId"], booking["id"]);
        refusal(client, unknown).await?;
    }
    foreign.stop().await?;
    service.stop().await
}

/// The same key gives the same ids after a restart.
pub(crate) async fn public_ids_outlive_the_process(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let booking = any_booking(service.client()).await?;
    service.stop().await?;
    let service = Service::start(database).await?;
    let path = format!("/bookings/{}", text(&booking, "id"));
    assert_eq!(service.client().get(&path).await?.ok(), booking);
    service.stop().await
}

/// Without a key, there are still public ids, and a warning that they will change.
pub(crate) async fn a_key_is_made_if_there_is_none(database: &TestDatabase) -> Result<()> {
    let service = Service::start_with(database, |command| {
        command.env_remove("BOOKING_PUBLIC_ID_KEY");
    });
    let service = service.await?;
    let booking = any_booking(service.client()).await?;
    let own_id = text(&booking, "invoiceId").to_owned();
    let path = format!("/invoices/{own_id}");
    service.client().get(&path).await?.ok();
    let log = service.log()?;
    let warns = |line: &str| line.contains("WARN") && line.contains("public id");
    assert!(log.lines().any(warns), "{log}");
    service.stop().await?;

    let service = Service::start(database).await?;
    refusal(service.client(), &own_id).await?;
    service.stop().await
}

/// No answer contains an invoice's number.
pub(crate) async fn numbers_of_invoices_stay_inside(database: &TestDatabase) -> Result<()> {
    let service = Service::start(database).await?;
    let client = service.client();
    let booking = any_booking(client).await?;
    let number = only_number(database).await?;
    let decimal: u128 = number.parse()?;
    let spellings = [number, format!("{decimal:032x}"), hyphenated(decimal)];
    for path in [
        format!("/bookings/{}", text(&booking, "id")),
        format!("/invoices/{}", text(&booking, "invoiceId")),
    ] {
        let answer = client.get(&path).await?;
        let shown = answer.ok().to_string();
        for spelling in &spellings {
            assert!(!shown.contains(spelling), "{path}: {shown}");
        }
    }
    let log = service.log()?;
    assert!(!log.contains(PUBLIC_ID_KEY), "{log}");
    service.stop().await
}

fn cipher(secret: &str, label: &str) -> Result<LabelledCipher<DistributedId>> {
    let secrets = PublicIdSecrets::new(PublicIdSecret::from_base64(secret)?);
    Ok(secrets.cipher_for(label)?)
}

/// The number of the only invoice.
async fn only_number(database: &TestDatabase) -> Result<String> {
    let rows = Database::open(database).await?;
    let query = format!("SELECT CAST(id AS {}) FROM invoices", rows.text_type());
    let numbers = rows.strings(&query).await?;
    assert_eq!(numbers.len(), 1, "{numbers:?}");
    numbers.into_iter().next().context("no invoice")
}

/// The answer about an id, without the id itself.
async fn refusal(client: &Client, public_id: &str) -> Result<String> {
    let answer = client.get(&format!("/invoices/{public_id}")).await?;
    let problem: Value = answer.refused_as(404, "unknown-id");
    Ok(problem.to_string().replace(public_id, "{id}"))
}

fn hyphenated(bits: u128) -> String {
    let digits = format!("{bits:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    parts.join("-")
}

//! What keys do with the features that are on: `plain` always, each other module with its own.

#![deny(warnings, clippy::all, clippy::pedantic)]
#![allow(clippy::doc_markdown)]

#[cfg(feature = "coarse-clock")]
mod coarse_clock;
#[cfg(feature = "diesel-mysql")]
mod diesel_mysql;
#[cfg(feature = "diesel-postgres")]
mod diesel_postgres;
#[cfg(feature = "diesel-sqlite")]
mod diesel_sqlite;
mod plain;
#[cfg(feature = "proptest")]
mod proptest;
#[cfg(feature = "public-id")]
mod public_id;
#[cfg(feature = "router")]
mod router;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "schemars")]
mod schemars;
#[cfg(any(
    feature = "sea-orm-postgres",
    feature = "sea-orm-mysql",
    feature = "sea-orm-sqlite"
))]
mod sea_orm;
#[cfg(any(feature = "default", feature = "serde"))]
mod serde;
#[cfg(feature = "sql")]
mod sql;
#[cfg(feature = "sqlx-mysql")]
mod sqlx_mysql;
#[cfg(feature = "sqlx-postgres")]
mod sqlx_postgres;
#[cfg(feature = "sqlx-sqlite")]
mod sqlx_sqlite;
#[cfg(any(feature = "default", feature = "std"))]
mod std;
#[cfg(feature = "tiberius")]
mod tiberius;
#[cfg(feature = "utoipa")]
mod utoipa;

use renamed::{ShipId, TicketId};
use rowkey_consumer::PassengerId;
use rowkey_consumer::formats::{InvoiceId, LegacyOrderId, OfferId};
use rowkey_consumer::shadowed::{FerryId, TerminalId};

/// Keys of each kind of module, and of the crate in which rowkey has another name.
const OFFER: OfferId = OfferId::constant(0xfff6_0000_0000_4000_8000_0000_0000_0001);
const INVOICE: InvoiceId = InvoiceId::constant(1_088_824_355_131_185_736_905_670_087);
const LEGACY: LegacyOrderId = LegacyOrderId::constant(7);
const PASSENGER: PassengerId = PassengerId::constant(0x018e_5f3b_ff48_4000_8000_0000_0000_0001);
const FERRY: FerryId = FerryId::constant(0x018e_5f3b_ff48_7000_8000_0000_0000_0001);
const TERMINAL: TerminalId = TerminalId::constant(62);
const SHIP: ShipId = ShipId::constant(0x0001_0000_0000_4000_8000_0000_0000_0001);
const TICKET: TicketId = TicketId::constant(61);

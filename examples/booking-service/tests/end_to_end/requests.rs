//! The commands of clients. A clone repeats the command.

use anyhow::Result;
use hyper::Method;
use jiff::{SignedDuration, Timestamp};
use rowkey::generate::{EntropyFn, Generate};
use rowkey::{ShortPrefixComb, UnixMillis, UuidV4};
use serde_json::{Value, json};

use crate::client::{Client, text};

/// A command: its body and its path.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Value,
}

impl Request {
    fn post(path: impl Into<String>, body: Value) -> Self {
        Self {
            method: Method::POST,
            path: path.into(),
            body,
        }
    }

    pub(crate) fn customer(name: &str) -> Self {
        let body = json!({"commandId": command_id(), "name": name});
        Self::post("/customers", body)
    }

    /// An offer with an id that the client makes now.
    pub(crate) fn offer(customer: &Value) -> Self {
        Self::offer_with_id(&offer_id(), customer)
    }

    /// An offer with an id that the client made at a recorded time.
    pub(crate) fn offer_recorded_at(customer: &Value, time: Timestamp) -> Self {
        Self::offer_with_id(&offer_id_of(time), customer).with("recordedAt", time.to_string())
    }

    pub(crate) fn offer_with_id(id: &str, customer: &Value) -> Self {
        let body = json!({
            "customerId": text(customer, "id"),
            "title": "Fjords",
            "cents": 120_000,
            "commandId": command_id(),
        });
        Self {
            method: Method::PUT,
            path: format!("/booking-offers/{id}"),
            body,
        }
    }

    pub(crate) fn price_change(offer: &Value, cents: i64) -> Self {
        let path = format!("/booking-offers/{}/price-changes", text(offer, "id"));
        Self::post(path, json!({"commandId": command_id(), "cents": cents}))
    }

    pub(crate) fn withdrawal(offer: &Value) -> Self {
        let path = format!("/booking-offers/{}/withdrawals", text(offer, "id"));
        Self::post(path, json!({"commandId": command_id()}))
    }

    pub(crate) fn booking(offer: &Value) -> Self {
        let body = json!({"commandId": command_id(), "offerId": text(offer, "id")});
        Self::post("/bookings", body)
    }

    pub(crate) fn cancellation(booking: &Value) -> Self {
        let path = format!("/bookings/{}/cancellations", text(booking, "id"));
        Self::post(path, json!({"commandId": command_id()}))
    }

    /// With another value for a member of the body.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.body[name] = value.into();
        self
    }

    /// Without a member of the body.
    pub(crate) fn without(mut self, name: &str) -> Self {
        if let Some(members) = self.body.as_object_mut() {
            members.remove(name);
        }
        self
    }
}

/// A customer to make offers to.
pub(crate) async fn any_customer(client: &Client) -> Result<Value> {
    Ok(client.send(&Request::customer("Ada")).await?.created())
}

/// An open offer of a new customer.
pub(crate) async fn any_offer(client: &Client) -> Result<Value> {
    let customer = any_customer(client).await?;
    Ok(client.send(&Request::offer(&customer)).await?.created())
}

/// A booking of a new offer.
pub(crate) async fn any_booking(client: &Client) -> Result<Value> {
    let offer = any_offer(client).await?;
    Ok(client.send(&Request::booking(&offer)).await?.created())
}

pub(crate) fn command_id() -> String {
    UuidV4::generate().to_string()
}

/// An id that a client makes now.
pub(crate) fn offer_id() -> String {
    ShortPrefixComb::<60_000>::generate().to_string()
}

/// An id that a client made at a time.
pub(crate) fn offer_id_of(time: Timestamp) -> String {
    let mut random = EntropyFn(|bytes: &mut [u8]| {
        let drawn = UuidV4::generate().to_u128();
        bytes.copy_from_slice(&drawn.to_be_bytes()[16 - bytes.len()..]);
    });
    let time = UnixMillis::new(time.as_millisecond());
    let id = ShortPrefixComb::<60_000>::generate_with(&(), &time, &mut random);
    id.expect("a time of the format").to_string()
}

pub(crate) fn minutes_from_now(minutes: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_mins(minutes)
}

pub(crate) fn hours_ago(hours: i64) -> Timestamp {
    minutes_from_now(-60 * hours)
}

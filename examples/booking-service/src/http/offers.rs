//! Booking offers, with ids that clients make.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use jiff::Timestamp;
use rowkey::UnixMillis;
use rowkey::validate::ValidationError;
use rowkey_stores::{Created, Origin};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::extract::{Body, Path, Query};
use super::problem::{Failures, Kind, Problem};
use super::service::{Command, Service, created};
use super::values::{check_cents, check_text};
use crate::keys::{BookingOfferId, CommandId, CustomerId};
use crate::model::{self, OfferCommand, OfferDraft, OfferState};
use crate::store::NewOffer;

const MAX_PAGE: u32 = 100;
const USUAL_PAGE: u32 = 20;

/// A command to make an offer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewBookingOffer {
    customer_id: CustomerId,
    #[schema(min_length = 1, max_length = 200)]
    title: String,
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    cents: i64,
    command_id: Option<CommandId>,
    /// When the offer was recorded, if it comes later in a batch: at most 24 hours ago.
    #[schema(value_type = Option<String>, format = DateTime)]
    recorded_at: Option<Timestamp>,
}

/// An offer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Offer {
    id: BookingOfferId,
    customer_id: CustomerId,
    title: String,
    cents: i64,
    state: OfferState,
    /// The time of creation, by the server's clock or that of a batch.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

impl From<model::Offer> for Offer {
    fn from(offer: model::Offer) -> Self {
        Self {
            id: offer.id,
            customer_id: offer.customer_id,
            title: offer.title,
            cents: offer.cents,
            state: offer.state,
            created_at: Timestamp::from_millisecond(offer.created_at)
                .expect("the service has stored only times of its clock"),
        }
    }
}

/// A page of a list of offers.
#[derive(Serialize, ToSchema)]
pub(super) struct OfferPage {
    /// In the order of their ids, which is not that of their creation.
    items: Vec<Offer>,
    /// The value of `after` for the next page, if there is one.
    next: Option<BookingOfferId>,
}

impl OfferPage {
    /// A page of at most `limit` offers. If `offers` has one more, there is another page.
    fn of(mut offers: Vec<model::Offer>, limit: u32) -> Self {
        let limit = limit as usize;
        let has_next = offers.len() > limit;
        offers.truncate(limit);
        let last = offers.last().map(|offer| offer.id);
        Self {
            next: last.filter(|_| has_next),
            items: offers.into_iter().map(Offer::from).collect(),
        }
    }
}

/// The part of the list to return.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PageQuery {
    /// The maximum number of offers.
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: Option<u32>,
    /// The offer before the page: `next` of the previous page.
    after: Option<BookingOfferId>,
}

/// A command to change a price.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PriceChange {
    command_id: CommandId,
    #[schema(minimum = 0, maximum = 1_000_000_000_000_i64)]
    cents: i64,
}

/// Makes an offer, with an id that the client has made.
///
/// The id is a random UUID whose first two bytes count minutes. It is checked against the server's
/// clock, or against `recordedAt`, if there is no such offer yet.
#[utoipa::path(
    put,
    path = "/booking-offers/{id}",
    params(("id" = BookingOfferId, Path)),
    request_body = NewBookingOffer,
    responses(
        (status = 201, description = "Made", body = Offer, headers(("location" = String))),
        (status = 200, description = "Made by the same command before", body = Offer),
        Failures,
    )
)]
pub(super) async fn make_offer(
    State(service): State<Service>,
    Path(id): Path<String>,
    Body(body): Body<NewBookingOffer>,
) -> Result<Response, Problem> {
    // A UUID of another version is well-formed, but not acceptable.
    let id: BookingOfferId = id.parse().map_err(ValidationError::from)?;
    check_text("/title", &body.title)?;
    check_cents(body.cents)?;
    let offer = NewOffer {
        id,
        origin: Origin {
            command: body.command_id,
            payload: OfferDraft {
                customer_id: body.customer_id,
                title: body.title,
                cents: body.cents,
            },
        },
        recorded_at: body
            .recorded_at
            .map(|time| UnixMillis::new(time.as_millisecond())),
        now: service.clock.now(),
    };
    let Created { entity, by } = service.store.make_offer(&offer).await?;
    let href = format!("/booking-offers/{id}");
    Ok(created(by, href, Offer::from(entity)))
}

/// The offer with an id.
#[utoipa::path(
    get,
    path = "/booking-offers/{id}",
    params(("id" = BookingOfferId, Path)),
    responses((status = 200, description = "The offer", body = Offer), Failures)
)]
pub(super) async fn get_offer(
    State(service): State<Service>,
    Path(id): Path<BookingOfferId>,
) -> Result<Json<Offer>, Problem> {
    answer(service.store.offer(id).await?)
}

/// A page of the list of offers.
#[utoipa::path(
    get,
    path = "/booking-offers",
    params(PageQuery),
    responses((status = 200, description = "A page, in the order of the ids", body = OfferPage), Failures)
)]
pub(super) async fn list_offers(
    State(service): State<Service>,
    Query(PageQuery { limit, after }): Query<PageQuery>,
) -> Result<Json<OfferPage>, Problem> {
    let limit = limit.unwrap_or(USUAL_PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        let detail = format!("limit is 1 to {MAX_PAGE}, not {limit}");
        return Err(Kind::MALFORMED_PARAMETER.because(detail));
    }
    let offers = service.store.offers(after, limit + 1).await?;
    Ok(Json(OfferPage::of(offers, limit)))
}

/// Changes the price of an open offer.
#[utoipa::path(
    post,
    path = "/booking-offers/{id}/price-changes",
    params(("id" = BookingOfferId, Path)),
    request_body = PriceChange,
    responses(
        (status = 200, description = "The present offer, even if the command was executed before", body = Offer),
        Failures,
    )
)]
pub(super) async fn change_price(
    State(service): State<Service>,
    Path(id): Path<BookingOfferId>,
    Body(PriceChange { command_id, cents }): Body<PriceChange>,
) -> Result<Json<Offer>, Problem> {
    check_cents(cents)?;
    let command = OfferCommand::ChangePrice { cents };
    answer(service.store.change_offer(id, command_id, command).await?)
}

/// Withdraws an open offer.
#[utoipa::path(
    post,
    path = "/booking-offers/{id}/withdrawals",
    params(("id" = BookingOfferId, Path)),
    request_body = Command,
    responses(
        (status = 200, description = "The present offer, even if the command was executed before", body = Offer),
        Failures,
    )
)]
pub(super) async fn withdraw(
    State(service): State<Service>,
    Path(id): Path<BookingOfferId>,
    Body(Command { command_id }): Body<Command>,
) -> Result<Json<Offer>, Problem> {
    let command = OfferCommand::Withdraw;
    answer(service.store.change_offer(id, command_id, command).await?)
}

fn answer(offer: Option<model::Offer>) -> Result<Json<Offer>, Problem> {
    match offer {
        Some(offer) => Ok(Json(offer.into())),
        None => Err(Kind::UNKNOWN_ID.because("there is no such booking offer")),
    }
}

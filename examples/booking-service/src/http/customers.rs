//! Customers, with ids that the server makes.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use rowkey::EntityKey;
use rowkey::luuid::ShortKey;
use rowkey_stores::Created;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::extract::{Body, Path};
use super::problem::{Failures, Kind, Problem};
use super::service::{Service, created};
use super::values::check_text;
use crate::keys::{CommandId, CustomerId};
use crate::model;

/// A command to add a customer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewCustomer {
    command_id: CommandId,
    #[schema(min_length = 1, max_length = 200)]
    name: String,
}

/// A customer.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Customer {
    id: CustomerId,
    /// The number in the id, for reading out.
    number: ShortKey<CustomerId>,
    name: String,
}

impl From<model::Customer> for Customer {
    fn from(customer: model::Customer) -> Self {
        let model::Customer { id, name } = customer;
        Self {
            id,
            number: id.short_key(),
            name,
        }
    }
}

/// A customer in a path: the id, or its number.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) enum CustomerName {
    Id(CustomerId),
    Number(ShortKey<CustomerId>),
}

impl TryFrom<String> for CustomerName {
    type Error = rowkey::Error;

    fn try_from(text: String) -> Result<Self, rowkey::Error> {
        match text.contains('-') {
            true => text.parse().map(Self::Id),
            false => text.parse().map(Self::Number),
        }
    }
}

pub(super) fn href(id: CustomerId) -> String {
    format!("/customers/{id}")
}

/// Adds a customer.
#[utoipa::path(
    post,
    path = "/customers",
    request_body = NewCustomer,
    responses(
        (status = 201, description = "Added", body = Customer, headers(("location" = String))),
        (status = 200, description = "Added by the same command before", body = Customer),
        Failures,
    )
)]
pub(super) async fn add_customer(
    State(service): State<Service>,
    Body(NewCustomer { command_id, name }): Body<NewCustomer>,
) -> Result<Response, Problem> {
    check_text("/name", &name)?;
    let Created { entity, by } = service.store.add_customer(command_id, &name).await?;
    Ok(created(by, href(entity.id), Customer::from(entity)))
}

/// The customer with an id or a number.
#[utoipa::path(
    get,
    path = "/customers/{id}",
    params(("id" = String, Path, description = "The id, or the number such as `23122e`")),
    responses((status = 200, description = "The customer", body = Customer), Failures)
)]
pub(super) async fn get_customer(
    State(service): State<Service>,
    Path(name): Path<CustomerName>,
) -> Result<Json<Customer>, Problem> {
    let customer = match name {
        CustomerName::Id(id) => service.store.customer(id).await?,
        CustomerName::Number(number) => service.store.customer_numbered(number).await?,
    };
    match customer {
        Some(customer) => Ok(Json(customer.into())),
        None => Err(Kind::UNKNOWN_ID.because("there is no such customer")),
    }
}

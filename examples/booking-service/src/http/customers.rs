//! Customers, with ids that the server makes.

use std::str::FromStr;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use rowkey::EntityKey;
use rowkey::luuid::ShortKey;
use rowkey_stores::Created;
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{OneOf, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::extract::{Body, Id};
use super::problem::{Failed, Malformed, Problem, Refused, Unknown};
use super::values::{Text, check_text};
use super::{Service, created};
use crate::keys::{CommandId, CustomerId};
use crate::model;

/// A command to add a customer.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewCustomer {
    command_id: CommandId,
    #[schema(value_type = Text)]
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
pub(super) enum CustomerName {
    Id(CustomerId),
    Number(ShortKey<CustomerId>),
}

impl PartialSchema for CustomerName {
    fn schema() -> RefOr<Schema> {
        let either = OneOf::builder()
            .item(CustomerId::schema())
            .item(ShortKey::<CustomerId>::schema());
        RefOr::T(either.build().into())
    }
}

impl ToSchema for CustomerName {}

impl FromStr for CustomerName {
    type Err = rowkey::Error;

    fn from_str(text: &str) -> Result<Self, rowkey::Error> {
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
    tag = "customers",
    request_body = NewCustomer,
    responses(
        (status = 201, description = "Added", body = Customer, headers(("location" = String))),
        (status = 200, description = "Added by the same command before", body = Customer),
        Refused,
        Failed,
    )
)]
pub(super) async fn add_customer(
    State(service): State<Service>,
    Body(NewCustomer { command_id, name }): Body<NewCustomer>,
) -> Result<Response, Problem> {
    check_text("/name", &name)?;
    let Created { entity, by } = service.store.add_customer(command_id, &name).await?;
    let href = href(entity.id);
    let entity = Customer::from(entity);
    Ok(created(Created { entity, by }, href))
}

/// The customer with an id or a number.
#[utoipa::path(
    get,
    path = "/customers/{id}",
    tag = "customers",
    params(("id" = inline(CustomerName), Path, description = "The id, or the number such as `23122e`")),
    responses((status = 200, description = "The customer", body = Customer), Malformed, Unknown, Failed)
)]
pub(super) async fn get_customer(
    State(service): State<Service>,
    Id(name): Id<CustomerName>,
) -> Result<Json<Customer>, Problem> {
    let customer = match name {
        CustomerName::Id(id) => service.store.customer(id).await?,
        CustomerName::Number(number) => service.store.customer_numbered(number).await?,
    };
    match customer {
        Some(customer) => Ok(Json(customer.into())),
        None => Err(Problem::unknown("there is no such customer").at("id")),
    }
}

//! The statements, written once for all of sqlx's drivers.
//!
//! sqlx's `QueryBuilder` writes each driver's placeholders, keys are stored by their plans, and the
//! trait [`Driver`] has the remaining differences.

use std::num::NonZeroU32;

use async_trait::async_trait;
use rowkey::driver::sqlx::PushWithin;
use rowkey::luuid::ShortKey;
use rowkey::validate::CreationWindow;
use rowkey_stores::command_log::CommandLog;
use rowkey_stores::{
    Borrowed, Created, NumberBlocks, PooledConnection, Session, create_numbered, create_once,
    find_or_create, forget, in_transaction, prune,
};
use sqlx::error::ErrorKind;
use sqlx::types::Json;
use sqlx::{
    Connection, Database, Encode, Executor, FromRow, IntoArguments, MySql, Pool, Postgres,
    QueryBuilder, Sqlite, Type,
};

use super::{NewOffer, Store, StoreError, found};
use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::model::{Booking, BookingState, Customer, Invoice, Offer, OfferCommand, OfferState};
use crate::moment::time_of_creation;

/// How many numbers a process reserves at a time for customers and for bookings.
const BLOCK_SIZE: NonZeroU32 = NonZeroU32::new(100).unwrap();

/// How many creating commands are remembered.
const REMEMBERED_CREATIONS: u32 = 100_000;

/// A pool, and the numbers reserved with it.
pub(super) struct SqlStore<DB: Database> {
    pool: Pool<DB>,
    /// A connection for the health check, while requests use all the others.
    health: Pool<DB>,
    numbers: NumberBlocks<Pool<DB>>,
}

impl<DB: Database> SqlStore<DB>
where
    Pool<DB>: rowkey_stores::Store,
{
    pub(super) fn new(pool: Pool<DB>, health: Pool<DB>) -> Self {
        let numbers = NumberBlocks::new(pool.clone(), BLOCK_SIZE);
        Self {
            pool,
            health,
            numbers,
        }
    }
}

/// The differences between the databases that statements have to handle.
pub(super) trait Driver:
    Database<Arguments: IntoArguments<Self>, Connection: Session>
{
    /// Locks the rows of a query until the transaction ends. It also returns their latest state: a plain
    /// query in MySQL and MariaDB would return that of the beginning of the transaction.
    const LOCK: &'static str;
}

impl Driver for Postgres {
    const LOCK: &'static str = " FOR UPDATE";
}

impl Driver for MySql {
    const LOCK: &'static str = " FOR UPDATE";
}

impl Driver for Sqlite {
    /// A transaction of rowkey-stores has the only write lock.
    const LOCK: &'static str = "";
}

/// A transaction of rowkey-stores, as closures get it.
type InTransaction<DB> = Borrowed<PooledConnection<DB>>;

/// A type whose values are bound to statements.
trait Bind<DB: Database>: for<'q> Encode<'q, DB> + Type<DB> {}

impl<DB: Database, T> Bind<DB> for T where T: for<'q> Encode<'q, DB> + Type<DB> {}

/// A type that is read from a row.
trait Read<DB: Database>: for<'r> FromRow<'r, DB::Row> + Send + Unpin {}

impl<DB: Database, T> Read<DB> for T where T: for<'r> FromRow<'r, DB::Row> + Send + Unpin {}

#[async_trait]
impl<DB> Store for SqlStore<DB>
where
    DB: Driver,
    Pool<DB>: rowkey_stores::Store<
            Session = DB::Connection,
            Connection = PooledConnection<DB>,
            Transaction = PooledConnection<DB>,
        >,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    QueryBuilder<DB>: PushWithin,
    CustomerId: Bind<DB>,
    BookingOfferId: Bind<DB>,
    BookingId: Bind<DB>,
    InvoiceId: Bind<DB>,
    Option<CommandId>: Bind<DB>,
    Json<CommandLog<CommandId>>: Bind<DB>,
    for<'s> &'s str: Bind<DB>,
    i64: Bind<DB>,
    Customer: Read<DB>,
    Offer: Read<DB>,
    Booking: Read<DB>,
    Invoice: Read<DB>,
{
    async fn add_customer(
        &self,
        command: CommandId,
        name: &str,
    ) -> Result<Created<Customer>, StoreError> {
        let Created { entity: id, by } = create_numbered(&self.numbers, async |id: CustomerId| {
            let insert = async |mut transaction: InTransaction<DB>| {
                let mut query = QueryBuilder::new("INSERT INTO customers (id, name) VALUES (");
                query.separated(", ").push_bind(id).push_bind(name);
                query.push(")");
                query.build().execute(&mut *transaction).await?;
                Ok::<_, StoreError>(id)
            };
            let created = create_once(self.pool.clone(), command, "add-customer", insert).await;
            Ok::<_, StoreError>(created?)
        })
        .await?;
        let customer = self.customer(id).await?.ok_or(sqlx::Error::RowNotFound)?;
        let is_the_same = customer.name == name;
        found(customer, by, is_the_same)
    }

    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        let mut query = select_customers();
        query.push(" WHERE id = ").push_bind(id);
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn customer_numbered(
        &self,
        number: ShortKey<CustomerId>,
    ) -> Result<Option<Customer>, StoreError> {
        let mut query = select_customers();
        query.push(" WHERE ");
        // A range of the primary key, in which the unique index allows only one row.
        query
            .push_within("id", number.bounds())
            .map_err(rowkey_stores::Error::from)?;
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn make_offer(&self, new: &NewOffer) -> Result<Created<Offer>, StoreError> {
        let window = CreationWindow::default();
        let time = time_of_creation(new.recorded_at, new.now, window);
        let validate = || -> Result<(), StoreError> {
            let time = time.clone()?;
            Ok(window.check(new.id, time.into())?)
        };
        let find = async |mut connection: Borrowed<PooledConnection<DB>>| {
            let mut query = select_offers::<DB>();
            query.push(" WHERE id = ").push_bind(new.id);
            let offer: Option<Offer> = query
                .build_query_as()
                .fetch_optional(&mut *connection)
                .await?;
            Ok(offer.map(|offer| (offer.origin(), offer)))
        };
        let insert = async |mut transaction: InTransaction<DB>| {
            let offer = Offer::new(new.id, &new.origin, time.clone()?);
            let mut query = QueryBuilder::new(
                "INSERT INTO booking_offers (id, customer_id, title, cents, state, created_at, \
                 created_by, first_cents, commands) VALUES (",
            );
            query
                .separated(", ")
                .push_bind(offer.id)
                .push_bind(offer.customer_id)
                .push_bind(offer.title.as_str())
                .push_bind(offer.cents)
                .push_bind(offer.state.as_str())
                .push_bind(offer.created_at.millis())
                .push_bind(offer.created_by)
                .push_bind(offer.first_cents)
                .push_bind(Json(offer.commands.clone()));
            query.push(")");
            match query.build().execute(&mut *transaction).await {
                Err(error) if is_foreign_key(&error) => {
                    Err(StoreError::UnknownCustomer(offer.customer_id))
                }
                Err(error) => Err(error.into()),
                Ok(_) => Ok(offer),
            }
        };
        let pool = self.pool.clone();
        let call = find_or_create(pool, &new.origin)
            .find(find)
            .validate(validate)
            .create(insert);
        Ok(call.await?)
    }

    async fn offer(&self, id: BookingOfferId) -> Result<Option<Offer>, StoreError> {
        let mut query = select_offers();
        query.push(" WHERE id = ").push_bind(id);
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn offers(
        &self,
        after: Option<BookingOfferId>,
        limit: u32,
    ) -> Result<Vec<Offer>, StoreError> {
        let mut query = select_offers();
        if let Some(last) = after {
            query.push(" WHERE id > ").push_bind(last);
        }
        query
            .push(" ORDER BY id LIMIT ")
            .push_bind(i64::from(limit));
        Ok(query.build_query_as().fetch_all(&self.pool).await?)
    }

    async fn change_offer(
        &self,
        id: BookingOfferId,
        command_id: CommandId,
        command: OfferCommand,
    ) -> Result<Option<Offer>, StoreError> {
        let changed = in_transaction(self.pool.clone(), async |mut transaction| {
            let mut query = select_offers::<DB>();
            query.push(" WHERE id = ").push_bind(id).push(DB::LOCK);
            let offer: Option<Offer> = query
                .build_query_as()
                .fetch_optional(&mut *transaction)
                .await?;
            let Some(mut offer) = offer else {
                return Ok(None);
            };
            if offer.execute(command_id, command)?.is_duplicate() {
                return Ok(Some(offer));
            }
            let mut query = QueryBuilder::new("UPDATE booking_offers SET cents = ");
            query.push_bind(offer.cents);
            query.push(", state = ").push_bind(offer.state.as_str());
            query
                .push(", commands = ")
                .push_bind(Json(offer.commands.clone()));
            query.push(" WHERE id = ").push_bind(id);
            query.build().execute(&mut *transaction).await?;
            Ok::<_, StoreError>(Some(offer))
        });
        Ok(changed.await?)
    }

    async fn book(
        &self,
        command: CommandId,
        offer_id: BookingOfferId,
    ) -> Result<Created<Booking>, StoreError> {
        let Created { entity: id, by } = create_numbered(&self.numbers, async |id: BookingId| {
            let insert = async |mut transaction: InTransaction<DB>| {
                let mut query = select_offers::<DB>();
                query
                    .push(" WHERE id = ")
                    .push_bind(offer_id)
                    .push(DB::LOCK);
                let offer: Option<Offer> = query
                    .build_query_as()
                    .fetch_optional(&mut *transaction)
                    .await?;
                let offer = offer.ok_or(StoreError::UnknownOffer(offer_id))?;
                offer.state.must_be_open()?;

                let mut query = set_offer_state(offer_id, OfferState::Booked);
                query.build().execute(&mut *transaction).await?;

                let mut query = QueryBuilder::new(
                    "INSERT INTO bookings (id, offer_id, customer_id, cents, state, commands) \
                     VALUES (",
                );
                query
                    .separated(", ")
                    .push_bind(id)
                    .push_bind(offer_id)
                    .push_bind(offer.customer_id)
                    .push_bind(offer.cents)
                    .push_bind(BookingState::Confirmed.as_str())
                    .push_bind(Json(CommandLog::<CommandId>::new()));
                query.push(")");
                query.build().execute(&mut *transaction).await?;

                let mut query =
                    QueryBuilder::new("INSERT INTO invoices (id, booking_id, cents) VALUES (");
                query
                    .separated(", ")
                    .push_bind(InvoiceId::generate())
                    .push_bind(id)
                    .push_bind(offer.cents);
                query.push(")");
                query.build().execute(&mut *transaction).await?;
                Ok::<_, StoreError>(id)
            };
            let created = create_once(self.pool.clone(), command, "book-offer", insert).await;
            Ok::<_, StoreError>(created?)
        })
        .await?;
        let booking = self.booking(id).await?.ok_or(sqlx::Error::RowNotFound)?;
        let is_the_same = booking.offer_id == offer_id;
        found(booking, by, is_the_same)
    }

    async fn booking(&self, id: BookingId) -> Result<Option<Booking>, StoreError> {
        let mut query = select_bookings();
        query.push(" WHERE bookings.id = ").push_bind(id);
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn cancel_booking(
        &self,
        id: BookingId,
        command: CommandId,
    ) -> Result<Option<Booking>, StoreError> {
        let cancelled = in_transaction(self.pool.clone(), async |mut transaction| {
            let mut query = select_bookings::<DB>();
            query
                .push(" WHERE bookings.id = ")
                .push_bind(id)
                .push(DB::LOCK);
            let booking: Option<Booking> = query
                .build_query_as()
                .fetch_optional(&mut *transaction)
                .await?;
            let Some(mut booking) = booking else {
                return Ok(None);
            };
            if booking.cancel(command)?.is_duplicate() {
                return Ok(Some(booking));
            }
            let mut query = QueryBuilder::new("UPDATE bookings SET state = ");
            query.push_bind(booking.state.as_str());
            query
                .push(", commands = ")
                .push_bind(Json(booking.commands.clone()));
            query.push(" WHERE id = ").push_bind(id);
            query.build().execute(&mut *transaction).await?;

            let mut query = set_offer_state(booking.offer_id, OfferState::Open);
            query.build().execute(&mut *transaction).await?;

            // The client knows the booking's id, so it does not repeat the command that created it.
            forget(&mut *transaction, id).await?;
            Ok::<_, StoreError>(Some(booking))
        });
        Ok(cancelled.await?)
    }

    async fn invoice(&self, id: InvoiceId) -> Result<Option<Invoice>, StoreError> {
        let mut query = QueryBuilder::new("SELECT id, booking_id, cents FROM invoices WHERE id = ");
        query.push_bind(id);
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn forget_old_commands(&self) -> Result<(), StoreError> {
        prune(self.pool.clone(), REMEMBERED_CREATIONS).await?;
        Ok(())
    }

    async fn ping(&self) -> Result<(), StoreError> {
        Ok(self.health.acquire().await?.ping().await?)
    }

    async fn close(&self) {
        self.pool.close().await;
        self.health.close().await;
    }
}

fn select_customers<DB: Database>() -> QueryBuilder<DB> {
    QueryBuilder::new("SELECT id, name FROM customers")
}

fn select_offers<DB: Database>() -> QueryBuilder<DB> {
    QueryBuilder::new(
        "SELECT id, customer_id, title, cents, state, created_at, created_by, first_cents, \
         commands FROM booking_offers",
    )
}

fn select_bookings<DB: Database>() -> QueryBuilder<DB> {
    QueryBuilder::new(
        "SELECT bookings.id, offer_id, customer_id, bookings.cents, invoices.id AS invoice_id, \
         state, commands FROM bookings JOIN invoices ON invoices.booking_id = bookings.id",
    )
}

fn set_offer_state<DB>(id: BookingOfferId, state: OfferState) -> QueryBuilder<DB>
where
    DB: Database,
    BookingOfferId: Bind<DB>,
    for<'s> &'s str: Bind<DB>,
{
    let mut query = QueryBuilder::new("UPDATE booking_offers SET state = ");
    query.push_bind(state.as_str());
    query.push(" WHERE id = ").push_bind(id);
    query
}

fn is_foreign_key(error: &sqlx::Error) -> bool {
    let error = error.as_database_error();
    error.is_some_and(|error| error.kind() == ErrorKind::ForeignKeyViolation)
}

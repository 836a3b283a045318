//! The statements, written once for all of sqlx's drivers.
//!
//! sqlx's `QueryBuilder` writes each driver's placeholders, keys are stored by their plans, and the
//! trait [`Driver`] has the remaining differences.

use std::num::NonZeroU32;

use async_trait::async_trait;
use rowkey::driver::sqlx::PushWithin;
use rowkey::luuid::ShortKey;
use rowkey_stores::command_log::CommandLog;
use rowkey_stores::{
    Borrowed, Created, NumberBlocks, PooledConnection, Session, create_numbered, create_once,
    find_or_create, forget, in_transaction, prune,
};
use sqlx::migrate::Migrator;
use sqlx::types::Json;
use sqlx::{
    Connection, Database, Encode, Executor, FromRow, IntoArguments, MySql, Pool, Postgres,
    QueryBuilder, Sqlite, Type,
};

use super::{NewOffer, Store, StoreError, found};
use crate::keys::{BookingId, BookingOfferId, CommandId, CustomerId, InvoiceId};
use crate::model::{Booking, BookingState, Customer, Invoice, Offer, OfferCommand, OfferState};

/// How many numbers a process reserves at a time for customers and for bookings.
const BLOCK_SIZE: NonZeroU32 = NonZeroU32::new(100).unwrap();

/// How many creating commands are remembered.
const REMEMBERED_CREATIONS: u32 = 100_000;

const SELECT_CUSTOMERS: &str = "SELECT id, name FROM customers";
const SELECT_OFFERS: &str = "SELECT id, customer_id, title, cents, state, created_at, created_by, \
                             first_cents, commands FROM booking_offers";

/// A pool, and the numbers reserved with it.
pub(super) struct SqlStore<DB: Database> {
    pool: Pool<DB>,
    numbers: NumberBlocks<Pool<DB>>,
}

impl<DB: Database> SqlStore<DB>
where
    Pool<DB>: rowkey_stores::Store,
{
    pub(super) fn new(pool: Pool<DB>) -> Self {
        let numbers = NumberBlocks::new(pool.clone(), BLOCK_SIZE);
        Self { pool, numbers }
    }
}

/// The differences between the databases.
pub(super) trait Driver:
    Database<Arguments: IntoArguments<Self>, Connection: Session>
{
    /// The tables of this service, and those of rowkey-stores.
    const MIGRATIONS: Migrator;

    /// Locks the rows of a query until the transaction ends. It also returns their latest state: a
    /// plain query in MySQL and MariaDB would return that of the beginning of the transaction.
    const LOCK: &'static str;
}

impl Driver for Postgres {
    const MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");
    const LOCK: &'static str = " FOR UPDATE";
}

impl Driver for MySql {
    const MIGRATIONS: Migrator = sqlx::migrate!("migrations/mysql");
    const LOCK: &'static str = " FOR UPDATE";
}

impl Driver for Sqlite {
    const MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");
    /// A transaction of rowkey-stores has the only write lock.
    const LOCK: &'static str = "";
}

/// A connection or transaction, as rowkey-stores gives it to closures.
type PoolGuard<DB> = Borrowed<PooledConnection<DB>>;

/// A type whose values are bound to statements.
trait Bind<DB: Database>: for<'q> Encode<'q, DB> + Type<DB> {}

impl<DB: Database, T> Bind<DB> for T where T: for<'q> Encode<'q, DB> + Type<DB> {}

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
    OfferState: Bind<DB>,
    BookingState: Bind<DB>,
    for<'s> &'s str: Bind<DB>,
    i64: Bind<DB>,
    for<'r> Customer: FromRow<'r, DB::Row>,
    for<'r> Offer: FromRow<'r, DB::Row>,
    for<'r> Booking: FromRow<'r, DB::Row>,
    for<'r> Invoice: FromRow<'r, DB::Row>,
{
    async fn add_customer(
        &self,
        command: CommandId,
        name: &str,
    ) -> Result<Created<Customer>, StoreError> {
        let Created { entity: id, by } = create_numbered(&self.numbers, async |id: CustomerId| {
            let insert = async |mut transaction: PoolGuard<DB>| {
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
        found(by, customer.name == name, customer)
    }

    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, StoreError> {
        let mut query = QueryBuilder::new(SELECT_CUSTOMERS);
        query.push(" WHERE id = ").push_bind(id);
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn customer_numbered(
        &self,
        number: ShortKey<CustomerId>,
    ) -> Result<Option<Customer>, StoreError> {
        let mut query = QueryBuilder::new(SELECT_CUSTOMERS);
        query.push(" WHERE ");
        // A range of the primary key, in which the unique index allows only one row.
        query
            .push_within("id", number.bounds())
            .map_err(rowkey_stores::Error::from)?;
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn make_offer(&self, new: &NewOffer) -> Result<Created<Offer>, StoreError> {
        let find = async |mut connection: PoolGuard<DB>| {
            let mut query = select_offer(new.id, "");
            let offer: Option<Offer> = query
                .build_query_as()
                .fetch_optional(&mut *connection)
                .await?;
            Ok(offer.map(|offer| (offer.origin(), offer)))
        };
        let insert = async |mut transaction: PoolGuard<DB>| {
            let offer = Offer::new(new.id, &new.origin, new.created_at());
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
                .push_bind(offer.state)
                .push_bind(offer.created_at)
                .push_bind(offer.created_by)
                .push_bind(offer.first_cents)
                .push_bind(Json(offer.commands.clone()));
            query.push(")");
            match query.build().execute(&mut *transaction).await {
                Ok(_) => Ok(offer),
                Err(sqlx::Error::Database(error)) if error.is_foreign_key_violation() => {
                    Err(StoreError::UnknownCustomer(offer.customer_id))
                }
                Err(error) => Err(error.into()),
            }
        };
        let call = find_or_create(self.pool.clone(), &new.origin)
            .find(find)
            .validate(|| new.validate())
            .create(insert);
        Ok(call.await?)
    }

    async fn offer(&self, id: BookingOfferId) -> Result<Option<Offer>, StoreError> {
        let mut query = select_offer(id, "");
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn offers(
        &self,
        after: Option<BookingOfferId>,
        limit: u32,
    ) -> Result<Vec<Offer>, StoreError> {
        let mut query = QueryBuilder::new(SELECT_OFFERS);
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
            let mut query = select_offer(id, DB::LOCK);
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
            query.push(", state = ").push_bind(offer.state);
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
            let insert = async |mut transaction: PoolGuard<DB>| {
                let mut query = select_offer(offer_id, DB::LOCK);
                let offer: Option<Offer> = query
                    .build_query_as()
                    .fetch_optional(&mut *transaction)
                    .await?;
                let offer = offer.ok_or(StoreError::UnknownOffer(offer_id))?;
                offer.state.must_be_open()?;

                let mut query = QueryBuilder::new("UPDATE booking_offers SET state = ");
                query.push_bind(OfferState::Booked);
                query.push(" WHERE id = ").push_bind(offer_id);
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
                    .push_bind(BookingState::Confirmed)
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
        found(by, booking.offer_id == offer_id, booking)
    }

    async fn booking(&self, id: BookingId) -> Result<Option<Booking>, StoreError> {
        let mut query = select_booking(id, "");
        Ok(query.build_query_as().fetch_optional(&self.pool).await?)
    }

    async fn cancel_booking(
        &self,
        id: BookingId,
        command: CommandId,
    ) -> Result<Option<Booking>, StoreError> {
        let cancelled = in_transaction(self.pool.clone(), async |mut transaction| {
            let mut query = select_booking(id, DB::LOCK);
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
            query.push_bind(booking.state);
            query
                .push(", commands = ")
                .push_bind(Json(booking.commands.clone()));
            query.push(" WHERE id = ").push_bind(id);
            query.build().execute(&mut *transaction).await?;

            let mut query = QueryBuilder::new("UPDATE booking_offers SET state = ");
            query.push_bind(OfferState::Open);
            query.push(" WHERE id = ").push_bind(booking.offer_id);
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
        Ok(self.pool.acquire().await?.ping().await?)
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

fn select_offer<DB: Database>(id: BookingOfferId, lock: &str) -> QueryBuilder<DB>
where
    BookingOfferId: Bind<DB>,
{
    let mut query = QueryBuilder::new(SELECT_OFFERS);
    query.push(" WHERE id = ").push_bind(id).push(lock);
    query
}

fn select_booking<DB: Database>(id: BookingId, lock: &str) -> QueryBuilder<DB>
where
    BookingId: Bind<DB>,
{
    let mut query = QueryBuilder::new(
        "SELECT bookings.id, offer_id, customer_id, bookings.cents, invoices.id AS invoice_id, \
         state, commands FROM bookings JOIN invoices ON invoices.booking_id = bookings.id \
         WHERE bookings.id = ",
    );
    query.push_bind(id).push(lock);
    query
}

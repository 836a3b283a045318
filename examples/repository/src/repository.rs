//! The trait that the rest of a program uses.

use std::ops::{Range, RangeInclusive};

use async_trait::async_trait;
use rowkey::UnixMillis;
use rowkey_stores::{Created, CreatedBy};

use crate::{CommandId, Customer, CustomerId, CustomerTotal, Error, Invoice, InvoiceId};

/// Customers and their invoices, in some database.
///
/// Methods take `&self`, so that a whole program can share one repository; each driver has its
/// own pool or lock.
///
/// "In order of their keys" is the order of the key's index. It is stable on every database, and
/// lets a page or a range be read without sorting. For invoices it is also the order of time. For
/// customers that is true within 45 days: a [`ShortPrefixComb`](rowkey::ShortPrefixComb) begins
/// with a counter of minutes, which then wraps around.
#[async_trait]
pub trait CustomerRepository: Send + Sync {
    /// Adds a customer.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] if there is a customer with this key, [`Error::NotFound`] if there is
    /// none yet with the key in `referred_by`, as with the customer's own, [`Error::Name`] for a
    /// name that cannot be stored.
    async fn add_customer(&self, customer: &Customer) -> Result<(), Error>;

    /// Adds a customer whose key a client has made, unless an earlier call has.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if the customer with this key is another one, or was renamed;
    /// [`Error::Invalid`] for a new key that was not made now; and those of
    /// [`add_customer`](Self::add_customer) but [`Error::Duplicate`].
    async fn put_customer(&self, customer: &Customer) -> Result<CreatedBy, Error>;

    /// The customer with this key.
    async fn customer(&self, id: CustomerId) -> Result<Option<Customer>, Error>;

    /// The customers with these keys, each once and in no particular order. Keys that no customer
    /// has are left out.
    async fn customers(&self, ids: &[CustomerId]) -> Result<Vec<Customer>, Error>;

    /// Gives a customer another name.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if there is no such customer, [`Error::Name`] for a name that cannot be
    /// stored.
    async fn rename_customer(&self, id: CustomerId, name: &str) -> Result<(), Error>;

    /// Removes a customer.
    ///
    /// # Errors
    ///
    /// [`Error::InUse`] if the customer has invoices or has referred others, [`Error::NotFound`] if
    /// there is no such customer.
    async fn remove_customer(&self, id: CustomerId) -> Result<(), Error>;

    /// The customers whose keys were made within a time span, in order of their keys.
    ///
    /// The keys count whole minutes, so the span is extended to whole minutes. The counter wraps
    /// around after 45 days, so the result includes customers who are older by a multiple of that,
    /// and a longer span returns all customers.
    async fn customers_created(&self, during: Range<UnixMillis>) -> Result<Vec<Customer>, Error>;

    /// The next page: up to `limit` customers in order of their keys, from the first one or after
    /// the last one of the previous page.
    async fn customers_after(
        &self,
        cursor: Option<CustomerId>,
        limit: u32,
    ) -> Result<Vec<Customer>, Error>;

    /// Adds invoices, all of them or none.
    ///
    /// # Errors
    ///
    /// [`Error::Duplicate`] for a key that another invoice has, [`Error::NotFound`] for a customer
    /// who does not exist.
    async fn add_invoices(&self, invoices: &[Invoice]) -> Result<(), Error>;

    /// Adds an invoice, once for each command, and makes its key.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if the command asked for another invoice before, [`Error::NotFound`] for
    /// a customer who does not exist; then the command may be sent again.
    async fn add_invoice_once(
        &self,
        command: CommandId,
        customer: CustomerId,
        cents: i64,
    ) -> Result<Created<InvoiceId>, Error>;

    /// The invoice with this key.
    async fn invoice(&self, id: InvoiceId) -> Result<Option<Invoice>, Error> {
        Ok(self.invoices_between(id..=id).await?.pop())
    }

    /// The invoices of a customer in order of their keys, which is that of time: the newest last.
    async fn invoices_of(&self, customer: CustomerId) -> Result<Vec<Invoice>, Error>;

    /// The invoices from one key to another, both included, in order of their keys.
    async fn invoices_between(&self, ids: RangeInclusive<InvoiceId>)
    -> Result<Vec<Invoice>, Error>;

    /// The invoices with a time within a span, in order of their keys.
    ///
    /// It is the time in the key, which is up to a second earlier than the clock that created it.
    async fn invoices_created(&self, during: Range<UnixMillis>) -> Result<Vec<Invoice>, Error>;

    /// The total of each customer's invoices, in order of the customers' keys.
    ///
    /// # Errors
    ///
    /// [`Error::Database`] if the sum of any customer does not fit in 64 bits. SQLite, which has no
    /// wider integers, also refuses a sum whose intermediate result does not fit.
    async fn totals(&self) -> Result<Vec<CustomerTotal>, Error>;
}

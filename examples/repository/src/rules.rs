//! Checks and parts of queries that all drivers share.

use rowkey::validate::{CreationWindow, ValidationError};
use rowkey::{Backend, UnixMillis};
use rowkey_stores::{Created, CreatedBy, Origin};

use crate::{Customer, CustomerId, CustomerRepository, Error, Invoice, InvoiceId};

/// How many keys one query asks for. The lowest limit of a database is 2,098, in SQL Server.
const KEYS_PER_QUERY: usize = 1000;

/// Refuses customers with a name that cannot be stored, and those who are referred by themselves.
pub(crate) fn check_customer(customer: &Customer) -> Result<(), Error> {
    check_name(&customer.name)?;
    // The foreign key would allow it, but MySQL and MariaDB could never remove the customer.
    if customer.referred_by == Some(customer.id) {
        return Err(Error::NotFound(customer.id.into()));
    }
    Ok(())
}

/// Refuses names that some database would refuse or truncate silently.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    if name.chars().count() > 200 {
        return Err(Error::Name("has more than 200 characters"));
    }
    if name.contains('\0') {
        return Err(Error::Name("contains the character U+0000"));
    }
    Ok(())
}

/// What a customer was created from: all of it. Clients send no command id.
pub(crate) fn origin(customer: Customer) -> Origin<(), Customer> {
    Origin {
        command: (),
        payload: customer,
    }
}

/// Refuses the key of a new customer if its client has not made it now.
pub(crate) fn check_new(id: CustomerId) -> Result<(), ValidationError> {
    CreationWindow::default().check(id, UnixMillis::now())
}

/// The name of the command that adds an invoice.
pub(crate) fn command_name(cents: i64) -> &'static str {
    match cents {
        ..0 => "add-credit-note",
        _ => "add-invoice",
    }
}

/// Refuses a repetition that asks for another invoice. The table of the commands has only the name.
pub(crate) async fn check_repetition(
    repository: &dyn CustomerRepository,
    created: Created<InvoiceId>,
    customer_id: CustomerId,
    cents: i64,
) -> Result<Created<InvoiceId>, Error> {
    let id = created.entity;
    let asked = Invoice {
        id,
        customer_id,
        cents,
    };
    match created.by {
        CreatedBy::EarlierCall if repository.invoice(id).await? != Some(asked) => {
            Err(Error::Conflict)
        }
        _ => Ok(created),
    }
}

/// The result of a statement about one customer, who may not exist.
pub(crate) fn must_exist(id: CustomerId, exists: bool) -> Result<(), Error> {
    if exists {
        Ok(())
    } else {
        Err(Error::NotFound(id.into()))
    }
}

/// The keys without duplicates, in portions for one query each.
pub(crate) fn portions(ids: &[CustomerId]) -> Vec<Vec<CustomerId>> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids.chunks(KEYS_PER_QUERY).map(<[_]>::to_vec).collect()
}

/// The sum of the invoices' cents as a 64-bit integer, or an error of the database if it does not
/// fit. Sums of integers are decimals in PostgreSQL, MySQL and MariaDB.
pub(crate) fn sum_of_cents(backend: Backend) -> &'static str {
    match backend {
        Backend::Postgres => "CAST(SUM(invoices.cents) AS bigint)",
        // A cast would truncate a sum that does not fit.
        Backend::MySql | Backend::MariaDb => "SUM(invoices.cents) DIV 1",
        _ => "SUM(invoices.cents)",
    }
}

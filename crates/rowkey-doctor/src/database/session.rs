//! The transaction in which a table is read: it cannot write, and no statement lasts forever.

use std::time::Duration;

use rowkey_tables::dialect::{Dialect, ReadOnly};
use rowkey_tables::{Connection, Error};

const DOING: &str = "beginning a transaction that only reads";

/// Begins a transaction that only reads, with a timeout for each statement where the server has
/// one. Adds a sentence to `notes` where it has none.
pub(crate) async fn begin(
    connection: &mut Connection,
    timeout: Duration,
    notes: &mut Vec<String>,
) -> Result<ReadOnly, Error> {
    let (backend, version) = (connection.backend(), connection.version());
    let session = backend.read_only(version, timeout.as_millis().max(1));
    if session.timeout.is_none() && !backend.is_in_process() {
        notes.push(format!("{backend} {version} has no timeout of statements."));
    }
    connection.execute(DOING, session.begin).await?;
    if let Some(timeout) = &session.timeout
        && let Err(error) = connection.execute(DOING, timeout).await
    {
        end(session, connection).await?;
        return Err(error);
    }
    Ok(session)
}

/// Asks for rows in the order of their place on the disk, where the server knows one.
pub(crate) async fn read_by_place(connection: &mut Connection) -> Result<(), Error> {
    if let Some(settings) = connection.backend().scans_by_place() {
        let doing = "choosing the order of the rows";
        connection.execute(doing, settings).await?;
    }
    Ok(())
}

/// Ends the transaction.
pub(crate) async fn end(session: ReadOnly, connection: &mut Connection) -> Result<(), Error> {
    const DOING: &str = "ending a transaction that only reads";
    connection.execute(DOING, session.end).await?;
    if let Some(after) = session.after {
        connection.execute(DOING, after).await?;
    }
    Ok(())
}

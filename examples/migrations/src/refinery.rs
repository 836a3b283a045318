//! refinery with tiberius, for SQL Server, which the others do not reach.

use refinery::Report;
use tiberius::Client;
use tokio::net::TcpStream;
use tokio_util::compat::Compat;

/// Applies the migrations that are missing, all or none.
///
/// # Errors
///
/// A statement fails, or an applied migration is missing here or has changed.
// ANCHOR: apply
pub async fn apply(client: &mut Client<Compat<TcpStream>>) -> Result<Report, refinery::Error> {
    let runner = embedded::migrations::runner().set_grouped(true);
    runner.run_async(client).await
}

mod embedded {
    refinery::embed_migrations!("../../migrations/refinery/sqlserver");
}
// ANCHOR_END: apply

#[cfg(test)]
mod tests {
    use super::embedded;

    /// refinery passes over files of other names without a word.
    #[test]
    fn every_file_is_a_migration() {
        let runner = embedded::migrations::runner();
        let found = runner.get_migrations().iter();
        let mut found: Vec<_> = found
            .map(|found| (found.to_string(), found.sql()))
            .collect();
        found.sort();
        let files = [
            (
                "V1__customers",
                include_str!("../../../migrations/sqlserver/0001_customers.up.sql"),
            ),
            (
                "V2__invoices",
                include_str!("../../../migrations/sqlserver/0002_invoices.up.sql"),
            ),
            (
                "V3__creation_identifiers",
                include_str!("../../../migrations/sqlserver/0003_creation_identifiers.up.sql"),
            ),
            (
                "V4__key_blocks",
                include_str!("../../../migrations/sqlserver/0004_key_blocks.up.sql"),
            ),
        ];
        assert_eq!(found, files.map(|(name, sql)| (name.to_owned(), Some(sql))));
    }
}

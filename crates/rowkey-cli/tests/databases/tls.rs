//! Addresses that ask for encryption.

use anyhow::{Result, ensure};
use rowkey_tables::{Address, Connection};
use rowkey_testkit::{Backend, TestDatabase};

use crate::offers::block_on;
use crate::run::rowkey_with_authorities;

/// What an address says of encryption.
struct Words {
    required: &'static str,
    /// With the certificate, and without the name of the host.
    authority: &'static str,
    verified: &'static str,
    /// The parameter that the refusal of a certificate has to name.
    file: &'static str,
}

const POSTGRES: Words = Words {
    required: "sslmode=require",
    authority: "sslmode=verify-ca",
    verified: "sslmode=verify-full",
    file: "sslrootcert=",
};

const MYSQL: Words = Words {
    required: "ssl-mode=REQUIRED",
    authority: "ssl-mode=VERIFY_CA",
    verified: "ssl-mode=VERIFY_IDENTITY",
    file: "ssl-ca=",
};

/// Where the server encrypts, the connection is encrypted, and a certificate that nobody knows is
/// refused; where it does not, the refusal says so.
pub(crate) fn asked_for(database: &TestDatabase) -> Result<()> {
    let words = match database.backend() {
        Backend::Postgres => POSTGRES,
        _ => MYSQL,
    };
    let with = |parameter: &str| {
        let sign = if database.url().contains('?') {
            '&'
        } else {
            '?'
        };
        format!("{}{sign}{parameter}", database.url())
    };
    let nobody = tempfile::NamedTempFile::new()?;
    let inventory =
        |parameter: &str| rowkey_with_authorities(&with(parameter), nobody.path(), "inventory");
    let offered = block_on(is_offered(database.url()))?;
    if offered {
        inventory(words.required)?.success()?;
        ensure!(block_on(is_encrypted(&with(words.required)))?);
        for parameter in [words.authority, words.verified] {
            let refused = inventory(parameter)?.failure(1)?;
            ensure!(
                refused.contains("certificate of the server is not accepted"),
                "{refused}"
            );
            ensure!(refused.contains(words.file), "{refused}");
        }
        // The file is there if the server is here.
        if let Some(file) = block_on(authority(database.url()))? {
            let parameter = format!("{}&{}{file}", words.authority, words.file);
            inventory(&parameter)?.success()?;
        }
    } else {
        for parameter in [words.required, words.authority, words.verified] {
            let refused = inventory(parameter)?.failure(1)?;
            ensure!(
                refused.contains("does not encrypt connections"),
                "{refused}"
            );
        }
    }
    Ok(())
}

async fn is_offered(url: &str) -> Result<bool> {
    let mut connection = Connection::open(&url.parse::<Address>()?).await?;
    let doing = "whether it encrypts";
    if connection.backend() == Backend::Postgres {
        let query = "SELECT CAST(current_setting('ssl') = 'on' AS integer)";
        return Ok(connection.query(doing, query, &[]).await?[0].is(0)?);
    }
    let variable = "SHOW GLOBAL VARIABLES LIKE 'have_ssl'";
    let rows = connection.query(doing, variable, &[]).await?;
    let rows = match rows.is_empty() {
        false => rows,
        // MySQL has the variable no longer.
        true => {
            let channel = "SELECT property, value FROM performance_schema.tls_channel_status \
                           WHERE channel = 'mysql_main' AND property = 'Enabled'";
            connection.query(doing, channel, &[]).await?
        }
    };
    Ok(rows[0].text(1)?.eq_ignore_ascii_case("yes"))
}

async fn is_encrypted(url: &str) -> Result<bool> {
    let mut connection = Connection::open(&url.parse::<Address>()?).await?;
    let (query, column) = match connection.backend() {
        Backend::Postgres => {
            let query = "SELECT cipher FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()";
            (query, 0)
        }
        _ => ("SHOW SESSION STATUS LIKE 'Ssl_cipher'", 1),
    };
    let rows = connection.query("the encryption", query, &[]).await?;
    Ok(rows
        .first()
        .is_some_and(|row| row.text(column).is_ok_and(|cipher| !cipher.is_empty())))
}

/// The file of the authority that has signed the server's certificate, if it is known and may be
/// read.
async fn authority(url: &str) -> Result<Option<String>> {
    let mut connection = Connection::open(&url.parse::<Address>()?).await?;
    let query = match connection.backend() {
        // Debian's server has signed it itself.
        Backend::Postgres => {
            "SELECT substring(current_setting('ssl_cert_file') FROM '.*snakeoil.*')"
        }
        _ => "SELECT @@ssl_ca",
    };
    let rows = connection.query("the authority", query, &[]).await?;
    let file = rows.first().map(|row| row.optional_text(0)).transpose()?;
    Ok(file
        .flatten()
        .filter(|file| std::fs::read(file).is_ok())
        .map(str::to_owned))
}

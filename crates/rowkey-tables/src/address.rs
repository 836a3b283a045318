//! Addresses of databases, which may contain a password.

use std::fmt;

use url::Url;

use crate::dialect::Protocol;
use crate::error::Error;

/// The address of a database: a URL, or for SQL Server an ADO connection string.
///
/// * `postgres://user@host:5432/database`
/// * `mysql://user@host:3306/database`, also for MariaDB, which is recognised by its answer
/// * `sqlite://path/to/file.db`
/// * `server=host,1433;user=sa;database=shop` for SQL Server
///
/// `Debug` and `Display` leave out the password, and everything that may contain one.
///
/// ```
/// use rowkey_tables::Address;
///
/// let address: Address = "postgres://shop:secret@db:5432/shop?sslmode=require".parse()?;
/// assert!(address.has_password());
/// assert_eq!(address.to_string(), "postgres://shop@db:5432/shop");
/// # Ok::<(), rowkey_tables::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    protocol: Protocol,
    text: String,
}

impl Address {
    /// The address for a driver, with its password.
    #[doc(hidden)]
    pub fn secret(&self) -> &str {
        &self.text
    }

    #[doc(hidden)]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Whether it contains a password, so that it must not be on a command line.
    pub fn has_password(&self) -> bool {
        match self.protocol {
            Protocol::Sqlite => false,
            Protocol::SqlServer => entries(&self.text).any(|(key, _)| is_password(&key)),
            Protocol::Postgres | Protocol::MySql => Url::parse(&self.text).is_ok_and(|url| {
                url.password().is_some() || url.query_pairs().any(|(key, _)| is_password(&key))
            }),
        }
    }
}

fn is_password(key: &str) -> bool {
    matches!(
        key.trim().to_ascii_lowercase().as_str(),
        "password" | "pwd" | "passwd"
    )
}

/// The entries of an ADO string. A password with a semicolon gives more entries than there are,
/// which is right for finding passwords and for leaving out all but two entries.
fn entries(text: &str) -> impl Iterator<Item = (String, &str)> {
    text.split(';').filter_map(|entry| {
        let (key, value) = entry.split_once('=')?;
        Some((key.trim().to_ascii_lowercase(), value))
    })
}

impl std::str::FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let refused = |problem: &str| Error::Address {
            problem: problem.into(),
        };
        let protocol = match text.split_once(':') {
            Some(("postgres" | "postgresql", _)) => Protocol::Postgres,
            Some(("mysql" | "mariadb", _)) => Protocol::MySql,
            Some(("sqlite", _)) => Protocol::Sqlite,
            _ if entries(text).any(|(key, _)| key == "server") => Protocol::SqlServer,
            _ => {
                return Err(refused(
                    "it begins with postgres:, mysql:, mariadb: or sqlite:, or is SQL Server's \
                     connection string with `server=`",
                ));
            }
        };
        if matches!(protocol, Protocol::Postgres | Protocol::MySql) {
            // The error of the parser does not contain the text.
            Url::parse(text).map_err(|error| refused(&error.to_string()))?;
        }
        Ok(Self {
            protocol,
            text: text.into(),
        })
    }
}

/// The scheme, the user, the host and the database.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.protocol {
            Protocol::SqlServer => {
                let shown = |key: &str| matches!(key, "server" | "database" | "initial catalog");
                let shown: Vec<String> = entries(&self.text)
                    .filter(|(key, _)| shown(key))
                    .map(|(key, value)| format!("{key}={value}"))
                    .collect();
                f.write_str(&shown.join(";"))
            }
            Protocol::Sqlite => f.write_str(self.text.split('?').next().unwrap_or_default()),
            Protocol::Postgres | Protocol::MySql => {
                let Ok(mut url) = Url::parse(&self.text) else {
                    return Ok(());
                };
                url.set_query(None);
                // Fails for URLs without a host, which have no password.
                let _ = url.set_password(None);
                write!(f, "{url}")
            }
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_found_and_never_shown() {
        for (text, shown) in [
            ("postgres://u:p-w@h/d", "postgres://u@h/d"),
            ("postgres://u@h/d?password=p-w", "postgres://u@h/d"),
            ("mysql://u:p-w@h:1/d?ssl-mode=disabled", "mysql://u@h:1/d"),
            (
                "server=h,1;user=u;Password=p-w;database=d",
                "server=h,1;database=d",
            ),
            ("server=h;PWD={p-w;database=x}", "server=h;database=x}"),
        ] {
            let address: Address = text.parse().unwrap();
            assert!(address.has_password(), "{text}");
            assert_eq!(address.to_string(), shown, "{text}");
            assert!(!format!("{address:?}").contains("p-w"), "{text}");
        }
        for text in [
            "postgres://u@h/d",
            "sqlite:a.db?mode=ro",
            "server=h;database=d",
        ] {
            assert!(!text.parse::<Address>().unwrap().has_password(), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_shown() {
        for text in [
            "",
            "secret",
            "http://secret",
            "postgres://u:secret@h:port/d",
            "user=secret",
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(
                error.starts_with("the address of the database: "),
                "{error}"
            );
            assert!(!error.contains("secret"), "{error}");
        }
    }
}

//! Encrypted connections: what is to be done when there is none.

use std::error::Error as StdError;

use crate::address::Address;
use crate::dialect::Protocol;
use crate::error::Error;

/// Chooses the cryptographic library, where sqlx and tiberius have brought two and the program has
/// chosen none: rustls does not choose by itself then, and panics for `sslmode=verify-ca`.
pub(super) fn choose_library() {
    #[cfg(feature = "tls")]
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Fails if another thread was quicker, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// Wraps the error of connecting. If it is about encryption, it says what to write into the
/// address.
pub(super) fn connecting<E: StdError + Send + Sync + 'static>(
    address: &Address,
) -> impl FnOnce(E) -> Error {
    let address = address.clone();
    move |error| {
        let doing = format!("connecting to {address}");
        match Trouble::of(&error) {
            Some(trouble) => {
                let instead = trouble.instead(address.protocol());
                Error::refused(doing, trouble.to_string(), instead)
            }
            None => Error::unreachable(&doing)(error),
        }
    }
}

/// Why there is no encryption.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Trouble {
    #[error("this program was built without TLS")]
    NotBuilt,
    #[error("the server does not encrypt connections")]
    NotOffered,
    /// MySQL's `caching_sha2_password`, whose other way is RSA.
    #[error("the server takes the password only through an encrypted connection")]
    Password,
    #[error("the certificate of the server is not accepted: {0}")]
    Certificate(String),
    #[error("the encryption of the connection failed: {0}")]
    Other(String),
}

impl Trouble {
    /// None for errors about something else.
    fn of(error: &(dyn StdError + 'static)) -> Option<Self> {
        #[cfg(feature = "sqlserver")]
        if let Some(error) = error.downcast_ref::<tiberius::error::Error>() {
            return Self::of_tiberius(error);
        }
        match error.downcast_ref::<sqlx::Error>()? {
            sqlx::Error::Tls(source) => Some(Self::of_message(source.to_string())),
            sqlx::Error::Configuration(source) if source.to_string().starts_with("RSA auth") => {
                Some(Self::Password)
            }
            #[cfg(feature = "tls")]
            sqlx::Error::Io(error) => match error.get_ref()?.downcast_ref::<rustls::Error>()? {
                rustls::Error::InvalidCertificate(why) => Some(Self::Certificate(why.to_string())),
                other => Some(Self::Other(other.to_string())),
            },
            _ => None,
        }
    }

    /// sqlx tells these apart by their text only.
    fn of_message(message: String) -> Self {
        if message.contains("without TLS support") {
            Self::NotBuilt
        } else if message.contains("server does not support TLS") {
            Self::NotOffered
        } else if message.contains("root trust anchors") {
            Self::Certificate("the system knows no authority at all".into())
        } else {
            Self::Other(message)
        }
    }

    /// tiberius tells these apart by their text, too. Its advice is about its own functions.
    #[cfg(feature = "sqlserver")]
    fn of_tiberius(error: &tiberius::error::Error) -> Option<Self> {
        use tiberius::error::Error as Tiberius;

        match error {
            Tiberius::Tls(message) if message.contains("without a TLS backend") => {
                Some(Self::NotBuilt)
            }
            Tiberius::Tls(message) => Some(match message.split_once(" To connect anyway") {
                Some((why, _)) => Self::Certificate(why.to_owned()),
                None => Self::Other(message.clone()),
            }),
            Tiberius::Protocol(message) if message.contains("requested encryption level") => {
                Some(Self::NotOffered)
            }
            _ => None,
        }
    }

    /// What to do, in the words of a driver's addresses.
    fn instead(&self, protocol: Protocol) -> &'static str {
        match (self, protocol) {
            (Self::NotBuilt, _) => {
                "build it with the feature `tls`, or ask for no encryption in the address"
            }
            (Self::Password, _) if cfg!(feature = "tls") => {
                "`ssl-mode=REQUIRED` in the address encrypts"
            }
            (Self::Password, _) => "build it with the feature `tls`",
            (Self::Certificate(_), Protocol::Postgres) => {
                "name the file of the authority that signed it with `sslrootcert=`; \
                 `sslmode=verify-ca` accepts the name of another host, `sslmode=require` encrypts \
                 without knowing the server, `sslmode=disable` does not encrypt"
            }
            (Self::Certificate(_), Protocol::MySql) => {
                "name the file of the authority that signed it with `ssl-ca=`; \
                 `ssl-mode=VERIFY_CA` accepts the name of another host, `ssl-mode=REQUIRED` encrypts \
                 without knowing the server, `ssl-mode=DISABLED` does not encrypt"
            }
            (Self::Certificate(_), _) => {
                "name the file of the authority that signed it with `TrustServerCertificateCA=`; \
                 `TrustServerCertificate=true` encrypts without knowing the server"
            }
            (_, Protocol::Postgres) => {
                "if everyone may read along, `sslmode=disable` in the address does not encrypt"
            }
            (_, Protocol::MySql) => {
                "if everyone may read along, `ssl-mode=DISABLED` in the address does not encrypt"
            }
            _ => {
                "if everyone may read along, `encrypt=DANGER_PLAINTEXT` in the address does not \
                 encrypt"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(address: &str, error: impl StdError + Send + Sync + 'static) -> String {
        connecting(&address.parse().unwrap())(error).to_string()
    }

    #[test]
    fn drivers_without_tls_are_named() {
        let error = sqlx::Error::Tls(
            "TLS upgrade required by connect options but SQLx was built without TLS support enabled"
                .into(),
        );
        let text = explained("postgres://u:secret@h/d?sslmode=require", error);
        assert!(text.contains("built without TLS;"), "{text}");
        assert!(text.contains("postgres://u@h/d"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }

    #[test]
    fn servers_without_tls_are_named() {
        let error = || sqlx::Error::Tls("server does not support TLS".into());
        let text = explained("mysql://h/d", error());
        assert!(text.contains("does not encrypt connections"), "{text}");
        assert!(text.contains("ssl-mode=DISABLED"), "{text}");
        let text = explained("postgres://h/d", error());
        assert!(text.contains("sslmode=disable"), "{text}");
    }

    #[test]
    fn other_errors_stay() {
        let error = sqlx::Error::Io(std::io::ErrorKind::ConnectionRefused.into());
        let text = explained("postgres://h/d", error);
        assert!(
            text.starts_with("connecting to postgres://h/d: error"),
            "{text}"
        );
    }

    #[cfg(feature = "tls")]
    #[test]
    fn certificates_are_named() {
        let error = || {
            let inner = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
            sqlx::Error::Io(std::io::Error::other(inner))
        };
        let text = explained("postgres://h/d", error());
        assert!(text.contains("UnknownIssuer"), "{text}");
        assert!(text.contains("`sslrootcert=`"), "{text}");
        assert!(explained("mysql://h/d", error()).contains("`ssl-ca=`"));
        let nobody = sqlx::Error::Tls("no root trust anchors were provided".into());
        let text = explained("postgres://h/d", nobody);
        assert!(text.contains("knows no authority"), "{text}");
        assert!(text.contains("`sslrootcert=`"), "{text}");
        let handshake = std::io::Error::other(rustls::Error::HandshakeNotComplete);
        let text = explained("mysql://h/d", sqlx::Error::Io(handshake));
        assert!(
            text.contains("encryption of the connection failed"),
            "{text}"
        );
    }

    #[cfg(feature = "sqlserver")]
    #[test]
    fn tiberius_is_understood() {
        use tiberius::error::Error as Tiberius;

        let address = "server=h;password=secret;database=d";
        let text = explained(
            address,
            Tiberius::Tls("it was rejected: old. To connect anyway you can: trust_cert()".into()),
        );
        assert!(
            text.contains("not accepted: it was rejected: old."),
            "{text}"
        );
        assert!(text.contains("TrustServerCertificateCA="), "{text}");
        assert!(!text.contains("trust_cert()"), "{text}");
        let declined = "Server does not allow the requested encryption level.";
        let text = explained(address, Tiberius::Protocol(declined.into()));
        assert!(text.contains("DANGER_PLAINTEXT"), "{text}");
        let text = explained(address, Tiberius::Protocol("other".into()));
        assert!(!text.contains("DANGER_PLAINTEXT"), "{text}");
    }
}

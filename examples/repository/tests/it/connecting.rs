//! Every driver accepts the same URLs, except for its own parameters, and refuses wrong ones with
//! the same message.

use std::{env, fs, process};

use repository::{Customer, CustomerId, CustomerRepository, Error};

type Connected = Result<Box<dyn CustomerRepository>, Error>;

/// The result of connecting with each driver.
async fn connect(url: &str) -> [Connected; 3] {
    [
        repository::sqlx::connect(url).await,
        repository::diesel::connect(url).await,
        repository::sea_orm::connect(url).await,
    ]
}

async fn connect_all(url: &str) -> Vec<Box<dyn CustomerRepository>> {
    connect(url).await.into_iter().map(Result::unwrap).collect()
}

fn customer(name: &str) -> Customer {
    Customer {
        id: CustomerId::generate(),
        name: name.to_owned(),
        referred_by: None,
    }
}

#[tokio::test]
async fn wrong_urls_are_refused_with_the_same_message() {
    let mut refused = vec![
        (
            "customers.db",
            "the database URL has no scheme; use postgres:, mysql:, mariadb: or sqlite:",
        ),
        (
            "oracle://ada:hunter2@localhost/customers",
            "unknown database scheme `oracle`; \
             use postgres:, mysql:, mariadb: or sqlite:",
        ),
        (
            "password=hunter2;server=tcp:localhost,1433",
            "the database URL does not begin with a scheme; \
             use postgres:, mysql:, mariadb: or sqlite:",
        ),
        ("sqlite:", "the database URL names no database"),
        (
            "sqlite:file:customers?mode=memory&cache=shared",
            "for a database in memory, write exactly `sqlite::memory:`",
        ),
        (
            "sqlite::memory:?cache=private",
            "for a database in memory, write exactly `sqlite::memory:`",
        ),
        (
            "SQLite:customers.db?mode=write",
            "the database URL is wrong: error with configuration: \
             unknown value \"write\" for `mode`",
        ),
        (
            "sqlite:/no/such/folder/customers.db",
            "could not connect to SQLite: error returned from database: \
             (code: 14) unable to open database file",
        ),
    ];
    if cfg!(feature = "diesel-postgres") {
        refused.push((
            "postgres://ada:hunter2@127.0.0.1:1",
            "the database URL names no database",
        ));
    }
    if cfg!(feature = "diesel-mysql") {
        refused.push((
            "mariadb://ada:hunter2@127.0.0.1:port/customers",
            "the database URL is wrong: error with configuration: invalid port number",
        ));
    }
    for (url, expected) in refused {
        for connected in connect(url).await {
            let error = connected.map(|_| ()).unwrap_err();
            assert_eq!(error.to_string(), expected, "{url}");
        }
    }
}

#[tokio::test]
#[cfg(not(feature = "diesel-postgres"))]
async fn diesel_names_the_missing_connection() {
    let connected = repository::diesel::connect("postgres://ada:hunter2@127.0.0.1:1/db").await;
    assert_eq!(
        connected.map(|_| ()).unwrap_err().to_string(),
        "this program was built without Diesel's connection to PostgreSQL"
    );
}

#[tokio::test]
async fn a_file_is_the_same_to_every_driver() {
    let name = format!("rowkey repository #{} ?.sqlite", process::id());
    let path = env::temp_dir().join(name);
    // Only the question mark has a meaning in a URL.
    let url = format!("sqlite:{}", path.display()).replace('?', "%3F");
    for connected in connect(&url).await {
        let error = connected.map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    }
    assert!(!path.exists());

    let mut count = 0;
    for parameters in ["?mode=rwc", ""] {
        for repository in connect_all(&format!("{url}{parameters}")).await {
            repository.add_customer(&customer("Ada")).await.unwrap();
            count += 1;
            let found = repository.customers_after(None, 10).await.unwrap();
            assert_eq!(found.len(), count);
        }
    }
    fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn databases_in_memory_are_separate() {
    for url in ["sqlite::memory:", "sqlite://:memory:"] {
        for repository in connect_all(url).await {
            let customer = customer("Ada");
            repository.add_customer(&customer).await.unwrap();
            let all = repository.customers_after(None, 10).await.unwrap();
            assert_eq!(all, [customer]);
        }
    }
}

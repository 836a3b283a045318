//! The service as a program, and its statuses for failures of a database.

use std::io::{BufRead, BufReader, Error as IoError, ErrorKind};
use std::process::{Child, Command, Stdio};

use axum::body::to_bytes;
use axum::response::IntoResponse;
use repository::{CustomerId, Error};
use sea_orm::{ConnAcquireErr, DbErr};
use serde_json::json;

struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_program_answers_with_every_driver() {
    for driver in ["sqlx", "diesel", "sea_orm"] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_customer-service"));
        program.args([driver, "sqlite::memory:", "127.0.0.1:0"]);
        let mut service = Service(program.stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        let stdout = service.0.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim_start_matches("listening on ").trim();

        let url = format!("{address}/customers/{}", CustomerId::generate());
        for expected in [201, 200] {
            let put = reqwest::Client::new()
                .put(&url)
                .json(&json!({ "name": "Ada" }));
            assert_eq!(put.send().await.unwrap().status(), expected, "{driver}");
        }
    }
}

#[tokio::test]
async fn an_unavailable_database_and_a_failure_have_different_statuses() {
    let reset = sqlx::Error::Io(IoError::from(ErrorKind::ConnectionReset));
    let lost = rowkey_stores::Error::Database(Box::new(reset));
    for (error, expected) in [
        (Error::from(sqlx::Error::PoolTimedOut), 503),
        (
            DbErr::ConnectionAcquire(ConnAcquireErr::Timeout).into(),
            503,
        ),
        (rowkey_stores::CreateError::Store(lost).into(), 503),
        (
            sqlx::Error::Protocol("the secret is 4711".to_owned()).into(),
            500,
        ),
        (diesel::result::Error::NotFound.into(), 500),
    ] {
        let answer = error.into_response();
        assert_eq!(answer.status(), expected);
        let body = to_bytes(answer.into_body(), 1000).await.unwrap();
        assert_eq!(body, "the database failed");
    }
}

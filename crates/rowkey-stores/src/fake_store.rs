//! A store for unit tests, whose connections break at chosen commits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::Error;
use crate::failure::{ConnectionLost, FailureKind};
use crate::session::{Identifier, PublicForm, Session, Source, Store, Value, sealed};
use crate::statements::Statements;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Commit {
    /// The connection breaks before the commit reaches the server.
    LostBefore,
    /// The connection breaks before the server's answer arrives.
    LostAfterwards,
}

#[derive(Debug, Default)]
struct State {
    /// Commits after these succeed.
    commits: VecDeque<Commit>,
    rows: Vec<Row>,
}

type Row = (PublicForm, String, Option<PublicForm>);

/// A table of creation identifiers without concurrency.
#[derive(Clone, Debug, Default)]
pub(crate) struct FakeStore(Arc<Mutex<State>>);

impl FakeStore {
    pub(crate) fn with_commits(commits: impl IntoIterator<Item = Commit>) -> Self {
        let store = Self::default();
        store.state().commits.extend(commits);
        store
    }

    pub(crate) fn without_reconnecting(self) -> FakeConnections<false> {
        FakeConnections(self)
    }

    pub(crate) fn rows(&self) -> usize {
        self.state().rows.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics while it has this")
    }
}

/// A connection, with the row that its transaction has inserted.
#[derive(Debug)]
pub(crate) struct FakeSession {
    store: FakeStore,
    inserted: Option<Row>,
}

impl sealed::Sealed for FakeSession {}

impl Session for FakeSession {
    fn statements(&self) -> &'static Statements {
        &Statements {
            find_identifier: "find",
            reserve_identifier: "reserve",
            complete_identifier: "complete",
            forget_identifiers: "",
            prune_identifiers: "",
            prune_identifiers_of_name: "",
            advance_numbers: "",
            begin_numbers: "",
        }
    }

    async fn run_statement(
        &mut self,
        statement: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, Error> {
        match (statement, values, &mut self.inserted) {
            ("reserve", &[Value::Id(command), Value::Name(name)], inserted) => {
                *inserted = Some((command, name.to_owned(), None));
            }
            ("complete", &[Value::Id(entity), Value::Id(_)], Some(row)) => row.2 = Some(entity),
            _ => panic!("{statement} {values:?}"),
        }
        Ok(1)
    }

    async fn query_identifier(
        &mut self,
        _: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Identifier>, Error> {
        let &[Value::Id(command)] = values else {
            panic!("{values:?}");
        };
        let state = self.store.state();
        let row = state.rows.iter().find(|row| row.0 == command);
        Ok(row.and_then(|(_, name, entity)| {
            Some(Identifier {
                entity: (*entity)?,
                command_name: name.clone(),
            })
        }))
    }

    async fn run_update(
        &mut self,
        statement: &'static str,
        _: &[Value<'_>],
    ) -> Result<Option<i64>, Error> {
        panic!("{statement}")
    }
}

#[derive(Debug)]
pub(crate) struct FakeConnections<const RECONNECTS: bool>(FakeStore);

impl<const RECONNECTS: bool> Source for FakeConnections<RECONNECTS> {
    type Session = FakeSession;
    type Connection = Box<FakeSession>;
    type Transaction = Box<FakeSession>;

    const RECONNECTS: bool = RECONNECTS;

    async fn connect(&mut self) -> Result<Box<FakeSession>, Error> {
        Ok(Box::new(FakeSession {
            store: self.0.clone(),
            inserted: None,
        }))
    }

    fn release(&mut self, connection: Box<FakeSession>, _: Option<FailureKind>) {
        drop(connection);
    }

    async fn begin(&mut self) -> Result<Box<FakeSession>, Error> {
        self.connect().await
    }

    async fn commit(&mut self, transaction: Box<FakeSession>) -> Result<(), Error> {
        let mut state = self.0.state();
        let outcome = state.commits.pop_front();
        if !matches!(outcome, Some(Commit::LostBefore)) {
            state.rows.extend(transaction.inserted);
        }
        match outcome {
            None => Ok(()),
            Some(_) => Err(Error::Database(ConnectionLost.into())),
        }
    }

    async fn roll_back(&mut self, _: Box<FakeSession>, _: FailureKind) {}
}

impl sealed::Sealed for &FakeStore {}

impl Store for &FakeStore {
    type Session = FakeSession;
    type Connection = Box<FakeSession>;
    type Transaction = Box<FakeSession>;
    type Source = FakeConnections<true>;

    fn into_source(self) -> FakeConnections<true> {
        FakeConnections(self.clone())
    }
}

impl<const RECONNECTS: bool> sealed::Sealed for FakeConnections<RECONNECTS> {}

impl<const RECONNECTS: bool> Store for FakeConnections<RECONNECTS> {
    type Session = FakeSession;
    type Connection = Box<FakeSession>;
    type Transaction = Box<FakeSession>;
    type Source = Self;

    fn into_source(self) -> Self {
        self
    }
}

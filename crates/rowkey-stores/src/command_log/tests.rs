//! Commands are executed once, however often a client sends them.
//!
//! The numbers are those of the idempotency checklist for commands after an entity's creation.

use ::serde::{Deserialize, Serialize};
use proptest::prelude::*;
use rowkey::UuidV4;

use super::{CommandLog, Execution, UnboundedCommandLog};

type CommandId = UuidV4;

fn id(n: u8) -> CommandId {
    UuidV4::from_random([n; 16])
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u32,
    lines: Vec<String>,
    is_shipped: bool,
    commands: CommandLog<CommandId, 3>,
}

#[derive(Clone)]
struct AddLine {
    command: CommandId,
    order: u32,
    text: &'static str,
}

#[derive(Debug, PartialEq)]
struct AlreadyShipped;

impl Order {
    fn add_line(
        &mut self,
        command: CommandId,
        text: &str,
    ) -> Result<Execution<usize>, AlreadyShipped> {
        self.commands.execute(command, || {
            if self.is_shipped {
                return Err(AlreadyShipped);
            }
            self.lines.push(text.to_owned());
            Ok(self.lines.len())
        })
    }
}

struct Server {
    stored: String,
}

/// Where things go wrong for a client that gets no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Failure {
    RequestIsLost,
    TransactionIsRolledBack,
    AnswerIsLost,
}

impl Server {
    fn with_an_order() -> Self {
        let order = Order {
            id: 7,
            lines: Vec::new(),
            is_shipped: false,
            commands: CommandLog::new(),
        };
        Self {
            stored: serde_json::to_string(&order).unwrap(),
        }
    }

    fn load(&self) -> Order {
        serde_json::from_str(&self.stored).unwrap()
    }

    fn store(&mut self, order: &Order) {
        self.stored = serde_json::to_string(order).unwrap();
    }

    /// The answer to the client, if it gets one: the lines there are.
    fn handle(&mut self, message: &AddLine, failure: Option<Failure>) -> Option<usize> {
        if failure == Some(Failure::RequestIsLost) {
            return None;
        }
        let mut order = self.load();
        assert_eq!(order.id, message.order);
        let outcome = order.add_line(message.command, message.text).unwrap();
        if failure == Some(Failure::TransactionIsRolledBack) {
            return None;
        }
        self.store(&order);
        if failure == Some(Failure::AnswerIsLost) {
            return None;
        }
        Some(outcome.into_result().unwrap_or(order.lines.len()))
    }
}

/// 1: every command carries its own id, plain version 4, and that of the entity.
#[test]
fn commands_are_told_apart_by_their_ids_alone() {
    let mut server = Server::with_an_order();
    let book = AddLine {
        command: id(1),
        order: 7,
        text: "book",
    };
    let second_book = AddLine {
        command: id(2),
        ..book.clone()
    };
    assert_eq!(server.handle(&book, None), Some(1));
    assert_eq!(server.handle(&second_book, None), Some(2));
    assert_eq!(server.load().lines, ["book", "book"]);
}

/// 2: the ids are a part of the entity's own state.
#[test]
fn the_log_is_stored_with_its_entity() {
    let mut order = Server::with_an_order().load();
    assert_eq!(order.add_line(id(1), "book"), Ok(Execution::Executed(1)));
    assert_eq!(order.add_line(id(2), "pen"), Ok(Execution::Executed(2)));
    let stored = serde_json::to_value(&order).unwrap();
    assert_eq!(
        stored["commands"],
        serde_json::json!([id(1).to_string(), id(2).to_string()])
    );
    assert_eq!(serde_json::from_value::<Order>(stored).unwrap(), order);
}

/// 3: a known id executes nothing, changes nothing, and is a success.
#[test]
fn a_command_that_comes_again_changes_nothing_and_succeeds() {
    let mut order = Server::with_an_order().load();
    assert_eq!(order.add_line(id(1), "book"), Ok(Execution::Executed(1)));
    let before = order.clone();
    let mut calls = 0;
    let again = order.commands.execute(id(1), || {
        calls += 1;
        Err::<(), _>("not reached")
    });
    assert_eq!((again, calls), (Ok(Execution::Duplicate), 0));
    assert_eq!(order.add_line(id(1), "another"), Ok(Execution::Duplicate));
    assert_eq!(order, before);
    assert!(Execution::<()>::Duplicate.is_duplicate() && !Execution::Executed(()).is_duplicate());
}

/// 4: the id is recorded with the change; if the logic fails nothing is, and a retry runs again.
#[test]
fn a_command_that_fails_is_not_recorded_and_runs_again() {
    let mut order = Server::with_an_order().load();
    order.is_shipped = true;
    for _ in 0..2 {
        assert_eq!(order.add_line(id(1), "book"), Err(AlreadyShipped));
        assert!(order.commands.is_empty());
    }
    order.is_shipped = false;
    assert_eq!(order.add_line(id(1), "book"), Ok(Execution::Executed(1)));
    assert!(order.commands.contains(&id(1)));

    // Also where the logic stands between the check and the record.
    let new = order.commands.check(id(2)).expect("a new command");
    assert_eq!(*new.id(), id(2));
    drop(new);
    assert!(!order.commands.contains(&id(2)));
    let (first, second) = (order.commands.check(id(2)), order.commands.check(id(2)));
    for new in [first, second].into_iter().flatten() {
        order.commands.record(new);
    }
    assert_eq!(
        order.commands.iter().copied().collect::<Vec<_>>(),
        [id(1), id(2)]
    );
    assert!(order.commands.check(id(2)).is_none());
}

/// 4, where the logic panics and somebody catches it.
#[test]
fn a_command_that_panics_is_not_recorded() {
    let mut log = CommandLog::<u8>::new();
    let panicking = std::panic::AssertUnwindSafe(|| {
        log.execute(1, || -> Result<(), ()> {
            std::panic::resume_unwind(Box::new(()))
        })
    });
    assert!(std::panic::catch_unwind(panicking).is_err());
    assert!(!log.contains(&1));
}

/// 5: the list may be unbounded or bounded, and then drops the oldest.
#[test]
fn a_bounded_log_forgets_the_oldest_and_an_unbounded_one_nothing() {
    let mut bounded = CommandLog::<u32>::default();
    let mut unbounded = UnboundedCommandLog::<u32>::new();
    for n in 0..100 {
        assert_eq!(
            bounded.execute(n, || Ok::<_, ()>(n)),
            Ok(Execution::Executed(n))
        );
        assert_eq!(
            unbounded.execute(n, || Ok::<_, ()>(n)),
            Ok(Execution::Executed(n))
        );
    }
    assert_eq!((bounded.len(), unbounded.len()), (20, 100));
    assert!(bounded.iter().copied().eq(80..100));
    assert!(unbounded.into_iter().eq(0..100));
    assert!(!bounded.contains(&79) && bounded.contains(&80));
}

/// 6: a retry whose id is forgotten is a new command, which the business rules have to refuse.
#[test]
fn a_forgotten_command_is_up_to_the_business_rules() {
    let mut order = Server::with_an_order().load();
    for n in 1..=4 {
        assert_eq!(
            order.add_line(id(n), "book"),
            Ok(Execution::Executed(n.into()))
        );
    }
    // The limit of an order is 3.
    assert_eq!(order.add_line(id(2), "book"), Ok(Execution::Duplicate));
    assert_eq!(order.add_line(id(1), "book"), Ok(Execution::Executed(5)));

    order.is_shipped = true;
    assert_eq!(order.add_line(id(2), "book"), Err(AlreadyShipped));
    assert_eq!(order.add_line(id(1), "book"), Ok(Execution::Duplicate));
}

/// 7: the client cannot distinguish the three failures and always sends the same id again.
#[test]
fn a_client_that_tries_again_after_any_failure_is_served_once() {
    for failure in [
        Failure::RequestIsLost,
        Failure::TransactionIsRolledBack,
        Failure::AnswerIsLost,
    ] {
        let mut server = Server::with_an_order();
        let book = AddLine {
            command: id(1),
            order: 7,
            text: "book",
        };
        assert_eq!(server.handle(&book, Some(failure)), None);
        // Only in the third case is there anything for the log to find.
        let is_known = server.load().commands.contains(&book.command);
        assert_eq!(is_known, failure == Failure::AnswerIsLost, "{failure:?}");

        assert_eq!(server.handle(&book, None), Some(1), "{failure:?}");
        assert_eq!(server.load().lines, ["book"], "{failure:?}");
    }
}

#[test]
fn a_longer_list_than_the_limit_keeps_its_newest() {
    let log: CommandLog<u32, 3> = serde_json::from_str("[1, 2, 3, 4, 5]").unwrap();
    assert_eq!(log, [3, 4, 5].into_iter().collect());
    assert_eq!(serde_json::to_string(&log).unwrap(), "[3,4,5]");
    let log: UnboundedCommandLog<u32> = serde_json::from_str("[1, 2, 3, 4, 5]").unwrap();
    assert_eq!(log.len(), 5);

    for (bad, message) in [
        ("{}", "expected the ids of executed commands, oldest first"),
        ("[1, \"2\"]", "expected u32"),
    ] {
        let error = serde_json::from_str::<CommandLog<u32>>(bad).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[cfg(feature = "schemars")]
#[test]
fn the_json_schema_is_an_array_with_the_limit() {
    use ::schemars::{JsonSchema, schema_for};

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct CommandNumber(u32);

    let log = schema_for!(CommandLog<CommandNumber>).to_value();
    let reference = serde_json::json!({ "$ref": "#/$defs/CommandNumber" });
    assert_eq!(log["items"], reference);
    assert_eq!(log["maxItems"], 20);
    let unbounded = schema_for!(UnboundedCommandLog<CommandNumber>).to_value();
    assert_eq!(unbounded["type"], "array");
    assert_eq!(unbounded.get("maxItems"), None);
}

#[cfg(feature = "utoipa")]
#[test]
fn the_openapi_schema_is_an_array_with_the_limit() {
    use ::utoipa::{OpenApi, ToSchema};
    use serde_json::json;

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Offer {
        numbers: CommandLog<String>,
        three: CommandLog<String, 3>,
        all: UnboundedCommandLog<String>,
    }

    #[derive(OpenApi)]
    #[openapi(components(schemas(Offer)))]
    struct Api;

    let api = serde_json::to_value(Api::openapi()).unwrap();
    let mut schemas = api["components"]["schemas"].clone();
    schemas.as_object_mut().unwrap().remove("Offer");
    let string = json!({ "type": "string" });
    assert_eq!(
        schemas,
        json!({
            "CommandLog20_String": { "type": "array", "items": string, "maxItems": 20 },
            "CommandLog3_String": { "type": "array", "items": string, "maxItems": 3 },
            "UnboundedCommandLog_String": { "type": "array", "items": string },
        })
    );
}

proptest! {
    /// Against the simplest list there is.
    #[test]
    fn a_log_is_the_newest_of_the_different_commands(ids in prop::collection::vec(0_u8..12, 0..60)) {
        let mut log = CommandLog::<u8, 5>::new();
        let mut model: Vec<u8> = Vec::new();
        for id in ids {
            let is_known = model.contains(&id);
            let fails = id == 11;
            let outcome = log.execute(id, || if fails { Err(()) } else { Ok(id) });
            let expected = match (is_known, fails) {
                (true, _) => Ok(Execution::Duplicate),
                (false, true) => Err(()),
                (false, false) => Ok(Execution::Executed(id)),
            };
            prop_assert_eq!(outcome, expected);
            if !is_known && !fails {
                model.push(id);
                model.drain(..model.len().saturating_sub(5));
            }
            prop_assert!(log.iter().eq(&model));
        }
        let text = serde_json::to_string(&log).unwrap();
        prop_assert_eq!(serde_json::from_str::<CommandLog<u8, 5>>(&text).unwrap(), log);
    }
}

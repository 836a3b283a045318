//! Commands that lock no row: the statement that writes an entity compares the version that was
//! read.

use anyhow::{Context, Result, bail};
use futures_util::future;
use rowkey_stores::command_log::{CommandLog, Execution};
use rowkey_testkit::TestDatabase;

use crate::halls::{BookingId, HallId};
use crate::shop::{Driver, Shop};

/// Rooms that count their guests.
struct Rooms<D>(Shop<D>);

/// A room as it was read.
#[derive(Debug)]
struct Room {
    id: HallId,
    version: u64,
    guests: u64,
    commands: CommandLog<BookingId>,
}

impl Room {
    fn add_guest(&mut self, command: BookingId) -> Execution<()> {
        let Ok(execution) = self.commands.execute(command, || {
            self.guests += 1;
            Ok::<_, std::convert::Infallible>(())
        });
        execution
    }
}

impl<D: Driver> Rooms<D> {
    async fn open(database: &TestDatabase) -> Result<Self> {
        let shop = Shop::<D>::open(database).await?;
        let id = HallId::PLAN.column_definition(
            shop.backend,
            "id",
            rowkey::storage::Nullability::NotNull,
        )?;
        shop.execute(&format!(
            "CREATE TABLE rooms ({id} PRIMARY KEY, version bigint NOT NULL, \
             guests bigint NOT NULL, commands varchar(4000) NOT NULL)"
        ))
        .await?;
        Ok(Self(shop))
    }

    async fn add_room(&self) -> Result<HallId> {
        let id = HallId::generate();
        let literal = self.literal(id);
        let insert = format!("INSERT INTO rooms VALUES ({literal}, 0, 0, '[]')");
        self.0.execute(&insert).await?;
        Ok(id)
    }

    fn literal(&self, id: HallId) -> String {
        HallId::PLAN.column(self.0.backend).literal(id.to_u128())
    }

    /// Reads a room and locks nothing.
    async fn room(&self, id: HallId) -> Result<Room> {
        let literal = self.literal(id);
        // In one value, so that it is of one moment.
        let room = format!(
            "SELECT CONCAT(version, ' ', guests, ' ', commands) FROM rooms WHERE id = {literal}"
        );
        let found = self.0.strings(&room).await?.pop();
        let found = found.context("there is a room")?;
        let [version, guests, commands] = found.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            bail!("{found:?}");
        };
        Ok(Room {
            id,
            version: version.parse()?,
            guests: guests.parse()?,
            commands: serde_json::from_str(commands)?,
        })
    }

    /// Writes a room unless it has changed since it was read. Tells whether it did.
    async fn write(&self, room: &Room) -> Result<bool> {
        let commands = serde_json::to_string(&room.commands)?;
        let update = format!(
            "UPDATE rooms SET version = version + 1, guests = {}, commands = '{commands}' \
             WHERE id = {} AND version = {}",
            room.guests,
            self.literal(room.id),
            room.version
        );
        let changed = self
            .0
            .with_session(async |session| D::changed(session, &update).await)
            .await?;
        Ok(changed == 1)
    }

    /// Executes a command. If another one comes in between, looks again.
    async fn add_guest(&self, id: HallId, command: BookingId) -> Result<Execution<()>> {
        loop {
            let mut room = self.room(id).await?;
            let execution = room.add_guest(command);
            if execution.is_duplicate() || self.write(&room).await? {
                return Ok(execution);
            }
        }
    }
}

pub(crate) async fn a_change_of_an_older_version_is_refused<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let rooms = Rooms::<D>::open(database).await?;
    let id = rooms.add_room().await?;
    let mut first = rooms.room(id).await?;
    let mut second = rooms.room(id).await?;
    let _ = first.add_guest(BookingId::generate());
    let _ = second.add_guest(BookingId::generate());
    assert!(rooms.write(&first).await?);
    // It would undo the first one.
    assert!(!rooms.write(&second).await?);
    let stored = rooms.room(id).await?;
    assert_eq!((stored.version, stored.guests), (1, 1));
    assert_eq!(stored.commands, first.commands);
    Ok(())
}

pub(crate) async fn a_repetition_that_comes_too_late_finds_its_command<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let rooms = Rooms::<D>::open(database).await?;
    let id = rooms.add_room().await?;
    let command = BookingId::generate();
    // Both have read the room before either has written it.
    let [mut first, mut second] = [rooms.room(id).await?, rooms.room(id).await?];
    assert!(!first.add_guest(command).is_duplicate());
    assert!(!second.add_guest(command).is_duplicate());
    assert!(rooms.write(&first).await?);
    assert!(!rooms.write(&second).await?);
    assert!(rooms.add_guest(id, command).await?.is_duplicate());
    assert_eq!(rooms.room(id).await?.guests, 1);
    Ok(())
}

pub(crate) async fn many_commands_are_executed_once_without_a_lock<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    const COMMANDS: u64 = 6;

    let rooms = &Rooms::<D>::open(database).await?;
    let id = rooms.add_room().await?;
    let commands: Vec<_> = (0..COMMANDS).map(|_| BookingId::generate()).collect();
    // Each of them twice at the same time.
    let calls = commands.iter().chain(&commands);
    let calls = calls.map(|command| rooms.add_guest(id, *command));
    let executions = future::try_join_all(calls).await?;
    let now = executions
        .iter()
        .filter(|execution| !execution.is_duplicate());
    assert_eq!(now.count() as u64, COMMANDS);
    let stored = rooms.room(id).await?;
    assert_eq!((stored.version, stored.guests), (COMMANDS, COMMANDS));
    Ok(())
}

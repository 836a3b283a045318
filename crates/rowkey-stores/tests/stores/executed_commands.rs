//! Commands to entities after their creation.

use anyhow::{Result, anyhow, ensure};
use futures_util::future;
use rowkey_stores::command_log::{Execution, UnboundedCommandLog};
use rowkey_testkit::TestDatabase;

use crate::halls::{Booking, BookingId, Fate, Hall, HallId, Halls, REMEMBERED, Refusal, What};
use crate::shop::Driver;

fn strings(bookings: &[&Booking]) -> Vec<String> {
    let mut strings: Vec<String> = bookings
        .iter()
        .map(|booking| booking.id.to_string())
        .collect();
    strings.sort();
    strings
}

pub(crate) async fn an_executed_command_is_recorded_with_what_it_has_changed<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    let hall = halls.add_hall().await?;
    let booking = Booking::of(hall, What::Seat(7));
    let answer = halls.answer(&booking).await?;
    let stored = halls.hall(hall).await?;
    assert_eq!(answer, Ok(Execution::Executed(stored.clone())));
    assert!(stored.commands.iter().eq([&booking.id]));
    assert_eq!((stored.state.version, stored.state.guests), (1, 1));
    assert_eq!(halls.executed().await?, strings(&[&booking]));
    Ok(())
}

pub(crate) async fn a_known_command_changes_nothing_and_succeeds<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    let hall = halls.add_hall().await?;
    let first = Booking::of(hall, What::Seat(7));
    let second = Booking::of(hall, What::AnyPlace);
    let of_first = halls.answer(&first).await?;
    assert!(matches!(
        halls.answer(&second).await?,
        Ok(Execution::Executed(_))
    ));
    let before = halls.hall(hall).await?;

    // The first command finds its seat taken, by itself: the rules are not checked again.
    assert_eq!(halls.answer(&first).await?, Ok(Execution::Duplicate));
    let present = halls.hall(hall).await?;
    assert_eq!(present, before);
    // The answer is the present state of the hall, not that of the first time.
    assert_ne!(of_first, Ok(Execution::Executed(present)));
    assert_eq!(halls.executed().await?, strings(&[&first, &second]));
    Ok(())
}

pub(crate) async fn a_command_that_fails_is_not_recorded_and_runs_again<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    let hall = halls.add_hall().await?;
    let before = halls.hall(hall).await?;
    let booking = Booking::of(hall, What::IfVersion(1));
    for _ in 0..2 {
        assert_eq!(halls.answer(&booking).await?, Err(Refusal::Changed));
        assert_eq!(halls.hall(hall).await?, before);
        assert!(halls.executed().await?.is_empty());
    }

    let other = Booking::of(hall, What::AnyPlace);
    assert!(matches!(
        halls.answer(&other).await?,
        Ok(Execution::Executed(_))
    ));
    assert!(matches!(
        halls.answer(&booking).await?,
        Ok(Execution::Executed(_))
    ));
    assert_eq!(halls.executed().await?, strings(&[&booking, &other]));
    Ok(())
}

pub(crate) async fn whatever_was_lost_the_client_sends_the_same_command_again<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    let mut ends = Vec::new();
    for fate in [Fate::RequestLost, Fate::RolledBack, Fate::AnswerLost] {
        let hall = halls.add_hall().await?;
        let booking = Booking::of(hall, What::Seat(7));
        // The client cannot tell which of the three it was.
        assert_eq!(halls.handle(&booking, fate).await?, None);
        let was_committed = fate == Fate::AnswerLost;
        let state = halls.hall(hall).await?.state;
        assert_eq!(state.guests, u32::from(was_committed), "{fate:?}");

        let again = halls.answer(&booking).await?;
        let again = again.map_err(|refusal| anyhow!("{fate:?}: {refusal:?}"))?;
        assert_eq!(again.is_duplicate(), was_committed, "{fate:?}");
        let end = halls.hall(hall).await?;
        assert!(end.commands.iter().eq([&booking.id]));
        ends.push(end.state);
    }
    assert_eq!(ends[0].guests, 1);
    assert!(ends.iter().all(|end| *end == ends[0]));
    assert_eq!(halls.executed().await?.len(), 3);
    Ok(())
}

/// The command of the first booking is no longer known, because others have come after it.
async fn after_others<D: Driver>(
    halls: &Halls<D>,
    what: What,
) -> Result<(Booking, Hall<REMEMBERED>)> {
    let hall = halls.add_hall().await?;
    let first = Booking::of(hall, what);
    ensure!(matches!(
        halls.answer(&first).await?,
        Ok(Execution::Executed(_))
    ));
    for _ in 0..REMEMBERED {
        let later = Booking::of(hall, What::AnyPlace);
        ensure!(matches!(
            halls.answer(&later).await?,
            Ok(Execution::Executed(_))
        ));
    }
    Ok((first, halls.hall(hall).await?))
}

pub(crate) async fn a_bounded_list_forgets_the_oldest_command<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    let (first, before) = after_others(&halls, What::AnyPlace).await?;
    assert_eq!(before.commands.len(), REMEMBERED);
    assert!(!before.commands.contains(&first.id));

    // Without a rule that forbids it, the command is executed again.
    assert!(matches!(
        halls.answer(&first).await?,
        Ok(Execution::Executed(_))
    ));
    let after = halls.hall(first.hall).await?;
    assert_eq!(after.state.guests, before.state.guests + 1);
    let remembered = before.commands.iter().skip(1).chain([&first.id]);
    assert!(after.commands.iter().eq(remembered));
    Ok(())
}

pub(crate) async fn a_forgotten_command_is_refused_by_a_rule_or_by_the_version<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    for (what, refusal) in [
        (What::Seat(7), Refusal::SeatTaken),
        (What::IfVersion(0), Refusal::Changed),
    ] {
        let (first, before) = after_others(&halls, what).await?;
        let executed = halls.executed().await?;
        assert_eq!(halls.answer(&first).await?, Err(refusal));
        assert_eq!(halls.hall(first.hall).await?, before);
        assert_eq!(halls.executed().await?, executed);
    }
    Ok(())
}

pub(crate) async fn an_unbounded_list_forgets_nothing<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D, { usize::MAX }>::open(database).await?;
    let hall = halls.add_hall().await?;
    let bookings: Vec<_> = (0..40).map(|_| Booking::of(hall, What::AnyPlace)).collect();
    for booking in &bookings {
        assert!(matches!(
            halls.answer(booking).await?,
            Ok(Execution::Executed(_))
        ));
    }
    for booking in &bookings {
        assert_eq!(halls.answer(booking).await?, Ok(Execution::Duplicate));
    }
    let stored = halls.hall(hall).await?;
    let log: &UnboundedCommandLog<BookingId> = &stored.commands;
    assert!(log.iter().eq(bookings.iter().map(|booking| &booking.id)));
    assert_eq!(stored.state.guests, 40);
    Ok(())
}

pub(crate) async fn concurrent_repetitions_execute_once<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    const TASKS: usize = 16;

    let halls = &Halls::<D>::open(database).await?;
    let hall = halls.add_hall().await?;
    for round in 1..=5 {
        let booking = &Booking::of(hall, What::AnyPlace);
        let answers = (0..TASKS).map(|_| halls.answer(booking));
        let answers = future::try_join_all(answers).await?;
        let by_this = answers
            .iter()
            .filter(|answer| matches!(answer, Ok(Execution::Executed(_))));
        assert_eq!(by_this.count(), 1);
        let before = answers
            .iter()
            .filter(|answer| **answer == Ok(Execution::Duplicate));
        assert_eq!(before.count(), TASKS - 1);
        assert_eq!(halls.hall(hall).await?.state.guests, round);
        assert_eq!(halls.executed().await?.len(), round as usize);
    }
    Ok(())
}

pub(crate) async fn a_command_to_an_unknown_entity_finds_nothing<D: Driver>(
    database: &TestDatabase,
) -> Result<()> {
    let halls = Halls::<D>::open(database).await?;
    halls.add_hall().await?;
    let booking = Booking::of(HallId::generate(), What::AnyPlace);
    assert_eq!(halls.answer(&booking).await?, Err(Refusal::NotFound));
    assert!(halls.executed().await?.is_empty());
    Ok(())
}

//! Plays the sequences that the originals of DistributedId and DistributedId128 were recorded with.

use std::time::Duration;

use rowkey_core::error::ErrorKind;
use rowkey_core::generate::Generate;
use rowkey_core::{Error, UnixMillis};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A recorded run. `D` is how the vectors write random bits.
#[derive(Deserialize)]
pub(crate) struct Sequence<D> {
    name: String,
    /// Successive clock readings; the last one repeats.
    clock_unix_us: Vec<i64>,
    draws: Vec<D>,
    ops: Vec<Op<D>>,
    expect: Vec<Expected>,
    /// Which results `expect` lists, if not all.
    expect_index: Option<Vec<usize>>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Op<D> {
    Create,
    SetPreviousRandom { value: D },
}

#[derive(Deserialize)]
struct Expected {
    id: Option<String>,
    slept_ms_total: u32,
    clock_reads_total: usize,
    state_timestamp: Option<String>,
}

/// What a state machine must offer to be played.
pub(crate) trait Machine: Clone + Default {
    type Id: Generate;
    type Draw: Copy;
    type Recorded: DeserializeOwned;

    fn next(&mut self, now: UnixMillis, draw: Self::Draw) -> Result<Self::Id, Error>;

    fn read(recorded: &Self::Recorded) -> Self::Draw;

    fn set_previous(&mut self, random: Self::Draw);

    /// Milliseconds since the format's epoch.
    fn millis(id: Self::Id) -> i64;
}

struct Outcome<I> {
    result: Result<I, Error>,
    reads: usize,
    slept: u32,
}

/// Plays `sequence`: where the original sleeps a millisecond, the same draw meets the next clock
/// reading.
pub(crate) fn play<M: Machine>(sequence: &Sequence<M::Recorded>) {
    let name = &sequence.name;
    let outcomes = outcomes::<M>(sequence);
    let all = (0..outcomes.len()).collect();
    let indices = sequence.expect_index.as_ref().unwrap_or(&all);
    assert!(
        !indices.is_empty() && indices.len() == sequence.expect.len(),
        "{name}"
    );
    for (&index, expected) in indices.iter().zip(&sequence.expect) {
        let Outcome {
            result,
            reads,
            slept,
        } = &outcomes[index];
        assert_eq!(*reads, expected.clock_reads_total, "{name}, {index}");
        assert_eq!(*slept, expected.slept_ms_total, "{name}, {index}");
        match (&expected.id, result) {
            (Some(id), Ok(made)) => {
                assert_eq!(made.to_string(), *id, "{name}, {index}");
                // What the state remembers is the id itself.
                let remembered = expected.state_timestamp.as_ref().unwrap();
                assert_eq!(M::millis(*made).to_string(), *remembered, "{name}, {index}");
            }
            (None, Err(error)) if error.kind() == ErrorKind::OutOfRange => {}
            (_, result) => panic!("{name}, {index}: {result:?}"),
        }
    }
}

fn outcomes<M: Machine>(sequence: &Sequence<M::Recorded>) -> Vec<Outcome<M::Id>> {
    let (mut state, mut reads, mut slept) = (M::default(), 0, 0);
    let mut draws = sequence.draws.iter().map(M::read);
    let mut outcomes = Vec::new();
    for op in &sequence.ops {
        let draw = match op {
            Op::SetPreviousRandom { value } => {
                state.set_previous(M::read(value));
                continue;
            }
            Op::Create => draws.next().unwrap(),
        };
        let result = loop {
            let reading = sequence.clock_unix_us[reads.min(sequence.clock_unix_us.len() - 1)];
            reads += 1;
            match state.next(UnixMillis::from_micros(reading), draw) {
                Err(error) if error.is_throttled() => {
                    assert_eq!(error.wait(), Some(Duration::from_millis(1)));
                    slept += 1;
                }
                result => break result,
            }
        };
        if result.is_err() {
            let good = UnixMillis::new(1_577_836_800_000);
            state
                .clone()
                .next(good, draw)
                .expect("the next good reading works");
        }
        outcomes.push(Outcome {
            result,
            reads,
            slept,
        });
    }
    assert!(
        draws.next().is_none(),
        "{}: every draw is used",
        sequence.name
    );
    outcomes
}

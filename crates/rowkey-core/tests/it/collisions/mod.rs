//! Probabilities of collisions and guesses against closed forms and simulations, and the tables of
//! the book.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rowkey_core::UnixMillis;
use rowkey_core::format::{Counted, FormatKind, Iuid, UuidV7};
use rowkey_core::generate::{Generate, OrderedGenerator};
use rowkey_core::routing::IuidContext;

use chances::{Space, Stream, full_load, guess_beside_others, random_space, share_of_values};

mod chances;

const YEAR: Duration = Duration::from_secs(31_556_952);

#[track_caller]
fn close(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= relative * expected.abs(),
        "{found:e}, expected {expected:e}"
    );
}

/// The product itself, with enough digits for small spaces.
fn product(ids: u32, values: u32) -> f64 {
    let missed = (0..ids).map(|drawn| 1.0 - f64::from(drawn) / f64::from(values));
    1.0 - missed.product::<f64>()
}

#[test]
fn small_spaces_have_their_product() {
    for values in [1, 2, 3, 10, 365, 600] {
        for ids in 0..=values + 1 {
            let found = Space::of_values(values.into()).collision(ids.into());
            assert!(
                (found - product(ids, values)).abs() < 1e-12,
                "{ids} of {values}: {found}"
            );
        }
    }
}

#[test]
fn the_formula_for_many_ids_continues_the_sum() {
    // 4,096 ids are summed up term by term, 4,097 are not; the first has one factor less.
    for bits in [20, 24, 40, 74, 122] {
        let space = Space::of_bits(bits);
        let [few, more] = [4_096, 4_097].map(|ids| space.collision(ids));
        let missed = (1.0 - few) * (1.0 - 4_096.0 / space.values());
        if bits <= 24 {
            close(more, 1.0 - missed, 1e-12);
        } else {
            // The number of pairs, where collisions are rare.
            let pairs = 4_097.0 * 4_096.0 / 2.0;
            close(more, pairs / space.values(), 1e-5);
        }
    }
    // All values of a space, but for a few.
    assert_eq!(Space::of_bits(20).collision((1 << 20) - 5), 1.0);
    assert_eq!(Space::of_bits(20).collision((1 << 20) + 1), 1.0);
}

#[test]
fn tiny_probabilities_keep_their_digits() {
    assert_eq!(Space::of_bits(122).collision(0), 0.0);
    assert_eq!(Space::of_bits(122).collision(1), 0.0);
    // One pair: exactly 2^-122.
    assert_eq!(Space::of_bits(122).collision(2), 0.5_f64.powi(122));
    close(
        Space::of_bits(128).collision(1_000),
        499_500.0 * 0.5_f64.powi(128),
        1e-14,
    );
    assert_eq!(Space::of_bits(128).guessed(1, 1), 0.5_f64.powi(128));
}

#[test]
fn simulated_draws_collide_as_often() {
    const TRIALS: u32 = 4_000;
    let mut random = StdRng::seed_from_u64(12);
    for (values, ids) in [(365_u32, 23_u32), (1_000, 10), (65_536, 300), (50, 20)] {
        let collided = (0..TRIALS)
            .filter(|_| {
                let mut seen = HashSet::new();
                !(0..ids).all(|_| seen.insert(random.random_range(0..values)))
            })
            .count();
        let probability = Space::of_values(values.into()).collision(ids.into());
        within_four_deviations(collided, TRIALS, probability);
    }
}

#[test]
fn simulated_guesses_hit_as_often() {
    const TRIALS: u32 = 4_000;
    let mut random = StdRng::seed_from_u64(12);
    for (values, ids, guesses) in [
        (1_000_u32, 10_u32, 50_u32),
        (1_000, 50, 10),
        (200, 20, 5),
        (64, 1, 16),
    ] {
        let hit = (0..TRIALS)
            .filter(|_| {
                let mut existing = HashSet::new();
                while existing.len() < ids as usize {
                    existing.insert(random.random_range(0..values));
                }
                // The guesses may be any that differ.
                (0..guesses).any(|guess| existing.contains(&guess))
            })
            .count();
        let probability = Space::of_values(values.into()).guessed(ids.into(), guesses.into());
        within_four_deviations(hit, TRIALS, probability);
    }
}

#[track_caller]
fn within_four_deviations(found: usize, trials: u32, probability: f64) {
    let trials = f64::from(trials);
    let deviation = (trials * probability * (1.0 - probability)).sqrt();
    let off = (found as f64 - trials * probability).abs();
    assert!(
        off < 4.0 * deviation,
        "{found} of {trials}, expected {probability}"
    );
}

#[test]
fn guesses_have_their_closed_forms() {
    // One id: the guesses' share of the values.
    close(Space::of_bits(48).guessed(1, 1 << 40), 1.0 / 256.0, 1e-12);
    close(Space::of_bits(48).guessed(1 << 40, 1), 1.0 / 256.0, 1e-12);
    // Draws without replacement: 1 - C(90, 10)/C(100, 10).
    let missed = (0..10).map(|guess| f64::from(90 - guess) / f64::from(100 - guess));
    close(
        Space::of_values(100).guessed(10, 10),
        1.0 - missed.product::<f64>(),
        1e-12,
    );
    assert_eq!(Space::of_values(10).guessed(5, 6), 1.0);
    assert_eq!(Space::of_values(10).guessed(0, 6), 0.0);
    // Many of both: as if with replacement.
    // More than a double can tell from certainty.
    assert_eq!(Space::of_values(10_000).guessed(5_000, 5_000), 1.0);
    assert_eq!(Space::of_values(2).guessed(1, 1), 0.5);
    assert_eq!(Space::of_bits(20).guesses_until(1 << 18, 0.5), 3);
    assert_eq!(Space::of_bits(20).guesses_until(1 << 17, 0.5), 6);
    let codes = Space::of_values(29_020_052);
    assert_eq!(codes.guesses_until(4_000_000, 0.5), 5);
    assert_eq!(codes.guesses_until(3_000_000, 0.5), 7);
    let many = Space::of_bits(64).guessed(1 << 30, 1 << 30);
    close(many, 1.0 - (-(2.0_f64.powi(-4))).exp(), 1e-9);
}

#[test]
fn numbers_until_a_probability_are_the_first_that_reach_it() {
    for bits in [5, 12, 32, 48, 74] {
        let space = Space::of_bits(bits);
        for probability in [1e-6, 0.01, 0.5] {
            let ids = space.ids_until(probability);
            let [at, before] = [ids, ids - 1].map(|ids| space.collision(ids));
            assert!(
                before < probability && probability <= at,
                "{bits}: {ids} {before} {at}"
            );
            let guesses = space.guesses_until(3, probability);
            assert!(space.guessed(3, guesses) >= probability);
            assert!(space.guessed(3, guesses - 1) < probability);
        }
    }
}

#[test]
fn a_stream_adds_up_its_units() {
    let day = Duration::from_secs(86_400);
    // 86,400,000 milliseconds with ten ids each on average, that is 50 pairs.
    let per_day = 86_400_000.0 * 50.0;
    let comb = Stream::new(FormatKind::PrefixComb, 10_000.0);
    close(comb.probability(day), per_day / 2.0_f64.powi(74), 1e-9);
    // Two processes, of which half of the pairs are.
    let uuid_v7 = Stream::new(FormatKind::UuidV7, 10_000.0).by_processes(2);
    let expected = per_day / 2.0 / 2.0_f64.powi(73);
    close(uuid_v7.probability(day), expected, 1e-9);
    // Without time all ids of the day are pairs.
    let ids = 864_000_000.0_f64;
    let uuid_v4 = Stream::new(FormatKind::UuidV4, 10_000.0);
    close(
        uuid_v4.probability(day),
        ids * ids / 2.0 / 2.0_f64.powi(122),
        1e-9,
    );
    // Full turns of the ring of a short COMB: the same as without time, because the ids are
    // distributed over all of its counters.
    let ring = Duration::from_secs(60 * 65_536);
    let comb = Stream::new(FormatKind::ShortPrefixComb, 10_000.0);
    let any = Stream::new(FormatKind::AnyUuid, 10_000.0);
    close(comb.probability(ring), any.probability(ring), 1e-9);
    // Half a turn: as many in each interval, but only half of the intervals.
    close(
        comb.probability(ring / 2),
        comb.probability(ring) / 2.0,
        1e-9,
    );
    let faster = comb.with_interval(Duration::from_secs(30));
    close(
        faster.probability(ring / 2),
        any.probability(ring / 2),
        1e-9,
    );
}

#[test]
fn processes_of_numbers_and_machines_repeat_none_of_their_own_ids() {
    let stream = |format, processes| Stream::new(format, 1_000.0).by_processes(processes);
    for format in [
        FormatKind::DistributedId,
        FormatKind::DistributedId128,
        FormatKind::HotGuid,
        FormatKind::UuidV7,
        FormatKind::Iuid,
    ] {
        assert_eq!(stream(format, 1).probability(YEAR), 0.0, "{format}");
        assert_eq!(stream(format, 1).seconds_until(1e-9), None, "{format}");
        assert!(stream(format, 2).probability(YEAR) > 0.0, "{format}");
    }
    assert_eq!(stream(FormatKind::Luuid, 9).probability(YEAR), 0.0);
    // Two processes: half of the pairs are of different ones.
    let [two, many] = [2, 1_000_000].map(|count| stream(FormatKind::DistributedId, count));
    close(two.probability(YEAR), many.probability(YEAR) / 2.0, 1e-3);
    // More than 2^24 HotGuids in a second, if they take part of it or more.
    let limit = f64::from(1 << 24);
    for (rate, seconds, expected) in [
        (1.1, 31_556_952.0, 1.0),
        (1.1, 1.0, 1.0),
        (1.1, 0.9, 0.0),
        (1.1, 0.0, 0.0),
        (4.0, 0.3, 1.0),
        (4.0, 0.2, 0.0),
        (1.0, 31_556_952.0, 0.0),
    ] {
        let hot_guids = Stream::new(FormatKind::HotGuid, rate * limit);
        let found = hot_guids.probability(Duration::from_secs_f64(seconds));
        assert_eq!(found, expected, "{rate} of the limit in {seconds} s");
        // Two processes take two counters.
        let two = Stream::new(FormatKind::HotGuid, 2.0 * rate * limit).by_processes(2);
        let is_certain = two.probability(Duration::from_secs_f64(seconds)) == 1.0;
        assert_eq!(
            is_certain,
            expected == 1.0,
            "{rate} of the limit in {seconds} s"
        );
    }
    // Machine bytes that differ tell all ids apart, however many there are.
    let machines = Stream::new(FormatKind::HotGuid, 1e7).by_processes(10);
    close(
        machines.probability(1_000 * YEAR),
        Space::of_bits(40).collision(10),
        1e-12,
    );
}

#[test]
fn times_until_a_probability_reach_it() {
    for format in FormatKind::ALL {
        let stream = Stream::new(format, 1e6).by_processes(3);
        let Some(seconds) = stream.seconds_until(1e-6) else {
            // Numbers or machine bytes tell ids of these formats apart.
            use FormatKind::{DatabaseNumber, HotGuid, Luuid};
            assert!(matches!(format, Luuid | HotGuid | DatabaseNumber));
            continue;
        };
        if seconds > 1e15 {
            continue;
        }
        let found = stream.probability(Duration::from_secs_f64(seconds));
        // A Duration ends with nanoseconds.
        close(found, 1e-6, 1e-3);
    }
}

/// The bits that differ among the first ids of a millisecond are those of the space, and among the
/// following ids those of the guess.
#[test]
fn counted_ids_have_as_many_random_bits_as_their_space() {
    fn check<F>(context: &<F as Generate>::Context)
    where
        F: Generate + Counted<Context = <F as Generate>::Context>,
    {
        let clock = UnixMillis::new(1_700_000_000_000);
        let (mut ones, mut zeros) = ([0; 2], [0; 2]);
        for _ in 0..1_000 {
            let ids = OrderedGenerator::<F>::new().with_clock(clock);
            let [first, second] = [(); 2].map(|()| ids.try_generate_for(context).unwrap());
            let [first, second] = [first.to_u128(), second.to_u128()];
            for (index, bits) in [first, first ^ second].into_iter().enumerate() {
                ones[index] |= bits;
                zeros[index] |= !bits;
            }
        }
        let random_bits = f64::from((ones[0] & zeros[0]).count_ones());
        let space = random_space(F::KIND);
        assert_eq!(space.values().log2(), random_bits, "{}", F::KIND);
        // Beside the counter, whose next value is known.
        let bits = random_bits - f64::from(u16::BITS - 1);
        assert_eq!(
            guess_beside_others(F::KIND),
            Some((-bits).exp2()),
            "{}",
            F::KIND
        );
        assert_eq!(bits, f64::from(F::RANDOM_BITS));
    }
    check::<UuidV7>(&());
    check::<Iuid>(&IuidContext {
        country: 1,
        service_entity: 2,
    });
}

/// Counters with fewer bits: two processes begin a millisecond at random, and each id has random
/// bits of its own.
#[test]
fn simulated_counters_collide_as_often() {
    const START_BITS: u32 = 6;
    const RANDOM_BITS: u32 = 3;
    const TRIALS: u32 = 20_000;
    let mut random = StdRng::seed_from_u64(12);
    // Few and many for the counter.
    for ids in [1, 4, 32_u32] {
        let mut fill = || {
            let start = random.random_range(0..1_u32 << START_BITS);
            let id = |index| (start + index, random.random_range(0..1_u32 << RANDOM_BITS));
            (0..ids).map(id).collect::<BTreeSet<_>>()
        };
        let common: usize = (0..TRIALS)
            .map(|_| fill().intersection(&fill()).count())
            .sum();
        let found = common as f64 / f64::from(TRIALS);
        // For each pair of ids the starts that give both the same counter.
        let starts = 1_i32 << START_BITS;
        let pairs = (0..ids as i32).flat_map(|one| (0..ids as i32).map(move |other| one - other));
        let of_pairs: i32 = pairs.map(|apart| starts - apart.abs()).sum();
        let values = f64::from(starts) * 2.0_f64.powi(RANDOM_BITS as i32);
        let exact = f64::from(of_pairs) / f64::from(starts) / values;
        close(found, exact, 0.1);
        // What `Stream` takes for all pairs.
        let computed = f64::from(ids * ids) / values;
        assert!(exact <= computed, "{exact} > {computed}");
        if ids <= 4 {
            close(exact, computed, 0.03);
        }
    }
}

/// The states of DistributedId with fewer bits: a start anywhere, then steps up to the last value.
#[test]
fn simulated_full_milliseconds_collide_as_often() {
    const BITS: u32 = 16;
    const STEP_BITS: u32 = 10;
    const TRIALS: u32 = 4_000;
    let mut random = StdRng::seed_from_u64(12);
    let mut made = 0;
    let mut common = 0;
    let mut fill = || {
        let mut ids = BTreeSet::new();
        let mut value = random.random_range(1..1_u32 << BITS);
        while value < 1 << BITS {
            ids.insert(value);
            value += random.random_range(1..1_u32 << STEP_BITS);
        }
        ids
    };
    for _ in 0..TRIALS {
        let (one, other) = (fill(), fill());
        made += one.len() + other.len();
        common += one.intersection(&other).count();
    }
    // What `full_load` has, for these bits.
    let ids = 2.0 * 2.0_f64.powi((BITS - STEP_BITS) as i32);
    let pairs = 2.0_f64.powi(BITS as i32 + 2 - 2 * STEP_BITS as i32) / 3.0;
    close(made as f64 / f64::from(TRIALS), ids, 0.03);
    close(common as f64 / f64::from(TRIALS), pairs, 0.05);
}

const PAGE: &str = include_str!("../../../../../docs/src/collisions.md");

/// Fails with the table as it should be, if the book has another one. Formats with the same
/// figures share the row of the first.
#[track_caller]
fn the_book_has(header: &[&str], rows: &[Vec<String>]) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header: Vec<String> = header.iter().map(ToString::to_string).collect();
    let mut table = line(&header);
    table += &format!("|{}\n", "---|".repeat(header.len()));
    let mut different: Vec<Vec<String>> = Vec::new();
    for row in rows {
        assert_eq!(row.len(), header.len());
        match different.iter_mut().find(|other| other[1..] == row[1..]) {
            Some(other) => other[0] += &format!(", {}", row[0]),
            None => different.push(row.clone()),
        }
    }
    table.extend(different.iter().map(|row| line(row)));
    assert!(
        PAGE.contains(&format!("\n\n{table}\n")),
        "docs/src/collisions.md has another table than\n\n{table}"
    );
}

/// A probability in words: `never`, `1 in 3 x 10^12`, `7 %`, `certain`.
fn odds(probability: f64) -> String {
    if probability <= 0.0 {
        "never".into()
    } else if probability > 0.995 {
        "certain".into()
    } else if probability >= 0.01 {
        format!("{:.0} %", probability * 100.0)
    } else {
        format!("1 in {}", about(1.0 / probability))
    }
}

/// A large number with one or two digits: `450`, `3,000`, `20 million`, `4 × 10^15`.
fn about(number: f64) -> String {
    let exponent = number.log10().floor() as i32;
    let leading = number / 10_f64.powi(exponent);
    // Two digits where the second one says much.
    let digits = if leading < 2.0 { 1 } else { 0 };
    let scientific = format!("{leading:.digits$}");
    match exponent {
        0..=1 => format!("{number:.0}"),
        2 => format!("{:.0}", (number / 10.0).round() * 10.0),
        3..=5 => format!("{:.0},000", number / 1e3),
        6..=8 => format!("{:.0} million", number / 1e6),
        9..=11 => format!("{:.0} billion", number / 1e9),
        _ => format!("{scientific} × 10^{exponent}"),
    }
}

fn code(format: FormatKind) -> String {
    format!("`{format}`")
}

/// Ten processes make a stream.
fn stream(format: FormatKind, per_second: f64) -> Stream {
    Stream::new(format, per_second).by_processes(10)
}

#[test]
fn the_book_says_how_likely_ten_years_are() {
    let rows = FormatKind::ALL.map(|format| {
        let cells = [1.0, 1e3, 1e6].map(|rate| odds(stream(format, rate).probability(10 * YEAR)));
        [vec![code(format)], cells.to_vec()].concat()
    });
    let header = [
        "format",
        "1 per second",
        "1,000 per second",
        "1,000,000 per second",
    ];
    the_book_has(&header, &rows);
}

#[test]
fn the_book_says_how_hard_guessing_is() {
    let rows = FormatKind::ALL.map(|format| {
        let space = random_space(format);
        vec![
            code(format),
            odds(space.guessed(1, 1)),
            guess_beside_others(format).map_or_else(|| "the same".into(), odds),
        ]
    });
    the_book_has(
        &[
            "format",
            "one guess at one id",
            "beside a known id, or in a full millisecond",
        ],
        &rows,
    );
}

#[test]
fn the_book_says_how_many_forged_ids_pass() {
    let rows = FormatKind::ALL.map(|format| {
        vec![
            code(format),
            match share_of_values(format) {
                1.0 => "all".into(),
                share => format!("1 in 2^{:.0}", -share.log2()),
            },
        ]
    });
    the_book_has(
        &["the key is over", "made-up blocks that are such an id"],
        &rows,
    );
}

/// The figures of the documents, as the book judges them.
#[test]
fn figures_of_the_documents() {
    let decades = 85 * YEAR;
    // A billion random UUIDs per second for 85 years: one half.
    let random = Stream::new(FormatKind::UuidV4, 1e9).probability(decades);
    assert_eq!(odds(random), "49 %");
    // Four million short prefix COMBs per second: the same, if 106 bits were all.
    let ids = 4e6 * decades.as_secs_f64();
    let bits_alone = Space::of_bits(106).collision(ids as u128);
    assert!((0.48..0.52).contains(&bits_alone), "{bits_alone}");
    // But their counters tell most of them apart.
    let combs = |rate| Stream::new(FormatKind::ShortPrefixComb, rate).probability(decades);
    assert!((0.48..0.5).contains(&combs(1e9)), "{}", combs(1e9));
    assert_eq!(odds(combs(4e6)), "1 in 92,000");
    // One collision per 3,500, 350 and 35 billion DistributedIds of 2, 10 and 100 full processes.
    for (processes, billions) in [(2, 3_500.0), (10, 350.0), (100, 35.0)] {
        let ids = full_load(FormatKind::DistributedId, processes);
        close(ids, billions * 1e9, 0.06);
    }
    // A million servers with a DistributedId128 each: less than one in 75 quadrillion ids.
    let servers = random_space(FormatKind::DistributedId128).collision(1_000_000);
    assert!(1e6 / servers > 75e15, "{}", 1e6 / servers);
    // 100,000 servers with 100,000 ids each: less than one in 5 trillion. At their limit of 131,072
    // ids each, it is one in 4.3.
    let pairs = 1e10 * (1e5 * 99_999.0 / 2.0);
    let batches = 1e10 / (pairs / random_space(FormatKind::DistributedId128).values());
    assert!(batches > 5e12, "{batches}");
    let full = full_load(FormatKind::DistributedId128, 100_000);
    close(full, 4.3e12, 0.01);
    // A DistributedId of a known millisecond: 1 in 2^48, but 1 in 2^40 in a full one, not 2^41.
    let space = random_space(FormatKind::DistributedId);
    assert_eq!(space.guessed(1, 1), 0.5_f64.powi(48));
    assert_eq!(
        guess_beside_others(FormatKind::DistributedId),
        Some(0.5_f64.powi(40))
    );
    // Generators of HotGuids with 1 %. The documents' "23,786,20" is that of 48 bits, with its
    // commas misplaced; the machine bytes are 40 bits.
    close(Space::of_bits(48).ids_until(0.01) as f64, 2_378_620.0, 1e-6);
    assert_eq!(Space::of_bits(40).ids_until(0.01), 148_665);
    // With three bytes of the host's name and equal process ids: 582 hosts.
    assert_eq!(Space::of_bits(24).ids_until(0.01), 582);
    // Groups of LUUIDs: 1 % at ten names, one half at some seventy.
    assert_eq!(Space::of_bits(12).ids_until(0.01), 10);
    assert_eq!(Space::of_bits(12).ids_until(0.5), 76);
    // Public ids: 2^-64 and 2^-32 for numbers and decimals.
    close(
        share_of_values(FormatKind::DistributedId).log2(),
        -34.98,
        1e-3,
    );
}

//! HotGuids, which have no fixed bits: told by a plausible time, machine bytes that come back, and
//! their counters.

use std::collections::HashMap;

use rowkey_core::HotGuid;
use rowkey_core::format::FormatKind;

use crate::evidence::rest::{Findings, Rest, place};
use crate::values::chance::{self, NEVER};
use crate::values::hypothesis::Hypothesis;
use crate::values::part::{Certainty, Part, number_of};

/// The values of a HotGuid's counter.
const COUNTERS: u64 = 1 << 24;

/// Takes the HotGuids away.
pub(crate) fn examine(rest: &mut Rest<'_>, findings: &mut Findings) {
    let known = rest.shape.hypotheses.iter();
    let of_format = known.filter(|known| known.format == FormatKind::HotGuid);
    for hypothesis in of_format {
        let Some(machines) = of_machines(rest, hypothesis) else {
            continue;
        };
        let share = machines.share;
        let is_all = share > 0.95;
        let count = (share * rest.count(|_| true) as f64).round();
        if is_all {
            rest.take(|_| true);
        } else {
            // The values of other formats have a version.
            rest.take(|signature| signature.versions[0] != 4 && signature.versions[0] != 7);
        }
        findings.evidence.push(format!(
            "{} begin with a plausible number of seconds since 1970, followed by the same five bytes \
             as in other values{}, those of the machines that made them, and by counters.",
            number_of(count as u64, "value"),
            place(hypothesis.layout)
        ));
        let mut certainty = Certainty::of(machines.chance);
        if !machines.has_shards {
            certainty = Certainty::Likely;
            findings.evidence.push(
                "No value has a shard key: ids of MongoDB that were padded with zeros look the same."
                    .to_owned(),
            );
        }
        let part = Part::of(hypothesis, count, certainty);
        findings.parts.push(part);
        return;
    }
}

/// The values with a time, the machine bytes of others, and a counter.
fn of_machines(rest: &Rest<'_>, hypothesis: &Hypothesis) -> Option<Machines> {
    let rows = rest.shape.windows.rows();
    let mut machines: HashMap<[u8; 5], Vec<HotGuid>> = HashMap::new();
    let mut plausible: HashMap<[u8; 5], u64> = HashMap::new();
    for row in &rows {
        let Ok(id) = HotGuid::try_from(hypothesis.public(row.stored)) else {
            continue;
        };
        machines.entry(id.machine()).or_default().push(id);
        *plausible.entry(id.machine()).or_default() +=
            u64::from(hypothesis.admits(row.stored, rest.era));
    }
    let (mut found, mut chance, mut has_shards) = (0, 0.0, false);
    for (machine, ids) in &mut machines {
        let plausible = plausible.get(machine).copied().unwrap_or(0);
        let of_counters = chance_of_counters(ids);
        if plausible * 10 < ids.len() as u64 * 9 || of_counters > -9.0 {
            continue;
        }
        found += plausible;
        chance += of_counters;
        has_shards |= ids.iter().any(|id| id.shard_key() != 0);
    }
    (found > 0 && chance < NEVER).then(|| Machines {
        share: found as f64 / rows.len() as f64,
        chance,
        has_shards,
    })
}

/// The logarithm of the probability that the counters of a machine are like those of random values,
/// or of other ids that begin with a time: a HotGuid's count on from id to id, and are never the
/// same.
fn chance_of_counters(ids: &mut [HotGuid]) -> f64 {
    let number = ids.len();
    let mut counters: Vec<u32> = ids.iter().map(|id| id.counter()).collect();
    counters.sort_unstable();
    counters.dedup();
    if number < 2 || counters.len() * 10 < number * 9 {
        return 0.0;
    }
    // The shortest arc of the ring with all of them is what the widest gap leaves.
    let gaps = counters.windows(2).map(|pair| u64::from(pair[1] - pair[0]));
    let around = counters.first().zip(counters.last());
    let around = around.map_or(COUNTERS, |(first, last)| COUNTERS - u64::from(last - first));
    let arc = COUNTERS - gaps.fold(around, u64::max) + 1;
    let others = (counters.len() - 1) as f64;
    let by_arc = others * (arc as f64 / COUNTERS as f64).ln() + (number as f64).ln();
    // A machine that has gone around the ring.
    ids.sort_by_key(|id| id.time());
    let pairs = ids
        .windows(2)
        .filter(|pair| pair[0].time() < pair[1].time());
    let steps = pairs.map(|pair| pair[1].counter().wrapping_sub(pair[0].counter()));
    let forward: Vec<bool> = steps
        .map(|step| u64::from(step) % COUNTERS < COUNTERS / 4)
        .collect();
    let near = forward.iter().filter(|is_near| **is_near).count();
    let by_steps = chance::at_least(near as u64, forward.len() as u64, 0.25);
    by_arc.min(by_steps)
}

/// What the machine bytes tell.
struct Machines {
    /// The share of the values with a plausible time, the machine bytes of others, and a counter.
    share: f64,
    /// The logarithm of the probability that it is chance.
    chance: f64,
    /// Whether any value has a shard key. Without one they may be ids of MongoDB, padded to sixteen
    /// bytes.
    has_shards: bool,
}

//! How surprising a count is if only chance made it.

/// The natural logarithm of a probability that is so small that it does not happen in all tables
/// that anybody will ever look at, each of which is tested in hundreds of ways.
pub(crate) const NEVER: f64 = -23.0;

/// The natural logarithm of a probability from which on an answer is called certain.
pub(crate) const CERTAIN: f64 = -18.0;

/// A bound on the logarithm of the probability that at least `hits` of `trials` succeed by chance,
/// where each does with `probability`. Chernoff's bound: never too small.
pub(crate) fn at_least(hits: u64, trials: u64, probability: f64) -> f64 {
    tail(hits, trials, probability, |share| share > probability)
}

/// The same for at most `hits`.
pub(crate) fn at_most(hits: u64, trials: u64, probability: f64) -> f64 {
    tail(hits, trials, probability, |share| share < probability)
}

fn tail(hits: u64, trials: u64, probability: f64, surprises: impl Fn(f64) -> bool) -> f64 {
    if trials == 0 {
        return 0.0;
    }
    let share = hits as f64 / trials as f64;
    if !surprises(share) {
        return 0.0;
    }
    let term = |part: f64, expected: f64| match part {
        0.0 => 0.0,
        _ => part * (part / expected).ln(),
    };
    -(trials as f64) * (term(share, probability) + term(1.0 - share, 1.0 - probability))
}

/// The share of the trials that succeed for another reason than chance.
pub(crate) fn excess(hits: u64, trials: u64, probability: f64) -> f64 {
    if trials == 0 {
        return 0.0;
    }
    let share = hits as f64 / trials as f64;
    ((share - probability) / (1.0 - probability)).clamp(0.0, 1.0)
}

/// Random numbers that are the same in every run, for choosing samples.
#[derive(Clone, Debug)]
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number between 0 and 1, which is neither.
    pub(crate) fn share(&mut self) -> f64 {
        ((self.next() >> 12) as f64 + 0.5) / 2_f64.powi(52)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_binomial_distribution() {
        assert_eq!(at_least(5, 10, 0.5), 0.0);
        assert_eq!(at_most(5, 10, 0.5), 0.0);
        assert_eq!(at_least(0, 0, 0.5), 0.0);
        let all = at_least(10, 10, 0.5);
        assert!((all - 10.0 * 0.5_f64.ln()).abs() < 1e-9, "{all}");
        let none = at_most(0, 100, 0.25);
        assert!((none - 100.0 * 0.75_f64.ln()).abs() < 1e-9, "{none}");
        // 60 of 100 with a half: 2.8 %, which the bound exceeds.
        let sixty = at_least(60, 100, 0.5).exp();
        assert!(sixty > 0.028 && sixty < 0.14, "{sixty}");
    }

    #[test]
    fn the_excess_is_what_chance_does_not_explain() {
        assert_eq!(excess(100, 100, 0.1), 1.0);
        assert_eq!(excess(10, 100, 0.1), 0.0);
        assert!((excess(55, 100, 0.1) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn draws_are_even() {
        let mut draws = Draws::new(1);
        let mut counts = [0_u32; 10];
        for _ in 0..10_000 {
            counts[draws.below(10) as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (850..1_150).contains(count)),
            "{counts:?}"
        );
    }
}

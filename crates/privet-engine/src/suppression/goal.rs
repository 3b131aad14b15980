//! What a group must meet, and the whole numbers in which quick sums decide it.
//!
//! Posteriors are sums of 1/|K|. A search adds them up in units of 1/scale, where the scale is a multiple of every small
//! size, so that most sums are exact; the rest is rounded down, and how far the truth can lie above is known. Where that
//! leaves a comparison open, [`Posterior`] decides it.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use crate::privacy::quasi_sensitive::{Links, Posterior, Prior, QsCloseness, QsDiversity};

/// Least common multiples of 1…40, 1…30 and 1…20: sums of that many units for each of up to 2⁹, 2²⁰ and 2³⁴ records stay
/// below 2⁶².
const SCALES: [u64; 3] = [5_342_931_457_063_200, 2_329_089_562_800, 232_792_560];

/// Sums stay below this, so that their squares can be added up in 128 bits.
const MOST_SUM: u64 = 1 << 62;

/// What must hold in a group.
#[derive(Debug, Clone)]
pub struct Goal {
    /// The labels must be diverse.
    pub diversity: Option<QsDiversity>,
    /// The labels must be about as likely as they were before.
    pub closeness: Option<(QsCloseness, Prior)>,
    /// The prior in units of each scale.
    scaled: [Vec<u64>; 3],
}

impl Goal {
    /// What must hold.
    pub fn new(diversity: Option<QsDiversity>, closeness: Option<(QsCloseness, Prior)>) -> Goal {
        let scaled =
            SCALES.map(|scale| closeness.as_ref().map_or(Vec::new(), |(_, prior)| prior.scaled(scale)));
        Goal { diversity, closeness, scaled }
    }

    /// Whether it holds for records that link to the given labels, each with how many these are. Exact.
    pub fn holds<'a>(&self, links: &Links, records: impl Iterator<Item = (&'a [u64], u32)> + Clone) -> bool {
        let posterior = Posterior::of(links.labels(), records);
        self.diversity.as_ref().is_none_or(|demand| posterior.is_diverse(demand))
            && self.closeness.as_ref().is_none_or(|(demand, prior)| posterior.is_close(demand, prior))
    }

    /// Whether a group of empty sets meets it; one that links to something can then always be saved.
    pub fn allows_empty_sets(&self, links: &Links) -> bool {
        self.holds(links, std::iter::once((links.all(), links.labels() as u32)))
    }

    /// The units for a group of this many records.
    pub(super) fn units(&self, records: usize) -> Units<'_> {
        let fits = |scale: &u64| (records as u64).checked_mul(*scale).is_some_and(|sum| sum < MOST_SUM);
        let choice = SCALES.iter().position(fits).unwrap_or(SCALES.len() - 1);
        let scale = SCALES[choice];
        let threshold = self.closeness.as_ref().map_or(0, |(demand, _)| {
            let whole = BigUint::from(records) * scale;
            let over = &whole * &whole * demand.t.numerator() * demand.t.numerator();
            let under = BigUint::from(demand.t.denominator()) * demand.t.denominator();
            (over / under)
                .to_u128()
                .map_or(i128::MAX, |threshold| i128::try_from(threshold).unwrap_or(i128::MAX))
        });
        Units { scale, prior: &self.scaled[choice], threshold }
    }
}

/// The whole numbers in which a group's sums are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units<'a> {
    /// What stands for one record that links to one label.
    pub scale: u64,
    /// Per label, the prior, rounded down.
    pub prior: &'a [u64],
    /// ⌊t²·(records·scale)²⌋.
    pub threshold: i128,
}

impl Units<'_> {
    /// What a record that links to this many labels adds to each of them.
    pub fn share(&self, size: u32) -> u64 {
        if size == 0 { 0 } else { self.scale / u64::from(size) }
    }

    /// Whether that share is rounded.
    pub fn rounds(&self, size: u32) -> bool {
        size > 0 && !self.scale.is_multiple_of(u64::from(size))
    }
}

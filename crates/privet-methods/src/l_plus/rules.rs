//! The cost of a class, and a lower bound on it however the class is split: sections 3.2 and 3.4 of the thesis, with
//! its unsound bound for discernibility under `vio-rec` replaced.
//!
//! A class costs its *generalisation* plus an *extra* if it violates a threshold (or k). For every scheme and metric
//! there is a floor: a lower bound on the extra of all classes that a set of records can be split into.

use super::tally::ClassTally;
use privet_core::Exact;
use privet_engine::cut::{Amount, FORBIDDEN, plus};

pub use privet_policy::method::{LPlusCost as Metric, Scheme};

/// The charge of a class in addition to its generalisation, before it is known how far it is generalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// This amount.
    Fixed(Amount),
    /// This many records are suppressed, each at the price of a suppressed record instead of that of its cells.
    Records(Amount),
    /// This much is at stake, at the least price of a unit.
    Stake(Amount),
}

impl Charge {
    pub const NOTHING: Charge = Charge::Fixed(0);
}

/// What is known about a set of records before it is known how far it is generalised.
#[derive(Debug, Clone, Copy)]
pub struct Evaluation {
    /// The number of records.
    pub size: u64,
    /// For CM: the records with the majority label.
    pub majority: u64,
    /// The extra, or a lower bound on it.
    pub charge: Charge,
    /// For CM: a lower bound on the number of records that are suppressed or, if that is known too, have another label
    /// than the majority.
    pub removals: Amount,
}

/// Scheme, metric, thresholds and prices: everything that determines the cost of a class.
#[derive(Debug, Clone)]
pub struct CostRules {
    pub scheme: Scheme,
    pub metric: Metric,
    /// Per sensitive value, its threshold.
    pub theta: Vec<Exact>,
    /// The threshold of all values, if they share one.
    uniform: Option<Exact>,
    /// The least size of a class.
    pub k: u64,
    /// The number of records of the table.
    pub records: u64,
    /// The number of class labels; 0 if they do not matter.
    pub labels: usize,
    /// Units in 1.
    pub units: u128,
    /// Whether the units represent every price exactly.
    pub exact: bool,
    /// Whether the policy weighs columns or levels.
    pub weighted: bool,
    /// The cost of a suppressed sensitive cell.
    pub per_cell: Amount,
    /// The cost of a suppressed record.
    pub per_record: Amount,
    /// Per column and node of its tree, the cost of a record's cell. All 0 for DM and CM.
    pub losses: Vec<Vec<Amount>>,
    /// Grains are amounts in units of 2 to this power.
    grain: u32,
}

/// Grains are large enough that at most 2 to this power of them are ever paid for a table.
const GRAINS: u32 = 47;

impl CostRules {
    /// A fraction in units.
    pub fn in_units(&self, num: u64, den: u64) -> Amount {
        (u128::from(num) * self.units / u128::from(den.max(1))) as Amount
    }

    pub fn new(
        scheme: Scheme,
        metric: Metric,
        theta: Vec<Exact>,
        k: u64,
        records: u64,
        labels: usize,
    ) -> CostRules {
        let uniform = theta.first().copied().filter(|first| theta.iter().all(|other| other == first));
        let labels = if metric == Metric::Cm { labels } else { 0 };
        CostRules {
            scheme,
            metric,
            theta,
            uniform,
            k,
            records,
            labels,
            units: 1,
            exact: true,
            weighted: false,
            per_cell: 0,
            per_record: 0,
            losses: Vec::new(),
            grain: 0,
        }
    }

    /// Chooses the grain once prices are known: the extras and the generalisation of a table are each below the limit.
    pub fn settle_grain(&mut self) {
        let records = Amount::from(self.records);
        let most = match self.metric {
            Metric::Lm => records * (self.per_record + self.per_cell),
            Metric::Dm => records * records,
            Metric::Cm => 2 * records,
        };
        self.grain = (Amount::BITS - most.leading_zeros()).saturating_sub(GRAINS);
    }

    /// An amount in whole grains, rounded down: a lower bound stays one.
    pub fn grains(&self, amount: Amount) -> i64 {
        (amount >> self.grain) as i64
    }

    /// The least amount that is at least `grains`, in `parts` of a grain.
    pub fn amount_of(&self, grains: Amount, parts: Amount) -> Amount {
        if grains >= FORBIDDEN {
            return FORBIDDEN;
        }
        let scaled = grains << self.grain;
        scaled.div_euclid(parts) + Amount::from(scaled.rem_euclid(parts) > 0)
    }

    /// An empty tally of the counts that costs depend on.
    pub fn tally(&self) -> ClassTally {
        ClassTally::new(self.theta.len(), self.labels, self.labels > 0 && self.scheme == Scheme::VioRec)
    }

    /// An empty tally of everything.
    pub fn full_tally(&self) -> ClassTally {
        ClassTally::new(self.theta.len(), self.labels, self.labels > 0)
    }

    /// The most records out of `size` that may have the value.
    fn cap(&self, value: u32, size: u64) -> u64 {
        self.theta[value as usize].floor_of(size)
    }

    /// Whether one of the values exceeds its share, or the class is smaller than k.
    pub fn violates(&self, tally: &ClassTally) -> bool {
        if tally.size < self.k {
            return tally.size > 0;
        }
        match self.uniform {
            Some(theta) => tally.values.most() > theta.floor_of(tally.size),
            None => tally.values.iter().any(|(value, count)| count > self.cap(value, tally.size)),
        }
    }

    /// Whether a class of this size, with `most` records of its most frequent value, surely satisfies all thresholds
    /// and k.
    pub fn surely_satisfied(&self, size: u64, most: u64) -> bool {
        size >= self.k && self.uniform.is_some_and(|theta| most <= theta.floor_of(size))
    }

    /// Whether floors depend only on the counts of the sensitive values: then the floors of sets that cannot be split
    /// are no higher than others, as far as it matters (`ceiling`).
    pub fn counts_tell_floors(&self) -> bool {
        matches!(self.scheme, Scheme::None | Scheme::VioRec) && self.metric != Metric::Cm
    }

    /// The values that exceed their share.
    pub fn violating<'a>(&'a self, tally: &'a ClassTally) -> impl Iterator<Item = (u32, u64)> + 'a {
        tally.values.iter().filter(|(value, count)| *count > self.cap(*value, tally.size))
    }

    /// The largest part of the class that satisfies all thresholds, as counts per value: the greatest fixed point of
    /// Lemma 3.3. Empty if the rest would be smaller than k.
    pub fn keep(&self, tally: &ClassTally) -> Vec<(u32, u64)> {
        let mut kept: Vec<(u32, u64)> = tally.values.iter().collect();
        let mut total = tally.size;
        loop {
            let before = total;
            let shared = self.uniform.map(|theta| theta.floor_of(before));
            total = 0;
            for (value, count) in &mut kept {
                *count = (*count).min(shared.unwrap_or_else(|| self.cap(*value, before)));
                total += *count;
            }
            if total == before {
                break;
            }
        }
        if total < self.k {
            kept.clear();
        }
        kept
    }

    /// The number of records of the class that must be suppressed, however it is split (fact S): exact for the class as
    /// a whole.
    fn removals(&self, tally: &ClassTally) -> u64 {
        // As in `keep`, without a list: caps only decrease, so the last one determines how many records of a value are
        // kept.
        let mut total = tally.size;
        loop {
            let before = total;
            total = match self.uniform.map(|theta| theta.floor_of(before)) {
                Some(cap) => tally.values.iter().map(|(_, count)| count.min(cap)).sum(),
                None => tally.values.iter().map(|(value, count)| count.min(self.cap(value, before))).sum(),
            };
            if total == before {
                break;
            }
        }
        tally.size - if total < self.k { 0 } else { total }
    }

    /// The number of cells of violating values that must be suppressed, however the class is split (Lemma 3.3 without
    /// its repetition, since suppressed cells stay in the class).
    fn least_cells(&self, tally: &ClassTally) -> u64 {
        let must_go = |(value, count): (u32, u64)| {
            let theta = self.theta[value as usize];
            let (num, den) = (u128::from(theta.numerator()), u128::from(theta.denominator()));
            // A value with threshold 1 never violates, so the divisor is positive.
            let over = u128::from(count) * den - num * u128::from(tally.size);
            over.div_ceil(den - num) as u64
        };
        self.violating(tally).map(must_go).sum()
    }

    /// The cost of the class if it were published completely; `g` is the cost of one record's cells.
    fn generalisation(&self, class: &Evaluation, g: Amount) -> Amount {
        let size = Amount::from(class.size);
        match self.metric {
            Metric::Lm => size * g,
            Metric::Dm => size * size,
            Metric::Cm => size - Amount::from(class.majority),
        }
    }

    /// The class as it is.
    pub fn answer(&self, tally: &ClassTally) -> Evaluation {
        self.answer_with(tally, self.extra(tally))
    }

    /// Whether the loss of a class depends on its labels row by row (`Fine::least_outside`).
    pub fn caps_labels(&self) -> bool {
        (self.scheme, self.metric) == (Scheme::VioRec, Metric::Cm)
    }

    /// The class with a charge other than its own extra.
    pub fn answer_with(&self, tally: &ClassTally, charge: Charge) -> Evaluation {
        let counts = self.metric == Metric::Cm && !self.caps_labels();
        let removals = if counts { self.least_removals(tally) } else { 0 };
        Evaluation { size: tally.size, majority: tally.majority(), charge, removals }
    }

    /// The cost of the class in addition to its generalisation.
    pub fn extra(&self, tally: &ClassTally) -> Charge {
        if !self.violates(tally) {
            return Charge::NOTHING;
        }
        let size = Amount::from(tally.size);
        let all = Amount::from(self.records);
        match (self.scheme, self.metric) {
            (Scheme::None, _) => Charge::Fixed(FORBIDDEN),
            (Scheme::AllSa | Scheme::VioSa, _) if tally.size < self.k => Charge::Records(size),
            (Scheme::AllSa, _) => Charge::Fixed(size * self.per_cell),
            (Scheme::VioSa, _) => {
                let cells: u64 = self.violating(tally).map(|(_, count)| count).sum();
                Charge::Fixed(Amount::from(cells) * self.per_cell)
            }
            (Scheme::AllRec, Metric::Lm) => Charge::Records(size),
            (Scheme::AllRec, Metric::Dm) => Charge::Fixed(size * (all - size)),
            (Scheme::AllRec, Metric::Cm) => Charge::Fixed(Amount::from(tally.majority())),
            (Scheme::VioRec, Metric::Lm) => Charge::Records(Amount::from(self.removals(tally))),
            (Scheme::VioRec, Metric::Dm) => {
                Charge::Fixed(discernibility(Amount::from(self.removals(tally)), size, all))
            }
            (Scheme::VioRec, Metric::Cm) => {
                Charge::Fixed(Amount::from(tally.majority() - self.best_label(tally)))
            }
        }
    }

    /// The amount of a charge if one record's cells cost `g`.
    pub fn amount(&self, charge: Charge, g: Amount) -> Amount {
        match charge {
            Charge::Fixed(amount) => amount,
            Charge::Records(records) => records * (self.per_record - g),
            Charge::Stake(stake) => stake * self.price(g),
        }
    }

    /// The cost of the class if one record's cells cost `g`.
    pub fn cost(&self, class: &Evaluation, g: Amount) -> Amount {
        plus(self.amount(class.charge, g), self.generalisation(class, g))
    }

    /// The values of which not all records can be kept, and how many of their records can be kept together, however the
    /// class is split: what its parts keep of a value adds up to at most what the class keeps itself (fact G).
    pub fn capped(&self, tally: &ClassTally, is_capped: &mut Vec<bool>) -> u64 {
        is_capped.clear();
        is_capped.resize(self.theta.len(), true);
        let mut kept = 0;
        for (value, count) in self.keep(tally) {
            if count == tally.values.counts[value as usize] {
                is_capped[value as usize] = false;
            } else {
                kept += count;
            }
        }
        kept
    }

    /// With `vio-rec`, how many records of the label that keeps most stay: those outside it are suppressed first.
    fn best_label(&self, tally: &ClassTally) -> u64 {
        self.labelled(tally, &self.keep(tally)).map_or(0, |(_, kept)| kept)
    }

    /// The label that keeps most if only the records in `keep` stay, and how many of it do.
    pub fn labelled(&self, tally: &ClassTally, keep: &[(u32, u64)]) -> Option<(u32, u64)> {
        let kept_of = |label: u32| -> u64 {
            let joint = |value: u32| tally.joint.counts[(value * tally.width + label) as usize];
            keep.iter().map(|(value, most)| joint(*value).min(*most)).sum()
        };
        let labels = tally.labels.touched.iter().copied();
        labels
            .map(|label| (label, kept_of(label)))
            .max_by_key(|(label, kept)| (*kept, std::cmp::Reverse(*label)))
    }

    /// A lower bound on the total cost, in addition to generalisation, of the classes that the records can be split
    /// into; as an amount, if one record's cells cost at most `g` in any of them. Valid for cuts below `ceiling`.
    pub fn floor(&self, tally: &ClassTally) -> Charge {
        let (size, all) = (Amount::from(tally.size), Amount::from(self.records));
        if !self.violates(tally) {
            return Charge::NOTHING;
        }
        match (self.scheme, self.metric) {
            (Scheme::None, _) => Charge::Fixed(FORBIDDEN),
            (Scheme::VioRec, Metric::Cm) => Charge::NOTHING,
            (Scheme::VioRec, Metric::Dm) => {
                // Suppressing r of n records changes n² by r(|T| − 2n + r). Summed over the parts of a class, that is
                // at least its value for the class and all r together, and it increases with r while 2n ≤ |T|. Parts of
                // at most half the table pay at least r² ≥ r each, however large the class is.
                let removals = Amount::from(self.removals(tally));
                let amount = if 2 * size <= all { discernibility(removals, size, all) } else { removals };
                Charge::Fixed(amount)
            }
            (Scheme::AllSa | Scheme::VioSa, _) if tally.size < self.k => Charge::Records(size),
            _ => Charge::Stake(self.least_stake(tally)),
        }
    }

    /// Bounds based on floors do not hold for cuts that cost this much or more.
    ///
    /// Under `vio-rec` with DM, suppressing records of a class of more than half the table may pay off, and floors
    /// ignore that. Of n records, such a class keeps r at the cost of r² + (n − r)·|T| ≥ n·|T| − |T|²/4 > |T|²/4.
    pub fn ceiling(&self) -> Amount {
        match (self.scheme, self.metric) {
            (Scheme::VioRec, Metric::Dm) => Amount::from(self.records) * Amount::from(self.records) / 4,
            _ => FORBIDDEN,
        }
    }

    /// The least number of records that the classes that the records can be split into must lose; for CM, where a lost
    /// record costs 1, a bound in itself.
    pub fn least_removals(&self, tally: &ClassTally) -> Amount {
        match self.scheme {
            Scheme::AllRec | Scheme::VioRec if self.violates(tally) => Amount::from(self.removals(tally)),
            _ => 0,
        }
    }

    /// Whether splitting a violating class can lower its extra, so that a floor by splitting is worth its time.
    pub fn splitting_helps(&self) -> bool {
        match self.scheme {
            Scheme::None | Scheme::VioRec => false,
            Scheme::AllRec | Scheme::AllSa | Scheme::VioSa => true,
        }
    }

    /// What is at stake in a violating class, in units that do not depend on how far it is generalised.
    pub fn stake(&self, tally: &ClassTally) -> Amount {
        match (self.scheme, self.metric) {
            (Scheme::VioSa, _) if tally.size >= self.k => {
                Amount::from(self.violating(tally).map(|(_, count)| count).sum::<u64>())
            }
            (Scheme::AllRec, Metric::Lm) | (Scheme::AllSa | Scheme::VioSa, _) => Amount::from(tally.size),
            _ => self.amount(self.extra(tally), 0),
        }
    }

    /// A lower bound on what is at stake in all classes that a violating class can be split into.
    pub fn least_stake(&self, tally: &ClassTally) -> Amount {
        let size = Amount::from(tally.size);
        match (self.scheme, self.metric) {
            (Scheme::None, _) | (Scheme::VioRec, Metric::Cm | Metric::Dm) => 0,
            (Scheme::VioSa, _) if tally.size >= self.k => Amount::from(self.least_cells(tally)),
            (_, Metric::Dm) => Amount::from(self.removals(tally)) * (Amount::from(self.records) - size),
            (_, Metric::Cm) => Amount::from(self.removals(tally).div_ceil(self.labels.max(1) as u64)),
            (_, Metric::Lm) => Amount::from(self.removals(tally)),
        }
    }

    /// The least cost of one unit at stake, if one record's cells cost at most `g`.
    pub fn price(&self, g: Amount) -> Amount {
        match (self.metric, self.scheme) {
            (Metric::Dm | Metric::Cm, _) => 1,
            // A class below k loses its records under these schemes too.
            (Metric::Lm, Scheme::AllSa | Scheme::VioSa) if self.k > 1 => {
                self.per_cell.min(self.per_record - g)
            }
            (Metric::Lm, Scheme::AllSa | Scheme::VioSa) => self.per_cell,
            (Metric::Lm, _) => self.per_record - g,
        }
    }
}

impl CostRules {
    /// The number of cells that must be suppressed according to the thesis, however the class is split.
    pub fn cells_to_go(&self, tally: &ClassTally) -> u64 {
        self.least_cells(tally)
    }
}

/// The increase of n² if `removals` of n records are suppressed at the price of the whole table each.
fn discernibility(removals: Amount, size: Amount, all: Amount) -> Amount {
    removals * (all - 2 * size + removals)
}

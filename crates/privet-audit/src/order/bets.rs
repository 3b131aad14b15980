//! Gamblers, and what they have won.
//!
//! A gambler bets on the next row before it is read, at the odds of a random order. Whatever the strategy, an honest file pays
//! one coin back for one coin on average. So the money of a gambler, or the mean of several, reaches a million coins in at
//! most one of a million honest files (Markov's inequality). Nothing has to be assumed about the strategies, and gamblers
//! need not be independent.

/// The names of winners are kept from this much (as a logarithm) on.
const WORTH_TELLING: f64 = 3.0;

/// Somebody who bets that a pattern goes on, and learns on the way how often it does.
#[derive(Debug, Clone, Default)]
pub struct Gambler {
    pub bets: u64,
    pub hits: u64,
    /// How many hits chance would have brought.
    pub expected: f64,
    /// The coins, from one coin at the start.
    pub coins: Coins,
}

/// What one coin has become, bet after bet, as a logarithm. Many factors are multiplied before a logarithm is taken.
#[derive(Debug, Clone, Copy)]
pub struct Coins {
    ln: f64,
    product: f64,
}

impl Default for Coins {
    fn default() -> Coins {
        Coins { ln: 0.0, product: 1.0 }
    }
}

impl Coins {
    /// The outcome of one more bet.
    pub fn times(&mut self, factor: f64) {
        self.product *= factor;
        if !(1e-100..1e100).contains(&self.product) {
            *self = Coins { ln: self.ln(), product: 1.0 };
        }
    }

    /// The logarithm.
    pub fn ln(&self) -> f64 {
        self.ln + self.product.ln()
    }
}

impl Gambler {
    /// Bets on an event that has this chance in a random order, and learns whether it happened.
    ///
    /// The model is that the event is there with some share c by the pattern, and else by chance: c + (1 - c)·chance. The share
    /// is estimated from the bets so far, with one hit and one miss thought in advance.
    pub fn bet(&mut self, chance: f64, hit: bool) {
        if chance >= 1.0 - 1e-12 || chance <= 0.0 {
            // Nobody takes a bet on what is sure.
            return;
        }
        let (hits, bets) = (self.hits as f64, self.bets as f64);
        let share = (hits - self.expected + 1.0) / (bets - self.expected + 2.0);
        let share = share.clamp(0.0, 1.0 - 1.0 / (bets + 2.0));
        let hope = share + (1.0 - share) * chance;
        self.coins.times(if hit { hope / chance } else { (1.0 - hope) / (1.0 - chance) });
        self.bets += 1;
        self.hits += u64::from(hit);
        self.expected += chance;
    }

    /// What was guessed, in words.
    pub fn tell(&self, how: &str) -> String {
        let Gambler { bets, hits, expected, .. } = self;
        format!(
            "an attacker who expects {how} guesses {hits} of {bets} rows; by chance it would be about {expected:.0}"
        )
    }
}

/// The mean of coins that are given as logarithms, as a logarithm.
pub fn mean(lns: &[f64]) -> f64 {
    let most = lns.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        return f64::NEG_INFINITY;
    }
    let sum: f64 = lns.iter().map(|ln| (ln - most).exp()).sum();
    most + (sum / lns.len() as f64).ln()
}

/// What all gamblers of an audit have won.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    won: Vec<f64>,
    best: Option<(f64, String)>,
}

impl Evidence {
    /// Adds a gambler who started with one coin and now has that many, given as a logarithm.
    pub fn add(&mut self, ln: f64, tell: impl FnOnce() -> String) {
        self.won.push(ln);
        let leading = self.best.as_ref().is_none_or(|(best, _)| ln > *best);
        if ln > WORTH_TELLING && leading {
            self.best = Some((ln, tell()));
        }
    }

    pub fn gambler(&mut self, gambler: &Gambler, how: &str) {
        self.add(gambler.coins.ln(), || gambler.tell(how));
    }

    /// Joins other evidence. `handicap` is the logarithm of the share of a coin that its gamblers had.
    pub fn join(&mut self, other: Evidence, handicap: f64) {
        self.won.extend(other.won.iter().map(|ln| ln + handicap));
        self.lead(other.best, handicap);
    }

    /// Lets others play with the share of one gambler, as one group: what they have on average counts. `handicap` is as in
    /// [`Evidence::join`]. Groups that nobody plays in keep their coin.
    pub fn group(&mut self, other: Evidence, handicap: f64) {
        self.won.push(if other.won.is_empty() { 0.0 } else { other.ln() + handicap });
        self.lead(other.best, handicap);
    }

    fn lead(&mut self, other: Option<(f64, String)>, handicap: f64) {
        let other = other.map(|(ln, text)| (ln + handicap, text));
        if let Some((ln, text)) = other.filter(|(ln, _)| self.best.as_ref().is_none_or(|(best, _)| ln > best))
        {
            self.best = Some((ln, text));
        }
    }

    /// The logarithm of what they have on average.
    pub fn ln(&self) -> f64 {
        mean(&self.won)
    }

    /// Why the order is suspicious, if honest files are suspected with no more than this chance.
    pub fn verdict(&self, chance: f64) -> Option<String> {
        if self.ln() < -chance.ln() {
            return None;
        }
        let unknown = || "the evidence comes from many places".to_string();
        Some(self.best.as_ref().map_or_else(unknown, |(_, text)| text.clone()))
    }
}

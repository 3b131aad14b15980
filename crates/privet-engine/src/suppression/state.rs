//! A group with some occurrences removed: what each record links to, and how likely that makes each label.
//!
//! Per record two bitsets of labels are kept: K, the labels that have all of its terms, and those that lack exactly one.
//! A label joins K when the one term that it lacks is removed, so K without a term is K ∪ (one lacking ∖ labels having the
//! term): a pass over one bitset. All labels of K then lose the same share and all new ones gain the same, so the
//! likeliest labels after the removal are found by merging three stretches of the ranking before it.

use super::Problem;
use super::goal::Units;
use crate::privacy::quasi_sensitive::{QsDiversity, ones};

/// A group with some occurrences removed.
#[derive(Debug)]
pub struct State<'a> {
    pub(super) problem: &'a Problem<'a>,
    units: Units<'a>,
    words: usize,
    /// Per occurrence, its record.
    record: Vec<u32>,
    /// Per record, its first occurrence; then the number of occurrences.
    first: Vec<u32>,
    gone: Vec<bool>,
    /// Per record, how many terms it has left.
    left: Vec<u32>,
    /// Per record, the labels that have all of its terms.
    linked: Vec<u64>,
    /// Per record, the labels that lack exactly one.
    lacking_one: Vec<u64>,
    /// Per record, |K|.
    size: Vec<u32>,
    /// Per label, in units.
    sums: Vec<u64>,
    /// How many labels have a positive sum.
    possible: usize,
    /// How many records link to something.
    linking: u64,
    /// How many records have a share that is rounded down.
    rounded: u64,
    /// The squared distance from the prior, in units.
    distance: i128,
    cost: u128,
    /// The labels with a positive sum, the likeliest first; made by [`State::rank`].
    ranking: Vec<u32>,
}

/// How good a state is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Whether it meets the goal.
    pub holds: bool,
    /// The largest l′ up to l for which QS (c,l′)-diversity holds; l where no diversity is asked for.
    pub level: u32,
    /// How far it is from its thresholds, as shares: what lacks of diversity plus what is too much of distance.
    pub excess: f64,
}

impl<'a> State<'a> {
    /// The group as it is.
    pub fn new(problem: &'a Problem<'a>) -> State<'a> {
        let (words, labels) = (problem.links.words(), problem.links.labels());
        let units = problem.goal.units(problem.members.len());
        let mut first = vec![0];
        let mut record = Vec::new();
        for (at, member) in problem.members.iter().enumerate() {
            record.extend(member.terms.iter().map(|_| at as u32));
            first.push(record.len() as u32);
        }
        let members = problem.members.len();
        let mut state = State {
            problem,
            units,
            words,
            gone: vec![false; record.len()],
            record,
            first,
            left: problem.members.iter().map(|member| member.weight).collect(),
            linked: vec![0; members * words],
            lacking_one: vec![0; members * words],
            size: vec![0; members],
            sums: vec![0; labels],
            possible: 0,
            linking: 0,
            rounded: 0,
            distance: 0,
            cost: 0,
            ranking: Vec::new(),
        };
        state.distance = units.prior.iter().map(|prior| square(members as i128 * i128::from(*prior))).sum();
        for member in 0..members {
            state.link(member);
            state.count(member, true);
        }
        state
    }

    /// The number of occurrences, removed ones included.
    pub fn occurrences(&self) -> usize {
        self.record.len()
    }

    /// The record of an occurrence.
    pub fn record_of(&self, occurrence: u32) -> u32 {
        self.record[occurrence as usize]
    }

    /// An occurrence's place among the terms of its record.
    pub fn place_of(&self, occurrence: u32) -> usize {
        (occurrence - self.first[self.record_of(occurrence) as usize]) as usize
    }

    /// The occurrences of a record.
    pub fn occurrences_of(&self, record: u32) -> std::ops::Range<u32> {
        self.first[record as usize]..self.first[record as usize + 1]
    }

    /// How many labels a record links to.
    pub fn labels_of(&self, record: u32) -> u32 {
        self.size[record as usize]
    }

    /// Whether an occurrence is removed.
    pub fn is_gone(&self, occurrence: u32) -> bool {
        self.gone[occurrence as usize]
    }

    /// How many terms the record of an occurrence has left.
    pub fn left_of(&self, occurrence: u32) -> u32 {
        self.left[self.record_of(occurrence) as usize]
    }

    /// The number of records.
    pub fn members(&self) -> usize {
        self.left.len()
    }

    /// How many terms a record has left.
    pub fn left(&self, record: u32) -> u32 {
        self.left[record as usize]
    }

    /// How many terms a record has lost.
    pub fn lost(&self, record: u32) -> usize {
        (self.problem.members[record as usize].weight - self.left(record)) as usize
    }

    /// The occurrences that are removed, rising.
    pub fn removed(&self) -> Vec<u32> {
        (0..self.gone.len() as u32).filter(|occurrence| self.is_gone(*occurrence)).collect()
    }

    /// How many labels have the term of an occurrence.
    pub fn labels_having(&self, occurrence: u32) -> u32 {
        self.having(occurrence).iter().map(|word| word.count_ones()).sum()
    }

    /// How many labels join what a record links to when an occurrence of it is removed.
    pub fn joining(&self, occurrence: u32) -> u32 {
        self.joiners(occurrence).map(u64::count_ones).sum()
    }

    fn having(&self, occurrence: u32) -> &'a [u64] {
        let member = &self.problem.members[self.record_of(occurrence) as usize];
        self.problem.links.having(member.terms[self.place_of(occurrence)])
    }

    fn joiners(&self, occurrence: u32) -> impl Iterator<Item = u64> + Clone {
        let lacking = &self.lacking_one[self.row(self.record_of(occurrence) as usize)];
        lacking.iter().zip(self.having(occurrence)).map(|(one, having)| one & !having)
    }

    /// What the removals cost so far.
    pub fn cost(&self) -> u128 {
        self.cost
    }

    /// Removes an occurrence.
    pub fn remove(&mut self, occurrence: u32) {
        let record = self.record_of(occurrence) as usize;
        self.cost += self.problem.prices.step(self.left[record]);
        self.left[record] -= 1;
        self.change(occurrence, record, true);
    }

    /// Puts back an occurrence, in the reverse order of removal.
    pub fn restore(&mut self, occurrence: u32) {
        let record = self.record_of(occurrence) as usize;
        self.left[record] += 1;
        self.cost -= self.problem.prices.step(self.left[record]);
        self.change(occurrence, record, false);
    }

    /// Removes exactly these terms of a record, by place: a bit each. Terms beyond the bits stay.
    pub fn lose(&mut self, record: u32, lost: u32) {
        let at = record as usize;
        self.count(at, false);
        for (place, occurrence) in (0u32..).zip(self.occurrences_of(record)) {
            self.gone[occurrence as usize] = lost.checked_shr(place).is_some_and(|lost| lost & 1 == 1);
        }
        let left = self.problem.members[at].weight - lost.count_ones();
        let prices = self.problem.prices;
        self.cost = self.cost + prices.all(self.left[at]) - prices.all(left);
        self.left[at] = left;
        self.link(at);
        self.count(at, true);
    }

    /// Puts everything back.
    pub fn restore_all(&mut self) {
        for record in 0..self.members() as u32 {
            if self.lost(record) > 0 {
                self.lose(record, 0);
            }
        }
    }

    fn change(&mut self, occurrence: u32, record: usize, gone: bool) {
        self.count(record, false);
        self.gone[occurrence as usize] = gone;
        self.link(record);
        self.count(record, true);
    }

    fn row(&self, record: usize) -> std::ops::Range<usize> {
        record * self.words..(record + 1) * self.words
    }

    /// Works out what a record links to.
    fn link(&mut self, record: usize) {
        let links = self.problem.links;
        let row = self.row(record);
        let (lacking, one) = (&mut self.linked[row.clone()], &mut self.lacking_one[row]);
        // While terms are looked at: labels lacking any so far, and labels lacking exactly one so far.
        lacking.fill(0);
        one.fill(0);
        let first = self.first[record] as usize;
        for (place, term) in self.problem.members[record].terms.iter().enumerate() {
            if self.gone[first + place] {
                continue;
            }
            for ((any, one), having) in lacking.iter_mut().zip(one.iter_mut()).zip(links.having(*term)) {
                *one = (*one & having) | (!*any & !having);
                *any |= !having;
            }
        }
        let mut size = 0;
        for ((any, one), all) in lacking.iter_mut().zip(one).zip(links.all()) {
            *any = !*any & all;
            *one &= all;
            size += any.count_ones();
        }
        self.size[record] = size;
    }

    /// Adds a record's shares to the sums, or takes them away.
    fn count(&mut self, record: usize, add: bool) {
        let size = self.size[record];
        if size == 0 {
            return;
        }
        let share = self.units.share(size);
        if add {
            self.linking += 1
        } else {
            self.linking -= 1
        }
        if self.units.rounds(size) {
            if add { self.rounded += 1 } else { self.rounded -= 1 }
        }
        let members = self.problem.members.len() as i128;
        let row = self.row(record);
        for (at, word) in self.linked[row].iter().enumerate() {
            let mut rest = *word;
            while rest != 0 {
                let label = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let before = self.sums[label];
                let after = if add { before + share } else { before - share };
                self.sums[label] = after;
                self.possible = self.possible + usize::from(before == 0) - usize::from(after == 0);
                if let Some(prior) = self.units.prior.get(label) {
                    let expected = members * i128::from(*prior);
                    self.distance +=
                        square(expected - i128::from(after)) - square(expected - i128::from(before));
                }
            }
        }
    }

    /// How many terms of a record the nearest label lacks that it does not link to, and by place which terms such labels
    /// lack.
    pub fn nearest(&self, record: u32) -> (u32, Vec<bool>) {
        let links = self.problem.links;
        let first = self.first[record as usize] as usize;
        let terms = self.problem.members[record as usize].terms.iter().enumerate();
        let there: Vec<(usize, u32)> = terms
            .filter(|(place, _)| !self.gone[first + place])
            .map(|(place, term)| (place, *term))
            .collect();
        let mut shared = vec![0; links.labels()];
        for (_, term) in &there {
            ones(links.having(*term)).for_each(|label| shared[label] += 1);
        }
        let most = shared.iter().copied().filter(|shared| *shared < there.len()).max();
        let mut lacked = vec![false; self.problem.members[record as usize].terms.len()];
        let Some(most) = most else { return (0, lacked) };
        for label in (0..shared.len()).filter(|label| shared[*label] == most) {
            for (place, term) in &there {
                lacked[*place] |= links.having(*term)[label / 64] >> (label % 64) & 1 == 0;
            }
        }
        ((there.len() - most) as u32, lacked)
    }

    /// Ranks the labels, before removals are tried.
    pub fn rank(&mut self) {
        self.ranking.clear();
        if self.problem.goal.diversity.is_none() {
            return;
        }
        let positive = self.sums.iter().enumerate().filter(|(_, sum)| **sum > 0);
        self.ranking.extend(positive.map(|(label, _)| label as u32));
        let sums = &self.sums;
        self.ranking.sort_unstable_by(|a, b| (sums[*b as usize], *a).cmp(&(sums[*a as usize], *b)));
    }

    /// How good the state is. It must be ranked.
    pub fn standing(&self) -> Standing {
        let all = Change { record: usize::MAX, term: &[], fall: 0, rise: 0, fresh: 0 };
        let after = After {
            possible: self.possible,
            linking: self.linking,
            rounded: self.rounded,
            distance: self.distance,
        };
        self.judge(&all, &after)
    }

    /// How good the state would be without one more occurrence. It must be ranked. `current` is its standing.
    pub fn try_removing(&self, occurrence: u32, current: &Standing) -> Standing {
        let record = self.record_of(occurrence) as usize;
        let having = self.having(occurrence);
        let row = self.row(record);
        let joining = self.joiners(occurrence);
        let joined: u32 = joining.clone().map(u64::count_ones).sum();
        if joined == 0 {
            return *current;
        }
        let size = self.size[record];
        let (before, rise) = (self.units.share(size), self.units.share(size + joined));
        let mut change = Change { record, term: having, fall: before.saturating_sub(rise), rise, fresh: 0 };
        let members = self.problem.members.len() as i128;
        let mut distance = self.distance;
        let mut moved = |label: usize, now: i128| {
            if let Some(prior) = self.units.prior.get(label) {
                let expected = members * i128::from(*prior);
                distance += square(expected - now) - square(expected - i128::from(self.sums[label]));
            }
        };
        for (at, word) in joining.enumerate() {
            let mut rest = word;
            while rest != 0 {
                let label = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                change.fresh += usize::from(self.sums[label] == 0);
                moved(label, i128::from(self.sums[label]) + i128::from(rise));
            }
        }
        if self.problem.goal.closeness.is_some() {
            for (at, word) in self.linked[row].iter().enumerate() {
                let mut rest = *word;
                while rest != 0 {
                    let label = at * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    moved(label, i128::from(self.sums[label]) - i128::from(change.fall));
                }
            }
        }
        let after = After {
            possible: self.possible + change.fresh,
            linking: self.linking + u64::from(size == 0),
            rounded: self.rounded + u64::from(self.units.rounds(size + joined))
                - u64::from(self.units.rounds(size)),
            distance,
        };
        self.judge(&change, &after)
    }

    fn judge(&self, change: &Change<'_>, after: &After) -> Standing {
        let goal = self.problem.goal;
        let mut standing = Standing { holds: true, level: u32::MAX, excess: 0.0 };
        let mut open = false;
        if let Some(demand) = &goal.diversity {
            let (level, gap, verdict) = self.diversity(demand, change, after);
            standing.level = level;
            standing.excess += gap;
            standing.holds &= verdict != Some(false);
            open |= verdict.is_none();
        }
        if goal.closeness.is_some() {
            let (gap, verdict) = self.closeness(after);
            standing.excess += gap;
            standing.holds &= verdict != Some(false);
            open |= verdict.is_none();
        }
        if open && standing.holds {
            standing.holds = self.holds_exactly(change);
        }
        standing
    }

    /// The largest l′ up to l, how much p₁ exceeds c·(p_l + …) as a share of all, and whether the notion holds, where the
    /// rounded sums tell.
    fn diversity(
        &self,
        demand: &QsDiversity,
        change: &Change<'_>,
        after: &After,
    ) -> (u32, f64, Option<bool>) {
        let full = demand.l.min(u32::MAX as usize) as u32;
        if after.linking == 0 {
            return (full, 0.0, Some(true));
        }
        let total = i128::from(after.linking) * i128::from(self.units.scale);
        let (over, under) = (i128::from(demand.c.numerator()), i128::from(demand.c.denominator()));
        let mut merge = Merge::new(self, change);
        let likeliest = i128::from(merge.next().unwrap_or(0));
        let (mut before, mut level, mut reached) = (0, 0, true);
        let mut value = likeliest;
        for l in 1..=demand.l.min(after.possible) {
            // Here `before` is p₁ + … + p_{l−1}. Products of 128 bits may not fit: then the exact sums decide.
            let tail = over.checked_mul(total - before);
            let head = under.checked_mul(likeliest);
            reached &= matches!((head, tail), (Some(head), Some(tail)) if head <= tail);
            if reached {
                level = l as u32;
            }
            if l < demand.l {
                before += value;
                value = i128::from(merge.next().unwrap_or(0));
            }
        }
        let rest = if after.possible < demand.l { 0 } else { total - before };
        let share = total as f64;
        let gap = likeliest as f64 / share - demand.c.to_f64() * (rest as f64 / share);
        if after.possible < demand.l {
            return (level, gap.max(0.0) + (demand.l - after.possible) as f64, Some(false));
        }
        let error = i128::from(after.rounded);
        let low_tail = rest - error * (demand.l as i128 - 1);
        let surely = matches!(
            (over.checked_mul(low_tail), under.checked_mul(likeliest + error)),
            (Some(tail), Some(head)) if head <= tail
        );
        let surely_not = matches!(
            (over.checked_mul(rest), under.checked_mul(likeliest)),
            (Some(tail), Some(head)) if head > tail
        );
        let verdict = if surely {
            Some(true)
        } else if surely_not {
            Some(false)
        } else {
            None
        };
        (level, gap.max(0.0), verdict)
    }

    /// How much the squared distance exceeds t², and whether the notion holds, where the rounded sums tell.
    fn closeness(&self, after: &After) -> (f64, Option<bool>) {
        let members = self.problem.members.len() as i128;
        let whole = members * i128::from(self.units.scale);
        // The prior of each label is rounded by less than one unit per record, its sum by one per rounded share; over all
        // labels the differences come to at most 2·whole.
        let error = members + i128::from(after.rounded);
        let error = 4 * error * whole + self.sums.len() as i128 * error * error;
        let threshold = self.units.threshold;
        let share = (whole as f64).powi(2);
        let gap = (after.distance as f64 - threshold as f64) / share;
        let verdict = if after.distance.saturating_add(error) <= threshold {
            Some(true)
        } else if after.distance - error > threshold {
            Some(false)
        } else {
            None
        };
        (gap.max(0.0), verdict)
    }

    fn holds_exactly(&self, change: &Change<'_>) -> bool {
        let changed: Vec<u64> = match change.record {
            usize::MAX => Vec::new(),
            record => {
                let row = self.row(record);
                let rows = self.linked[row.clone()].iter().zip(&self.lacking_one[row]).zip(change.term);
                rows.map(|((linked, one), having)| linked | (one & !having)).collect()
            }
        };
        let size = changed.iter().map(|word| word.count_ones()).sum();
        let records = (0..self.problem.members.len()).map(|record| {
            if record == change.record {
                (&changed[..], size)
            } else {
                (&self.linked[self.row(record)], self.size[record])
            }
        });
        self.problem.goal.holds(self.problem.links, records)
    }
}

fn square(number: i128) -> i128 {
    number * number
}

/// What removing a term from a record does to the labels' sums.
struct Change<'a> {
    /// The record, or `usize::MAX` where nothing changes.
    record: usize,
    /// The labels that have the term.
    term: &'a [u64],
    /// What the labels that it linked to lose.
    fall: u64,
    /// What the labels that join gain.
    rise: u64,
    /// How many of those had nothing.
    fresh: usize,
}

/// What is known of the sums after a change.
struct After {
    possible: usize,
    linking: u64,
    rounded: u64,
    distance: i128,
}

/// The sums after a change, in falling order: three stretches of the ranking, each still in order, are merged.
struct Merge<'s, 'a> {
    state: &'s State<'a>,
    change: &'s Change<'s>,
    /// How far each stretch has been looked through: labels as they were, labels that fall, labels that rise.
    at: [usize; 3],
    /// The next sum of each stretch.
    next: [Option<u64>; 3],
    fresh: usize,
}

impl<'s, 'a> Merge<'s, 'a> {
    fn new(state: &'s State<'a>, change: &'s Change<'s>) -> Merge<'s, 'a> {
        let mut merge = Merge { state, change, at: [0; 3], next: [None; 3], fresh: change.fresh };
        let stretches = if change.record == usize::MAX { 1 } else { 3 };
        (0..stretches).for_each(|stretch| merge.advance(stretch));
        merge
    }

    /// Which stretch a label belongs to.
    fn stretch(&self, label: u32) -> usize {
        if self.change.record == usize::MAX {
            return 0;
        }
        let (word, bit) = (label as usize / 64, 1u64 << (label % 64));
        let at = self.change.record * self.state.words + word;
        if self.state.linked[at] & bit != 0 {
            1
        } else if self.state.lacking_one[at] & !self.change.term[word] & bit != 0 {
            2
        } else {
            0
        }
    }

    fn advance(&mut self, stretch: usize) {
        let ranking = &self.state.ranking;
        let mut at = self.at[stretch];
        while at < ranking.len() && self.stretch(ranking[at]) != stretch {
            at += 1;
        }
        let sum = ranking.get(at).map(|label| self.state.sums[*label as usize]);
        self.at[stretch] = at + 1;
        self.next[stretch] = match stretch {
            1 => sum.map(|sum| sum - self.change.fall),
            2 => match sum {
                Some(sum) => Some(sum + self.change.rise),
                // Behind those that were possible come those that were not.
                None if self.fresh > 0 => {
                    self.fresh -= 1;
                    Some(self.change.rise)
                }
                None => None,
            },
            _ => sum,
        };
    }
}

impl Iterator for Merge<'_, '_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let stretch = (0..3).max_by_key(|stretch| self.next[*stretch])?;
        let sum = self.next[stretch]?;
        self.advance(stretch);
        Some(sum)
    }
}

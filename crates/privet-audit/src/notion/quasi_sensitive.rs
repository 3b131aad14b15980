//! QS (c,l)-diversity and QS t-closeness, read literally.
//!
//! A record links to the labels that have all of its terms (terms that no label has are left aside, or empty the list, as
//! the policy says); each of them has a share of 1/|K| in it. β of a label is the mean share over a class, α what the
//! policy calls the prior. All shares of a class are whole numbers of one unit, the least common multiple of the |K|.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

use super::{Facts, Notion};
use crate::classes::Histogram;
use privet_core::{Error, Exact, Result};
use privet_core::{counted, ordinal};
use privet_data::{Knowledge, terms_of};
use privet_policy::UnknownTerms;
use privet_policy::requirement::{self, PriorKind};

/// What the sets of the column link to.
struct Linking {
    /// Where the column is among the unchanged columns.
    column: usize,
    /// By the number of a set, where its terms begin, and the end of the last.
    starts: Vec<usize>,
    /// The terms of all sets, by their number in the knowledge; `None` for one that no label has.
    terms: Vec<Option<u32>>,
    /// By term, the labels that have it: a bit per label.
    having: Vec<Vec<u64>>,
    /// All labels, in the same way.
    all: Vec<u64>,
    labels: u32,
    strict: bool,
}

impl Linking {
    fn of(notion: &str, column: usize, facts: &Facts<'_>) -> Result<(Linking, std::sync::Arc<Knowledge>)> {
        let column = facts.column(notion, column)?;
        let place = facts.layout.plain.get(column).and_then(|place| facts.policy.columns.get(place.original));
        let policy = place.and_then(|column| column.sets.as_ref()).ok_or_else(|| {
            Error::input(format!("[privacy.{notion}] is about a column that holds no sets"))
        })?;
        let knowledge = policy.knowledge.clone();
        let none = vec![0u64; knowledge.labels().len().div_ceil(64)];
        let (mut having, mut all) = (vec![none.clone(); knowledge.terms().len()], none);
        for label in 0..knowledge.labels().len() {
            let bit = 1 << (label % 64);
            all[label / 64] |= bit;
            for term in knowledge.terms_of_label(label) {
                having[*term as usize][label / 64] |= bit;
            }
        }
        let (mut starts, mut terms) = (vec![0], Vec::new());
        for text in facts.tables.plain[column].texts() {
            terms.extend(terms_of(text, policy.separator).into_iter().map(|term| knowledge.term(term)));
            starts.push(terms.len());
        }
        let strict = policy.unknown_terms == UnknownTerms::Strict;
        let labels = knowledge.labels().len() as u32;
        Ok((Linking { column, starts, terms, having, all, labels, strict }, knowledge))
    }

    /// K of a set, by its number.
    fn linked(&self, set: u32) -> Vec<u32> {
        let mut linked = self.all.clone();
        for term in &self.terms[self.starts[set as usize]..self.starts[set as usize + 1]] {
            match term {
                Some(term) => {
                    let words = linked.iter_mut().zip(&self.having[*term as usize]);
                    words.for_each(|(word, having)| *word &= having);
                }
                None if self.strict => return Vec::new(),
                None => {}
            }
        }
        let words = (0u32..).zip(linked).filter(|(_, word)| *word != 0);
        words
            .flat_map(|(at, word)| {
                (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
            })
            .collect()
    }

    /// The sums of shares of a class: per label that has any, in units; and the unit.
    fn sums(&self, counts: &[(u32, u64)]) -> (BTreeMap<u32, BigUint>, BigUint) {
        // By |K|: per label, how many records with a K of that size link to it.
        let mut by_size: BTreeMap<usize, BTreeMap<u32, u64>> = BTreeMap::new();
        for (set, count) in counts {
            let labels = self.linked(*set);
            let linking = by_size.entry(labels.len()).or_default();
            labels.into_iter().for_each(|label| *linking.entry(label).or_default() += count);
        }
        by_size.remove(&0);
        let unit = by_size.keys().fold(BigUint::from(1u8), |unit, size| unit.lcm(&BigUint::from(*size)));
        let mut sums: BTreeMap<u32, BigUint> = BTreeMap::new();
        for (size, linking) in by_size {
            let share = &unit / size;
            for (label, records) in linking {
                *sums.entry(label).or_default() += &share * records;
            }
        }
        (sums, unit)
    }
}

fn ratio(over: &BigUint, under: &BigUint) -> f64 {
    const DIGITS: u64 = 1 << 53;
    if under.is_zero() {
        return 0.0;
    }
    (over * DIGITS / under).to_f64().unwrap_or(f64::MAX) / DIGITS as f64
}

struct QsDiversity {
    linking: Linking,
    c: Exact,
    l: usize,
}

pub(super) fn diversity(asked: &requirement::QsDiversity, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let (linking, _) = Linking::of("qs-diversity", asked.column, facts)?;
    Ok(Box::new(QsDiversity { linking, c: asked.c, l: usize::try_from(asked.l).unwrap_or(usize::MAX) }))
}

impl QsDiversity {
    /// The positive posteriors in units, the greatest first, and the sum from the l-th on.
    fn posteriors(&self, class: &Histogram) -> (Vec<BigUint>, BigUint) {
        let mut sums: Vec<BigUint> = self.linking.sums(&class.counts).0.into_values().collect();
        sums.sort_unstable_by(|a, b| b.cmp(a));
        let tail = sums.iter().skip(self.l.saturating_sub(1)).sum();
        (sums, tail)
    }
}

impl Notion for QsDiversity {
    fn column(&self) -> Option<usize> {
        Some(self.linking.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        let (posteriors, tail) = self.posteriors(class);
        let Some(first) = posteriors.first() else { return true };
        posteriors.len() >= self.l && first * self.c.denominator() <= tail * self.c.numerator()
    }

    fn strain(&self, class: &Histogram) -> f64 {
        let (posteriors, tail) = self.posteriors(class);
        posteriors.first().map_or(0.0, |first| ratio(first, &(first + tail)))
    }

    fn explain(&self, class: &Histogram) -> String {
        let (posteriors, tail) = self.posteriors(class);
        let Some(first) = posteriors.first() else {
            return format!("{}, none of which links to a label", counted(class.size, "record", "records"));
        };
        let all: BigUint = posteriors.iter().sum();
        format!(
            "{}; {}, the likeliest with {:.4} of what links, the rest from the {} on with {:.4}; p1 ≤ {} · rest and at least {} \
             asked for",
            counted(class.size, "record", "records"),
            counted(posteriors.len() as u64, "label", "labels"),
            ratio(first, &all),
            ordinal(self.l as u64),
            ratio(&tail, &all),
            self.c,
            counted(self.l as u64, "label is", "labels are")
        )
    }
}

struct QsCloseness {
    linking: Linking,
    t: Exact,
    /// Per label, in units of `whole`.
    prior: Vec<BigUint>,
    whole: BigUint,
    /// Σ of the squares of the prior.
    squares: BigUint,
}

pub(super) fn closeness(asked: &requirement::QsCloseness, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let (linking, knowledge) = Linking::of("qs-closeness", asked.column, facts)?;
    let labels = linking.labels as usize;
    let (prior, whole) = match asked.prior {
        PriorKind::Uniform => (vec![BigUint::from(1u8); labels], BigUint::from(labels)),
        PriorKind::Weight => {
            let weights = knowledge.weights().ok_or_else(|| {
                Error::input("prior = \"weight\", but the knowledge file has no column 'weight'")
                    .help("add the column, or choose another prior")
            })?;
            let one = BigUint::from(1u8);
            let unit =
                weights.iter().fold(one, |unit, weight| unit.lcm(&BigUint::from(weight.denominator())));
            let prior: Vec<BigUint> =
                weights.iter().map(|weight| &unit / weight.denominator() * weight.numerator()).collect();
            let whole = prior.iter().sum();
            (prior, whole)
        }
        PriorKind::Microdata => {
            let counts = facts.distribution(linking.column);
            let counts: Vec<(u32, u64)> = (0u32..).zip(counts).filter(|(_, count)| *count > 0).collect();
            let (sums, unit) = linking.sums(&counts);
            let records: u64 = counts.iter().map(|(_, count)| count).sum();
            let prior = (0..labels as u32).map(|label| sums.get(&label).cloned().unwrap_or_default());
            (prior.collect(), unit * records.max(1))
        }
    };
    let squares = prior.iter().map(|share| share * share).sum();
    Ok(Box::new(QsCloseness { linking, t: asked.t, prior, whole, squares }))
}

impl QsCloseness {
    /// Σ (α − β)² as a fraction.
    fn squared_distance(&self, class: &Histogram) -> (BigUint, BigUint) {
        let (sums, unit) = self.linking.sums(&class.counts);
        // α = prior / whole and β = sum / here, both over whole · here.
        let here = unit * class.size;
        let mut squares = &self.squares * &here * &here;
        for (label, sum) in &sums {
            let prior = BigInt::from(&self.prior[*label as usize] * &here);
            let difference = &prior - BigInt::from(sum * &self.whole);
            squares = squares + difference.magnitude() * difference.magnitude()
                - prior.magnitude() * prior.magnitude();
        }
        let whole = &self.whole * here;
        (squares, &whole * &whole)
    }
}

impl Notion for QsCloseness {
    fn column(&self) -> Option<usize> {
        Some(self.linking.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        let (over, under) = self.squared_distance(class);
        let (t_over, t_under) = (BigUint::from(self.t.numerator()), BigUint::from(self.t.denominator()));
        over * &t_under * &t_under <= under * &t_over * &t_over
    }

    fn strain(&self, class: &Histogram) -> f64 {
        let (over, under) = self.squared_distance(class);
        ratio(&over, &under)
    }

    fn explain(&self, class: &Histogram) -> String {
        let (over, under) = self.squared_distance(class);
        format!(
            "{}; Σ (prior − posterior)² = {:.6}, at most t² = {:.6} is asked for",
            counted(class.size, "record", "records"),
            ratio(&over, &under),
            self.t.to_f64().powi(2)
        )
    }
}

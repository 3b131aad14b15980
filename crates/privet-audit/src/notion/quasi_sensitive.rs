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
use privet_policy::requirement::{self, PriorKind};
use privet_policy::{CheckedPolicy, Requirement, SetPolicy, UnknownTerms};

/// Which labels of a public table have which terms.
pub struct LabelIndex {
    /// By term, the labels that have it: a bit per label.
    having: Vec<Vec<u64>>,
    /// All labels, in the same way.
    all: Vec<u64>,
    labels: usize,
    strict: bool,
}

impl LabelIndex {
    /// Indexes the table that a column's policy names.
    pub fn of(policy: &SetPolicy) -> LabelIndex {
        let knowledge = &policy.knowledge;
        let labels = knowledge.labels().len();
        let none = vec![0u64; labels.div_ceil(64)];
        let (mut having, mut all) = (vec![none.clone(); knowledge.terms().len()], none);
        for label in 0..labels {
            let bit = 1 << (label % 64);
            all[label / 64] |= bit;
            for term in knowledge.terms_of_label(label) {
                having[*term as usize][label / 64] |= bit;
            }
        }
        LabelIndex { having, all, labels, strict: policy.unknown_terms == UnknownTerms::Strict }
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The labels that have all of these terms, in rising order. Terms are given by their number in the table; `None` is a
    /// term that no label has.
    pub fn linked(&self, terms: impl IntoIterator<Item = Option<u32>>) -> Vec<u32> {
        let mut linked = self.all.clone();
        for term in terms {
            match term {
                Some(term) => {
                    let words = linked.iter_mut().zip(&self.having[term as usize]);
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
}

/// What records link to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedRecords {
    records: u64,
    labels: usize,
    /// By |K|: per label, how many records with a K of that size link to it.
    by_size: BTreeMap<usize, Vec<u64>>,
}

impl LinkedRecords {
    /// No records yet.
    pub fn none(index: &LabelIndex) -> LinkedRecords {
        LinkedRecords { records: 0, labels: index.labels, by_size: BTreeMap::new() }
    }

    /// Adds records that link to these labels.
    pub fn add(&mut self, labels: &[u32], records: u64) {
        self.records += records;
        if !labels.is_empty() {
            let linking = self.by_size.entry(labels.len()).or_insert_with(|| vec![0; self.labels]);
            labels.iter().for_each(|label| linking[*label as usize] += records);
        }
    }

    /// The sums of their shares, per label, in units; and the unit.
    fn sums(&self) -> (Vec<BigUint>, BigUint) {
        let one = BigUint::from(1u8);
        let unit = self.by_size.keys().fold(one, |unit, size| unit.lcm(&BigUint::from(*size)));
        let mut sums = vec![BigUint::zero(); self.labels];
        for (size, linking) in &self.by_size {
            let share = &unit / size;
            let linking = sums.iter_mut().zip(linking).filter(|(_, records)| **records > 0);
            linking.for_each(|(sum, records)| *sum += &share * records);
        }
        (sums, unit)
    }
}

/// What a policy asks of the labels that the records of a class link to.
pub struct LabelRequirements {
    diversity: Option<LabelDiversity>,
    closeness: Option<LabelCloseness>,
}

impl LabelRequirements {
    /// What the policy asks for. `original` is what the records of the original link to.
    pub fn of(
        policy: &CheckedPolicy,
        sets: &SetPolicy,
        original: &LinkedRecords,
    ) -> Result<LabelRequirements> {
        let (mut diversity, mut closeness) = (None, None);
        for asked in &policy.requirements {
            match asked {
                Requirement::QsDiversity(asked) => diversity = Some(LabelDiversity::of(asked)),
                Requirement::QsCloseness(asked) => {
                    closeness = Some(LabelCloseness::of(asked, &sets.knowledge, original)?);
                }
                Requirement::KAnonymity(_)
                | Requirement::LDiversity(_)
                | Requirement::LPlusDiversity(_)
                | Requirement::LkcPrivacy(_)
                | Requirement::TCloseness(_)
                | Requirement::BetaLikeness(_)
                | Requirement::DeltaDisclosure(_)
                | Requirement::KMap(_)
                | Requirement::DeltaPresence(_)
                | Requirement::AverageRisk(_)
                | Requirement::SampleUniqueness(_)
                | Requirement::PopulationUniqueness(_)
                | Requirement::IndividualRisk(_)
                | Requirement::HouseholdRisk(_)
                | Requirement::NtCloseness(_)
                | Requirement::KlOfSets(_)
                | Requirement::MatchingLDiversity(_)
                | Requirement::Projection(_)
                | Requirement::FfAnonymity(_) => {}
            }
        }
        Ok(LabelRequirements { diversity, closeness })
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.diversity.is_none() && self.closeness.is_none()
    }

    /// Whether the records of a class meet what is asked for. Exact.
    pub fn hold(&self, class: &LinkedRecords) -> bool {
        self.diversity.as_ref().is_none_or(|asked| asked.holds(class))
            && self.closeness.as_ref().is_none_or(|asked| asked.holds(class))
    }

    /// How many labels must stay possible, where QS (c,l)-diversity is asked for.
    pub fn least_labels(&self) -> Option<usize> {
        self.diversity.as_ref().map(|asked| asked.l)
    }

    /// How likely each label is before the release is seen, where QS t-closeness is asked for; for display.
    pub fn prior(&self) -> Option<Vec<f64>> {
        let asked = self.closeness.as_ref()?;
        Some(asked.prior.iter().map(|share| ratio(share, &asked.whole)).collect())
    }
}

/// The sets of a column of the tables, and what they link to.
struct LinkedSets {
    /// Where the column is among the unchanged columns.
    column: usize,
    /// By the number of a set, where its terms begin, and the end of the last.
    starts: Vec<usize>,
    /// The terms of all sets, by their number in the knowledge; `None` for one that no label has.
    terms: Vec<Option<u32>>,
    index: LabelIndex,
}

impl LinkedSets {
    fn of<'f>(notion: &str, column: usize, facts: &Facts<'f>) -> Result<(LinkedSets, &'f SetPolicy)> {
        let column = facts.column(notion, column)?;
        let place = facts.layout.plain.get(column).and_then(|place| facts.policy.columns.get(place.original));
        let policy = place.and_then(|column| column.sets.as_ref()).ok_or_else(|| {
            Error::input(format!("[privacy.{notion}] is about a column that holds no sets"))
        })?;
        let (mut starts, mut terms) = (vec![0], Vec::new());
        for text in facts.tables.plain[column].texts() {
            terms
                .extend(terms_of(text, policy.separator).into_iter().map(|term| policy.knowledge.term(term)));
            starts.push(terms.len());
        }
        Ok((LinkedSets { column, starts, terms, index: LabelIndex::of(policy) }, policy))
    }

    /// What records with these sets, by number, link to.
    fn linked(&self, sets: impl IntoIterator<Item = (u32, u64)>) -> LinkedRecords {
        let mut linked = LinkedRecords::none(&self.index);
        for (set, records) in sets {
            let terms = &self.terms[self.starts[set as usize]..self.starts[set as usize + 1]];
            linked.add(&self.index.linked(terms.iter().copied()), records);
        }
        linked
    }

    /// What the records of a class link to.
    fn class(&self, class: &Histogram) -> LinkedRecords {
        self.linked(class.counts.iter().copied())
    }
}

fn ratio(over: &BigUint, under: &BigUint) -> f64 {
    const DIGITS: u64 = 1 << 53;
    if under.is_zero() {
        return 0.0;
    }
    (over * DIGITS / under).to_f64().unwrap_or(f64::MAX) / DIGITS as f64
}

/// QS (c,l)-diversity: p₁ ≤ c·(p_l + … + p_m), of at least l positive posteriors.
struct LabelDiversity {
    c: Exact,
    l: usize,
}

impl LabelDiversity {
    fn of(asked: &requirement::QsDiversity) -> LabelDiversity {
        LabelDiversity { c: asked.c, l: usize::try_from(asked.l).unwrap_or(usize::MAX) }
    }

    /// The positive posteriors in units, the greatest first, and the sum from the l-th on.
    fn posteriors(&self, class: &LinkedRecords) -> (Vec<BigUint>, BigUint) {
        let mut sums = class.sums().0;
        sums.retain(|sum| !sum.is_zero());
        sums.sort_unstable_by(|a, b| b.cmp(a));
        let tail = sums.iter().skip(self.l.saturating_sub(1)).sum();
        (sums, tail)
    }

    fn holds(&self, class: &LinkedRecords) -> bool {
        let (posteriors, tail) = self.posteriors(class);
        let Some(first) = posteriors.first() else { return true };
        posteriors.len() >= self.l && first * self.c.denominator() <= tail * self.c.numerator()
    }
}

struct QsDiversity {
    sets: LinkedSets,
    asked: LabelDiversity,
}

pub(super) fn diversity(asked: &requirement::QsDiversity, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let (sets, _) = LinkedSets::of("qs-diversity", asked.column, facts)?;
    Ok(Box::new(QsDiversity { sets, asked: LabelDiversity::of(asked) }))
}

impl Notion for QsDiversity {
    fn column(&self) -> Option<usize> {
        Some(self.sets.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        self.asked.holds(&self.sets.class(class))
    }

    fn strain(&self, class: &Histogram) -> f64 {
        let (posteriors, tail) = self.asked.posteriors(&self.sets.class(class));
        posteriors.first().map_or(0.0, |first| ratio(first, &(first + tail)))
    }

    fn explain(&self, class: &Histogram) -> String {
        let (posteriors, tail) = self.asked.posteriors(&self.sets.class(class));
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
            ordinal(self.asked.l as u64),
            ratio(&tail, &all),
            self.asked.c,
            counted(self.asked.l as u64, "label is", "labels are")
        )
    }
}

/// QS t-closeness: Σ (α − β)² ≤ t², over all labels.
struct LabelCloseness {
    t: Exact,
    /// Per label, in units of `whole`.
    prior: Vec<BigUint>,
    whole: BigUint,
    /// Σ of the squares of the prior.
    squares: BigUint,
}

impl LabelCloseness {
    fn of(
        asked: &requirement::QsCloseness,
        knowledge: &Knowledge,
        original: &LinkedRecords,
    ) -> Result<LabelCloseness> {
        let labels = original.labels;
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
                let (sums, unit) = original.sums();
                (sums, unit * original.records.max(1))
            }
        };
        let squares = prior.iter().map(|share| share * share).sum();
        Ok(LabelCloseness { t: asked.t, prior, whole, squares })
    }

    /// Σ (α − β)² as a fraction.
    fn squared_distance(&self, class: &LinkedRecords) -> (BigUint, BigUint) {
        let (sums, unit) = class.sums();
        // α = prior / whole and β = sum / here, both over whole · here.
        let here = unit * class.records;
        let mut squares = &self.squares * &here * &here;
        for (prior, sum) in self.prior.iter().zip(&sums).filter(|(_, sum)| !sum.is_zero()) {
            let prior = BigInt::from(prior * &here);
            let difference = &prior - BigInt::from(sum * &self.whole);
            squares = squares + difference.magnitude() * difference.magnitude()
                - prior.magnitude() * prior.magnitude();
        }
        let whole = &self.whole * here;
        (squares, &whole * &whole)
    }

    fn holds(&self, class: &LinkedRecords) -> bool {
        let (over, under) = self.squared_distance(class);
        let (t_over, t_under) = (BigUint::from(self.t.numerator()), BigUint::from(self.t.denominator()));
        over * &t_under * &t_under <= under * &t_over * &t_over
    }
}

struct QsCloseness {
    sets: LinkedSets,
    asked: LabelCloseness,
}

pub(super) fn closeness(asked: &requirement::QsCloseness, facts: &Facts<'_>) -> Result<Box<dyn Notion>> {
    let (sets, policy) = LinkedSets::of("qs-closeness", asked.column, facts)?;
    let counts = (0u32..).zip(facts.distribution(sets.column)).filter(|(_, count)| *count > 0);
    let original = match asked.prior {
        PriorKind::Microdata => sets.linked(counts),
        PriorKind::Uniform | PriorKind::Weight => LinkedRecords::none(&sets.index),
    };
    let asked = LabelCloseness::of(asked, &policy.knowledge, &original)?;
    Ok(Box::new(QsCloseness { sets, asked }))
}

impl Notion for QsCloseness {
    fn column(&self) -> Option<usize> {
        Some(self.sets.column)
    }

    fn holds(&self, class: &Histogram) -> bool {
        self.asked.holds(&self.sets.class(class))
    }

    fn strain(&self, class: &Histogram) -> f64 {
        let (over, under) = self.asked.squared_distance(&self.sets.class(class));
        ratio(&over, &under)
    }

    fn explain(&self, class: &Histogram) -> String {
        let (over, under) = self.asked.squared_distance(&self.sets.class(class));
        format!(
            "{}; Σ (prior − posterior)² = {:.6}, at most t² = {:.6} is asked for",
            counted(class.size, "record", "records"),
            ratio(&over, &under),
            self.asked.t.to_f64().powi(2)
        )
    }
}

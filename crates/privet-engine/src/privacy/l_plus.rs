//! l+-diversity (Liu, 2010): every sensitive value s has a threshold θ(s) in \[0,1\], and in every class at most θ(s) of
//! the records have it: n_s ≤ θ(s) · n. With θ(s) = 1/l for all values this is l-diversity by frequency.
//!
//! Where θ comes from, the first that applies to a value:
//! 1. its own entry in `theta`;
//! 2. `theta_rule = "frequency"`: with f(s) the value's count in the table and f̄ the mean count of the values that occur,
//!    θ(s) is the base if f(s) < f̄, else min(1, base · f(s)/f̄), so that common values may stay common;
//! 3. the base: `default`, or 1/l.

use std::ops::Range;

use num_bigint::BigUint;
use num_integer::Integer;

use super::{
    ClassTest, Closure, Counted, EquivalenceClass, Tightness, TrackedColumn, TrackedTable, most_under_caps,
};
use privet_core::{Error, Exact, Result};
use privet_core::{nearest, shortened_values};
use privet_policy::requirement::{Base, LPlusDiversity};

/// The thresholds of one column's values.
#[derive(Debug, Clone)]
pub struct Thresholds {
    /// The column, by its place among the tracked ones.
    pub column: usize,
    /// The column's slots in [`Counts`](super::Counts).
    pub slots: Range<u32>,
    /// θ per value of the column, by code.
    pub theta: Vec<Exact>,
}

/// Finds every value's threshold.
///
/// A value of the dictionary that does not occur in the table and has no threshold gets 0.
pub fn thresholds(asked: &LPlusDiversity, table: &TrackedTable) -> Result<Thresholds> {
    let column = table.column(asked.column)?;
    let base = base(asked)?;
    let mean = Mean::of(column);
    let mut theta = Vec::with_capacity(column.values.len());
    let mut lacking: Vec<&str> = Vec::new();
    for (value, count) in column.values.iter().zip(column.counted()) {
        let own = asked.theta.get(value).copied();
        theta.push(match (own, base) {
            (Some(own), _) => own,
            (None, Some(base)) if asked.theta_rule.is_some() => {
                mean.scaled(base, *count).ok_or_else(|| too_fine(column, value, base))?
            }
            (None, Some(base)) => base,
            (None, None) => {
                if *count > 0 {
                    lacking.push(value);
                }
                Exact::ZERO
            }
        });
    }
    if !lacking.is_empty() {
        let which = if lacking.len() == 1 { "this value" } else { "these values" };
        let wrong = format!(
            "[privacy.l-plus-diversity] gives {which} of '{}' no threshold: {}",
            column.name,
            shortened_values(&lacking)
        );
        return Err(Error::input(wrong).help(
            "add what is missing to theta, or set l = 4 or default = \"1/4\" for all values without one",
        ));
    }
    let place = table.tracked.iter().take_while(|tracked| tracked.index != column.index).count();
    Ok(Thresholds { column: place, slots: column.slots.clone(), theta })
}

/// The threshold that `default` or `l` says.
fn base(asked: &LPlusDiversity) -> Result<Option<Exact>> {
    match asked.base {
        Base::OneIn(l) => Exact::new(l.denominator(), l.numerator()).map(Some).ok_or_else(|| {
            Error::input(format!(
                "[privacy.l-plus-diversity] 'l' is {l}, which is too large to compare exactly"
            ))
            .help("write l with at most 18 digits")
        }),
        Base::Share(share) => Ok(Some(share)),
        Base::None => Ok(None),
    }
}

fn too_fine(column: &TrackedColumn, value: &str, base: Exact) -> Error {
    let wrong = format!(
        "[privacy.l-plus-diversity] the threshold of '{value}' of '{}' has too many digits to compare exactly: {base} \
         times the value's frequency over the mean",
        column.name
    );
    Error::input(wrong).help("write 'default' or 'l' with fewer digits, or give the value a theta of its own")
}

/// The mean count of the values that occur, as a fraction.
struct Mean {
    records: u64,
    values: u64,
}

impl Mean {
    fn of(column: &TrackedColumn) -> Mean {
        let values = column.counted().iter().filter(|count| **count > 0).count() as u64;
        Mean { records: column.counted().iter().sum(), values }
    }

    /// The threshold of a value that occurs so often; `None` where it is too fine for an [`Exact`].
    fn scaled(&self, base: Exact, count: u64) -> Option<Exact> {
        let weight = u128::from(count) * u128::from(self.values);
        if weight < u128::from(self.records) || self.records == 0 {
            return Some(base);
        }
        let over = weight.checked_mul(u128::from(base.numerator()))?;
        let under = u128::from(self.records).checked_mul(u128::from(base.denominator()))?;
        if over >= under {
            return Some(Exact::ONE);
        }
        let divisor = over.gcd(&under);
        Exact::new(u64::try_from(over / divisor).ok()?, u64::try_from(under / divisor).ok()?)
    }
}

pub(super) fn build(asked: &LPlusDiversity, table: &TrackedTable) -> Result<Box<dyn ClassTest>> {
    let column = table.column(asked.column)?;
    let thresholds = thresholds(asked, table)?;
    let occurring = thresholds.theta.iter().zip(&column.totals).filter(|(_, count)| **count > 0);
    let positive = occurring.map(|(theta, _)| *theta).filter(|theta| theta.numerator() > 0);
    let least = positive.min().unwrap_or(Exact::ZERO);
    Ok(Box::new(LPlus { thresholds, least, values: column.values.clone(), name: column.name.clone() }))
}

#[derive(Debug)]
struct LPlus {
    thresholds: Thresholds,
    /// The least threshold above 0 of a value that occurs; 0 where there is none.
    least: Exact,
    values: Vec<String>,
    name: String,
}

impl LPlus {
    /// Calls `each` with every value that occurs, its count and its threshold.
    fn for_each(&self, class: &EquivalenceClass<'_>, mut each: impl FnMut(u32, u64, Exact)) {
        let Thresholds { slots, theta, .. } = &self.thresholds;
        class.counts.for_each(slots, |value, count| each(value, count, theta[value as usize]));
    }

    /// The value that is furthest above its threshold or, where none is, closest below; with its count.
    fn worst(&self, class: &EquivalenceClass<'_>) -> Option<(u32, u64)> {
        let mut worst: Option<((bool, f64), u32, u64)> = None;
        self.for_each(class, |value, count, theta| {
            // A value with threshold 0 that occurs is infinitely far above it. Rounding cannot put a value that is
            // above its threshold behind one that is not.
            let strain = (!within(count, class.size, theta), count as f64 / theta.to_f64());
            if worst.is_none_or(|(most, ..)| strain > most) {
                worst = Some((strain, value, count));
            }
        });
        worst.map(|(_, value, count)| (value, count))
    }
}

/// count ≤ θ · size, in integers.
fn within(count: u64, size: u64, theta: Exact) -> bool {
    u128::from(count) * u128::from(theta.denominator()) <= u128::from(theta.numerator()) * u128::from(size)
}

impl ClassTest for LPlus {
    fn holds(&self, class: &EquivalenceClass<'_>) -> bool {
        let mut holds = true;
        self.for_each(class, |_, count, theta| holds &= within(count, class.size, theta));
        holds
    }

    fn counts_people(&self) -> bool {
        true
    }

    fn closure(&self) -> Closure {
        Closure::Union
    }

    fn most_kept(&self, class: &EquivalenceClass<'_>) -> u64 {
        let Thresholds { slots, theta, .. } = &self.thresholds;
        most_under_caps(class, slots, |value| {
            let theta = theta[value as usize];
            (u128::from(theta.numerator()), u128::from(theta.denominator()))
        })
    }

    fn tightness(&self, class: &EquivalenceClass<'_>) -> Tightness {
        let (value, threshold) = match self.worst(class) {
            Some((value, count)) => {
                (count as f64 / class.size as f64, self.thresholds.theta[value as usize].to_f64())
            }
            // No value is shown, which is as far from every threshold as can be.
            None => (0.0, self.least.to_f64()),
        };
        Tightness { value, threshold, at_most: true }
    }

    fn why_impossible(&self, table: &EquivalenceClass<'_>, of: Counted) -> String {
        let Some((value, count)) = self.worst(table) else {
            return format!("no value of '{}' occurs", self.name);
        };
        format!(
            "the value '{}' of '{}' makes up {count} of all {} {of}, which is more than its threshold {}",
            self.values[value as usize], self.name, table.size, self.thresholds.theta[value as usize]
        )
    }
}

/// More thresholds for values that do not occur are counted, not named.
const MOST_ABSENT: usize = 3;

/// What the publisher should know about a clause that can run as it is.
pub(super) fn warnings(
    asked: &LPlusDiversity,
    table: &TrackedTable,
    asks_for_k: bool,
    stars: bool,
) -> Result<Vec<String>> {
    let column = table.column(asked.column)?;
    let theta = thresholds(asked, table)?.theta;
    let present: Vec<(&str, Exact)> = (column.values.iter().zip(&column.totals).zip(theta))
        .filter(|((_, count), _)| **count > 0)
        .map(|((value, _), theta)| (value.as_str(), theta))
        .collect();
    let with = |wanted: Exact| -> Vec<&str> {
        present.iter().filter(|(_, theta)| *theta == wanted).map(|(value, _)| *value).collect()
    };
    let name = &column.name;
    let mut warnings = Vec::new();
    let absent: Vec<&String> =
        asked.theta.keys().filter(|wanted| present.iter().all(|(value, _)| value != wanted)).collect();
    for wanted in absent.iter().take(MOST_ABSENT) {
        let near = nearest(wanted, present.iter().map(|(value, _)| *value));
        let near =
            near.map_or("remove it, or correct it".to_string(), |near| format!("did you mean '{near}'?"));
        warnings
            .push(format!("theta has a threshold for '{wanted}', which does not occur in '{name}'; {near}"));
    }
    if absent.len() > MOST_ABSENT {
        let more = absent.len() - MOST_ABSENT;
        let values = if more == 1 { "value that does" } else { "values that do" };
        warnings.push(format!(
            "theta has thresholds for {more} more {values} not occur in '{name}'; correct or remove them"
        ));
    }
    let never = with(Exact::ZERO);
    if !never.is_empty() {
        warnings.push(format!(
            "the threshold 0 keeps these values of '{name}' out of every class: {}; records that have them can be \
             published only without them. Raise the threshold if that is not intended",
            shortened_values(&never)
        ));
    }
    let free = with(Exact::ONE);
    if !free.is_empty() && !asks_for_k {
        warnings.push(format!(
            "the threshold 1 allows a class of a single record for these values of '{name}': {}; anyone who finds the \
             person learns the value. Add [privacy.k-anonymity] with k = 2 or more to rule that out",
            shortened_values(&free)
        ));
    }
    if free.is_empty() && stars && !asks_for_k {
        warnings.push(format!(
            "without k-anonymity a class of one is possible, its value of '{name}' suppressed: anyone who finds the person \
             does not learn the value, but knows which record is theirs. Add [privacy.k-anonymity] with k = 2 or more to rule \
             that out"
        ));
    }
    // Shares of values that a record may hold together need not add up to 1.
    if column.separator.is_none() && sum_is_below_one(present.iter().map(|(_, theta)| *theta)) {
        let sum: f64 = present.iter().map(|(_, theta)| theta.to_f64()).sum();
        let outcome =
            if stars { "every class will have suppressed cells" } else { "no class can ever be published" };
        warnings.push(format!(
            "the thresholds of the values of '{name}' add up to {sum:.3}, less than 1, but the shares of a class add up \
             to 1: {outcome}; raise some of them"
        ));
    }
    Ok(warnings)
}

/// Whether exact numbers add up to less than 1.
fn sum_is_below_one(numbers: impl Iterator<Item = Exact>) -> bool {
    let (mut over, mut under) = (BigUint::from(0u32), BigUint::from(1u32));
    for number in numbers {
        over = over * number.denominator() + &under * number.numerator();
        under *= number.denominator();
        if over >= under {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Counts;
    use super::*;
    use privet_policy::requirement::ThetaRule;

    fn exact(text: &str) -> Exact {
        Exact::parse(text).expect("a number")
    }

    fn asked(keys: &[(&str, &str)], theta: &[(&str, &str)]) -> LPlusDiversity {
        let mut asked =
            LPlusDiversity { column: 3, base: Base::None, theta_rule: None, theta: Default::default() };
        for (key, value) in keys {
            match *key {
                "l" => asked.base = Base::OneIn(exact(value)),
                "default" => asked.base = Base::Share(exact(value)),
                _ => asked.theta_rule = Some(ThetaRule::Frequency),
            }
        }
        asked.theta = theta.iter().map(|(value, number)| (value.to_string(), exact(number))).collect();
        asked
    }

    fn table(totals: &[u64]) -> TrackedTable {
        let values = ["flu", "asthma", "cancer", "gout"];
        let column = TrackedColumn {
            index: 3,
            name: "disease".into(),
            role: privet_policy::Role::Sensitive,
            values: values.iter().take(totals.len()).map(|value| value.to_string()).collect(),
            numeric: false,
            taxonomy: None,
            separator: None,
            items: None,
            links: None,
            slots: 2..2 + totals.len() as u32,
            totals: totals.to_vec(),
            people: None,
        };
        TrackedTable {
            records: totals.iter().sum(),
            tracked: vec![column],
            population: None,
            weight_unit: None,
        }
    }

    fn theta(keys: &[(&'static str, &str)], own: &[(&str, &str)], totals: &[u64]) -> Vec<String> {
        let found = thresholds(&asked(keys, own), &table(totals)).expect("thresholds");
        assert_eq!(found.slots, 2..2 + totals.len() as u32);
        found.theta.iter().map(Exact::to_string).collect()
    }

    fn refused(keys: &[(&'static str, &str)], own: &[(&str, &str)], totals: &[u64]) -> String {
        thresholds(&asked(keys, own), &table(totals)).expect_err("an error").to_string()
    }

    #[test]
    fn a_threshold_is_the_first_that_applies() {
        assert_eq!(theta(&[("l", "4")], &[], &[6, 3, 3]), ["1/4", "1/4", "1/4"]);
        assert_eq!(theta(&[("l", "5/2")], &[("flu", "1")], &[6, 3, 3]), ["1", "2/5", "2/5"]);
        assert_eq!(theta(&[("default", "0.3")], &[("gout", "0")], &[6, 3]), ["3/10", "3/10"]);
        assert_eq!(theta(&[], &[("flu", "0.5"), ("asthma", "50%")], &[6, 3]), ["1/2", "1/2"]);
        assert_eq!(theta(&[], &[("flu", "0.5")], &[6, 0]), ["1/2", "0"], "what does not occur needs none");
    }

    #[test]
    fn the_frequency_rule_scales_what_is_more_frequent_than_the_mean() {
        let rule = ("theta_rule", "");
        assert_eq!(theta(&[("default", "1/4"), rule], &[], &[6, 3, 3]), ["3/8", "1/4", "1/4"]);
        assert_eq!(theta(&[("l", "4"), rule], &[("flu", "0.1")], &[6, 3, 3]), ["1/10", "1/4", "1/4"]);
        assert_eq!(theta(&[("l", "2"), rule], &[], &[9, 1, 1, 1]), ["1", "1/2", "1/2", "1/2"]);
        // The mean is over the values that occur: 6 here, which is not less than the mean.
        assert_eq!(theta(&[("default", "0.1"), rule], &[], &[6, 0, 0]), ["1/10", "1/10", "1/10"]);
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        let rule = ("theta_rule", "");
        let lacking = refused(&[], &[("asthma", "1/4")], &[1, 1, 1, 0]);
        assert!(lacking.contains("no threshold: 'flu', 'cancer'\n"), "{lacking}");
        let fine = refused(&[("default", "0.123456789012345678"), rule], &[], &[4_000_000_007, 1_000_003]);
        assert!(fine.contains("'flu'") && fine.contains("too many digits"), "{fine}");
        assert!(refused(&[("l", "1000000000000000001")], &[], &[1]).contains("too large"));
    }

    #[test]
    fn a_class_without_remedy_names_value_frequency_and_threshold() {
        let requirement =
            build(&asked(&[("l", "2")], &[("asthma", "0.1")]), &table(&[6, 3, 3])).expect("built");
        let counts = [0, 0, 6, 3, 3];
        let class =
            EquivalenceClass { size: 12, counts: Counts::Dense(&counts), standing: Default::default() };
        assert_eq!(
            requirement.why_impossible(&class, Counted::Records),
            "the value 'asthma' of 'disease' makes up 3 of all 12 records, which is more than its threshold 1/10"
        );
        let tight = requirement.tightness(&class);
        assert_eq!((tight.value, tight.threshold, tight.at_most), (0.25, 0.1, true));
        assert!(!requirement.holds(&class));
    }

    #[test]
    fn a_threshold_of_zero_is_the_tightest_of_all() {
        let requirement =
            build(&asked(&[("l", "1")], &[("cancer", "0")]), &table(&[6, 3, 3])).expect("built");
        let (with, without) = ([0, 0, 6, 3, 1], [0, 0, 6, 3, 0]);
        let with = EquivalenceClass { size: 10, counts: Counts::Dense(&with), standing: Default::default() };
        assert!(!requirement.holds(&with));
        assert_eq!(requirement.tightness(&with).threshold, 0.0);
        assert_eq!(requirement.most_kept(&with), 9);
        assert!(requirement.holds(&EquivalenceClass {
            size: 9,
            counts: Counts::Dense(&without),
            standing: Default::default()
        }));
    }

    #[test]
    fn warnings_name_what_the_publisher_should_know() {
        let warn = |keys: &[(&'static str, &str)], own: &[(&str, &str)], asks_for_k, stars| {
            warnings(&asked(keys, own), &table(&[6, 3, 3]), asks_for_k, stars).expect("warnings").join("\n")
        };
        assert_eq!(warn(&[("l", "3")], &[], false, false), "", "thirds add up to 1 exactly");
        let near = warn(&[("l", "2")], &[("Cancr", "0.2")], false, false);
        assert!(near.contains("'Cancr'") && near.contains("did you mean 'cancer'?"), "{near}");
        assert!(warn(&[("l", "2")], &[("cancer", "0")], false, false).contains("threshold 0"));
        let free = warn(&[("l", "2")], &[("cancer", "1")], false, false);
        assert!(free.contains("single record") && free.contains("'cancer'"), "{free}");
        assert_eq!(warn(&[("l", "2")], &[("cancer", "1")], true, false), "");
        assert!(warn(&[("l", "3")], &[], false, true).contains("a class of one is possible"));
        assert_eq!(warn(&[("l", "3")], &[], true, true), "");
        let many = ["a", "b", "c", "d", "e"].map(|value| (value, "0.2"));
        let many = warn(&[("l", "2")], &many, false, false);
        assert_eq!(many.lines().count(), 4, "{many}");
        assert!(
            many.ends_with("theta has thresholds for 2 more values that do not occur in 'disease'; correct or remove them"),
            "{many}"
        );
        assert!(warn(&[("l", "4")], &[], false, false).contains("no class can ever be published"));
        assert!(warn(&[("l", "4")], &[], false, true).contains("suppressed cells"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_frequency_rule_is_its_formula(
            totals in prop::collection::vec(0u64..40, 1..5),
            (over, under) in (0u64..=9).prop_flat_map(|over| (Just(over), over.max(1)..12)),
        ) {
            type Ratio = num_rational::Ratio<i128>;
            prop_assume!(totals.iter().sum::<u64>() > 0);
            let base = format!("{over}/{under}");
            let found = thresholds(&asked(&[("default", &base), ("theta_rule", "")], &[]), &table(&totals));
            let found = found.expect("thresholds").theta;
            let present = totals.iter().filter(|count| **count > 0).count();
            let mean = Ratio::new(i128::from(totals.iter().sum::<u64>()), present as i128);
            for (count, theta) in totals.iter().zip(found) {
                let base = Ratio::new(i128::from(over), i128::from(under));
                let frequency = Ratio::from_integer(i128::from(*count));
                let wanted = if frequency < mean { base } else { (base * frequency / mean).min(1.into()) };
                prop_assert_eq!(Ratio::new(theta.numerator().into(), theta.denominator().into()), wanted);
            }
        }
    }
}

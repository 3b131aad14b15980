//! Counts of the released files as an edition reads them: the steward sees them all, the public none from 1 to 10.
//!
//! What is counted in the released files could be printed as it is. That small counts are not is the rule of the US health
//! agencies: no cell from 1 to 10, also not by subtraction or as a percentage; 0 is allowed.

use super::super::Edition;
use super::super::numbers::percent;
use super::Datum;
use privet_core::thousands;
use serde_json::Value as Json;

/// The largest count that could point at a person.
const SMALL: u64 = 10;
const HIDDEN: &str = "1–10";
/// Stands for a figure that is large enough itself, but would reveal a small one by subtraction.
pub(crate) const WITHHELD: &str = "withheld";

/// Whether a count is one that the public must not see.
pub(crate) fn is_small(count: u64) -> bool {
    (1..=SMALL).contains(&count)
}

/// A count of the released files as public figures have it.
///
/// ```
/// assert_eq!(privet_report::public_count(7), "1-10");
/// assert_eq!(privet_report::public_count(11), 11);
/// ```
pub fn public_count(count: u64) -> Json {
    if is_small(count) { Json::from("1-10") } else { Json::from(count) }
}

impl Edition {
    /// Whether this edition shows everything.
    pub(crate) fn is_steward(self) -> bool {
        self == Edition::Steward
    }

    /// A count of the released files.
    pub(crate) fn count(self, count: u64) -> Datum {
        if !self.is_steward() && is_small(count) { HIDDEN.into() } else { Datum::setting(thousands(count)) }
    }

    /// A value of the data that this many released records show: the public reads none that the release hides.
    pub(crate) fn value(self, value: &str, released: u64) -> Option<Datum> {
        (self.is_steward() || released > 0).then(|| Datum::named(value))
    }

    /// A share of `whole` things as a percentage, unless it stands for a small count (or for all but a small count).
    pub(crate) fn share(self, share: f64, whole: u64) -> Datum {
        // None and all are not counts of few, however small the whole.
        if self.is_steward() || share <= 0.0 || share >= 1.0 {
            return Datum::setting(percent(share));
        }
        let part = (share * whole as f64).round() as u64;
        let rest = whole.saturating_sub(part);
        if part <= SMALL {
            "few".into()
        } else if rest <= SMALL {
            "nearly all".into()
        } else {
            Datum::setting(percent(share))
        }
    }

    /// Counts that add up to a total which may be known. Small ones are hidden, and with them as many others as it takes for
    /// every hidden one to be anything from 1 to 10 for a reader who subtracts; where nothing suffices, all are withheld.
    pub(crate) fn counts(self, counts: &[u64]) -> Vec<CountShown> {
        let total: u64 = counts.iter().fold(0, |total, count| total.saturating_add(*count));
        let shown = |(at, count): (usize, &u64), withheld: &[usize]| {
            if is_small(*count) {
                CountShown::Hidden
            } else if withheld.contains(&at) {
                CountShown::Withheld
            } else {
                CountShown::Count(*count)
            }
        };
        if self.is_steward() {
            return counts.iter().map(|count| CountShown::Count(*count)).collect();
        }
        // A total from 1 to 10 is hidden itself, so that nothing can be subtracted from it.
        if total <= SMALL {
            return counts.iter().enumerate().map(|entry| shown(entry, &[])).collect();
        }
        match withheld_with(counts) {
            Some(withheld) => counts.iter().enumerate().map(|entry| shown(entry, &withheld)).collect(),
            None => vec![CountShown::Withheld; counts.len()],
        }
    }
}

/// The places of larger counts that must be withheld with the small ones, as few as possible; `None` where the small ones
/// would follow even if all were.
fn withheld_with(counts: &[u64]) -> Option<Vec<usize>> {
    let small = counts.iter().filter(|count| is_small(**count));
    let (number, sum) = small.fold((0, 0), |(number, sum), count| (number + 1, sum + count));
    if number == 0 || leaves_open(number, sum, 0) {
        return Some(Vec::new());
    }
    let mut larger: Vec<usize> = (0..counts.len()).filter(|at| counts[*at] > SMALL).collect();
    larger.sort_by_key(|at| counts[*at]);
    let alone = larger.iter().find(|at| leaves_open(number, sum.saturating_add(counts[**at]), 1));
    if let Some(at) = alone {
        return Some(vec![*at]);
    }
    let mut hidden = sum;
    let mut withheld = Vec::new();
    for at in larger.into_iter().rev() {
        hidden = hidden.saturating_add(counts[at]);
        withheld.push(at);
        if leaves_open(number, hidden, withheld.len() as u64) {
            return Some(withheld);
        }
    }
    None
}

/// Whether each of `small` hidden counts may be anything from 1 to 10, where these and `withheld` larger ones make up `sum`
/// together: none may be forced up by the others at their most, nor down by the others at their least.
fn leaves_open(small: u64, sum: u64, withheld: u64) -> bool {
    let others = small.saturating_sub(1);
    let least = others + withheld * (SMALL + 1);
    let most = if withheld > 0 { u64::MAX } else { others * SMALL };
    sum >= least + SMALL && sum <= most.saturating_add(1)
}

/// A count as an edition shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountShown {
    /// In full.
    Count(u64),
    /// Too small to be shown.
    Hidden,
    /// Not shown, because another one would follow from it.
    Withheld,
}

impl CountShown {
    /// As it is printed.
    pub(crate) fn datum(self) -> Datum {
        match self {
            CountShown::Count(count) => Datum::setting(thousands(count)),
            CountShown::Hidden => HIDDEN.into(),
            CountShown::Withheld => WITHHELD.into(),
        }
    }

    /// The count, where it is printed.
    pub(crate) fn known(self) -> Option<u64> {
        match self {
            CountShown::Count(count) => Some(count),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_sees_no_count_from_one_to_ten() {
        for count in 0..=11 {
            let printed = Edition::Public.count(count);
            assert_eq!(printed.text() == HIDDEN, (1..=10).contains(&count), "{count}");
        }
        assert_eq!(Edition::Steward.count(7).text(), "7");
    }

    #[test]
    fn the_public_reads_no_value_that_the_release_hides() {
        assert_eq!(Edition::Public.value("lighthouse keeper", 0), None);
        assert!(Edition::Public.value("clerk", 1).is_some() && Edition::Steward.value("clerk", 0).is_some());
    }

    #[test]
    fn a_percentage_that_stands_for_few_is_hidden_too() {
        assert_eq!(Edition::Public.share(0.0, 20_000).text(), "0 %");
        assert_eq!(Edition::Public.share(5.0 / 20_000.0, 20_000).text(), "few");
        assert_eq!(Edition::Public.share(1.0 - 5.0 / 20_000.0, 20_000).text(), "nearly all");
        assert_eq!(Edition::Public.share(0.25, 20_000).text(), "25 %");
        assert_eq!(Edition::Public.share(0.0, 7).text(), "0 %");
        assert_eq!(Edition::Public.share(1.0, 7).text(), "100 %");
        assert_eq!(Edition::Public.share(0.5, 8).text(), "few");
        assert_eq!(Edition::Steward.share(5.0 / 20_000.0, 20_000).text(), "0.03 %");
    }

    #[test]
    fn small_counts_take_others_with_them() {
        let texts = |counts: &[u64]| {
            let shown = Edition::Public.counts(counts).into_iter().map(CountShown::datum);
            Datum::join(shown, " ").text().to_string()
        };
        assert_eq!(texts(&[100, 3, 50]), "100 1–10 withheld");
        assert_eq!(texts(&[100, 0, 50]), "100 0 50");
        // Two are left for two, so each would be 1.
        assert_eq!(texts(&[30, 1, 1]), "withheld 1–10 1–10");
        assert_eq!(texts(&[100, 3, 4]), "withheld 1–10 1–10");
        // 1 and 10, 2 and 9, … all add up to 11; 20 would be 10 and 10 alone.
        assert_eq!(texts(&[100, 3, 8]), "100 1–10 1–10");
        assert_eq!(texts(&[100, 10, 10]), "withheld 1–10 1–10");
        // With 12 withheld, 3 could only be 1 to 4: the larger one does.
        assert_eq!(texts(&[12, 500, 3]), "12 withheld 1–10");
        assert_eq!(texts(&[16, 16, 3]), "withheld withheld 1–10");
        assert_eq!(texts(&[11, 11, 3]), "withheld withheld withheld");
        assert_eq!(texts(&[10, 10]), "withheld withheld");
        // Their sum is hidden as well.
        assert_eq!(texts(&[3]), "1–10");
        assert_eq!(texts(&[3, 4, 0]), "1–10 1–10 0");
    }

    #[test]
    fn no_hidden_count_follows_from_the_others_and_their_sum() {
        let least_and_most = |shown: &[CountShown], at: usize| match shown[at] {
            CountShown::Count(count) => (count, count),
            CountShown::Hidden => (1, SMALL),
            CountShown::Withheld if shown.contains(&CountShown::Hidden) => (SMALL + 1, u64::MAX),
            CountShown::Withheld => (0, u64::MAX),
        };
        let sizes: [u64; 11] = [0, 1, 2, 9, 10, 11, 12, 19, 20, 21, 40];
        let many = sizes.len();
        for number in 0..many.pow(3) {
            let counts = [number, number / many, number / many.pow(2)].map(|at| sizes[at % many]);
            let total: u64 = counts.iter().sum();
            let shown = Edition::Public.counts(&counts);
            for at in (0..3).filter(|at| is_small(counts[*at]) && total > SMALL) {
                assert_eq!(shown[at].known(), None, "{counts:?}");
                let others = (0..3).filter(|other| *other != at).map(|other| least_and_most(&shown, other));
                let (least, most) = others.fold((0u64, 0u64), |(least, most), other| {
                    (least + other.0, most.saturating_add(other.1))
                });
                assert!(total.saturating_sub(most) <= 1 && total - least >= SMALL, "{counts:?}: {shown:?}");
            }
        }
    }
}

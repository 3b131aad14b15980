//! How an edition looks at counts of the released files: the steward sees them all, the public none from 1 to 10.
//!
//! What depends on the original does not come here: see the gate. What is counted in the released files could be
//! printed as it is; that small ones are not is the rule of the US health agencies: no cell from 1 to 10, also not by
//! subtraction or as a percentage; 0 is allowed.

use super::Edition;

/// The largest count that could point at a person.
const SMALL: u64 = 10;
const HIDDEN: &str = "1–10";
/// Stands for a figure that is large enough itself, but would reveal a small one by subtraction.
pub(super) const WITHHELD: &str = "withheld";

/// Whether a count is one that the public must not see.
pub(super) fn is_small(count: u64) -> bool {
    (1..=SMALL).contains(&count)
}

impl Edition {
    /// Whether this edition shows everything.
    pub(super) fn is_steward(self) -> bool {
        self == Edition::Steward
    }

    /// Something that only the steward sees.
    pub(super) fn steward_only<T>(self, value: T) -> Option<T> {
        self.is_steward().then_some(value)
    }

    /// A count, with thousands apart.
    pub(super) fn count(self, count: u64) -> String {
        if !self.is_steward() && is_small(count) { HIDDEN.to_string() } else { thousands(count) }
    }

    /// A share of `whole` things as a percentage, unless it stands for a small count (or for all but a small count).
    pub(super) fn share(self, share: f64, whole: u64) -> String {
        // None and all are no counts of few, however small the whole.
        if self.is_steward() || share <= 0.0 || share >= 1.0 {
            return percent(share);
        }
        let part = (share * whole as f64).round() as u64;
        let rest = whole.saturating_sub(part);
        if part <= SMALL {
            "few".to_string()
        } else if rest <= SMALL {
            "nearly all".to_string()
        } else {
            percent(share)
        }
    }

    /// Counts that add up to a total which may be known. Small ones are hidden, and with them as many others as it takes for
    /// every hidden one to be anything from 1 to 10 for a reader who subtracts; where nothing suffices, all are withheld.
    pub(super) fn counts(self, counts: &[u64]) -> Vec<Shown> {
        let total: u64 = counts.iter().fold(0, |total, count| total.saturating_add(*count));
        let shown = |(at, count): (usize, &u64), withheld: &[usize]| {
            if is_small(*count) {
                Shown::Hidden
            } else if withheld.contains(&at) {
                Shown::Withheld
            } else {
                Shown::Count(*count)
            }
        };
        if self.is_steward() {
            return counts.iter().map(|count| Shown::Count(*count)).collect();
        }
        // A total from 1 to 10 is hidden itself, so that nothing can be subtracted from it.
        if total <= SMALL {
            return counts.iter().enumerate().map(|entry| shown(entry, &[])).collect();
        }
        match withheld_with(counts) {
            Some(withheld) => counts.iter().enumerate().map(|entry| shown(entry, &withheld)).collect(),
            None => vec![Shown::Withheld; counts.len()],
        }
    }
}

/// The places of larger counts that must be withheld with the small ones, as few as possible; `None` where the small ones
/// would be told even if all were.
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
pub(super) enum Shown {
    /// In full.
    Count(u64),
    /// Too small to be shown.
    Hidden,
    /// Not shown, because another one would follow from it.
    Withheld,
}

impl Shown {
    pub(super) fn text(self) -> String {
        match self {
            Shown::Count(count) => thousands(count),
            Shown::Hidden => HIDDEN.to_string(),
            Shown::Withheld => WITHHELD.to_string(),
        }
    }

    pub(super) fn known(self) -> Option<u64> {
        match self {
            Shown::Count(count) => Some(count),
            _ => None,
        }
    }
}

/// A count with its thousands apart: 20,000.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A text that begins a sentence.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// A share as a percentage with as many digits as it takes to tell it from nothing and from everything.
pub(super) fn percent(share: f64) -> String {
    let mut hundredths = share * 100.0;
    // What only the last bits of a float keep from a whole number is one.
    if (hundredths - hundredths.round()).abs() < 1e-9 {
        hundredths = hundredths.round();
    }
    if !share.is_finite() {
        "–".to_string()
    } else if hundredths > 0.0 && hundredths < 0.01 {
        "< 0.01 %".to_string()
    } else if hundredths > 99.99 && hundredths < 100.0 {
        "> 99.99 %".to_string()
    } else if hundredths.fract() == 0.0 || hundredths > 100.0 {
        format!("{hundredths:.0} %")
    } else if (1.0..=99.0).contains(&hundredths) {
        format!("{hundredths:.1} %")
    } else {
        format!("{hundredths:.2} %")
    }
}

/// A number that keeps four significant digits, or all of those before the point.
pub fn figure(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() { "–".to_string() } else { "∞".to_string() };
    }
    if size >= 1e15 {
        return format!("{value:.3e}");
    }
    if size >= 1000.0 || value.fract() == 0.0 {
        let sign = if value <= -0.5 { "−" } else { "" };
        return format!("{sign}{}", thousands(size.round() as u64));
    }
    let digits = if size >= 100.0 {
        1
    } else if size >= 10.0 {
        2
    } else if size >= 0.001 {
        4
    } else {
        return format!("{value:.2e}");
    };
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_sees_no_count_from_one_to_ten() {
        for count in 0..=11 {
            let text = Edition::Public.count(count);
            assert_eq!(text == HIDDEN, (1..=10).contains(&count), "{count}");
        }
        assert_eq!(Edition::Steward.count(7), "7");
    }

    #[test]
    fn a_percentage_that_stands_for_few_is_hidden_too() {
        assert_eq!(Edition::Public.share(0.0, 20_000), "0 %");
        assert_eq!(Edition::Public.share(5.0 / 20_000.0, 20_000), "few");
        assert_eq!(Edition::Public.share(1.0 - 5.0 / 20_000.0, 20_000), "nearly all");
        assert_eq!(Edition::Public.share(0.25, 20_000), "25 %");
        assert_eq!(Edition::Public.share(0.0, 7), "0 %");
        assert_eq!(Edition::Public.share(1.0, 7), "100 %");
        assert_eq!(Edition::Public.share(0.5, 8), "few");
        assert_eq!(Edition::Steward.share(5.0 / 20_000.0, 20_000), "0.03 %");
    }

    #[test]
    fn small_counts_take_others_with_them() {
        let texts = |counts: &[u64]| {
            Edition::Public.counts(counts).into_iter().map(Shown::text).collect::<Vec<_>>().join(" ")
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
        let least_and_most = |shown: &[Shown], at: usize| match shown[at] {
            Shown::Count(count) => (count, count),
            Shown::Hidden => (1, SMALL),
            Shown::Withheld if shown.contains(&Shown::Hidden) => (SMALL + 1, u64::MAX),
            Shown::Withheld => (0, u64::MAX),
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

    #[test]
    fn figures_are_short_and_readable() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.999_999), "> 99.99 %");
        assert_eq!([percent(1.0 - 1e-15), percent(1.0 - 0.8), percent(1e-15)], ["100 %", "20 %", "0 %"]);
        assert_eq!(percent(1e-6), "< 0.01 %");
        assert_eq!([percent(0.2186), percent(5.7426)], ["21.9 %", "574 %"]);
        assert_eq!(figure(61_234.5), "61,235");
        assert_eq!(figure(0.1875), "0.1875");
        assert_eq!(figure(-2.5), "-2.5");
        assert_eq!(figure(f64::NAN), "–");
    }
}

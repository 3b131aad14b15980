//! How the plan was found: how much of the space was examined, what is proven, and how best cost and bound moved.

use super::super::block::{Block, Chart, Section};
use super::super::chart;
use super::super::common::Common;
use super::super::gate::{Datum, Key};
use super::super::model::{SearchAccount, SearchMoment};
use super::super::numbers::percent;
use privet_core::thousands;

/// Moments listed below the curve.
const MOST_MOMENTS: usize = 12;

/// How the plan was found; none where nothing was searched for.
pub(super) fn search(common: &Common, key: Key) -> Option<Section> {
    let search = common.search.as_ref()?.see(key);
    let mut blocks = vec![Block::Facts(facts(search, common.counters.see(key), key))];
    blocks.extend(curve(search, key).and_then(|chart| Block::charts(vec![chart])));
    Some(Section::new("search", "Search", "Search and optimality", blocks))
}

/// What is known about the search and what it counted.
fn facts(search: &SearchAccount, counters: &[(String, u64)], key: Key) -> Vec<(Datum, Datum)> {
    let answer = match (search.optimal, search.gap) {
        (true, _) => "proven to be the best plan in this space".into(),
        (false, Some(gap)) if gap >= 1.0 => "not proven; how far it is from the best is not known".into(),
        (false, Some(gap)) => Datum::say("not proven; the best may cost up to {} less", [key.percent(gap)]),
        (false, None) => "not proven; the method does not look for the best plan".into(),
    };
    let examined = match share_examined(search.examined, &search.space) {
        Some(share) => Datum::say("{}: {}", [key.count(search.examined), key.text(share)]),
        None => key.count(search.examined),
    };
    let mut facts = vec![
        ("Optimality".into(), answer),
        ("Candidates in all".into(), key.text(space(&search.space))),
        ("Examined".into(), examined),
        ("Time".into(), key.text(seconds(search.seconds))),
    ];
    if let Some(bound) = search.bound {
        facts.push(("No plan can cost less than".into(), key.figure(bound)));
    }
    facts.extend(counters.iter().map(|(name, count)| (counter(name), key.count(*count))));
    facts
}

/// What a counter counts, in words.
fn counter(name: &str) -> Datum {
    match name {
        "itemsets" => "Itemsets counted".into(),
        "threats" => "Threats found".into(),
        "conflicts" => "Conflicts to avoid".into(),
        "locked" => "Nodes that cannot be opened".into(),
        "solves" => "Times the best cut was sought".into(),
        other => Datum::setting(other.replace('_', " ")).capital(),
    }
}

/// The curve of best cost and bound, with some of its moments as a table.
fn curve(search: &SearchAccount, key: Key) -> Option<Chart> {
    // Where the first answer was the last, there is no curve to draw.
    let mut costs = search.trace.iter().flat_map(|moment| [moment.best, moment.bound]).flatten();
    let first = costs.next()?;
    costs.find(|cost| *cost != first)?;
    let svg = chart::anytime(&search.trace, search.seconds)?;
    let cost = |cost: Option<f64>| cost.map_or_else(|| "–".into(), |cost| key.figure(cost));
    let row = |moment: &SearchMoment| {
        let gap = moment.best.zip(moment.bound).map(|(best, bound)| (best - bound).max(0.0) / best.abs());
        let gap = gap.filter(|gap| gap.is_finite()).map_or_else(|| "–".into(), |gap| key.percent(gap));
        vec![key.text(seconds(moment.seconds)), cost(moment.best), cost(moment.bound), gap]
    };
    Some(Chart::new(
        "How the search closed in",
        "The best cost found steps down, what is proven steps up; where they meet, the plan is the best.",
        svg,
        &["Time", "Best cost", "Bound", "Gap"],
        spread(&search.trace, MOST_MOMENTS).map(row).collect(),
    ))
}

/// At most this many items, evenly spread, with the first and the last among them.
fn spread<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    let shown = items.len().min(most);
    (0..shown).filter_map(move |at| items.get(at * (items.len() - 1) / (shown - 1).max(1)))
}

/// The size of a space; text, because it may exceed any integer.
fn space(space: &str) -> String {
    match (space.parse::<u64>(), logarithm(space)) {
        (Ok(space), _) if space < 1_000_000_000_000_000 => thousands(space),
        (_, Some(logarithm)) => {
            // The mantissa may round up to ten.
            let (mut power, mut mantissa) = (logarithm.floor(), 10f64.powf(logarithm.fract()));
            if mantissa >= 9.95 {
                (power, mantissa) = (power + 1.0, 1.0);
            }
            format!("about {mantissa:.1} × 10{}", superscript(power as u64))
        }
        _ => space.to_string(),
    }
}

/// The decimal logarithm of a number in decimal digits; `None` for 0 and for what is not a number.
fn logarithm(digits: &str) -> Option<f64> {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let head = &digits[..digits.len().min(17)];
    let head_value: f64 = head.parse().ok()?;
    Some(head_value.log10() + (digits.len() - head.len()) as f64)
}

/// Which share of the space was examined, in words.
fn share_examined(examined: u64, space: &str) -> Option<String> {
    let logarithm = logarithm(space)? - (examined as f64).log10();
    if examined == 0 || !logarithm.is_finite() {
        return None;
    }
    Some(if logarithm <= 0.0 {
        "all of them".to_string()
    } else if logarithm < 3.0 {
        percent(10f64.powf(-logarithm))
    } else if logarithm < 15.0 {
        // Two digits say enough.
        let unit = 10f64.powf(logarithm.floor() - 1.0);
        let rounded = (10f64.powf(logarithm) / unit).round() * unit;
        format!("one in about {}", thousands(rounded as u64))
    } else {
        format!("one in about 10{}", superscript(logarithm.round() as u64))
    })
}

fn superscript(number: u64) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.to_string().bytes().filter_map(|digit| DIGITS.get(usize::from(digit - b'0'))).collect()
}

fn seconds(seconds: f64) -> String {
    if seconds < 0.001 {
        "under 1 ms".to_string()
    } else if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else {
        format!("{seconds:.1} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_of_any_size_are_put_into_words() {
        assert_eq!(space("12960"), "12,960");
        assert_eq!(space("not counted"), "not counted");
        assert_eq!(space("431934597900"), "431,934,597,900");
        assert_eq!(space("340282366920938463463374607431768211456"), "about 3.4 × 10³⁸");
        assert_eq!(space(&"9".repeat(1000)), "about 1.0 × 10¹⁰⁰⁰");
    }

    #[test]
    fn the_share_examined_is_put_into_words() {
        let share = |examined, space: &str| share_examined(examined, space).unwrap_or_default();
        assert_eq!(share(742, "12960"), "5.7 %");
        assert_eq!(share(12, "12"), "all of them");
        assert_eq!(share(1700, "356440500"), "one in about 210,000");
        assert_eq!(share(100, &format!("1{}", "0".repeat(400))), "one in about 10³⁹⁸");
        assert_eq!(share(0, "12"), "");
        assert_eq!(share(5, "not counted"), "");
        assert_eq!(share(5, "0"), "");
    }

    #[test]
    fn a_long_trace_keeps_its_ends() {
        let items: Vec<usize> = (0..100).collect();
        let shown: Vec<usize> = spread(&items, 12).copied().collect();
        assert_eq!((shown.len(), shown[0], shown[11]), (12, 0, 99));
        assert_eq!(spread(&items[..1], 12).count(), 1);
        assert_eq!(spread(&items[..0], 12).count(), 0);
    }
}

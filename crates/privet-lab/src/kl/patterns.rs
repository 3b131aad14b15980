//! Figure 4.5: the frequent patterns that releases keep, and how true they are.

use super::super::page::{Cell, Section, Table, percent, significant};
use super::super::plot::{Axis, Kind, Plot, Series};
use super::data::WV1;
use super::{Bench, FAN_OUT, Ground, K, Lack, range};
use crate::Part;
use privet::method::kl::utility::ItemUtility;
use privet::privacy::kl::KlPrivacy;
use privet::{Exact, Result};

pub(super) const PART: Part = Part {
    name: "patterns",
    title: "Frequent patterns after anonymisation",
    summary: "number and error of generalised patterns of 1 % support, mOG against LG, l = 1 and m = n",
};

/// The support threshold in percent.
const THRESHOLD: u64 = 1;
const METHODS: [&str; 2] = ["mog", "lg"];
/// How many runs' limits all runs may take together.
const ALLOWANCE: u32 = 6;

/// What was found for one setting: per method, the patterns kept and their error.
struct ItemPatterns {
    k: u64,
    power: u64,
    before: u64,
    kept: [Kept; 2],
}

type Kept = std::result::Result<(u64, f64), Lack>;

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let mut sections = Vec::new();
    if bench.present(&[&WV1], &mut sections)?.is_empty() {
        return Ok(sections);
    }
    bench.limits.allow(ALLOWANCE);
    let default = bench.scale.pattern_powers.last().copied().unwrap_or(1);
    let over_k: Vec<ItemPatterns> = settings(bench, bench.scale.ks.iter().map(|k| (*k, default)))?;
    let over_m: Vec<ItemPatterns> =
        settings(bench, bench.scale.pattern_powers.iter().map(|power| (K, *power)))?;
    let mut claims = Table::stated_and_found("stated");
    let all = || over_k.iter().chain(&over_m);
    let figures =
        |figure: &dyn Fn(&ItemPatterns) -> Option<f64>| all().filter_map(figure).collect::<Vec<f64>>();
    let kept = |at: usize| move |found: &ItemPatterns| found.kept[at].as_ref().ok().copied();
    let ratio = |found: &ItemPatterns| Some(kept(0)(found)?.0 as f64 / kept(1)(found)?.0.max(1) as f64);
    let error = |at: usize| range(&figures(&|found| kept(at)(found).map(|(_, error)| error)), percent);
    claims.row([
        Cell::text("patterns that mOG keeps, over those of LG"),
        Cell::text("many more"),
        Cell::text(range(&figures(&ratio), |ratio| significant(ratio, 3))),
    ]);
    claims.row([Cell::text("error of mOG"), Cell::text("0 %"), Cell::text(error(0))]);
    claims.row([Cell::text("error of LG"), Cell::text("about 40 %"), Cell::text(error(1))]);
    let section = Section::new("Patterns kept (figure 4.5)").say(
        "WV1 with a random taxonomy of fan-out 5. A pattern is a set of unrelated nodes of the taxonomy that at least 1 % of \
         the transactions hold; the root alone is one. The error compares the supports of the patterns that both the \
         original and the release have.",
    );
    let section = section.say(bench.limits.words());
    let x_of_k = |found: &ItemPatterns| found.k;
    let x_of_m = |found: &ItemPatterns| found.power;
    let section = shown(section, "k", &format!("m = n = {default}"), &over_k, x_of_k);
    let section = shown(section, "m", &format!("k = {K}"), &over_m, x_of_m);
    sections.insert(0, section.table(claims));
    Ok(sections)
}

fn settings(bench: &Bench, settings: impl Iterator<Item = (u64, u64)>) -> Result<Vec<ItemPatterns>> {
    let baskets = bench.baskets(&Ground::plain(&WV1, FAN_OUT, 1))?;
    let threshold = Exact::new(THRESHOLD, 100).unwrap_or(Exact::ONE);
    let mut all = Vec::new();
    for (k, power) in settings {
        let mut before = 0;
        let mut measure = |method: &'static str| -> Result<Kept> {
            let privacy = KlPrivacy { k, m: power, n: power, theta: Vec::new(), power: None };
            let solution = match bench.attempt(&baskets, method, privacy, bench.limits.of(&WV1))? {
                Ok((solution, _)) => solution,
                Err(lack) => return Ok(Err(lack)),
            };
            let utility = ItemUtility::measure(&baskets, &solution.recoding, threshold, &bench.clock)?;
            before = utility.patterns_before;
            Ok(Ok((utility.patterns_after, utility.support_error())))
        };
        let kept = [measure(METHODS[0])?, measure(METHODS[1])?];
        all.push(ItemPatterns { k, power, before, kept });
    }
    Ok(all)
}

fn shown(
    section: Section,
    x: &str,
    rest: &str,
    found: &[ItemPatterns],
    value: fn(&ItemPatterns) -> u64,
) -> Section {
    let head = [x, "patterns before", "kept by mOG", "kept by LG", "error of mOG", "error of LG"];
    let mut table = Table::new(&format!("over-{x}"), format!("WV1, {rest}"), head);
    for one in found {
        let cell = |at: usize, show: &dyn Fn(&(u64, f64)) -> Cell| match &one.kept[at] {
            Ok(kept) => show(kept),
            Err(lack) => lack.cell(),
        };
        let count = |at: usize| cell(at, &|(count, _)| Cell::Count(*count));
        let error = |at: usize| cell(at, &|(_, error)| Cell::Share(*error));
        table.row([Cell::Count(value(one)), Cell::Count(one.before), count(0), count(1), error(0), error(1)]);
    }
    let plot = |title: &str, y: Axis, figure: &dyn Fn(&(u64, f64)) -> f64| {
        let series = |at: usize| {
            let points = found.iter().map(|one| (value(one) as f64, one.kept[at].as_ref().ok().map(figure)));
            Series::of(super::shown_name(METHODS[at]), points)
        };
        let series = (0..METHODS.len()).map(series).collect();
        Plot { title: format!("{title}, {rest}"), kind: Kind::Lines, x: Axis::new(x), y, series }
    };
    let count = plot("Patterns", Axis::new("number"), &|(count, _)| *count as f64);
    let error = plot("Error", Axis::new("error").share(), &|(_, error)| *error);
    section.plot(count).plot(error).table(table)
}

//! What a little suppression saves, on diagnoses: MEPS with its ICD-9 tree.

use std::path::Path;
use std::time::{Duration, Instant};

use super::super::page::{Cell, Section, Table};
use super::data::ENDINGS;
use super::{Bench, K};
use crate::Part;
use privet::clock::Clock;
use privet::data::{Header, TransactionOptions, TransactionSource};
use privet::engine::baskets::Baskets;
use privet::loss::items::ItemMeasure;
use privet::method::kl::{self, ItemSolution, ItemTask};
use privet::policy::ItemMethod;
use privet::policy::method::Og;
use privet::privacy::kl::KlPrivacy;
use privet::taxonomy::ItemTree;
use privet::{Error, Exact, Result};

pub(super) const PART: Part = Part {
    name: "suppression",
    title: "What a little suppression saves",
    summary: "diagnoses below their ICD-9 tree: items and transactions suppressed within limits",
};

pub(super) const DATA: &str = "informs-meps/conditions05.csv";
pub(super) const TREE: &str = "informs-meps/treefile_ICD9CODX.txt";
/// How many diagnoses an adversary knows.
const M: u64 = 2;

/// The limits that are compared, in thousandths: of item occurrences, of transactions.
const LIMITS: [(u64, u64); 7] = [(0, 0), (10, 0), (20, 0), (0, 5), (0, 10), (0, 20), (10, 10)];

pub(super) fn run(bench: &Bench) -> Result<Vec<Section>> {
    let Some(baskets) = diagnoses(bench.shelf.folder(), &bench.clock)? else {
        let missing = format!("It needs {DATA} and {TREE} below the folder that PRIVET_DATA names.");
        return Ok(vec![Section::new("Diagnoses are left out").say(missing)]);
    };
    let occurrences: u64 = baskets.tree.roots().map(|root| baskets.occurrences()[root as usize]).sum();
    let title = format!("{} people, {occurrences} diagnoses, k = {K}, m = {M}", baskets.total());
    let head = [
        "items at most",
        "transactions at most",
        "NCP",
        "LM",
        "exactly",
        "items removed",
        "removed",
        "bound",
        "time",
    ];
    let mut table = Table::new("diagnoses", title, head);
    for (items, transactions) in LIMITS {
        bench.clock.progress().note(&format!("{items} and {transactions} in a thousand"));
        let start = Instant::now();
        let found = solved(&baskets, (items, transactions), None, &bench.clock)?;
        let loss = |measure: ItemMeasure| Some(found.recoding.loss(measure, &baskets).value());
        let part = |part: u64, whole: u64| Some(part as f64 / whole.max(1) as f64);
        table.row([
            Cell::share(part(items, 1000)),
            Cell::share(part(transactions, 1000)),
            Cell::share(loss(ItemMeasure::Ncp)),
            Cell::share(loss(ItemMeasure::Lm)),
            Cell::share(Some(found.recoding.exactly(&baskets))),
            Cell::share(part(found.recoding.suppressed(&baskets), occurrences)),
            Cell::share(part(found.recoding.removed(&baskets), baskets.total())),
            Cell::share(found.search.bound),
            Cell::Seconds(start.elapsed().as_secs_f64()),
        ]);
    }
    let words = "The first line is what a release without suppression loses: rare diagnoses of few people force the root. A \
                 removed item or transaction costs 1 per occurrence, like the root. The bound is what no release within the \
                 same limits can beat; where transactions may be removed it is half of a relaxation's cost.";
    Ok(vec![Section::new("Suppression of diagnoses").say(words).table(table)])
}

/// The release with limits in thousandths: of item occurrences, of transactions.
pub(super) fn solved(
    baskets: &Baskets,
    (items, transactions): (u64, u64),
    time_limit: Option<Duration>,
    clock: &Clock,
) -> Result<ItemSolution> {
    let share = |thousandths: u64| Exact::new(thousandths, 1000).unwrap_or(Exact::ZERO);
    let method = ItemMethod::Og(Og {
        item_suppression_limit: share(items),
        suppression_limit: share(transactions),
        time_limit,
        ..Og::default()
    });
    let requirements = [KlPrivacy { k: K, m: M, n: 0, theta: Vec::new(), power: None }];
    kl::run(&ItemTask { baskets, requirements: &requirements, method: &method }, clock)
}

/// People with their diagnoses, if they are in a folder.
pub(super) fn diagnoses(folder: &Path, clock: &Clock) -> Result<Option<Baskets>> {
    let data =
        ENDINGS.iter().map(|ending| folder.join(format!("{DATA}{ending}"))).find(|path| path.is_file());
    let (Some(data), tree) = (data, folder.join(TREE)) else { return Ok(None) };
    if !tree.is_file() {
        return Ok(None);
    }
    let tree = ItemTree::read(&tree)?;
    let options = TransactionOptions::Long {
        id: "DUPERSID".to_string(),
        item: "ICD9CODX".to_string(),
        delimiter: None,
        header: Header::First,
    };
    let source = TransactionSource::open(&data, &options)?;
    let mut baskets = Baskets::new(tree.clone().into(), Vec::new());
    source.read(&mut |transaction, _| {
        let node = |item: &&str| {
            tree.find(item).ok_or_else(|| Error::input(format!("'{item}' is not in the ICD-9 tree")))
        };
        let mut items = transaction.items.iter().map(node).collect::<Result<Vec<_>>>()?;
        baskets.push(&mut items, &mut Vec::new());
        clock.check()
    })?;
    baskets.sort();
    Ok(Some(baskets))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without suppression everything is lost; with one transaction in a hundred removed, less than a tenth.
    #[test]
    fn diagnoses_lose_less_than_a_tenth_with_a_hundredth_removed() {
        let folder = std::env::var_os("PRIVET_DATA").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(crate::DEFAULT_DATA),
            std::path::PathBuf::from,
        );
        let clock = Clock::unlimited();
        let Some(baskets) = diagnoses(&folder, &clock).expect("diagnoses") else {
            privet_core::testing::skipped(&format!("no diagnoses in {} (set PRIVET_DATA)", folder.display()));
            return;
        };
        let lost = |limits| {
            let found = solved(&baskets, limits, Some(Duration::from_secs(60)), &clock).expect("a release");
            found.recoding.loss(ItemMeasure::Ncp, &baskets).value()
        };
        assert_eq!(lost((0, 0)), 1.0);
        assert!(lost((0, 10)) < 0.1);
    }
}

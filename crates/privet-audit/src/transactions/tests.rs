//! The audit of transactions: known answers, and that naive readings of the definitions agree on small random data.

mod naive;
mod people;
mod vectors;

use super::ledger::{Entries, LabelMeaning};
use super::part::Suppression;
use super::{Demand, Recoding, TransactionFacts, judge};
use crate::{Audit, AuditOptions, ExpectedCounts, StatedCost};
use privet_core::Exact;
use privet_core::random::{below, keyed, shuffle};
use privet_policy::method::ItemLimits;
use privet_taxonomy::ItemTree;

/// An original and a release as texts: one transaction per line, items between blanks.
struct Texts<'a> {
    tree: &'a ItemTree,
    sensitive: &'a [String],
    original: &'a str,
    release: &'a str,
    method: &'a str,
}

fn tree(lines: &[&str]) -> ItemTree {
    let paths: Vec<Vec<String>> =
        lines.iter().map(|line| line.split(';').map(String::from).collect()).collect();
    ItemTree::from_paths(&paths).expect("a forest")
}

fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split_whitespace().collect()).collect()
}

fn recoding(method: &str) -> Recoding {
    match method {
        "lg" => Recoding::Local,
        "mm" => Recoding::Suppression,
        _ => Recoding::Global,
    }
}

/// Audits rows of labels.
fn audit_rows(
    setting: (&ItemTree, &[String], &str),
    original: &[Vec<&str>],
    release: &[Vec<&str>],
    demand: &Demand,
    options: &AuditOptions,
) -> Audit {
    audit_part(setting, ItemLimits::NONE, original, release, demand, options)
}

/// Audits rows of labels where something may be suppressed.
fn audit_part(
    (tree, sensitive, method): (&ItemTree, &[String], &str),
    limits: ItemLimits,
    original: &[Vec<&str>],
    release: &[Vec<&str>],
    demand: &Demand,
    options: &AuditOptions,
) -> Audit {
    let meaning = LabelMeaning::new(tree, sensitive);
    let read = |rows: &[Vec<&str>]| {
        let mut entries = Entries::new(&meaning);
        for (line, row) in (1u64..).zip(rows) {
            entries.push(line, row);
        }
        entries.finish()
    };
    let facts = TransactionFacts {
        tree,
        sensitive,
        meaning: &meaning,
        original: read(original),
        release: read(release),
        written: Vec::new(),
        unwritten: Vec::new(),
        recoding: recoding(method),
        suppression: Suppression::of(limits, options, tree),
    };
    let requirements = [("kl-privacy".to_string(), demand.clone())];
    judge(&facts, &requirements, options, &mut || Ok(())).expect("an audit")
}

fn audit(texts: &Texts<'_>, demand: &Demand) -> Audit {
    let Texts { tree, sensitive, original, release, method } = texts;
    audit_rows((tree, sensitive, method), &rows(original), &rows(release), demand, &AuditOptions::default())
}

fn demand(k: u64, theta: &str, m: u64, n: u64, sensitive: usize) -> Demand {
    Demand { k, m, n, theta: vec![Exact::parse(theta).expect("a number"); sensitive], costs: None }
}

/// The names of the checks that fail.
fn failing(audit: &Audit) -> Vec<&str> {
    audit.checks.iter().filter(|check| !check.holds).map(|check| check.name.as_str()).collect()
}

const SHOP: &[&str] = &["beer;Drinks;All", "wine;Drinks;All", "milk;Dairy;All", "curd;Dairy;All"];
const BASKETS: &str = "beer milk\nwine milk test\nbeer curd\nwine milk\n";

fn shop<'a>(tree: &'a ItemTree, sensitive: &'a [String], release: &'a str, method: &'a str) -> Texts<'a> {
    Texts { tree, sensitive, original: BASKETS, release, method }
}

#[test]
fn an_honest_release_passes_in_any_order() {
    let (tree, sensitive) = (tree(SHOP), ["test".to_string()]);
    let release = "Dairy Drinks\nDairy Drinks test\nDairy Drinks\nDairy Drinks\n";
    let found = audit(&shop(&tree, &sensitive, release, "og"), &demand(4, "1/2", 2, 4, 1));
    assert!(found.passed, "{found:?}");
    assert_eq!((found.classes, found.records.released), (1, 4));
}

/// Labels hide how many items there are, and which; the order of the transactions must not show it.
#[test]
fn hard_use_1_4_transactions_that_are_sorted_by_what_they_hide_are_caught() {
    let tree = tree(&["milk;Dairy", "curd;Dairy", "beer;Drinks", "wine;Drinks", "a", "b", "c", "d"]);
    let (random, free) = (&mut keyed(1, "test"), demand(1, "1", 0, 0, 1));
    let items = ["milk", "curd", "beer", "wine", "a", "b", "c", "d"];
    let mut original: Vec<Vec<&'static str>> = (0..1500)
        .map(|_| {
            let count = below(random, 4) as usize;
            items.iter().copied().filter(|_| below(random, 4) as usize <= count).collect()
        })
        .collect();
    // Those who have milk do not have a.
    original.iter_mut().filter(|set| set.contains(&"milk")).for_each(|set| set.retain(|item| *item != "a"));
    let shown = |set: &Vec<&'static str>| -> Vec<&'static str> {
        let label = |item: &&'static str| match *item {
            "milk" | "curd" => "Dairy",
            "beer" | "wine" => "Drinks",
            other => other,
        };
        let mut labels: Vec<&str> = set.iter().map(label).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    };
    let mut faults = |key: &dyn Fn(&Vec<&'static str>) -> usize| {
        let mut release = original.clone();
        shuffle(&mut release, random);
        release.sort_by_key(key);
        let release: Vec<Vec<&str>> = release.iter().map(shown).collect();
        let found = audit_rows((&tree, &[], "og"), &original, &release, &free, &AuditOptions::default());
        failing(&found).join(" ")
    };
    assert_eq!(faults(&|_| 0), "");
    assert_eq!(faults(&|set| set.len()), "order", "by size");
    assert_eq!(faults(&|set| usize::from(!set.contains(&"milk"))), "order", "by an item");
}

#[test]
fn every_fault_is_named() {
    let (tree, sensitive) = (tree(SHOP), ["test".to_string()]);
    let free = demand(1, "1", 0, 0, 1);
    let faults = |release: &str, method: &str| {
        let found = audit(&shop(&tree, &sensitive, release, method), &free);
        failing(&found).into_iter().map(String::from).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(faults("Drinks milk\nDrinks milk test\nDrinks curd\nDrinks milk\n", "og"), "");
    assert_eq!(faults("Drinks milk\nDrinks milk test\nDrinks curd\nDrinks milk gin\n", "og"), "items form");
    assert_eq!(faults("Drinks milk\nDrinks milk test\nDrinks curd\n", "og"), "records truth");
    assert_eq!(faults("Drinks milk\nDrinks milk\nDrinks curd\nDrinks milk\n", "og"), "truth");
    assert_eq!(faults("Drinks milk\nDrinks milk test\nDrinks Dairy\nDrinks milk\n", "og"), "truth");
    assert_eq!(faults("Drinks milk\nDrinks milk test\nDrinks milk\nDrinks milk\n", "og"), "truth");
    // Mixed levels are local recoding, a lost item is suppression.
    assert_eq!(faults("Drinks milk\nwine milk test\nbeer curd\nDrinks milk\n", "og"), "truth");
    assert_eq!(faults("Drinks milk\nwine milk test\nbeer curd\nDrinks milk\n", "lg"), "");
    assert_eq!(faults("milk\nmilk test\n\nmilk\n", "og"), "truth");
    assert_eq!(faults("milk\nmilk test\n\nmilk\n", "mm"), "");
    assert_eq!(faults("beer milk\nmilk test\nbeer\nmilk\n", "mm"), "");
    assert_eq!(faults("beer milk\nmilk test\n\nmilk\n", "mm"), "truth");
    assert_eq!(faults("Drinks\nDrinks test\nDrinks\nDrinks\n", "mm"), "truth");
    // The only transaction with curd cannot be published twice.
    assert_eq!(faults("Drinks milk\nwine milk test\nbeer curd\nDrinks curd\n", "lg"), "truth");
    assert_eq!(faults("Drinks milk Dairy\nwine milk test\nbeer curd\nDrinks milk\n", "lg"), "truth");
}

#[test]
fn a_threat_is_said_in_words() {
    let (tree, sensitive) = (tree(SHOP), ["test".to_string()]);
    let worst = |demand: &Demand| {
        let found = audit(&shop(&tree, &sensitive, BASKETS, "og"), demand);
        assert_eq!(failing(&found), ["kl-privacy"]);
        found.checks.last().and_then(|check| check.worst.clone()).expect("a worst case")
    };
    assert_eq!(worst(&demand(5, "1", 0, 0, 1)), "knowing nothing: 4 transactions fit, k = 5");
    assert_eq!(worst(&demand(2, "1", 1, 0, 1)), "knowing curd: 1 transaction fits, k = 2");
    assert_eq!(worst(&demand(2, "1", 0, 1, 1)), "knowing that milk is not there: 1 transaction fits, k = 2");
    assert_eq!(
        worst(&demand(1, "1/3", 1, 0, 1)),
        "knowing wine: 2 transactions fit, 1 of them with 'test'; at most the share 1/3 may be"
    );
}

#[test]
fn the_manifest_is_held_to_its_counts() {
    let tree = tree(SHOP);
    let original = rows("beer\n\nbeer");
    let expected = |released| AuditOptions {
        expected: Some(ExpectedCounts { released, suppressed: 0, dropped: 0 }),
        ..AuditOptions::default()
    };
    let audit = |released| {
        let demand = demand(1, "1", 0, 0, 0);
        audit_rows((&tree, &[], "og"), &original, &original, &demand, &expected(released))
    };
    assert!(audit(3).passed);
    assert_eq!(failing(&audit(4)), ["counts"]);
}

#[test]
fn the_manifest_is_held_to_its_cost() {
    let tree = tree(SHOP);
    let failing_with = |method, release: &str, measure, exact| {
        let cost = StatedCost::parse(measure, exact);
        assert!(cost.is_some());
        let options = AuditOptions { cost, ..AuditOptions::default() };
        let demand = demand(1, "1", 0, 0, 0);
        let found =
            audit_rows((&tree, &[], method), &rows("beer milk\nwine"), &rows(release), &demand, &options);
        failing(&found).join(" ")
    };
    let (leaves, drinks) = (tree.total_leaves(), tree.leaves(tree.find("Drinks").expect("a node")));
    // Two of three occurrences are published as Drinks.
    let ncp = format!("{}/{}", 2 * drinks, 3 * leaves);
    let lm = format!("{}/{}", 2 * (drinks - 1), 3 * (leaves - 1));
    assert_eq!(failing_with("og", "Drinks milk\nDrinks", "NCP", &ncp), "");
    assert_eq!(failing_with("og", "Drinks milk\nDrinks", "LM", &lm), "");
    assert_eq!(failing_with("og", "Drinks milk\nDrinks", "NCP", "1/7"), "cost");
    // What is suppressed costs 1.
    assert_eq!(failing_with("mm", "milk\n\n", "NCP", "2/3"), "");
    assert_eq!(failing_with("mm", "milk\n\n", "LM", "0"), "cost");
    // Under local recoding the files do not tell.
    assert_eq!(failing_with("lg", "Drinks milk\nDrinks", "NCP", "1/7"), "");
    assert_eq!(StatedCost::parse("DM", "1/2").or(StatedCost::parse("NCP", "1/0")), None);
}

/// What is suppressed is judged by the files: shares, what the plan lists, and that transactions which look alike are
/// removed together.
#[test]
fn suppression_keeps_its_limits() {
    let tree = tree(&["a;A;R", "b;A;R", "c;B;R", "d;B;R"]);
    let free = demand(2, "1", 2, 0, 0);
    let original = rows("a b\na b\na b\na d\nc\nc\nc\nc");
    let limits = |items: &str, transactions: &str| {
        let exact = |text: &str| Exact::parse(text).expect("a number");
        ItemLimits { items: exact(items), transactions: exact(transactions) }
    };
    let judged = |release: &str, limits: ItemLimits, listed: Option<&[&str]>, cost: Option<&str>| {
        let options = AuditOptions {
            suppressed: listed.map(|listed| listed.iter().map(ToString::to_string).collect()),
            cost: cost.map(|cost| StatedCost::parse("NCP", cost).expect("a cost")),
            ..AuditOptions::default()
        };
        let audit = audit_part((&tree, &[], "og"), limits, &original, &rows(release), &free, &options);
        failing(&audit).into_iter().map(str::to_string).collect::<Vec<String>>()
    };
    let (without_item, without_row) = ("a b\na b\na b\na\nc\nc\nc\nc", "a b\na b\na b\nc\nc\nc\nc");
    // 1 of 12 occurrences, or 1 of 8 transactions.
    assert!(judged(without_item, limits("0.1", "0"), Some(&["d"]), Some("1/12")).is_empty());
    assert!(judged(without_item, limits("0.1", "0"), None, Some("1/12")).is_empty());
    assert_eq!(judged(without_item, limits("0.1", "0"), Some(&["d"]), Some("2/12")), ["cost"]);
    assert_eq!(judged(without_item, limits("0.05", "0"), Some(&["d"]), None), ["suppressed items"]);
    assert_eq!(judged(without_item, limits("0", "0"), None, None), ["truth"]);
    // What is missing everywhere is listed, or it is not suppressed.
    assert_eq!(judged(without_item, limits("0.1", "0"), Some(&[]), None), ["truth"]);
    assert!(judged(without_row, limits("0", "0.2"), Some(&[]), Some("2/12")).is_empty());
    assert_eq!(judged(without_row, limits("0", "0.1"), Some(&[]), None), ["records"]);
    assert_eq!(judged(without_row, limits("0.1", "0"), Some(&["d"]), None), ["records", "truth"]);
    // Both limits: the manifest says which of the two happened; without one, either may have.
    assert!(judged(without_row, limits("0.1", "0.2"), Some(&[]), Some("2/12")).is_empty());
    assert!(judged(without_row, limits("0.1", "0.2"), None, None).is_empty());
    // What is listed appears nowhere; of transactions that look alike, none is removed alone.
    assert_eq!(judged(without_item, limits("0.9", "0"), Some(&["c", "d"]), None), ["suppressed items"]);
    assert_eq!(judged("a b\na b\na b\nc\nc\nc", limits("0", "0.3"), Some(&[]), None), ["truth"]);
    // A transaction without its only item counts as removed where there is a limit on these.
    let emptied = "a b\na b\na b\na\n\n\n\n\n";
    assert!(judged(emptied, limits("0.5", "0"), Some(&["B"]), None).is_empty());
    assert_eq!(judged(emptied, limits("0.5", "0.2"), Some(&["B"]), None), ["records"]);
}

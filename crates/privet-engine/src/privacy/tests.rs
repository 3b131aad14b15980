//! Every notion against its definition, and against what it promises to searches.

use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::*;

use privet_core::testing::cases;

use super::naive::{Column, Ground, Notion, Ratio, any_notion, ratio};
use super::*;
use privet_core::Exact;
use privet_policy::requirement::{
    Absent, Base, BetaLikeness, DeltaDisclosure, Distance, Diversity, KAnonymity, LDiversity, LPlusDiversity,
    LikenessKind, TCloseness, ThetaRule,
};

/// Other columns' slots lie before and behind those of the column under test.
const BEFORE: u32 = 2;
const BEHIND: usize = 3;

/// A small tree over some leaves: each leaf hangs below the root, a group, or a group of a group.
#[derive(Debug, Clone)]
struct Tree {
    places: Vec<(u8, u8, u8)>,
}

impl Tree {
    fn paths(&self) -> Vec<Vec<String>> {
        let path = |(leaf, (depth, group, part)): (usize, &(u8, u8, u8))| {
            let mut path = vec![format!("v{leaf}")];
            if *depth > 1 {
                path.push(format!("part {group}.{part}"));
            }
            if *depth > 0 {
                path.push(format!("group {group}"));
            }
            path.push("any".to_string());
            path
        };
        self.places.iter().enumerate().map(path).collect()
    }

    fn column(&self, totals: Vec<u64>) -> Column {
        let paths = self.paths();
        let height_of = |node: &String| {
            paths.iter().filter_map(|path| path.iter().position(|label| label == node)).max().unwrap_or(0)
        };
        let common = |a: &Vec<String>, b: &Vec<String>| {
            a.iter().find(|node| b.contains(node)).map_or(0, |node| height_of(node) as u64)
        };
        let first = |node: &String| paths.iter().position(|path| path.contains(node));
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_by_key(|leaf| paths[*leaf].iter().rev().map(first).collect::<Vec<_>>());
        let mut rank = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, leaf)| rank[*leaf] = place);
        Column {
            totals,
            rank,
            apart: paths.iter().map(|a| paths.iter().map(|b| common(a, b)).collect()).collect(),
            height: height_of(&"any".to_string()) as u64,
        }
    }
}

/// A column, the requirement as built for its table, and the definition.
struct Subject {
    requirement: Box<dyn ClassTest>,
    notion: Notion,
    column: Column,
    slots: Range<u32>,
}

impl Subject {
    fn new(notion: &Notion, tree: &Tree, totals: &[u64]) -> Subject {
        let slots = BEFORE..BEFORE + totals.len() as u32;
        let tracked = TrackedColumn {
            index: 1,
            name: "disease".into(),
            role: Role::Sensitive,
            values: (0..totals.len()).map(|value| format!("v{value}")).collect(),
            numeric: false,
            taxonomy: Some(Arc::new(Taxonomy::from_paths(&tree.paths()).expect("a tree"))),
            separator: None,
            items: None,
            links: None,
            slots: slots.clone(),
            totals: totals.to_vec(),
            people: None,
        };
        let other = |index, slots: Range<u32>| TrackedColumn {
            index,
            name: format!("other {index}"),
            values: Vec::new(),
            taxonomy: None,
            separator: None,
            totals: Vec::new(),
            slots,
            ..tracked.clone()
        };
        let table = TrackedTable {
            records: totals.iter().sum(),
            tracked: vec![
                other(0, 0..BEFORE),
                tracked.clone(),
                other(2, slots.end..slots.end + BEHIND as u32),
            ],
            population: None,
            weight_unit: None,
        };
        let requirement = build(&asked(notion), &table).expect("a requirement");
        Subject { requirement, notion: notion.clone(), column: tree.column(totals.to_vec()), slots }
    }

    /// Asks the requirement, with counts kept in both ways.
    fn ask<T: PartialEq + std::fmt::Debug>(
        &self,
        counts: &[u64],
        ask: impl Fn(&dyn ClassTest, &EquivalenceClass<'_>) -> T,
    ) -> T {
        let size: u64 = counts.iter().sum();
        // Other columns of the class are as lopsided as can be: a test that looks there gets a wrong answer.
        let dense = [&[size, 0], counts, &[0, size, 0]].concat();
        assert_eq!(dense.len(), self.slots.end as usize + BEHIND);
        let sparse: Vec<(u32, u64)> =
            (0..).zip(dense.iter().copied()).filter(|(_, count)| *count > 0).collect();
        let of_dense = ask(
            self.requirement.as_ref(),
            &EquivalenceClass { size, counts: Counts::Dense(&dense), standing: Default::default() },
        );
        let of_sparse = ask(
            self.requirement.as_ref(),
            &EquivalenceClass { size, counts: Counts::Sparse(&sparse), standing: Default::default() },
        );
        assert_eq!(of_dense, of_sparse, "dense and sparse counts differ for {:?} on {counts:?}", self.notion);
        of_dense
    }

    fn holds(&self, counts: &[u64]) -> bool {
        self.ask(counts, |requirement, class| requirement.holds(class))
    }

    fn most_kept(&self, counts: &[u64]) -> u64 {
        self.ask(counts, |requirement, class| requirement.most_kept(class))
    }
}

fn exact(ratio: Ratio) -> Exact {
    Exact::new(*ratio.numer() as u64, *ratio.denom() as u64).expect("a number")
}

fn asked(notion: &Notion) -> Requirement {
    let column = 1;
    let diversity = |diversity| Requirement::LDiversity(LDiversity { column, diversity });
    match notion {
        Notion::KAnonymity(k) => Requirement::KAnonymity(KAnonymity { k: *k, unit: None }),
        Notion::Closeness(t, ground) => {
            let distance = match ground {
                Ground::Equal => Distance::Equal,
                Ground::Ordered => Distance::Ordered,
                Ground::Hierarchical => Distance::Hierarchical,
            };
            Requirement::TCloseness(TCloseness { column, t: exact(*t), distance })
        }
        Notion::Thresholds(base, by_frequency) => Requirement::LPlusDiversity(LPlusDiversity {
            column,
            base: Base::Share(exact(*base)),
            theta_rule: by_frequency.then_some(ThetaRule::Frequency),
            theta: Default::default(),
        }),
        Notion::Likeness(beta, enhanced) => {
            let kind = if *enhanced { LikenessKind::Enhanced } else { LikenessKind::Basic };
            Requirement::BetaLikeness(BetaLikeness { column, beta: exact(*beta), kind })
        }
        Notion::Disclosure(delta, skip) => {
            let absent = if *skip { Absent::Skip } else { Absent::Violates };
            Requirement::DeltaDisclosure(DeltaDisclosure { column, delta: exact(*delta), absent })
        }
        Notion::Distinct(l) => diversity(Diversity::Distinct(Exact::whole(*l))),
        Notion::Frequency(l) => diversity(Diversity::Frequency(exact(*l))),
        Notion::Entropy(l) => diversity(Diversity::Entropy(exact(*l))),
        Notion::Recursive(c, l) => diversity(Diversity::Recursive { c: exact(*c), l: *l }),
    }
}

fn sum(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// A tree over some values, and the counts of some disjoint classes of one table; the last one only fills the table up.
fn classes(most: u64, number: usize) -> impl Strategy<Value = (Tree, Vec<Vec<u64>>)> {
    (1usize..5).prop_flat_map(move |values| {
        let tree = prop::collection::vec((0u8..3, 0u8..2, 0u8..2), values).prop_map(|places| Tree { places });
        let class = prop::collection::vec(0..=most, values);
        (tree, prop::collection::vec(class, number + 1))
    })
}

fn totals(classes: &[Vec<u64>]) -> Vec<u64> {
    // One record more of each value: every value of a dictionary occurs.
    classes.iter().fold(vec![1; classes[0].len()], |total, class| sum(&total, class))
}

proptest! {
    #![proptest_config(cases(6000))]

    #[test]
    fn a_notion_is_its_definition(notion in any_notion(), (tree, classes) in classes(7, 3)) {
        let subject = Subject::new(&notion, &tree, &totals(&classes));
        for counts in &classes {
            prop_assert_eq!(subject.holds(counts), notion.holds(counts, &subject.column), "{:?}", counts);
        }
        prop_assert!(subject.holds(&vec![0; classes[0].len()]), "the class without records");
    }

    #[test]
    fn a_notion_is_closed_as_it_declares(notion in any_notion(), (tree, classes) in classes(5, 6)) {
        let subject = Subject::new(&notion, &tree, &totals(&classes));
        let superset = subject.requirement.closure() == Closure::Superset;
        for (at, one) in classes.iter().enumerate() {
            for two in &classes[at + 1..] {
                let (one_holds, two_holds) = (subject.holds(one), subject.holds(two));
                let needed = if superset {
                    one_holds && one.iter().sum::<u64>() > 0 || two_holds && two.iter().sum::<u64>() > 0
                } else {
                    one_holds && two_holds
                };
                prop_assert!(!needed || subject.holds(&sum(one, two)), "{:?} and {:?}", one, two);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn no_satisfying_part_of_a_class_is_larger_than_promised(
        notion in any_notion(),
        (tree, classes) in classes(4, 1),
    ) {
        let subject = Subject::new(&notion, &tree, &totals(&classes));
        let counts = &classes[0];
        let size: u64 = counts.iter().sum();
        let promised = subject.most_kept(counts);
        prop_assert!(promised <= size);
        let mut part = vec![0; counts.len()];
        loop {
            let kept: u64 = part.iter().sum();
            let is_possible = kept <= promised && (kept == 0 || kept >= subject.requirement.least_size());
            prop_assert!(is_possible || !notion.holds(&part, &subject.column), "{:?} of {:?}", part, counts);
            let Some(next) = (0..part.len()).find(|value| part[*value] < counts[*value]) else { break };
            part[..next].fill(0);
            part[next] += 1;
        }
    }
}

const FLAT: fn(usize) -> Tree = |values| Tree { places: vec![(0, 0, 0); values] };

fn judge(notion: Notion, counts: &[u64], table: &[u64]) -> bool {
    let subject = Subject::new(&notion, &FLAT(counts.len()), table);
    let holds = subject.holds(counts);
    assert_eq!(holds, notion.holds(counts, &subject.column), "the definition says otherwise");
    holds
}

/// Why these notions may only declare `Union`: a valid class is spoilt by records that are not valid on their own.
#[test]
fn diversity_by_shares_and_closeness_are_not_superset_closed() {
    let (valid, more) = ([2, 2, 2], [9, 0, 0]);
    let spoilt = sum(&valid, &more);
    let table = [20, 20, 20];
    for notion in [
        Notion::Frequency(ratio(3, 1)),
        Notion::Entropy(ratio(3, 1)),
        Notion::Recursive(ratio(2, 1), 2),
        Notion::Thresholds(ratio(1, 3), false),
        Notion::Closeness(ratio(1, 10), Ground::Equal),
        Notion::Closeness(ratio(1, 10), Ground::Ordered),
        Notion::Closeness(ratio(1, 10), Ground::Hierarchical),
        Notion::Likeness(ratio(1, 2), false),
        Notion::Likeness(ratio(1, 2), true),
        Notion::Disclosure(ratio(1, 2), false),
    ] {
        let subject = Subject::new(&notion, &FLAT(3), &table);
        assert_eq!(subject.requirement.closure(), Closure::Union, "{notion:?}");
        assert!(judge(notion.clone(), &valid, &table), "{notion:?}");
        assert!(!judge(notion.clone(), &spoilt, &table), "{notion:?}");
    }
}

/// Skipping absent values loses the closure under union: cancer is in one part only, and too rare in both together.
#[test]
fn skipped_values_leave_nothing_to_rely_on() {
    let notion = || Notion::Disclosure(ratio(1, 1), true);
    let table = [30, 10];
    let (one, two) = ([6, 2], [20, 0]);
    assert!(judge(notion(), &one, &table) && judge(notion(), &two, &table));
    assert!(!judge(notion(), &sum(&one, &two), &table));
    let subject = Subject::new(&notion(), &FLAT(2), &table);
    assert_eq!(subject.requirement.closure(), Closure::Nothing);
    assert_eq!(subject.most_kept(&sum(&one, &two)), 28);
}

/// A gain of exactly β holds, a ratio of exactly 2^δ does not, and −ln 1/6 = 1.79 caps a gain of 2.
#[test]
fn likeness_and_disclosure_at_their_bounds() {
    let table = [4, 1, 1];
    assert!(judge(Notion::Likeness(ratio(2, 1), false), &[1, 1, 0], &table));
    assert!(!judge(Notion::Likeness(ratio(2, 1), true), &[1, 1, 0], &table));
    assert!(judge(Notion::Likeness(ratio(1, 1), true), &[2, 1, 0], &table));
    assert!(!judge(Notion::Disclosure(ratio(1, 1), true), &[2, 1, 0], &table));
    assert!(judge(Notion::Disclosure(ratio(3, 2), true), &[2, 1, 0], &table));
    assert!(!judge(Notion::Disclosure(ratio(3, 1), false), &[2, 1, 0], &table));
}

/// 1.12 · 25 is 28.000000000000004 in floating point, and 28 < 28 would pass.
#[test]
fn recursive_diversity_is_strict_at_a_tie() {
    let notion = || Notion::Recursive(ratio(112, 100), 2);
    assert!(!judge(notion(), &[28, 25], &[28, 25]));
    assert!(judge(notion(), &[27, 25], &[28, 25]));
}

/// 0.25 − 0.1 is 0.15000000000000002 or so in floating point.
#[test]
fn equal_distance_passes_at_a_tie() {
    let t = |over, under| Notion::Closeness(ratio(over, under), Ground::Equal);
    assert!(judge(t(15, 100), &[1, 3], &[10, 90]));
    assert!(!judge(t(149_999_999, 1_000_000_000), &[1, 3], &[10, 90]));
}

#[test]
fn uniform_classes_have_exactly_their_entropy() {
    for l in [2usize, 3, 5, 6, 7, 10] {
        for each in [1, 2, 3, 9, 20] {
            let counts = vec![each; l];
            assert!(judge(Notion::Entropy(ratio(l as u64, 1)), &counts, &counts), "{l} values, {each} each");
            let mut uneven = counts.clone();
            (uneven[0], uneven[1]) = (each + 1, each - 1);
            assert!(!judge(Notion::Entropy(ratio(l as u64, 1)), &uneven, &counts), "{uneven:?}");
        }
    }
}

/// 0.29 · 100 is 28.999999999999996 in floating point.
#[test]
fn frequency_passes_at_a_tie() {
    let theta_29 = || Notion::Frequency(ratio(100, 29));
    assert!(judge(theta_29(), &[29, 29, 29, 13], &[100, 100, 100, 100]));
    assert!(!judge(theta_29(), &[30, 29, 29, 12], &[100, 100, 100, 100]));
    assert!(judge(Notion::Frequency(ratio(3, 1)), &[1, 1, 1], &[5, 5, 5]));
    // θ = 0.3333333333333333 is below 1/3.
    let below = ratio(10_000_000_000_000_000, 3_333_333_333_333_333);
    assert!(!judge(Notion::Frequency(below), &[1, 1, 1], &[5, 5, 5]));
}

#[test]
fn large_tables_do_not_overflow() {
    let table = [u64::from(u32::MAX), u64::from(u32::MAX), 1];
    let finest = Ratio::new(1, 1_000_000_000_000_000_000);
    for ground in [Ground::Equal, Ground::Ordered, Ground::Hierarchical] {
        let subject = Subject::new(&Notion::Closeness(finest, ground), &FLAT(3), &table);
        assert!(subject.holds(&table), "{ground:?}: the whole table is as close as can be");
        assert!(!subject.holds(&[table[0], table[1], 0]), "{ground:?}");
        assert!(subject.most_kept(&table) <= table.iter().sum());
    }
    let long = ratio(1_000_000_000_000_000_001, 1_000_000_000_000_000_000);
    assert!(Subject::new(&Notion::Frequency(long), &FLAT(3), &table).holds(&table));
    assert!(Subject::new(&Notion::Recursive(long, 2), &FLAT(3), &table).holds(&table));
    // Close to a tie, and exact ties of even and of uneven shares: none may need powers of billions.
    let entropy = |l, counts: &[u64]| {
        Subject::new(&Notion::Entropy(ratio(l, 1)), &FLAT(counts.len()), counts).holds(counts)
    };
    let many = u64::from(u32::MAX);
    assert!(entropy(2, &table));
    assert!(entropy(2, &[many, many]));
    assert!(!entropy(2, &[many, many - 1]));
    assert!(entropy(4, &[4 * many, many, many, many, many]));
    assert!(!entropy(4, &[4 * many + 1, many, many, many, many]));
}

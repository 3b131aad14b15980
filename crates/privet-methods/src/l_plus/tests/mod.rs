//! The search against brute force, and every bound against the cuts it covers.

mod annealing;
mod enumeration;
mod marginals;
mod oracle;

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use self::oracle::{LPlusCase, NaiveCut};
use super::bound::LPlusProblem;
use super::problem;
use crate::Solution;
use privet_core::clock::Clock;
use privet_core::testing::cases;
use privet_engine::cut::{Amount, Cut, CutProblem, Effort, FORBIDDEN, Interval, Place};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::naive::{Ratio, ratio};
use privet_engine::testing::all_cuts;
use privet_engine::testing::tree;
use privet_policy::{CheckedPolicy, Method, Policy};

/// The eleven pairs of scheme and metric that are defined.
const PAIRS: [(&str, &str); 11] = [
    ("none", "LM"),
    ("none", "DM"),
    ("none", "CM"),
    ("all-rec", "LM"),
    ("all-rec", "DM"),
    ("all-rec", "CM"),
    ("vio-rec", "LM"),
    ("vio-rec", "DM"),
    ("vio-rec", "CM"),
    ("all-sa", "LM"),
    ("vio-sa", "LM"),
];

fn any_case() -> impl Strategy<Value = LPlusCase> {
    let theta = prop::sample::select(vec![(0, 1), (1, 4), (1, 3), (2, 5), (1, 2), (5, 8), (1, 1)]);
    let theta = prop::collection::vec(theta, 4);
    let one = prop::sample::select(vec![(1, 4), (1, 3), (1, 2), (2, 3)]);
    let theta = prop_oneof![one.prop_map(|theta| vec![theta; 4]), theta];
    let trees = prop_oneof![
        prop::collection::vec(tree("q", 1..6), 1..3),
        prop::collection::vec(tree("q", 1..4), 2..4),
    ];
    let rows = prop::collection::vec(prop::collection::vec(0usize..60, 6), 2..14);
    let k = prop::sample::select(vec![1, 1, 1, 2, 3]);
    let pair = prop::sample::select(PAIRS.to_vec());
    (trees, rows, theta, k, pair).prop_map(|(trees, raw, theta, k, (scheme, metric))| {
        let row = |raw: &Vec<usize>| {
            let mut row: Vec<String> =
                trees.iter().zip(raw).map(|(tree, choice)| tree[choice % tree.len()][0].clone()).collect();
            // Skewed, so that classes violate thresholds.
            row.push(format!("s{}", [0, 0, 0, 1, 1, 2, 3][raw[4] % 7]));
            row.push(format!("label{}", raw[5] % 2));
            row
        };
        let rows = raw.iter().map(row).collect();
        let theta =
            theta.into_iter().enumerate().map(|(value, theta)| (format!("s{value}"), theta)).collect();
        LPlusCase { trees, rows, theta, k, scheme, metric, weights: Vec::new() }
    })
}

/// A case under LM whose columns have weights, and some of them levels with weights.
fn any_weighted_case() -> impl Strategy<Value = LPlusCase> {
    let weights = prop::collection::vec((1u64..300, any::<bool>(), prop::collection::vec(0u64..150, 12)), 3);
    (any_case(), weights).prop_map(|(case, weights)| {
        let columns = case.trees.iter().zip(weights);
        let weights = columns.map(|(tree, (weight, by_level, steps))| {
            let height =
                tree.iter().map(|line| crate::tests::table::distinct(line).len() - 1).max().unwrap_or(0);
            let rising = steps.iter().scan(0, |sum, step| {
                *sum += step;
                Some(*sum)
            });
            (weight, rising.take(if by_level { height } else { 0 }).collect())
        });
        let weights = weights.collect();
        LPlusCase { metric: "LM", weights, ..case }
    })
}

fn read(case: &LPlusCase, more: &str) -> (TempDir, CheckedPolicy, Microdata) {
    read_for("l-plus-optimize", case, more)
}

fn read_for(method: &str, case: &LPlusCase, more: &str) -> (TempDir, CheckedPolicy, Microdata) {
    let (folder, policy) = written(method, case, more);
    let policy = policy.check(None).expect("a checked policy");
    let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
    (folder, policy, microdata)
}

fn written(method: &str, case: &LPlusCase, more: &str) -> (TempDir, Policy) {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).expect("written");
    let mut text = "seed = 5\n[data]\npath = \"data.csv\"\nheader = true\n".to_string();
    let mut header: Vec<String> = Vec::new();
    for (column, tree) in case.trees.iter().enumerate() {
        write(&format!("q{column}.csv"), tree.iter().map(|line| line.join(";") + "\n").collect());
        text += &format!("[columns.q{column}]\nrole = \"quasi-identifier\"\nhierarchy = \"q{column}.csv\"\n");
        if let Some((weight, levels)) = case.weights.get(column) {
            let hundredths = |parts: &u64| format!("\"{parts}/100\"");
            text += &format!("weight = {}\n", hundredths(weight));
            if !levels.is_empty() {
                let levels: Vec<String> = levels.iter().map(hundredths).collect();
                text += &format!("level_weights = [{}]\n", levels.join(", "));
            }
        }
        header.push(format!("q{column}"));
    }
    header.extend(["s", "label"].map(String::from));
    let lines = std::iter::once(&header).chain(&case.rows).map(|row| row.join(",") + "\n");
    write("data.csv", lines.collect());
    text += "[columns.s]\nrole = \"sensitive\"\n[columns.label]\nrole = \"class\"\n";
    text += "[privacy.l-plus-diversity]\ncolumn = \"s\"\n[privacy.l-plus-diversity.theta]\n";
    for (value, (num, den)) in &case.theta {
        text += &format!("{value} = \"{num}/{den}\"\n");
    }
    if case.k > 1 {
        text += &format!("[privacy.k-anonymity]\nk = {}\n", case.k);
    }
    text += &format!(
        "[method]\nname = \"{method}\"\nsuppression = \"{}\"\ncost = \"{}\"\n{more}",
        case.scheme, case.metric
    );
    let policy = Policy::parse(&folder.path().join("policy.toml"), text).expect("a policy");
    (folder, policy)
}

fn build(policy: &CheckedPolicy, microdata: &Microdata) -> LPlusProblem {
    let Method::LPlusOptimize(own) = &policy.method else { panic!("another method") };
    let asked = problem::asked(policy, own.into(), microdata).expect("asked");
    problem::problem(microdata, &asked).expect("a problem")
}

fn exact(solution: &Solution) -> Ratio {
    let text = solution.cost.as_ref().and_then(|cost| cost.exact.clone()).expect("an exact cost");
    let (num, den) = text.split_once('/').unwrap_or((&text, "1"));
    ratio(num.parse().expect("a number"), den.parse().expect("a number"))
}

/// The published cut in the oracle's notation.
fn published(case: &LPlusCase, solution: &Solution) -> NaiveCut {
    let of_column = |column: usize| {
        let crate::plan::Plan::Cuts(plan) = &solution.plan else { panic!("cuts") };
        let labels = plan.cuts.get(&format!("q{column}")).expect("a cut");
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let under = |line: &Vec<String>| {
            let met: Vec<&String> = line.iter().filter(|label| labels.contains(&label.as_str())).collect();
            assert!(met.iter().all(|label| *label == met[0]), "{line:?} meets the cut {labels:?} once");
            (line[0].clone(), met[0].clone())
        };
        case.trees[column].iter().map(under).collect::<BTreeMap<_, _>>()
    };
    (0..case.trees.len()).map(of_column).collect()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn the_optimum_is_that_of_brute_force(case in any_case()) {
        let (_folder, policy, microdata) = read(&case, "");
        let best = case.cuts().iter().filter_map(|cut| case.cost(cut)).min();
        match (best, crate::run(&policy, &microdata, &Clock::unlimited())) {
            (None, Err(error)) => prop_assert_eq!(error.kind(), privet_core::ErrorKind::Infeasible),
            (Some(best), Ok(solution)) => {
                prop_assert_eq!(exact(&solution), best);
                prop_assert!(solution.search.optimal);
                prop_assert_eq!(case.cost(&published(&case, &solution)), Some(best));
            }
            (best, solution) => prop_assert!(false, "{best:?} but {solution:?}"),
        }
    }

    /// Every class of a release with random extra generalisation meets the requirements, at the cost that is stated; every cell lies
    /// at or above the one of the best cut.
    #[test]
    fn what_chance_generalises_stays_valid(case in any_case(), p in prop::sample::select(vec!["0.3", "1"])) {
        prop_assume!(["none", "all-rec"].contains(&case.scheme));
        let (_folder, policy, microdata) = read(&case, &format!("extra_generalisation = {p}\n"));
        let (_other, plain, _) = read(&case, "");
        let Ok(solution) = crate::run(&policy, &microdata, &Clock::unlimited()) else { return Ok(()) };
        let best = crate::run(&plain, &microdata, &Clock::unlimited()).expect("the same without chance");
        let table = solution.recoding.count(&microdata);
        prop_assert_eq!(table.suppressed, best.recoding.count(&microdata).suppressed);
        for class in 0..solution.recoding.len() {
            let (size, counts) = (table.sizes[class], table.class(class));
            prop_assert!(size >= case.k);
            for (value, (num, den)) in &case.theta {
                let tracked = microdata.table.tracked.iter().find(|column| column.name == "s").expect("s");
                let Some(at) = tracked.values.iter().position(|known| known == value) else { continue };
                let mut count = 0;
                counts.counts.for_each(&tracked.slots, |place, own| count += if place as usize == at { own } else { 0 });
                prop_assert!(count * den <= num * size, "{value}");
            }
        }
        let mut cost = ratio(0, 1);
        for record in 0..microdata.summary.len() {
            let total = microdata.summary.count(record);
            let cells = |solution: &Solution| -> Option<Vec<String>> {
                let (class, _) = solution.recoding.destinations(record, total).next()?;
                let cells = solution.recoding.cells(class as usize).iter().zip(&solution.recoding.columns);
                Some(cells.map(|(cell, column)| column.cells[*cell as usize].label.clone()).collect())
            };
            let (Some(own), Some(finest)) = (cells(&solution), cells(&best)) else {
                cost += ratio(2 * case.trees.len() as u64 * total, 1);
                continue;
            };
            let mut steps = 0;
            for (column, (own, finest)) in own.iter().zip(&finest).enumerate() {
                let taxonomy = &microdata.quasi[column].taxonomy;
                let node = |label: &String| taxonomy.find(label).expect("a node");
                prop_assert!(taxonomy.contains(node(own), node(finest)));
                steps += usize::from(own != finest);
                cost += case.plain_loss(column, own) * ratio(total, 1);
            }
            prop_assert!(steps <= 1);
            let at_roots = finest.iter().zip(&microdata.quasi);
            let at_roots = at_roots.filter(|(label, quasi)| quasi.taxonomy.label(quasi.taxonomy.root()) == **label).count();
            prop_assert!(p != "1" || steps == 1 || at_roots == case.trees.len());
        }
        if case.metric == "LM" {
            prop_assert_eq!(exact(&solution), cost);
        }
    }

    #[test]
    fn with_weights_the_optimum_is_that_of_brute_force(case in any_weighted_case()) {
        let (_folder, policy, microdata) = read(&case, "");
        let best = case.cuts().iter().filter_map(|cut| case.cost(cut)).min();
        match (best, crate::run(&policy, &microdata, &Clock::unlimited())) {
            (None, Err(error)) => prop_assert_eq!(error.kind(), privet_core::ErrorKind::Infeasible),
            (Some(best), Ok(solution)) => {
                prop_assert_eq!(exact(&solution), best);
                prop_assert!(solution.search.optimal);
                prop_assert_eq!(case.cost(&published(&case, &solution)), Some(best));
            }
            (best, solution) => prop_assert!(false, "{best:?} but {solution:?}"),
        }
    }

    #[test]
    fn an_approximate_answer_is_within_its_promise(case in any_case()) {
        let (_folder, policy, microdata) = read(&case, "approximation = 0.5\n");
        let best = case.cuts().iter().filter_map(|cut| case.cost(cut)).min();
        if let (Some(best), Ok(solution)) = (best, crate::run(&policy, &microdata, &Clock::unlimited())) {
            prop_assert!(exact(&solution) <= best * ratio(3, 2));
            prop_assert!(solution.search.bound.expect("a bound") <= as_f64(&best) + 1e-9);
        }
    }

    #[test]
    fn the_top_cuts_are_the_cheapest_releases(case in any_case()) {
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let limits = privet_engine::cut::Limits { top: 4, approximation: None };
        let found = privet_engine::cut::search(&problem, Vec::new(), &limits, &Clock::unlimited()).expect("found");
        let mut costs: Vec<Amount> = all_cuts(&problem.forest).iter().map(|cut| cost(&problem, cut)).filter(|cost| *cost < FORBIDDEN).collect();
        costs.sort_unstable();
        costs.truncate(4);
        prop_assert_eq!(found.best.iter().map(|(cost, _)| *cost).collect::<Vec<_>>(), costs);
    }

    #[test]
    fn no_bound_is_above_a_cut_it_speaks_of(
        case in any_case(),
        choices in prop::collection::vec((0usize..8, 0u32..16, any::<bool>()), 0..6),
    ) {
        let (_folder, policy, microdata) = read(&case, "");
        let problem = build(&policy, &microdata);
        let forest = problem.forest();
        let mut interval = Interval::everything(forest);
        for (tree, node, open) in choices {
            let tree = tree % forest.trees.len();
            let places = interval.places(forest, tree);
            let free: Vec<u32> = (0..places.len() as u32).filter(|node| places[*node as usize] == Place::Between).collect();
            if free.is_empty() {
                continue;
            }
            let node = free[node as usize % free.len()];
            if open { interval.open(forest, tree, node) } else { interval.lock(tree, node) }
        }
        let inside: Vec<Cut> = all_cuts(&problem.forest).into_iter().filter(|cut| holds(&problem, &interval, cut)).collect();
        for effort in [Effort::Quick, Effort::Thorough] {
            let bounds = problem.bounds(&interval, None, effort, FORBIDDEN);
            for cut in &inside {
                let cost = cost(&problem, cut);
                prop_assert!(bounds.least <= cost, "{} > {cost} at {cut:?}", bounds.least);
                for (tree, nodes) in cut.0.iter().enumerate() {
                    let places = interval.places(forest, tree);
                    let cover = forest.trees[tree].cover(nodes);
                    for node in (0..places.len()).filter(|node| places[*node] == Place::Between) {
                        let opened = cover[node] == u32::MAX;
                        let bound = if opened { bounds.open[tree][node] } else { bounds.lock[tree][node] };
                        prop_assert!(bound <= cost, "{bound} > {cost} at {cut:?}, node {node} of {tree}");
                    }
                }
            }
            for (cut, known) in &bounds.candidates {
                prop_assert_eq!(*known, cost(&problem, cut));
            }
        }
    }
}

fn as_f64(ratio: &Ratio) -> f64 {
    *ratio.numer() as f64 / *ratio.denom() as f64
}

fn cost(problem: &LPlusProblem, cut: &Cut) -> Amount {
    problem.fine.cost_of(&problem.rules, &problem.forest, cut)
}

/// Whether a cut lies in an interval.
fn holds(problem: &LPlusProblem, interval: &Interval, cut: &Cut) -> bool {
    cut.0.iter().enumerate().all(|(tree, nodes)| {
        let places = interval.places(&problem.forest, tree);
        let cover = problem.forest.trees[tree].cover(nodes);
        (0..places.len()).all(|node| match places[node] {
            Place::Above => cover[node] == u32::MAX,
            Place::Between => true,
            Place::Floor => cover[node] != u32::MAX,
            Place::Below => true,
        })
    })
}

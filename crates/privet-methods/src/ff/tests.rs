//! Both methods against brute force over all cuts, and in a whole run including its audit.

use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::problem::FfProblem;
use super::{optimum, run};
use crate::recoding::Recoding;
use crate::tests::on_threads;
use privet::release::{RunOptions, anonymize};
use privet_core::Exact;
use privet_core::clock::Clock;
use privet_core::testing::cases as config;
use privet_engine::cut::{Cut, Tree};
use privet_engine::microdata::Microdata;
use privet_engine::privacy::naive::ratio;
use privet_engine::testing::all_cuts;
use privet_engine::testing::freeform::{Case, cases};
use privet_policy::{CheckedPolicy, ColumnWeights, Policy};
use privet_taxonomy::NodeId;

struct Prepared {
    policy: CheckedPolicy,
    microdata: Microdata,
    folder: tempfile::TempDir,
}

fn prepare(case: &Case, method: &str) -> Prepared {
    prepare_with(case, method, 1)
}

fn prepare_with(case: &Case, method: &str, k: u64) -> Prepared {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = case.write(folder.path(), method, k);
    let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("a table");
    Prepared { policy, microdata, folder }
}

/// The published values of each row under a cut.
fn shown(case: &Case, trees: &[Tree], cut: &Cut) -> Vec<Vec<NodeId>> {
    let in_cut =
        |at: usize, node: NodeId| cut.0[at].iter().any(|shown| trees[at].taxonomy_node(*shown) == node);
    case.shown(|at, node| !in_cut(at, node))
}

/// The size of the smallest class, counted one by one as in the definition.
fn smallest_class(shown: &[Vec<NodeId>]) -> usize {
    let alike = |row: &Vec<NodeId>| shown.iter().filter(|other| *other == row).count();
    shown.iter().map(alike).min().unwrap_or(0)
}

/// The published nodes of a column.
fn released(recoding: &Recoding, at: usize) -> Vec<NodeId> {
    recoding.columns[at].cells.iter().filter_map(|cell| cell.node).collect()
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn the_optimum_is_the_best_of_all_cuts(case in cases(3, 10)) {
        let Prepared { policy, microdata, .. } = prepare(&case, "ff-optimal");
        let problem = FfProblem::new(&policy, &microdata).expect("a problem");
        prop_assume!(all_cuts(&problem.forest).len() < 3000);
        let costs = all_cuts(&problem.forest).into_iter().filter_map(|cut| {
            let valid = case.breaches(&shown(&case, &problem.forest.trees, &cut)).is_empty();
            valid.then(|| problem.cost(&cut))
        });
        let least = costs.min().expect("the roots are a solution");
        let clock = Clock::unlimited();
        let find = |threads: usize| on_threads(threads, || optimum(&problem, &microdata, &clock)).expect("a cut");
        let (cut, cost, found) = find(1);
        prop_assert_eq!(cost, least);
        prop_assert_eq!(found.bound, least);
        prop_assert!(case.breaches(&shown(&case, &problem.forest.trees, &cut)).is_empty());
        prop_assert_eq!(find(4).0, cut);
        let solution = crate::run(&policy, &microdata, &clock).expect("a solution");
        prop_assert!(solution.search.optimal);
    }

    /// The cost as the definition has it: record by record, with the weight of its value.
    #[test]
    fn with_weights_the_optimum_is_the_best_of_all_cuts(
        case in cases(3, 10),
        columns in prop::collection::vec(1u64..400, 3),
        values in prop::collection::vec(1u64..400, 8),
    ) {
        let Prepared { mut policy, microdata, folder: _folder } = prepare(&case, "ff-optimal");
        let hundredths = |parts: u64| Exact::new(parts, 100).expect("a weight");
        for (at, quasi) in microdata.quasi.iter().enumerate() {
            let taxonomy = &quasi.taxonomy;
            let weighed = (0..taxonomy.leaves()).zip(&values).map(|(leaf, weight)| {
                (taxonomy.label(taxonomy.leaf(leaf)).to_string(), hundredths(*weight))
            });
            policy.columns[quasi.index].weights = ColumnWeights {
                column: hundredths(columns[at % columns.len()]),
                values: weighed.collect(),
                levels: Vec::new(),
            };
        }
        let problem = FfProblem::new(&policy, &microdata).expect("a problem");
        let cuts = all_cuts(&problem.forest);
        prop_assume!(cuts.len() < 3000);
        let price = |cut: &Cut| {
            let rows = shown(&case, &problem.forest.trees, cut);
            let mut sum = ratio(0, 1);
            for (row, cells) in case.rows.iter().zip(&rows) {
                for (at, node) in cells.iter().enumerate() {
                    let taxonomy = &case.columns[at].taxonomy;
                    let weights = &policy.columns[microdata.quasi[at].index].weights;
                    let own = weights.values.get(taxonomy.label(taxonomy.leaf(row[at]))).copied().unwrap_or(Exact::ONE);
                    let exact = |number: Exact| ratio(number.numerator(), number.denominator());
                    let covered = taxonomy.leaves_below(*node).len() as u64 - 1;
                    let all = (taxonomy.leaves() as u64 - 1).max(1);
                    sum += exact(weights.column) * exact(own) * ratio(covered, all);
                }
            }
            sum
        };
        let valid = cuts.iter().filter(|cut| case.breaches(&shown(&case, &problem.forest.trees, cut)).is_empty());
        let least = valid.map(price).min().expect("the roots are a solution");
        let (cut, _, _) = optimum(&problem, &microdata, &Clock::unlimited()).expect("a cut");
        prop_assert_eq!(price(&cut), least);
        let solution = crate::run(&policy, &microdata, &Clock::unlimited()).expect("a solution");
        let cost = solution.cost.expect("a weighted cost");
        let least = *least.numer() as f64 / *least.denom() as f64;
        prop_assert!(solution.search.optimal);
        prop_assert!((cost.value - least).abs() < 1e-9 * least.max(1.0), "{} {}", cost.value, least);
    }

    #[test]
    fn nothing_of_a_minimal_release_can_be_specialised(case in cases(4, 12)) {
        let Prepared { policy, microdata, .. } = prepare(&case, "ff");
        let solution = run(&policy, &microdata, &Clock::unlimited()).expect("a solution");
        let cuts: Vec<Vec<NodeId>> =
            (0..case.columns.len()).map(|at| released(&solution.recoding, at)).collect();
        let show = |opened: Option<(usize, NodeId)>| {
            case.shown(|at, node| opened == Some((at, node)) || !cuts[at].contains(&node))
        };
        prop_assert!(case.breaches(&show(None)).is_empty());
        for (at, cut) in cuts.iter().enumerate() {
            for node in cut.iter().filter(|node| !case.columns[at].taxonomy.is_leaf(**node)) {
                prop_assert!(!case.breaches(&show(Some((at, *node)))).is_empty(), "{at} {node:?} can be opened");
            }
        }
    }

    #[test]
    fn with_k_the_optimum_is_the_best_of_all_cuts_without_small_classes(case in cases(3, 12), k in 2u64..5) {
        prop_assume!(case.rows.len() as u64 >= k);
        let Prepared { policy, microdata, folder } = prepare_with(&case, "ff-optimal", k);
        let problem = FfProblem::new(&policy, &microdata).expect("a problem");
        let cuts = all_cuts(&problem.forest);
        prop_assume!(cuts.len() < 2000);
        let is_valid = |cut: &Cut| {
            let shown = shown(&case, &problem.forest.trees, cut);
            smallest_class(&shown) as u64 >= k && case.breaches(&shown).is_empty()
        };
        let least = cuts.iter().filter(|cut| is_valid(cut)).map(|cut| problem.cost(cut)).min();
        let (cut, cost, found) = optimum(&problem, &microdata, &Clock::unlimited()).expect("a cut");
        prop_assert_eq!((Some(cost), Some(found.bound)), (least, least));
        prop_assert!(is_valid(&cut));
        let options = RunOptions::to(folder.path().join("release"));
        let published = anonymize(policy, &options, &Clock::unlimited()).expect("a release");
        prop_assert!(published.audit.passed);
        prop_assert!(published.audit.checks.iter().any(|check| check.name.contains("k-anonymity")));
        prop_assert!(!published.warnings.iter().any(|warning| warning.contains("class of one")));
    }

    #[test]
    fn with_k_nothing_of_a_minimal_release_can_be_specialised(case in cases(4, 12), k in 2u64..5) {
        prop_assume!(case.rows.len() as u64 >= k);
        let Prepared { policy, microdata, .. } = prepare_with(&case, "ff", k);
        let solution = run(&policy, &microdata, &Clock::unlimited()).expect("a solution");
        let cuts: Vec<Vec<NodeId>> =
            (0..case.columns.len()).map(|at| released(&solution.recoding, at)).collect();
        let is_valid = |opened: Option<(usize, NodeId)>| {
            let shown = case.shown(|at, node| opened == Some((at, node)) || !cuts[at].contains(&node));
            smallest_class(&shown) as u64 >= k && case.breaches(&shown).is_empty()
        };
        prop_assert!(is_valid(None));
        for (at, cut) in cuts.iter().enumerate() {
            for node in cut.iter().filter(|node| !case.columns[at].taxonomy.is_leaf(**node)) {
                prop_assert!(!is_valid(Some((at, *node))), "{at} {node:?} can be opened");
            }
        }
    }

    /// The audit reports a class that is too small, whatever produced the table.
    #[test]
    fn the_audit_tells_small_classes(case in cases(3, 10), k in 2u64..4) {
        let Prepared { policy, folder: _folder, .. } = prepare_with(&case, "ff", k);
        let source = policy.source.clone();
        let raw = privet_audit::audit_table(&policy, &source, &privet_audit::AuditOptions::foreign()).expect("an audit");
        let holds = smallest_class(&case.shown(|_, _| true)) as u64 >= k;
        let check = raw.checks.iter().find(|check| check.name.contains("k-anonymity")).expect("a check");
        prop_assert_eq!(check.holds, holds);
    }

    #[test]
    fn every_release_passes_its_audit_and_every_breached_table_fails(case in cases(3, 10)) {
        let Prepared { policy, folder, .. } = prepare(&case, "ff");
        let source = policy.source.clone();
        let raw = privet_audit::audit_table(&policy, &source, &privet_audit::AuditOptions::foreign()).expect("an audit");
        let breached = !case.breaches(&case.shown(|_, _| true)).is_empty();
        prop_assert_eq!(raw.passed, !breached);
        let options = RunOptions::to(folder.path().join("release"));
        let published = anonymize(policy, &options, &Clock::unlimited()).expect("a release");
        prop_assert!(published.audit.passed);
    }
}

#[test]
fn a_class_column_decides_what_is_specialised_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    for column in ["a", "b", "c"] {
        write(&format!("{column}.csv"), &format!("{column}0;any\n{column}1;any\n"));
    }
    // c0 follows from a0 and b0 together, but from neither alone; the label equals c.
    write(
        "table.csv",
        "a,b,c,label\na0,b0,c0,0\na0,b0,c0,0\na0,b1,c1,1\na0,b1,c1,1\na1,b0,c1,1\na1,b0,c1,1\na1,b1,c0,0\na1,b1,c1,1\n",
    );
    let columns = |label: &str| {
        let mixed: String = ["a", "b", "c"]
            .map(|name| format!("[columns.{name}]\nrole = \"mixed\"\nhierarchy = \"{name}.csv\"\n"))
            .concat();
        let text = format!(
            "[data]\npath = \"table.csv\"\n{mixed}[columns.c.sensitivity]\nguard = [\"c0\"]\n\
             [columns.label]\nrole = \"{label}\"\n[privacy.ff-anonymity]\nthreat = 0.5\n"
        );
        let policy = Policy::parse(&folder.path().join("policy.toml"), text);
        let policy = policy.and_then(|policy| policy.check(None)).expect("a policy");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("a table");
        let solution = run(&policy, &microdata, &Clock::unlimited()).expect("a solution");
        (0..3).map(|at| solution.recoding.columns[at].cells.len()).collect::<Vec<_>>()
    };
    assert_eq!(columns("other"), [2, 2, 1], "by loss, the columns in their order");
    assert_eq!(columns("class"), [2, 1, 2], "by information, what tells the label first");
}

#[test]
fn fewer_records_than_k_have_no_release() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let case = cases(2, 3).new_tree(&mut runner).expect("a case").current();
    for method in ["ff", "ff-optimal"] {
        let Prepared { policy, folder, .. } = prepare_with(&case, method, 5);
        let options = RunOptions::to(folder.path().join("release"));
        let error = anonymize(policy, &options, &Clock::unlimited()).expect_err("too few");
        assert_eq!(error.kind(), privet_core::ErrorKind::Infeasible, "{error}");
        assert!(error.to_string().contains("k is 5"), "{error}");
    }
}

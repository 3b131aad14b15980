//! Properties that hold for any data.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::tests::on_threads;
use privet_core::ErrorKind;
use privet_core::testing::cases;
use privet_engine::matching::{Aim, Matcher};

const GOODS: [&str; 8] = ["Wine", "Vino", "Raw-milk", "Homo-milk", "Jackets", "Pants", "Boots", "Shoes"];

fn any_bags(most: usize) -> impl Strategy<Value = Vec<Vec<String>>> {
    let word = select(GOODS.to_vec()).prop_map(String::from);
    prop::collection::vec(prop::collection::vec(word, 0..6), 4..most)
}

/// Gives a word to empty bags, except for `most` of them.
fn fill(bags: &mut [Vec<String>], most: usize) {
    let empty = bags.iter_mut().filter(|bag| bag.is_empty());
    empty.skip(most).for_each(|bag| bag.push(GOODS[0].to_string()));
}

/// Bags with users, a distance, k and settings of the method.
fn any_case(most: usize) -> impl Strategy<Value = SsgCase> {
    any_case_of(any_bags(most), false)
}

/// The same with these bags; on request fewer than k of them are empty.
fn any_case_of(
    bags: impl Strategy<Value = Vec<Vec<String>>>,
    few_are_empty: bool,
) -> impl Strategy<Value = SsgCase> {
    let settings = (any::<bool>(), any::<bool>(), prop::option::weighted(0.2, (0u64..9, 1u64..4)));
    let numbers = (select(vec![0u32, 2, 4, 6]), 1u32..5);
    (bags, prop::option::of(1usize..7), numbers, settings).prop_map(
        move |(mut bags, users, (epsilon, k), (greedy, uniform, omega))| {
            let users: Option<Vec<String>> =
                users.map(|users| (0..bags.len()).map(|at| (at * at % (users + 3)).to_string()).collect());
            if few_are_empty {
                let people =
                    users.as_ref().map_or(bags.len(), |users| users.iter().collect::<HashSet<_>>().len());
                fill(&mut bags, people.min(k as usize) - 1);
            }
            let mut case = SsgCase::new(goods(), &bags, users.as_deref(), epsilon, k);
            case.demand.k = k.min(case.bags.users().unwrap_or(u32::MAX));
            case.omega = omega.and_then(|(parts, unit)| Exact::new(parts, unit));
            case.with(|own| own.matching = if greedy { Matching::Greedy } else { Matching::Exact })
                .with(|own| own.penalty = if uniform { Penalty::Uniform } else { Penalty::Occurrence })
        },
    )
}

fn check(case: &SsgCase, solution: &BagSolution) {
    let members = solution.clusters.iter().flat_map(|cluster| &cluster.members);
    let mut all: Vec<u32> = members.chain(&solution.withheld).copied().collect();
    all.sort_unstable();
    assert_eq!(all, (0..case.bags.len() as u32).collect::<Vec<_>>(), "every bag once");
    for cluster in &solution.clusters {
        let mut people: Vec<u32> =
            cluster.members.iter().map(|bag| case.bags.user(*bag as usize).unwrap_or(*bag)).collect();
        people.sort_unstable();
        people.dedup();
        let count = if case.demand.distinct_users { people.len() } else { cluster.members.len() };
        assert!(count >= case.demand.k as usize, "{cluster:?}");
        for bag in &cluster.members {
            let bag = case.bags.bag(*bag as usize);
            let near = |shown: usize, term: usize| match &cluster.shown[shown].print {
                Print::Term(print) => {
                    case.distances.of(*print, bag[term]).filter(|far| *far <= case.epsilon).map(u64::from)
                }
                Print::Bag(terms) => terms.contains(&bag[term]).then_some(0),
                Print::General(node) => {
                    let place = case.distances.place(bag[term]).expect("a place");
                    case.distances.tree().expect("a tree").contains(*node, place).then_some(0)
                }
            };
            let found = Matcher::default().exact(cluster.shown.len(), bag.len(), Aim::MostPairs, near);
            assert_eq!(found.matched, cluster.shown.len(), "{cluster:?} prints what {bag:?} does not hold");
        }
    }
}

/// Twins cost nothing, but with omega = 0 neither does suppression: ties go to the smallest rows, as in the quadratic
/// algorithm.
#[test]
fn twins_do_not_win_ties_where_suppressing_is_free() {
    let bags: Vec<Vec<String>> = ["Shoes", "Wine", "Shoes", "Wine"].map(|word| vec![word.to_string()]).into();
    let mut case = SsgCase::new(goods(), &bags, None, 0, 2);
    case.omega = Some(Exact::whole(0));
    let found: Vec<Vec<u32>> = case.run().clusters.iter().map(|cluster| cluster.members.clone()).collect();
    assert_eq!(found, [[0, 1], [2, 3]]);
}

/// What is left over goes to the first cluster if suppression is free, even if another one has less to lose.
#[test]
fn left_over_rows_join_the_first_cluster_where_suppressing_is_free() {
    let bags: Vec<Vec<String>> =
        ["Wine", "Wine", "Shoes", "Boots", "Pants"].map(|word| vec![word.to_string()]).into();
    let mut case = SsgCase::new(goods(), &bags, None, 0, 2);
    case.omega = Some(Exact::whole(0));
    let found: Vec<Vec<u32>> = case.run().clusters.iter().map(|cluster| cluster.members.clone()).collect();
    assert_eq!(found, [vec![0, 1, 4], vec![2, 3]]);
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn small_inputs_are_clustered_as_by_the_quadratic_algorithm(case in any_case_of(any_bags(24), true)) {
        let solution = case.run();
        let found: Vec<Vec<u32>> = solution.clusters.iter().map(|cluster| cluster.members.clone()).collect();
        let wanted: Vec<Vec<u32>> = reference::clusters(&case).into_iter().map(|cluster| cluster.0).collect();
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn promises_hold(
        case in any_case(40),
        effort in select(vec![SearchEffort::Reference, SearchEffort::Full, SearchEffort::Limited]),
        centre in select(Centre::ALL),
        withhold in any::<bool>(),
    ) {
        let case = case.with(|own| (own.centre, own.withhold) = (centre, withhold));
        let case = case.with(|own| (own.visits, own.pool, own.slack) = (9, 3, 1));
        let solution = case.run_with(effort);
        check(&case, &solution);
        prop_assert!(withhold || solution.withheld.is_empty());
    }

    #[test]
    fn threads_change_nothing(case in any_case(60), effort in select(vec![SearchEffort::Full, SearchEffort::Limited])) {
        let run = |threads| on_threads(threads, || case.run_with(effort));
        let one = run(1);
        for threads in [2, 4] {
            let other = run(threads);
            prop_assert_eq!(&one.clusters, &other.clusters);
            prop_assert_eq!(&one.withheld, &other.withheld);
            prop_assert_eq!(&one.counters, &other.counters);
        }
    }

    /// The left-over terms of a cluster are published as their common ancestor, and never instead of something else.
    #[test]
    fn a_residual_only_adds(case in any_case(30), reach in select(vec![2u64, 4, 6, 100])) {
        let plain = case.run();
        let case = case.with(|own| own.residual = Residual::Within(reach));
        let more = case.run();
        prop_assert!(case.blm(&more.clusters) <= case.blm(&plain.clusters));
        for (plain, more) in plain.clusters.iter().zip(&more.clusters) {
            prop_assert_eq!(&plain.members, &more.members);
            prop_assert!(plain.shown.iter().all(|shown| more.shown.contains(shown)));
        }
        let loose = SsgCase { epsilon: 100, ..case };
        check(&loose, &more);
    }

    #[test]
    fn rare_terms_are_never_printed(
        case in any_case(30),
        floor in 2u32..12,
        centre in select(Centre::ALL),
    ) {
        let mut case = case.with(|own| own.centre = centre);
        case.demand.min_term_users = floor;
        let users = case.bags.term_users();
        for cluster in case.run().clusters {
            for shown in cluster.shown {
                let terms = match shown.print {
                    Print::Term(term) => vec![term],
                    Print::Bag(terms) => terms,
                    Print::General(node) => {
                        let tree = case.distances.tree().expect("a tree");
                        let below = |term: &u32| case.distances.place(*term).is_some_and(|place| tree.contains(node, place));
                        let mut people: Vec<u32> = (0..case.bags.len())
                            .filter(|bag| case.bags.bag(*bag).iter().any(below))
                            .map(|bag| case.bags.user(bag).unwrap_or(bag as u32))
                            .collect();
                        people.sort_unstable();
                        people.dedup();
                        prop_assert!(people.len() >= floor as usize);
                        continue;
                    }
                };
                prop_assert!(terms.iter().all(|term| users[*term as usize] >= floor));
            }
        }
    }
}

fn case(bags: &[&str], epsilon: u32, k: u32) -> SsgCase {
    SsgCase::new(goods(), &bags.iter().map(|bag| strings(bag)).collect::<Vec<_>>(), None, epsilon, k)
}

#[test]
fn one_is_a_crowd_of_one() {
    let case = case(&["Wine Wine Boots", "Vino", "Shoes Wine"], 4, 1);
    let solution = case.run();
    let mut found: Vec<Vec<String>> = solution.clusters.iter().map(|cluster| words(&case, cluster)).collect();
    found.sort();
    assert_eq!(found, [strings("Boots Wine Wine"), strings("Shoes Wine"), strings("Vino")]);
    assert_eq!((solution.warnings.len(), case.blm(&solution.clusters)), (1, Ratio::new(0, 1)));
}

#[test]
fn an_alien_vocabulary_is_withheld_where_that_costs_less() {
    let bags = ["Wine Wine Wine", "Wine Wine Wine", "Boots Boots Boots Boots"];
    let kept = case(&bags, 2, 2).run();
    assert_eq!((kept.clusters.len(), kept.clusters[0].shown.len(), kept.withheld.len()), (1, 0, 0));
    let case = case(&bags, 2, 2).with(|own| own.withhold = true);
    let solution = case.run();
    assert_eq!((solution.clusters[0].shown.len(), solution.withheld), (3, vec![2]));
}

#[test]
fn isolated_seeds_are_published_together() {
    let mut bags = vec!["Wine"; 4];
    bags.extend(["Boots", "Pants", "Raw-milk Raw-milk", "Vino", "Vino"]);
    let case = case(&bags, 0, 2);
    let solution = case.run_with(SearchEffort::Full);
    let empty: Vec<&Cluster> = solution.clusters.iter().filter(|cluster| cluster.shown.is_empty()).collect();
    assert_eq!((empty.len(), &empty[0].members), (1, &vec![4, 5, 6]));
    assert_eq!(case.blm(&solution.clusters), Ratio::new(4, 10));
    check(&case, &solution);
}

#[test]
fn a_vote_needs_voters() {
    let case = case(&["Wine Boots", "Vino Boots"], 2, 2).with(|own| own.min_vote = 2);
    assert_eq!(words(&case, &case.run().clusters[0]), ["Boots", "Alcohol"]);
}

#[test]
fn giant_bags_stay_affordable() {
    let mut bags: Vec<Vec<String>> = (0..40).map(|at| vec![GOODS[at % 8].to_string(); 500 + at]).collect();
    bags.push(GOODS.iter().cycle().take(20_000).map(|word| word.to_string()).collect());
    bags.extend((0..60).map(|at| vec![GOODS[at % 8].to_string(); 1 + at % 3]));
    for matching in Matching::ALL.iter().copied() {
        let case = SsgCase::new(goods(), &bags, None, 2, 3).with(|own| own.matching = matching);
        for effort in [SearchEffort::Reference, SearchEffort::Limited] {
            let solution = case.run_with(effort);
            let members: usize = solution.clusters.iter().map(|cluster| cluster.members.len()).sum();
            assert_eq!(members, bags.len());
        }
    }
}

/// A log in which one person has nearly all vocabularies, many of them equal: those that cannot be clustered with
/// others join last.
#[test]
fn one_person_with_most_vocabularies_is_no_trouble() {
    let pair = |at: usize| vec![GOODS[at % 8].to_string(), GOODS[at / 8 % 7].to_string()];
    let (mine, others) = (40_000, 120);
    let bags: Vec<Vec<String>> = (0..mine + others).map(pair).collect();
    let user = |at: usize| if at < mine { 0 } else { 1 + at % 30 };
    let users: Vec<String> = (0..bags.len()).map(|at| user(at).to_string()).collect();
    for (epsilon, residual) in [(0, false), (2, true)] {
        let mut case = SsgCase::new(goods(), &bags, Some(&users), epsilon, 3);
        if residual {
            case = case.with(|own| own.residual = Residual::Within(4));
        }
        let solution = case.run();
        let spare = solution.warnings.iter().find(|said| said.contains("far more")).expect("a warning");
        assert!(spare.starts_with("39880 "), "{spare}");
        // With a residual, the common ancestors of members' words are higher.
        let case = if residual { SsgCase { epsilon: 4, ..case } } else { case };
        check(&case, &solution);
        assert!(solution.clusters.iter().any(|cluster| !cluster.shown.is_empty()));
    }
}

#[test]
fn an_interrupted_run_ends() {
    let clock = Clock::unlimited();
    clock.interrupt();
    let error = run(&case(&["Wine", "Vino"], 2, 2).task(), &Ssg::default(), &clock).expect_err("interrupted");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

//! Matchings against brute force.

use proptest::prelude::*;

use super::counted::{self, Edge};
use super::value::{NO_EDGE, glance, most_pairs};
use super::*;

type Graph = Vec<Vec<Option<Weight>>>;

fn any_graph() -> impl Strategy<Value = (usize, usize, Graph)> {
    (0usize..6, 0usize..6).prop_flat_map(|(left, right)| {
        let edge = prop::option::weighted(0.6, 0u64..9);
        let graph = prop::collection::vec(prop::collection::vec(edge, right), left);
        (Just(left), Just(right), graph)
    })
}

fn any_aim() -> impl Strategy<Value = Aim> {
    prop_oneof![Just(Aim::MostPairs), (0u64..12).prop_map(Aim::Worth)]
}

/// All matchings, one left thing after the other.
fn brute_force(graph: &Graph, right: usize, aim: Aim) -> Match {
    fn go(graph: &Graph, at: usize, free: &mut [bool], so_far: Match, better: &mut impl FnMut(Match)) {
        if at == graph.len() {
            return better(so_far);
        }
        go(graph, at + 1, free, so_far, better);
        for other in 0..free.len() {
            if let Some(weight) = graph[at][other].filter(|_| free[other]) {
                free[other] = false;
                let more = Match { matched: so_far.matched + 1, weight: so_far.weight + weight };
                go(graph, at + 1, free, more, better);
                free[other] = true;
            }
        }
    }
    let mut best: Option<Match> = None;
    go(graph, 0, &mut vec![true; right], Match::default(), &mut |found| {
        if best.is_none_or(|best| value(found, aim) < value(best, aim)) {
            best = Some(found);
        }
    });
    best.expect("the empty matching")
}

/// What is to be least.
fn value(found: Match, aim: Aim) -> (i64, i64) {
    let (pairs, weight) = (found.matched as i64, found.weight as i64);
    match aim {
        Aim::MostPairs => (-pairs, weight),
        Aim::Worth(worth) => (weight - worth as i64 * pairs, -pairs),
    }
}

fn check_pairs(matcher: &Matcher, graph: &Graph, found: Match) {
    let weight =
        matcher.pairs().iter().map(|(one, other)| graph[*one as usize][*other as usize].expect("an edge"));
    assert_eq!((matcher.pairs().len(), weight.sum::<u64>()), (found.matched, found.weight));
    let mut ones: Vec<u32> = matcher.pairs().iter().map(|pair| pair.0).collect();
    let mut others: Vec<u32> = matcher.pairs().iter().map(|pair| pair.1).collect();
    others.sort_unstable();
    ones.dedup();
    others.dedup();
    assert_eq!((ones.len(), others.len()), (found.matched, found.matched));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_is_best((left, right, graph) in any_graph(), aim in any_aim()) {
        let mut matcher = Matcher::default();
        let found = matcher.exact(left, right, aim, |one, other| graph[one][other]);
        prop_assert_eq!(value(found, aim), value(brute_force(&graph, right, aim), aim));
        check_pairs(&matcher, &graph, found);
    }

    /// A glance tells a bound, and often the value itself; a longer look the value.
    #[test]
    fn values_are_those_of_matchings((_, right, graph) in any_graph()) {
        let rows: Vec<Vec<Weight>> =
            graph.iter().map(|row| row.iter().map(|edge| edge.unwrap_or(NO_EDGE)).collect()).collect();
        let rows = || rows.iter().map(Vec::as_slice);
        let best = brute_force(&graph, right, Aim::MostPairs);
        prop_assert_eq!(most_pairs(rows()), Some(best));
        let seen = glance(rows());
        prop_assert!(value(seen.bound, Aim::MostPairs) <= value(best, Aim::MostPairs));
        prop_assert!(!seen.is_met || seen.bound == best);
        prop_assert_eq!(most_pairs(rows().chain(vec![&[][..]; 7])), None);
    }

    #[test]
    fn greedy_never_beats_exact((left, right, graph) in any_graph(), aim in any_aim()) {
        let mut matcher = Matcher::default();
        let best = matcher.exact(left, right, aim, |one, other| graph[one][other]);
        let found = matcher.greedy(left, right, aim, |one, other| graph[one][other]);
        check_pairs(&matcher, &graph, found);
        prop_assert!(value(found, aim) >= value(best, aim));
        if aim == Aim::MostPairs {
            prop_assert!(2 * found.matched >= best.matched);
        }
    }

    /// Counted things give what the same things one by one give.
    #[test]
    fn counted_is_plain(
        (_, _, graph) in any_graph(),
        counts in prop::collection::vec(1u32..4, 12),
        aim in any_aim(),
    ) {
        let rights = graph.first().map_or(0, Vec::len);
        let (left, right) = (&counts[..graph.len()], &counts[6..6 + rights]);
        let edges: Vec<Edge> = (0..graph.len())
            .flat_map(|one| (0..rights).map(move |other| (one, other)))
            .filter_map(|(one, other)| Some((one as u32, other as u32, graph[one][other]?)))
            .collect();
        let spread = |counts: &[u32]| -> Vec<usize> {
            counts.iter().enumerate().flat_map(|(kind, count)| vec![kind; *count as usize]).collect()
        };
        let (ones, others) = (spread(left), spread(right));
        let weight = |one: usize, other: usize| graph[ones[one]][others[other]];
        let mut matcher = Matcher::default();
        let plain = matcher.exact(ones.len(), others.len(), aim, weight);
        let (found, flows) = counted::exact(left, right, &edges, aim);
        prop_assert_eq!(found, plain);
        check_flows(left, right, &graph, &flows, found);
        let plain = matcher.greedy(ones.len(), others.len(), aim, weight);
        let (found, flows) = counted::greedy(left, right, &edges, aim);
        prop_assert_eq!(found, plain);
        check_flows(left, right, &graph, &flows, found);
    }
}

fn check_flows(left: &[u32], right: &[u32], graph: &Graph, flows: &[counted::Flow], found: Match) {
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    let mut total = Match::default();
    for (one, other, flow) in flows {
        left[*one as usize] -= flow;
        right[*other as usize] -= flow;
        total.matched += *flow as usize;
        total.weight += graph[*one as usize][*other as usize].expect("an edge") * u64::from(*flow);
    }
    assert_eq!(total, found);
}

#[test]
fn omega_has_to_exceed_more_than_epsilon() {
    // p-x 4, q-x 0, q-y 4, r-y 0, r-z 4: only a large ω makes all three pairs.
    let graph: Graph =
        vec![vec![Some(4), None, None], vec![Some(0), Some(4), None], vec![None, Some(0), Some(4)]];
    let mut matcher = Matcher::default();
    let mut matched = |aim| matcher.exact(3, 3, aim, |one, other| graph[one][other]).matched;
    assert_eq!((matched(Aim::Worth(10)), matched(Aim::Worth(12)), matched(Aim::MostPairs)), (2, 3, 3));
}

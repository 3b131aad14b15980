//! The search on a problem that can be checked by hand: nodes have prices, and the bound knows only half of them.

use proptest::prelude::*;

use super::{
    Amount, Bounds, Cut, CutProblem, Effort, Forest, Interval, Limits, Place, Programme, Tree, WarmPart,
    search,
};
use crate::testing::all_cuts;
use privet_core::clock::Clock;
use privet_taxonomy::Taxonomy;

#[derive(Debug)]
struct Priced {
    forest: Forest,
    prices: Vec<Vec<Amount>>,
}

impl Priced {
    fn cost(&self, cut: &Cut) -> Amount {
        let trees = cut.0.iter().zip(&self.prices);
        trees.flat_map(|(nodes, prices)| nodes.iter().map(|node| prices[*node as usize])).sum()
    }
}

impl CutProblem for Priced {
    type Warmth = ();

    fn forest(&self) -> &Forest {
        &self.forest
    }

    fn bounds(&self, interval: &Interval, _: Option<&()>, _: Effort, _: Amount) -> Bounds<()> {
        let places: Vec<Vec<Place>> =
            (0..self.prices.len()).map(|tree| interval.places(&self.forest, tree)).collect();
        let half = |tree: usize, node: u32| self.prices[tree][node as usize].div_euclid(2);
        let solved: Vec<Programme> = (0..self.prices.len())
            .map(|tree| Programme::solve(&self.forest.trees[tree], &places[tree], |node| half(tree, node)))
            .collect();
        let least: Amount = solved.iter().map(Programme::least).sum();
        let (mut open, mut lock) = (Vec::new(), Vec::new());
        for (tree, programme) in solved.iter().enumerate() {
            let forced = programme.forced(&self.forest.trees[tree], &places[tree], |node| half(tree, node));
            let rest = least - programme.least();
            open.push(forced.open.iter().map(|amount| super::plus(rest, *amount)).collect());
            lock.push(forced.lock.iter().map(|amount| super::plus(rest, *amount)).collect());
        }
        let ends = [interval.top(&self.forest), interval.bottom(&self.forest)];
        let candidates = ends.into_iter().map(|cut| (cut.clone(), self.cost(&cut))).collect();
        Bounds { least, open, lock, candidates, warmth: () }
    }

    fn has_thorough(&self) -> bool {
        false
    }

    fn parts(&self, (): &()) -> Vec<WarmPart> {
        Vec::new()
    }
}

fn any_problem() -> impl Strategy<Value = Priced> {
    let tree = prop::collection::vec((0u8..2, 0u8..2), 1..5);
    let prices = prop::collection::vec(0..40 as Amount, 16);
    prop::collection::vec((tree, prices), 1..4).prop_map(|trees| {
        let (mut forest, mut all) = (Forest { trees: Vec::new() }, Vec::new());
        for (places, prices) in trees {
            let path = |(leaf, (group, part)): (usize, &(u8, u8))| {
                [
                    format!("leaf {leaf}"),
                    format!("part {group}.{part}"),
                    format!("group {group}"),
                    "*".to_string(),
                ]
                .to_vec()
            };
            let paths: Vec<Vec<String>> = places.iter().enumerate().map(path).collect();
            let tree = Tree::new(&Taxonomy::from_paths(&paths).expect("a tree"), |_| true);
            all.push(prices[..tree.len()].to_vec());
            forest.trees.push(tree);
        }
        Priced { forest, prices: all }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_best_cuts_are_found_whatever_the_number_of_threads(problem in any_problem(), top in 1usize..5) {
        let mut costs: Vec<Amount> = all_cuts(&problem.forest).iter().map(|cut| problem.cost(cut)).collect();
        costs.sort_unstable();
        costs.truncate(top);
        let limits = Limits { top, approximation: None };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| search(&problem, Vec::new(), &limits, &Clock::unlimited())).expect("found")
        };
        let (one, four) = (run(1), run(4));
        prop_assert_eq!(one.best.iter().map(|(cost, _)| *cost).collect::<Vec<_>>(), costs);
        prop_assert!(one.complete);
        prop_assert_eq!(one.bound, one.best[0].0);
        prop_assert_eq!(one.best, four.best);
        prop_assert_eq!((one.examined, one.intervals), (four.examined, four.intervals));
    }
}

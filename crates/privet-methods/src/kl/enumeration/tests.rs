//! Both phases against brute force, with every combination of switches.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;

use super::cuts::conflicts;
use super::*;
use crate::kl::recoding::ItemRecoding;
use crate::kl::tests::vectors::vectors;
use crate::kl::tests::{any_baskets, any_instance, any_privacy, oracle};
use privet_core::ErrorKind;
use privet_core::testing::cases;

fn all_prunings() -> impl Iterator<Item = Prunings> {
    (0..16).map(|bits| Prunings {
        global: bits & 1 > 0,
        local: bits & 2 > 0,
        generic: bits & 4 > 0,
        locked: bits & 8 > 0,
    })
}

fn all_cut_switches() -> impl Iterator<Item = CutSwitches> {
    (0..16).map(|bits| CutSwitches {
        by_cost: bits & 1 > 0,
        ordered: bits & 2 > 0,
        tightened: bits & 4 > 0,
        reduced: bits & 8 > 0,
    })
}

fn phase_one(baskets: &Baskets, requirements: &[KlPrivacy], prunings: Prunings) -> KnownThreats {
    let search =
        EnumerationSearch { baskets, measure: ItemMeasure::Ncp, prunings, clock: &Clock::unlimited() };
    let (known, complete) = search.threats(requirements, &search.items()).expect("threats");
    assert!(complete);
    known
}

/// The minimal threats, ascending.
fn threats(baskets: &Baskets, known: &KnownThreats) -> BTreeSet<Vec<Node>> {
    let ascending = |threat: &[Node]| threat.iter().rev().copied().collect();
    let all: BTreeSet<Vec<Node>> = known.threats().map(ascending).collect();
    let is_covered = |threat: &Vec<Node>| {
        all.iter().any(|other| other != threat && oracle::generalises(&baskets.tree, other, threat))
    };
    all.iter().filter(|threat| !is_covered(threat)).cloned().collect()
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn phase_one_finds_the_most_general_threats((baskets, privacy) in any_instance()) {
        let tree = &baskets.tree;
        let most_general = oracle::most_general_threats(&baskets, &privacy);
        let cuts = oracle::all_cuts(tree);
        for prunings in all_prunings() {
            let known = phase_one(&baskets, std::slice::from_ref(&privacy), prunings);
            if !prunings.locked {
                prop_assert_eq!(&threats(&baskets, &known), &most_general, "{:?}", prunings);
                if prunings == (Prunings { locked: false, ..Prunings::ALL }) && privacy.n == 0 {
                    prop_assert_eq!(known.threats().count(), most_general.len());
                }
            }
            let conflicts = conflicts(tree, &known);
            for cut in &cuts {
                let visible = oracle::visible(tree, cut);
                let is_specialised = |node: &Node| visible[*node as usize] && !cut.contains(node);
                let is_valid = !known.impossible
                    && conflicts.impossible().is_none()
                    && !conflicts.iter().any(|conflict| conflict.members.iter().all(is_specialised));
                let shown = |threat: &Vec<Node>| threat.iter().all(|node| visible[*node as usize]);
                prop_assert_eq!(is_valid, !most_general.iter().any(shown), "{:?} {:?}", prunings, cut);
            }
        }
    }

    #[test]
    fn phase_two_finds_the_optimum((baskets, privacy) in any_instance(), ncp in any::<bool>()) {
        let measure = if ncp { ItemMeasure::Ncp } else { ItemMeasure::Lm };
        let requirements = std::slice::from_ref(&privacy);
        let best = oracle::optimum(&baskets, requirements, measure);
        let techniques: Vec<CutSwitches> = all_cut_switches().collect();
        let each = solve_each(&baskets, requirements, measure, &techniques, None, &Clock::unlimited());
        for (at, cuts) in all_cut_switches().enumerate() {
            if let (Some((cost, _)), Ok(Some(each))) = (&best, &each) {
                prop_assert_eq!((each[at].cost, each[at].complete), (*cost, true));
            }
            for prunings in [Prunings::ALL, Prunings::NONE] {
                let switches = Switches { prunings, cuts };
                let found = solve(&baskets, requirements, measure, switches, &Clock::unlimited());
                match (&best, found) {
                    (None, Err(error)) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible),
                    (Some((cost, optima)), Ok(found)) => {
                        prop_assert_eq!((found.cost, found.bound, found.complete), (*cost, *cost, true));
                        prop_assert!(optima.contains(&found.cut), "{:?}", found);
                        let recoding = ItemRecoding::of_cut(&baskets.tree, &found.cut);
                        prop_assert_eq!(recoding.cost(measure, &baskets), *cost);
                    }
                    (best, found) => prop_assert!(false, "{best:?} {found:?}"),
                }
            }
        }
    }

    #[test]
    fn a_technique_never_adds_work((baskets, privacy) in any_instance()) {
        let requirements = std::slice::from_ref(&privacy);
        let work = |prunings: Prunings| {
            let known = phase_one(&baskets, requirements, prunings);
            (known.nodes, known.materialised, known.threats().count())
        };
        // With absences, a threat may be found after its specialisations, and one pruning may skip what another needs.
        if privacy.n == 0 {
            for prunings in all_prunings() {
                let more = [
                    Prunings { global: true, ..prunings },
                    Prunings { local: true, ..prunings },
                    Prunings { generic: true, ..prunings },
                    Prunings { locked: true, ..prunings },
                ];
                for more in more {
                    let (fewer, most) = (work(more), work(prunings));
                    prop_assert!(fewer.0 <= most.0 && fewer.1 <= most.1 && fewer.2 <= most.2, "{more:?} {fewer:?} > {prunings:?} {most:?}");
                }
            }
        }
        let cuts = |cuts: CutSwitches| {
            let switches = Switches { prunings: Prunings::ALL, cuts };
            let found = solve(&baskets, requirements, ItemMeasure::Ncp, switches, &Clock::unlimited());
            found.map_or(0, |found| found.facts.cuts)
        };
        // An order can be unlucky; the other techniques only prune.
        for switches in all_cut_switches() {
            let more = [
                CutSwitches { by_cost: true, ..switches },
                CutSwitches { tightened: true, ..switches },
            ];
            for more in more {
                prop_assert!(cuts(more) <= cuts(switches), "{more:?} {switches:?}");
            }
        }
    }

    #[test]
    fn validity_alone_visits_the_valid_cuts((baskets, privacy) in any_instance()) {
        let switches = Switches { prunings: Prunings::ALL, cuts: CutSwitches::NONE };
        let found =
            solve(&baskets, std::slice::from_ref(&privacy), ItemMeasure::Lm, switches, &Clock::unlimited());
        let valid = |cut: &oracle::NodeCut| oracle::is_valid(&baskets, &privacy, cut);
        let valid = oracle::all_cuts(&baskets.tree).into_iter().filter(valid).count();
        prop_assert_eq!(found.map_or(0, |found| found.facts.cuts), valid as u64);
    }

    #[test]
    fn several_requirements_hold_together(
        (baskets, both) in any_baskets().prop_flat_map(|baskets| {
            let marks = baskets.sensitive.len();
            (Just(baskets), [any_privacy(marks), any_privacy(marks)])
        }),
    ) {
        let best = oracle::optimum(&baskets, &both, ItemMeasure::Ncp);
        let found = solve(&baskets, &both, ItemMeasure::Ncp, Switches::ALL, &Clock::unlimited());
        prop_assert_eq!(found.ok().map(|found| found.cost), best.map(|(cost, _)| cost));
    }

    #[test]
    fn rounds_end_in_a_valid_cut((baskets, privacy) in any_instance()) {
        let requirements = std::slice::from_ref(&privacy);
        let best = oracle::optimum(&baskets, requirements, ItemMeasure::Lm);
        let found =
            solve_in_rounds(&baskets, requirements, ItemMeasure::Lm, Switches::ALL, &Clock::unlimited());
        prop_assert_eq!(found.is_ok(), best.is_some());
        if let (Ok(found), Some((cost, _))) = (found, best) {
            prop_assert!(oracle::is_valid(&baskets, &privacy, &found.cut));
            prop_assert!(found.cost >= cost);
            let one_round = privacy.m + privacy.n <= 1;
            prop_assert!(!one_round || found.cost == cost);
        }
    }

    #[test]
    fn without_time_the_roots_are_left((baskets, privacy) in any_instance()) {
        let clock = Clock::unlimited().with_limit(Some(Duration::ZERO));
        let requirements = std::slice::from_ref(&privacy);
        let roots: Vec<Node> = baskets.tree.roots().collect();
        let is_valid = oracle::is_valid(&baskets, &privacy, &roots);
        for run in [solve, solve_in_rounds] {
            match run(&baskets, requirements, ItemMeasure::Ncp, Switches::ALL, &clock) {
                Ok(found) => {
                    let best = oracle::optimum(&baskets, requirements, ItemMeasure::Ncp).expect("a cut");
                    prop_assert!(oracle::is_valid(&baskets, &privacy, &found.cut));
                    prop_assert!(found.bound <= best.0 && best.0 <= found.cost);
                }
                Err(_) => prop_assert!(!is_valid),
            }
        }
    }
}

#[test]
fn known_optima_are_found() {
    for vector in vectors() {
        let requirements = std::slice::from_ref(&vector.privacy);
        for measure in ItemMeasure::ALL {
            let found = solve(&vector.baskets, requirements, measure, Switches::ALL, &Clock::unlimited());
            let share = found.ok().map(|found| vector.share(found.cost, measure));
            assert_eq!(share, vector.optimum(measure), "{}", vector.name);
        }
        if let Some(share) = vector.share_of("mog_lm") {
            let found = solve_in_rounds(
                &vector.baskets,
                requirements,
                ItemMeasure::Lm,
                Switches::ALL,
                &Clock::unlimited(),
            );
            assert_eq!(vector.share(found.expect("a cut").cost, ItemMeasure::Lm), share, "{}", vector.name);
        }
    }
}

//! Match sets against their definition.

use proptest::prelude::*;

use super::Matcher;
use crate::testing::Stage;

#[test]
fn cells_contain_values_by_range_by_tree_and_by_star() {
    let original = "age,city,ill\n20,Oslo,flu\n31,Bergen,flu\n31,Rome,cold\n";
    let released = "age,city,ill\n20-29,Oslo,flu\n\"[30,40)\",Norway,*\n31,*,cold\n";
    let stage = Stage::new(original);
    stage.write("release.csv", released);
    stage.on("release.csv", |scene| {
        let view = scene.view().expect("a view");
        let matched: Vec<Vec<u32>> = (0..3).map(|target| view.quasi.matching(target)).collect();
        // Bergen at 31 may be the second row or the third; Rome at 31 is the third.
        assert_eq!(matched, [vec![0], vec![1, 2], vec![2]]);
        let third = view.original.in_file()[2] as usize;
        assert_eq!(view.person(third, &view.quasi.columns), "line 4: age=31, city=Rome");
        let spread = view.spread(2, &view.quasi);
        let likely = spread.likely(&[1, 2]);
        let named: Vec<(&str, f64)> =
            likely.iter().map(|(cell, p)| (view.columns[2].cells.text(*cell), *p)).collect();
        assert_eq!(named, [("*", 0.5), ("cold", 0.5)]);
    });
}

/// People of some ages, all in towns of Norway, and a release in decades.
fn decades(people: usize) -> Stage {
    let age = |person: usize| 20 + person * 7 % 60;
    let town = |person: usize| ["Oslo", "Bergen"][person % 2];
    let line = |person: usize| format!("{},{},flu\n", age(person), town(person));
    let stage = Stage::new(&format!("age,city,ill\n{}", (0..people).map(line).collect::<String>()));
    let line = |person: usize| format!("{0}0-{0}9,Norway,flu\n", age(person) / 10);
    stage.write("release.csv", format!("age,city,ill\n{}", (0..people).map(line).collect::<String>()));
    stage
}

#[test]
fn steps_decide_how_many_people_are_looked_at() {
    decades(3000).on("release.csv", |mut scene| {
        let matcher = |scene: &crate::Scene<'_>| {
            let view = scene.view().expect("a view");
            Matcher::new(&view.columns, &view.quasi.columns, &view.released, &view.original, scene.sample())
        };
        let free = matcher(&scene).expect("everybody");
        assert_eq!((free.people(), free.sampled), (3000, None));
        scene.limits.steps = Some(u64::MAX);
        let whole = matcher(&scene).expect("everybody");
        assert_eq!((whole.people(), whole.sampled), (3000, None));
        assert_eq!(whole.targets.of_row, free.targets.of_row);
        for target in 0..free.targets.len() {
            assert_eq!(whole.matching(target), free.matching(target));
        }
        scene.limits.steps = Some(30_000);
        let some = matcher(&scene).expect("a sample");
        assert!((30..3000).contains(&some.people()) && some.sampled == Some(3000), "{}", some.people());
        assert!(some.sampling().contains("of 3000 people was attacked"), "{}", some.sampling());
        // People in the sample have the same rows as without a limit, and the same sample is drawn again.
        let again = matcher(&scene).expect("a sample");
        assert_eq!(some.targets.of_row, again.targets.of_row);
        for row in 0..3000 {
            if let (Some(one), Some(other)) = (some.target_of(row), free.target_of(row)) {
                assert_eq!(some.matching(one), free.matching(other));
            }
        }
        // Where everybody has to be looked at, too few steps are a reason not to begin.
        scene.limits.steps = Some(3_000);
        let view = scene.view().expect("a view");
        let effort = scene.everybody();
        let refused =
            Matcher::new(&view.columns, &view.quasi.columns, &view.released, &view.original, effort);
        assert!(refused.is_err_and(|error| error.message().contains("--attacks all")));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn match_sets_are_what_contains_a_person(
        people in prop::collection::vec((18u32..30, 0usize..3), 1..200),
        rows in prop::collection::vec((18u32..30, 0u32..6, 0usize..6), 1..200),
    ) {
        let towns = ["Oslo", "Bergen", "Rome"];
        let nodes: [(&str, &[usize]); 6] =
            [("Oslo", &[0]), ("Bergen", &[1]), ("Rome", &[2]), ("Norway", &[0, 1]), ("Italy", &[2]), ("*", &[0, 1, 2])];
        let line = |(age, town): &(u32, usize)| format!("{age},{},flu\n", towns[*town]);
        let original = format!("age,city,ill\n{}", people.iter().map(line).collect::<String>());
        let line = |(low, width, node): &(u32, u32, usize)| format!("\"[{low},{}]\",{},flu\n", low + width, nodes[*node].0);
        let released = format!("age,city,ill\n{}", rows.iter().map(line).collect::<String>());
        let stage = Stage::new(&original);
        stage.write("release.csv", released);
        stage.on("release.csv", |scene| {
            let view = scene.view().expect("a view");
            for (row, (age, town)) in view.original.in_file().iter().zip(&people) {
                let target = view.quasi.targets.of_row[*row as usize] as usize;
                let found = view.quasi.rows_in(&view.quasi.matching(target));
                let fits = |(low, width, node): &&(u32, u32, usize)| {
                    (*low..=low + width).contains(age) && nodes[*node].1.contains(town)
                };
                assert_eq!(found, rows.iter().filter(fits).count() as u64);
            }
        });
    }

    #[test]
    fn people_are_the_same_in_any_order(
        people in prop::collection::vec((18u32..24, 0usize..3), 1..60),
        turn in 0usize..60,
    ) {
        let towns = ["Oslo", "Bergen", "Rome"];
        let seen = |people: &[(u32, usize)]| {
            let line = |(age, town): &(u32, usize)| format!("{age},{},flu\n", towns[*town]);
            let stage = Stage::new(&format!("age,city,ill\n{}", people.iter().map(line).collect::<String>()));
            stage.write("release.csv", "age,city,ill\n*,*,flu\n");
            let mut seen = Vec::new();
            stage.on("release.csv", |scene| {
                let view = scene.view().expect("a view");
                seen = view.original.codes.iter().map(|codes| codes.to_vec()).collect();
            });
            seen
        };
        let mut turned: Vec<(u32, usize)> = people.iter().rev().copied().collect();
        turned.rotate_left(turn % people.len());
        prop_assert_eq!(seen(&people), seen(&turned));
    }
}

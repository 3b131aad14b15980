//! LKC-privacy: the search finds the best of all vectors that meet the definition, and the audit agrees with the definition.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::time::Duration;

use proptest::prelude::*;

use super::oracle::Oracle;
use super::table::{RandomTable, tables};
use crate as method;
use privet_audit::{AuditOptions, audit_table};
use privet_core::ErrorKind;
use privet_core::clock::Clock;
use privet_core::testing::cases;
use privet_data::{ReadOptions, Source};
use privet_engine::privacy::naive::{Ratio, ratio};
use privet_policy::Stated;

/// L, K, C and the sensitive column.
#[derive(Debug, Clone)]
struct Asked {
    l: u32,
    k: u64,
    c: Ratio,
    column: usize,
}

fn asked() -> impl Strategy<Value = Asked> {
    let shares = prop::sample::select(vec![(1, 3), (1, 2), (3, 5), (2, 3), (3, 4), (1, 1)]);
    (1u32..5, 1u64..7, shares, 0usize..2).prop_map(|(l, k, (over, under), column)| Asked {
        l,
        k,
        c: ratio(over, under),
        column,
    })
}

impl Asked {
    fn toml(&self) -> String {
        let Asked { l, k, c, column } = self;
        format!("[privacy.lkc-privacy]\nL = {l}\nK = {k}\nC = \"{c}\"\ncolumn = \"s{column}\"\n")
    }

    /// The definition, word by word: all sets of at most L columns, all groups of records that agree on them.
    fn holds(&self, released: &[(Vec<&String>, &String)]) -> bool {
        let columns = released.first().map_or(0, |(cells, _)| cells.len());
        let sets = (0u32..1 << columns).filter(|set| set.count_ones() <= self.l);
        sets.into_iter().all(|set| {
            let mut groups: HashMap<Vec<&String>, Vec<&String>> = HashMap::new();
            for (cells, value) in released {
                let known = (0..columns).filter(|column| set >> column & 1 == 1).map(|column| cells[column]);
                groups.entry(known.collect()).or_default().push(value);
            }
            groups.values().all(|group| {
                let size = group.len() as u64;
                let count = |value: &&String| group.iter().filter(|other| *other == value).count() as u64;
                size >= self.k && group.iter().all(|value| ratio(count(value), size) <= self.c)
            })
        })
    }
}

/// The records at some levels, each with its sensitive value.
fn released<'t>(
    table: &'t RandomTable,
    oracle: &'t Oracle<'_>,
    levels: &[u8],
    column: usize,
) -> Vec<(Vec<&'t String>, &'t String)> {
    let cells = |row: &'t Vec<String>| {
        let ladders = oracle.ladders.iter().zip(levels).zip(row);
        ladders.map(|((ladder, level), value)| &ladder.labels[usize::from(*level)][value]).collect()
    };
    table.kept().into_iter().map(|row| (cells(row), &row[table.quasi.len() + column])).collect()
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn the_best_vector_with_lkc_privacy_equals_brute_force(
        mut table in tables(30),
        asked in asked(),
        alone in any::<bool>(),
    ) {
        if alone {
            table.asked.clear();
        }
        let settings = format!("name = \"full-domain\"\n{}", asked.toml());
        let Some((_folder, policy, microdata)) = table.read(&settings) else { return Ok(()) };
        let oracle = Oracle::new(&table);
        let lattice = oracle.lattice();
        let meets = |levels: &[u8]| asked.holds(&released(&table, &oracle, levels, asked.column));
        // The lattice is in lexicographic order, `min_by` keeps the first of equals, and LM comes first of the costs.
        let feasible = lattice.iter().filter(|node| node.suppressed == 0 && meets(&node.levels));
        let best = feasible.min_by(|a, b| a.costs[0].cmp(&b.costs[0]));
        let found = method::run(&policy, &microdata, &Clock::unlimited());
        let mut hurried = policy.clone();
        *hurried.method.time_limit().expect("a limit") = Some(Duration::ZERO);
        let quick = method::run(&hurried, &microdata, &Clock::unlimited());
        prop_assert_eq!(quick.is_ok(), best.is_some());
        let (Ok(solution), Some(best)) = (&found, best) else {
            prop_assert_eq!(found.is_ok(), best.is_some(), "{:?}", found.err());
            prop_assert_eq!(found.err().map(|error| error.kind()), Some(ErrorKind::Infeasible));
            return Ok(());
        };
        let levels = |solution: &method::Solution| -> Vec<u8> {
            let level = |column| solution.plan.level(&format!("q{column}")).expect("a level") as u8;
            (0..table.quasi.len()).map(level).collect()
        };
        prop_assert_eq!(levels(solution), best.levels.clone());
        prop_assert!(solution.search.optimal);
        prop_assert!(meets(&levels(&quick.expect("an answer"))));
    }

    /// Under an earlier plan groups that fail are suppressed. What is left meets the definition, and where only K is asked for,
    /// every part that meets it is in it.
    #[test]
    fn what_an_earlier_plan_leaves_has_lkc_privacy(
        mut table in tables(24),
        asked in asked(),
        earlier in asked(),
    ) {
        table.asked.clear();
        let read = |asked: &Asked| table.read(&format!("name = \"full-domain\"\n{}", asked.toml()));
        let clock = Clock::unlimited();
        let Some((_folder, policy, microdata)) = read(&Asked { k: earlier.k.min(2), c: ratio(1, 1), ..earlier }) else {
            return Ok(());
        };
        let Ok(first) = method::run(&policy, &microdata, &clock) else { return Ok(()) };
        let level = |column: usize| first.plan.level(&format!("q{column}")).expect("a level");
        let levels: Vec<u8> = (0..table.quasi.len()).map(level).collect();
        let Some((_folder, policy, microdata)) = read(&asked) else { return Ok(()) };
        let applied = method::apply_plan(&policy, &microdata, &first.plan, &clock).expect("the same data");
        let recoding = &applied.recoding;
        let labels = |class: usize| -> Vec<&String> {
            let cells = recoding.columns.iter().zip(recoding.cells(class));
            cells.map(|(column, cell)| &column.cells[*cell as usize].label).collect()
        };
        let kept: HashSet<Vec<&String>> = (0..recoding.len()).map(labels).collect();
        let oracle = Oracle::new(&table);
        let all = released(&table, &oracle, &levels, asked.column);
        let shown = |cells: &dyn Fn(&Vec<&String>) -> bool| -> Vec<(Vec<&String>, &String)> {
            all.iter().filter(|(own, _)| cells(own)).cloned().collect()
        };
        prop_assert!(asked.holds(&shown(&|cells| kept.contains(cells))));
        let classes: Vec<&Vec<&String>> =
            all.iter().map(|(cells, _)| cells).collect::<BTreeSet<_>>().into_iter().collect();
        prop_assert!(classes.len() > 8 || asked.c != ratio(1, 1) || (0u32..1 << classes.len()).all(|part| {
            let has = |cells: &Vec<&String>| classes.iter().position(|own| *own == cells).is_some_and(|at| part >> at & 1 == 1);
            !asked.holds(&shown(&has)) || classes.iter().all(|cells| !has(cells) || kept.contains(*cells))
        }), "a larger part meets K");
    }

    #[test]
    fn the_audit_of_lkc_privacy_agrees_with_the_definition(
        mut table in tables(30),
        asked in asked(),
        heights in prop::collection::vec(0u8..4, 4),
    ) {
        table.asked.clear();
        let settings = format!("name = \"full-domain\"\n{}", asked.toml());
        let Some((folder, policy, _)) = table.read(&settings) else { return Ok(()) };
        let oracle = Oracle::new(&table);
        let ladders = oracle.ladders.iter().zip(heights);
        let levels: Vec<u8> = ladders.map(|(ladder, height)| height.min(ladder.levels() as u8 - 1)).collect();
        let rows = released(&table, &oracle, &levels, 0);
        let mut text = table.csv().lines().next().expect("a header").to_string() + "\n";
        for ((cells, _), row) in rows.iter().zip(table.kept()) {
            let cells: Vec<&str> = cells.iter().map(|cell| cell.as_str()).collect();
            text += &format!("{},{}\n", cells.join(","), row[table.quasi.len()..].join(","));
        }
        let path = folder.path().join("release.csv");
        fs::write(&path, text).expect("written");
        let options = ReadOptions { header: privet_data::Header::First, ..ReadOptions::of(Some(',')) };
        let release = Source::open(&path, &options).expect("a table");
        let audit = audit_table(&policy, &release, &AuditOptions::foreign()).expect("an audit");
        let check = audit.checks.iter().find(|check| check.name.starts_with("lkc-privacy")).expect("the check");
        let expected = asked.holds(&released(&table, &oracle, &levels, asked.column));
        prop_assert_eq!(check.holds, expected, "{:?}", check);
        prop_assert_eq!(check.classes_failing > 0 && check.concerned > 0, !expected);
    }
}

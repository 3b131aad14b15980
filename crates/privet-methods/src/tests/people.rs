//! Data in which one person may have several records: the optimum against brute force with the literal definition, and
//! the whole run including its audit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use crate as method;
use privet::release::{RunOptions, anonymize};
use privet_attack as attack;
use privet_core::clock::Clock;
use privet_core::testing::cases;
use privet_core::{ErrorKind, Exact};
use privet_data::{Batch, Located};
use privet_engine::microdata::Microdata;
use privet_policy::method::TableCost;
use privet_policy::{CheckedPolicy, Policy};

/// A person, two quasi-identifiers and a value.
type PersonRow = (u8, [u8; 2], u8);

/// The requirements; 0 for none.
#[derive(Debug, Clone, Copy)]
struct PeopleRequirements {
    k: u64,
    distinct: u64,
    /// In halves: 3 is l = 3/2.
    frequency: u64,
    /// In thirds: the threshold of the first value; the others have 1.
    theta: u64,
}

fn rows() -> impl Strategy<Value = Vec<PersonRow>> {
    prop::collection::vec((0u8..7, [0u8..4, 0u8..4], 0u8..3), 1..22)
}

fn asked() -> impl Strategy<Value = PeopleRequirements> {
    (1u64..5, 0u64..3, prop::sample::select(vec![0u64, 0, 2, 3, 4]), 0u64..4)
        .prop_map(|(k, distinct, frequency, theta)| PeopleRequirements { k, distinct, frequency, theta })
}

fn label(value: u8, level: u8) -> String {
    match level {
        0 => format!("v{value}"),
        1 => format!("half {}", value / 2),
        _ => "*".to_string(),
    }
}

fn write(
    folder: &Path,
    rows: &[PersonRow],
    asked: PeopleRequirements,
    person: bool,
    method: &str,
) -> CheckedPolicy {
    let line = |(who, quasi, value): &PersonRow| {
        format!("p{who},{},{},s{value}\n", label(quasi[0], 0), label(quasi[1], 0))
    };
    let data: String = rows.iter().map(line).collect();
    fs::write(folder.join("data.csv"), format!("pid,a,b,ill\n{data}")).expect("written");
    let tree: String = (0..4).map(|value| format!("{};{};*\n", label(value, 0), label(value, 1))).collect();
    fs::write(folder.join("tree.csv"), tree).expect("written");
    let mut text = format!(
        "seed = 3\n[data]\npath = \"data.csv\"\n{}[columns.pid]\nrole = \"identifier\"\n[columns.a]\nrole = \
         \"quasi-identifier\"\nhierarchy = \"tree.csv\"\n[columns.b]\nrole = \"quasi-identifier\"\nhierarchy = \
         \"tree.csv\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy.k-anonymity]\nk = {}\n",
        if person { "person = \"pid\"\n" } else { "" },
        asked.k
    );
    if asked.distinct > 0 {
        text += &format!("[[privacy.l-diversity]]\ncolumn = \"ill\"\nl = {}\n", asked.distinct);
    }
    if asked.frequency > 0 {
        text += &format!(
            "[[privacy.l-diversity]]\ncolumn = \"ill\"\nkind = \"frequency\"\nl = \"{}/2\"\n",
            asked.frequency
        );
    }
    if asked.theta > 0 {
        text += &format!(
            "[privacy.l-plus-diversity]\ncolumn = \"ill\"\ndefault = 1\ntheta = {{ s0 = \"{}/3\" }}\n",
            asked.theta
        );
    }
    text += &format!("[method]\n{method}\n");
    let policy = Policy::parse(&folder.join("policy.toml"), text).expect("a policy");
    policy.check(None).expect("a checked policy")
}

/// The literal definition, for the people of a class.
fn holds(class: &[&PersonRow], asked: PeopleRequirements) -> bool {
    let people = |is: &dyn Fn(&PersonRow) -> bool| {
        class.iter().filter(|row| is(row)).map(|row| row.0).collect::<BTreeSet<u8>>().len() as u64
    };
    let n = people(&|_| true);
    let values: Vec<u64> = (0..3).map(|value| people(&|row| row.2 == value)).collect();
    n >= asked.k
        && values.iter().filter(|count| **count > 0).count() as u64 >= asked.distinct
        && values.iter().all(|count| asked.frequency == 0 || count * asked.frequency <= 2 * n)
        && (asked.theta == 0 || 3 * values[0] <= asked.theta * n)
}

/// The least LM, in thirds, over all vectors of levels with failing classes suppressed.
fn brute_force(rows: &[PersonRow], asked: PeopleRequirements, limit: u64) -> Option<u64> {
    let levels = (0..3u8).flat_map(|a| (0..3u8).map(move |b| [a, b]));
    let cost = |levels: [u8; 2]| {
        let mut classes: BTreeMap<[String; 2], Vec<&PersonRow>> = BTreeMap::new();
        for row in rows {
            let shown = [label(row.1[0], levels[0]), label(row.1[1], levels[1])];
            classes.entry(shown).or_default().push(row);
        }
        let failing: u64 =
            classes.values().filter(|class| !holds(class, asked)).map(|class| class.len() as u64).sum();
        let price: u64 = levels.iter().map(|level| [0, 1, 3][*level as usize]).sum();
        let allowed = failing <= limit && failing < rows.len() as u64;
        allowed.then(|| (rows.len() as u64 - failing) * price + failing * 6)
    };
    levels.filter_map(cost).min()
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn hard_use_1_3_full_domain_counting_people_equals_brute_force(
        rows in rows(), asked in asked(), limit in prop::sample::select(vec!["0", "0.2", "0.5"]),
    ) {
        let folder = TempDir::new().expect("a folder");
        let method = format!("name = \"full-domain\"\nsuppression_limit = {limit}");
        let policy = write(folder.path(), &rows, asked, true, &method);
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let most = Exact::parse(limit).expect("a number").floor_of(rows.len() as u64);
        let best = brute_force(&rows, asked, most);
        match method::run(&policy, &microdata, &Clock::unlimited()) {
            Ok(solution) => {
                let measure = solution.recoding.measure(TableCost::Lm, &microdata).expect("a measure");
                let cost = measure.value(solution.recoding.cost(&measure, &solution.recoding.count(&microdata)));
                let best = best.map(|thirds| thirds as f64 / 3.0);
                prop_assert!(best.is_some_and(|best| (best - cost).abs() < 1e-6), "{cost} instead of {best:?}");
                prop_assert!(solution.search.optimal);
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Infeasible, "{}", error);
                prop_assert_eq!(best, None, "{}", error);
            }
        }
    }

    #[test]
    fn hard_use_1_3_mondrian_meets_the_literal_definition(rows in rows(), asked in asked()) {
        let folder = TempDir::new().expect("a folder");
        let policy = write(folder.path(), &rows, asked, true, "name = \"mondrian\"");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let Ok(solution) = method::run(&policy, &microdata, &Clock::unlimited()) else {
            prop_assert!(!holds(&rows.iter().collect::<Vec<_>>(), asked));
            return Ok(());
        };
        let mut classes: BTreeMap<u32, Vec<&PersonRow>> = BTreeMap::new();
        let mut next = rows.iter();
        policy.source.read(&mut |batch: &Batch, _| {
            for row in 0..batch.rows() {
                let Located::Record(record) = microdata.summary.locate(batch, row) else { panic!("a record") };
                let mut to = solution.recoding.destinations(record, microdata.summary.count(record));
                classes.entry(to.next().expect("a class").0).or_default().push(next.next().expect("a row"));
                assert!(to.next().is_none());
            }
            Ok(())
        }).expect("read");
        for class in classes.values() {
            prop_assert!(holds(class, asked), "{class:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn hard_use_1_3_the_audit_accepts_our_own_releases_and_decides_them(
        rows in rows(), asked in asked(), method in prop::sample::select(vec!["full-domain", "mondrian"]),
    ) {
        let folder = TempDir::new().expect("a folder");
        let policy = write(folder.path(), &rows, asked, true, &format!("name = \"{method}\""));
        let options = RunOptions { attacks: attack::Choice::None, ..RunOptions::to(folder.path().join("out")) };
        match anonymize(policy, &options, &Clock::unlimited()) {
            Ok(published) => {
                prop_assert!(published.audit.passed);
                prop_assert!(published.audit.checks.iter().all(|check| !check.undetermined), "{:?}", published.audit);
            }
            Err(error) => prop_assert_eq!(error.kind(), ErrorKind::Infeasible, "{}", error),
        }
    }

    #[test]
    fn hard_use_1_3_with_one_record_each_nothing_changes(
        mut rows in rows(), asked in asked(), method in prop::sample::select(vec!["full-domain", "mondrian"]),
    ) {
        (0u8..).zip(&mut rows).for_each(|(number, row)| row.0 = number);
        let release = |person: bool| {
            let folder = TempDir::new().expect("a folder");
            let policy = write(folder.path(), &rows, asked, person, &format!("name = \"{method}\""));
            let options =
                RunOptions { attacks: attack::Choice::None, ..RunOptions::to(folder.path().join("out")) };
            let made = anonymize(policy, &options, &Clock::unlimited());
            made.map(|_| fs::read(folder.path().join("out/public/release.csv")).expect("a release"))
                .map_err(|error| error.kind())
        };
        prop_assert_eq!(release(true), release(false));
    }
}

//! The search for (n, t)-closeness, which skips combinations, agrees with the definition.

use std::fs;

use proptest::prelude::*;

use crate::levels::Levelling;
use crate::natural::Closeness;
use privet_audit::{AuditOptions, audit_table};
use privet_core::clock::Clock;
use privet_core::testing::cases;
use privet_data::{ReadOptions, Source};
use privet_engine::microdata::Microdata;
use privet_engine::privacy;
use privet_engine::privacy::{NtCloseness, Records};
use privet_engine::rollup::{Grouping, Levels};
use privet_policy::Policy;
use privet_policy::method::TableCost;

/// Values with their labels, from the lowest level up.
const Q1: [&[&str]; 4] = [&["a", "A", "*"], &["b", "A", "*"], &["c", "C", "*"], &["d", "C", "*"]];
const Q2: [&[&str]; 4] =
    [&["k", "kl", "km", "*"], &["l", "kl", "km", "*"], &["m", "m-", "km", "*"], &["n", "n-", "n+", "*"]];
const Q3: [&[&str]; 3] = [&["x", "*"], &["y", "*"], &["z", "*"]];
const S: [&[&str]; 5] =
    [&["1", "low", "*"], &["2", "low", "*"], &["3", "high", "*"], &["4", "high", "*"], &["5", "high", "*"]];

fn hierarchy(rows: &[&[&str]]) -> String {
    rows.iter().map(|row| row.join(";") + "\n").collect()
}

/// Tests every vector of higher levels, one after the other.
fn naive(levelling: &Levelling<'_>, grouping: &Grouping, notion: &NtCloseness) -> Vec<bool> {
    let mut vectors: Vec<Levels> = vec![Vec::new().into()];
    for (low, top) in grouping.levels.iter().zip(&levelling.tops) {
        let longer = |vector: &Levels| {
            let vector = vector.to_vec();
            (*low..=*top)
                .map(move |level| [vector.as_slice(), &[level]].concat().into())
                .collect::<Vec<Levels>>()
        };
        vectors = vectors.iter().flat_map(longer).collect();
    }
    let mut part_of = vec![0; grouping.len()];
    (0..).zip(grouping.parts()).for_each(|(part, class): (usize, u32)| part_of[class as usize] = part);
    let is_close = |class: usize| {
        notion.holds_alone(&grouping.outline(class))
            || vectors.iter().any(|levels| {
                let wider = levelling.groupings.at(levels);
                let superset = wider.class(wider.parts()[part_of[class]] as usize);
                let mut records = Records::none(notion);
                records.add(&notion.pairs(&superset), superset.size);
                notion.holds_within(&grouping.class(class), &records)
            })
    };
    (0..grouping.len()).map(is_close).collect()
}

proptest! {
    #![proptest_config(cases(150))]

    /// The search and the audit, each with its own way of skipping combinations, agree with an exhaustive test.
    #[test]
    fn hard_use_2_3_boxes_of_natural_supersets_hide_none(
        rows in prop::collection::vec((0usize..4, 0usize..4, 0usize..3, 0usize..5), 2..40),
        levels in (0u8..3, 0u8..4, 0u8..2),
        n in 2u64..16,
        t in prop::sample::select(vec!["0", "0.1", "1/4", "1/3", "0.5"]),
        distance in prop::sample::select(vec!["equal", "ordered", "hierarchical"]),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: String| fs::write(folder.path().join(name), text).expect("written");
        write("q1.csv", hierarchy(&Q1));
        write("q2.csv", hierarchy(&Q2));
        write("q3.csv", hierarchy(&Q3));
        write("s.csv", hierarchy(&S));
        let line = |row: &(usize, usize, usize, usize), (l1, l2, l3): (u8, u8, u8)| {
            let labels = [Q1[row.0][l1 as usize], Q2[row.1][l2 as usize], Q3[row.2][l3 as usize], S[row.3][0]];
            labels.join(",") + "\n"
        };
        let table = |levels| "q1,q2,q3,s\n".to_string() + &rows.iter().map(|row| line(row, levels)).collect::<String>();
        write("data.csv", table((0, 0, 0)));
        write("release.csv", table(levels));
        let n = n.min(rows.len() as u64);
        let mut text = "seed = 3\n[data]\npath = \"data.csv\"\n".to_string();
        for name in ["q1", "q2", "q3"] {
            text += &format!("[columns.{name}]\nrole = \"quasi-identifier\"\nhierarchy = \"{name}.csv\"\n");
        }
        text += "[columns.s]\nrole = \"sensitive\"\nhierarchy = \"s.csv\"\n";
        text += &format!("[privacy.n-t-closeness]\nn = {n}\nt = \"{t}\"\ndistance = \"{distance}\"\n");
        text += "[method]\nname = \"full-domain\"\n";
        let policy = Policy::parse(&folder.path().join("policy.toml"), text).expect("a policy");
        let policy = policy.check(None).expect("a checked policy");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let levelling = Levelling::new(&microdata, TableCost::Lm).expect("levels");
        let notion = privacy::natural_requirements(&policy, &microdata.table).expect("a notion").remove(0);
        let at: Vec<u8> = [levels.0, levels.1, levels.2].iter().zip(&levelling.tops).map(|(level, top)| *level.min(top)).collect();
        let grouping = levelling.groupings.at(&at);
        let expected = naive(&levelling, &grouping, &notion);
        let clock = Clock::unlimited();
        let found = levelling.naturally_close(&grouping, &notion, |_| true, u64::MAX, &clock);
        prop_assert_eq!(found, Closeness::Known(expected.clone()));
        let failing: u64 = (0..grouping.len()).filter(|class| !expected[*class]).map(|class| grouping.outline(class).size).sum();
        if failing > 0 {
            let strict = levelling.naturally_close(&grouping, &notion, |_| true, failing - 1, &clock);
            prop_assert_eq!(strict, Closeness::Fails);
        }
        let release = Source::open(&folder.path().join("release.csv"), &ReadOptions::default()).expect("a table");
        let audit = audit_table(&policy, &release, &AuditOptions::foreign()).expect("an audit");
        let check = audit.checks.iter().find(|check| check.name.starts_with("n-t-closeness")).expect("the check");
        prop_assert_eq!(check.concerned, failing, "{:?}", check);
        prop_assert_eq!(check.classes_failing, expected.iter().filter(|close| !**close).count() as u64);
    }
}

//! Models of populations, likeness and risk against their definitions: small tables, every vector of levels tried one by one.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;

use privet::clock::Clock;
use privet::engine::microdata::Microdata;
use privet::method;
use privet::policy::Policy;
use privet::policy::method::TableCost;

/// A record: two quasi-identifiers of four values, a sensitive value of three, a weight, a household.
type Row = (u8, u8, u8, u8, u8);

/// What is asked, with thresholds as fractions.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    K(u64),
    Map(u64),
    MapByWeights(u64),
    Presence((u64, u64), (u64, u64)),
    Beta(u64, u64),
    Disclosure(u64, bool),
    Average((u64, u64), Option<(u64, (u64, u64))>),
    Unique(u64, u64),
    Zayatz(u64, u64),
    Individual(u64, u64),
    Household(u64, u64),
}

fn asked() -> impl Strategy<Value = Asked> {
    let share =
        || prop::sample::select(vec![(1u64, 10u64), (1, 5), (1, 4), (1, 3), (2, 5), (1, 2), (2, 3), (1, 1)]);
    prop_oneof![
        (2u64..5).prop_map(Asked::K),
        (2u64..12).prop_map(Asked::Map),
        (2u64..20).prop_map(Asked::MapByWeights),
        (prop::sample::select(vec![(0, 1), (1, 10), (1, 4), (1, 3)]), share())
            .prop_map(|(min, max)| Asked::Presence(min, max)),
        prop::sample::select(vec![(1, 2), (1, 1), (2, 1)]).prop_map(|(a, d)| Asked::Beta(a, d)),
        (1u64..4, any::<bool>()).prop_map(|(delta, skip)| Asked::Disclosure(delta, skip)),
        (share(), prop::option::of((2u64..5, share()))).prop_map(|(max, risk)| Asked::Average(max, risk)),
        share().prop_map(|(a, d)| Asked::Unique(a, d)),
        share().prop_map(|(a, d)| Asked::Zayatz(a, d)),
        share().prop_map(|(a, d)| Asked::Individual(a, d)),
        share().prop_map(|(a, d)| Asked::Household(a, d)),
    ]
}

impl Asked {
    fn toml(self, suppresses: bool) -> String {
        let ignore = if suppresses { "on_suppression = \"ignore\"\n" } else { "" };
        match self {
            Asked::K(k) => format!("[[privacy.k-anonymity]]\nk = {k}\n"),
            Asked::Map(k) => format!("[[privacy.k-map]]\nk = {k}\nby = \"population\"\n"),
            Asked::MapByWeights(k) => format!("[[privacy.k-map]]\nk = {k}\nby = \"weights\"\n"),
            Asked::Presence((a, b), (c, d)) => {
                format!("[[privacy.delta-presence]]\nmin = \"{a}/{b}\"\nmax = \"{c}/{d}\"\n{ignore}")
            }
            Asked::Beta(a, d) => format!("[[privacy.beta-likeness]]\ncolumn = \"s\"\nbeta = \"{a}/{d}\"\n"),
            Asked::Disclosure(delta, skip) => {
                let absent = if skip { "skip" } else { "violates" };
                format!(
                    "[[privacy.delta-disclosure]]\ncolumn = \"s\"\ndelta = {delta}\nabsent = \"{absent}\"\n"
                )
            }
            Asked::Average((a, d), risk) => {
                let risk = risk.map_or(String::new(), |(least, (a, d))| {
                    format!("highest = \"1/{least}\"\nat_risk = \"{a}/{d}\"\n")
                });
                format!("[[privacy.average-risk]]\nmax = \"{a}/{d}\"\n{risk}")
            }
            Asked::Unique(a, d) => format!("[[privacy.sample-uniqueness]]\nmax = \"{a}/{d}\"\n"),
            Asked::Zayatz(a, d) => {
                format!("[[privacy.population-uniqueness]]\nmax = \"{a}/{d}\"\nestimator = \"zayatz\"\n")
            }
            Asked::Individual(a, d) => format!("[[privacy.individual-risk]]\nmax = \"{a}/{d}\"\n"),
            Asked::Household(a, d) => format!("[[privacy.household-risk]]\nmax = \"{a}/{d}\"\n"),
        }
    }

    /// Whether it asks for nothing to be left out.
    fn is_whole(self) -> bool {
        matches!(self, Asked::Household(..))
    }
}

/// E[1/F] by the sum that defines it.
fn individual(f: u64, people: u64) -> f64 {
    if people <= f {
        return 1.0 / f as f64;
    }
    let p = f as f64 / people as f64;
    let (mut term, mut sum, mut h) = (p.powi(f as i32), 0.0, f);
    while h < 20_000 {
        sum += term / h as f64;
        term *= h as f64 / (h + 1 - f) as f64 * (1.0 - p);
        h += 1;
    }
    sum
}

fn zayatz(sizes: &[u64], population: u64) -> f64 {
    let n: u64 = sizes.iter().sum();
    let chance = |i: u64| {
        let product: f64 = (1..i)
            .map(|j| (population as f64 - n as f64 - j as f64 + 1.0).max(0.0) / (population - j) as f64)
            .product();
        i as f64 * n as f64 / population as f64 * product
    };
    let uniques = sizes.iter().filter(|size| **size == 1).count() as f64;
    let sum: f64 = sizes.iter().map(|size| chance(*size)).sum();
    if uniques == 0.0 { 0.0 } else { uniques * uniques * chance(1) / (n as f64 * sum) }
}

struct Small {
    rows: Vec<Row>,
    people: Vec<(u8, u8)>,
}

fn at(value: u8, level: usize) -> u8 {
    [value, 10 + value / 2, 20][level]
}

impl Small {
    /// The cost DM and the suppressed records of a vector, if it meets everything with at most `limit` records left out.
    fn judge(&self, levels: [usize; 2], all: &[Asked], limit: usize) -> Option<(u64, u64)> {
        let key = |one: u8, two: u8| (at(one, levels[0]), at(two, levels[1]));
        let mut classes: BTreeMap<(u8, u8), (Vec<Row>, u64)> = BTreeMap::new();
        self.rows.iter().for_each(|row| classes.entry(key(row.0, row.1)).or_default().0.push(*row));
        self.people.iter().for_each(|own| classes.entry(key(own.0, own.1)).or_default().1 += 1);
        let total = self.rows.len() as u64;
        let count = |rows: &[Row], value: u8| rows.iter().filter(|row| row.2 == value).count() as u64;
        let holds = |asked: Asked, rows: &[Row], people: u64| {
            let n = rows.len() as u64;
            let weight: u64 = rows.iter().map(|row| u64::from(row.3)).sum();
            match asked {
                Asked::Presence((a, b), (c, d)) => n * b >= a * people && n * d <= c * people,
                _ if n == 0 => true,
                Asked::K(k) => n >= k,
                Asked::Map(k) => people >= k,
                Asked::MapByWeights(k) => weight >= k,
                Asked::Beta(a, d) => (0..3).all(|value| {
                    let (h, p) = (count(rows, value), count(&self.rows, value));
                    h * total * d <= (d + a) * p * n
                }),
                Asked::Disclosure(delta, skip) => {
                    (0..3).filter(|value| count(&self.rows, *value) > 0).all(|value| {
                        let (h, p) = (count(rows, value), count(&self.rows, value));
                        h == 0 && skip || h * total < (p * n) << delta && p * n < (h * total) << delta
                    })
                }
                Asked::Individual(a, d) => individual(n, weight) <= a as f64 / d as f64 + 1e-12,
                Asked::Average(..) | Asked::Unique(..) | Asked::Zayatz(..) | Asked::Household(..) => true,
            }
        };
        let mut kept: Vec<&(Vec<Row>, u64)> = Vec::new();
        let mut gone = 0;
        for class in classes.values() {
            if all.iter().all(|asked| holds(*asked, &class.0, class.1)) {
                kept.extend(Some(class).filter(|class| !class.0.is_empty()));
            } else if class.0.is_empty() {
                return None;
            } else {
                gone += class.0.len();
            }
        }
        if gone > limit {
            return None;
        }
        kept.sort_by_key(|class| class.0.len());
        for first in 0..=kept.len() {
            let left: usize = kept[..first].iter().map(|class| class.0.len()).sum();
            if gone + left > limit || gone + left >= self.rows.len() {
                return None;
            }
            let sizes: Vec<u64> = kept[first..].iter().map(|class| class.0.len() as u64).collect();
            let records: u64 = sizes.iter().sum();
            let below = |least: u64| sizes.iter().filter(|size| **size < least).sum::<u64>();
            let fine = all.iter().all(|asked| match *asked {
                Asked::Average((a, d), risk) => {
                    sizes.len() as u64 * d <= a * records
                        && risk.is_none_or(|(least, (a, d))| below(least) * d <= a * records)
                }
                Asked::Unique(a, d) => below(2) * d <= a * records,
                Asked::Zayatz(a, d) => {
                    zayatz(&sizes, self.people.len() as u64) <= a as f64 / d as f64 + 1e-12
                }
                Asked::Household(a, d) => (0..4).all(|household| {
                    let members = kept.iter().flat_map(|class| class.0.iter().map(move |row| (class, row)));
                    let safe: f64 = members
                        .filter(|(_, row)| row.4 == household)
                        .map(|(class, _)| {
                            let weight: u64 = class.0.iter().map(|row| u64::from(row.3)).sum();
                            1.0 - individual(class.0.len() as u64, weight)
                        })
                        .product();
                    1.0 - safe <= a as f64 / d as f64 + 1e-12
                }),
                _ => true,
            });
            if fine {
                let cost = sizes.iter().map(|size| size * size).sum::<u64>() + (gone + left) as u64 * total;
                return Some((cost, (gone + left) as u64));
            }
        }
        None
    }

    /// The least cost of all vectors.
    fn best(&self, all: &[Asked], limit: usize) -> Option<u64> {
        let vectors = (0..3).flat_map(|one| (0..3).map(move |two| [one, two]));
        vectors.filter_map(|levels| self.judge(levels, all, limit)).map(|(cost, _)| cost).min()
    }
}

proptest! {
    #![proptest_config(privet_core::testing::cases(600))]

    #[test]
    fn the_best_vector_is_found_alone_and_in_pairs(
        rows in prop::collection::vec((0u8..4, 0u8..4, 0u8..3, 1u8..9, 0u8..4), 3..16),
        others in prop::collection::vec((0u8..4, 0u8..4), 0..20),
        first in asked(),
        second in prop::option::of(asked()),
        tenths in prop::sample::select(vec![0usize, 0, 1, 2, 4]),
    ) {
        let mut all: Vec<Asked> = [Some(first), second].into_iter().flatten().collect();
        all.dedup();
        prop_assume!(!all.iter().any(|asked| matches!(asked, Asked::Presence(a, b) if a.0 * b.1 > b.0 * a.1)));
        let tenths = if all.iter().any(|asked| asked.is_whole()) { 0 } else { tenths };
        let limit = rows.len() * tenths / 10;
        let mut people: Vec<(u8, u8)> = rows.iter().map(|row| (row.0, row.1)).collect();
        people.extend(&others);
        let small = Small { rows, people };
        let folder = tempfile::tempdir().expect("a folder");
        let (mut data, mut register) = ("a,b,s,w,h\n".to_string(), "b,a\n".to_string());
        for (a, b, s, w, h) in &small.rows {
            writeln!(data, "{a},{b},s{s},{w},h{h}").expect("text");
        }
        small.people.iter().for_each(|(a, b)| writeln!(register, "{b},{a}").expect("text"));
        let tree: String = (0..4).map(|value| format!("{value};g{};*\n", value / 2)).collect();
        for (name, text) in [("data.csv", &data), ("register.csv", &register), ("tree.csv", &tree)] {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let privacy: String = all.iter().map(|asked| asked.toml(tenths > 0)).collect();
        let text = format!(
            "[data]\npath = \"data.csv\"\n[population]\npath = \"register.csv\"\n[columns.a]\nrole = \"quasi-identifier\"\n\
             hierarchy = \"tree.csv\"\n[columns.b]\nrole = \"quasi-identifier\"\nhierarchy = \"tree.csv\"\n[columns.s]\nrole = \
             \"sensitive\"\n[columns.w]\nrole = \"weight\"\n[columns.h]\nrole = \"household\"\n{privacy}[method]\nname = \
             \"full-domain\"\ncost = \"DM\"\nsuppression_limit = \"{tenths}/10\"\n"
        );
        let policy = Policy::parse(&folder.path().join("policy.toml"), text).expect("a policy");
        let policy = policy.check(None).expect("a checked policy");
        let microdata = Microdata::read(&policy, &mut |_| Ok(())).expect("data");
        let solution = method::run(&policy, &microdata, &Clock::unlimited());
        let found = solution.as_ref().ok().map(|solution| {
            let measure = solution.recoding.measure(TableCost::Dm, &microdata).expect("a measure");
            let classes = solution.recoding.count(&microdata);
            measure.value(solution.recoding.cost(&measure, &classes)).round() as u64
        });
        prop_assert_eq!(found, small.best(&all, limit), "{:?} {:?}", all, solution.err());
    }
}

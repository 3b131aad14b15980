//! Known optima of `l-plus-optimize`: every cut of every case was visited to find them, so a miss here means an unsound
//! bound.
//!
//! Each case goes all the way to a published release. What the release must look like is worked out here a second time,
//! from the definitions and with none of the library's code: recode by the published cut, treat each violating class as
//! the scheme says, price the result in fractions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use num_rational::Ratio;
use privet::ErrorKind;
use privet::clock::Clock;
use privet::policy::Policy;
use privet::release::{self, RunOptions};
use serde_json::Value as Json;

type Fraction = Ratio<i128>;
/// One line of a table: the values by column.
type Record = BTreeMap<String, String>;
/// Per quasi-identifier, the labels of a cut.
type Cut = BTreeMap<String, BTreeSet<String>>;

fn fraction(text: &str) -> Fraction {
    let (num, den) = text.split_once('/').unwrap_or((text, "1"));
    Fraction::new(num.parse().expect("a number"), den.parse().expect("a number"))
}

fn whole(count: usize) -> Fraction {
    Fraction::from_integer(count as i128)
}

fn read(path: &Path) -> Vec<Record> {
    let mut reader = csv::Reader::from_path(path).expect("a table");
    let names = reader.headers().expect("a header").clone();
    let record = |row: csv::StringRecord| {
        names.iter().map(str::to_string).zip(row.iter().map(str::to_string)).collect()
    };
    reader.records().map(|row| record(row.expect("a row"))).collect()
}

/// A hierarchy: every leaf with its path to the root, labels that repeat from one level to the next once.
struct Hierarchy(BTreeMap<String, Vec<String>>);

impl Hierarchy {
    fn read(path: &Path) -> Hierarchy {
        let text = fs::read_to_string(path).expect("a hierarchy");
        let paths = text.lines().map(|line| {
            let mut path: Vec<String> = line.split(';').map(str::to_string).collect();
            path.dedup();
            (path[0].clone(), path)
        });
        Hierarchy(paths.collect())
    }

    /// The one label of the cut on a leaf's path.
    fn released(&self, leaf: &str, cut: &BTreeSet<String>) -> &str {
        let mut labels = self.0[leaf].iter().filter(|label| cut.contains(*label));
        let label = labels.next().unwrap_or_else(|| panic!("{leaf} has no label in {cut:?}"));
        assert!(labels.next().is_none(), "{leaf} has several labels in {cut:?}");
        label
    }

    fn loss(&self, label: &str) -> Fraction {
        let covered = self.0.values().filter(|path| path.iter().any(|above| above == label)).count();
        assert!(covered > 0, "{label} is in no path");
        if self.0.len() == 1 { whole(0) } else { whole(covered - 1) / whole(self.0.len() - 1) }
    }
}

struct Case {
    folder: PathBuf,
    expected: Json,
    records: Vec<Record>,
    hierarchies: BTreeMap<String, Hierarchy>,
    theta: BTreeMap<String, Fraction>,
}

/// What a class becomes.
struct Outcome {
    /// Per shown sensitive value (`*` for suppressed cells), the number of records released.
    shown: BTreeMap<String, usize>,
    released: usize,
    suppressed: usize,
    starred: usize,
    /// Under CM: the records that pay.
    minority: usize,
}

impl Case {
    fn read(folder: PathBuf) -> Case {
        let text = fs::read_to_string(folder.join("expected.json")).expect("the answer");
        let expected: Json = serde_json::from_str(&text).expect("JSON");
        let records = read(&folder.join("table.csv"));
        let hierarchy = |name: &Json| {
            let name = name.as_str().expect("a name").to_string();
            let hierarchy = Hierarchy::read(&folder.join(format!("hier-{name}.csv")));
            (name, hierarchy)
        };
        let names = expected["quasi_identifiers"].as_array().expect("names");
        let hierarchies = names.iter().map(hierarchy).collect();
        let mut case = Case { folder, expected, records, hierarchies, theta: BTreeMap::new() };
        case.theta = case.thresholds();
        case
    }

    fn text(&self, key: &str) -> &str {
        self.expected[key].as_str().unwrap_or("")
    }

    /// θ of every value that occurs: its own, the frequency rule's, or the default.
    fn thresholds(&self) -> BTreeMap<String, Fraction> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for record in &self.records {
            *counts.entry(record[self.text("sensitive")].as_str()).or_default() += 1;
        }
        let mean = whole(self.records.len()) / whole(counts.len());
        let threshold = |value: &str, count: usize| {
            if let Some(own) = self.expected["thetas"][value].as_str() {
                return fraction(own);
            }
            let default = fraction(self.text("theta"));
            let scaled = self.text("theta_rule") == "frequency" && whole(count) >= mean;
            if scaled { (default * whole(count) / mean).min(whole(1)) } else { default }
        };
        counts.iter().map(|(value, count)| (value.to_string(), threshold(value, *count))).collect()
    }

    /// The classes of the original under a cut.
    fn classes(&self, cut: &Cut) -> BTreeMap<Vec<&str>, Vec<&Record>> {
        let mut classes: BTreeMap<Vec<&str>, Vec<&Record>> = BTreeMap::new();
        for record in &self.records {
            let label = |(name, hierarchy): (&String, _)| -> &str {
                let hierarchy: &Hierarchy = hierarchy;
                hierarchy.released(&record[name], &cut[name])
            };
            classes.entry(self.hierarchies.iter().map(label).collect()).or_default().push(record);
        }
        classes
    }

    /// What the scheme does to a class.
    fn treat(&self, class: &[&Record]) -> Outcome {
        let sensitive = self.text("sensitive");
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for record in class {
            *counts.entry(record[sensitive].clone()).or_default() += 1;
        }
        let size = class.len();
        let exceeds = |(value, count): &(&String, &usize)| whole(**count) > self.theta[*value] * whole(size);
        let violating: Vec<String> = counts.iter().filter(exceeds).map(|(value, _)| value.clone()).collect();
        let mut shown = counts.clone();
        if !violating.is_empty() {
            match self.text("scheme") {
                "all-rec" => shown.clear(),
                "vio-rec" => loop {
                    // The greatest fixed point: cut what exceeds its share of what is left until nothing moves.
                    let left: usize = shown.values().sum();
                    let cap = |value: &str| (self.theta[value] * whole(left)).to_integer() as usize;
                    let next = shown.iter().map(|(value, count)| (value.clone(), cap(value).min(*count)));
                    let next: BTreeMap<String, usize> = next.collect();
                    if next == shown {
                        break;
                    }
                    shown = next;
                },
                "all-sa" => shown = BTreeMap::from([("*".to_string(), size)]),
                "vio-sa" => {
                    let cells = violating.iter().filter_map(|value| shown.remove(value)).sum();
                    shown.insert("*".to_string(), cells);
                }
                scheme => panic!("a class violates a threshold under {scheme}"),
            }
        }
        shown.retain(|_, count| *count > 0);
        let released: usize = shown.values().sum();
        let starred = shown.get("*").copied().unwrap_or(0);
        let minority = match self.text("metric") {
            "CM" => size - self.most_of_one_label(class, &shown),
            _ => 0,
        };
        Outcome { released, suppressed: size - released, starred, shown, minority }
    }

    /// The most records of one label that can stay where this many of each value stay.
    fn most_of_one_label(&self, class: &[&Record], kept: &BTreeMap<String, usize>) -> usize {
        let (sensitive, label) = (self.text("sensitive"), self.text("class"));
        let labels: BTreeSet<&str> = class.iter().map(|record| record[label].as_str()).collect();
        let of = |wanted: &str, value: &str| {
            class.iter().filter(|record| record[label] == wanted && record[sensitive] == value).count()
        };
        let stay = |wanted| kept.iter().map(|(value, count)| of(wanted, value).min(*count)).sum();
        labels.into_iter().map(stay).max().unwrap_or(0)
    }

    /// The cost of a cut, from the definition.
    fn cost(&self, cut: &Cut) -> Fraction {
        let columns = whole(self.hierarchies.len());
        let price = |(labels, class): (&Vec<&str>, &Vec<&Record>)| {
            let outcome = self.treat(class);
            let (released, suppressed) = (whole(outcome.released), whole(outcome.suppressed));
            match self.text("metric") {
                "LM" => {
                    let losses = self.hierarchies.values().zip(labels);
                    let losses: Fraction = losses.map(|(hierarchy, label)| hierarchy.loss(label)).sum();
                    released * losses + whole(outcome.starred) * columns + suppressed * columns * whole(2)
                }
                "DM" => released * released + suppressed * whole(self.records.len()),
                _ => whole(outcome.minority),
            }
        };
        self.classes(cut).iter().map(price).sum()
    }

    /// Compares the written file with what cut and scheme say, and its classes with the thresholds.
    fn check_release(&self, release: &[Record], cut: &Cut, suppressed: u64, starred: u64) {
        let sensitive = self.text("sensitive");
        let mut found: BTreeMap<Vec<&str>, BTreeMap<String, usize>> = BTreeMap::new();
        for record in release {
            let labels = self.hierarchies.keys().map(|name| record[name].as_str()).collect();
            *found.entry(labels).or_default().entry(record[sensitive].clone()).or_default() += 1;
        }
        for (labels, shown) in &found {
            let size: usize = shown.values().sum();
            for (value, count) in shown.iter().filter(|(value, _)| *value != "*") {
                assert!(
                    whole(*count) <= self.theta[value] * whole(size),
                    "{labels:?}: {count} of {size} {value}"
                );
            }
        }
        let classes = self.classes(cut);
        let outcomes: BTreeMap<Vec<&str>, Outcome> =
            classes.iter().map(|(labels, class)| (labels.clone(), self.treat(class))).collect();
        let wanted: BTreeMap<Vec<&str>, BTreeMap<String, usize>> = (outcomes.iter())
            .filter(|(_, outcome)| outcome.released > 0)
            .map(|(labels, outcome)| (labels.clone(), outcome.shown.clone()))
            .collect();
        assert_eq!(found, wanted, "the classes of the file");
        assert_eq!(outcomes.values().map(|outcome| outcome.suppressed as u64).sum::<u64>(), suppressed);
        assert_eq!(outcomes.values().map(|outcome| outcome.starred as u64).sum::<u64>(), starred);
        assert_eq!(release.len() as u64 + suppressed, self.records.len() as u64);
        if self.text("metric") == "CM" {
            self.check_labels(release, &outcomes);
        }
    }

    /// Under CM it matters which records stay: those of the label that keeps most.
    fn check_labels(&self, release: &[Record], outcomes: &BTreeMap<Vec<&str>, Outcome>) {
        let mut found: BTreeMap<Vec<&str>, BTreeMap<&str, usize>> = BTreeMap::new();
        for record in release {
            let labels = self.hierarchies.keys().map(|name| record[name].as_str()).collect();
            let label = record[self.text("class")].as_str();
            *found.entry(labels).or_default().entry(label).or_default() += 1;
        }
        for (labels, outcome) in outcomes {
            let most = found.get(labels).and_then(|labels| labels.values().max().copied()).unwrap_or(0);
            let size = outcome.released + outcome.suppressed;
            assert_eq!(size - most, outcome.minority, "{labels:?}");
        }
    }

    /// Under the two schemes that can be turned round, that is tried on all that was suppressed; only the steward knows.
    fn check_attack(&self, manifest: &Json, cut: &Cut, target: &Path) {
        let public = fs::read_to_string(target.join("public/manifest.json")).expect("a manifest");
        assert!(!public.contains("attacks") && !public.contains("inference"), "{public}");
        let mut attacks = manifest["attacks"].as_array().into_iter().flatten();
        let found = attacks.find(|found| found["name"] == "suppression");
        if !self.text("scheme").starts_with("vio-") {
            assert!(found.is_none());
            return;
        }
        let classes = self.classes(cut);
        let outcomes: Vec<Outcome> = classes.values().map(|class| self.treat(class)).collect();
        let hidden = |outcome: &Outcome| outcome.suppressed + outcome.starred;
        let people = |outcome: &Outcome| outcome.suppressed + outcome.released;
        let all: usize = outcomes.iter().map(hidden).sum();
        let concerned: usize = outcomes.iter().filter(|outcome| hidden(outcome) > 0).map(people).sum();
        let Some(found) = found else {
            let released: usize = outcomes.iter().map(|outcome| outcome.released).sum();
            assert!(all == 0 || released == 0, "the attack has something to try");
            return;
        };
        let figures = &found["figures"];
        assert_eq!(
            (figures[0]["targets"].as_u64(), figures[1]["targets"].as_u64()),
            (Some(all as u64), Some(concerned as u64))
        );
        let warned = manifest["warnings"].to_string().contains("is surer of a value than its threshold");
        let succeeds = [0, 1].iter().any(|figure: &usize| figures[*figure]["hits"].as_u64() > Some(0));
        assert_eq!(warned, succeeds, "{}", manifest["warnings"]);
    }

    fn run(&self, target: &Path) {
        let policy = Policy::read(&self.folder.join("policy.toml")).expect("a policy");
        let policy = policy.check(None).expect("a checked policy");
        let options = RunOptions::to(target);
        let published = release::anonymize(policy, &options, &Clock::unlimited());
        let Some(optimum) = self.expected["optimal_cost"].as_str() else {
            let error = published.expect_err("no cut is valid");
            assert_eq!(error.kind(), ErrorKind::Infeasible, "{error}");
            assert!(!target.exists(), "nothing is written");
            return;
        };
        let manifest = published.unwrap_or_else(|error| panic!("{error}")).manifest;
        assert_eq!(manifest["optimal"], true);
        assert_eq!(manifest["cost"]["exact"], optimum);
        assert_eq!(manifest["search"]["space"], self.expected["cuts"].to_string());
        let cut: Cut = serde_json::from_value(manifest["plan"]["cuts"].clone()).expect("a cut");
        assert_eq!(self.cost(&cut), fraction(optimum), "the cost of the published cut");
        let best: Vec<Cut> = serde_json::from_value(self.expected["optimal_cuts"].clone()).expect("cuts");
        // Lists were cut off at four.
        assert!(best.len() >= 4 || best.contains(&cut), "{cut:?} is none of {best:?}");
        let count = |key: &str| manifest["records"][key].as_u64().unwrap_or(0);
        let release = read(&target.join("public/release.csv"));
        self.check_release(&release, &cut, count("suppressed"), count("starred"));
        self.check_attack(&manifest, &cut, target);
        let audit = privet::audit::audit_release(target, None, &Clock::unlimited()).expect("an audit");
        assert!(audit.passed);
    }
}

#[test]
fn every_known_optimum_is_found_proven_and_published() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/l-plus");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("a case").path()).collect();
    folders.sort();
    assert_eq!(folders.len(), 32);
    let place = tempfile::tempdir().expect("a folder");
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        println!("{name}");
        Case::read(folder).run(&place.path().join(name));
    }
}

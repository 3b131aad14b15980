//! The known answers in `vectors/kl-privacy`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use num_rational::Ratio;
use serde_json::Value as Json;

use super::oracle;
use crate::kl::recoding::cost_of_everything;
use privet_core::Exact;
use privet_engine::baskets::Baskets;
use privet_engine::loss::items::ItemMeasure;
use privet_engine::privacy::kl::KlPrivacy;
use privet_taxonomy::{ItemTree, Node};

/// A case with its known answers.
pub struct KlVector {
    pub name: String,
    folder: PathBuf,
    pub baskets: Baskets,
    pub privacy: KlPrivacy,
    /// `expected.json`.
    pub expected: Json,
}

/// All cases, by name.
pub fn vectors() -> Vec<KlVector> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/kl-privacy");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root).expect("cases").map(|entry| entry.expect("a case").path()).collect();
    folders.sort();
    folders.into_iter().map(KlVector::read).collect()
}

impl KlVector {
    fn read(folder: PathBuf) -> KlVector {
        let text = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
        let tree = ItemTree::read(&folder.join("taxonomy.csv")).expect("a taxonomy");
        let sensitive: Vec<String> = text("sensitive.txt").lines().map(String::from).collect();
        let expected: Json = serde_json::from_str(&text("expected.json")).expect("answers");
        let param = |name: &str| expected["params"][name].as_u64().expect("a number");
        let l = Exact::parse(expected["params"]["l"].as_str().expect("a number")).expect("a number");
        let theta = Exact::new(l.denominator(), l.numerator()).expect("a share");
        let privacy = KlPrivacy {
            k: param("k"),
            m: param("m"),
            n: param("n"),
            theta: vec![theta; sensitive.len()],
            power: None,
        };
        let mut baskets = Baskets::new(tree.into(), sensitive);
        for line in text("transactions.csv").lines() {
            let (mut items, mut marks) = (Vec::new(), Vec::new());
            for label in cells(line, b',') {
                match baskets.sensitive.iter().position(|name| *name == label) {
                    Some(mark) => marks.push(mark as u32),
                    None => items.push(baskets.tree.find(&label).expect("a known item")),
                }
            }
            baskets.push(&mut items, &mut marks);
        }
        KlVector {
            name: folder.file_name().expect("a name").display().to_string(),
            folder,
            baskets,
            privacy,
            expected,
        }
    }

    /// A cost as a share of the worst, as in the files.
    pub fn share(&self, cost: u128, measure: ItemMeasure) -> Ratio<u128> {
        match cost_of_everything(measure, &self.baskets) {
            0 => Ratio::ZERO,
            everything => Ratio::new(cost, everything),
        }
    }

    /// The least share of the worst, if there is a valid cut.
    pub fn optimum(&self, measure: ItemMeasure) -> Option<Ratio<u128>> {
        self.share_of(&format!("optimal_{}", measure.name().to_lowercase()))
    }

    /// A known share, if the file has it.
    pub fn share_of(&self, key: &str) -> Option<Ratio<u128>> {
        self.expected[key].as_str().map(fraction)
    }

    /// Lists of labels as sets of nodes.
    pub fn node_sets(&self, key: &str) -> BTreeSet<Vec<Node>> {
        let sets = self.expected[key].as_array().expect("a list").iter();
        let labels = |set: &Json| -> Vec<String> { serde_json::from_value(set.clone()).expect("labels") };
        sets.map(|set| self.nodes(&labels(set))).collect()
    }

    fn nodes(&self, labels: &[String]) -> Vec<Node> {
        let find = |label: &String| self.baskets.tree.find(label).expect("a known label");
        let mut nodes: Vec<Node> = labels.iter().map(find).collect();
        nodes.sort_unstable();
        nodes
    }
}

/// The cells of one line.
fn cells(line: &str, separator: u8) -> Vec<String> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(line.as_bytes());
    let record = reader.records().next().map(|record| record.expect("a line"));
    record.map_or_else(Vec::new, |record| record.iter().map(String::from).collect())
}

fn fraction(text: &str) -> Ratio<u128> {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    Ratio::new(over.parse().expect("a number"), under.parse().expect("a number"))
}

#[test]
fn the_oracle_knows_every_cut() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 28);
    for vector in vectors {
        let (name, baskets, privacy) = (&vector.name, &vector.baskets, &vector.privacy);
        let text = fs::read_to_string(vector.folder.join("cuts.csv")).expect("a file");
        let mut known = BTreeSet::new();
        for line in text.lines().skip(1) {
            let cells = cells(line, b';');
            let cut = vector.nodes(&cells[3..]);
            assert_eq!(oracle::is_valid(baskets, privacy, &cut), cells[0] == "1", "{name}: {line}");
            for (measure, share) in [(ItemMeasure::Lm, &cells[1]), (ItemMeasure::Ncp, &cells[2])] {
                let cost = oracle::cost(baskets, &cut, measure);
                assert_eq!(vector.share(cost, measure), fraction(share), "{name}: {line}");
            }
            known.insert(cut);
        }
        assert_eq!(known, oracle::all_cuts(&baskets.tree).into_iter().collect(), "{name}");
    }
}

#[test]
fn the_oracle_knows_threats_and_optima() {
    for vector in vectors() {
        let (name, baskets, privacy) = (&vector.name, &vector.baskets, &vector.privacy);
        let threats = oracle::most_general_threats(baskets, privacy);
        assert_eq!(threats, vector.node_sets("most_general_threats"), "{name}");
        for measure in ItemMeasure::ALL {
            let optimum = oracle::optimum(baskets, std::slice::from_ref(privacy), measure);
            let share = optimum.as_ref().map(|(cost, _)| vector.share(*cost, measure));
            assert_eq!(share, vector.optimum(measure), "{name}");
            let cuts: BTreeSet<Vec<Node>> = optimum.into_iter().flat_map(|(_, cuts)| cuts).collect();
            let key = format!("optimal_cuts_{}", measure.name().to_lowercase());
            assert_eq!(cuts, vector.node_sets(&key), "{name}");
        }
    }
}

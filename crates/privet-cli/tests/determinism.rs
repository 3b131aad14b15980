//! The same policy, data and seed give the same bytes: whatever the threads, the run, the time zone, the locale, and the order of
//! the input's rows.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;

use crate::common::{Bench, Dice, Outcome, command, failures, run};

/// A method on the data of an example, small enough for a search to take a moment.
struct Case {
    example: &'static str,
    data: &'static str,
    /// Records of the example that are kept.
    records: usize,
    method: &'static str,
    /// What is changed in the policy.
    edits: &'static [(&'static str, &'static str)],
    /// What stands in the place of everything from `[privacy.…]` on, where the method cannot do what the example asks.
    rest: Option<&'static str>,
}

const fn case(example: &'static str, data: &'static str, records: usize, method: &'static str) -> Case {
    Case { example, data, records, method, edits: &[], rest: None }
}

const ALL: usize = usize::MAX;
const LOOSER: &[(&str, &str)] = &[("alpha = 0.1 ", "alpha = 0.9 "), ("beta = 0.03 ", "beta = 0.9 ")];

/// Every example and every method.
const CASES: &[Case] = &[
    case("patients", "patients.csv", ALL, "full-domain"),
    case("patients", "patients.csv", ALL, "mondrian"),
    case("census", "census.csv", 600, "full-domain"),
    Case { edits: &[("suppression_limit = 0.02", "")], ..case("census", "census.csv", 1000, "mondrian") },
    case("l-plus", "hospital.csv", ALL, "l-plus-optimize"),
    Case {
        edits: &[("suppression = ", "steps = 3000\nsuppression = ")],
        ..case("l-plus", "hospital.csv", ALL, "simulated-annealing")
    },
    case("injector", "patients.csv", ALL, "injector"),
    case("ward", "ward.csv", 800, "injector"),
    Case {
        rest: Some("[privacy.l-diversity]\ncolumn = \"diagnosis\"\nl = 3\n[method]\nname = \"anatomy\"\n"),
        ..case("ward", "ward.csv", 800, "anatomy")
    },
    Case { edits: LOOSER, ..case("clinic", "clinic.csv", 800, "codip") },
    Case { edits: LOOSER, ..case("clinic", "clinic.csv", 800, "codip-star") },
    case("freeform", "people.csv", 1000, "ff"),
    case("freeform", "people.csv", 1000, "ff-optimal"),
    case("symptoms", "symptoms.csv", 400, "quasi-sensitive"),
    case("five-baskets", "five-baskets.csv", ALL, "og"),
    case("baskets", "baskets.csv", 800, "og"),
    case("baskets", "baskets.csv", 800, "mog"),
    Case {
        rest: Some("[privacy.km-anonymity]\nk = 5\nm = 2\n[method]\nname = \"aa\"\n"),
        ..case("baskets", "baskets.csv", 800, "aa")
    },
    Case {
        rest: Some("[privacy.transactional-k-anonymity]\nk = 5\n[method]\nname = \"lg\"\n"),
        ..case("baskets", "baskets.csv", 800, "lg")
    },
    Case {
        rest: Some("[privacy.coherence]\nk = 5\np = 2\nh = 0.9\n[method]\nname = \"mm\"\n"),
        ..case("baskets", "baskets.csv", 800, "mm")
    },
    case("five-vocabularies", "five-vocabularies.csv", ALL, "ssg"),
    case("queries", "queries.tsv", 2500, "ssg"),
    Case { edits: &[("residual = 12", "")], ..case("queries", "queries.tsv", 2500, "lg-bag") },
    Case {
        edits: &[("residual = false", "# residual = false")],
        ..case("five-vocabularies", "five-vocabularies.csv", ALL, "lg")
    },
];

impl Case {
    fn name(&self) -> String {
        format!("{} by {}", self.example, self.method)
    }

    /// The example, made small, with the method in its policy.
    fn lay_out(&self) -> Bench {
        let bench = Bench::with_example(self.example);
        let (head, records) = self.lines(&bench);
        let kept = records.into_iter().take(self.records);
        bench.write(&self.data(), head.into_iter().chain(kept).collect::<Vec<_>>().join("\n") + "\n");
        let policy = format!("{}/policy.toml", self.example);
        let mut text = bench.text(&policy);
        match self.rest {
            Some(rest) => text = text[..text.find("[privacy.").expect("a requirement")].to_string() + rest,
            None => {
                let start = text.find("[method]").expect("a method");
                let (head, method) = text.split_at(start);
                let lines = method.lines().map(|line| match line.starts_with("name = ") {
                    true => format!("name = \"{}\"", self.method),
                    false => line.to_string(),
                });
                text = head.to_string() + &lines.collect::<Vec<_>>().join("\n") + "\n";
            }
        }
        bench.write(&policy, text);
        self.edits.iter().for_each(|(from, to)| bench.edit(&policy, from, to));
        bench
    }

    fn data(&self) -> String {
        format!("{}/{}", self.example, self.data)
    }

    /// The header, where there is one, and the records.
    fn lines(&self, bench: &Bench) -> (Vec<String>, Vec<String>) {
        let text = bench.text(&self.data());
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        let records = lines.split_off(usize::from(!self.example.ends_with("baskets")));
        (lines, records)
    }

    fn make(&self, bench: &Bench, target: &str, threads: &str, surroundings: &[(&str, &str)]) -> Outcome {
        let mut command = command();
        command.args(["anonymize", &format!("{}/policy.toml", self.example), "-o", target]);
        command.args(["--threads", threads]).envs(surroundings.iter().copied()).current_dir(bench.root());
        run(command).succeeds()
    }
}

/// What a release says, without what a clock said: the public room and the plan.
fn said(bench: &Bench, target: &str) -> (Vec<(PathBuf, Vec<u8>)>, Vec<u8>) {
    (bench.tree(&format!("{target}/public")), bench.read(&format!("{target}/steward/plan.json")))
}

#[test]
fn threads_time_zone_and_locale_do_not_show() {
    let failed = failures(CASES, |case| {
        let bench = case.lay_out();
        case.make(&bench, "one", "1", &[]);
        let expected = said(&bench, "one");
        let elsewhere = [("TZ", "Asia/Kathmandu"), ("LC_ALL", "tr_TR.UTF-8"), ("LANG", "tr_TR.UTF-8")];
        for (threads, surroundings) in [("2", &[][..]), ("4", &elsewhere)] {
            case.make(&bench, "other", threads, surroundings);
            assert!(expected == said(&bench, "other"), "{} with {threads} threads", case.name());
            fs::remove_dir_all(bench.path("other")).expect("removed");
        }
    });
    assert_eq!(failed, 0, "cases failed, each as shown above");
}

#[test]
fn twenty_runs_are_one() {
    for (example, data, method) in
        [("patients", "patients.csv", "mondrian"), ("five-baskets", "five-baskets.csv", "og")]
    {
        let case = case(example, data, ALL, method);
        let bench = case.lay_out();
        case.make(&bench, "first", "2", &[]);
        for number in 1..20 {
            let target = format!("run{number}");
            case.make(&bench, &target, ["1", "2", "4"][number % 3], &[]);
            assert!(said(&bench, "first") == said(&bench, &target), "{}: run {number}", case.name());
        }
    }
}

#[test]
fn the_order_of_the_input_does_not_show() {
    let failed = failures(CASES, |case| {
        let bench = case.lay_out();
        case.make(&bench, "one", "2", &[]);
        let (head, mut records) = case.lines(&bench);
        mix(&mut records, &mut Dice::new(17));
        bench.write(&case.data(), [head, records].concat().join("\n") + "\n");
        case.make(&bench, "two", "2", &[]);
        assert_same(&bench, &case.name());
    });
    assert_eq!(failed, 0, "cases failed, each as shown above");
}

fn mix(records: &mut [String], dice: &mut Dice) {
    for end in (1..records.len()).rev() {
        records.swap(end, dice.roll(end as u64 + 1) as usize);
    }
}

/// The public rooms of the releases `one` and `two` are the same, byte by byte.
fn assert_same(bench: &Bench, name: &str) {
    let (one, two) = (bench.tree("one/public"), bench.tree("two/public"));
    assert_eq!(one.len(), two.len(), "{name}");
    for ((file, one), (other, two)) in one.iter().zip(&two) {
        assert!(file == other && one == two, "{name}: {} differs", file.display());
    }
}

/// What attacks found on a release, but for the one that looks for the order of the original.
fn figures(bench: &Bench, target: &str) -> Vec<(Json, Json)> {
    let manifest = bench.json(&format!("{target}/steward/manifest.json"));
    let attacks = manifest["attacks"].as_array().expect("attacks");
    let all = attacks.iter().filter(|attack| attack["name"] != "row-order");
    all.map(|attack| (attack["name"].clone(), attack["figures"].clone())).collect()
}

/// What is asked for of a made-up table of few values, and the roles of its columns `ill`, `drug`, `terms` and `weight`: many
/// records look alike to the method, and differ in a column that it carries through.
const ASKED: &[(&str, [&str; 4])] = &[
    (L_PLUS_VIO_REC, ["sensitive", "", "", "other"]),
    (L_PLUS_VIO_SA, ["sensitive", "other", "", "other"]),
    ("[privacy.k-anonymity]\nk = 3\n[method]\nname = \"full-domain\"\nsuppression_limit = 0.3", CARRIED),
    ("[privacy.k-anonymity]\nk = 3\n[method]\nname = \"mondrian\"", CARRIED),
    (
        "[privacy.l-diversity]\ncolumn = \"ill\"\nl = 2\n[method]\nname = \"anatomy\"",
        ["sensitive", "", "", ""],
    ),
    (TERMS, ["", "", "quasi-sensitive", "other"]),
    (PROJECTED, ["sensitive", "sensitive", "", "sensitive"]),
];
const CARRIED: [&str; 4] = ["sensitive", "sensitive", "", "other"];
const L_PLUS_VIO_REC: &str = "[privacy.l-plus-diversity]\ncolumn = \"ill\"\ndefault = \"1/2\"\n[method]\nname = \
    \"l-plus-optimize\"\nsuppression = \"vio-rec\"";
const L_PLUS_VIO_SA: &str = "[privacy.l-plus-diversity]\ncolumn = \"ill\"\ndefault = \"1/2\"\n[method]\nname = \
    \"l-plus-optimize\"\nsuppression = \"vio-sa\"";
const TERMS: &str = "[privacy.k-anonymity]\nk = 3\n[privacy.qs-diversity]\ncolumn = \"terms\"\nl = 2\nc = 2\n[method]\nname = \
    \"quasi-sensitive\"";
const PROJECTED: &str =
    "[privacy.k-anonymity]\nk = 2\n[privacy.projection]\nalpha = 1\nbeta = 0.9\n[method]\nname = \"codip\"";

const AGES: &str = "20;young;*\n30;young;*\n40;old;*\n50;old;*\n";
const KNOWLEDGE: &str = "label,terms\nflu,cough|fever|ache\ncold,cough|sneeze|fever\nallergy,sneeze|rash\nmeasles,rash|fever|cough\n";

#[test]
fn the_order_of_a_made_up_table_does_not_show() {
    let cases: Vec<(u64, &(&str, [&str; 4]))> =
        (0..3).flat_map(|seed| ASKED.iter().map(move |asked| (seed, asked))).collect();
    let failed = failures(&cases, |(seed, (asked, roles))| {
        let bench = Bench::new();
        let mut dice = Dice::new(seed + 1);
        let mut pick = |from: &[&str]| from[dice.roll(from.len() as u64) as usize].to_string();
        let mut record = |number: u64| {
            let age = pick(&["20", "30", "40", "50"]);
            let (ill, drug) = (pick(&["flu", "ulcer", "asthma"]), pick(&["a", "b", "c"]));
            let terms = pick(&["cough", "cough|fever", "sneeze|rash", "ache|fever", "rash"]);
            // In one of the tables many records are the same in everything.
            let id = if *seed == 1 { 0 } else { number };
            format!("p{id},{},{age},{ill},{drug},{terms},{}", pick(&["m", "f"]), pick(&["1", "2", "3"]))
        };
        let mut records: Vec<String> = (0..20 + 30 * seed).map(&mut record).collect();
        bench.write("age.csv", AGES);
        bench.write("knowledge.csv", KNOWLEDGE);
        let mut policy = format!("seed = {seed}\n[data]\npath = \"d.csv\"\n");
        policy += "[columns.sex]\nrole = \"quasi-identifier\"\n";
        policy += "[columns.age]\nrole = \"quasi-identifier\"\nhierarchy = \"age.csv\"\n";
        for (name, role) in
            ["ill", "drug", "terms", "weight"].iter().zip(roles).filter(|(_, role)| !role.is_empty())
        {
            policy += &format!("[columns.{name}]\nrole = \"{role}\"\n");
            if *role == "quasi-sensitive" {
                policy += "separator = \"|\"\nknowledge = \"knowledge.csv\"\n";
            }
        }
        bench.write("policy.toml", policy + asked + "\n");
        let make = |target: &str, records: &[String]| {
            let table = format!("id,sex,age,ill,drug,terms,weight\n{}\n", records.join("\n"));
            bench.write("d.csv", table);
            let held_out: &[&str] = if *seed == 2 { &["--holdout", "0.3"] } else { &[] };
            let arguments = ["anonymize", "policy.toml", "-o", target, "--attacks", "all"];
            bench.privet(&[&arguments, held_out].concat()).succeeds();
        };
        make("one", &records);
        mix(&mut records, &mut Dice::new(99));
        make("two", &records);
        assert_same(&bench, &format!("table {seed}, {asked}"));
        assert_eq!(figures(&bench, "one"), figures(&bench, "two"), "table {seed}, {asked}");
    });
    assert_eq!(failed, 0, "cases failed, each as shown above");
}

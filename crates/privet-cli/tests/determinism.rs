//! The same policy, data and seed give the same bytes: whatever the threads, the run, the time zone, the locale, and the order of
//! the input's rows.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Bench, Dice, Outcome, command, failures, run};

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
    Case { edits: &[("suppression_limit = 0.05", "")], ..case("census", "census.csv", 1000, "mondrian") },
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
    case("queries", "queries.tsv", 2500, "lg-bag"),
    case("five-vocabularies", "five-vocabularies.csv", ALL, "lg"),
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
    assert_eq!(failed, 0, "cases failed, each as told above");
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
        let mut dice = Dice::new(17);
        for end in (1..records.len()).rev() {
            records.swap(end, dice.roll(end as u64 + 1) as usize);
        }
        bench.write(&case.data(), [head, records].concat().join("\n") + "\n");
        case.make(&bench, "two", "2", &[]);
        let (one, two) = (bench.tree("one/public"), bench.tree("two/public"));
        assert_eq!(one.len(), two.len(), "{}", case.name());
        for ((file, one), (other, two)) in one.iter().zip(&two) {
            assert!(file == other && one == two, "{}: {} differs", case.name(), file.display());
        }
    });
    assert_eq!(failed, 0, "cases failed, each as told above");
}

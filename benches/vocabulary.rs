//! Query logs: reading the made-up log, clustering its vocabularies, comparing patterns, and, where WordNet is installed,
//! many made-up bags over its nouns.
//!
//! Run with `cargo bench -p privet-lab --bench vocabulary`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use divan::{Bencher, black_box};
use privet::clock::Clock;
use privet::data::Bags;
use privet::example::Example;
use privet::method::vocabulary::utility::PatternUtility;
use privet::method::vocabulary::{BagTask, VocabularyDecision, decide, run};
use privet::policy::{AnyPolicy, Policy, VocabularyMethod, VocabularyPolicy};
use privet::privacy::vocabulary::VocabularyAnonymity;
use privet::taxonomy::words::{Attach, Semantics, WordNet};
use privet_lab::vocabulary::synthetic::{Stock, WORDS};

fn main() {
    divan::main();
}

const METHODS: [&str; 4] = ["ssg", "ssg without residual", "lg-bag", "lg"];

fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("privet-bench-vocabulary-{}", std::process::id()));
        Example::find("queries").and_then(|example| example.write(&folder)).expect("the example");
        folder
    })
}

/// The example's policy with another method.
fn policy(method: &str) -> VocabularyPolicy {
    let text = fs::read_to_string(folder().join("policy.toml")).expect("a policy");
    let kept = text.split("[method]").next().unwrap_or_default();
    let method = match method {
        "ssg without residual" => "name = \"ssg\"\nresidual = false".to_string(),
        name => format!("name = \"{name}\""),
    };
    let policy = Policy::parse(&folder().join("policy.toml"), format!("{kept}[method]\n{method}\n"));
    match policy.and_then(|policy| policy.check_any(None)).expect("a policy") {
        AnyPolicy::Vocabularies(policy) => policy,
        other => unreachable!("the policy is about {}", other.kind().name()),
    }
}

fn decided(method: &str) -> (VocabularyPolicy, VocabularyDecision) {
    let policy = policy(method);
    let decided = decide(&policy, &Clock::unlimited()).expect("a decision");
    (policy, decided)
}

#[divan::bench(sample_count = 5)]
fn read_log(bencher: Bencher<'_, '_>) {
    let policy = policy("ssg");
    bencher.bench_local(|| black_box(policy.source.read(&mut |_| Ok(())).expect("vocabularies")));
}

#[divan::bench(args = METHODS, sample_count = 5)]
fn queries(bencher: Bencher<'_, '_>, method: &str) {
    let (policy, decided) = decided(method);
    let task = BagTask {
        bags: &decided.bags,
        distances: &decided.distances,
        epsilon: policy.epsilon,
        omega: policy.omega,
        demand: decided.demand,
        method: &policy.method,
    };
    bencher.bench_local(|| black_box(run(&task, &Clock::unlimited()).expect("a solution")));
}

#[divan::bench(sample_count = 5)]
fn patterns(bencher: Bencher<'_, '_>) {
    let (_, decided) = decided("ssg");
    let VocabularyDecision { bags, distances, solution, .. } = &decided;
    let clock = Clock::unlimited();
    bencher.bench_local(|| {
        black_box(PatternUtility::measure(bags, solution, distances, 1000, None, &clock).expect("patterns"))
    });
}

/// Made-up bags over WordNet's nouns, ε = 6, k = 5: each has about twice as many as the one before, the last as many as the
/// thesis.
const SIZES: [usize; 4] = [48_000, 96_000, 192_000, 383_000];

#[divan::bench(args = SIZES, sample_count = 1)]
fn phrases(bencher: Bencher<'_, '_>, size: usize) {
    made_up(bencher, |stock| stock.phrases(size, 1));
}

#[divan::bench(args = SIZES, sample_count = 1)]
fn independent(bencher: Bencher<'_, '_>, size: usize) {
    made_up(bencher, |stock| stock.independent(size, 1));
}

fn made_up(bencher: Bencher<'_, '_>, bags: impl Fn(&Stock) -> privet::Result<Bags>) {
    let folder = std::env::var_os("PRIVET_WORDNET").map_or(PathBuf::from(WordNet::FOLDER), PathBuf::from);
    let Ok(wordnet) = WordNet::open(&folder) else {
        eprintln!("skipped: there is no WordNet in {}", folder.display());
        return;
    };
    let wordnet = Arc::new(wordnet);
    let bags = Stock::of(&wordnet, WORDS).and_then(|stock| bags(&stock)).expect("bags");
    let distances = Semantics::WordNetTree(wordnet, Attach::default()).between(bags.terms());
    let method = VocabularyMethod::Ssg(Default::default());
    let demand = VocabularyAnonymity { k: 5, distinct_users: false, min_term_users: 1 };
    let task =
        BagTask { bags: &bags, distances: &distances, epsilon: 6, omega: None, demand, method: &method };
    bencher.bench_local(|| black_box(run(&task, &Clock::unlimited()).expect("a solution")));
}

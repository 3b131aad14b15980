//! Clustering made-up vocabularies over WordNet, where it is installed: phrases that many people use, and independent
//! words.
//!
//! Run with `cargo bench --bench vocabulary`; `PRIVET_WORDNET` names another folder of WordNet.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use divan::{Bencher, black_box};
use privet::data::Bags;
use privet::engine::clock::Clock;
use privet::experiment::vocabulary::synthetic::{Stock, WORDS};
use privet::method::vocabulary::{Task, ssg};
use privet::policy::Clause;
use privet::privacy::vocabulary::VocabularyAnonymity;
use privet::taxonomy::words::{Attach, Semantics, WordNet};

fn main() {
    divan::main();
}

/// The thesis' number of vocabularies last.
const SIZES: [usize; 4] = [48_000, 96_000, 192_000, 383_000];

fn net() -> Option<&'static Arc<WordNet>> {
    static NET: OnceLock<Option<Arc<WordNet>>> = OnceLock::new();
    let net = NET.get_or_init(|| {
        let folder =
            std::env::var_os("PRIVET_WORDNET").map_or_else(|| PathBuf::from(WordNet::FOLDER), PathBuf::from);
        WordNet::open(&folder).map(Arc::new).map_err(|error| eprintln!("skipped: {error}")).ok()
    });
    net.as_ref()
}

fn cluster(bencher: Bencher<'_, '_>, make: impl Fn(&Stock) -> privet::Result<Bags>) {
    let Some(net) = net() else { return };
    let bags = Stock::of(net, WORDS).and_then(|stock| make(&stock)).expect("vocabularies");
    let distances = Semantics::WordNetTree(net.clone(), Attach::default()).between(bags.terms());
    let method = Clause::with_defaults(&ssg::DECLARATION);
    let demand = VocabularyAnonymity { k: 5, distinct_users: false, min_term_users: 1 };
    let task = Task { bags: &bags, distances: &distances, epsilon: 6, omega: None, demand, method: &method };
    bencher.bench_local(|| black_box(ssg::run(&task, &Clock::unlimited()).expect("a solution")));
}

#[divan::bench(args = SIZES, sample_count = 1)]
fn phrases(bencher: Bencher<'_, '_>, bags: usize) {
    cluster(bencher, |stock| stock.phrases(bags, 1));
}

#[divan::bench(args = SIZES, sample_count = 1)]
fn independent(bencher: Bencher<'_, '_>, bags: usize) {
    cluster(bencher, |stock| stock.independent(bags, 1));
}

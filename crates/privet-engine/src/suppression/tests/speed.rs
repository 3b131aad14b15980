//! How many removals are tried per second, against the straightforward version. To see it in an optimised build:
//! `cargo test --release --workspace --lib suppression::tests::speed -- --nocapture`.

use std::time::{Duration, Instant};

use hashbrown::HashSet;

use super::Case;
use super::reference::is_diverse_by_passes;
use crate::suppression::{Budget, Order, TermRemovalSearch};
use privet_core::clock::Clock;
use privet_core::random::{below, keyed};

/// The set-up of the paper's experiments: 3,000 labels of about 100 terms, groups of 5 records with 9 terms of one label.
fn paper_case(terms: u64) -> Case {
    let mut random = keyed(7, "suppression: speed");
    let mut draw = |count: usize, from: &[u8]| -> Vec<u8> {
        let mut pool = from.to_vec();
        let mut drawn: Vec<u8> = (0..count.min(pool.len()))
            .map(|_| {
                let at = below(&mut random, pool.len() as u64) as usize;
                pool.swap_remove(at)
            })
            .collect();
        drawn.sort_unstable();
        drawn
    };
    let all: Vec<u8> = (0..terms as u8).collect();
    let labels: Vec<Vec<u8>> = (0..3000).map(|label| draw(85 + label % 31, &all)).collect();
    let records = (0..5).map(|record| (draw(9, &labels[record * 577]), 0)).collect();
    Case { labels, records, diversity: Some(((1, 1), 10)), closeness: None, strict: false }
}

/// How long each of the two is watched.
const SHARE: Duration = Duration::from_millis(500);

/// How many removals each of the two tries per second.
fn speeds() -> (f64, f64) {
    let case = paper_case(250);
    let setting = case.setting();
    let problem = setting.problem();
    let mut search = TermRemovalSearch::new(&problem, Order::Adaptive);
    let start = Instant::now();
    search.run(Budget {
        tries: u64::MAX,
        until: Some(start + SHARE),
        dive: None,
        clock: &Clock::unlimited(),
    });
    let quick = search.answer().tries as f64 / start.elapsed().as_secs_f64();

    let labels: Vec<HashSet<u8>> = case.labels.iter().map(|terms| terms.iter().copied().collect()).collect();
    let records: Vec<Vec<u8>> = case.records.iter().map(|(terms, _)| terms.clone()).collect();
    let (start, mut tries) = (Instant::now(), 0u32);
    'passes: loop {
        for record in 0..records.len() {
            for place in 0..records[record].len() {
                let mut fewer = records.clone();
                fewer[record].remove(place);
                std::hint::black_box(is_diverse_by_passes(&labels, &fewer, 1.0, 10));
                tries += 1;
                if start.elapsed() > SHARE {
                    break 'passes;
                }
            }
        }
    }
    let slow = f64::from(tries) / start.elapsed().as_secs_f64();
    println!(
        "removals tried per second: {quick:.0}, straightforward {slow:.0}, {:.0} times as many",
        quick / slow
    );
    (quick, slow)
}

/// An optimised build on a quiet machine tries a hundred times as many; a test build has room below that. A busy machine may give
/// one of the two no time, so they are compared a few times.
#[test]
fn bitsets_try_many_times_as_many_removals() {
    let found = (0..6).map(|_| speeds()).find(|(quick, slow)| *quick > 20.0 * slow);
    assert!(found.is_some(), "bitsets are not much quicker");
}

//! What the tests of several crates share.

use std::io::Write;

use proptest::prelude::ProptestConfig;

/// A property is tried on this many cases; a failure leaves no file.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() }
}

/// Says that the rest of a test is skipped, on a line of its own that `cargo test` shows although the test passes: it is written
/// past the harness, which would keep it to itself. `cargo test 2>&1 | grep -c ^skipped:` counts such tests.
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_string();
    let _ = writeln!(std::io::stderr(), "\nskipped: {test}: {why}");
}

//! What the tests of several crates share.

use std::io::Write;
use std::path::PathBuf;

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

/// The directory of real data, where it holds all of `needed`: `PRIVET_DATA` names it, and it is `../shared/data` next to the
/// project otherwise. Where something is missing, the test says that it is skipped.
pub fn real_data(needed: &[&str]) -> Option<PathBuf> {
    let folder = std::env::var_os("PRIVET_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    if let Some(missing) = needed.iter().map(|path| folder.join(path)).find(|path| !path.exists()) {
        skipped(&format!("no {} (set PRIVET_DATA)", missing.display()));
        return None;
    }
    Some(folder)
}

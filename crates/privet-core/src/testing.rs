//! What the tests of several crates share.

use proptest::prelude::ProptestConfig;

/// A property is tried on this many cases; a failure leaves no file.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 400, ..ProptestConfig::default() }
}

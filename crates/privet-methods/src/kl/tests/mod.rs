//! The methods for transactions against brute force: tiny random instances, and cases with known answers.

pub mod vectors;

use proptest::prelude::*;

pub use privet_engine::testing::{
    any_baskets, any_counted_instance, any_crowd, any_instance, any_privacy, oracle,
};
use privet_taxonomy::Node;

proptest! {
    #![proptest_config(privet_core::testing::cases(64))]

    /// A valid release stays valid when it is generalised, and a cut is valid iff no most general threat is visible in
    /// it.
    #[test]
    fn the_oracle_agrees_with_itself((baskets, privacy) in any_counted_instance()) {
        let tree = &baskets.tree;
        let threats = oracle::most_general_threats(&baskets, &privacy);
        let cuts = oracle::all_cuts(tree);
        prop_assert_eq!(num_bigint::BigUint::from(cuts.len()), tree.cuts());
        for cut in &cuts {
            let visible = oracle::visible(tree, cut);
            let shown = |threat: &Vec<Node>| threat.iter().all(|node| visible[*node as usize]);
            prop_assert_eq!(oracle::is_valid(&baskets, &privacy, cut), !threats.iter().any(shown));
        }
    }
}

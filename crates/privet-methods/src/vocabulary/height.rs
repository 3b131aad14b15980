//! gHeight (section 5.6 of the thesis): how many steps of the tree a term is generalised by on average under local
//! generalisation. Two terms that are published as one node so far above them are twice that far apart, so ε = 2·gHeight lets
//! terms stand for each other that local generalisation would have published as one.

use super::{BagSolution, Print};
use privet_data::Bags;
use privet_taxonomy::Node;
use privet_taxonomy::words::Distances;

/// The mean over the occurrences that a published node covers of depth(term) − depth(node); `None` without a tree, or where nothing
/// is covered.
pub fn generalisation_height(bags: &Bags, distances: &Distances, solution: &BagSolution) -> Option<f64> {
    let tree = distances.tree()?;
    let (mut steps, mut covered) = (0u64, 0u64);
    for cluster in &solution.clusters {
        let node = |print: &Print| match print {
            Print::General(node) => Some(*node),
            Print::Term(term) => distances.place(*term),
            Print::Bag(_) => None,
        };
        let mut nodes: Vec<Node> = cluster.shown.iter().filter_map(|shown| node(&shown.print)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for member in &cluster.members {
            for place in bags.bag(*member as usize).iter().filter_map(|term| distances.place(*term)) {
                // Nodes are numbered in preorder, and those of a cluster do not contain one another.
                let at = nodes.partition_point(|node| *node <= place);
                if let Some(node) =
                    at.checked_sub(1).map(|at| nodes[at]).filter(|node| tree.contains(*node, place))
                {
                    steps += u64::from(tree.depth(place) - tree.depth(node));
                    covered += 1;
                }
            }
        }
    }
    (covered > 0).then(|| steps as f64 / covered as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::{BagTask, run};
    use privet_core::clock::Clock;
    use privet_engine::privacy::vocabulary::VocabularyAnonymity;
    use privet_engine::testing::vocabularies as cases;
    use privet_policy::VocabularyMethod;

    #[test]
    fn the_five_vocabularies_have_a_height_by_hand() {
        let rows = [
            "Wine Wine Jackets Boots",
            "Vino Vino Jackets Shoes",
            "Wine Vino Raw-milk Jackets Shoes",
            "Vino Raw-milk Raw-milk Homo-milk",
            "Raw-milk Homo-milk Homo-milk Jackets Pants",
        ];
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.split(' ').map(String::from).collect()).collect();
        let bags = cases::bags(&rows, None);
        let distances = cases::distances(cases::goods(), &bags);
        let demand = VocabularyAnonymity { k: 2, distinct_users: false, min_term_users: 1 };
        let method = VocabularyMethod::LgBag(Default::default());
        let task =
            BagTask { bags: &bags, distances: &distances, epsilon: 4, omega: None, demand, method: &method };
        let solution = run(&task, &Clock::unlimited()).expect("a solution");
        // t1 and t4 as Goods: 8 terms, three steps each. t2, t3 and t5 as Edibles and Clothing: 14 terms, two steps each.
        let expected = f64::from(8 * 3 + 14 * 2) / 22.0;
        let height = generalisation_height(&bags, &distances, &solution).expect("a height");
        assert!((height - expected).abs() < 1e-12, "{height} {expected}");
    }
}

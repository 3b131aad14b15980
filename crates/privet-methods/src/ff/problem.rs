//! From a policy and a table to the search problem.

use std::sync::Arc;

use super::specialise::{GainMeasure, NodeGains};
use crate::cut_recoding::cell;
use crate::impossible;
use privet_core::{Error, Result};
use privet_engine::cut::{Amount, Cut, Forest, Tree};
use privet_engine::loss;
use privet_engine::loss::{Frame, Measure};
use privet_engine::microdata::{Microdata, QuasiIdentifier};
use privet_engine::privacy;
use privet_engine::privacy::freeform;
use privet_engine::privacy::freeform::{Model, Records};
use privet_engine::privacy::{Counts, EquivalenceClass};
use privet_policy::method::TableCost;
use privet_policy::{CheckedPolicy, ColumnWeights, weights_too_large};

/// A table with the possible cuts of its taxonomies.
pub(super) struct FfProblem {
    pub model: Model,
    pub records: Records,
    pub forest: Forest,
    pub measure: Measure,
    /// Per tree and node, the cost of publishing the node for all its records.
    pub prices: Vec<Vec<Amount>>,
    /// What a weight of 1 is in these costs, if the policy has weights.
    pub weighted: Option<u64>,
    /// The number of records that must look alike in all mixed columns; 1 without k-anonymity.
    pub k: u64,
}

impl FfProblem {
    pub fn new(policy: &CheckedPolicy, microdata: &Microdata) -> Result<FfProblem> {
        let columns = microdata.quasi.iter().map(|quasi| (quasi.index, quasi.taxonomy.clone()));
        let model = freeform::model(policy, columns)?;
        let mut records = Records::default();
        for record in 0..microdata.summary.len() {
            let leaves = microdata
                .quasi_codes(record)
                .iter()
                .zip(&microdata.quasi)
                .map(|(code, quasi)| quasi.taxonomy.leaf(quasi.leaf_of_code[*code as usize] as usize).0);
            records.leaves.extend(leaves);
            records.counts.push(microdata.summary.count(record));
        }
        let trees = microdata.quasi.iter().map(|quasi| {
            let mut occupied = vec![false; quasi.taxonomy.leaves()];
            quasi.leaf_of_code.iter().for_each(|leaf| occupied[*leaf as usize] = true);
            // A node does not hide a guarded value that is alone below it, so it matters whether the node is opened.
            Tree::with_every_node(&quasi.taxonomy, |leaf| occupied[leaf])
        });
        let forest = Forest { trees: trees.collect() };
        let counts: Vec<Vec<u64>> = (microdata.quasi.iter().zip(&forest.trees))
            .map(|(quasi, tree)| tree.totals(quasi.leaf_of_code.iter().zip(&quasi.counts)))
            .collect();
        let cells = |at: usize| {
            let (tree, quasi) = (&forest.trees[at], &microdata.quasi[at]);
            let nodes = (0..tree.len() as u32).zip(&counts[at]);
            nodes.map(|(node, count)| cell(quasi, tree.taxonomy_node(node), *count)).collect()
        };
        let frame = Frame {
            records: microdata.table.records,
            columns: (0..forest.trees.len()).map(cells).collect(),
            values: microdata.quasi.iter().map(|quasi| quasi.counts.clone()).collect(),
            labels: None,
        };
        let measure = loss::measure(TableCost::Lm, &frame)?;
        let weighted = weighs(policy).then_some(ColumnWeights::PARTS);
        let counts = match weighted {
            None => counts,
            Some(_) => (microdata.quasi.iter().zip(&forest.trees))
                .map(|(quasi, tree)| weighted_counts(policy, quasi, tree))
                .collect::<Result<_>>()?,
        };
        let price = |at: usize, node: usize| {
            let price = measure.column(at, std::iter::once((node as u32, 1)));
            let price = price.ok_or_else(|| Error::internal("LM has no price for a cell"))?;
            let price = price.checked_mul(counts[at][node].into()).filter(|price| *price <= MOST_PRICE);
            price.map(|price| price as Amount).ok_or_else(weights_too_large)
        };
        let prices = (0..forest.trees.len())
            .map(|at| (0..forest.trees[at].len()).map(|node| price(at, node)).collect::<Result<Vec<_>>>())
            .collect::<Result<Vec<_>>>()?;
        Ok(FfProblem { model, records, forest, measure, prices, weighted, k: k(policy, microdata)? })
    }

    /// The cost of a cut.
    pub fn cost(&self, cut: &Cut) -> Amount {
        let trees = cut.0.iter().zip(&self.prices);
        trees.flat_map(|(nodes, prices)| nodes.iter().map(|node| prices[*node as usize])).sum()
    }

    /// The gain of specialising each node.
    pub fn scores(&self, microdata: &Microdata, score: GainMeasure) -> Arc<NodeGains> {
        Arc::new(NodeGains::new(self, microdata, score))
    }
}

/// Prices stay below this, so that those of all nodes can be added up in 128 bits.
const MOST_PRICE: u128 = 1 << 100;

/// Whether the policy gives columns or values a weight.
fn weighs(policy: &CheckedPolicy) -> bool {
    policy.columns.iter().any(|column| !column.weights.are_plain())
}

/// By node, how many records are below it, each as often as its value weighs.
fn weighted_counts(policy: &CheckedPolicy, quasi: &QuasiIdentifier, tree: &Tree) -> Result<Vec<u64>> {
    let weights = &policy.columns[quasi.index].weights;
    let taxonomy = &quasi.taxonomy;
    let weighted = quasi.leaf_of_code.iter().zip(&quasi.counts).map(|(leaf, count)| {
        let label = taxonomy.label(taxonomy.leaf(*leaf as usize));
        count.checked_mul(weights.in_parts(label))
    });
    let weighted = weighted.collect::<Option<Vec<u64>>>().ok_or_else(weights_too_large)?;
    let whole = weighted.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
    whole.ok_or_else(weights_too_large)?;
    Ok(tree.totals(quasi.leaf_of_code.iter().zip(&weighted)))
}

/// The k of the policy's k-anonymity, the largest if there are several. If all records together are too few, so is
/// every class.
fn k(policy: &CheckedPolicy, microdata: &Microdata) -> Result<u64> {
    let requirements = privacy::class_requirements(policy, &microdata.table)?;
    let requirements: Vec<_> = requirements.into_iter().map(|(_, requirement)| requirement).collect();
    let whole = EquivalenceClass {
        size: microdata.summary.total(),
        counts: Counts::Sparse(&[]),
        standing: Default::default(),
    };
    if !requirements.iter().all(|requirement| requirement.holds(&whole)) {
        return Err(impossible(&requirements, &whole));
    }
    Ok(policy.k())
}

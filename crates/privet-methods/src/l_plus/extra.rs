//! Random extra generalisation: the second defence of section 3.7.1.2 of the thesis.
//!
//! An attacker who knows that nothing is generalised without need knows that every finer version failed. So each class of
//! the best cut is published one step more general in one column with a given probability; which classes and columns, the
//! key decides. Classes that then look alike are one. A union of classes that meet the thresholds and k meets them too.

use std::collections::BTreeMap;

use super::rules::CostRules;
use crate::cut_recoding::cell;
use crate::recoding::{RecodedColumn, ReleasedCell};
use privet_core::random::{below, keyed};
use privet_core::{Exact, RunKey};
use privet_engine::cut::Amount;
use privet_engine::microdata::Microdata;
use privet_policy::CheckedPolicy;
use privet_taxonomy::NodeId;

/// Draws which classes are generalised more.
pub(super) struct ExtraGeneralisation<'a> {
    policy: &'a CheckedPolicy,
    microdata: &'a Microdata,
    probability: Exact,
    key: RunKey,
    /// Per column and node, the released value that stands for it, as far as it was needed.
    added: Vec<BTreeMap<NodeId, u32>>,
    /// What the steps cost more, under LM.
    cost: Amount,
    steps: u64,
}

impl<'a> ExtraGeneralisation<'a> {
    /// As the policy asks for; `None` where it does not.
    pub fn of(policy: &'a CheckedPolicy, microdata: &'a Microdata) -> Option<ExtraGeneralisation<'a>> {
        let probability = policy.method.extra_generalisation();
        (probability > Exact::ZERO).then(|| ExtraGeneralisation {
            policy,
            microdata,
            probability,
            key: microdata.key(policy.seed.unwrap_or(0)),
            added: vec![BTreeMap::new(); microdata.quasi.len()],
            cost: 0,
            steps: 0,
        })
    }

    /// What is published for a class of this size: its cells, one of them perhaps a step more general. The draw depends on
    /// the key and on what the cells say, on nothing else.
    pub fn step(
        &mut self,
        columns: &mut [RecodedColumn],
        mut cells: Vec<u32>,
        size: u64,
        rules: &CostRules,
    ) -> Vec<u32> {
        let shown: Vec<&str> = cells
            .iter()
            .zip(&*columns)
            .map(|(cell, column)| column.cells[*cell as usize].label.as_str())
            .collect();
        let name = format!("privet: extra generalisation of {shown:?}");
        let mut random = keyed(self.key, &name);
        let (num, den) = (self.probability.numerator(), self.probability.denominator());
        if below(&mut random, den) >= num {
            return cells;
        }
        let open: Vec<(usize, NodeId, NodeId)> = (0..cells.len())
            .filter_map(|at| {
                let node = columns[at].cells[cells[at] as usize].node?;
                Some((at, node, self.microdata.quasi[at].taxonomy.parent(node)?))
            })
            .collect();
        if open.is_empty() {
            return cells;
        }
        let (at, node, above) = open[below(&mut random, open.len() as u64) as usize];
        self.cost += size as Amount * (self.loss(rules, at, above) - self.loss(rules, at, node));
        self.steps += 1;
        cells[at] = *self.added[at].entry(above).or_insert_with(|| {
            let quasi = &self.microdata.quasi[at];
            let below = quasi.taxonomy.leaves_below(above);
            let codes = quasi.leaf_of_code.iter().zip(&quasi.counts);
            let records =
                codes.filter(|(leaf, _)| below.contains(&(**leaf as usize))).map(|(_, count)| count).sum();
            let label = quasi.taxonomy.label(above).to_string();
            columns[at].cells.push(ReleasedCell {
                label,
                node: Some(above),
                measure: cell(quasi, above, records),
            });
            columns[at].cells.len() as u32 - 1
        });
        cells
    }

    fn loss(&self, rules: &CostRules, column: usize, node: NodeId) -> Amount {
        let quasi = &self.microdata.quasi[column];
        let (num, den) = super::problem::cell_price(&self.policy.columns[quasi.index].weights, quasi, node);
        rules.in_units(num, den)
    }

    /// How many classes were generalised more, and what that cost under LM.
    pub fn taken(&self) -> (u64, Amount) {
        (self.steps, self.cost)
    }
}

//! Threats where known items do not all count once: the sets of visible nodes that can be afforded, one after the other.
//!
//! Nodes are added in ascending order. A set is passed over that holds a node above another one (the lower one says as much,
//! and costs no less alone), or a node that all transactions which fit the others hold. Where all of these look-alikes meet
//! the requirement by themselves, so does any union of them, and nothing is added to the set.

use super::demand::{Demand, KnowledgeCosts};
use super::released::{Cell, Knowledge, TransactionCells};
use privet_core::Result;
use privet_taxonomy::Node;

/// The first threat in the order of the search; `None` if there is none.
pub(super) fn first_threat(
    released: &TransactionCells<'_>,
    demand: &Demand,
    costs: &KnowledgeCosts,
    tick: &mut dyn FnMut() -> Result<()>,
) -> Result<Option<Knowledge>> {
    let all: Vec<&Cell> = released.cells.iter().collect();
    let mut search = Search { released, demand, costs, known: Vec::new() };
    let is_threat = search.is_threat(&all) || search.extend(&all, 0, tick)?;
    Ok(is_threat.then(|| Knowledge { present: search.known, absent: Vec::new() }))
}

struct Search<'a> {
    released: &'a TransactionCells<'a>,
    demand: &'a Demand,
    costs: &'a KnowledgeCosts,
    known: Vec<Node>,
}

impl Search<'_> {
    fn is_threat(&self, cells: &[&Cell]) -> bool {
        self.demand.is_threat(&self.released.sum(cells.iter().copied()))
    }

    /// Whether what is known becomes a threat by nodes from `from` on; it is one then.
    fn extend(
        &mut self,
        fitting: &[&Cell],
        from: Node,
        tick: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        tick()?;
        if !fitting.iter().any(|cell| self.is_threat(&[*cell])) {
            return Ok(false);
        }
        let tree = self.released.tree;
        for node in from..tree.len() as Node {
            if self.known.iter().any(|known| tree.contains(*known, node)) {
                continue;
            }
            let holding: Vec<&Cell> =
                fitting.iter().copied().filter(|cell| self.released.holds(cell, node)).collect();
            if holding.is_empty() || holding.len() == fitting.len() {
                continue;
            }
            self.known.push(node);
            if self.costs.afford(&self.known)
                && (self.is_threat(&holding) || self.extend(&holding, node + 1, tick)?)
            {
                return Ok(true);
            }
            self.known.pop();
        }
        Ok(false)
    }
}
